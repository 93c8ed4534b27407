// SPDX-License-Identifier: BSD-3-Clause
// The subject of the suites, and how an interposer is put in front of another component.
#include "subject.h"

#include <filesystem>
#include <stdexcept>

namespace tessera::contract {

namespace {

std::unique_ptr<Plugin> loaded, below, fallback, loop, transport;
std::string place;

// What an interposer of a framework stands in front of where the user names nothing else.
const char* usual_below(const std::string& framework) {
  if (framework == "btl" || framework == "osc") return "sm";
  return framework == "io" ? "posix" : "ob1";
}

// The shipped component of that name, from the installation (or build tree) that this program
// belongs to.
std::string shipped(const std::string& framework, const std::string& name) {
  const auto prefix = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path();
  return (prefix / TESSERA_COMPONENT_DIR / ("tessera_" + framework + "_" + name + ".so")).string();
}

// Opens what is below as the engine does, with that component's own parameters.
class Below final : public btl::Wrapped {
 public:
  Below(btl::Component& component, const Host& host) : component_(component), host_(host) {}
  const char* name() const noexcept override { return wrapped()->name().c_str(); }
  Result<std::span<btl::Module* const>> open(const btl::Sinks& sinks) noexcept override {
    return component_.open({wrapped()->params(), host_.job, host_.progress, host_.bootstrap},
                           sinks);
  }

 private:
  btl::Component& component_;
  const Host& host_;
};

}  // namespace

Plugin& plugin() {
  return *loaded;
}
Plugin* wrapped() {
  return below.get();
}
Plugin* others() {
  return fallback.get();
}

void load_subject(const std::string& framework, const std::string& file, const std::string& over) {
  loaded = std::make_unique<Plugin>(framework, file);
  const bool interposes = !loaded->fact("interposes").empty();
  if (!over.empty() && !interposes)
    throw std::runtime_error("--over is for interposers; the manifest of " + file +
                             " has no fact \"interposes\"");
  if (interposes) {
    const std::string ours = shipped(framework, usual_below(framework));
    below = std::make_unique<Plugin>(framework, over.empty() ? ours : over);
  }
  const std::string basic = shipped("coll", "basic");
  if (framework == "coll" && loaded->name() != "basic" && std::filesystem::exists(basic))
    fallback = std::make_unique<Plugin>("coll", basic);
}

void load_transports(const std::string& name) {
  loop = std::make_unique<Plugin>("btl", shipped("btl", "self"));
  if (name != "self")
    transport = std::make_unique<Plugin>("btl", shipped("btl", name.empty() ? "sm" : name));
}
Plugin* loop_plugin() {
  return loop.get();
}
Plugin* transport_plugin() {
  return transport.get();
}

const std::string& place_of_files() {
  return place;
}
void set_place_of_files(const std::string& given) {
  place = given;
}

std::string_view scope() {
  return (wrapped() != nullptr ? *wrapped() : plugin()).fact("scope");
}
bool reaches_self() {
  return scope() == "self";
}

Instances::Instances() : component_(plugin().create()) {
  if (wrapped() != nullptr) below_ = wrapped()->create();
}

Result<std::span<btl::Module* const>> Instances::open_btl(const Host& host,
                                                          const btl::Sinks& sinks) {
  auto& component = static_cast<btl::Component&>(*component_);
  if (below_ == nullptr) return component.open(host, sinks);
  Below layer(static_cast<btl::Component&>(*below_), host);
  return component.wrap(host, sinks, layer);
}

Result<pml::Module*> Instances::open_pml(const Host& host) {
  auto& component = static_cast<pml::Component&>(*component_);
  if (below_ == nullptr) return component.open(host);
  const Host theirs{wrapped()->params(), host.job, host.progress, host.bootstrap};
  auto module = static_cast<pml::Component&>(*below_).open(theirs);
  if (!module) return module.status();
  return component.wrap(host, *module.value());
}

Status Instances::open_io(const Host& host) {
  if (below_ != nullptr) {
    const Host theirs{wrapped()->params(), host.job, host.progress, host.bootstrap};
    if (Status s = static_cast<io::Component&>(*below_).open(theirs); !s) return s;
  }
  return static_cast<io::Component&>(*component_).open(host);
}

io::Component& Instances::storage() noexcept {
  return static_cast<io::Component&>(below_ != nullptr ? *below_ : *component_);
}

Status Instances::open_osc(const Host& host, pml::Router& router, btl::Sinks& sinks) {
  auto& component = static_cast<osc::Component&>(*component_);
  if (below_ != nullptr) {
    const Host theirs{wrapped()->params(), host.job, host.progress, host.bootstrap};
    if (Status s = windows().open(theirs, router); !s) return s;
  }
  if (Status s = component.open(host, router); !s) return s;
  sinks.set(btl::Channel::osc, windows().sink());
  return {};
}

Result<std::unique_ptr<osc::Module>> Instances::make_window(osc::Window& window) {
  auto module = windows().make(window);
  if (!module.ok() || below_ == nullptr) return module;
  return static_cast<osc::Component&>(*component_).wrap(window, *module);
}

osc::Component& Instances::windows() noexcept {
  return static_cast<osc::Component&>(below_ != nullptr ? *below_ : *component_);
}

bool Instances::drained() noexcept {
  return windows().drained();
}

void Instances::close() noexcept {
  if (below_ != nullptr) below_->close();
  if (component_ != nullptr) component_->close();
  component_.reset();
  below_.reset();
}

}  // namespace tessera::contract
