// SPDX-License-Identifier: BSD-3-Clause
// A folder of chosen test components and a microkernel on it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "demo.h"
#include "framework/framework.h"
#include "framework/microkernel.h"

namespace plugin_tests {

namespace fs = std::filesystem;

inline constexpr std::array<tessera::FrameworkInfo, 1> frameworks = {
    {{"demo", TESSERA_INTERFACE_demo, "for tests", tessera::Shape::ranked, {}}}};

using Demo = tessera::Framework<demo::Component>;
using Names = std::vector<std::string>;

inline Names names(const std::vector<tessera::Member*>& members) {
  Names list;
  for (const tessera::Member* member : members) list.push_back(member->name());
  return list;
}

using CommandLine = std::vector<std::pair<std::string, std::string>>;

class PluginTest : public testing::Test {
 protected:
  PluginTest() {
    std::string pattern = (fs::temp_directory_path() / "tessera-plugins-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~PluginTest() override { fs::remove_all(folder_); }

  fs::path folder(const std::string& name = {}) {
    const fs::path path = name.empty() ? folder_ : folder_ / name;
    fs::create_directories(path);
    return path;
  }

  static std::string file_name(const std::string& component) {
    return "tessera_demo_" + component + ".so";
  }
  static fs::path made(const std::string& file) { return fs::path(TESSERA_TEST_PLUGIN_DIR) / file; }

  // Puts a built component into the folder, by its file name or its component's name.
  void install(const std::string& name, const std::string& subfolder = {}) {
    const std::string file = name.ends_with(".so") ? name : file_name(name);
    fs::copy_file(made(file), folder(subfolder) / file);
  }
  void write(const std::string& file, const std::string& content) {
    std::ofstream(folder() / file, std::ios::binary) << content;
  }
  static std::string read(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  tessera::Result<std::unique_ptr<tessera::Microkernel>> try_kernel(CommandLine line = {}) {
    tessera::MicrokernelOptions options;
    options.frameworks = frameworks;
    options.command_line = std::move(line);
    bool path_given = false;
    for (const auto& [name, value] : options.command_line)
      path_given = path_given || name == "mca_component_path";
    if (!path_given) options.command_line.emplace_back("mca_component_path", folder().string());
    return tessera::Microkernel::from_system(options);
  }
  std::unique_ptr<tessera::Microkernel> kernel(CommandLine line = {}) {
    auto made_kernel = try_kernel(std::move(line));
    if (made_kernel) return std::move(made_kernel).value();
    ADD_FAILURE() << made_kernel.status().text();
    return nullptr;
  }
  std::string failure(CommandLine line) {
    auto made_kernel = try_kernel(std::move(line));
    EXPECT_FALSE(made_kernel.ok());
    return made_kernel ? "" : made_kernel.status().text();
  }

 private:
  fs::path folder_;
};

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' does not contain '" << part << "'";
}

}  // namespace plugin_tests
