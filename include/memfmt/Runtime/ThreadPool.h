//===- ThreadPool.h - threads that wait for kernels -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_THREADPOOL_H
#define MEMFMT_RUNTIME_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace memfmt::runtime {

/// A fixed number of threads, the caller being one of them. Work is split
/// statically: the same pieces go to the same thread each time, so results and
/// caches do not depend on chance. One caller at a time.
class ThreadPool {
public:
  using Function = void (*)(void **arguments, int64_t lo, int64_t hi);

  /// Starts `numThreads - 1` threads.
  explicit ThreadPool(unsigned numThreads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned getNumThreads() const { return workers.size() + 1; }

  /// Calls `function` on a division of the pieces 0 to n and returns when all
  /// are done. Allocates nothing.
  void run(Function function, void **arguments, int64_t n);

private:
  void work(unsigned index);
  void runShare(unsigned index);

  std::vector<std::thread> workers;
  // The work at hand; written before `generation` grows.
  Function function = nullptr;
  void **arguments = nullptr;
  int64_t numPieces = 0;
  std::atomic<uint64_t> generation{0};
  std::atomic<unsigned> numBusy{0};
  std::atomic<bool> stop{false};
  // Workers that found nothing to do for a while sleep.
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<unsigned> numSleeping{0};
};

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_THREADPOOL_H
