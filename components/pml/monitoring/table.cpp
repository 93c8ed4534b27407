// SPDX-License-Identifier: BSD-3-Clause
// The counters of the monitor and their table.
#include <new>
#include <string>

#include "traffic.h"

namespace tessera::pml::monitoring {

Result<Traffic> Traffic::make(const Job& job) noexcept {
  Traffic traffic(job.size(), job.my_id());
  const std::size_t bytes = sizeof(Pair) * traffic.size_ * traffic.size_;
  const bool one_machine = job.size() > 1 && job.local_size() == job.size();
  const Result<SharedRegion> region =
      one_machine ? job.shared("pml.monitoring", bytes) : Errc::unsupported;
  if (!region) {
    traffic.own_.reset(new (std::nothrow) Pair[traffic.size_]);
    traffic.mine_ = traffic.own_.get();
    if (traffic.mine_ == nullptr) return Status(Errc::no_memory);
    return traffic;
  }
  if (const Status room = region.value().commit(0, bytes); !room.ok()) return room;
  traffic.rows_ = reinterpret_cast<Pair*>(region.value().base());  // zero is its initial state
  traffic.mine_ = traffic.rows_ + std::size_t{traffic.me_} * traffic.size_;
  return traffic;
}

std::string table(const Traffic& traffic) {
  std::string text = "# from\tto\tmessages\tbytes\tcollective_messages\tcollective_bytes\n";
  for (std::uint32_t from = 0; from < traffic.size(); ++from) {
    for (std::uint32_t to = 0; traffic.has(from) && to < traffic.size(); ++to) {
      const Pair& pair = traffic.at(from, to);
      if (pair.messages() == 0) continue;
      for (const std::uint64_t number :
           {std::uint64_t{from}, std::uint64_t{to}, pair.program.messages, pair.program.bytes,
            pair.collective.messages})
        text += std::to_string(number) + "\t";
      text += std::to_string(pair.collective.bytes) + "\n";
    }
  }
  return text;
}

}  // namespace tessera::pml::monitoring
