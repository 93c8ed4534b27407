// SPDX-License-Identifier: BSD-3-Clause
// io: storage for files. A component opens files; a driver moves lists of extents.
#pragma once
//
// Contract. A component says of a name how well it serves it (judge); the best answer opens the
// file, on each process of the group for itself. All that MPI-IO is beyond storage (views, file
// pointers, collective access, atomicity, nonblocking forms, data representations) is done by the
// engine, once, above the driver: it hands a driver lists of extents and nothing else.
//
// Components are opened at the first file of a process. judge(), open_file() and remove() are
// called by one thread at a time. All processes of an open must come to the same judgement, so it
// may rest only on the question. In a collective open, rank 0 opens first, alone with `create` and
// `exclusive`; the others open what then exists, without them.
//
// A Driver is one open file of one process. read(), write(), lend(), size() and copies() may be
// called by several threads at once, also while others are under way; everything else by one
// thread, and not while a transfer runs. A list is worked off in its order. A driver repeats short
// and interrupted transfers itself: what it reports is final. It writes no byte outside the
// extents, also not with what it has read there before. read() ends at the end of the file without
// a failure.
//
// Failures carry a text that names the file, where it happened and the reason. Their codes are
// those of status.h and the ones below, which only files have; the engine makes MPI error classes
// of them (MPI-5.0 §14.7).
//
// An interposer (fact "interposes") stands in front of the drivers of others: wrap() gets each
// driver that was opened. Source: MPI-5.0 chapter 14.
//
#include <cstdint>
#include <span>
#include <string_view>

#include "tessera/component.h"
#include "tessera/status.h"

#define TESSERA_INTERFACE_io 6

namespace tessera::io {

using Offset = std::int64_t;

// Codes of failures besides those of Errc.
inline constexpr Errc kNoSuchFile{0x100};
inline constexpr Errc kFileExists{0x101};
inline constexpr Errc kBadFile{0x102};  // the name, or what it names, can be no file
inline constexpr Errc kAccess{0x103};
inline constexpr Errc kReadOnly{0x104};
inline constexpr Errc kNoSpace{0x10f};  // also: beyond a limit of sizes
inline constexpr Errc kQuota{0x105};
inline constexpr Errc kFileInUse{0x106};
inline constexpr Errc kFileError{0x107};  // the storage failed
// Found by the engine only.
inline constexpr Errc kMode{0x108};
inline constexpr Errc kNotSame{0x109};
inline constexpr Errc kConversion{0x10a};
inline constexpr Errc kRepresentation{0x10b};
inline constexpr Errc kDuplicateRepresentation{0x10c};
inline constexpr Errc kPending{0x10d};  // operations on the file have not ended
inline constexpr Errc kBuffer{0x10e};
inline constexpr Errc kCount{0x110};

// Bytes that are adjacent in the file and in memory.
struct Extent {
  Offset offset;
  std::byte* memory;  // not written by Driver::write
  std::size_t bytes;  // not 0
};

// What became of a list: how many of its bytes, in its order, were transferred, and why no more.
struct Outcome {
  Offset bytes = 0;
  Status failure;
};

// What is always so of an open file.
struct Facts {
  bool positioned = true;    // false: a stream (pipe, terminal): offsets are ignored
  Offset block = 4096;       // transfers of multiples of it, so aligned, are the cheap ones
  bool locks = false;        // lock() and unlock() work, also against other opens of the file
  std::string_view storage;  // for people: "ext4", "tmpfs"
};

struct Range {
  Offset first;
  Offset end;
};

// So many pieces in a range of a file, `bytes` together; the first one begins it, the last ends it.
struct Pieces {
  Range hull;
  Offset bytes;
  Offset number;
};

// Sees the bytes of a hull, of which `first` is the first.
using Look = void (*)(const std::byte* first, void* context);

class Driver {
 public:
  virtual ~Driver() = default;  // closes what close() has not
  virtual Facts facts() const noexcept = 0;
  virtual Outcome read(std::span<const Extent> list) noexcept = 0;
  virtual Outcome write(std::span<const Extent> list) noexcept = 0;
  virtual Result<Offset> size() noexcept = 0;
  virtual Status resize(Offset size) noexcept = 0;
  // The storage for the bytes before `size` is there from now on, and the file so large at least.
  virtual Status reserve(Offset size) noexcept = 0;
  virtual Status sync() noexcept = 0;
  // Reports what a delayed write has suffered. The driver is deleted afterwards, whatever it says.
  virtual Status close() noexcept = 0;
  // Waits until no other open of the file, here or elsewhere, has a lock on a byte of the range
  // that excludes this one. The system gives locks of ended processes back.
  virtual Status lock(Range, bool /*exclusive*/) noexcept { return Errc::unsupported; }
  virtual void unlock(Range) noexcept {}
  // Whether writing (else reading) such pieces would now cost little more than copies: the engine
  // then does not gather the pieces of several processes. Called before a collective access.
  virtual bool copies(bool /*writing*/, const Pieces&) noexcept { return false; }
  // Reading without a copy in between: `look` gets the bytes of the hull where they lie, such as in
  // a mapping of the file. True: it has seen the file, and all of the hull. False: it was not
  // called, or what it saw is worth nothing, since the file became shorter meanwhile; the engine
  // reads by lists. `look` may be left at any instruction: it holds no lock, and no object with a
  // destructor. Called before a read of several pieces.
  virtual bool lend(const Pieces&, Look /*look*/, void* /*context*/) noexcept { return false; }
};

// What is known of a file before it is open.
struct Question {
  std::string_view path;          // absolute, or as the prefix's owner understands it
  std::string_view prefix;        // "ufs" of the name "ufs:data"; empty: none
  std::uint64_t file_system = 0;  // f_type of statfs(2) of the file or its directory; 0: unknown
};

struct Mode {
  bool read = false;
  bool write = false;
  bool create = false;
  bool exclusive = false;        // only with create
  std::uint32_t permission = 0;  // of a new file; 0: 0666 less the umask
};

class Component : public tessera::Component {
 public:
  virtual Status open(const Host& host) noexcept = 0;
  // How well it serves such a file: 0 to 100, where a driver made for this very storage says more
  // than 50; unsupported: not at all.
  virtual Result<int> judge(const Question& question) noexcept = 0;
  virtual Result<Driver*> open_file(const Question& question, const Mode& mode) noexcept = 0;
  virtual Status remove(const Question& question) noexcept = 0;
  // Of an interposer: the driver in front of `below`, which it owns from then on.
  virtual Result<Driver*> wrap(const Question& /*question*/, Driver& /*below*/) noexcept {
    return Errc::unsupported;
  }
};

}  // namespace tessera::io
