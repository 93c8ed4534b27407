// SPDX-License-Identifier: BSD-3-Clause
// Checksums and overlaps of buffers.
#include "check/pending.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "check/places.h"
#include "check/report.h"

namespace tessera::check {
namespace {

// Eight bytes at a time; two buffers that differ in a byte differ in it.
std::uint64_t checksum_of(const void* data, std::size_t bytes) noexcept {
  constexpr std::uint64_t kPrime = 0x9e37'79b9'7f4a'7c15;
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t sum = bytes;
  for (; bytes >= sizeof sum; at += sizeof sum, bytes -= sizeof sum) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    sum = ((sum ^ word) * kPrime) ^ (sum >> 29);
  }
  for (; bytes > 0; ++at, --bytes) sum = (sum ^ *at) * kPrime;
  return sum;
}

struct Shape {
  MPI_Count size = 0;
  MPI_Count lb = 0, extent = 0;
  MPI_Count true_lb = 0, true_extent = 0;
};

// False for what is no committed type: MPI itself will say so.
bool shape_of(MPI_Datatype type, Shape& shape) noexcept {
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_c(type, &size) != MPI_SUCCESS || size <= 0)
    return false;
  shape.size = size;
  return PMPI_Type_get_extent_c(type, &shape.lb, &shape.extent) == MPI_SUCCESS &&
         PMPI_Type_get_true_extent_c(type, &shape.true_lb, &shape.true_extent) == MPI_SUCCESS;
}

std::size_t received(const MPI_Status* status) noexcept {
  int cancelled = 0;
  MPI_Count bytes = 0;
  if (PMPI_Test_cancelled(status, &cancelled) != MPI_SUCCESS || cancelled != 0 ||
      PMPI_Get_elements_c(status, MPI_BYTE, &bytes) != MPI_SUCCESS)
    return 0;
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;  // it may be MPI_UNDEFINED
}

// The name that this library has is not meant: MPI_REQUEST_NULL, or a request of its own.
void free_of_mpi(MPI_Request request) noexcept {
  static const auto next = next_function<decltype(&MPI_Request_free)>("PMPI_Request_free");
  if (request != MPI_REQUEST_NULL) next(&request);
}

}  // namespace

void say_nothing_received(MPI_Status& status) noexcept {
  PMPI_Status_set_elements_c(&status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(&status, 0);
}

Region::Region(const Buffer& buffer)
    : address_(buffer.address), count_(buffer.count), role_(buffer.role) {
  Shape shape;
  if (count_ <= 0 || address_ == MPI_IN_PLACE || !shape_of(buffer.type, shape)) return;
  begin_ = reinterpret_cast<std::uintptr_t>(address_) + static_cast<std::uintptr_t>(shape.true_lb);
  bytes_ = static_cast<std::size_t>(count_) * static_cast<std::size_t>(shape.size);
  const bool contiguous =
      shape.size == shape.true_extent && (count_ == 1 || shape.size == shape.extent);
  if (!contiguous && PMPI_Type_dup(buffer.type, &type_) != MPI_SUCCESS) bytes_ = 0;
}

Region::Region(Region&& other) noexcept
    : address_(other.address_),
      count_(other.count_),
      type_(std::exchange(other.type_, MPI_DATATYPE_NULL)),
      role_(other.role_),
      begin_(other.begin_),
      bytes_(other.bytes_) {}

Region::~Region() {
  if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
}

std::uint64_t Region::checksum() const {
  if (bytes_ == 0) return 0;
  if (type_ == MPI_DATATYPE_NULL) return checksum_of(reinterpret_cast<const void*>(begin_), bytes_);
  std::vector<unsigned char> packed(bytes_);
  MPI_Count position = 0;
  if (PMPI_Pack_c(address_, count_, type_, packed.data(), static_cast<MPI_Count>(bytes_), &position,
                  MPI_COMM_SELF) != MPI_SUCCESS)
    return 0;
  return checksum_of(packed.data(), static_cast<std::size_t>(position));
}

bool Pending::compare_within(const Site& site, const std::vector<Region>& regions) {
  if (regions.size() < 2 || !regions[0].shares_with(regions[1])) return false;
  complain(site, fmt::format("{}: the send buffer and the receive buffer overlap; MPI must not be "
                             "given the same memory twice ({}_replace takes one buffer)",
                             text_of(site), site.function));
  return true;
}

// What is used twice is not guarded: MPI itself uses it.
bool Pending::compare(const Site& site, const std::vector<Region>& regions) {
  bool found = false;
  for (const auto& [request, other] : operations_) {
    if (!other->active) continue;
    for (const Region& mine : regions) {
      for (const Region& theirs : other->regions) {
        const bool received = mine.role() == Role::receive || theirs.role() == Role::receive;
        if (!received || !mine.shares_with(theirs)) continue;
        other->guard.open();
        if (std::exchange(found, true)) continue;
        complain(site, fmt::format("{}: its {} buffer overlaps the {} buffer of {}, which is still "
                                   "pending; complete that operation first, or use other memory",
                                   text_of(site), mine.role() == Role::send ? "send" : "receive",
                                   theirs.role() == Role::send ? "send" : "receive",
                                   text_of(other->site)));
      }
    }
  }
  return found;
}

void Pending::use(const Site& site, std::initializer_list<Buffer> buffers) {
  const std::vector<Region> regions(buffers.begin(), buffers.end());
  compare_within(site, regions);
  const std::lock_guard lock(mutex_);
  compare(site, regions);
}

void Pending::open_for(const std::vector<Region>& regions) {
  for (const auto& [request, other] : operations_)
    for (const Region& mine : regions)
      for (const Region& theirs : other->regions)
        if (mine.shares_with(theirs)) other->guard.open();
}

void Pending::prepare(std::initializer_list<Buffer> buffers) {
  if (!any_guard()) return;
  const std::vector<Region> regions(buffers.begin(), buffers.end());
  const std::lock_guard lock(mutex_);
  open_for(regions);
}

void Pending::prepare(std::uintptr_t request) {
  if (!any_guard()) return;
  const std::lock_guard lock(mutex_);
  if (const auto found = operations_.find(request); found != operations_.end())
    open_for(found->second->regions);
}

void Pending::activate(Operation& operation, bool memory_is_known) {
  const bool within = compare_within(operation.site, operation.regions);
  const bool shared = compare(operation.site, operation.regions) || within;
  operation.checksums.clear();
  for (const Region& region : operation.regions)
    operation.checksums.push_back(region.role() == Role::send ? region.checksum() : 0);
  operation.active = true;
  const Shadow& shadow = operation.shadow;
  if (shadow && !shared && (memory_is_known || shadow.over_private_memory()))
    operation.guard.close(shadow.first_page(), shadow.end_of_pages(), operation.site);
}

void Pending::start(std::uintptr_t request, const Site& site, bool persistent,
                    std::initializer_list<Buffer> buffers, Shadow shadow) {
  if (buffers.size() == 0) return;
  const auto operation = std::make_shared<Operation>(site, buffers, std::move(shadow));
  const std::lock_guard lock(mutex_);
  if (!persistent) activate(*operation, true);
  operations_.insert_or_assign(request, operation);
}

void Pending::start_again(std::uintptr_t request, const Site& site, bool failed) {
  const std::lock_guard lock(mutex_);
  const auto found = operations_.find(request);
  if (found == operations_.end() || found->second->active) return;
  Operation& operation = *found->second;
  operation.site = site;
  if (!failed) return activate(operation, false);
  operation.active = static_cast<bool>(operation.shadow);
}

void Pending::verify(const Operation& operation, const Site& site) {
  for (std::size_t i = 0; i < operation.regions.size(); ++i) {
    const Region& region = operation.regions[i];
    if (region.role() != Role::send || region.checksum() == operation.checksums[i]) continue;
    complain(operation.site,
             fmt::format("{}: its send buffer was changed before {} completed the operation; what "
                         "was sent is unknown. Change a send buffer after its completion only",
                         text_of(operation.site), text_of(site)));
  }
}

std::vector<Pending::Started> Pending::find(std::span<const MPI_Request> requests) {
  std::vector<Started> all(requests.size());
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto found = operations_.find(value_of(&requests[i]));
    if (found != operations_.end()) all[i] = found->second;
  }
  return all;
}

void Pending::complete(std::uintptr_t request, const Started& started, const Site& site, bool gone,
                       const MPI_Status* status) {
  if (started == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (std::exchange(started->active, false)) {
    verify(*started, site);
    started->guard.open();
    if (started->shadow) started->shadow.give(received(status));
  }
  if (!gone) return;
  const auto found = operations_.find(request);
  if (found != operations_.end() && found->second == started) operations_.erase(found);
}

bool Pending::forget(MPI_Request request) {
  const std::lock_guard lock(mutex_);
  const auto found = operations_.find(reinterpret_cast<std::uintptr_t>(request));
  if (found == operations_.end()) return false;
  const Started started = std::move(found->second);
  operations_.erase(found);
  if (!started->active || !started->shadow) return false;
  started->guard.open();
  kept_.emplace_back(request, started);
  keeps_.store(kept_.size());
  return true;
}

void Pending::look_at_kept() {
  static const auto test_of_mpi = next_function<decltype(&MPI_Test)>("PMPI_Test");
  if (keeps_.load(std::memory_order_relaxed) == 0) return;
  std::vector<Kept> mine;  // the functions of the program that MPI may call here find no lock taken
  {
    const std::lock_guard lock(mutex_);
    mine.swap(kept_);
  }
  std::erase_if(mine, [](Kept& one) {
    int flag = 0;
    MPI_Status status{};
    say_nothing_received(status);
    test_of_mpi(&one.first, &flag, &status);
    if (flag == 0 && one.first != MPI_REQUEST_NULL) return false;
    one.second->shadow.give(received(&status));
    free_of_mpi(one.first);
    return true;
  });
  const std::lock_guard lock(mutex_);
  kept_.insert(kept_.end(), mine.begin(), mine.end());
  keeps_.store(kept_.size());
}

void Pending::drop_kept() {
  look_at_kept();
  const std::lock_guard lock(mutex_);
  for (Kept& one : kept_) {
    free_of_mpi(one.first);
    new Started(one.second);  // MPI may receive into its shadow until the end
  }
  kept_.clear();
  keeps_.store(0);
}

}  // namespace tessera::check
