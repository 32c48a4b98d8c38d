//===- ConvTest.cpp - convolution kernels against the definition -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ConvReference.h"

#include "gtest/gtest.h"

using namespace memfmt;
using memfmt::testing::ConvCase;
using memfmt::testing::ConvKind;
using memfmt::testing::makeShape;

namespace {
/// Runs the pieces of a kernel in two parts, the last first, and compares every
/// element with the definition in double.
void check(const kernels::ConvShape &shape, ConvKind kind, bool residual,
           llvm::StringRef targetName) {
  const kernels::TargetInfo *target = kernels::lookupTarget(targetName);
  ASSERT_TRUE(target);
  ConvCase c(shape, kind, residual, *target, targetName == "host");
  ASSERT_TRUE(c.kernel);
  int64_t middle = c.tiles / 2;
  c.run(middle, c.tiles);
  c.run(0, middle);
  std::vector<double> expected = c.reference();
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(c.output[i], expected[i], 1e-4) << "element " << i;
}

class ConvTest : public ::testing::TestWithParam<const char *> {};
} // namespace

TEST_P(ConvTest, FillsVectors) {
  kernels::ConvShape shape = makeShape(1, 32, 14, 14, 32, 3, 3, 1, 1, 1, 1, 1);
  for (ConvKind kind :
       {ConvKind::ChannelsLast, ConvKind::Mixed, ConvKind::Contiguous})
    for (bool residual : {false, true})
      check(shape, kind, residual, GetParam());
}

TEST_P(ConvTest, FillsNoVector) {
  // Three images, 5 to 7 channels, stride 2, dilation 2, unequal padding.
  kernels::ConvShape shape = makeShape(3, 5, 11, 9, 7, 3, 2, 2, 2, 1, 2, 1);
  for (ConvKind kind :
       {ConvKind::ChannelsLast, ConvKind::Mixed, ConvKind::Contiguous})
    for (bool residual : {false, true})
      check(shape, kind, residual, GetParam());
}

TEST_P(ConvTest, Groups) {
  kernels::ConvShape shape = makeShape(2, 12, 6, 7, 15, 3, 3, 1, 1, 1, 1, 3);
  for (ConvKind kind : {ConvKind::ChannelsLast, ConvKind::Contiguous})
    check(shape, kind, true, GetParam());
}

TEST_P(ConvTest, Depthwise) {
  for (int64_t channels : {5, 16, 37}) {
    kernels::ConvShape shape =
        makeShape(2, channels, 9, 8, channels, 3, 3, 2, 1, 1, 1, channels);
    for (ConvKind kind : {ConvKind::Depthwise, ConvKind::Contiguous})
      check(shape, kind, true, GetParam());
  }
}

TEST_P(ConvTest, Pointwise) {
  kernels::ConvShape shape = makeShape(2, 19, 7, 5, 33, 1, 1, 1, 0, 0, 1, 1);
  for (ConvKind kind : {ConvKind::ChannelsLast, ConvKind::Contiguous})
    check(shape, kind, true, GetParam());
}

TEST_P(ConvTest, WindowLargerThanImage) {
  kernels::ConvShape shape = makeShape(1, 4, 2, 3, 8, 5, 5, 1, 3, 3, 1, 1);
  for (ConvKind kind : {ConvKind::ChannelsLast, ConvKind::Contiguous})
    check(shape, kind, false, GetParam());
}

// The best row of this machine, and narrow vectors where they run everywhere.
#if defined(__x86_64__)
INSTANTIATE_TEST_SUITE_P(Targets, ConvTest, ::testing::Values("host", "sse"));
#else
INSTANTIATE_TEST_SUITE_P(Targets, ConvTest, ::testing::Values("host"));
#endif
