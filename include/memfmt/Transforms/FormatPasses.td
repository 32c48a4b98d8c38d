//===- FormatPasses.td - formats inferred, chosen, checked -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_TRANSFORMS_FORMATPASSES_TD
#define MEMFMT_TRANSFORMS_FORMATPASSES_TD

include "mlir/Pass/PassBase.td"

def PropagateFormats : Pass<"memfmt-propagate", "::mlir::ModuleOp"> {
  let summary = "infer a format for every tensor";
  let description = [{
    Given formats on arguments, `memfmt.to_format` and `memfmt.pin`, every other
    value gets the format that follows from them, through regions, branches and
    calls, to a fixpoint.

    `symmetric`: the formats of all operands of a port meet in a table that is
    commutative and associative, whatever their order. Operations that do not answer
    `FormatOpInterface`, and tensors that belong to no port, are row-major.

    `torch`: strides exactly as eager PyTorch gives them, the order of operands
    included. Where paths meet with different strides these become `?`.

    Signatures of public functions never change; private ones take the formats of
    their callers. Remarks name the places where a format is lost, where two formats
    meet, and what does not know formats. Queries are answered and frozen:
    `memfmt.assert_format` and `memfmt.is_contiguous` disappear. Linear in the number
    of operations, times the depth of loops.
  }];
  let options = [
    Option<"policy", "policy", "std::string", "\"symmetric\"",
           "how formats follow from operands: symmetric or torch">,
    Option<"origins", "origins", "bool", "false",
           "note on every operation, in `memfmt.origin`, where the formats of its "
           "results come from">,
  ];
  let statistics = [
    Statistic<"numEncoded", "encoded", "Values with a format other than row-major">,
    Statistic<"numLost", "lost", "Places where a format is lost">,
  ];
  let dependentDialects = ["::memfmt::MemFmtDialect"];
}

def PrintFormats : Pass<"memfmt-print-formats", "::mlir::ModuleOp"> {
  let summary = "print sizes and strides of every tensor";
  let description = [{
    Prints one line of JSON to standard output for each result and argument that is a
    ranked tensor, in the order of the text: `function`, `op` (empty for arguments),
    `result` (its number), `sizes`, `strides` and `offset` in elements (null where not
    known; strides null for blocked formats), `element`, `format` as reports name it.
    Changes nothing.
  }];
}

def AssignFormats : Pass<"memfmt-assign", "::mlir::ModuleOp"> {
  let summary = "choose formats and kernels at provably minimal cost";
  let description = [{
    Chooses a format for every value and inserts the `memfmt.to_format` operations,
    so that the modelled time of kernels and conversions together is minimal. The
    formats are contiguous and channels-last; the choice is a minimum cut in which
    one conversion serves all readers of a value. Conversions that the user wrote
    are wishes; pins and signatures hold. The module attribute
    `memfmt.certificate` (JSON) proves minimality, `memfmt.assignment` has the
    figures in picoseconds: cost, lower bound and the baselines.
    A second run changes nothing.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "machine that the costs are for: host, avx512, avx2, sse or neon">,
    Option<"baseline", "baseline", "bool", "false",
           "leave every value contiguous instead: the baseline of reports">,
  ];
  let statistics = [
    Statistic<"numConversions", "conversions", "Run-time conversions inserted">,
    Statistic<"numFolded", "folded", "Conversions that cost nothing at run time">,
    Statistic<"numPorts", "ports", "Ports of the optimisation problem">,
  ];
  let dependentDialects = ["::memfmt::MemFmtDialect"];
}

def VerifyAssignment : Pass<"memfmt-verify-assignment", "::mlir::ModuleOp"> {
  let summary = "check the certificate of an assignment on the emitted IR";
  let description = [{
    Rebuilds all numbers from the IR and the kernels, without the solver: every
    tensor has the format that its reader's kernel demands, the cost of the IR is
    the objective of the certificate, and the certificate's flow is feasible with
    that value, so that no assignment costs less. Where the solver ran out of its
    budget the bound is lower than the cost; a remark gives both. Linear. Changes
    nothing.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "machine that the costs are for: host, avx512, avx2, sse or neon">,
  ];
}

#endif // MEMFMT_TRANSFORMS_FORMATPASSES_TD
