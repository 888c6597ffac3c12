// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace uccs::base {

/// A bounded store of equal objects: one owner takes, any thread gives back. Taking costs a list
/// pop, giving back from elsewhere one compare-and-swap on a line that the owner looks at only when
/// its own list is empty. Memory is touched as it is first used, not before.
///
/// `T` is default-constructible and has a member `T* pool_next` that is the pool's while the object
/// is not taken. "Owner" is whoever holds the lock or the role that the caller defines.
///
/// No ABA: only the owner removes from the returned list, and it removes all of it at once.
template <typename T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (size_t i = 0; i < used_; ++i) objects_[i].~T();
    free(objects_);
  }

  /// Room for `capacity` objects. False when the address space is exhausted.
  bool reserve(size_t capacity) {
    objects_ = static_cast<T*>(aligned_alloc(alignof(T), capacity * sizeof(T)));
    capacity_ = objects_ ? capacity : 0;
    return objects_ != nullptr;
  }

  /// Owner. nullptr when all objects are taken.
  T* take() {
    if (!own_) [[unlikely]] {
      // Relaxed look first: the exchange would take the line away from those who return objects.
      // Acquire: pairs with `give_back`, whose thread has finished with the objects.
      if (returned_.load(std::memory_order_relaxed)) {
        own_ = returned_.exchange(nullptr, std::memory_order_acquire);
      } else if (used_ < capacity_) {
        return new (&objects_[used_++]) T();
      } else {
        return nullptr;
      }
    }
    T* object = own_;
    own_ = object->pool_next;
    return object;
  }

  /// Any thread.
  void give_back(T* object) {
    T* head = returned_.load(std::memory_order_relaxed);
    do {
      object->pool_next = head;
    } while (!returned_.compare_exchange_weak(head, object, std::memory_order_release,
                                              std::memory_order_relaxed));
  }

  /// Owner; cheaper than `give_back`.
  void put_back(T* object) {
    object->pool_next = own_;
    own_ = object;
  }

 private:
  T* own_ = nullptr;
  T* objects_ = nullptr;
  size_t used_ = 0;
  size_t capacity_ = 0;
  alignas(64) std::atomic<T*> returned_ = nullptr;
};

}  // namespace uccs::base
