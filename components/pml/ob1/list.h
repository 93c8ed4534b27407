// SPDX-License-Identifier: BSD-3-Clause
// Intrusive doubly linked lists: an object is in a list through a Hook it inherits, so linking
// never allocates.
#pragma once
//
// Contract. An object is in at most one list per Tag. The list does not own its members; a member
// may unlink itself without knowing the list. A list must be empty, or its members forgotten, when
// it is destroyed.
//

namespace tessera::ob1 {

template <class T, class Tag>
class List;

template <class Tag>
class Hook {
 public:
  Hook() noexcept = default;
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
  bool linked() const noexcept { return next_ != nullptr; }
  void unlink() noexcept {
    prev_->next_ = next_;
    next_->prev_ = prev_;
    next_ = prev_ = nullptr;
  }

 private:
  template <class, class>
  friend class List;
  Hook* next_ = nullptr;
  Hook* prev_ = nullptr;
};

template <class T, class Tag>
class List {
 public:
  List() noexcept { head_.next_ = head_.prev_ = &head_; }

  bool empty() const noexcept { return head_.next_ == &head_; }
  T& front() noexcept { return static_cast<T&>(*head_.next_); }
  void push_back(T& item) noexcept { insert_before(head_, item); }
  void push_front(T& item) noexcept { insert_before(*head_.next_, item); }
  T& pop_front() noexcept {
    Hook<Tag>& first = *head_.next_;
    first.unlink();
    return static_cast<T&>(first);
  }
  template <class Visit>
  void for_each(Visit&& visit) noexcept {
    for (Hook<Tag>* at = head_.next_; at != &head_; at = at->next_) visit(static_cast<T&>(*at));
  }
  // Takes over all members of `other`, which is empty then; this list was empty.
  void take(List& other) noexcept {
    if (other.empty()) return;
    head_.next_ = other.head_.next_;
    head_.prev_ = other.head_.prev_;
    head_.next_->prev_ = head_.prev_->next_ = &head_;
    other.head_.next_ = other.head_.prev_ = &other.head_;
  }

 private:
  static void insert_before(Hook<Tag>& position, Hook<Tag>& item) noexcept {
    item.prev_ = position.prev_;
    item.next_ = &position;
    position.prev_->next_ = &item;
    position.prev_ = &item;
  }
  Hook<Tag> head_;
};

}  // namespace tessera::ob1
