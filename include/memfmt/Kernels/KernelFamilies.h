//===- KernelFamilies.h - one function per kernel family --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_KERNELS_KERNELFAMILIES_H
#define MEMFMT_KERNELS_KERNELFAMILIES_H

namespace memfmt {
class KernelRegistry;

/// Direct convolutions, dense and depthwise, channels-last, contiguous and
/// "reads contiguous, writes channels-last".
void addConvKernels(KernelRegistry &registry);
/// Maximum, average and sum pooling.
void addPoolKernels(KernelRegistry &registry);
/// Product with a packed weight matrix.
void addLinearKernels(KernelRegistry &registry);
/// Element-wise `linalg.generic` with broadcasting.
void addElementwiseKernels(KernelRegistry &registry);
/// `memfmt.to_format` between permutations of the axes.
void addTransposeKernels(KernelRegistry &registry);

} // namespace memfmt

#endif // MEMFMT_KERNELS_KERNELFAMILIES_H
