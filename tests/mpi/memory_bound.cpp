// SPDX-License-Identifier: BSD-3-Clause
// Memory of a rank in long mixed traffic: it grows to a bound and stays there.
// Usage: memory_bound [ROUNDS [MEGABYTES]]: the first tenth of the rounds warms up; after it the
// rank may grow by so much at most.
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "check.h"

namespace {

// The sanitizers keep what was freed, and memory of their own beside all other.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

int me, n;

// Kilobytes of private memory: heap and data; pages of shared rings are counted by their job.
long private_kilobytes() {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("RssAnon:", 0) == 0) return std::atol(line.c_str() + 8);
  }
  return 0;
}

// All ranks draw the same numbers, so that all know every message of a round.
struct Message {
  int from, to, tag;
  std::size_t bytes;
  bool synchronous;
};

std::vector<Message> draw(std::mt19937& random) {
  std::vector<Message> messages(1 + random() % 24);
  for (Message& message : messages) {
    message.from = static_cast<int>(random() % static_cast<unsigned>(n));
    message.to = static_cast<int>(random() % static_cast<unsigned>(n));
    message.tag = static_cast<int>(random() % 5);
    message.bytes = random() % (std::size_t{1} << (random() % 20));
    message.synchronous = random() % 8 == 0;
  }
  return messages;
}

// Receives are posted after the sends, in another order in every other round: much is unexpected.
void exchange(const std::vector<Message>& messages, bool late, std::vector<char>& data) {
  std::vector<MPI_Request> requests;
  std::vector<std::vector<char>> in;
  in.reserve(messages.size());
  const auto receive = [&] {
    for (const Message& message : messages) {
      if (message.to != me) continue;
      in.emplace_back(message.bytes + 1);
      MPI_Irecv(in.back().data(), static_cast<int>(message.bytes), MPI_CHAR, message.from,
                message.tag, MPI_COMM_WORLD, &requests.emplace_back());
    }
  };
  if (!late) receive();
  for (const Message& message : messages) {
    if (message.from != me) continue;
    (message.synchronous ? MPI_Issend : MPI_Isend)(data.data(), static_cast<int>(message.bytes),
                                                   MPI_CHAR, message.to, message.tag,
                                                   MPI_COMM_WORLD, &requests.emplace_back());
  }
  if (late) receive();
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void collectives(std::mt19937& random, std::vector<char>& a, std::vector<char>& b) {
  const int count = static_cast<int>(random() % 20'000);
  switch (random() % 5) {
    case 0:
      MPI_Bcast(a.data(), count, MPI_CHAR, static_cast<int>(random() % static_cast<unsigned>(n)),
                MPI_COMM_WORLD);
      break;
    case 1:
      MPI_Allreduce(a.data(), b.data(), count / 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      break;
    case 2:
      MPI_Alltoall(a.data(), count / n, MPI_CHAR, b.data(), count / n, MPI_CHAR, MPI_COMM_WORLD);
      break;
    case 3: {
      MPI_Comm copy;
      MPI_Comm_dup(MPI_COMM_WORLD, &copy);
      MPI_Barrier(copy);
      MPI_Comm_free(&copy);
      break;
    }
    default:
      MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3000;
  const long allowed = 1024 * (argc > 2 ? std::atol(argv[2]) : 4);
  std::mt19937 random(7);
  std::vector<char> a(1 << 20, 'a'), b(1 << 20);
  long before = 0;
  for (int round = 0; round < rounds; ++round) {
    exchange(draw(random), round % 2 == 1, a);
    collectives(random, a, b);
    if (round == rounds / 10) before = private_kilobytes();
    if (argc > 3 && round % (rounds / 20) == 0 && me == 0)
      std::printf("%d: %ld kB\n", round, private_kilobytes());
  }
  const long grown = private_kilobytes() - before;
  const bool bounded = kSanitized || grown <= allowed;
  if (!bounded) std::fprintf(stderr, "rank %d grew by %ld kB\n", me, grown);
  CHECK(bounded);
  return finish();
}
