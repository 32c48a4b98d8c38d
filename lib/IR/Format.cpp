//===- Format.cpp - formats of tensor types ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/Format.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;

static bool isIdentity(Attribute format) {
  auto named = dyn_cast_or_null<FormatAttr>(format);
  return named && named.isRowMajor();
}

FormatAttrInterface memfmt::getFormat(RankedTensorType type) {
  if (isIdentity(type.getEncoding()))
    return {};
  return dyn_cast_or_null<FormatAttrInterface>(type.getEncoding());
}

RankedTensorType memfmt::withFormat(RankedTensorType type, Attribute format) {
  if (isIdentity(format))
    format = {};
  return RankedTensorType::get(type.getShape(), type.getElementType(), format);
}

bool memfmt::isContiguousType(RankedTensorType type) {
  return !getFormat(type);
}

FormatAttr memfmt::getChannelsLast(MLIRContext *context) {
  return FormatAttr::get(context, {}, {}, {});
}

FormatAttr memfmt::getPermuted(MLIRContext *context, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return {};
  return FormatAttr::get(context, order);
}

SmallVector<int64_t> memfmt::getPhysicalOrder(RankedTensorType type) {
  if (FormatAttrInterface format = getFormat(type))
    return format.getOrder(type.getRank());
  return llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
}

RankedTensorType memfmt::getPhysicalType(RankedTensorType type) {
  FormatAttrInterface format = getFormat(type);
  if (!format)
    return withFormat(type, isIdentity(type.getEncoding())
                                ? Attribute()
                                : type.getEncoding());
  return RankedTensorType::get(format.getPhysicalShape(type.getShape()),
                               type.getElementType());
}

std::optional<int64_t> memfmt::getPhysicalBytes(RankedTensorType type) {
  RankedTensorType physical = getPhysicalType(type);
  if (!physical.hasStaticShape() || !physical.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t bytes = llvm::divideCeil(physical.getElementTypeBitWidth(), 8);
  for (int64_t size : physical.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Equivalence
//===----------------------------------------------------------------------===//

namespace {
/// One factor of an address: (index / divisor) % size of an axis.
struct Digit {
  int64_t axis, divisor, size;
  bool operator==(const Digit &other) const {
    return axis == other.axis && divisor == other.divisor && size == other.size;
  }
};
} // namespace

/// The address of a dense format as digits, outermost first, without digits
/// that are always zero; neighbours that count through the same axis are one
/// digit.
static SmallVector<Digit> getAddress(RankedTensorType type) {
  RankedTensorType physical = getPhysicalType(type);
  SmallVector<int64_t> axes = getPhysicalOrder(type);
  SmallVector<int64_t> divisors(axes.size(), 1);
  if (FormatAttrInterface format = getFormat(type)) {
    auto blocks = format.getInnerBlocks();
    SmallVector<int64_t> below(type.getRank(), 1), blockDivisors(blocks.size());
    for (int64_t i = blocks.size() - 1; i >= 0; --i) {
      blockDivisors[i] = below[blocks[i].first];
      below[blocks[i].first] *= blocks[i].second;
    }
    for (auto [position, axis] : llvm::enumerate(axes))
      divisors[position] = below[axis];
    for (auto [block, divisor] : llvm::zip_equal(blocks, blockDivisors)) {
      axes.push_back(block.first);
      divisors.push_back(divisor);
    }
  }
  SmallVector<Digit> digits;
  for (auto [axis, divisor, size] :
       llvm::zip_equal(axes, divisors, physical.getShape())) {
    if (size == 1)
      continue;
    // A block is static and at most 2^31: only the size of a whole axis can
    // make the product overflow, and then the digits stay apart in both
    // addresses.
    int64_t merged;
    if (!digits.empty() && digits.back().axis == axis &&
        !ShapedType::isDynamic(digits.back().size) &&
        digits.back().divisor == divisor * size &&
        !llvm::MulOverflow(digits.back().size, size, merged)) {
      digits.back().divisor = divisor;
      digits.back().size = merged;
      continue;
    }
    digits.push_back({axis, divisor, size});
  }
  return digits;
}

/// Strides and offset where the type has explicit ones.
static std::optional<std::pair<SmallVector<int64_t>, int64_t>>
getStridesAndOffset(RankedTensorType type) {
  FormatAttrInterface format = getFormat(type);
  if (!format && type.getRank() == 0)
    return std::pair(SmallVector<int64_t>(), int64_t(0));
  if (!format)
    format = FormatAttr::get(type.getContext(),
                             llvm::to_vector(llvm::seq(type.getRank())));
  FailureOr<SmallVector<int64_t>> strides = format.getStrides(type.getShape());
  if (failed(strides))
    return std::nullopt;
  auto strided = dyn_cast<StridedAttr>(format);
  return std::pair(*strides, strided ? strided.getOffset() : 0);
}

static bool haveEqualStrides(RankedTensorType a, RankedTensorType b) {
  auto left = getStridesAndOffset(a), right = getStridesAndOffset(b);
  if (!left || !right || left->second != right->second ||
      ShapedType::isDynamic(left->second))
    return false;
  for (int64_t axis = 0; axis < a.getRank(); ++axis) {
    if (a.getDimSize(axis) == 1)
      continue;
    int64_t stride = left->first[axis];
    if (ShapedType::isDynamic(stride) || stride != right->first[axis])
      return false;
  }
  return true;
}

/// An encoding of another dialect: nothing is known of its addresses.
static bool isForeign(RankedTensorType type) {
  return type.getEncoding() && !isa<FormatAttrInterface>(type.getEncoding());
}

bool memfmt::areEquivalent(RankedTensorType a, RankedTensorType b) {
  if (a.getShape() != b.getShape() || a.getElementType() != b.getElementType())
    return false;
  if (a == b)
    return true;
  if (isForeign(a) || isForeign(b))
    return false;
  if (llvm::is_contained(a.getShape(), 0))
    return true;
  if (isa_and_nonnull<StridedAttr>(a.getEncoding()) ||
      isa_and_nonnull<StridedAttr>(b.getEncoding()))
    return haveEqualStrides(a, b);
  return getAddress(a) == getAddress(b);
}

std::optional<bool> memfmt::isContiguousIn(RankedTensorType type,
                                           FormatAttrInterface format) {
  if (!format.servesRank(type.getRank()))
    return false;
  if (areEquivalent(type, withFormat(type, format)))
    return true;
  auto isOpen = [](Attribute attribute) {
    auto strided = dyn_cast_or_null<StridedAttr>(attribute);
    return strided &&
           (ShapedType::isDynamic(strided.getOffset()) ||
            llvm::any_of(strided.getStrides(), ShapedType::isDynamic));
  };
  if (!type.hasStaticShape() || isOpen(type.getEncoding()) || isOpen(format))
    return std::nullopt;
  return false;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A few characters can spell a splat that no memory holds.
static constexpr int64_t kMaxSplatBytes = int64_t(1) << 34;

FailureOr<ArrayRef<char>>
memfmt::getConstantData(ElementsAttr attribute, std::vector<char> &storage,
                        function_ref<InFlightDiagnostic()> emitError) {
  auto type = cast<ShapedType>(attribute.getType());
  Type element = type.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return emitError() << "expects constants of numbers, found " << type;
  int64_t bytes = element.isIndex()
                      ? 8
                      : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return emitError() << "constant of type " << type
                         << " has more bytes than can be counted";
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return emitError() << "resource `" << resource.getRawHandle().getKey()
                         << "` has no data";
    if (static_cast<int64_t>(blob->getData().size()) != bytes)
      return emitError() << "expects " << bytes << " bytes in resource `"
                         << resource.getRawHandle().getKey() << "` of type "
                         << type << ", found " << blob->getData().size();
    return blob->getData();
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return emitError() << "expects a dense constant, found " << attribute;
  if (dense.isSplat() && bytes > kMaxSplatBytes)
    return emitError() << "expects a splat of at most " << kMaxSplatBytes
                       << " bytes, found " << bytes << " in type " << type;
  ArrayRef<char> raw = dense.getRawData();
  if (element.isInteger(1)) {
    // Packed in the attribute; one byte each here.
    for (bool bit : dense.getValues<bool>())
      storage.push_back(bit);
    return ArrayRef<char>(storage);
  }
  if (!dense.isSplat())
    return raw;
  storage.reserve(bytes);
  while (static_cast<int64_t>(storage.size()) < bytes)
    storage.insert(storage.end(), raw.begin(), raw.end());
  return ArrayRef<char>(storage);
}
