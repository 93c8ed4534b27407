// SPDX-License-Identifier: BSD-3-Clause
// Functions of the program that C calls: operations, error handlers, attributes, generalized
// requests, data representations.
#ifndef MPICXX_CALLBACKS_H
#define MPICXX_CALLBACKS_H

#include "window_classes.h"

#include <atomic>

namespace MPI {
namespace detail {

// The numbers 0 to n - 1 as a type.
template <int... numbers>
struct Numbers {};
template <int n, int... numbers>
struct Counted : Counted<n - 1, n - 1, numbers...> {};
template <int... numbers>
struct Counted<0, numbers...> {
  typedef Numbers<numbers...> Type;
};

// Places for functions of one kind. Kind has the types Function and Callback, the number `size`,
// and `call<place>`, the callback that calls the function of its place.
template <class Kind>
struct Pool {
  typedef typename Kind::Function Function;
  typedef typename Kind::Callback Callback;
  static std::atomic<Function*> functions[Kind::size];

  // The callback that stands for a function; null when all places are taken by others.
  static Callback* callback_of(Function* function) {
    for (int place = 0; place < Kind::size; ++place) {
      Function* there = nullptr;
      if (functions[place].compare_exchange_strong(there, function) || there == function)
        return callback(place, typename Counted<Kind::size>::Type());
    }
    return nullptr;
  }

 private:
  template <int... places>
  static Callback* callback(int place, Numbers<places...>) {
    static Callback* const callbacks[] = {&Kind::template call<places>...};
    return callbacks[place];
  }
};
template <class Kind>
std::atomic<typename Kind::Function*> Pool<Kind>::functions[Kind::size];

// Calls body with the communicator as an object of its class.
template <class Body>
int with_comm(MPI_Comm handle, const Body& body) {
  int inter = 0;
  int topology = MPI_UNDEFINED;
  MPI_Comm_test_inter(handle, &inter);
  if (inter != 0) {
    Intercomm comm(handle);
    return body(comm);
  }
  MPI_Topo_test(handle, &topology);
  if (topology == MPI_CART) {
    Cartcomm comm(handle);
    return body(comm);
  }
  if (topology == MPI_GRAPH) {
    Graphcomm comm(handle);
    return body(comm);
  }
  if (topology == MPI_DIST_GRAPH) {
    Distgraphcomm comm(handle);
    return body(comm);
  }
  Intracomm comm(handle);
  return body(comm);
}

struct Operations {
  typedef User_function Function;
  typedef MPI_User_function Callback;
  static const int size = 64;
  template <int place>
  static void call(void* invec, void* inoutvec, int* len, MPI_Datatype* type) {
    guarded([&] {
      Pool<Operations>::functions[place].load()(invec, inoutvec, *len, Datatype(*type));
      return MPI_SUCCESS;
    });
  }
};

struct CommHandlers {
  typedef Comm::Errhandler_function Function;
  typedef MPI_Comm_errhandler_function Callback;
  static const int size = 32;
  template <int place>
  static void call(MPI_Comm* handle, int* code, ...) {
    guarded([&] {
      return with_comm(*handle, [&](Comm& comm) {
        Pool<CommHandlers>::functions[place].load()(comm, code);
        return MPI_SUCCESS;
      });
    });
  }
  static void throwing(MPI_Comm*, int* code, ...) { keep_error(*code); }
  static int create(Callback* callback, MPI_Errhandler* handler) {
    return MPI_Comm_create_errhandler(callback, handler);
  }
};

struct WinHandlers {
  typedef Win::Errhandler_function Function;
  typedef MPI_Win_errhandler_function Callback;
  static const int size = 32;
  template <int place>
  static void call(MPI_Win* handle, int* code, ...) {
    guarded([&] {
      Win win(*handle);
      Pool<WinHandlers>::functions[place].load()(win, code);
      return MPI_SUCCESS;
    });
  }
  static void throwing(MPI_Win*, int* code, ...) { keep_error(*code); }
  static int create(Callback* callback, MPI_Errhandler* handler) {
    return MPI_Win_create_errhandler(callback, handler);
  }
};

struct FileHandlers {
  typedef File::Errhandler_function Function;
  typedef MPI_File_errhandler_function Callback;
  static const int size = 32;
  template <int place>
  static void call(MPI_File* handle, int* code, ...) {
    guarded([&] {
      File file(*handle);
      Pool<FileHandlers>::functions[place].load()(file, code);
      return MPI_SUCCESS;
    });
  }
  static void throwing(MPI_File*, int* code, ...) { keep_error(*code); }
  static int create(Callback* callback, MPI_Errhandler* handler) {
    return MPI_File_create_errhandler(callback, handler);
  }
};

// The handler that throws, of one class of objects: made when it is first needed.
template <class Kind>
struct Thrower {
  static std::atomic<MPI_Errhandler> handler;
  static MPI_Errhandler get() {
    MPI_Errhandler is = handler.load();
    if (is != MPI_Errhandler()) return is;
    MPI_Errhandler mine = MPI_ERRHANDLER_NULL;
    Kind::create(&Kind::throwing, &mine);
    if (handler.compare_exchange_strong(is, mine)) return mine;
    MPI_Errhandler_free(&mine);
    return is;
  }
};
template <class Kind>
std::atomic<MPI_Errhandler> Thrower<Kind>::handler(nullptr);

template <class Kind>
bool is_thrower(MPI_Errhandler handle) {
  return handle != MPI_Errhandler() && handle == Thrower<Kind>::handler.load();
}

template <class Kind>
Errhandler create_errhandler(typename Kind::Function* function) {
  typename Kind::Callback* const callback = Pool<Kind>::callback_of(function);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  // Without a place C gets no function, and reports that.
  check(Kind::create(callback, &handler));
  return handler;
}

// What lives until the program ends; found by tools that look for lost memory.
struct Kept {
  Kept* next = nullptr;
  template <class Unused>
  struct First {
    static std::atomic<Kept*> kept;
  };
  template <class Object>
  static Object* of(Object* object) {
    std::atomic<Kept*>& first = First<void>::kept;
    object->next = first.load();
    while (!first.compare_exchange_weak(object->next, object)) {
    }
    return object;
  }
};
template <class Unused>
std::atomic<Kept*> Kept::First<Unused>::kept(nullptr);

// The functions behind a key of attributes. C gets this as extra state.
template <class Class>
struct Key : Kept {
  typename Class::Copy_attr_function* copy;
  typename Class::Delete_attr_function* remove;
  void* extra_state;

  static Key* made(typename Class::Copy_attr_function* copy,
                   typename Class::Delete_attr_function* remove, void* extra_state) {
    Key* const key = Kept::of(new Key);
    key->copy = copy;
    key->remove = remove;
    key->extra_state = extra_state;
    return key;
  }
  int copied(const Class& old, int keyval, void* in, void* out, int* flag) const {
    bool copies = false;
    const int code = copy(old, keyval, extra_state, in, out, copies);
    *flag = copies ? 1 : 0;
    return code;
  }
};

inline int copy_comm(MPI_Comm handle, int keyval, void* key, void* in, void* out, int* flag) {
  return guarded([&] {
    return with_comm(handle, [&](Comm& comm) {
      return static_cast<Key<Comm>*>(key)->copied(comm, keyval, in, out, flag);
    });
  });
}

inline int delete_comm(MPI_Comm handle, int keyval, void* value, void* key) {
  const Key<Comm>& of = *static_cast<Key<Comm>*>(key);
  return guarded([&] {
    return with_comm(handle,
                     [&](Comm& comm) { return of.remove(comm, keyval, value, of.extra_state); });
  });
}

// Types and windows, whose class needs no question.
template <class Class, class Handle>
int copy_of(Handle handle, int keyval, void* key, void* in, void* out, int* flag) {
  return guarded(
      [&] { return static_cast<Key<Class>*>(key)->copied(Class(handle), keyval, in, out, flag); });
}

template <class Class, class Handle>
int delete_of(Handle handle, int keyval, void* value, void* key) {
  const Key<Class>& of = *static_cast<Key<Class>*>(key);
  return guarded([&] {
    Class object(handle);
    return of.remove(object, keyval, value, of.extra_state);
  });
}

// The functions of a generalized request; gone with it.
struct Generalized {
  Grequest::Query_function* query;
  Grequest::Free_function* free;
  Grequest::Cancel_function* cancel;
  void* extra_state;

  static int ask(void* self, MPI_Status* status) {
    const Generalized& of = *static_cast<Generalized*>(self);
    return guarded([&] {
      Status answer(*status);
      const int code = of.query(of.extra_state, answer);
      *status = answer;
      return code;
    });
  }
  static int end(void* self) {
    Generalized* const of = static_cast<Generalized*>(self);
    const int code = guarded([&] { return of->free(of->extra_state); });
    delete of;
    return code;
  }
  static int stop(void* self, int complete) {
    const Generalized& of = *static_cast<Generalized*>(self);
    return guarded([&] { return of.cancel(of.extra_state, complete != 0); });
  }
};

struct Representation : Kept {
  Datarep_conversion_function* reading;
  Datarep_conversion_function* writing;
  Datarep_extent_function* extent;
  void* extra_state;

  static int extent_of(MPI_Datatype type, MPI_Aint* extent, void* self) {
    const Representation& of = *static_cast<Representation*>(self);
    return guarded([&] { return of.extent(Datatype(type), *extent, of.extra_state), MPI_SUCCESS; });
  }
  static int converted(Datarep_conversion_function* function, const Representation& of, void* user,
                       MPI_Datatype handle, int count, void* file, MPI_Offset position) {
    return guarded([&] {
      Datatype type(handle);
      return function(user, type, count, file, position, of.extra_state), MPI_SUCCESS;
    });
  }
  static int read(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                  void* self) {
    const Representation& of = *static_cast<Representation*>(self);
    return converted(of.reading, of, user, type, count, file, position);
  }
  static int write(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                   void* self) {
    const Representation& of = *static_cast<Representation*>(self);
    return converted(of.writing, of, user, type, count, file, position);
  }
};

}  // namespace detail
}  // namespace MPI

#endif
