// SPDX-License-Identifier: BSD-3-Clause
// Parameters of coll/basic as a map; what is not set is "auto", or 0.
#pragma once

#include <map>
#include <string>

#include "tessera/param.h"

namespace tessera::coll::test {

class FakeParams final : public Params {
 public:
  FakeParams() = default;
  FakeParams(std::string name, std::string value) {
    values_.emplace(std::move(name), std::move(value));
  }
  std::int64_t integer(std::string_view) const noexcept override { return 0; }
  std::uint64_t size(std::string_view name) const noexcept override {
    return chosen(name) ? std::stoull(values_.find(name)->second) : 0;
  }
  double real(std::string_view) const noexcept override { return 0; }
  bool boolean(std::string_view) const noexcept override { return false; }
  std::string_view text(std::string_view name) const noexcept override {
    const auto found = values_.find(name);
    return found != values_.end() ? std::string_view(found->second) : "auto";
  }
  bool chosen(std::string_view name) const noexcept override {
    return values_.find(name) != values_.end();
  }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace tessera::coll::test
