// SPDX-License-Identifier: BSD-3-Clause
// All components found on the search path, each judged from its bytes: Catalog.
#pragma once
//
// Contract. scan() looks at every *.so of every directory of the search path, in the order of the
// path and sorted by name within a directory, and gives each candidate a verdict with a reason; it
// runs no code of any of them. Nothing that lies there (dangling links, directories, damaged files)
// hides anything else, and a missing directory is only noted. The earlier usable candidate of a
// name wins; later ones are shadowed. apply() then excludes what the user's lists do not admit.
// list() looks at the directories as scan() does, and reads the files of a framework only when
// somebody asks for its candidates: a process alone needs few of them (docs/decisions/0145).
// mpiexec passes serialise(), which reads all, to the ranks. Used by one thread at a time.
//
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/frameworks.h"
#include "framework/install_paths.h"
#include "framework/manifest.h"
#include "framework/selection.h"
#include "tessera/status.h"

namespace tessera {

enum class Verdict : std::uint8_t { usable, refused, shadowed, excluded };

std::string_view verdict_name(Verdict verdict) noexcept;

struct Candidate {
  std::string path;  // absolute
  std::string
      framework;  // from the manifest, or from the file name when there is none that can be read
  std::string name;
  Verdict verdict = Verdict::usable;
  std::string reason;  // why it is not usable, and what to do about it; empty when usable
  Manifest manifest;   // as far as it could be read; text is empty when it could not

  bool usable() const noexcept { return verdict == Verdict::usable; }
  // Usable as far as the file itself goes, whatever list excludes it.
  bool admissible() const noexcept { return usable() || verdict == Verdict::excluded; }
};

struct ComponentName {
  std::string framework;
  std::string component;

  bool operator==(const ComponentName&) const = default;
};

struct SearchDirectory {
  std::string path;
  std::string problem;  // "does not exist", ...; empty when it was read
};

class Catalog {
 public:
  // Replaces what was there. `frameworks` are those that this engine has, with their interface
  // numbers; they must outlive the catalog.
  // `only`: candidates of this framework alone, by their file names.
  void scan(std::span<const std::string> directories, std::span<const FrameworkInfo> frameworks,
            Depth depth = Depth::whole, std::string_view only = {});
  void list(std::span<const std::string> directories, std::span<const FrameworkInfo> frameworks,
            Depth depth, std::string_view only = {});

  // Marks usable candidates of the framework that the selection does not admit as excluded; those
  // that an earlier selection excluded are usable again first. Fails when the selection names what
  // is not known (Errc::not_found) or what was asked for by name but refused (Errc::refused).
  Status apply(std::string_view framework, const Selection& selection);

  // Refuses what another engine has found usable and does not fit this one. The first such
  // candidate, or null.
  const Candidate* refuse_unfit(std::span<const FrameworkInfo> frameworks);

  // Makes a usable candidate refused, e.g. because its parameters clash with those of another one.
  void refuse(const Candidate& candidate, std::string reason);

  // In the order of the scan; after list(), framework by framework as they were asked for.
  // References stay valid until the next scan, list or restore.
  const std::deque<Candidate>& candidates() const;
  std::span<const SearchDirectory> directories() const noexcept { return directories_; }

  // The usable one, else the first of another verdict, else null.
  const Candidate* find(std::string_view framework, std::string_view name) const;
  std::vector<const Candidate*> usable(std::string_view framework) const;
  // Whatever their verdict, in the order of the scan.
  std::vector<const Candidate*> of(std::string_view framework) const;
  // The names of all candidates, each once; those of files that are not read yet by file name.
  std::vector<ComponentName> names() const;
  // Names of all candidates of the framework, whatever their verdict; sorted, each once.
  std::vector<std::string> known_names(std::string_view framework) const;

  // The whole catalog as text, to be restored by a process that did not scan. Restored manifests
  // are outlines: without parameters. Errc::argument for foreign text.
  std::string serialise() const;
  Status restore(std::string_view text);

 private:
  // A file that has not been read.
  struct Unread {
    std::string path;
    ComponentName name;  // empty: the file name tells nothing, so it may belong to any framework
  };

  void list_directory(const std::string& directory, std::string_view only);
  // Judges the unread files that may belong to the framework; empty: all of them. Nobody outside
  // sees that it happens late: so asking counts as const.
  void read(std::string_view framework) const;
  void judge_file(const std::string& path);
  void shadow(Candidate& candidate) const;
  Status check_required(std::string_view framework, const Selection& selection) const;
  Status restore_candidate(std::string_view line, std::string_view& rest);

  std::span<const FrameworkInfo> frameworks_;
  Depth depth_ = Depth::whole;
  std::vector<Unread> unread_;
  std::deque<Candidate> candidates_;
  std::vector<SearchDirectory> directories_;
};

}  // namespace tessera
