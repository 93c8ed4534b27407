// SPDX-License-Identifier: BSD-3-Clause
// One data access of one process.
#include "core/io/operation.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <new>

#include "core/datatype/predefined.h"

namespace tessera::io {
namespace {

constexpr Offset kFarthest = std::numeric_limits<Offset>::max() / 2;

bool product_fits(Offset a, Offset b, Offset& product) noexcept {
  return !__builtin_mul_overflow(a, b, &product) && product <= kFarthest;
}

}  // namespace

Status Operation::prepare(File& file, const Access& access) noexcept {
  file_ = Ref<File>::share(&file);
  representation_ = &file.representation();
  type_ = TypeRef(*access.type);
  buffer_ = static_cast<std::byte*>(access.buffer);
  count_ = access.count;
  element_size_ = representation_->size_of(*access.type);
  file.describe(transfer_, access.writing);
  etype_size_ = transfer_.view->etype_size();
  if (!product_fits(count_, element_size_, transfer_.bytes))
    return Status::failure(Errc::argument, "the data are more bytes than 62 bits can count");
  if (transfer_.bytes % etype_size_ != 0) {
    return Status::failure(
        Errc::argument,
        fmt::format("arguments `count` and `datatype` are {} bytes, no multiple of the {} bytes "
                    "of the view's etype",
                    transfer_.bytes, etype_size_));
  }
  etypes_ = transfer_.bytes / etype_size_;
  return convert_to_file();
}

Status Operation::convert_to_file() noexcept {
  const bool converts =
      transfer_.writing ? representation_->converts_writing() : representation_->converts_reading();
  if (!converts) {
    transfer_.memory = {type_, buffer_, count_};
    return {};
  }
  const auto bytes = static_cast<std::size_t>(transfer_.bytes);
  converted_.reset(new (std::nothrow) std::byte[bytes + 1]);
  if (!converted_)
    return Status::failure(Errc::no_memory, "there is no memory for the converted data");
  const auto& byte = static_cast<const TypeObject&>(byte_type());
  transfer_.memory = {TypeRef(byte), converted_.get(), transfer_.bytes};
  if (!transfer_.writing || count_ == 0) return {};
  if (Status fit = representation_->fits(*type_, buffer_, count_); !fit) return fit;
  return representation_->to_file(*type_, buffer_, count_, 0, converted_.get());
}

Status Operation::at(Offset etypes) noexcept {
  Offset position = 0;
  if (!product_fits(etypes, etype_size_, position) || position + transfer_.bytes > kFarthest) {
    return Status::failure(
        Errc::argument,
        fmt::format("offset {} lies farther away than 62 bits can count bytes", etypes));
  }
  transfer_.position = position;
  return {};
}

// A last element that is there in part only: what is missing keeps its old value, in its converted
// form.
Status Operation::convert_from_file(Offset bytes) noexcept {
  if (element_size_ == 0) return {};
  const Count whole = bytes / element_size_;
  const Offset rest = bytes % element_size_;
  if (whole > 0) {
    const Status done = representation_->from_file(*type_, buffer_, whole, 0, converted_.get());
    if (!done) return done;
  }
  if (rest == 0) return {};
  std::byte* last = converted_.get() + whole * element_size_;
  const std::unique_ptr<std::byte[]> there(new (std::nothrow)
                                               std::byte[static_cast<std::size_t>(rest)]);
  if (!there) return Errc::no_memory;
  std::memcpy(there.get(), last, static_cast<std::size_t>(rest));
  if (Status old = representation_->to_file(*type_, buffer_, 1, whole, last); !old) return old;
  std::memcpy(last, there.get(), static_cast<std::size_t>(rest));
  return representation_->from_file(*type_, buffer_, 1, whole, last);
}

std::uint64_t Operation::bytes_in_memory(Offset bytes) const noexcept {
  if (element_size_ == 0 || element_size_ == type_->size())
    return static_cast<std::uint64_t>(bytes);
  const Count whole = bytes / element_size_;
  const Offset rest = bytes % element_size_;
  return static_cast<std::uint64_t>(whole * type_->size() + rest * type_->size() / element_size_);
}

void Operation::run() noexcept {
  outcome_ = transfer_.run();
  if (!outcome_.failure.ok()) why_ = outcome_.failure.text();
}

void Operation::conclude(MessageStatus& status) noexcept {
  status.bytes = bytes_in_memory(outcome_.bytes);
  status.error = why_.empty() ? outcome_.failure : Status::failure(outcome_.failure.code(), why_);
  if (transfer_.writing || !converted_) return;
  const Status converted = convert_from_file(outcome_.bytes);
  if (status.error.ok()) status.error = converted;
}

FileRequest::FileRequest(Operation&& operation) noexcept
    : file_(Ref<File>::share(&operation.file())), operation_(std::move(operation)) {
  begin();
  file_->begin_access();
}

FileRequest::FileRequest(File& file, const MessageStatus& status) noexcept
    : file_(Ref<File>::share(&file)) {
  begin();
  status_ = status;
  finish();
}

// Where there can be no second thread, the access takes place now.
Status FileRequest::submit(Worker& worker) noexcept {
  retain();  // the operation's own reference
  if (worker.submit(*this).ok()) return {};
  operation_.run();
  finished();
  return {};
}

void FileRequest::finished() noexcept {
  operation_.conclude(status_);
  file_->end_access();
  finish();
  release();
}

}  // namespace tessera::io
