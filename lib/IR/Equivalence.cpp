//===- Equivalence.cpp - formats that give equal addresses ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The address of an element is a sum over axes. What an axis adds is a sum of
// terms `(index / divisor) % size * stride`, one for the axis itself and one
// for each of its blocks. In the normal form below two axes add the same for
// every index exactly when their terms are equal:
//
//   * the size of a term is not kept, since the divisor of the next term or the
//     size of the axis gives it;
//   * terms that are zero for every index are dropped;
//   * neighbours that continue each other are one term.
//
//===----------------------------------------------------------------------===//

#include "memfmt/IR/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace mlir;
using namespace memfmt;

namespace {
/// A product of a number and of sizes that are not known: for each the axis and
/// the block that it is divided by, rounded up.
struct Product {
  int64_t number = 1;
  SmallVector<std::pair<int64_t, int64_t>> unknowns;

  bool operator==(const Product &other) const {
    return number == other.number && unknowns == other.unknowns;
  }
};

struct Term {
  int64_t axis, divisor;
  Product stride;

  bool operator==(const Term &other) const {
    return axis == other.axis && divisor == other.divisor &&
           stride == other.stride;
  }
};

struct AddressMap {
  SmallVector<Term> terms;
  int64_t offset = 0;
  /// Elements of the buffer, padding included; none for views.
  std::optional<Product> size;
};

/// One axis of the dense physical tensor.
struct PhysicalAxis {
  int64_t axis, divisor;
  /// kDynamic: the size of the logical axis over `divisor`.
  int64_t size;
};
} // namespace

/// The physical axes, outermost first.
static SmallVector<PhysicalAxis> getPhysicalAxes(RankedTensorType type) {
  SmallVector<std::pair<int64_t, int64_t>> blocks;
  if (FormatAttrInterface format = getFormat(type))
    blocks = format.getInnerBlocks();
  SmallVector<int64_t> divisors(type.getRank(), 1);
  SmallVector<PhysicalAxis> inner;
  for (auto [axis, size] : llvm::reverse(blocks)) {
    inner.push_back({axis, divisors[axis], size});
    divisors[axis] *= size;
  }
  SmallVector<PhysicalAxis> axes;
  RankedTensorType physical = getPhysicalType(type);
  for (auto [position, axis] : llvm::enumerate(getPhysicalOrder(type)))
    axes.push_back({axis, divisors[axis], physical.getDimSize(position)});
  llvm::append_range(axes, llvm::reverse(inner));
  return axes;
}

/// Terms in normal form.
static SmallVector<Term> normalize(SmallVector<Term> terms,
                                   ArrayRef<int64_t> shape) {
  llvm::erase_if(terms, [&](const Term &term) {
    int64_t size = shape[term.axis];
    return !ShapedType::isDynamic(size) && term.divisor >= size;
  });
  llvm::sort(terms, [](const Term &a, const Term &b) {
    return std::tie(a.axis, a.divisor) < std::tie(b.axis, b.divisor);
  });
  SmallVector<Term> normal;
  for (Term &term : terms) {
    Product next;
    if (!normal.empty() && normal.back().axis == term.axis) {
      const Term &last = normal.back();
      next.unknowns = last.stride.unknowns;
      if (!llvm::MulOverflow(last.stride.number, term.divisor / last.divisor,
                             next.number) &&
          next == term.stride)
        continue;
    }
    normal.push_back(std::move(term));
  }
  return normal;
}

/// None when a stride exceeds 63 bits.
static std::optional<AddressMap> getDenseMap(RankedTensorType type) {
  AddressMap map;
  Product stride;
  SmallVector<Term> terms;
  SmallVector<PhysicalAxis> axes = getPhysicalAxes(type);
  for (const PhysicalAxis &axis : llvm::reverse(axes)) {
    // Equal divisors occur with blocks of 1, which add nothing.
    if (axis.size == 1)
      continue;
    terms.push_back({axis.axis, axis.divisor, stride});
    if (ShapedType::isDynamic(axis.size)) {
      stride.unknowns.emplace_back(axis.axis, axis.divisor);
      llvm::sort(stride.unknowns);
    } else if (llvm::MulOverflow(stride.number, axis.size, stride.number)) {
      return std::nullopt;
    }
  }
  map.terms = normalize(std::move(terms), type.getShape());
  map.size = std::move(stride);
  return map;
}

/// None when a number that matters is not known.
static std::optional<AddressMap> getStridedMap(RankedTensorType type,
                                               StridedAttr format) {
  AddressMap map;
  map.offset = format.getOffset();
  SmallVector<Term> terms;
  for (auto [axis, stride] : llvm::enumerate(format.getStrides())) {
    if (type.getDimSize(axis) == 1)
      continue;
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    terms.push_back({static_cast<int64_t>(axis), 1, Product{stride, {}}});
  }
  if (ShapedType::isDynamic(map.offset))
    return std::nullopt;
  map.terms = normalize(std::move(terms), type.getShape());
  return map;
}

static std::optional<AddressMap> getAddressMap(RankedTensorType type) {
  if (auto strided = dyn_cast_or_null<StridedAttr>(type.getEncoding()))
    return getStridedMap(type, strided);
  return getDenseMap(type);
}

/// Nothing is known of the encodings of other dialects.
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
  std::optional<AddressMap> left = getAddressMap(a), right = getAddressMap(b);
  if (!left || !right || left->terms != right->terms ||
      left->offset != right->offset)
    return false;
  return !left->size || !right->size || *left->size == *right->size;
}
