// SPDX-License-Identifier: BSD-3-Clause
// What --explain says about large messages: which way is used from which size, by which limit or by
// what measurement.
#pragma once
#include <string>

#include "peers.h"
#include "settings.h"

namespace tessera::ob1 {

// Empty when no peer was talked to.
std::string copy_report(Peers& peers, const Settings& settings);

}  // namespace tessera::ob1
