//===- ThreadPool.cpp - threads that wait for kernels -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/ThreadPool.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace memfmt::runtime;

static void pauseBriefly() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// How long a thread spins before it sleeps or yields: some 50 microseconds,
/// longer than the gap between two kernels.
static constexpr int kSpins = 2000;

ThreadPool::ThreadPool(unsigned numThreads) {
  workers.reserve(numThreads ? numThreads - 1 : 0);
  for (unsigned i = 1; i < numThreads; ++i)
    workers.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

/// The same contiguous share for the same index, whatever runs first.
void ThreadPool::runShare(unsigned index) {
  int64_t n = numPieces, threads = getNumThreads();
  int64_t each = n / threads, more = n % threads;
  int64_t lo = index * each + std::min<int64_t>(index, more);
  int64_t hi = lo + each + (index < more ? 1 : 0);
  if (lo < hi)
    function(arguments, lo, hi);
}

void ThreadPool::work(unsigned index) {
  uint64_t seen = 0;
  while (true) {
    for (int spins = 0; generation.load() == seen && !stop && spins < kSpins;
         ++spins)
      pauseBriefly();
    if (generation.load() == seen && !stop) {
      std::unique_lock<std::mutex> lock(mutex);
      ++numSleeping;
      wake.wait(lock, [&] { return generation.load() != seen || stop; });
      --numSleeping;
    }
    if (stop)
      return;
    ++seen;
    runShare(index);
    numBusy.fetch_sub(1);
  }
}

void ThreadPool::run(Function newFunction, void **newArguments, int64_t n) {
  if (workers.empty() || n <= 1) {
    if (n > 0)
      newFunction(newArguments, 0, n);
    return;
  }
  function = newFunction;
  arguments = newArguments;
  numPieces = n;
  numBusy = workers.size();
  generation.fetch_add(1);
  // A worker that is about to sleep holds the mutex and looks again; one that
  // sleeps is counted.
  if (numSleeping.load()) {
    {
      std::lock_guard<std::mutex> lock(mutex);
    }
    wake.notify_all();
  }
  runShare(0);
  for (int spins = 0; numBusy.load() != 0; ++spins) {
    if (spins < kSpins)
      pauseBriefly();
    else
      std::this_thread::yield();
  }
}
