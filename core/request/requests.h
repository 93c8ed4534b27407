// SPDX-License-Identifier: BSD-3-Clause
// Requests that the engine makes itself, around or instead of those of a pml.
#pragma once

#include "core/comm/group.h"
#include "core/object/freed_objects.h"
#include "core/request/buffered_sends.h"
#include "tessera/comm.h"
#include "tessera/pml.h"

namespace tessera {

// An operation that is done before it begins: to or from MPI_PROC_NULL, or a buffered send.
class CompleteRequest final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  CompleteRequest(const MessageStatus& status, bool persistent) noexcept : result_(status) {
    persistent_ = persistent;
    if (!persistent) run();
  }
  Status start() noexcept override {
    run();
    return {};
  }
  void free() noexcept override { release(); }

 private:
  void run() noexcept {
    begin();
    status_ = result_;
    finish();
  }
  MessageStatus result_;
};

// MPI_Bsend_init: each start copies the message into the attached buffer.
class BufferedSendRequest final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  BufferedSendRequest(BufferedSends& buffer, pml::Module& pml, const pml::SendArgs& args,
                      PackedForm form) noexcept;
  ~BufferedSendRequest() override;
  Status start() noexcept override;
  void free() noexcept override { release(); }

 private:
  BufferedSends& buffer_;
  pml::Module& pml_;
  pml::SendArgs args_;
  PackedForm form_;
};

// MPI_Isendrecv: complete when both are; the status is that of the receive, an error that of
// either. A send that fails withdraws the receive, unless it has begun. Owns the buffer that
// MPI_Isendrecv_replace sends from.
class SendRecvRequest final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  // `receive` may be null (MPI_PROC_NULL) and so may `send`; takes both over.
  SendRecvRequest(Request* send, Request* receive, const MessageStatus& without_receive,
                  std::unique_ptr<std::byte[]> copy) noexcept;
  void free() noexcept override;

 private:
  ~SendRecvRequest() override;
  static void part_done(Request& part, void* self) noexcept;
  void sent() noexcept;
  void one_less() noexcept;
  Request* send_;
  Request* receive_;
  std::unique_ptr<std::byte[]> copy_;
  int pending_ = 1;  // parts, and the constructor itself
};

}  // namespace tessera
