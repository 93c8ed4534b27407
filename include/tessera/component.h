// SPDX-License-Identifier: BSD-3-Clause
// What makes a shared object a Tessera component: its manifest and its entry.
#pragma once
//
// Contract. A component is one shared object `tessera_<framework>_<name>.so`. It carries a
// manifest, plain text in an ELF note, from which the engine judges it: no code of the file runs
// before it was accepted, and none of one that was not. Life cycle, all on the thread that
// initialises the library:
//   1. the file is found on the search path and its note is read; it is refused, with a reason,
//      unless layout, framework, interface number and ABI tag are exactly those of the engine and
//      the name is that of the file;
//   2. include and exclude lists and priorities are applied, still on the manifest alone;
//   3. the object is opened (bound now, local); its entry makes one Component, the engine's;
//   4. the framework's own header says what happens then (open, query, modules);
//   5. after the last module, close() is called once, the Component deleted, the file unloaded.
// Several instances of the library may live in one process: a component keeps its state in its
// Component object and never in globals. Every virtual is noexcept; an exception that escapes ends
// the process there.
//
// Interface numbers. Each framework header defines TESSERA_INTERFACE_<framework>. It changes with
// any change to that header, or to one it includes, that is not a comment; a component built
// against another number is refused.
//
// Performance variables. What a component counts is declared in its manifest (TESSERA_VARIABLE)
// and stays where counting is cheap: in its own objects, as plain 64-bit integers. The engine asks
// for it with measure() when a tool reads, and a last time before close(); it keeps the values, so
// that a tool may read those of a component that is gone. measure() is called from any thread,
// where MPI was not initialised for several threads without a lock: it reads plain counters, and
// follows no pointer that the component may change while it works.
//
// Events. What happens rarely and matters at once is declared with TESSERA_EVENT and told through
// Host::events, under the engine's lock. While nobody listens that costs the look at wanted().
//
#include <elf.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "tessera/param.h"
#include "tessera/status.h"

namespace tessera {

class Bootstrap;
class Job;
class Progress;

// Where measure() writes. What it writes under a name that the manifest does not declare is seen by
// nobody.
class Measures {
 public:
  virtual std::uint64_t& value(std::string_view name) noexcept = 0;
  // Of a variable per peer: one value for each Peer::id below `peers`, 0 at first.
  virtual std::span<std::uint64_t> per_peer(std::string_view name,
                                            std::uint32_t peers) noexcept = 0;

 protected:
  ~Measures() = default;
};

// Where a component tells what happens; null in Host where there is no tools interface. `event`
// counts the events of the manifest from 0.
class Events {
 public:
  bool wanted(unsigned event) const noexcept {
    return (wanted_.load(std::memory_order_relaxed) >> event & 1) != 0;
  }
  // As many elements as declared.
  virtual void raise(unsigned event, std::initializer_list<std::int64_t> elements) noexcept = 0;

 protected:
  ~Events() = default;
  std::atomic<std::uint32_t> wanted_{0};
};

// Base of each framework's own Component class.
class Component {
 public:
  virtual ~Component() = default;
  virtual void close() noexcept {}
  // Also before the component was opened.
  virtual void measure(Measures&) noexcept {}
};

// What the engine lends a component when it opens it. All of it outlives the component.
struct Host {
  const Params& params;  // this component's parameters
  const Job& job;        // who we are, who runs beside us (peer.h)
  Progress& progress;    // where pollers and descriptors are registered (peer.h)
  Bootstrap& bootstrap;  // address exchange between processes (peer.h)
  Events* events = nullptr;
};

}  // namespace tessera

// The version of the manifest's own syntax.
#define TESSERA_MANIFEST_LAYOUT "1"

// Everything that must be equal for objects to share C++ interfaces: machine, pointer size, C++
// standard library and its ABI, sanitizer runtime. The compiler itself is free.
#if defined(__x86_64__)
#define TESSERA_ABI_MACHINE "x86_64"
#elif defined(__aarch64__)
#define TESSERA_ABI_MACHINE "aarch64"
#elif defined(__riscv)
#define TESSERA_ABI_MACHINE "riscv64"
#elif defined(__powerpc64__)
#define TESSERA_ABI_MACHINE "ppc64"
#else
#define TESSERA_ABI_MACHINE "other"
#endif
#if defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI
#define TESSERA_ABI_LIBRARY "-libstdcxx11"
#elif defined(__GLIBCXX__)
#define TESSERA_ABI_LIBRARY "-libstdcxx"
#else
#define TESSERA_ABI_LIBRARY "-libcxx"
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TESSERA_ABI_SANITIZER "-asan"
#elif defined(__SANITIZE_THREAD__)
#define TESSERA_ABI_SANITIZER "-tsan"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESSERA_ABI_SANITIZER "-asan"
#elif __has_feature(thread_sanitizer)
#define TESSERA_ABI_SANITIZER "-tsan"
#endif
#endif
#ifndef TESSERA_ABI_SANITIZER
#define TESSERA_ABI_SANITIZER ""
#endif
#define TESSERA_ABI_TAG TESSERA_ABI_MACHINE TESSERA_ABI_LIBRARY TESSERA_ABI_SANITIZER

#define TESSERA_NOTE_SECTION ".note.tessera.component"
#define TESSERA_NOTE_OWNER "Tessera"  // eight bytes with its terminator
#define TESSERA_NOTE_TYPE 0x54530001

#define TESSERA_TEXT_(x) #x
#define TESSERA_TEXT(x) TESSERA_TEXT_(x)

// One parameter; all arguments but the last are short words, none contains a tab or a newline.
//   TESSERA_PARAM("eager_limit", size, "4K", "64..64K", "bytes", 4, "Largest message sent without a
//   handshake.")
#define TESSERA_PARAM(NAME, TYPE, DEFAULT, ALLOWED, UNIT, LEVEL, HELP) \
  "param\t" NAME "\t" #TYPE "\t" DEFAULT "\t" ALLOWED "\t" UNIT "\t" #LEVEL "\t" HELP "\n"

// A fact about the component that the engine and the info tool may use without opening it; the keys
// that a framework reads are listed in its header.
//   TESSERA_FACT("scope", "node")
#define TESSERA_FACT(KEY, VALUE) "fact\t" KEY "\t" VALUE "\n"

// A performance variable. CLASS: level, size (bytes), percentage (in millionths), highwatermark,
// lowwatermark, counter, aggregate or timer (in nanoseconds). BINDING: process, or peers. A
// watermark is the extreme since the last measure(), which starts it anew from the present level.
//   TESSERA_VARIABLE("unexpected", level, process, "messages", 4, "Messages that wait for a
//   receive.")
#define TESSERA_VARIABLE(NAME, CLASS, BINDING, UNIT, LEVEL, HELP) \
  "variable\t" NAME "\t" #CLASS "\t" #BINDING "\t" UNIT "\t" #LEVEL "\t" HELP "\n"

// An event with its elements, 64-bit integers: a comma list of names, at most eight.
//   TESSERA_EVENT("unexpected", "source,tag,bytes", 4, "A message that no receive asks for yet.")
#define TESSERA_EVENT(NAME, ELEMENTS, LEVEL, HELP) \
  "event\t" NAME "\t" ELEMENTS "\t" #LEVEL "\t" HELP "\n"

// The one macro of a component: its manifest and its entry. PRIORITY is the default of its priority
// parameter (0-100, higher is preferred); SUMMARY one line of text; the rest, juxtaposed
// TESSERA_PARAM, TESSERA_VARIABLE, TESSERA_EVENT and TESSERA_FACT, may be empty.
//   TESSERA_COMPONENT(btl, sm, "1.0.0", 50, SmComponent, "Shared memory between processes of one
//   machine", ...)
#define TESSERA_COMPONENT(FRAMEWORK, NAME, VERSION, PRIORITY, CLASS, SUMMARY, ...)          \
  namespace {                                                                               \
  struct TesseraNote {                                                                      \
    Elf64_Nhdr header;                                                                      \
    char owner[sizeof(TESSERA_NOTE_OWNER)];                                                 \
    char text[sizeof(                                                                       \
        TESSERA_MANIFEST_TEXT(FRAMEWORK, NAME, VERSION, PRIORITY, SUMMARY, __VA_ARGS__))];  \
  };                                                                                        \
  static_assert(sizeof(TESSERA_NOTE_OWNER) == 8);                                           \
  __attribute__((section(TESSERA_NOTE_SECTION), used, aligned(4)))                          \
  const TesseraNote tessera_note = {                                                        \
      {sizeof(TESSERA_NOTE_OWNER), sizeof(TesseraNote::text), TESSERA_NOTE_TYPE},           \
      TESSERA_NOTE_OWNER,                                                                   \
      TESSERA_MANIFEST_TEXT(FRAMEWORK, NAME, VERSION, PRIORITY, SUMMARY, __VA_ARGS__)};     \
  }                                                                                         \
  extern "C" __attribute__((visibility(                                                     \
      "default"))) ::tessera::Component* tessera_##FRAMEWORK##_##NAME##_create() noexcept { \
    return new (std::nothrow) CLASS;                                                        \
  }

#define TESSERA_MANIFEST_TEXT(FRAMEWORK, NAME, VERSION, PRIORITY, SUMMARY, ...)               \
  "layout\t" TESSERA_MANIFEST_LAYOUT "\nframework\t" #FRAMEWORK "\ninterface\t" TESSERA_TEXT( \
      TESSERA_INTERFACE_##FRAMEWORK) "\nabi\t" TESSERA_ABI_TAG "\nname\t" #NAME               \
                                     "\nversion\t" VERSION "\npriority\t" #PRIORITY           \
                                     "\nsummary\t" SUMMARY "\n" __VA_ARGS__
