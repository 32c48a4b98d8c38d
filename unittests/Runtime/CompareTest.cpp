//===- CompareTest.cpp - the rule of comparison -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/Compare.h"

#include "Testing.h"

#include <cmath>

using namespace memfmt::runtime;

static Comparison compare(llvm::ArrayRef<float> actual,
                          llvm::ArrayRef<float> expected, double rtol,
                          double atol) {
  int64_t size = actual.size();
  return getOrFail(compareTensors(makeTensor({size}, actual),
                                  makeTensor({size}, expected), rtol, atol));
}

TEST(CompareTest, LargestErrorAgainstLargestExpectedValue) {
  // Errors 0.5 and 1; the largest expected value is 8.
  Comparison result = compare({1.5, -7, 0}, {1, -8, 0}, 0.125, 0);
  EXPECT_TRUE(result.holds);
  EXPECT_EQ(result.maxAbsError, 1);
  EXPECT_EQ(result.allowed, 1);
  EXPECT_EQ(result.worstIndex, 1);
  EXPECT_EQ(result.actual, -7);
  EXPECT_EQ(result.expected, -8);
  EXPECT_FALSE(compare({1.5, -7, 0}, {1, -8, 0}, 0.124, 0).holds);
  EXPECT_TRUE(compare({1.5, -7, 0}, {1, -8, 0}, 0, 1).holds);
  EXPECT_FALSE(compare({1.5, -7, 0}, {1, -8, 0}, 0, 0.99).holds);
}

TEST(CompareTest, NaNAndInfinityStandInTheSamePlaces) {
  float nan = NAN, inf = INFINITY;
  EXPECT_TRUE(compare({nan, inf, -inf, 1}, {nan, inf, -inf, 1}, 0, 0).holds);
  // They say nothing about the size of errors.
  Comparison mixed = compare({inf, 2}, {inf, 1}, 0.5, 0);
  EXPECT_EQ(mixed.allowed, 0.5);
  EXPECT_FALSE(mixed.holds);
  EXPECT_EQ(mixed.worstIndex, 1);
  for (auto [x, y] : {std::pair(nan, 1.f),
                      {1.f, nan},
                      {inf, -inf},
                      {inf, nan},
                      {inf, 1.f},
                      {1.f, -inf}}) {
    Comparison result = compare({9, x}, {1, y}, 1e9, 1e9);
    EXPECT_FALSE(result.holds) << x << " " << y;
    EXPECT_EQ(result.worstIndex, 1);
  }
}

TEST(CompareTest, EmptyArraysAgree) {
  Comparison result = compare({}, {}, 0, 0);
  EXPECT_TRUE(result.holds);
  EXPECT_EQ(result.worstIndex, -1);
}

TEST(CompareTest, IntegersAreExact) {
  // Equal as f64, not as integers.
  int64_t large = (int64_t(1) << 60) + 1;
  auto make = [](int64_t value) {
    return makeTensor<int64_t>(ElementType::i64, {2}, {7, value});
  };
  Comparison result =
      getOrFail(compareTensors(make(large), make(large - 1), 1, 1e30));
  EXPECT_FALSE(result.holds);
  EXPECT_EQ(result.worstIndex, 1);
  EXPECT_TRUE(getOrFail(compareTensors(make(large), make(large), 0, 0)).holds);
}

TEST(CompareTest, HalfPrecision) {
  auto make = [](uint16_t bits) {
    return makeTensor<uint16_t>(ElementType::bf16, {}, bits);
  };
  // 1 and the next bf16 number, 1 + 2^-7.
  auto run = [&](double rtol) {
    return getOrFail(compareTensors(make(0x3f81), make(0x3f80), rtol, 0));
  };
  EXPECT_EQ(run(0).maxAbsError, 0x1p-7);
  EXPECT_TRUE(run(0x1p-7).holds);
  EXPECT_FALSE(run(0x1p-8).holds);
}

TEST(CompareTest, RefusesOtherTypes) {
  HostTensor a = makeTensor({2}, {1, 2});
  EXPECT_EQ(getMessage(compareTensors(a, makeTensor({2, 1}, {1, 2}), 0, 0)),
            "has type 2xf32, the expected values have 2x1xf32");
  EXPECT_EQ(getMessage(compareTensors(
                a, makeTensor<int32_t>(ElementType::i32, {2}, {1, 2}), 0, 0)),
            "has type 2xf32, the expected values have 2xi32");
}

TEST(CompareTest, FormatsIndices) {
  EXPECT_EQ(formatIndex({}, 0), "[]");
  EXPECT_EQ(formatIndex({2, 3, 4}, 23), "[1, 2, 3]");
  EXPECT_EQ(formatIndex({2, 3, 4}, 4), "[0, 1, 0]");
}
