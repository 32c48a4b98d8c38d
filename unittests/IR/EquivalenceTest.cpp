//===- EquivalenceTest.cpp - equivalence by counting addresses --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `areEquivalent` against the definition: the address of every element,
// computed one by one from the text of the format, and the size of the buffer.
//
//===----------------------------------------------------------------------===//

#include "memfmt/IR/Format.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace mlir;
using namespace memfmt;

namespace {

/// A format in the words of the test.
struct Spec {
  std::vector<int64_t> order;
  std::vector<std::pair<int64_t, int64_t>> blocks;
};

/// Address of every element in row-major order of indices, then the number of
/// elements of the buffer.
std::vector<int64_t> countAddresses(const std::vector<int64_t> &shape,
                                    const Spec &spec) {
  int64_t rank = shape.size();
  std::vector<int64_t> perAxis(rank, 1);
  for (auto [axis, size] : spec.blocks)
    perAxis[axis] *= size;
  std::vector<int64_t> result;
  int64_t elements = std::accumulate(shape.begin(), shape.end(), int64_t(1),
                                     std::multiplies<int64_t>());
  for (int64_t element = 0; element < elements; ++element) {
    std::vector<int64_t> index(rank);
    int64_t rest = element;
    for (int64_t axis = rank - 1; axis >= 0; --axis) {
      index[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    int64_t address = 0;
    for (int64_t axis : spec.order)
      address = address * ((shape[axis] + perAxis[axis] - 1) / perAxis[axis]) +
                index[axis] / perAxis[axis];
    std::vector<int64_t> left(perAxis);
    for (auto [axis, size] : spec.blocks) {
      left[axis] /= size;
      address = address * size + index[axis] / left[axis] % size;
    }
    result.push_back(address);
  }
  int64_t buffer = 1;
  for (int64_t axis = 0; axis < rank; ++axis)
    buffer *= (shape[axis] + perAxis[axis] - 1) / perAxis[axis] * perAxis[axis];
  result.push_back(buffer);
  return result;
}

class EquivalenceTest : public ::testing::Test {
protected:
  EquivalenceTest() { context.loadDialect<MemFmtDialect>(); }

  RankedTensorType makeType(const std::vector<int64_t> &shape,
                            const Spec &spec) {
    SmallVector<int64_t> axes, sizes;
    for (auto [axis, size] : spec.blocks) {
      axes.push_back(axis);
      sizes.push_back(size);
    }
    using List = ArrayRef<int64_t>;
    return RankedTensorType::get(
        shape, Float32Type::get(&context),
        FormatAttr::get(&context, List(spec.order), List(axes), List(sizes)));
  }

  MLIRContext context;
};

TEST_F(EquivalenceTest, EveryPairOfFormatsOnSmallShapes) {
  std::vector<Spec> specs;
  std::vector<int64_t> order = {0, 1, 2};
  do {
    specs.push_back({order, {}});
    specs.push_back({order, {{1, 2}}});
    specs.push_back({order, {{1, 4}}});
    specs.push_back({order, {{1, 2}, {1, 2}}});
    specs.push_back({order, {{1, 2}, {0, 2}}});
    specs.push_back({order, {{0, 2}, {1, 2}}});
    specs.push_back({order, {{2, 1}}});
  } while (std::next_permutation(order.begin(), order.end()));

  int64_t pairs = 0, equivalent = 0;
  for (int64_t a : {1, 2, 3})
    for (int64_t b : {1, 2, 4, 5})
      for (int64_t c : {1, 2, 3}) {
        std::vector<int64_t> shape = {a, b, c};
        for (const Spec &left : specs)
          for (const Spec &right : specs) {
            bool expected =
                countAddresses(shape, left) == countAddresses(shape, right);
            RankedTensorType x = makeType(shape, left);
            RankedTensorType y = makeType(shape, right);
            std::string text;
            llvm::raw_string_ostream(text) << x << " and " << y;
            EXPECT_EQ(areEquivalent(x, y), expected) << text;
            ++pairs;
            equivalent += expected;
          }
      }
  // Neither answer is rare.
  EXPECT_GT(equivalent, pairs / 20);
  EXPECT_LT(equivalent, pairs / 2);
}

TEST_F(EquivalenceTest, StridedIsComparedByAddress) {
  auto strided = [&](ArrayRef<int64_t> strides, int64_t offset = 0) {
    return StridedAttr::get(&context, strides, offset);
  };
  auto type = [&](ArrayRef<int64_t> shape, Attribute format) {
    return RankedTensorType::get(shape, Float32Type::get(&context), format);
  };
  FormatAttr channelsLast = getChannelsLast(&context);
  EXPECT_TRUE(areEquivalent(type({2, 3, 4, 5}, channelsLast),
                            type({2, 3, 4, 5}, strided({60, 1, 15, 3}))));
  EXPECT_FALSE(areEquivalent(type({2, 3, 4, 5}, channelsLast),
                             type({2, 3, 4, 5}, strided({60, 1, 15, 3}, 1))));
  EXPECT_FALSE(areEquivalent(type({2, 3, 4, 5}, {}),
                             type({2, 3, 4, 5}, strided({60, 1, 15, 3}))));
  EXPECT_TRUE(areEquivalent(type({1, 1, 3, 4}, {}),
                            type({1, 1, 3, 4}, strided({24, 24, 4, 1}))));
  EXPECT_TRUE(areEquivalent(type({}, {}), type({}, strided({}))));
  int64_t any = ShapedType::kDynamic;
  EXPECT_FALSE(areEquivalent(type({2, 3, 4, 5}, channelsLast),
                             type({2, 3, 4, 5}, strided({any, 1, 15, 3}))));
  EXPECT_TRUE(areEquivalent(type({1, 3, 4, 5}, channelsLast),
                            type({1, 3, 4, 5}, strided({any, 1, 15, 3}))));
}

TEST_F(EquivalenceTest, DynamicSizesOnlyWhenItHoldsForAll) {
  int64_t any = ShapedType::kDynamic;
  auto type = [&](ArrayRef<int64_t> shape, Attribute format) {
    return RankedTensorType::get(shape, Float32Type::get(&context), format);
  };
  FormatAttr channelsLast = getChannelsLast(&context);
  EXPECT_TRUE(areEquivalent(type({any, 1, any, any}, {}),
                            type({any, 1, any, any}, channelsLast)));
  EXPECT_TRUE(areEquivalent(type({any, any, 1, 1}, {}),
                            type({any, any, 1, 1}, channelsLast)));
  EXPECT_FALSE(areEquivalent(type({1, any, any, any}, {}),
                             type({1, any, any, any}, channelsLast)));
  auto blocked = FormatAttr::get(&context, {0, 1, 2, 3}, {1}, {16});
  EXPECT_TRUE(
      areEquivalent(type({any, 32, 1, 1}, {}), type({any, 32, 1, 1}, blocked)));
  EXPECT_FALSE(
      areEquivalent(type({2, any, 1, 1}, {}), type({2, any, 1, 1}, blocked)));
}

} // namespace
