// A dialect of somebody else with one operation and one format.

#ifndef TOY_H
#define TOY_H

#include "memfmt/IR/MemFmt.h"

namespace toy {

/// `"toy.cube"(%x)`: the third power of every element.
class CubeOp
    : public mlir::Op<CubeOp, mlir::OpTrait::OneOperand,
                      mlir::OpTrait::OneResult, mlir::OpTrait::ZeroRegions> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "toy.cube"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
};

/// `#toy.column_major`: the first axis innermost.
class ColumnMajorAttr
    : public mlir::Attribute::AttrBase<ColumnMajorAttr, mlir::Attribute,
                                       mlir::AttributeStorage,
                                       memfmt::FormatAttrInterface::Trait,
                                       mlir::VerifiableTensorEncoding::Trait> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "toy.column_major";

  llvm::SmallVector<int64_t> getOrder(int64_t rank) const;
  llvm::SmallVector<std::pair<int64_t, int64_t>> getInnerBlocks() const {
    return {};
  }
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  getStrides(llvm::ArrayRef<int64_t> shape) const;
  llvm::SmallVector<int64_t>
  getPhysicalShape(llvm::ArrayRef<int64_t> shape) const;
  mlir::Attribute permuteAxes(llvm::ArrayRef<int64_t> permutation) const;
  bool servesRank(int64_t) const { return true; }
  llvm::LogicalResult
  verifyForRank(int64_t, llvm::function_ref<mlir::InFlightDiagnostic()>) const {
    return mlir::success();
  }
  llvm::LogicalResult
  verifyEncoding(llvm::ArrayRef<int64_t>, mlir::Type,
                 llvm::function_ref<mlir::InFlightDiagnostic()>) const {
    return mlir::success();
  }
};

class ToyDialect : public mlir::Dialect {
public:
  explicit ToyDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "toy"; }
  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser,
                                 mlir::Type type) const override;
  void printAttribute(mlir::Attribute attribute,
                      mlir::DialectAsmPrinter &printer) const override;
};

/// What memfmt needs to know of them.
void registerModels(mlir::DialectRegistry &registry);

} // namespace toy

MLIR_DECLARE_EXPLICIT_TYPE_ID(toy::CubeOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(toy::ColumnMajorAttr)
MLIR_DECLARE_EXPLICIT_TYPE_ID(toy::ToyDialect)

#endif // TOY_H
