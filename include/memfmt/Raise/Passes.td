//===- Passes.td - from linalg to layout-free operations ---*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RAISE_PASSES_TD
#define MEMFMT_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseTosa : Pass<"memfmt-raise-tosa", "::mlir::ModuleOp"> {
  let summary = "raise convolutions and pools of TOSA, convert the rest to linalg";
  let description = [{
    `tosa.conv2d`, `conv3d`, `depthwise_conv2d`, `transpose_conv2d`, slices that are
    convolved and put together again (groups), `max_pool2d`, `avg_pool2d`, sums over
    all pixels and `resize` become operations on (batch, channel, spatial...)
    between two transpositions, which cancel with those of the program. The other
    operations are converted by the upstream passes to linalg, tensor, arith and
    scf; one that these do not know either is an error. Convolutions and pools with zero points or of
    several element types go that way, too. A module without TOSA is not touched.
    Runs before `memfmt-raise`.
  }];
  let dependentDialects = ["::memfmt::MemFmtDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::index::IndexDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::tosa::TosaDialect"];
}

def Raise : Pass<"memfmt-raise", "::mlir::ModuleOp"> {
  let summary = "recognise network operations in linalg";
  let description = [{
    What importers spell out becomes one layout-free operation, however it is
    spelled: convolutions and pools by the roles of their loops, in any order of
    axes (between transpositions, which move to the boundary of the network),
    their padding and bias, averages, reductions over all pixels, batch
    normalisation, linear layers, concatenation by insertions; formulas of
    resizes, softmax, layer, group and instance norm; transposed convolutions;
    pixel and channel shuffles; activations (relu, relu6, clamp, hardsigmoid,
    hardswish, sigmoid, silu, tanh, gelu, elu, leaky relu, softplus, mish).
    What is not recognised stays as it is. Running it twice changes nothing.
  }];
  let statistics = [
    Statistic<"numConvs", "convs", "Convolutions raised">,
    Statistic<"numPools", "pools", "Pools raised">,
    Statistic<"numNorms", "norms", "Normalisations raised">,
    Statistic<"numLinears", "linears", "Linear layers raised">,
  ];
  let dependentDialects = ["::memfmt::MemFmtDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FoldNorms : Pass<"memfmt-fold-norms", "::mlir::ModuleOp"> {
  let summary = "fold batch normalisation into convolutions";
  let description = [{
    A batch normalisation of a convolution with no other reader becomes a new
    filter and bias, written as operations on the weights, so that
    `memfmt-fold-constants` computes them when the program is compiled. Any other
    becomes one multiply-add for each channel.
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "Normalisations folded into convolutions">,
    Statistic<"numScaled", "scaled", "Normalisations left as multiply-adds">,
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def Fuse : Pass<"memfmt-fuse", "::mlir::ModuleOp"> {
  let summary = "fuse element-wise tails into epilogues";
  let description = [{
    `memfmt.elementwise` is written out as `linalg.generic` (`ElementOpInterface`);
    element-wise scalars can then join each other.
    An element-wise `linalg.generic` moves into the epilogue of an operation whose
    only reader it is (`EpilogueOpInterface`); of several candidates the last one
    in the block is taken. Element-wise operations that are left are fused with
    each other. Groups are formed here, before formats are priced.
  }];
  let statistics = [Statistic<"numFused", "fused", "Operations fused into epilogues">];
  let dependentDialects = ["::memfmt::MemFmtDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // MEMFMT_RAISE_PASSES_TD
