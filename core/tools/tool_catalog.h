// SPDX-License-Identifier: BSD-3-Clause
// All that the tools interface lists: ToolCatalog.
#pragma once
//
// Contract. add() takes in what a Microkernel knows: its parameters as control variables, what
// manifests and engine declare as performance variables and events, and categories over them: one
// per framework, and below it one per component. No component is loaded. add() again appends what
// is new: a number that was handed out stays what it is, and so do addresses. `stamp` rises then.
//
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/microkernel.h"
#include "framework/variable.h"

namespace tessera {

// The only values of something, by name; an item's value is its place.
struct Enumeration {
  std::string name;
  std::vector<std::string> items;
  // -1: there is none of this name.
  int value_of(std::string_view item) const noexcept;
};

struct ControlVariable {
  std::string name;
  ParamSpec spec;
  const Enumeration* values = nullptr;  // of booleans, and of texts with a word list
  bool of_communicator = false;         // the value that one communicator has
  bool fixed = false;                   // read before a program can speak
};

struct PerformanceVariable {
  VariableSpec spec;
  std::string owner;                    // core, or <framework>_<component>
  const Enumeration* values = nullptr;  // of a state
  std::string short_name() const { return spec.name.substr(owner.size() + 1); }
};

struct EventType {
  EventSpec spec;
  std::string owner;
  unsigned number = 0;                  // among the owner's
  const Enumeration* values = nullptr;  // of the last element, which is an int then
};

struct ToolCategory {
  std::string name;
  std::string description;
  std::vector<int> controls;
  std::vector<int> variables;
  std::vector<int> events;
  std::vector<int> categories;
};

class ToolCatalog {
 public:
  void add(const Microkernel& kernel);

  const std::deque<ControlVariable>& controls() const noexcept { return controls_; }
  const std::deque<PerformanceVariable>& variables() const noexcept { return variables_; }
  const std::deque<EventType>& events() const noexcept { return events_; }
  const std::deque<ToolCategory>& categories() const noexcept { return categories_; }
  const std::deque<Enumeration>& enumerations() const noexcept { return enumerations_; }
  int stamp() const noexcept { return stamp_; }

  // The number of what has this name; -1: nothing has.
  int find_control(std::string_view name) const noexcept { return find(control_names_, name); }
  int find_variable(std::string_view name) const noexcept { return find(variable_names_, name); }
  int find_event(std::string_view name) const noexcept { return find(event_names_, name); }
  int find_category(std::string_view name) const noexcept { return find(category_names_, name); }

 private:
  using Names = std::map<std::string, int, std::less<>>;
  static int find(const Names& names, std::string_view name) noexcept;

  int category(const std::string& name, std::string_view description, int parent);
  void add_parameter(const ParamSpec& spec);
  void add_control(const ParamSpec& spec, bool of_communicator);
  void add_variable(const VariableSpec& spec, const std::string& owner, int category);
  void add_event(const EventSpec& spec, const std::string& owner, unsigned number, int category,
                 const Enumeration* values);
  void add_engine(const Microkernel& kernel);
  void add_component(const Candidate& candidate, int framework);
  const Enumeration* enumeration(std::string name, std::vector<std::string> items);
  const Enumeration* values_of(const ParamSpec& spec);

  std::deque<ControlVariable> controls_;
  std::deque<PerformanceVariable> variables_;
  std::deque<EventType> events_;
  std::deque<ToolCategory> categories_;
  std::deque<Enumeration> enumerations_;
  Names control_names_, variable_names_, event_names_, category_names_;
  int stamp_ = 0;
};

}  // namespace tessera
