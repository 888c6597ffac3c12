// SPDX-License-Identifier: BSD-3-Clause
/// The pool that channels take requests from: one owner, many who give back.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "base/pool.hpp"
#include "base/spinlock.hpp"

namespace {

struct Object {
  Object* pool_next = nullptr;
  int value = 0;
  std::atomic<int> holders = 0;
};
using Pool = uccs::base::Pool<Object>;

TEST(Pool, HandsOutEachObjectOnceAndThenNothing) {
  Pool pool;
  ASSERT_TRUE(pool.reserve(10));
  std::set<Object*> seen;
  for (int i = 0; i < 10; ++i) {
    Object* object = pool.take();
    ASSERT_NE(object, nullptr);
    EXPECT_TRUE(seen.insert(object).second);
  }
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(*seen.begin());
  EXPECT_EQ(pool.take(), *seen.begin());
  pool.put_back(*seen.begin());
  EXPECT_EQ(pool.take(), *seen.begin());
  EXPECT_EQ(pool.take(), nullptr);
}

TEST(Pool, IsEmptyWithoutRoom) {
  Pool pool;
  EXPECT_EQ(pool.take(), nullptr);
}

// One thread takes, three give back what it hands them; nobody ever holds an object twice.
TEST(Pool, OtherThreadsGiveBack) {
  constexpr int kObjects = 32, kThreads = 3, kRounds = 20000;
  Pool pool;
  ASSERT_TRUE(pool.reserve(kObjects));
  std::atomic<Object*> hand[kThreads] = {};
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (;;) {
        Object* object = hand[t].exchange(nullptr, std::memory_order_acquire);
        if (object) {
          EXPECT_EQ(object->holders.fetch_sub(1), 1);
          ++object->value;
          pool.give_back(object);
        } else if (is_over.load()) {
          return;
        } else {
          sched_yield();
        }
      }
    });
  for (int i = 0; i < kRounds; ++i) {
    Object* object;
    while (!(object = pool.take())) sched_yield();
    EXPECT_EQ(object->holders.fetch_add(1), 0);
    Object* none = nullptr;
    while (!hand[i % kThreads].compare_exchange_weak(none, object, std::memory_order_release)) {
      none = nullptr;
      sched_yield();
    }
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  int total = 0, objects = 0;
  while (Object* object = pool.take()) {
    total += object->value;
    ++objects;
  }
  EXPECT_EQ(total, kRounds);
  EXPECT_EQ(objects, kObjects);
}

TEST(SpinLock, KeepsOthersOut) {
  uccs::base::SpinLock lock;
  long counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10000; ++i) {
        lock.lock();
        ++counter;
        lock.unlock();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 40000);
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
}

}  // namespace
