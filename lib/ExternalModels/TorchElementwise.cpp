//===- TorchElementwise.cpp - PyTorch strides of element-wise operations -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TorchLayouts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace memfmt;

/// More than one element at one address.
static bool overlaps(const StridedLayout &layout) {
  if (llvm::is_contained(layout.sizes, 0))
    return false;
  return llvm::any_of(llvm::zip_equal(layout.sizes, layout.strides),
                      [](auto axis) {
                        auto [size, stride] = axis;
                        return size > 1 && stride == 0;
                      });
}

namespace {
struct ElementwiseRule {
  static LogicalResult infer(ElementwiseOp op, Layouts operands,
                             MutableLayouts results) {
    if (op.getInto()) {
      const StridedLayout &memory = operands.back();
      if (overlaps(memory))
        return op.emitOpError(
                   "cannot write into memory in which elements share an "
                   "address, found type ")
               << op.getInto().getType() << "; clone it before";
      // Memory of another size is replaced, at the same offset.
      results[0].offset = memory.offset;
      if (memory.sizes == results[0].sizes) {
        results[0] = memory;
        return success();
      }
    }
    results[0].strides = getStrides(
        op, operands.take_front(op.getInputs().size()), results[0].sizes);
    return success();
  }

private:
  static SmallVector<int64_t> getStrides(ElementwiseOp op, Layouts inputs,
                                         ArrayRef<int64_t> sizes) {
    switch (op.getKind()) {
    // Clones and conversions of their first operand.
    case ElementwiseKind::convert:
    case ElementwiseKind::fake_quantize:
    case ElementwiseKind::hardtanh:
    case ElementwiseKind::nan_to_num:
    case ElementwiseKind::prelu:
    case ElementwiseKind::relu6:
      return getPreservedStrides(inputs[0]);
    // A clone of the input, spelled out in row-major order.
    case ElementwiseKind::masked_fill:
      return getNewStrides(sizes, MemoryFormat::Contiguous);
    default:
      return getElementwiseStrides(promote(op, inputs), sizes);
    }
  }

  /// Operands of another element type than the computation's are converted
  /// first, which makes them dense.
  static SmallVector<StridedLayout> promote(ElementwiseOp op, Layouts inputs) {
    SmallVector<StridedLayout> promoted(inputs);
    Type common = getComputedType(op);
    for (auto [input, layout] : llvm::zip_equal(op.getInputs(), promoted))
      if (Type type = getElementTypeOrSelf(input.getType());
          !layout.sizes.empty() && type != common && !isMask(op, input))
        layout.strides = getPreservedStrides(layout);
    return promoted;
  }

  static bool isMask(ElementwiseOp op, Value input) {
    return op.getKind() == ElementwiseKind::where && input == op.getInputs()[0];
  }

  /// The element type of the result; of comparisons the widest of their
  /// operands.
  static Type getComputedType(ElementwiseOp op) {
    Type result = op.getResult().getType().getElementType();
    if (!result.isInteger(1))
      return result;
    Type common;
    for (Value input : op.getInputs()) {
      auto tensor = dyn_cast<RankedTensorType>(input.getType());
      if (tensor && tensor.getRank() > 0 &&
          (!common || isWider(tensor.getElementType(), common)))
        common = tensor.getElementType();
    }
    return common ? common : result;
  }

  static bool isWider(Type a, Type b) {
    if (isa<FloatType>(a) != isa<FloatType>(b))
      return isa<FloatType>(a);
    return a.getIntOrFloatBitWidth() > b.getIntOrFloatBitWidth();
  }
};

/// Inference returns its operand; the mask of training is a second one.
struct DropoutRule {
  static LogicalResult infer(DropoutOp op, Layouts operands,
                             MutableLayouts results) {
    if (op.getMask())
      results[0].strides =
          getElementwiseStrides(operands.take_front(2), results[0].sizes);
    else
      results[0] = operands[0];
    return success();
  }
};

/// Element-wise structured operations follow the same rule; axes that a map
/// leaves out are broadcast.
template <typename OpT>
struct LinalgRule
    : TorchLayoutOpInterface::ExternalModel<LinalgRule<OpT>, OpT> {
  LogicalResult inferTorchLayouts(Operation *op, Layouts operands,
                                  MutableLayouts results) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    bool elementwise =
        linalgOp.getNumParallelLoops() == linalgOp.getNumLoops() &&
        llvm::all_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
          return linalgOp.getMatchingIndexingMap(&init).isIdentity();
        });
    if (!elementwise)
      return RowMajorRule::infer(op, operands, results);
    for (StridedLayout &result : results) {
      SmallVector<StridedLayout> inputs;
      for (OpOperand *input : linalgOp.getDpsInputOperands())
        inputs.push_back(project(operands[input->getOperandNumber()],
                                 linalgOp.getMatchingIndexingMap(input),
                                 result.sizes));
      result.strides = getElementwiseStrides(inputs, result.sizes);
    }
    return success();
  }

private:
  static StridedLayout project(const StridedLayout &layout, AffineMap map,
                               ArrayRef<int64_t> sizes) {
    if (map.getNumResults() == 0)
      return {};
    StridedLayout projected;
    projected.sizes.assign(sizes.size(), 1);
    projected.strides.assign(sizes.size(), 0);
    for (auto [axis, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        projected.sizes[dim.getPosition()] = layout.sizes[axis];
        projected.strides[dim.getPosition()] = layout.strides[axis];
      }
    return projected;
  }
};

template <typename... Ops> void attachLinalg(MLIRContext *context) {
  (Ops::template attachInterface<LinalgRule<Ops>>(*context), ...);
}
} // namespace

void memfmt::attachTorchElementwiseRules(MLIRContext *context) {
  ElementwiseOp::attachInterface<TorchRule<ElementwiseRule, ElementwiseOp>>(
      *context);
  DropoutOp::attachInterface<TorchRule<DropoutRule, DropoutOp>>(*context);
  attachLinalg<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
      >(context);
}
