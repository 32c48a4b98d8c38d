//===- ThreadPoolTest.cpp - threads that wait for kernels -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/ThreadPool.h"

#include "gtest/gtest.h"

#include <chrono>

using namespace memfmt::runtime;

namespace {
struct Record {
  std::vector<int> visits;
  std::vector<std::thread::id> threads;
};
} // namespace

static void visit(void **arguments, int64_t lo, int64_t hi) {
  auto *record = static_cast<Record *>(arguments[0]);
  for (int64_t i = lo; i < hi; ++i) {
    ++record->visits[i];
    record->threads[i] = std::this_thread::get_id();
  }
}

TEST(ThreadPoolTest, VisitsEachPieceOnceOnTheSameThread) {
  for (unsigned numThreads = 1; numThreads <= 8; ++numThreads) {
    ThreadPool pool(numThreads);
    EXPECT_EQ(pool.getNumThreads(), numThreads);
    for (int64_t n : {0, 1, 2, 3, 7, 8, 9, 100}) {
      Record first{std::vector<int>(n), std::vector<std::thread::id>(n)};
      Record second = first;
      void *arguments[] = {&first};
      pool.run(visit, arguments, n);
      arguments[0] = &second;
      pool.run(visit, arguments, n);
      EXPECT_EQ(first.visits, std::vector<int>(n, 1)) << numThreads << " " << n;
      EXPECT_EQ(second.visits, first.visits);
      EXPECT_EQ(second.threads, first.threads);
    }
  }
}

TEST(ThreadPoolTest, SharesAreContiguousAndEven) {
  ThreadPool pool(3);
  Record record{std::vector<int>(8), std::vector<std::thread::id>(8)};
  void *arguments[] = {&record};
  pool.run(visit, arguments, 8);
  // 3 + 3 + 2.
  const auto &ids = record.threads;
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_EQ(ids[0], ids[2]);
  EXPECT_NE(ids[2], ids[3]);
  EXPECT_EQ(ids[3], ids[5]);
  EXPECT_NE(ids[5], ids[6]);
  EXPECT_EQ(ids[6], ids[7]);
}

static void add(void **arguments, int64_t lo, int64_t hi) {
  static_cast<std::atomic<int64_t> *>(arguments[0])->fetch_add(hi - lo);
}

TEST(ThreadPoolTest, ManyCallsInARowAndAfterSleep) {
  ThreadPool pool(4);
  std::atomic<int64_t> sum{0};
  void *arguments[] = {&sum};
  for (int i = 0; i < 2000; ++i)
    pool.run(add, arguments, 5);
  EXPECT_EQ(sum, 10000);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    pool.run(add, arguments, 5);
  }
  EXPECT_EQ(sum, 10025);
}
