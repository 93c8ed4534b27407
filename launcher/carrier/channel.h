// SPDX-License-Identifier: BSD-3-Clause
// How the carriers of a job hear of each other: Channel.
#pragma once
//
// Contract. The carrier of node 0 is the hub: each other one holds a TCP connection to it. The hub
// decides how the job ends: the first that asks for the end has its status, and all are told; a
// carrier whose ranks have ended in order says so with their status. The address of the hub and a
// secret travel through the engine's store (listener.h): who does not show the secret is not let
// in. A carrier that does not answer for `silence_s`, or whose connection ends before it has
// finished, is lost. The hub also judges whether ranks wait for each other for ever
// (hang/job_survey.h): what it asks and is told passes through here.
//
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/boot.h"
#include "tessera/status.h"

namespace tessera::launcher::carrier {

class Listener;

class ChannelHandler {
 public:
  virtual ~ChannelHandler() = default;
  // The job ends; with_places: because its time is up, and each host says where its ranks are.
  virtual void told_to_end(bool with_places) = 0;
  virtual void lost(std::uint32_t node) = 0;
  // Of the hub: what ranks wait for.
  virtual void asked_for_waits(std::uint32_t question) = 0;
  // For the hub; the bytes until the call returns.
  virtual void told_waits(std::uint32_t node, std::uint32_t question, std::string_view waits) = 0;
};

class Channel {
 public:
  // All carriers call it at the same time; one fence of the engine. peer_failed: one cannot reach
  // the hub, or does not come.
  static Result<std::unique_ptr<Channel>> open(boot::Session& session, int silence_s);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  bool is_hub() const noexcept { return node_ == 0; }
  int descriptor() const noexcept { return poller_; }  // readable: call ready()
  void ready(ChannelHandler& handler);

  void tell_end(int status, bool with_places) noexcept;
  void tell_finished(int status) noexcept;
  // The hub has heard that of all others, and of itself.
  void tell_all_finished() noexcept;
  // For the hub.
  void ask_for_waits(std::uint32_t node, std::uint32_t question) noexcept;
  // To the hub. False: what was sent before is still on its way, or it is too much.
  bool tell_waits(std::uint32_t question, std::string_view waits) noexcept;
  // For the hub: all others have finished, or are lost. For another one: the hub has said so.
  bool all_finished() const noexcept;
  // For the hub: of the job, so far.
  int status() const noexcept { return status_; }
  bool told_end() const noexcept { return ended_; }
  bool anybody_lost() const noexcept { return lost_; }

 private:
  struct Message;
  struct Line {
    int socket = -1;
    bool finished = false;
    std::string arrived;  // not yet a whole message
  };
  Channel(std::uint32_t node, std::uint32_t nodes);
  Status serve(boot::Session& session);
  Status call(boot::Session& session);
  Status accept_all(Listener& listener);
  void watch(std::uint32_t node, int socket);
  bool receive(Line& line);
  void take_messages(std::uint32_t from, ChannelHandler& handler);
  void handle(std::uint32_t from, const Message& message, std::string_view more,
              ChannelHandler& handler);
  void drop(std::uint32_t from, ChannelHandler& handler);
  void send(Line& line, const Message& message) noexcept;
  void send_all(const Message& message) noexcept;
  void take_status(int status) noexcept;

  std::uint32_t node_;
  std::vector<Line> lines_;  // by node; of a carrier that is not the hub, the first one is to it
  int poller_ = -1;
  int silence_s_ = 20;
  int status_ = 0;
  bool ended_ = false;  // all were told
  bool lost_ = false;
};

}  // namespace tessera::launcher::carrier
