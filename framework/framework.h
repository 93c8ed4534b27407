// SPDX-License-Identifier: BSD-3-Clause
// A framework's loaded components and the four ways to choose among them: Framework<C>.
#pragma once
//
// Contract. How components are taken in depends on the framework's shape:
//   best()    one winner (pml): in order of priority each is loaded and asked, the first that
//             accepts wins, one that declines is unloaded again, and what comes after the winner is
//             not even loaded;
//   open()    loads all that the catalog holds usable, for the other shapes, which ask those that
//             are loaded:
//   ranked()  all that accept, highest score first; one asked for by name that declines is an
//             error (btl)
//   stack()   all that accept, lowest score first, so that later ones cover earlier ones (coll)
//   ask()     the highest score; nobody accepting is no error (topo)
// A component that fails to load is skipped with a recorded reason, unless the user asked for it by
// name: then it is an error. Ties go to the name that sorts first. Every choice is recorded in an
// Explanation when one is given. dismiss() and retain() unload. close() closes, deletes and unloads
// all in reverse order; the destructor does it too. Used by one thread at a time; the Microkernel
// must outlive it.
//
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/component_params.h"
#include "framework/explanation.h"
#include "framework/library.h"
#include "framework/load_note.h"
#include "framework/log.h"
#include "framework/microkernel.h"
#include "tessera/component.h"
#include "tessera/status.h"

namespace tessera {

// What a component answers to a question. A score left open is its priority; best() goes by
// priority alone.
struct Answer {
  bool accepted = false;
  std::optional<double> score;
  std::string text;

  static Answer yes(std::string text = {}) { return {true, {}, std::move(text)}; }
  static Answer yes(double score, std::string text = {}) { return {true, score, std::move(text)}; }
  static Answer no(std::string text) { return {false, {}, std::move(text)}; }
};

// One loaded component. Its address is stable until it is closed.
class Member {
 public:
  Member(const Microkernel& kernel, const Candidate& candidate, LoadedComponent loaded);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  const std::string& name() const noexcept { return name_; }
  const std::string& version() const noexcept { return version_; }
  int priority() const noexcept { return priority_; }
  const Params& params() const noexcept { return params_; }
  Component& component() const noexcept { return *loaded_.component; }
  bool required() const noexcept { return required_; }  // asked for by name
  Events* events() const noexcept { return events_; }   // for its Host
  // While it lives, an end of the process is told with the file and `doing`: "opened", "asked".
  [[nodiscard]] NotedComponent noted(const char* doing) const noexcept {
    return {load_note_, doing, blame_};
  }

 private:
  std::string name_;
  std::string version_;
  int priority_;
  bool required_;
  ComponentParams params_;
  LoadedComponent loaded_;
  std::string owner_;
  Watcher* watcher_;
  Events* events_ = nullptr;
  LoadNote* load_note_;
  std::string blame_;  // empty without a note
};

class FrameworkBase {
 public:
  FrameworkBase(const Microkernel& kernel, std::string_view name, int rank = -1);
  ~FrameworkBase() { close(); }
  FrameworkBase(const FrameworkBase&) = delete;
  FrameworkBase& operator=(const FrameworkBase&) = delete;

  // Loads all usable candidates. Errc::refused when one asked for by name does not load. Having
  // none at all is ok here.
  Status open(Explanation* explanation = nullptr);
  void close() noexcept;

  // The usable candidates that compete, highest priority first, whether loaded or not.
  std::vector<const Candidate*> candidates() const;
  // The usable candidates that stand in front of others instead (fact "interposes"), lowest
  // priority first: the order in which they are put on. Not all of them are wanted.
  std::vector<const Candidate*> interposers() const;
  // Empty when the interposer takes part: always, by its switch, or because the user named it;
  // otherwise why not.
  std::string unwanted(const Candidate& interposer) const;
  int priority(const Candidate& candidate) const noexcept { return kernel_.priority(candidate); }
  // Loads one of them. Errc::refused with one line: what is wrong and what to do.
  Result<Member*> admit(const Candidate& candidate);
  // Closes one member, or all that are not listed.
  void dismiss(Member& member);
  void retain(const std::vector<Member*>& keep);

  std::vector<Member*> members() const;  // those loaded, highest priority first
  const Log& log() const noexcept { return log_; }
  const std::string& name() const noexcept { return name_; }

 protected:
  struct Asked {
    Member* member;
    Answer answer;
  };
  using AskedList = std::vector<Asked>;

  // Loads and asks until one accepts.
  Result<Member*> choose_best(const std::function<Answer(Member&)>& query,
                              std::string_view question, Explanation* explanation);
  // Each sorts by score, notes the decision and picks.
  Result<std::vector<Member*>> choose_ranked(AskedList asked, std::string_view question,
                                             Explanation* explanation) const;
  std::vector<Member*> choose_stack(AskedList asked, std::string_view question,
                                    Explanation* explanation) const;
  Member* choose_answer(AskedList asked, std::string_view question, Explanation* explanation) const;

  std::vector<std::unique_ptr<Member>> members_;

 private:
  static AskedList sorted(AskedList asked);
  static std::vector<Member*> accepted(const AskedList& asked);
  std::vector<const Candidate*> in_order(bool interposing) const;
  Decision decide(const AskedList& asked, std::string_view question, Shape shape) const;
  Status try_candidate(const Candidate& candidate, const std::function<Answer(Member&)>& query,
                       Decision& decision, Member*& winner);
  Status unloadable(const Candidate& candidate, Status why, Decision& decision) const;
  void note_unusable(Decision& decision) const;
  void note(Decision decision, Explanation* explanation) const;

  const Microkernel& kernel_;
  std::string name_;
  Log log_;
};

// C is the framework's own Component class. A query is any callable Answer(C&, const Member&).
template <class C>
class Framework : public FrameworkBase {
 public:
  using FrameworkBase::FrameworkBase;

  static C& of(const Member& member) noexcept { return static_cast<C&>(member.component()); }

  // A component for one call as it is opened, which the process notes meanwhile (Member::noted()).
  class Noted {
   public:
    explicit Noted(const Member& member) noexcept
        : note_(member.noted("opened")), component_(of(member)) {}
    C* operator->() const noexcept { return &component_; }

   private:
    NotedComponent note_;
    C& component_;
  };
  static Noted opening(const Member& member) noexcept { return Noted(member); }

  template <class Query>
  Result<Member*> best(std::string_view question, Query query, Explanation* explanation = nullptr) {
    return choose_best([&query](Member& member) { return query(of(member), member); }, question,
                       explanation);
  }
  template <class Query>
  Result<std::vector<Member*>> ranked(std::string_view question, Query query,
                                      Explanation* explanation = nullptr) const {
    return choose_ranked(put(query), question, explanation);
  }
  template <class Query>
  std::vector<Member*> stack(std::string_view question, Query query,
                             Explanation* explanation = nullptr) const {
    return choose_stack(put(query), question, explanation);
  }
  template <class Query>
  Member* ask(std::string_view question, Query query, Explanation* explanation = nullptr) const {
    return choose_answer(put(query), question, explanation);
  }

 private:
  template <class Query>
  AskedList put(Query& query) const {
    AskedList asked;
    for (const auto& member : members_) {
      const NotedComponent noted = member->noted("asked");
      asked.push_back({member.get(), query(of(*member), *member)});
    }
    return asked;
  }
};

}  // namespace tessera
