//===- FormatLatticeTest.cpp - how formats meet -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Analysis/FormatLattice.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace memfmt;

namespace {

class FormatLatticeTest : public ::testing::Test {
protected:
  FormatLatticeTest() { context.loadDialect<MemFmtDialect>(); }

  FormatFact permuted(ArrayRef<int64_t> order) {
    return FormatFact::known(FormatAttr::get(&context, order));
  }
  FormatFact blocked(int64_t size) {
    return FormatFact::known(
        FormatAttr::get(&context, {0, 1, 2, 3}, {1}, {size}));
  }
  /// One of every level, and two where a level has several.
  SmallVector<FormatFact> getFacts() {
    return {FormatFact(),
            FormatFact::known({}),
            permuted({3, 0, 1, 2}),
            permuted({1, 0, 2, 3}),
            FormatFact::known(getChannelsLast(&context)),
            blocked(8),
            blocked(16),
            FormatFact::meet(blocked(8), blocked(16)),
            FormatFact::known(StridedAttr::get(&context, {60, 1, 15, 3}, 0))};
  }

  MLIRContext context;
};

TEST_F(FormatLatticeTest, OrderDoesNotMatter) {
  for (const FormatFact &a : getFacts())
    for (const FormatFact &b : getFacts()) {
      EXPECT_EQ(FormatFact::meet(a, b), FormatFact::meet(b, a));
      for (const FormatFact &c : getFacts())
        EXPECT_EQ(FormatFact::meet(FormatFact::meet(a, b), c),
                  FormatFact::meet(a, FormatFact::meet(b, c)));
    }
}

TEST_F(FormatLatticeTest, MeetingItselfChangesNothing) {
  for (const FormatFact &a : getFacts()) {
    EXPECT_EQ(FormatFact::meet(a, a), a);
    EXPECT_EQ(FormatFact::meet(a, FormatFact()), a);
  }
}

TEST_F(FormatLatticeTest, TheTableOfTheSpecification) {
  FormatFact last = FormatFact::known(getChannelsLast(&context));
  FormatFact contiguous = FormatFact::known({});
  EXPECT_EQ(FormatFact::meet(contiguous, last), last);
  EXPECT_EQ(FormatFact::meet(contiguous, permuted({3, 0, 1, 2})),
            permuted({3, 0, 1, 2}));
  EXPECT_EQ(FormatFact::meet(permuted({3, 0, 1, 2}), permuted({1, 0, 2, 3})),
            last);
  EXPECT_EQ(FormatFact::meet(last, blocked(8)), blocked(8));
  FormatFact undecided = FormatFact::meet(blocked(8), blocked(16));
  EXPECT_TRUE(undecided.isUndecided());
  EXPECT_EQ(undecided.resolve(&context, 4), getChannelsLast(&context));
  EXPECT_EQ(undecided.resolve(&context, 2), Attribute());
  // Strides promise nothing.
  EXPECT_EQ(FormatFact::known(StridedAttr::get(&context, {60, 1, 15, 3}, 0)),
            contiguous);
}

} // namespace
