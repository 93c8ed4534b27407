// SPDX-License-Identifier: BSD-3-Clause
// The engine's own requests.
#include "core/request/requests.h"

#include <cstring>
#include <new>

namespace tessera {

// The text is in this thread's ring now; the thread that reports it may be another one.
void Request::keep_text() noexcept {
  const char* text = status_.error.text();
  const std::size_t bytes = std::strlen(text) + 1;
  text_.reset(new (std::nothrow) char[bytes]);
  if (text_ != nullptr) std::memcpy(text_.get(), text, bytes);
}

BufferedSendRequest::BufferedSendRequest(BufferedSends& buffer, pml::Module& pml,
                                         const pml::SendArgs& args, PackedForm form) noexcept
    : buffer_(buffer), pml_(pml), args_(args), form_(form) {
  persistent_ = true;
  args_.type->hold();
}

BufferedSendRequest::~BufferedSendRequest() {
  args_.type->drop();
}

Status BufferedSendRequest::start() noexcept {
  const Status sent = buffer_.send(pml_, args_, form_);
  if (!sent) return sent;
  begin();
  status_ = {};
  finish();
  return {};
}

SendRecvRequest::SendRecvRequest(Request* send, Request* receive,
                                 const MessageStatus& without_receive,
                                 std::unique_ptr<std::byte[]> copy) noexcept
    : send_(send), receive_(receive), copy_(std::move(copy)) {
  begin();
  status_ = without_receive;
  retain();  // the operation's own reference, until it is complete
  for (Request* part : {send_, receive_}) {
    if (part == nullptr || part->complete()) continue;
    ++pending_;
    part->then(part_done, this);
  }
  if (send_ != nullptr && send_->complete()) sent();
  one_less();
}

SendRecvRequest::~SendRecvRequest() {
  if (send_ != nullptr) send_->free();
  if (receive_ != nullptr) receive_->free();
}

void SendRecvRequest::part_done(Request& part, void* self) noexcept {
  auto& both = *static_cast<SendRecvRequest*>(self);
  if (&part == both.send_) both.sent();
  both.one_less();
}

// As MPI_Sendrecv: where the send failed, the message to receive may never come.
void SendRecvRequest::sent() noexcept {
  if (!send_->status().error.ok() && receive_ != nullptr && !receive_->complete())
    receive_->cancel();
}

void SendRecvRequest::one_less() noexcept {
  if (--pending_ > 0) return;
  if (receive_ != nullptr) status_ = receive_->status(), status_.error = receive_->error();
  if (send_ != nullptr && status_.error.ok()) status_.error = send_->error();
  finish();
  release();
}

void SendRecvRequest::free() noexcept {
  release();
}

}  // namespace tessera
