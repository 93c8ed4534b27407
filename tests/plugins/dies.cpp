// SPDX-License-Identifier: BSD-3-Clause
// A component whose code touches memory that is not there, in the function that the parameter
// `where` names.
#include <string_view>

#include "tessera/coll.h"

namespace {

using namespace tessera;

class Dies final : public coll::Component {
 public:
  Status open(const Host& host) noexcept override {
    where_ = host.params.text("where");
    return reach("open"), Status();
  }
  void use(const coll::Rules&) noexcept override { reach("use"); }
  Result<coll::Module*> query(Communicator&) noexcept override {
    reach("query");
    return Status(Errc::refused);
  }
  void close() noexcept override { reach("close"); }
  ~Dies() override { reach("delete"); }

 private:
  void reach(std::string_view place) const noexcept {
    if (place != where_) return;
    *static_cast<volatile int*>(nowhere_) = 1;
  }
  std::string_view where_;
  void* volatile nowhere_ = nullptr;
};

}  // namespace

TESSERA_COMPONENT(coll, dies, "0.9", 1, Dies, "Dies where it is told to",
                  TESSERA_PARAM("where", text, "nowhere", "nowhere,open,use,query,close,delete", "",
                                9, "In which function."))
