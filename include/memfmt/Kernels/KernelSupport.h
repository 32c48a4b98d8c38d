//===- KernelSupport.h - what kernel families share -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_KERNELSUPPORT_H
#define MEMFMT_KERNELS_KERNELSUPPORT_H

#include "memfmt/Kernels/EmitCommon.h"
#include "memfmt/Kernels/Registry.h"

namespace memfmt {

/// The price of work, in picoseconds of one thread: the longer of arithmetic
/// and memory traffic. `efficiency` is the fraction of the FMA peak that the
/// kernel reaches when its data are in cache. Saturates.
int64_t getWorkCost(const kernels::TargetInfo &target, double flops,
                    double efficiency, double bytes);

/// Bytes of a static tensor; 0 for other types.
double getTensorBytes(mlir::Type type);

/// True for a static tensor of f32 of this rank.
bool isStaticF32(mlir::Type type, int64_t rank);

/// True when `format` is row-major (null) for kernels that want rows.
inline bool isRowMajor(mlir::Attribute format) { return !format; }
/// True when `format` is channels-last.
bool isChannelsLast(mlir::Attribute format);

/// A `memfmt.kernel` on physical tensors that stands for `op`: its output is
/// an empty tensor of the physical result type, its epilogue that of `op`.
/// `inputs` are physical, in the kernel's order, `epilogueOperands` likewise.
/// Orders of inputs that are no tensors of `op` (packed weights) are
/// identities.
struct KernelInput {
  mlir::Value value;
  /// Logical axis at each physical position; empty means the identity.
  llvm::SmallVector<int64_t> order;
};
mlir::Value buildKernel(mlir::Operation *op, llvm::StringRef name,
                        llvm::ArrayRef<KernelInput> inputs,
                        mlir::ValueRange physicalOperands,
                        mlir::ArrayRef<mlir::NamedAttribute> params,
                        mlir::ImplicitLocOpBuilder &builder);

/// The epilogue of a bufferized kernel on vectors or scalars: clones the
/// region once per call, element types lifted to the vector of the accumulator.
/// `operands` are the kernel's buffers inside the lowered function.
class KernelEpilogue {
public:
  KernelEpilogue(KernelOp kernel, mlir::ValueRange operands);

  /// An operand in the shape that the emitter sees, for kernels whose tensors
  /// are not of rank 4 themselves.
  void addTensor(kernels::TensorRef tensor) { tensors.push_back(tensor); }

  /// Views the operands with all pixels joined and cut into `rows` rows, as the
  /// emitter views its output.
  void joinRows(mlir::ImplicitLocOpBuilder &builder, int64_t rows,
                int64_t rowLength);

  /// To be passed to an emitter.
  mlir::Value operator()(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value acc, mlir::ArrayRef<mlir::Value> index,
                         unsigned laneAxis);

private:
  KernelOp kernel;
  llvm::SmallVector<kernels::TensorRef> tensors;
};

/// The tensor reference of operand `index` of a bufferized kernel of rank 4.
kernels::TensorRef getTensorRef(KernelOp kernel, mlir::ValueRange operands,
                                unsigned index);

/// The logical sizes of operand `index` of a bufferized kernel.
llvm::SmallVector<int64_t> getLogicalSizes(KernelOp kernel, unsigned index);

/// Clones the scalar operations of `block` on vectors (or scalars): its
/// arguments become `lanes`; returns the values that its terminator passes on.
llvm::SmallVector<mlir::Value> cloneOnLanes(mlir::OpBuilder &builder,
                                            mlir::Block &block,
                                            mlir::ValueRange lanes);

} // namespace memfmt

#endif // MEMFMT_KERNELS_KERNELSUPPORT_H
