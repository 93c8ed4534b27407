// SPDX-License-Identifier: BSD-3-Clause
// Memory of deleted objects, which is not used again at once: keep_freed().
#pragma once
//
// A handle is the address of an object. Were its memory used again at once, a handle that the
// program kept too long would stand for another object, and the mistake would pass in silence. So
// the memory of the last objects deleted of each kind is kept (64; of requests 16, since those of
// collective operations are large). A word in it says what it was. Classes whose objects are held
// by handles have an operator delete that calls keep_freed().
//
// Requests of messages and of collective operations come from pools and serve again and again
// instead: they count their lives in their kind, and the count is part of the handle
// (api/p2p/request_handle.h).
//
#include "tessera/data.h"

namespace tessera {

// Added to the kind of an object that is no more.
inline constexpr std::uint32_t kEnded = 0x8000'0000;
// The part of a request's kind that says which of its lives it is in.
inline constexpr std::uint32_t kLives = 0x1f00;

// Takes over the memory of an object of this kind, whose destructor has run. Any thread may call.
void keep_freed(void* memory, ObjectKind kind) noexcept;

}  // namespace tessera
