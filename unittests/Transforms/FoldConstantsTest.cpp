//===- FoldConstantsTest.cpp - constants evaluated, data freed --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Transforms/ConstantEvaluator.h"
#include "memfmt/Transforms/ConstantPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace memfmt;

namespace {

class FoldConstantsTest : public ::testing::Test {
protected:
  FoldConstantsTest() {
    context.loadDialect<MemFmtDialect, arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, tensor::TensorDialect>();
    context.allowUnregisteredDialects();
  }

  /// Gives the program a resource `name` of i32.
  void store(StringRef name, const std::vector<int32_t> &values) {
    StringRef bytes(reinterpret_cast<const char *>(values.data()),
                    values.size() * sizeof(int32_t));
    resources += (resources.empty() ? "" : ",") + name.str() +
                 ": \"0x04000000" + llvm::toHex(bytes) + "\"";
  }

  /// Bytes of a resource.
  size_t getNumBytes(StringRef name) {
    auto &manager = DenseResourceElementsHandle::getManagerInterface(&context)
                        .getBlobManager();
    return manager.lookup(name)->getBlob()->getData().size();
  }

  /// Bytes of all resources.
  int64_t getTotalBytes() {
    auto &manager = DenseResourceElementsHandle::getManagerInterface(&context)
                        .getBlobManager();
    int64_t bytes = 0;
    manager.getBlobMap([&](const auto &map) {
      for (const auto &entry : map)
        bytes += entry.getValue().getBlob()->getData().size();
    });
    return bytes;
  }

  void fold(StringRef text, bool release = true) {
    module = parseSourceString<ModuleOp>(
        (text + "{-# dialect_resources: { builtin: {" + resources + "} } #-}")
            .str(),
        &context);
    ASSERT_TRUE(module);
    FoldConstantsOptions options;
    options.release = release;
    PassManager passes(&context);
    passes.addPass(createFoldConstants(options));
    ASSERT_TRUE(succeeded(passes.run(*module)));
  }

  /// The data of what the first function returns.
  ArrayRef<int32_t> getResult() {
    auto function = *module->getOps<func::FuncOp>().begin();
    auto constant = function.getBody()
                        .front()
                        .getTerminator()
                        ->getOperand(0)
                        .getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return {};
    auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    if (!resource)
      return {};
    return resource.getRawHandle().getBlob()->getDataAs<int32_t>();
  }

  MLIRContext context;
  std::string resources;
  OwningOpRef<ModuleOp> module;
};

std::vector<int32_t> count(int32_t number) {
  std::vector<int32_t> values(number);
  for (int32_t i = 0; i < number; ++i)
    values[i] = i;
  return values;
}

// Larger than what one thread evaluates at a time, with a permuted result.
TEST_F(FoldConstantsTest, EvaluatesInManyChunks) {
  constexpr int64_t kRows = 301, kColumns = 703;
  store("x", count(kRows * kColumns));
  store("s", count(kRows));
  fold(R"mlir(
    func.func @main() -> tensor<703x301xi32> {
      %x = arith.constant dense_resource<x> : tensor<301x703xi32>
      %s = arith.constant dense_resource<s> : tensor<301xi32>
      %e = tensor.empty() : tensor<703x301xi32>
      %0 = linalg.generic {indexing_maps = [
          affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
          affine_map<(i, j) -> (j, i)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x, %s : tensor<301x703xi32>, tensor<301xi32>)
          outs(%e : tensor<703x301xi32>) {
      ^bb0(%a: i32, %b: i32, %out: i32):
        %1 = arith.muli %a, %b : i32
        linalg.yield %1 : i32
      } -> tensor<703x301xi32>
      return %0 : tensor<703x301xi32>
    })mlir");
  ArrayRef<int32_t> result = getResult();
  ASSERT_EQ(result.size(), static_cast<size_t>(kRows * kColumns));
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < kColumns; ++j)
      ASSERT_EQ(result[j * kRows + i], (i * kColumns + j) * i);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(result.data()) % 64, 0u);
}

constexpr StringRef kTranspose = R"mlir(
  func.func @main() -> tensor<50x2xi32> {
    %w = arith.constant dense_resource<w> : tensor<2x50xi32>
    %e = tensor.empty() : tensor<50x2xi32>
    %0 = linalg.transpose ins(%w : tensor<2x50xi32>)
        outs(%e : tensor<50x2xi32>) permutation = [1, 0]
    return %0 : tensor<50x2xi32>
  })mlir";

TEST_F(FoldConstantsTest, FreesWhatNothingReads) {
  store("w", count(100));
  fold(kTranspose);
  EXPECT_EQ(getNumBytes("w"), 0u);
  ASSERT_EQ(getResult().size(), 100u);
  EXPECT_EQ(getResult()[3], 51);
}

TEST_F(FoldConstantsTest, KeepsDataWhenAsked) {
  store("w", count(100));
  fold(kTranspose, /*release=*/false);
  EXPECT_EQ(getNumBytes("w"), 400u);
}

TEST_F(FoldConstantsTest, KeepsDataThatIsStillRead) {
  store("w", count(100));
  fold((kTranspose + R"mlir(
    func.func @other() attributes {
      some.list = [dense_resource<w> : tensor<100xi32>]} {
      return
    })mlir")
           .str());
  EXPECT_EQ(getNumBytes("w"), 400u);
  EXPECT_EQ(getResult().size(), 100u);
}

TEST_F(FoldConstantsTest, FreesTheStepsOfAChain) {
  store("w", count(100));
  fold(R"mlir(
    func.func @main() -> tensor<100xi32> {
      %w = arith.constant dense_resource<w> : tensor<2x50xi32>
      %e = tensor.empty() : tensor<50x2xi32>
      %0 = linalg.transpose ins(%w : tensor<2x50xi32>)
          outs(%e : tensor<50x2xi32>) permutation = [1, 0]
      %1 = tensor.collapse_shape %0 [[0, 1]]
          : tensor<50x2xi32> into tensor<100xi32>
      %2 = arith.addi %1, %1 : tensor<100xi32>
      return %2 : tensor<100xi32>
    })mlir");
  ASSERT_EQ(getResult().size(), 100u);
  EXPECT_EQ(getResult()[3], 102);
  EXPECT_EQ(getTotalBytes(), 400);
}

// Steps of a recurrent network read the same weights.
TEST_F(FoldConstantsTest, StoresEqualResultsOnce) {
  store("w", count(200));
  fold(R"mlir(
    func.func @main(%x: tensor<1xf32>) -> (tensor<100x2xi32>, tensor<100x2xi32>) {
      %v = arith.constant dense_resource<w> : tensor<2x100xi32>
      %e = tensor.empty() : tensor<100x2xi32>
      %0 = linalg.transpose ins(%v : tensor<2x100xi32>)
          outs(%e : tensor<100x2xi32>) permutation = [1, 0] {step = 1}
      %w = arith.constant dense_resource<w> : tensor<2x100xi32>
      %f = tensor.empty() : tensor<100x2xi32>
      %1 = linalg.transpose ins(%w : tensor<2x100xi32>)
          outs(%f : tensor<100x2xi32>) permutation = [1, 0] {step = 2}
      return %0, %1 : tensor<100x2xi32>, tensor<100x2xi32>
    })mlir");
  ASSERT_EQ(getResult().size(), 200u);
  EXPECT_EQ(getResult()[3], 101);
  EXPECT_EQ(getTotalBytes(), 800);
}

// An embedder evaluates an operation of its own.
TEST_F(FoldConstantsTest, EvaluatesWhatAnEmbedderAdds) {
  ConstantEvaluators::get(&context).add(
      "other.reverse",
      [](Operation *op, ArrayRef<const ConstantTensor *> operands)
          -> FailureOr<SmallVector<ConstantTensor, 1>> {
        ConstantTensor result =
            ConstantTensor::allocate(operands[0]->getType());
        size_t bytes = operands[0]->getData().size();
        for (size_t i = 0; i < bytes; i += sizeof(int32_t))
          memcpy(result.getMutableData() + i,
                 operands[0]->getData().data() + bytes - sizeof(int32_t) - i,
                 sizeof(int32_t));
        SmallVector<ConstantTensor, 1> results;
        results.push_back(std::move(result));
        return results;
      },
      /*keepsSplats=*/false);
  store("w", count(100));
  fold(R"mlir(
    func.func @main() -> tensor<100xi32> {
      %w = arith.constant dense_resource<w> : tensor<100xi32>
      %0 = "other.reverse"(%w) : (tensor<100xi32>) -> tensor<100xi32>
      return %0 : tensor<100xi32>
    })mlir");
  ASSERT_EQ(getResult().size(), 100u);
  EXPECT_EQ(getResult()[0], 99);
  EXPECT_EQ(getResult()[99], 0);
}

} // namespace
