// SPDX-License-Identifier: BSD-3-Clause
// The help topics of the microkernel.
#pragma once

#include "framework/help.h"

namespace tessera::topics {

inline constexpr HelpTopic<5> param_bad_value{
    "param-bad-value", "{0} = '{1}' (from {2}) {3}; allowed: {4}.",
    "Correct the value at that place, or remove it to use the "
    "default; `ompi-info --why {0}` shows every source that set it."};

inline constexpr HelpTopic<5> param_twice{
    "param-twice", "{0} is set twice to different values: '{1}' by {2}, '{3}' by {4}.",
    "Set it once."};

inline constexpr HelpTopic<3> param_unknown{
    "param-unknown", "unknown parameter '{0}'{1}, set by {2}.",
    "`ompi-info WORD` searches names and descriptions of all parameters."};

inline constexpr HelpTopic<3> param_deprecated{
    "param-deprecated", "parameter '{0}' was renamed to '{1}'; {2} still uses the old name.",
    "Use the new name. The old name will be removed."};

inline constexpr HelpTopic<4> param_defeated{
    "param-defeated",
    "{0} = '{1}' (from {2}) has no effect: the administrators of this site have fixed the value in "
    "{3}.",
    "Remove your setting, or ask the administrators of this site."};

inline constexpr HelpTopic<3> param_ranks_differ{
    "param-ranks-differ",
    "ranks {0} and {1} have different values of parameters that must be equal on all ranks: {2}.",
    "Set them with `mpiexec --mca` or in a parameter file: both apply to all ranks. An environment "
    "variable that is set for one program or by a script applies to its ranks only."};

inline constexpr HelpTopic<2> hint_unknown{
    "hint-unknown", "info key tessera.{0}: unknown parameter{1}; the key is ignored.",
    "Correct the key, or remove it. `ompi-info communicator` lists the parameters that a "
    "communicator may override."};

inline constexpr HelpTopic<1> hint_global{
    "hint-global",
    "info key tessera.{0}: this parameter applies to the whole process, not to a communicator; the "
    "key is ignored.",
    "Set it with `mpiexec --mca {0} VALUE`."};

inline constexpr HelpTopic<1> hint_late{
    "hint-late",
    "info key tessera.{0} is set too late: the communicator has already executed a collective "
    "operation; the key is ignored.",
    "Set it before the first collective operation, or on a new communicator with "
    "MPI_Comm_dup_with_info."};

inline constexpr HelpTopic<3> param_file_syntax{
    "param-file-syntax", "{0}:{1}: {2}.",
    "Write `name: value` in a .yaml file, `name = value` in any other; # starts a comment. A "
    "section begins with [host node*] or [ranks >= 16]; in YAML, `sections` is a list of maps with "
    "`when` and `params`."};

inline constexpr HelpTopic<1> coll_rules_bad{
    "coll-rules-bad", "{0}.",
    "Correct that line of the file that the parameter coll_rules names. A file of rules maps each "
    "operation to a list of conditions and choices, as collectives.yaml beside the parameter files "
    "does."};

inline constexpr HelpTopic<1> agent_missing{
    "agent-missing",
    "no thread can be started that serves windows while this process computes: {0}.",
    "Other processes that access its windows wait until it calls MPI. Permit more threads (ulimit "
    "-u, the limit of the control group), or set osc_am_progress = none."};

inline constexpr HelpTopic<1> coll_wish_unmet{
    "coll-wish-unmet", "{0}.",
    "Choose another algorithm, or leave the choice to the rules; "
    "`mpiexec --explain=coll` shows which algorithm ran."};

inline constexpr HelpTopic<1> param_file_missing{
    "param-file-missing", "parameter file '{0}' does not exist.",
    "Check the spelling; a relative path starts at the current directory."};

inline constexpr HelpTopic<2> param_file_unreadable{
    "param-file-unreadable", "parameter file '{0}' cannot be read: {1}.",
    "Make it a readable regular file, or remove it."};

inline constexpr HelpTopic<2> param_file_untrusted{
    "param-file-untrusted", "parameter file '{0}' is not used: {1}.",
    "Let root own it and nobody else write to it (chown, chmod), remove it, or run without "
    "privileges."};

inline constexpr HelpTopic<3> selection_caret{
    "selection-caret", "{0} = '{1}' (from {2}): `^` is only allowed in front of the whole list.",
    "Write `a,b` to use only these, or `^a,b` to use all except these. The two forms cannot be "
    "mixed."};

inline constexpr HelpTopic<3> selection_empty_name{
    "selection-empty-name", "{0} = '{1}' (from {2}) contains an empty name.",
    "Write names separated by single commas: `a,b` or `^a,b`."};

inline constexpr HelpTopic<5> selection_unknown{
    "selection-unknown",
    "framework {0} has no component '{1}'{2}; it is named by {3}. Known components: {4}.",
    "Correct the name; `ompi-info --framework {0}` lists the components found and their files."};

inline constexpr HelpTopic<3> selection_foreign{
    "selection-foreign",
    "{0} = '{1}' ({2}) excludes components of another MPI, which do not exist here; they are "
    "ignored.",
    ""};

inline constexpr HelpTopic<3> selection_other_mpi{
    "selection-other-mpi",
    "{0} = '{1}' ({2}) names components of another MPI, which do not exist here; the list is "
    "ignored.",
    ""};

inline constexpr HelpTopic<4> component_unusable{
    "component-unusable", "component {0}/{1} was requested ({2}) but cannot be used: {3}",
    "Do that, or remove the name from the list to run without this component."};

inline constexpr HelpTopic<3> component_declined{
    "component-declined", "component {0}/{1} was requested by name but declined: {2}.",
    "Remove the cause, or remove the name from the list to run without this component."};

inline constexpr HelpTopic<3> nobody_accepted{
    "nobody-accepted", "no component of framework {0} can be used ({1}): {2}.",
    "`ompi-info --framework {0}` lists the components found and the reason for each refusal."};

inline constexpr HelpTopic<1> snapshot_foreign{
    "snapshot-foreign", "the parameters and components received from mpiexec cannot be read: {0}.",
    "Use mpiexec and libraries of the same installation."};

inline constexpr HelpTopic<5> mixed_installations{
    "mixed-installations",
    "this process has loaded {0} (build {1}), but the components that it was told to use are of "
    "another installation, {2} (build {3}), and do not all fit; without them messages may go a "
    "slower way.",
    "Start the program with the mpiexec of the library that it loads, or build it with the mpicc "
    "of this mpiexec; LD_LIBRARY_PATH={4} leads to the other library in spite of a RUNPATH."};

inline constexpr HelpTopic<1> alone_among_many{
    "job-not-found",
    "mpiexec has started {0} processes, but the environment variable TESSERA_JOB, which leads them "
    "to their job, is gone: each one runs alone, as rank 0 of 1.",
    "Do not clear the environment before MPI_Init; of a program that has to, let it keep "
    "TESSERA_JOB. To run processes that have nothing to do with each other, use mpiexec -n 1."};

}  // namespace tessera::topics
