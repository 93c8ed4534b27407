// SPDX-License-Identifier: BSD-3-Clause
// Opening and closing a file, all processes together (MPI-5.0 §14.2.1-14.2.3).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/datatype/predefined.h"
#include "core/engine/instance.h"
#include "core/impi/spanned.h"
#include "core/io/engine.h"
#include "core/io/file.h"
#include "core/io/together.h"

namespace tessera::io {

// One open, from the arguments to the file. Three exchanges: the modes and what is wrong with them;
// what rank 0 has done; whether all could follow.
class Opening {
 public:
  Opening(Engine& engine, Comm& comm, const File::Arguments& arguments) noexcept
      : engine_(engine), comm_(comm), arguments_(arguments) {}
  Result<File*> run() noexcept;

 private:
  struct Offer {
    Errc error;
    int amode;
    ContextId context;
  };
  struct Lead {
    Errc error;
    int slot;
    SharedHints hints;
  };

  Status agree(ContextId& context) noexcept;
  Status follow(File& file, Status mine) noexcept;
  Status open_driver(File& file, bool creates) noexcept;
  Lead lead(File& file) noexcept;
  Status set_pointers(File& file) noexcept;
  bool on_one_machine(const File& file) const noexcept;

  Engine& engine_;
  Comm& comm_;
  const File::Arguments& arguments_;
  FileName name_;
  Status led_;
};

namespace {

Status check_mode(int amode) noexcept {
  constexpr int kAll = kAppend | kCreate | kDeleteOnClose | kExclusive | kReadOnlyMode |
                       kReadWrite | kSequential | kUniqueOpen | kWriteOnly;
  const int ways =
      ((amode & kReadOnlyMode) != 0) + ((amode & kReadWrite) != 0) + ((amode & kWriteOnly) != 0);
  const char* wrong = nullptr;
  if ((amode & ~kAll) != 0) wrong = "has bits that stand for no mode";
  if (ways != 1)
    wrong = "must have exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY";
  if (wrong == nullptr && (amode & kReadOnlyMode) != 0 && (amode & (kCreate | kExclusive)) != 0)
    wrong = "has MPI_MODE_CREATE or MPI_MODE_EXCL together with MPI_MODE_RDONLY";
  if (wrong == nullptr && (amode & kReadWrite) != 0 && (amode & kSequential) != 0)
    wrong = "has MPI_MODE_SEQUENTIAL together with MPI_MODE_RDWR";
  if (wrong == nullptr) return {};
  return Status::failure(kMode, fmt::format("argument `amode` is {}: it {}", amode, wrong));
}

Mode driver_mode(int amode, bool creates, std::uint32_t permission) noexcept {
  return {(amode & kWriteOnly) == 0, (amode & kReadOnlyMode) == 0,
          creates && (amode & kCreate) != 0, creates && (amode & kExclusive) != 0, permission};
}

}  // namespace

Status Opening::agree(ContextId& context) noexcept {
  Status mine = arguments_.mine.ok() ? check_mode(arguments_.amode) : arguments_.mine;
  if (mine.ok()) {
    auto name = engine_.resolve(arguments_.name);
    if (name.ok()) {
      name_ = std::move(*name);
    } else {
      mine = name.status();
    }
  }
  const ContextId drawn = comm_.rank() == 0 ? comm_.instance().context_ids().draw() : ContextId{0};
  auto all = gather_all(comm_, Offer{mine.code(), arguments_.amode, drawn});
  if (!all.ok()) return all.status();
  if (!mine.ok()) return mine;
  for (std::size_t rank = 0; rank < all->size(); ++rank) {
    const Offer& other = (*all)[rank];
    if (other.error != Errc::ok)
      return Status::failure(other.error, fmt::format("the arguments of rank {} are wrong", rank));
    if (other.amode == (*all)[0].amode) continue;
    return Status::failure(
        kNotSame, fmt::format("argument `amode` is {} at rank 0 and {} at rank {}; it must be the "
                              "same at all processes",
                              (*all)[0].amode, other.amode, rank));
  }
  context = all->front().context;
  return {};
}

Status Opening::open_driver(File& file, bool creates) noexcept {
  auto driver =
      engine_.open_driver(name_, driver_mode(file.amode_, creates, file.hints_.shared.permission));
  if (!driver.ok()) return driver.status();
  file.driver_.reset(*driver);
  file.positioned_ = file.driver_->facts().positioned;
  return {};
}

// Whether all share the segment of one job.
bool Opening::on_one_machine(const File& file) const noexcept {
  const Comm& comm = file.comm();
  for (int i = 0; i < comm.size(); ++i) {
    const Peer& peer = comm.peer(i);
    if (peer.locality == Locality::remote || peer.name.job != comm.peer(0).name.job) return false;
  }
  return true;
}

// Rank 0 alone may create, and reserves the shared pointer.
Opening::Lead Opening::lead(File& file) noexcept {
  led_ = open_driver(file, true);
  Lead lead{led_.code(), -1, file.hints_.shared};
  if (led_.ok() && comm_.size() > 1 && on_one_machine(file)) lead.slot = engine_.slots().reserve();
  return lead;
}

Status Opening::follow(File& file, Status mine) noexcept {
  if (comm_.size() == 1) return mine;
  return worst_of(file.comm(), mine);
}

Status Opening::set_pointers(File& file) noexcept {
  if ((file.amode_ & kAppend) == 0 || !file.positioned_) return {};
  auto size = file.driver_->size();
  if (!size.ok()) return size.status();
  file.position_ = *size;
  if (comm_.rank() == 0 && file.shared_.available()) file.shared_.set(*size);
  return {};
}

Result<File*> Opening::run() noexcept {
  ContextId context = 0;
  if (Status agreed = agree(context); !agreed) return agreed;
  Ref<Comm> own(Comm::make(comm_.instance(), comm_.group(), context));
  Ref<File> file(new File(engine_, std::move(own), arguments_));
  file->name_ = arguments_.name;
  file->path_ = name_.path;
  file->prefix_ = name_.prefix;
  Lead told{};
  if (comm_.rank() == 0) told = lead(*file);
  if (Status s = broadcast(file->comm(), 0, &told, sizeof told); !s) return s;
  Status mine = led_;
  file->hints_.shared = told.hints;
  if (comm_.rank() != 0 && told.error == Errc::ok) mine = open_driver(*file, false);
  file->slot_ = comm_.rank() == 0 ? told.slot : -1;
  if (comm_.size() > 1)
    file->shared_.use(told.slot >= 0 && engine_.slots().available()
                          ? &engine_.slots().pointer(told.slot)
                          : nullptr);
  if (mine.ok() && told.error == Errc::ok) mine = set_pointers(*file);
  if (Status all = follow(*file, mine); !all) return all;
  ++file->comm().instance().census().files_opened;
  file->explain_hints(arguments_.info);
  return file.take();
}

Result<File*> File::open(Engine& engine, Comm& comm, const Arguments& arguments) noexcept {
  if (Status one = impi::within_one_system(comm, "files"); !one) return one;
  return Opening(engine, comm, arguments).run();
}

File::File(Engine& engine, Ref<Comm> comm, const Arguments& arguments) noexcept
    : Object(ObjectKind::file),
      engine_(&engine),
      comm_(std::move(comm)),
      amode_(arguments.amode),
      errhandler_(engine.default_errhandler()),
      etype_(static_cast<const TypeObject&>(byte_type())),
      filetype_(etype_),
      representation_(engine.representations().find("native")),
      view_(std::make_shared<View>(0, *etype_, *filetype_)) {
  ++comm_->instance().census().files;
  engine_->add(*this);
  hints_.take(comm_->instance().params().text("io_hints"), *arguments.notes);
  if (arguments.info != nullptr) hints_.take(*arguments.info, *arguments.notes);
}

File::~File() {
  --comm_->instance().census().files;
  engine_->remove(*this);
  if (slot_ >= 0) engine_->slots().give_back(slot_);
}

// One process removes the file, after the last has closed it. That it is gone already is as well.
Status File::close() noexcept {
  if (Status ready = idle("close the file"); !ready) return ready;
  Status closed = driver_->close();
  driver_.reset();
  closed = comm_->size() == 1 ? closed : worst_of(*comm_, closed);
  if ((amode_ & kDeleteOnClose) == 0) return closed;
  Status removed;
  if (comm_->rank() == 0) removed = engine_->remove({prefix_, path_});
  if (removed.code() == kNoSuchFile) removed = {};
  removed = comm_->size() == 1 ? removed : worst_of(*comm_, removed);
  return closed.ok() ? removed : closed;
}

}  // namespace tessera::io
