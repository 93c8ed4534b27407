// SPDX-License-Identifier: BSD-3-Clause
// Cached attributes of communicators, datatypes and windows. Source: MPI-5.0 §7.7.
#pragma once
//
// Contract. A Keyval names an attribute and says what happens when its object is duplicated or
// freed; an AttributeSet belongs to one object. Freeing a keyval only gives up the number:
// attributes that hold it keep it alive. Callbacks return an MPI error code; the first that is not
// MPI_SUCCESS stops the operation, which then fails with that code and leaves the old object as it
// was. On deletion of an object, callbacks run in reverse order of setting (MPI-5.0 §7.7.1 asks for
// an arbitrary one in general and the reverse order for MPI_COMM_SELF). Callbacks may use the set
// they are called from.
//
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace tessera {

enum class KeyvalOf : std::uint8_t { communicator, datatype, window };

struct Keyval {
  using Copy = int (*)(void* handle, int keyval, void* extra, void* in, void* out, int* flag);
  using Delete = int (*)(void* handle, int keyval, void* value, void* extra);

  int number = 0;
  KeyvalOf of = KeyvalOf::communicator;
  Copy copy = nullptr;       // null: attributes are not copied
  bool dup = false;          // copy the pointer without asking (MPI_COMM_DUP_FN)
  Delete destroy = nullptr;  // null: nothing to do
  void* extra = nullptr;
};

// All keyvals of an Instance, by number. Numbers are never reused.
class Keyvals {
 public:
  std::shared_ptr<Keyval> find(int number) const noexcept;
  int add(Keyval keyval);
  bool remove(int number) noexcept { return keyvals_.erase(number) > 0; }

 private:
  static constexpr int kFirst = 1'000;  // beyond the predefined numbers of the ABI
  std::map<int, std::shared_ptr<Keyval>> keyvals_;
  int next_ = kFirst;
};

class AttributeSet {
 public:
  // Null when there is none. The value is the user's pointer.
  void* const* find(int number) const noexcept;
  // Replaces an earlier value after its delete callback agreed.
  int set(void* handle, const std::shared_ptr<Keyval>& keyval, void* value);
  int erase(void* handle, int number);
  // Copies what the callbacks let pass into `to`, which belongs to a new object.
  int copy_to(void* handle, AttributeSet& to) const;
  // Before the object goes. Stops at the first callback that refuses.
  int clear(void* handle);
  bool empty() const noexcept { return entries_.empty(); }

 private:
  struct Entry {
    std::shared_ptr<Keyval> keyval;
    void* value;
  };
  std::vector<Entry>::iterator entry(int number) noexcept;
  std::vector<Entry> entries_;  // in order of setting
};

}  // namespace tessera
