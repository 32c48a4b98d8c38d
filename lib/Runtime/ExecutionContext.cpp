//===- ExecutionContext.cpp - what one run of a program owns ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/ExecutionContext.h"

#include <chrono>
#include <cstdlib>

using namespace memfmt::runtime;

void *memfmt::runtime::allocateAligned(int64_t bytes) {
  constexpr int64_t kAlignment = 64;
  return std::aligned_alloc(kAlignment, (bytes / kAlignment + 1) * kAlignment);
}

void ExecutionContext::Free::operator()(void *memory) const {
  std::free(memory);
}

llvm::Expected<std::unique_ptr<ExecutionContext>>
ExecutionContext::create(int64_t arenaBytes, const void *constants,
                         unsigned numThreads) {
  std::unique_ptr<ExecutionContext> result(new ExecutionContext(numThreads));
  result->arena.reset(allocateAligned(arenaBytes));
  if (!result->arena)
    return llvm::createStringError(std::errc::not_enough_memory,
                                   "out of memory: the arena needs %lld bytes",
                                   static_cast<long long>(arenaBytes));
  result->context.arena = result->arena.get();
  result->context.constants = constants;
  result->context.pool = result.get();
  result->context.launch = launch;
  return result;
}

void ExecutionContext::startProfile(size_t numLaunches) {
  profile.assign(numLaunches, {});
  context.profile = &profile;
}

void ExecutionContext::launch(memfmt_context *context, int64_t id,
                              memfmt_kernel_fn function, void **arguments,
                              int64_t n) {
  auto *self = static_cast<ExecutionContext *>(context->pool);
  if (!context->profile)
    return self->pool.run(function, arguments, n);
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  self->pool.run(function, arguments, n);
  int64_t time =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start)
          .count();
  LaunchTime &entry = self->profile[id];
  entry.least = entry.calls ? std::min(entry.least, time) : time;
  entry.total += time;
  ++entry.calls;
}
