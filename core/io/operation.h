// SPDX-License-Identifier: BSD-3-Clause
// One data access of one process: from the arguments to the status, blocking or not.
#pragma once
//
// Contract. prepare() looks at the arguments against the file's view and converts what is to be
// written; at() says where; run() carries it out, on any thread; conclude() converts what was read
// and fills in the status, on a thread of the program. A FileRequest is one of which run() is the
// worker's.
//
#include <memory>
#include <string>

#include "core/io/file.h"
#include "core/io/transfer.h"
#include "core/io/worker.h"
#include "core/object/freed_objects.h"

namespace tessera::io {

class Operation {
 public:
  // argument: the amount of data does not fit the view; others: the conversion failed.
  Status prepare(File& file, const Access& access) noexcept;
  // In units of the view's etype.
  Offset etypes() const noexcept { return etypes_; }
  Status at(Offset etypes) noexcept;
  void run() noexcept;
  void conclude(MessageStatus& status) noexcept;

  const Transfer& transfer() const noexcept { return transfer_; }
  void set_outcome(const Outcome& outcome) noexcept { outcome_ = outcome; }
  File& file() const noexcept { return *file_; }

 private:
  Status convert_to_file() noexcept;
  Status convert_from_file(Offset bytes) noexcept;
  std::uint64_t bytes_in_memory(Offset bytes) const noexcept;

  Ref<File> file_;
  const Representation* representation_ = nullptr;
  TypeRef type_;  // the program's
  std::byte* buffer_ = nullptr;
  Count count_ = 0;
  Offset element_size_ = 0;  // of the program's type in the file
  Offset etypes_ = 0;
  Offset etype_size_ = 1;
  std::unique_ptr<std::byte[]> converted_;
  Transfer transfer_;
  Outcome outcome_;
  std::string why_;  // the failure's text: that of a Status stays with the thread that wrote it
};

class FileRequest final : public Request, private Worker::Job {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  explicit FileRequest(Operation&& operation) noexcept;
  // Done already: `status` says how.
  FileRequest(File& file, const MessageStatus& status) noexcept;
  File& file() const noexcept { return *file_; }
  Status submit(Worker& worker) noexcept;
  void free() noexcept override { release(); }

 private:
  void run() noexcept override { operation_.run(); }
  void finished() noexcept override;

  Ref<File> file_;
  Operation operation_;
};

}  // namespace tessera::io
