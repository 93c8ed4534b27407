// SPDX-License-Identifier: BSD-3-Clause
// What the probe is asked to measure: reading it, and communicators that obey it.
#include "plan.h"

#include <fstream>
#include <iostream>
#include <sstream>

#include "exchange.h"

namespace tessera::tuning {

namespace {

Line parse_line(const std::string& text, int number) {
  const auto fail = [&](const std::string& what) -> BadPlan {
    return BadPlan("line " + std::to_string(number) + " of the plan: " + what);
  };
  std::istringstream words(text);
  Line line;
  std::string rest;
  words >> line.number >> line.operation >> line.components >> line.algorithm >> line.segment >>
      line.radix >> line.bytes;
  if (!words || words >> rest)
    throw fail("expected NUMBER OPERATION COMPONENTS ALGORITHM SEGMENT RADIX BYTES, not '" + text +
               "'");
  if (find_kind(line.operation) == nullptr)
    throw fail("there is no operation '" + line.operation + "'");
  if (line.bytes % sizeof(double) != 0) throw fail("bytes must be a multiple of 8");
  return line;
}

void set(MPI_Info info, const std::string& key, const std::string& value) {
  MPI_Info_set(info, ("tessera." + key).c_str(), value.c_str());
}

}  // namespace

std::string Line::choice() const {
  return operation + " " + components + " " + algorithm + " " + std::to_string(segment) + " " +
         std::to_string(radix);
}

std::vector<Line> parse_plan(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (!line.empty() && line[0] != '#') lines.push_back(parse_line(line, number));
  }
  return lines;
}

std::string read_everywhere(const std::string& file) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ostringstream text;
  long length = -1;  // cannot be read
  if (rank == 0) {
    std::ifstream stream;
    if (file != "-") stream.open(file);
    if (file == "-" || stream) {
      text << (file == "-" ? std::cin : stream).rdbuf();
      length = static_cast<long>(text.str().size());
    }
  }
  MPI_Bcast(&length, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (length < 0) throw BadPlan("cannot read '" + file + "'");
  std::string all = text.str();
  all.resize(static_cast<std::size_t>(length));
  MPI_Bcast(all.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
  return all;
}

Communicators::~Communicators() {
  drop();
}

void Communicators::drop() {
  for (auto& [choice, comms] : known_) {
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  }
  known_.clear();
}

std::vector<MPI_Comm> Communicators::of(const Line& line, const std::vector<MPI_Comm>& parents) {
  const auto found = known_.find(line.choice());
  if (found != known_.end()) return found->second;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  const std::string prefix = "coll_basic_" + line.operation;
  if (line.components != "-") set(info, "coll", line.components);
  if (line.algorithm != "-") set(info, prefix + "_algorithm", line.algorithm);
  if (line.segment != 0) set(info, prefix + "_segment", std::to_string(line.segment));
  if (line.radix != 0) set(info, prefix + "_radix", std::to_string(line.radix));
  std::vector<MPI_Comm>& comms = known_[line.choice()];
  for (const MPI_Comm parent : parents) {
    comms.push_back(MPI_COMM_NULL);
    MPI_Comm_dup_with_info(parent, info, &comms.back());
  }
  MPI_Info_free(&info);
  return comms;
}

}  // namespace tessera::tuning
