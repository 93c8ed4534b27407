// SPDX-License-Identifier: BSD-3-Clause
// A component file under test: loaded, its manifest read, its parameters at their defaults or as
// the user set them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/component.h"

namespace tessera::contract {

// The parameters a manifest declares. Text only; numbers are read when they are asked for.
class ManifestParams final : public Params {
 public:
  void declare(std::string_view name, std::string_view type, std::string_view value);
  void set(const std::string& name,
           const std::string& value);  // throws std::runtime_error: no such parameter

  std::int64_t integer(std::string_view name) const noexcept override;
  std::uint64_t size(std::string_view name) const noexcept override;
  double real(std::string_view name) const noexcept override;
  bool boolean(std::string_view name) const noexcept override;
  std::string_view text(std::string_view name) const noexcept override;
  bool chosen(std::string_view name) const noexcept override;

 private:
  struct Entry {
    std::string type;
    std::string value;
    bool chosen = false;
  };
  const Entry& entry(std::string_view name, std::string_view type) const noexcept;
  std::map<std::string, Entry, std::less<>> entries_;
};

// Throws std::runtime_error with a text for the user when the file is no component of `framework`.
class Plugin {
 public:
  Plugin(const std::string& framework, const std::string& file);

  const std::string& name() const noexcept { return name_; }
  std::string_view fact(std::string_view key) const noexcept;
  ManifestParams& params() noexcept { return params_; }
  std::unique_ptr<Component> create() const;

 private:
  void read_manifest(const std::string& framework, std::string_view text);
  void read_line(const std::vector<std::string_view>& fields);

  using Create = Component* (*)() noexcept;
  std::string name_;
  std::map<std::string, std::string, std::less<>> facts_;
  ManifestParams params_;
  Create create_ = nullptr;
};

}  // namespace tessera::contract
