//===- FormatTest.cpp - formats, physical types, constants ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/Format.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <limits>

using namespace mlir;
using namespace memfmt;

namespace {

using List = SmallVector<int64_t>;
constexpr int64_t kAny = ShapedType::kDynamic;
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

class FormatTest : public ::testing::Test {
protected:
  FormatTest() { context.loadDialect<MemFmtDialect>(); }

  RankedTensorType type(ArrayRef<int64_t> shape, Attribute format = {}) {
    return RankedTensorType::get(shape, Float32Type::get(&context), format);
  }
  FormatAttr blocked(ArrayRef<int64_t> axes, ArrayRef<int64_t> sizes) {
    return FormatAttr::get(&context, {0, 1, 2, 3}, axes, sizes);
  }

  MLIRContext context;
};

TEST_F(FormatTest, EveryFormatHasOneAttribute) {
  FormatAttr channelsLast = getChannelsLast(&context);
  EXPECT_EQ(FormatAttr::get(&context, {0, 2, 1}), channelsLast);
  EXPECT_EQ(FormatAttr::get(&context, {0, 2, 3, 1}), channelsLast);
  EXPECT_EQ(FormatAttr::get(&context, {0, 2, 3, 4, 1}), channelsLast);
  EXPECT_NE(FormatAttr::get(&context, {1, 0}), channelsLast);
  EXPECT_NE(FormatAttr::get(&context, {0, 2, 3, 1}, {1}, {8}), channelsLast);
  EXPECT_EQ(getPermuted(&context, {0, 1, 2}), FormatAttr());
}

TEST_F(FormatTest, IdentityIsRowMajor) {
  RankedTensorType spelled =
      type({2, 3, 4, 5}, FormatAttr::get(&context, {0, 1, 2, 3}));
  RankedTensorType plain = type({2, 3, 4, 5});
  EXPECT_TRUE(isContiguousType(spelled));
  EXPECT_TRUE(areEquivalent(spelled, plain));
  EXPECT_EQ(getPhysicalType(spelled), plain);
  EXPECT_EQ(withFormat(plain, spelled.getEncoding()), plain);
}

TEST_F(FormatTest, StridesOfTheSpecification) {
  FormatAttr channelsLast = getChannelsLast(&context);
  EXPECT_EQ(*channelsLast.getStrides({2, 3, 4, 5}), List({60, 1, 15, 3}));
  EXPECT_EQ(*channelsLast.getStrides({2, 3, 4}), List({12, 1, 3}));
  EXPECT_EQ(*channelsLast.getStrides({2, 3, 4, 5, 6}),
            List({360, 1, 90, 18, 3}));
  EXPECT_EQ(*channelsLast.getStrides({10, 3, 32, 32}), List({3072, 1, 96, 3}));
  EXPECT_EQ(*channelsLast.getStrides({kAny, 3, kAny, 5}),
            List({kAny, 1, 15, 3}));
  EXPECT_EQ(*channelsLast.getStrides({2, kAny, 4, 5}),
            List({kAny, 1, kAny, kAny}));
  EXPECT_TRUE(failed(blocked({1}, {16}).getStrides({2, 3, 4, 5})));
  EXPECT_TRUE(failed(channelsLast.getStrides({2, kHuge, kHuge, 5})));
}

TEST_F(FormatTest, PhysicalShapes) {
  EXPECT_EQ(getPhysicalType(type({2, 3, 4, 5}, getChannelsLast(&context))),
            type({2, 4, 5, 3}));
  EXPECT_EQ(getPhysicalType(type({2, 3, 4, 5}, blocked({1}, {16}))),
            type({2, 1, 4, 5, 16}));
  EXPECT_EQ(getPhysicalType(type({40, 33, 3, 3}, blocked({1, 0}, {16, 16}))),
            type({3, 3, 3, 3, 16, 16}));
  EXPECT_EQ(getPhysicalType(type({kAny, 33, kAny, 3}, blocked({1}, {16}))),
            type({kAny, 3, kAny, 3, 16}));
  EXPECT_EQ(getPhysicalType(type({2, kHuge, 4, 5}, blocked({1}, {2}))),
            type({2, int64_t(1) << 62, 4, 5, 2}));
  // Both blocks of one axis divide it.
  EXPECT_EQ(getPhysicalType(type({2, 33, 4, 5}, blocked({1, 1}, {4, 4}))),
            type({2, 3, 4, 5, 4, 4}));
}

TEST_F(FormatTest, PhysicalBytes) {
  EXPECT_EQ(getPhysicalBytes(type({2, 3, 4, 5})), 480);
  EXPECT_EQ(getPhysicalBytes(type({2, 3, 4, 5}, blocked({1}, {16}))), 2560);
  EXPECT_EQ(getPhysicalBytes(type({kAny, 3, 4, 5})), std::nullopt);
  EXPECT_EQ(getPhysicalBytes(type({kHuge, kHuge})), std::nullopt);
}

TEST_F(FormatTest, PermuteRenamesAxes) {
  // NHWC read as N, H, W, C is row-major, and back.
  FormatAttr channelsLast = getChannelsLast(&context);
  EXPECT_EQ(channelsLast.permuteAxes({0, 2, 3, 1}), Attribute());
  FormatAttr rows = FormatAttr::get(&context, {0, 1, 2, 3});
  EXPECT_EQ(rows.permuteAxes({0, 3, 1, 2}), channelsLast);
  EXPECT_EQ(blocked({1}, {16}).permuteAxes({1, 0, 2, 3}),
            FormatAttr::get(&context, {1, 0, 2, 3}, {0}, {16}));
  EXPECT_EQ(
      StridedAttr::get(&context, {60, 1, 15, 3}, 2).permuteAxes({0, 2, 3, 1}),
      StridedAttr::get(&context, {60, 15, 3, 1}, 2));
}

TEST_F(FormatTest, ConstantData) {
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors.push_back(diagnostic.str());
    return success();
  });
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  auto read = [&](ElementsAttr attribute) -> FailureOr<std::vector<char>> {
    std::vector<char> storage;
    auto data = getConstantData(attribute, storage, emitError);
    if (failed(data))
      return failure();
    return std::vector<char>(data->begin(), data->end());
  };
  auto bytes = RankedTensorType::get({2, 2}, IntegerType::get(&context, 8));
  auto bits = RankedTensorType::get({3}, IntegerType::get(&context, 1));
  EXPECT_EQ(*read(DenseElementsAttr::get(bytes, ArrayRef<int8_t>{1, 2, 3, 4})),
            std::vector<char>({1, 2, 3, 4}));
  EXPECT_EQ(*read(DenseElementsAttr::get(bytes, int8_t(7))),
            std::vector<char>({7, 7, 7, 7}));
  EXPECT_EQ(*read(DenseElementsAttr::get(bits, {true, false, true})),
            std::vector<char>({1, 0, 1}));
  EXPECT_EQ(*read(DenseElementsAttr::get(bits, true)),
            std::vector<char>({1, 1, 1}));
  EXPECT_TRUE(errors.empty());

  auto resource = [&](ArrayRef<char> data, StringRef name) {
    return DenseResourceElementsAttr::get(
        bytes, name, HeapAsmResourceBlob::allocateAndCopyWithAlign(data, 8));
  };
  EXPECT_EQ(*read(resource({1, 2, 3, 4}, "fits")),
            std::vector<char>({1, 2, 3, 4}));
  EXPECT_TRUE(failed(read(resource({1, 2, 3}, "short"))));
  auto large =
      RankedTensorType::get({int64_t(1) << 40}, IntegerType::get(&context, 8));
  EXPECT_TRUE(failed(read(DenseElementsAttr::get(large, int8_t(1)))));
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0], "expects 4 bytes in resource `short` of type "
                       "'tensor<2x2xi8>', found 3");
  EXPECT_EQ(errors[1], "expects a splat of at most 17179869184 bytes, found "
                       "1099511627776 in type 'tensor<1099511627776xi8>'");
}

} // namespace
