// SPDX-License-Identifier: BSD-3-Clause
// Builds the records of PMIx_Spawn.
#include "order.h"

#include <cstring>

namespace tessera::boot::pmix {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

Info text_info(const char* key, std::string& text) noexcept {
  Info made{};
  std::strncpy(made.key, key, sizeof made.key - 1);
  made.value.type = type_string;
  made.value.data.string = text.data();
  return made;
}

Order::Order(std::span<const Program> programs) {
  for (const Program& program : programs) {
    Part& part = *parts_.emplace_back(std::make_unique<Part>());
    part.program = program;
    apps_.push_back(app_of(part));
  }
}

App Order::app_of(Part& part) {
  Program& program = part.program;
  part.words = {program.path};
  part.words.insert(part.words.end(), program.arguments.begin(), program.arguments.end());
  part.arguments = pointers(part.words);
  part.environment = pointers(program.environment);
  part.infos.push_back(text_info("pmix.wdir", program.directory));
  if (!program.host.empty()) part.infos.push_back(text_info("pmix.host", program.host));
  App app{};
  app.command = program.path.data();
  app.arguments = part.arguments.data();
  app.environment = part.environment.data();
  app.directory = program.directory.data();
  app.processes = static_cast<int>(program.processes);
  app.infos = part.infos.data();
  app.info_count = part.infos.size();
  return app;
}

}  // namespace tessera::boot::pmix
