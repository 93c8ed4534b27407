// SPDX-License-Identifier: BSD-3-Clause
// Attribute caching with copy and delete callbacks.
#include "core/object/attributes.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr int kSuccess = 0;  // MPI_SUCCESS

int destroy(void* handle, const Keyval& keyval, void* value) {
  return keyval.destroy == nullptr ? kSuccess
                                   : keyval.destroy(handle, keyval.number, value, keyval.extra);
}

}  // namespace

std::shared_ptr<Keyval> Keyvals::find(int number) const noexcept {
  const auto found = keyvals_.find(number);
  return found == keyvals_.end() ? nullptr : found->second;
}

int Keyvals::add(Keyval keyval) {
  keyval.number = next_++;
  keyvals_.emplace(keyval.number, std::make_shared<Keyval>(keyval));
  return keyval.number;
}

std::vector<AttributeSet::Entry>::iterator AttributeSet::entry(int number) noexcept {
  return std::find_if(entries_.begin(), entries_.end(),
                      [&](const Entry& e) { return e.keyval->number == number; });
}

void* const* AttributeSet::find(int number) const noexcept {
  const auto found = const_cast<AttributeSet*>(this)->entry(number);
  return found == entries_.end() ? nullptr : &found->value;
}

int AttributeSet::set(void* handle, const std::shared_ptr<Keyval>& keyval, void* value) {
  if (const auto old = entry(keyval->number); old != entries_.end()) {
    if (const int code = destroy(handle, *keyval, old->value); code != kSuccess) return code;
    // The callback may have changed the set.
    if (const auto again = entry(keyval->number); again != entries_.end()) {
      again->value = value;
      return kSuccess;
    }
  }
  entries_.push_back({keyval, value});
  return kSuccess;
}

int AttributeSet::erase(void* handle, int number) {
  const auto found = entry(number);
  if (found == entries_.end()) return kSuccess;
  const Entry old = *found;
  if (const int code = destroy(handle, *old.keyval, old.value); code != kSuccess) return code;
  if (const auto again = entry(number); again != entries_.end()) entries_.erase(again);
  return kSuccess;
}

int AttributeSet::copy_to(void* handle, AttributeSet& to) const {
  const std::vector<Entry> entries = entries_;  // callbacks may change the original
  for (const Entry& e : entries) {
    void* value = e.value;
    int flag = e.keyval->dup ? 1 : 0;
    if (e.keyval->copy != nullptr) {
      const int code =
          e.keyval->copy(handle, e.keyval->number, e.keyval->extra, e.value, &value, &flag);
      if (code != kSuccess) return code;
    }
    if (flag != 0) to.entries_.push_back({e.keyval, value});
  }
  return kSuccess;
}

int AttributeSet::clear(void* handle) {
  while (!entries_.empty()) {
    const Entry last = entries_.back();
    if (const int code = destroy(handle, *last.keyval, last.value); code != kSuccess) return code;
    if (const auto again = entry(last.keyval->number); again != entries_.end())
      entries_.erase(again);
  }
  return kSuccess;
}

}  // namespace tessera
