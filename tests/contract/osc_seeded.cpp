// SPDX-License-Identifier: BSD-3-Clause
// osc/seeded: in front of a component that keeps the contract, with one mistake, chosen by the
// parameter `bug`; the contract suite must find each of them and accept it without any.
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/osc.h"

namespace {

using namespace tessera;
using namespace tessera::osc;

class Seeded final : public Interposer {
 public:
  Seeded(std::unique_ptr<Module> below, std::string_view bug) noexcept
      : Interposer(std::move(below)), bug_(bug) {}

  Status put(const Local& from, const Remote& to, Ticket* ticket) noexcept override {
    if (bug_ == "short" && from.type->contiguous() && from.count > 1000)
      return below().put({from.buffer, from.count - 1, from.type},
                         {to.rank, to.displacement, to.count - 1, to.type}, ticket);
    if (bug_ == "late") return kept_.push_back(kept(from, to)), Status();
    if (bug_ == "twice" && ticket != nullptr) ticket->hold(), ticket->done({}), ticket->done({});
    if (bug_ == "beside" && to.count == 5000)
      static_cast<void>(below().put(from, moved(to), ticket));
    return below().put(from, to, ticket);
  }
  Status accumulate(const Local& from, const Remote& to, const Combination& how,
                    Ticket* ticket) noexcept override {
    if (bug_ != "unordered") return below().accumulate(from, to, how, ticket);
    if (how.kind == Combination::Kind::replace)
      return sums_.push_back({kept(from, to), how}), Status();
    return below().accumulate(from, to, how, ticket);
  }
  Status fetch(const void* from, void* result, int rank, Aint displacement,
               const Combination& how) noexcept override {
    if (bug_ != "torn") return below().fetch(from, result, rank, displacement, how);
    if (Status s = below().fetch(from, result, rank, displacement, how); !s) return s;
    if (Status s = below().flush(rank); !s) return s;
    *static_cast<std::int64_t*>(result) += 1;  // the value after the operation
    return {};
  }
  Status lock(Lock kind, int rank, int assertions) noexcept override {
    return below().lock(bug_ == "unlocked" ? Lock::shared : kind, rank, assertions);
  }
  Status unlock(int rank) noexcept override { return hand_over(), below().unlock(rank); }
  Status unlock_all() noexcept override { return hand_over(), below().unlock_all(); }
  Status fence(int assertions) noexcept override { return hand_over(), below().fence(assertions); }
  Status complete(std::span<const int> targets) noexcept override {
    return hand_over(), below().complete(targets);
  }

 private:
  // With data of its own: the caller's may be gone when the operation is handed over.
  struct Kept {
    std::vector<std::byte> data;
    Local from;
    Remote to;
  };
  struct Sum {
    Kept kept;
    Combination how;
  };
  static Remote moved(const Remote& to) noexcept {
    return {to.rank, to.displacement + 1, to.count, to.type};
  }
  static Kept kept(const Local& from, const Remote& to) {
    const auto* first = static_cast<const std::byte*>(from.buffer);
    Kept it{{first, first + from.count * from.type->size()}, from, to};
    it.from.buffer = it.data.data();
    return it;
  }
  void hand_over() noexcept {
    for (const Kept& each : kept_) static_cast<void>(below().put(each.from, each.to, nullptr));
    for (const Sum& each : sums_)
      static_cast<void>(below().accumulate(each.kept.from, each.kept.to, each.how, nullptr));
    handed_over_ = std::exchange(kept_, {});
    added_ = std::exchange(sums_, {});
  }

  std::string_view bug_;
  std::vector<Kept> kept_, handed_over_;  // which is done when the call that follows returns
  std::vector<Sum> sums_, added_;
};

class SeededComponent final : public osc::Component {
 public:
  Status open(const Host& host, pml::Router&) noexcept override {
    bug_ = host.params.text("bug");
    return {};
  }
  Status judge(const Question&) noexcept override { return Errc::unsupported; }
  Result<std::unique_ptr<Module>> make(Window&) noexcept override { return Errc::unsupported; }
  Result<std::unique_ptr<Module>> wrap(Window&, std::unique_ptr<Module>& below) noexcept override {
    return std::unique_ptr<Module>(new Seeded(std::move(below), bug_));
  }

 private:
  std::string_view bug_;
};

}  // namespace

TESSERA_COMPONENT(osc, seeded, "1.0.0", 90, SeededComponent, "Windows with a chosen mistake",
                  TESSERA_FACT("interposes", "always")
                      TESSERA_PARAM("bug", text, "none", "", "", 9, "The mistake."))
