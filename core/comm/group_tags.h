// SPDX-License-Identifier: BSD-3-Clause
// Tags under which the members of a group alone make a communicator.
#pragma once
//
// Contract. The members are part of the tag. One process may be in several groups at the same time,
// and who tries again without a process that has died, with the tag or the text of the first
// attempt, must not receive what that one has left behind.
//
#include <cstdint>
#include <span>
#include <string_view>

#include "core/comm/group.h"

namespace tessera {

// Tags of one group are different where its own are.
int tag_of(const Group& group, int tag) noexcept;
int tag_of(const Group& group, std::string_view string_tag) noexcept;
// Of both groups, in whatever order each side lists the members.
int tag_of(std::span<Peer* const> both, std::string_view string_tag) noexcept;

}  // namespace tessera
