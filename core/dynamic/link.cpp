// SPDX-License-Identifier: BSD-3-Clause
// The handshake of two groups, step by step.
#include "core/dynamic/link.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "core/dynamic/card_book.h"
#include "core/dynamic/connections.h"
#include "core/dynamic/gathering.h"
#include "core/dynamic/port_name.h"
#include "core/dynamic/roster.h"
#include "core/engine/instance.h"
#include "core/job/layout.h"

namespace tessera {
namespace {

constexpr std::uint64_t kPreface = 0x3146455250535354 + (std::uint64_t{kJobLayout} << 56);

std::span<const std::byte> bytes_of(const Preface& preface) noexcept {
  return std::as_bytes(std::span(&preface, 1));
}

bool spans_hosts(const Comm& comm) noexcept {
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (comm.local_peer(rank).locality == Locality::remote) return true;
  }
  return false;
}

// What the group is told before it opens anything.
struct Plan {
  Preface mine;
  Preface theirs;
  bool network() const noexcept {
    const bool near = mine.host == theirs.host && mine.memory != 0 && theirs.memory != 0;
    return !near || mine.spans != 0 || theirs.spans != 0;
  }
};

class Meeting {
 public:
  Meeting(Comm& comm, int root, Side side, RootsMeeting& roots, const Deadline& deadline) noexcept
      : comm_(comm),
        instance_(comm.instance()),
        group_(comm, root),
        side_(side),
        roots_(roots),
        deadline_(deadline) {}

  Result<Comm*> run();

 private:
  Status tell_plan();
  Status make_roster();
  Result<Row> own_row();
  Status make_memory();
  Status exchange_rosters();
  Status exchange_verdicts(const Status& mine);
  Status admit_all();
  Status admit(std::uint32_t number, const Row& row);
  Result<Sharing> share(std::uint32_t number, const Row& row);
  Result<std::shared_ptr<JobSegment>> segment_of(const Row& row);
  Status open_memory();
  Status connect_all();
  void avoid_collisions();
  void take_back();
  Result<Comm*> conclude();

  Comm& comm_;
  Instance& instance_;
  Gathering group_;
  Side side_;
  RootsMeeting& roots_;
  const Deadline& deadline_;
  Plan plan_{};
  Roster ours_;
  Roster theirs_;
  std::shared_ptr<LinkMemory> memory_;
  std::map<std::uint64_t, std::shared_ptr<JobSegment>> segments_;
  std::vector<Peer*> members_;   // of the other group
  std::vector<Peer*> admitted_;  // of these, those that were unknown before
};

Result<Comm*> Meeting::run() {
  if (Status s = group_.agree(roots_.failure); !s) return s;
  if (Status s = tell_plan(); !s) return s;
  if (Status s = make_roster(); !s) return s;
  if (Status s = exchange_rosters(); !s) return s;
  if (Status s = exchange_verdicts(group_.all_well(admit_all())); !s) {
    take_back();
    return s;
  }
  avoid_collisions();
  return conclude();
}

Status Meeting::tell_plan() {
  plan_ = {roots_.mine, roots_.theirs};
  std::vector<std::byte> bytes(sizeof plan_);
  std::memcpy(bytes.data(), &plan_, sizeof plan_);
  if (Status s = group_.spread(bytes); !s) return s;
  std::memcpy(&plan_, bytes.data(), sizeof plan_);
  return {};
}

Result<Row> Meeting::own_row() {
  instance_.open_transports(plan_.network());
  Row row;
  row.name = instance_.me().name;
  row.host = this_network_stack();
  row.pid = getpid();
  auto stand = instance_.job().stand();
  if (!stand.ok()) return stand.status();
  instance_.progress().replace_doorbell(*instance_.me().bell);
  row.descriptor = stand->descriptor;
  row.page = stand->page;
  row.memory = instance_.router().in_memory();
  if (plan_.network()) row.cards = instance_.cards().own();
  return row;
}

Status Meeting::make_roster() {
  auto row = own_row();
  Packer packer;
  if (row.ok()) row->write(packer);
  auto all = group_.collect(packer.take());
  if (!all.ok()) return all.status();
  for (const auto& bytes : *all) {
    if (bytes.empty() && !row.ok()) return row.status();
    if (bytes.empty()) return Status::failure(Errc::no_memory, "a process could not take part");
    Unpacker unpacker(bytes);
    ours_.rows.push_back(Row::read(unpacker));
  }
  return {};
}

Status Meeting::make_memory() {
  auto made = LinkMemory::make(std::uint64_t{plan_.mine.size} * plan_.theirs.size);
  if (!made.ok()) return made.status();
  memory_ = std::move(*made);
  ours_.memory_pid = getpid();
  ours_.memory_descriptor = memory_->descriptor();
  ours_.memory_id = memory_->id();
  return {};
}

Status Meeting::exchange_rosters() {
  std::vector<std::byte> bytes;
  Status exchanged;
  if (group_.is_root()) {
    if (side_ == Side::accepts && plan_.mine.host == plan_.theirs.host) exchanged = make_memory();
    if (exchanged.ok()) exchanged = roots_.line->send(ours_.pack(), deadline_);
    if (exchanged.ok()) {
      auto received = roots_.line->receive(deadline_);
      exchanged = received.status();
      if (received.ok()) bytes = std::move(*received);
    }
  }
  if (Status s = group_.agree(exchanged); !s) return s;
  if (Status s = group_.spread(bytes); !s) return s;
  auto roster = Roster::unpack(bytes);
  if (!roster.ok()) return roster.status();
  theirs_ = std::move(*roster);
  if (side_ == Side::accepts) {  // the members have not got what their root made
    Packer packer;
    packer.number(static_cast<std::uint32_t>(ours_.memory_pid));
    packer.number(static_cast<std::uint32_t>(ours_.memory_descriptor));
    packer.number(ours_.memory_id);
    std::vector<std::byte> place = packer.take();
    if (Status s = group_.spread(place); !s) return s;
    Unpacker unpacker(place);
    ours_.memory_pid = static_cast<std::int32_t>(unpacker.number());
    ours_.memory_descriptor = static_cast<std::int32_t>(unpacker.number());
    ours_.memory_id = unpacker.number();
  }
  return {};
}

// Each side's word to the other; a group hears of both.
Status Meeting::exchange_verdicts(const Status& mine) {
  Status verdict = mine;
  if (group_.is_root()) {
    Packer packer;
    packer.number(static_cast<std::uint64_t>(mine.code()));
    packer.text(mine.ok() ? "" : mine.text());
    Status talked = roots_.line->send(packer.take(), deadline_);
    if (talked.ok()) {
      auto received = roots_.line->receive(deadline_);
      talked = received.status();
      if (received.ok()) {
        Unpacker unpacker(*received);
        const auto code = static_cast<Errc>(unpacker.number());
        if (code != Errc::ok)
          talked = Status::failure(code, "the other side: " + std::string(unpacker.text()));
      }
    }
    if (verdict.ok()) verdict = talked;
  }
  return group_.agree(verdict);
}

Status Meeting::open_memory() {
  const Roster& maker = side_ == Side::accepts ? ours_ : theirs_;
  if (memory_ || maker.memory_pid == 0) return {};
  auto opened = LinkMemory::open_in(maker.memory_pid, maker.memory_descriptor, maker.memory_id);
  if (!opened.ok()) return opened.status();
  memory_ = std::move(*opened);
  return {};
}

Result<std::shared_ptr<JobSegment>> Meeting::segment_of(const Row& row) {
  auto& segment = segments_[row.name.job];
  if (!segment) segment = instance_.connections().segment_of(row.name.job);
  if (segment) return segment;
  auto attached = JobSegment::attach_in(row.pid, row.descriptor, row.name.job);
  if (!attached.ok()) return attached.status();
  segment = *attached;
  return segment;
}

Result<Sharing> Meeting::share(std::uint32_t number, const Row& row) {
  const Row& me = ours_.rows[static_cast<std::size_t>(comm_.rank())];
  Sharing sharing;
  if (row.host != me.host) return sharing;
  const bool near = row.memory && me.memory;
  if (Status s = near ? open_memory() : Status(); !s) return s;
  auto segment = segment_of(row);
  if (!segment.ok() && !near) return sharing;
  if (!segment.ok()) return segment.status();
  if (row.page >= (*segment)->ranks())
    return Status::failure(Errc::argument, "a process of the other group has no place in its job");
  const auto rank = static_cast<std::uint64_t>(comm_.rank());
  sharing.segment = *segment;
  sharing.page = row.page;
  if (near) sharing.memory = memory_;
  sharing.place = side_ == Side::accepts ? rank * theirs_.rows.size() + number
                                         : number * ours_.rows.size() + rank;
  return sharing;
}

Status Meeting::admit(std::uint32_t number, const Row& row) {
  for (const Row& own : ours_.rows) {
    if (own.name == row.name)
      return Status::failure(Errc::argument, "a process is in both groups; they must be disjoint");
  }
  if (Peer* const known = instance_.job().find(row.name)) {
    members_.push_back(known);
    return {};
  }
  auto sharing = share(number, row);
  if (!sharing.ok() && !plan_.network()) return sharing.status();
  auto peer = instance_.peers().admit(row.name);
  if (!peer.ok()) return peer.status();
  members_.push_back(*peer);
  admitted_.push_back(*peer);
  const bool near = row.host == ours_.rows[static_cast<std::size_t>(comm_.rank())].host;
  instance_.connections().admit(**peer, near, row.pid, sharing.ok() ? *sharing : Sharing{});
  if (row.cards.empty()) return {};
  return instance_.cards().put(**peer, row.cards);
}

// From then on this process looks for what the others send.
Status Meeting::connect_all() {
  for (Peer* const peer : admitted_) {
    if (Status s = instance_.router().check(*peer, instance_.job()); !s) return s;
    if (Status s = instance_.router().routes(*peer).status(); !s) return s;
  }
  return {};
}

Status Meeting::admit_all() {
  for (std::uint32_t number = 0; number < theirs_.rows.size(); ++number) {
    if (Status s = admit(number, theirs_.rows[number]); !s) return s;
  }
  return connect_all();
}

void Meeting::take_back() {
  for (Peer* const peer : admitted_) instance_.connections().forget(*peer);
}

void Meeting::avoid_collisions() {
  std::map<std::uint16_t, std::set<std::uint64_t>> jobs;
  for (const Roster* roster : {&ours_, &theirs_}) {
    for (const Row& row : roster->rows)
      jobs[JobContextIds::tag_of(row.name.job)].insert(row.name.job);
  }
  const bool collide = std::any_of(jobs.begin(), jobs.end(),
                                   [](const auto& entry) { return entry.second.size() > 1; });
  if (!collide) return;
  const ProcessName& me = instance_.me().name;
  std::uint16_t tag = plan_.mine.tag;
  if (side_ == Side::accepts && tag == plan_.theirs.tag) ++tag;
  instance_.replace_context_ids(
      std::make_unique<JobContextIds>(tag, me.index, instance_.job().size()));
}

Result<Comm*> Meeting::conclude() {
  const Preface& accepting = side_ == Side::accepts ? plan_.mine : plan_.theirs;
  Ref<Group> remote(Group::make(std::move(members_)));
  return Comm::make_inter(instance_, comm_.group(), std::move(remote), accepting.context,
                          ContextIds::of_local_group(plan_.mine.local_context));
}

}  // namespace

// Memory is worth a try before the other side is known: to open it costs little.
Preface preface_of(Comm& comm) {
  Instance& instance = comm.instance();
  Preface preface{};
  preface.magic = kPreface;
  preface.host = this_network_stack();
  preface.context = instance.context_ids().draw();
  preface.local_context = preface.context;
  preface.size = static_cast<std::uint32_t>(comm.size());
  instance.open_transports(false);
  preface.memory = instance.router().in_memory() ? 1 : 0;
  preface.spans = spans_hosts(comm) ? 1 : 0;
  preface.tag = static_cast<std::uint16_t>(JobSegment::random_id() >> 24);
  return preface;
}

Status say(Line& line, const Preface& mine, const Deadline& deadline) noexcept {
  return line.send(bytes_of(mine), deadline);
}

Result<Preface> hear(Line& line, const Deadline& deadline) noexcept {
  auto bytes = line.receive(deadline);
  if (!bytes.ok()) return bytes.status();
  Preface theirs{};
  if (bytes->size() == sizeof theirs) std::memcpy(&theirs, bytes->data(), sizeof theirs);
  if (theirs.magic != kPreface || theirs.size == 0)
    return Status::failure(Errc::refused, "the other side uses another build of Tessera");
  return theirs;
}

Result<Comm*> make_link(Comm& comm, int root, Side side, RootsMeeting& meeting,
                        const Deadline& deadline) {
  return Meeting(comm, root, side, meeting, deadline).run();
}

}  // namespace tessera
