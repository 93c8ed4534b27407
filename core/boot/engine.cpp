// SPDX-License-Identifier: BSD-3-Clause
// Joining a job of an existing engine.
#include "core/boot/engine.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <numeric>

#include "core/boot/snapshot.h"
#include "core/dynamic/engine_programs.h"
#include "core/job/layout.h"

namespace tessera {
namespace {

constexpr int kStatusOfTheDead = 1;

std::uint64_t job_id_of(std::string_view text) noexcept {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value | 1;
}

// boot_share: files of parameters are read later, so the environment alone can say it.
Result<bool> shares() {
  const char* const text = getenv("TESSERA_MCA_boot_share");
  const std::string_view value = text != nullptr ? text : "yes";
  if (value == "yes" || value == "no") return value == "yes";
  return Status::failure(Errc::argument,
                         "TESSERA_MCA_boot_share=" + std::string(value) + ": write yes or no");
}

Result<std::int64_t> patience_ms() {
  const char* const text = getenv("TESSERA_MCA_boot_patience");
  if (text == nullptr) return std::int64_t{300'000};
  const std::string_view value(text);
  std::int64_t seconds = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error == std::errc() && stop == value.data() + value.size() && seconds > 0 &&
      seconds <= 86'400)
    return seconds * 1000;
  return Status::failure(Errc::argument, "TESSERA_MCA_boot_patience=" + std::string(value) +
                                             ": write seconds from 1 to 86400");
}

// The node of each rank, and this process's part in its own.
struct NodePlan {
  std::vector<std::uint32_t> nodes;
  std::uint32_t count = 0;  // of nodes
  NodePosition position;
};

Result<NodePlan> plan_for(const boot::Place& place) {
  auto share = shares();
  if (!share.ok()) return share.status();
  auto patience = patience_ms();
  if (!patience.ok()) return patience.status();
  NodePlan plan;
  plan.nodes = place.nodes;
  if (!*share) std::iota(plan.nodes.begin(), plan.nodes.end(), 0u);
  const std::uint32_t mine = plan.nodes[place.rank];
  for (std::uint32_t id = 0; id < place.size; ++id) {
    plan.count = std::max(plan.count, plan.nodes[id] + 1);
    if (id == place.rank)
      plan.position.local = static_cast<std::uint32_t>(plan.position.ids.size());
    if (plan.nodes[id] == mine) plan.position.ids.push_back(id);
  }
  plan.position.key = place.job + "/" + std::to_string(mine);
  plan.position.layout = kJobLayout;
  plan.position.patience_ms = *patience;
  return plan;
}

Status check(const boot::Place& place) {
  if (place.rank < place.size && place.nodes.size() == place.size) return {};
  return Status::failure(Errc::internal, "the boot component told rank " +
                                             std::to_string(place.rank) + " of " +
                                             std::to_string(place.size) + " with the nodes of " +
                                             std::to_string(place.nodes.size()) + " ranks");
}

Result<std::shared_ptr<JobSegment>> make_segment(const boot::Place& place, const NodePlan& plan) {
  auto snapshot = take_snapshot(place.size, place.rank == 0);
  if (!snapshot.ok()) return snapshot.status();
  JobSegment::Options options;
  options.snapshot = *snapshot;
  options.job_id = job_id_of(place.name.empty() ? place.job : place.name);
  options.launched = false;
  options.place = {place.size, plan.position.ids, plan.nodes[place.rank], plan.count};
  return JobSegment::create(static_cast<std::uint32_t>(plan.position.ids.size()), options);
}

Result<std::shared_ptr<JobSegment>> share_segment(const boot::Place& place, const NodePlan& plan,
                                                  NodeMeeting& meeting) {
  if (Status s = meeting.call(); !s) return s;
  if (!meeting.is_maker()) {
    auto memory = meeting.join();
    if (!memory.ok()) return memory.status();
    auto segment = JobSegment::attach(*memory);
    close(*memory);
    return segment;
  }
  auto segment = make_segment(place, plan);
  if (!segment.ok()) return segment;
  if (Status s = meeting.admit_all((*segment)->descriptor()); !s) return s;
  return segment;
}

// Until somebody has read what is in the pipe `stream`, if it is one; at most 0.2 s.
void wait_until_read(int stream) noexcept {
  constexpr timespec kPause{0, 1'000'000};
  constexpr int kPauses = 200;
  struct stat facts {};
  if (fstat(stream, &facts) != 0 || !S_ISFIFO(facts.st_mode)) return;
  int unread = 0;
  for (int i = 0; i < kPauses && ioctl(stream, FIONREAD, &unread) == 0 && unread > 0; ++i)
    nanosleep(&kPause, nullptr);
}

}  // namespace

Result<std::unique_ptr<EngineBoot>> EngineBoot::make(EngineSession engine) noexcept {
  const boot::Place& place = engine.session->place();
  if (Status s = check(place); !s) return s;
  auto plan = plan_for(place);
  if (!plan.ok()) return plan.status();
  std::unique_ptr<NodeMeeting> meeting;
  if (plan->position.ids.size() > 1) meeting = std::make_unique<NodeMeeting>(plan->position);
  auto segment = meeting ? share_segment(place, *plan, *meeting) : make_segment(place, *plan);
  if (!segment.ok()) return segment.status();
  const JobView view(std::move(*segment), plan->position.local);
  auto job = SegmentJob::join(view);
  if (!job.ok()) return job.status();
  return std::unique_ptr<EngineBoot>(new EngineBoot(std::move(engine), std::move(meeting), view,
                                                    std::move(*job), std::move(plan->nodes)));
}

std::string EngineBoot::story() const {
  const auto many = [](std::uint32_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  const JobSegment& segment = view().segment();
  return "started by " + engine_.session->place().engine + ", recognized by " + engine_.marker +
         ": " + many(segment.job_size(), "rank") + " on " + many(segment.nodes(), "host");
}

Status EngineBoot::spawn(const SpawnOrder& order) noexcept {
  auto programs = engine_programs(order);
  if (!programs.ok()) return programs.status();
  return engine_.session->spawn(*programs);
}

void EngineBoot::use(AdaptiveProgress& progress) noexcept {
  SegmentBoot::use(progress);
  cards().use(&node_cards_);
  if (!meeting_) return;
  progress.add(*this);
  progress.limit_naps(Pace::kPeriod_us);
}

Status EngineBoot::publishing_done() noexcept {
  if (Status s = SegmentBoot::publishing_done(); !s || !several_nodes()) return s;
  const bool speaker = view().rank() == 0;
  if (speaker) {
    cards().await_node();
    if (Status s = node_cards_.give(); !s) return s;
  }
  if (Status s = engine_.session->fence(); !s) return s;
  return speaker && view().segment().nodes() <= NodeCards::kFewNodes ? node_cards_.fetch_all()
                                                                     : Status();
}

int EngineBoot::poll() noexcept {
  if (pace_.due()) look_at_links();
  return 0;
}

// A process that has finalized may end; it closes its links then.
void EngineBoot::look_at_links() noexcept {
  if (left_) return;
  for (const std::uint32_t id : meeting_->ended()) {
    RankPage& page = view().segment().page(*view().segment().local_of(id));
    if (page.state.load(std::memory_order_acquire) == RankState::finalized) continue;
    page.state.store(RankState::ended, std::memory_order_release);
    std::fflush(nullptr);
    char node[64] = "";
    (void)gethostname(node, sizeof node - 1);
    std::fprintf(stderr, "tessera: rank %u (pid %d on %s) has died without MPI_Finalize\n", id,
                 page.pid.load(std::memory_order_relaxed), node);
    abort(kStatusOfTheDead);
    _exit(kStatusOfTheDead);
  }
}

// Why a rank ends would be lost with it: engines end all ranks at once when they are told to.
void EngineBoot::abort(std::int32_t code) noexcept {
  SegmentBoot::abort(code);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) wait_until_read(stream);
  engine_.session->abort(code, "MPI_Abort");
}

// Some engines take a process that ends for the end of its node's part in the store: so nobody ends
// while another one may need it.
Status EngineBoot::leave(bool met) noexcept {
  if (std::exchange(left_, true)) return {};
  const Status waited = several_nodes() && !met ? engine_.session->fence() : Status();
  const Status ended = engine_.session->finalize();
  return waited ? ended : waited;
}

}  // namespace tessera
