//===- MemFmtDialect.cpp - the memfmt dialect -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/MemFmt.h"

#include "Bytecode.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace memfmt;

#include "memfmt/IR/FormatInterfaces.cpp.inc"
#include "memfmt/IR/MemFmtDialect.cpp.inc"
#include "memfmt/IR/MemFmtEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "memfmt/IR/MemFmtAttrs.cpp.inc"
namespace {
/// Operations stand wherever their values are known.
struct MemFmtInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void MemFmtDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "memfmt/IR/MemFmtAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "memfmt/IR/MemFmtOps.cpp.inc"
      >();
  addBytecodeInterface(this);
  addInterfaces<MemFmtInliner>();
}

Operation *MemFmtDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  if (auto typed = dyn_cast<TypedAttr>(value);
      typed && arith::ConstantOp::isBuildableWith(value, type))
    return arith::ConstantOp::create(builder, loc, type, typed);
  return nullptr;
}
