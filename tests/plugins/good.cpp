// SPDX-License-Identifier: BSD-3-Clause
// A component without fault, with one parameter of each type.
#include "demo.h"

namespace {

class Good final : public demo::Component {
 public:
  tessera::Status open(const tessera::Params& params) noexcept override {
    answer_ = static_cast<int>(params.integer("answer"));
    return {};
  }
  int answer() noexcept override { return answer_; }

 private:
  int answer_ = 0;
};

}  // namespace

TESSERA_COMPONENT(demo, good, "1.2.3", 50, Good, "A component without fault",
                  TESSERA_PARAM("answer", integer, "42", "0..1000", "", 3, "What it answers.")
                      TESSERA_PARAM("limit", size, "4K", "64..1M", "bytes", 4, "A size.")
                          TESSERA_PARAM("ratio", real, "0.5", "0..1", "", 5, "A ratio.")
                              TESSERA_PARAM("fast", boolean, "true", "", "", 6, "A switch.")
                                  TESSERA_PARAM("mode", text, "auto", "auto,copy,direct", "", 7,
                                                "A mode.") TESSERA_PARAM("devices", list, "", "",
                                                                         "", 8, "Devices to use.")
                                      TESSERA_FACT("synonym", "reply=answer")
                                          TESSERA_FACT("deprecated", "max=limit")
                                              TESSERA_FACT("alias", "fine")
                                                  TESSERA_FACT("scope", "node"))
