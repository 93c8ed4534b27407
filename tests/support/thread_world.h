// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads: a job of several Instances in one process, for unit tests under the sanitizers.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/instance.h"

namespace tessera::test {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Runs `body` as each rank of a job of `ranks` processes, with these parameters, and finishes the
// job. A rank that cannot start is a test failure. The components are those of the build tree.
inline void run_ranks(std::uint32_t ranks, const std::function<void(Instance&)>& body,
                      const Settings& settings = {}) {
  auto segment = JobSegment::create(ranks);
  ASSERT_TRUE(segment.ok()) << segment.status().text();
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Instance::Options options;
      options.view = JobView(segment.value(), rank);
      options.params = settings;
      auto instance = Instance::make(options);
      ASSERT_TRUE(instance.ok()) << "rank " << rank << ": " << instance.status().text();
      body(*instance.value());
      const Status finished = instance.value()->finish();
      EXPECT_TRUE(finished.ok()) << finished.text();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tessera::test
