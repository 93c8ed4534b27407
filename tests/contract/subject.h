// SPDX-License-Identifier: BSD-3-Clause
// What the suites test: the component file of the command line and, for an interposer, the one that
// it stands in front of.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "plugin.h"
#include "tessera/btl.h"
#include "tessera/io.h"
#include "tessera/osc.h"
#include "tessera/pml.h"

namespace tessera::contract {

Plugin& plugin();   // the component under test
Plugin* wrapped();  // what it stands in front of; null unless it is an interposer
Plugin* others();   // the shipped component that carries out what it leaves to others (coll); null:
                    // none there

// Loads them. `file` is the component's, `over` the one to stand in front of: empty for the shipped
// one beside this program. Throws std::runtime_error.
void load_subject(const std::string& framework, const std::string& file, const std::string& over);

// Where the tests of io make their files: a directory, with the prefix of a driver before it if it
// has one. Empty: a new directory of the system's own.
const std::string& place_of_files();
void set_place_of_files(const std::string& place);

// For osc: the shipped transports that windows stand on, to the own process and to the others.
// Null: none, with the transport "self" (the default is sm). Throws std::runtime_error.
void load_transports(const std::string& name);
Plugin* loop_plugin();
Plugin* transport_plugin();

std::string_view scope();  // the fact of the btl that moves the bytes
bool reaches_self();       // whether it is a btl to the own process only

// One process's own instance of the subject, closed and deleted in the order in which the engine
// does it.
class Instances {
 public:
  Instances();
  ~Instances() { close(); }
  Instances(const Instances&) = delete;
  Instances& operator=(const Instances&) = delete;

  Result<std::span<btl::Module* const>> open_btl(const Host& host, const btl::Sinks& sinks);
  Result<pml::Module*> open_pml(const Host& host);
  Status open_io(const Host& host);
  // Sets the sink for its packets.
  Status open_osc(const Host& host, pml::Router& router, btl::Sinks& sinks);
  // With the interposer under test in front.
  Result<std::unique_ptr<osc::Module>> make_window(osc::Window& window);
  // What serves windows: the subject, or what lies below an interposer.
  osc::Component& windows() noexcept;
  bool drained() noexcept;
  // What serves files: the subject, or what lies below an interposer.
  io::Component& storage() noexcept;
  Component& component() noexcept { return *component_; }
  void close() noexcept;

 private:
  std::unique_ptr<Component> component_;
  std::unique_ptr<Component> below_;
};

}  // namespace tessera::contract
