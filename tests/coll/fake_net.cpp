// SPDX-License-Identifier: BSD-3-Clause
// Processes as threads with a point-to-point layer in memory.
#include "tests/coll/fake_net.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace tessera::coll::test {

bool FakeProgress::idle(std::uint32_t, const Condition&) noexcept {
  std::this_thread::yield();
  return false;
}

namespace {

std::size_t length(Count count, const Datatype& type) {
  return static_cast<std::size_t>(count * type.size());
}

bool matches(const FakeNet::Parcel& parcel, const pml::RecvArgs& args) {
  return parcel.from == args.peer->id && parcel.context == args.context &&
         parcel.source == args.source && parcel.tag == args.tag;
}

}  // namespace

Result<Request*> FakePml::isend(const pml::SendArgs& args) noexcept {
  ++calls;
  standing = posted_.size();
  if (net_.is_cut(id_, args.peer->id))
    return Status::failure(Errc::peer_failed, "the other process is gone");
  auto* request = new FakeRequest;
  const auto* from = static_cast<const std::byte*>(args.buffer);
  FakeNet::Parcel parcel{id_,      args.context, args.source,
                         args.tag, {},           net_.rendezvous() ? request : nullptr};
  parcel.data.assign(from, from + length(args.count, *args.type));
  if (!net_.rendezvous()) request->end({});
  FakeNet::Rank& target = net_.rank(args.peer->id);
  const std::lock_guard guard(target.mutex);
  target.inbox.push_back(std::move(parcel));
  return static_cast<Request*>(request);
}

Result<Request*> FakePml::irecv(const pml::RecvArgs& args) noexcept {
  ++calls;
  followed += args.sends_follow;
  if (net_.is_cut(args.peer->id, id_))
    return Status::failure(Errc::peer_failed, "the other process is gone");
  auto* request = new FakeRequest;
  posted_.push_back({args, request});
  return static_cast<Request*>(request);
}

Status FakePml::wait(Result<Request*> request, MessageStatus& status) noexcept {
  if (!request) return request.status();
  progress_.wait_until([&] { return request.value()->complete(); });
  status = request.value()->status();
  request.value()->free();
  return status.error;
}

Status FakePml::send(const pml::SendArgs& args) noexcept {
  MessageStatus status;
  return wait(isend(args), status);
}

Status FakePml::recv(const pml::RecvArgs& args, MessageStatus& status) noexcept {
  return wait(irecv(args), status);
}

void FakePml::collect_taken(Ended& ended) {
  FakeNet::Rank& me = net_.rank(id_);
  const std::lock_guard guard(me.taken_mutex);
  for (FakeRequest* request : me.taken) ended.emplace_back(request, MessageStatus{});
  me.taken.clear();
}

MessageStatus FakePml::take(const pml::RecvArgs& args, const std::vector<std::byte>& data) {
  MessageStatus status;
  status.bytes = data.size();
  const std::size_t room = length(args.count, *args.type);
  if (status.bytes > room) status.error = Errc::truncated;
  const std::size_t amount = std::min(room, data.size());
  if (amount > 0) std::memcpy(args.buffer, data.data(), amount);
  return status;
}

void FakePml::match(Ended& ended) {
  FakeNet::Rank& me = net_.rank(id_);
  const std::lock_guard guard(me.mutex);
  for (auto receive = posted_.begin(); receive != posted_.end();) {
    const auto parcel =
        std::find_if(me.inbox.begin(), me.inbox.end(),
                     [&](const FakeNet::Parcel& each) { return matches(each, receive->args); });
    if (parcel == me.inbox.end()) {
      ++receive;
      continue;
    }
    ended.emplace_back(receive->request, take(receive->args, parcel->data));
    if (parcel->sender != nullptr) {
      FakeNet::Rank& sender = net_.rank(parcel->from);
      const std::lock_guard other(sender.taken_mutex);
      sender.taken.push_back(parcel->sender);
    }
    me.inbox.erase(parcel);
    receive = posted_.erase(receive);
  }
}

int FakePml::poll() noexcept {
  Ended ended;
  collect_taken(ended);
  match(ended);
  for (auto& [request, status] : ended) request->end(status);
  return static_cast<int>(ended.size());
}

FakeCommunicator::FakeCommunicator(FakeNet& net, int number, int first_side) {
  job_ = &plain_job;
  ++alive;
  const auto table = [&](int first, int last) {
    std::vector<Peer*> peers;
    for (int i = first; i < last; ++i)
      peers.push_back(&net.rank(static_cast<std::uint32_t>(i)).peer);
    return peers;
  };
  const bool on_first = number < first_side;
  inter_ = first_side > 0;
  const int begin = inter_ && !on_first ? first_side : 0;
  const int end = on_first ? first_side : net.size();
  local_table_ = table(begin, end);
  remote_table_ = !inter_    ? local_table_
                  : on_first ? table(first_side, net.size())
                             : table(0, first_side);
  peers_ = remote_table_.data();
  local_peers_ = local_table_.data();
  rank_ = number - begin;
  size_ = end - begin;
  remote_size_ = static_cast<int>(remote_table_.size());
  context_ = 40;
  FakeNet::Rank& me = net.rank(static_cast<std::uint32_t>(number));
  pml_ = me.pml.get();
  progress_ = me.progress.get();
}

FakeNet::FakeNet(int size, bool rendezvous, int first_side) : rendezvous_(rendezvous) {
  for (int i = 0; i < size; ++i) {
    Rank& rank = *ranks_.emplace_back(std::make_unique<Rank>());
    rank.peer.id = static_cast<std::uint32_t>(i);
    rank.pml = std::make_unique<FakePml>(*this, rank.peer.id, *rank.progress);
  }
  for (int i = 0; i < size; ++i)
    this->rank(static_cast<std::uint32_t>(i)).comm = new FakeCommunicator(*this, i, first_side);
}

FakeNet::~FakeNet() {
  for (const auto& rank : ranks_) {
    if (rank->comm != nullptr) rank->comm->release();
  }
}

bool FakeNet::is_cut(std::uint32_t from, std::uint32_t to) const noexcept {
  return std::find(cut_.begin(), cut_.end(),
                   std::pair(static_cast<int>(from), static_cast<int>(to))) != cut_.end();
}

void FakeNet::run(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < size(); ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tessera::coll::test
