//===- MemFmtBase.td - the memfmt dialect ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_IR_MEMFMTBASE_TD
#define MEMFMT_IR_MEMFMTBASE_TD

include "mlir/IR/OpBase.td"

def MemFmt_Dialect : Dialect {
  let name = "memfmt";
  let cppNamespace = "::memfmt";
  let summary = "memory formats of tensors";
  let description = [{
    A tensor has one logical shape and, apart from it, a *memory format*: how that
    shape is laid out in bytes. The format is the encoding of the tensor type; no
    encoding means row-major. The logical shape never changes.

    A program passes through these states:

    ```
    plain      linalg, tensor, arith; every tensor row-major
      | memfmt-raise
    semantic   memfmt.conv, memfmt.pool ...; one symbol per operation
      | memfmt-propagate, memfmt-assign
    encoded    the same operations, tensor types carry formats
      | memfmt-materialize             | memfmt-select-kernels
    physical   upstream linalg         | memfmt.kernel, then vector code
    ```

    Between propagate and materialize only passes of this project may run: upstream
    passes are not safe over encoded tensors.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // MEMFMT_IR_MEMFMTBASE_TD
