#include "Toy.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

MLIR_DEFINE_EXPLICIT_TYPE_ID(toy::CubeOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(toy::ColumnMajorAttr)
MLIR_DEFINE_EXPLICIT_TYPE_ID(toy::ToyDialect)

//===----------------------------------------------------------------------===//
// The format: everything follows from the order of its axes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> toy::ColumnMajorAttr::getOrder(int64_t rank) const {
  return llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
}

FailureOr<SmallVector<int64_t>>
toy::ColumnMajorAttr::getStrides(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> strides;
  int64_t stride = 1;
  for (int64_t size : shape) {
    strides.push_back(stride);
    stride *= size;
  }
  return strides;
}

SmallVector<int64_t>
toy::ColumnMajorAttr::getPhysicalShape(ArrayRef<int64_t> shape) const {
  return llvm::to_vector(llvm::reverse(shape));
}

Attribute
toy::ColumnMajorAttr::permuteAxes(ArrayRef<int64_t> permutation) const {
  SmallVector<int64_t> newAxis(permutation.size());
  for (auto [axis, old] : llvm::enumerate(permutation))
    newAxis[old] = axis;
  return memfmt::FormatAttr::get(
      getContext(), llvm::map_to_vector(getOrder(permutation.size()),
                                        [&](int64_t a) { return newAxis[a]; }));
}

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

toy::ToyDialect::ToyDialect(MLIRContext *context)
    : Dialect("toy", context, TypeID::get<ToyDialect>()) {
  addOperations<CubeOp>();
  addAttributes<ColumnMajorAttr>();
}

Attribute toy::ToyDialect::parseAttribute(DialectAsmParser &parser,
                                          Type) const {
  if (parser.parseKeyword("column_major"))
    return {};
  return ColumnMajorAttr::get(getContext());
}

void toy::ToyDialect::printAttribute(Attribute,
                                     DialectAsmPrinter &printer) const {
  printer << "column_major";
}
