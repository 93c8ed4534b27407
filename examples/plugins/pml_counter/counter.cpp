// SPDX-License-Identifier: BSD-3-Clause
// pml/counter: stands in front of the messaging layer and counts what this process sends to each
// peer.
//
// Counted are send and isend, also those of collective operations, which are told apart by their
// context. The starts of persistent sends are not seen from here.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tessera/pml.h"

namespace {

using namespace tessera;

struct Tally {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t collective = 0;  // of the messages
};

class CounterModule final : public pml::Interposer {
 public:
  CounterModule(pml::Module& below, std::uint32_t peers) : Interposer(below), counts_(peers) {}

  Status send(const pml::SendArgs& args) noexcept override {
    count(args);
    return below().send(args);
  }
  Result<Request*> isend(const pml::SendArgs& args) noexcept override {
    count(args);
    return below().isend(args);
  }
  const std::vector<Tally>& counts() const noexcept { return counts_; }

 private:
  void count(const pml::SendArgs& args) noexcept {
    Tally& to = counts_[args.peer->id];
    ++to.messages;
    to.bytes += static_cast<std::uint64_t>(args.count * args.type->size());
    to.collective +=
        args.context & 1;  // context ids are even, their collectives use the next odd one
  }
  std::vector<Tally> counts_;
};

class CounterComponent final : public pml::Component {
 public:
  Result<pml::Module*> open(const Host&) noexcept override {
    return Status::failure(Errc::unsupported,
                           "counts what another component sends, but sends nothing itself");
  }
  Result<pml::Module*> wrap(const Host& host, pml::Module& below) noexcept override try {
    me_ = host.job.my_id();
    if (!host.params.text("file").empty())
      file_ = std::string(host.params.text("file")) + "." + std::to_string(me_);
    module_ = std::make_unique<CounterModule>(below, host.job.size());
    return module_.get();
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }
  void close() noexcept override {
    if (module_ != nullptr) report();
    module_.reset();
  }

 private:
  void report() const noexcept {
    std::FILE* out = file_.empty() ? stderr : std::fopen(file_.c_str(), "w");
    if (out == nullptr) return;
    std::uint32_t peer = 0;
    for (const Tally& to : module_->counts()) {
      if (to.messages > 0) {
        std::fprintf(out,
                     "pml/counter: rank %u to %u: %llu messages (%llu collective), %llu bytes\n",
                     me_, peer, static_cast<unsigned long long>(to.messages),
                     static_cast<unsigned long long>(to.collective),
                     static_cast<unsigned long long>(to.bytes));
      }
      ++peer;
    }
    if (out != stderr) std::fclose(out);
  }
  std::unique_ptr<CounterModule> module_;
  std::string file_;
  std::uint32_t me_ = 0;
};

}  // namespace

TESSERA_COMPONENT(pml, counter, "1.0.0", 50, CounterComponent,
                  "Counts the messages sent to each peer",
                  TESSERA_FACT("interposes", "enable")
                      TESSERA_PARAM("enable", boolean, "false", "", "", 2,
                                    "Count messages and report at the end.")
                          TESSERA_PARAM("file", text, "", "", "", 3,
                                        "Where to: <file>.<rank>; empty for standard error."))
