// SPDX-License-Identifier: BSD-3-Clause
// The conversation of a system with the server of a job: ServerLink.
#pragma once
//
// Contract. One process of each system has one. join() blocks until all systems have come,
// gather() until all have given the label; labels go in ascending order, one after the other, so
// that servers and systems that work in lock step follow. Every call gives up after the patience it
// was made with. The text of a failure is fit for the user.
//
#include <cstdint>
#include <memory>
#include <string>

#include "core/impi/roster.h"
#include "impi/wire/command.h"
#include "impi/wire/trace_writer.h"

namespace tessera::impi {

class ServerLink {
 public:
  struct Options {
    std::string server;  // HOST:PORT
    std::uint32_t rank = 0;
    std::string methods;  // of authentication, the best first; empty: all that are enabled
    int patience_s = 300;
    std::string trace;  // a file for trace_writer.h, made anew; empty: none
  };
  static Result<std::unique_ptr<ServerLink>> join(const Options& options);
  ~ServerLink();
  ServerLink(const ServerLink&) = delete;
  ServerLink& operator=(const ServerLink&) = delete;

  std::uint32_t clients() const noexcept { return clients_; }
  int descriptor() const noexcept { return socket_; }
  const std::string& name() const noexcept { return options_.server; }

  Status gather(Label label, const Bytes& values, Answers& answers);
  Status done(Answers& answers);
  // The system has ended in order. The server needs no answer.
  Status finish();

 private:
  ServerLink(Options options, int socket) : options_(std::move(options)), socket_(socket) {}
  Status authenticate();
  Status answer_challenge(ByteView secret, ByteView data);
  Status introduce();
  Status open_trace();
  Status send(const Bytes& bytes, FrameKind kind = FrameKind::command);
  Status receive(std::byte* to, std::size_t bytes, const char* what);
  // The next command that the protocol knows.
  Status next(const char* what);
  Status failure(const std::string& what) const;

  Options options_;
  int socket_;
  std::uint32_t clients_ = 0;
  TraceWriter trace_;
  CommandReader reader_{{.auth = 128, .coll = 1u << 28, .unknown = 1u << 28}};
};

}  // namespace tessera::impi
