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

}  // namespace

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

void Pending::compare_within(const Site& site, const std::vector<Region>& regions) {
  if (regions.size() < 2 || !regions[0].shares_with(regions[1])) return;
  complain(site, fmt::format("{}: the send buffer and the receive buffer overlap; MPI must not be "
                             "given the same memory twice ({}_replace takes one buffer)",
                             text_of(site), site.function));
}

void Pending::compare(const Site& site, const std::vector<Region>& regions) {
  for (const auto& [request, other] : operations_) {
    if (!other.active) continue;
    for (const Region& mine : regions) {
      for (const Region& theirs : other.regions) {
        const bool received = mine.role() == Role::receive || theirs.role() == Role::receive;
        if (!received || !mine.shares_with(theirs)) continue;
        complain(site, fmt::format("{}: its {} buffer overlaps the {} buffer of {}, which is still "
                                   "pending; complete that operation first, or use other memory",
                                   text_of(site), mine.role() == Role::send ? "send" : "receive",
                                   theirs.role() == Role::send ? "send" : "receive",
                                   text_of(other.site)));
        return;
      }
    }
  }
}

void Pending::use(const Site& site, std::initializer_list<Buffer> buffers) {
  const std::vector<Region> regions(buffers.begin(), buffers.end());
  compare_within(site, regions);
  const std::lock_guard lock(mutex_);
  compare(site, regions);
}

void Pending::activate(Operation& operation) {
  compare_within(operation.site, operation.regions);
  compare(operation.site, operation.regions);
  operation.checksums.clear();
  for (const Region& region : operation.regions)
    operation.checksums.push_back(region.role() == Role::send ? region.checksum() : 0);
  operation.active = true;
}

void Pending::start(std::uintptr_t request, const Site& site, bool persistent,
                    std::initializer_list<Buffer> buffers) {
  if (buffers.size() == 0) return;
  Operation operation{site, std::vector<Region>(buffers.begin(), buffers.end()), {}, false};
  const std::lock_guard lock(mutex_);
  if (!persistent) activate(operation);
  operations_.insert_or_assign(request, std::move(operation));
}

void Pending::start_again(std::uintptr_t request, const Site& site) {
  const std::lock_guard lock(mutex_);
  const auto found = operations_.find(request);
  if (found == operations_.end() || found->second.active) return;
  found->second.site = site;
  activate(found->second);
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

void Pending::complete(std::uintptr_t request, const Site& site, bool gone) {
  const std::lock_guard lock(mutex_);
  const auto found = operations_.find(request);
  if (found == operations_.end()) return;
  if (found->second.active) verify(found->second, site);
  found->second.active = false;
  if (gone) operations_.erase(found);
}

void Pending::forget(std::uintptr_t request) {
  const std::lock_guard lock(mutex_);
  operations_.erase(request);
}

}  // namespace tessera::check
