//===- ExecutionContext.h - what one run of a program owns ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_EXECUTIONCONTEXT_H
#define MEMFMT_RUNTIME_EXECUTIONCONTEXT_H

#include "memfmt/Abi.h"
#include "memfmt/Runtime/ThreadPool.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace memfmt::runtime {

/// Nanoseconds of one launch.
struct LaunchTime {
  int64_t calls = 0, total = 0, least = 0;
};

/// The arena, the threads and the profile of one caller. Two callers of one
/// program use two contexts.
class ExecutionContext {
public:
  /// `constants` outlive the context. Fails when memory is out.
  static llvm::Expected<std::unique_ptr<ExecutionContext>>
  create(int64_t arenaBytes, const void *constants, unsigned numThreads);

  memfmt_context *get() { return &context; }
  unsigned getNumThreads() const { return pool.getNumThreads(); }

  /// Measures each launch from now on; `numLaunches` ids.
  void startProfile(size_t numLaunches);
  void stopProfile() { context.profile = nullptr; }
  llvm::ArrayRef<LaunchTime> getProfile() const { return profile; }

private:
  explicit ExecutionContext(unsigned numThreads) : pool(numThreads) {}
  static void launch(memfmt_context *context, int64_t id,
                     memfmt_kernel_fn function, void **arguments, int64_t n);

  struct Free {
    void operator()(void *memory) const;
  };
  memfmt_context context = {};
  std::unique_ptr<void, Free> arena;
  ThreadPool pool;
  std::vector<LaunchTime> profile;
};

/// Bytes at an address that is a multiple of 64; null when memory is out.
void *allocateAligned(int64_t bytes);

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_EXECUTIONCONTEXT_H
