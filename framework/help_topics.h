// SPDX-License-Identifier: BSD-3-Clause
// The help topics of the microkernel.
#pragma once

#include "framework/help.h"

namespace tessera::topics {

inline constexpr HelpTopic<5> param_bad_value{
    "param-bad-value", "{0} = '{1}' (from {2}) {3}; allowed: {4}.",
    "Correct the value at that place, or remove it to use the "
    "default; `ompi-info --why {0}` shows who said what."};

inline constexpr HelpTopic<5> param_twice{
    "param-twice", "{0} is given twice with different values: '{1}' by {2}, '{3}' by {4}.",
    "Give it once."};

inline constexpr HelpTopic<3> param_unknown{
    "param-unknown", "no parameter is called '{0}'{1}; it was set by {2}.",
    "`ompi-info WORD` finds parameters by any part of their name or description."};

inline constexpr HelpTopic<3> param_deprecated{
    "param-deprecated", "parameter '{0}' is now called '{1}'; the old name was used by {2}.",
    "Use the new name; the old one will go away."};

inline constexpr HelpTopic<4> param_defeated{
    "param-defeated", "{0} = '{1}' (from {2}) has no effect: this site fixes the value in {3}.",
    "Remove your setting, or ask those who administer the site."};

inline constexpr HelpTopic<3> param_ranks_differ{
    "param-ranks-differ",
    "ranks {0} and {1} differ in parameters that must be equal on all ranks: {2}.",
    "Set them with `mpiexec --mca` or in a file, which hold for all ranks alike; variables set for "
    "one program or by a script hold for its own ranks only."};

inline constexpr HelpTopic<2> hint_unknown{
    "hint-unknown", "info key tessera.{0}: no parameter is called so{1}; the key is ignored.",
    "Correct the key, or remove it; `ompi-info communicator` lists what a communicator may have of "
    "its own."};

inline constexpr HelpTopic<1> hint_global{
    "hint-global",
    "info key tessera.{0}: this parameter holds for the whole process; the key is ignored.",
    "Set it with `mpiexec --mca {0} VALUE`."};

inline constexpr HelpTopic<1> hint_late{
    "hint-late",
    "info key tessera.{0} comes too late: the communicator has carried out a collective operation "
    "already; the key is ignored.",
    "Give it before the first one, or to a new communicator with MPI_Comm_dup_with_info."};

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

inline constexpr HelpTopic<1> coll_wish_unmet{
    "coll-wish-unmet", "{0}.",
    "Choose another algorithm, or leave the choice to the rules; "
    "`mpiexec --explain coll` shows what ran instead."};

inline constexpr HelpTopic<1> param_file_missing{
    "param-file-missing", "parameter file '{0}' does not exist.",
    "Check the spelling; a relative name is taken from the current directory."};

inline constexpr HelpTopic<2> param_file_unreadable{
    "param-file-unreadable", "parameter file '{0}' cannot be read: {1}.",
    "Make it a regular file that you may read, or remove it."};

inline constexpr HelpTopic<3> selection_caret{
    "selection-caret", "{0} = '{1}' (from {2}): `^` may only stand in front of the whole list.",
    "Write `a,b` for only these, or `^a,b` for all but these; the two cannot be mixed."};

inline constexpr HelpTopic<3> selection_empty_name{
    "selection-empty-name", "{0} = '{1}' (from {2}) contains an empty name.",
    "Write names separated by single commas: `a,b` or `^a,b`."};

inline constexpr HelpTopic<5> selection_unknown{
    "selection-unknown", "framework {0} has no component '{1}'{2}; it is named by {3}. Known: {4}.",
    "Correct the name; `ompi-info --framework {0}` lists what was found and where."};

inline constexpr HelpTopic<3> selection_foreign{
    "selection-foreign",
    "{0} excludes '{1}', which does not exist here ({2}); the name is ignored.",
    "Nothing, if the variable is meant for another MPI; set TESSERA_MCA_{0} to end this message."};

inline constexpr HelpTopic<4> component_unusable{
    "component-unusable",
    "component {0}/{1} was asked for by name (by {2}) but cannot be used: {3}",
    "Do that, or take the name off the list to run without it."};

inline constexpr HelpTopic<3> component_declined{
    "component-declined", "component {0}/{1} was asked for by name but declined: {2}.",
    "Remove the cause, or take the name off the list to run without it."};

inline constexpr HelpTopic<3> nobody_accepted{
    "nobody-accepted", "no component of framework {0} can be used ({1}): {2}.",
    "`ompi-info --framework {0}` lists the components found and why any was refused."};

inline constexpr HelpTopic<1> snapshot_foreign{
    "snapshot-foreign",
    "the parameters and components handed down by the launcher cannot be read: {0}.",
    "Use the mpiexec and the libraries of one and the same installation."};

}  // namespace tessera::topics
