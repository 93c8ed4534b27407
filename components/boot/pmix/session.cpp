// SPDX-License-Identifier: BSD-3-Clause
// Who am I, put, fence, get, over PMIx.
#include "session.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <new>
#include <thread>
#include <unordered_map>

#include "order.h"

namespace tessera::boot::pmix {
namespace {

constexpr std::uint8_t kGlobal = 3;  // PMIX_GLOBAL
constexpr int kGetSeconds = 60;      // for a value that must be there after the fence
constexpr std::chrono::seconds kAbortPatience(2);

Info info(const char* key) noexcept {
  Info made{};
  std::strncpy(made.key, key, sizeof made.key - 1);
  return made;
}

Info optional_only() noexcept {
  Info made = info("pmix.optional");
  made.value.type = type_bool;
  made.value.data.flag = true;
  return made;
}

Info within(int seconds) noexcept {
  Info made = info("pmix.timeout");
  made.value.type = type_int;
  made.value.data.integer = seconds;
  return made;
}

// Engines differ in the integer type of the same key.
std::optional<std::int64_t> as_number(const Value& value) noexcept {
  switch (value.type) {
    case type_size:
      return static_cast<std::int64_t>(value.data.size);
    case type_int:
      return value.data.integer;
    case type_int8:
      return value.data.int8;
    case type_int16:
      return value.data.int16;
    case type_int32:
      return value.data.int32;
    case type_int64:
      return value.data.int64;
    case type_uint:
      return value.data.uint;
    case type_uint8:
      return value.data.uint8;
    case type_uint16:
      return value.data.uint16;
    case type_uint32:
    case type_rank:
      return value.data.uint32;
    case type_uint64:
      return static_cast<std::int64_t>(value.data.uint64);
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<std::unique_ptr<Session>> PmixSession::open(const Library& library) noexcept {
  std::unique_ptr<PmixSession> session(new PmixSession(library));
  if (const int code = library.init(&session->me_, nullptr, 0); code != kSuccess)
    return session->failure("PMIx_Init", code);
  session->open_ = true;
  if (Status s = session->read_place(); !s) return s;
  if (Status s = session->read_nodes(); !s) return s;
  return std::unique_ptr<Session>(std::move(session));
}

Status PmixSession::failure(const char* call, int code) const {
  return Status::failure(Errc::system, "the PMIx server of this job does not serve: " +
                                           std::string(call) + ": " + library_.error_text(code));
}

Proc PmixSession::process(std::uint32_t rank) const noexcept {
  Proc one = me_;
  one.rank = rank;
  return one;
}

std::optional<std::int64_t> PmixSession::number(std::uint32_t rank,
                                                const char* key) const noexcept {
  const Proc who = process(rank);
  const Info local = optional_only();
  Value* value = nullptr;
  if (library_.get(&who, key, &local, 1, &value) != kSuccess || value == nullptr)
    return std::nullopt;
  const auto read = as_number(*value);
  std::free(value);
  return read;
}

// The pointer of a text may be null although the call succeeded.
std::optional<std::string> PmixSession::text(std::uint32_t rank, const char* key) const noexcept {
  const Proc who = process(rank);
  const Info local = optional_only();
  Value* value = nullptr;
  if (library_.get(&who, key, &local, 1, &value) != kSuccess || value == nullptr)
    return std::nullopt;
  std::optional<std::string> read;
  if (value->type == type_string && value->data.string != nullptr) {
    read = value->data.string;
    std::free(value->data.string);
  }
  std::free(value);
  return read;
}

// Two users' jobs may have the same bare number for a namespace: the server's address tells them
// apart.
Status PmixSession::read_place() noexcept {
  const auto size = number(kEverybody, "pmix.job.size");
  if (!size || *size <= 0 || me_.rank >= *size)
    return Status::failure(Errc::refused, "the PMIx server of this job tells no size of the job");
  place_.rank = me_.rank;
  place_.size = static_cast<std::uint32_t>(*size);
  const char* const server = getenv("PMIX_SERVER_URI2");
  place_.name = me_.space;
  place_.job = place_.name + "/" +
               text(kEverybody, "pmix.srvr.uri").value_or(server != nullptr ? server : "");
  place_.engine = std::string("a PMIx server, ") + library_.version();
  return {};
}

Status PmixSession::read_nodes() noexcept {
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (std::uint32_t rank = 0; rank < place_.size; ++rank) {
    auto host = text(rank, "pmix.hname");
    if (!host && place_.size == 1) host.emplace("");
    if (!host)
      return Status::failure(Errc::refused, "the PMIx server of this job tells no host of rank " +
                                                std::to_string(rank));
    const auto next = static_cast<std::uint32_t>(numbers.size());
    place_.nodes.push_back(numbers.try_emplace(*host, next).first->second);
  }
  return {};
}

std::uint32_t PmixSession::app_number() noexcept {
  const std::int64_t number = open_ ? this->number(me_.rank, "pmix.appnum").value_or(0) : 0;
  return number > 0 ? static_cast<std::uint32_t>(number) : 0;
}

std::optional<std::uint32_t> PmixSession::universe() noexcept {
  const std::int64_t size = open_ ? number(kEverybody, "pmix.univ.size").value_or(-1) : -1;
  if (size <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(size);
}

Status PmixSession::put(std::string_view key, std::span<const std::byte> value) noexcept {
  Value made{};
  made.type = type_bytes;
  made.data.bytes = {reinterpret_cast<char*>(const_cast<std::byte*>(value.data())), value.size()};
  const std::string name = "tessera." + std::string(key);
  if (const int code = library_.put(kGlobal, name.c_str(), &made); code != kSuccess)
    return failure("PMIx_Put", code);
  const int code = library_.commit();
  return code == kSuccess ? Status() : failure("PMIx_Commit", code);
}

// Data are not collected: each is fetched from its owner's server when it is first asked for.
Status PmixSession::fence() noexcept {
  const Proc all = process(kEverybody);
  const int code = library_.fence(&all, 1, nullptr, 0);
  return code == kSuccess ? Status() : failure("PMIx_Fence", code);
}

Result<std::vector<std::byte>> PmixSession::get(std::uint32_t rank, std::string_view key) noexcept {
  const Proc who = process(rank);
  const Info limit = within(kGetSeconds);
  const std::string name = "tessera." + std::string(key);
  Value* value = nullptr;
  if (const int code = library_.get(&who, name.c_str(), &limit, 1, &value); code != kSuccess)
    return failure("PMIx_Get", code);
  if (value == nullptr || value->type != type_bytes)
    return Status::failure(Errc::not_found,
                           "rank " + std::to_string(rank) + " has put no '" + name + "'");
  const auto* const from = reinterpret_cast<const std::byte*>(value->data.bytes.data);
  std::vector<std::byte> bytes(from, from + value->data.bytes.size);
  std::free(value->data.bytes.data);
  std::free(value);
  return bytes;
}

// Slots are no limit of ours: engines that count them are told so.
Status PmixSession::spawn(std::span<const Program> programs) noexcept try {
  const Order order(programs);
  std::string mapping = ":OVERSUBSCRIBE";
  const Info mapping_info = text_info("pmix.mapby", mapping);
  char space[sizeof me_.space] = {};
  const int code =
      library_.spawn(&mapping_info, 1, order.apps().data(), order.apps().size(), space);
  if (code == kSuccess) return {};
  if (code == kNotSupported) return Errc::unsupported;
  return Status::failure(Errc::refused, "the PMIx server of this job has not started '" +
                                            programs[0].path + "': " + library_.error_text(code));
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

// PMIx_Abort waits for the engine without limit, also where this node is cut off from it. The
// caller ends after this, which the server of the node notices by itself.
void PmixSession::abort(int code, std::string_view why) noexcept try {
  if (!open_) return;
  std::promise<void> answer;
  const std::future<void> answered = answer.get_future();
  std::thread([call = library_.abort, code, text = std::string(why),
               answer = std::move(answer)]() mutable {
    (void)call(code, text.c_str(), nullptr, 0);
    answer.set_value();
  }).detach();
  (void)answered.wait_for(kAbortPatience);
} catch (const std::exception&) {  // no memory or no thread
}

Status PmixSession::finalize() noexcept {
  if (!std::exchange(open_, false)) return {};
  const int code = library_.finalize(nullptr, 0);
  return code == kSuccess ? Status() : failure("PMIx_Finalize", code);
}

}  // namespace tessera::boot::pmix
