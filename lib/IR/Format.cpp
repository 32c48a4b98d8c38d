//===- Format.cpp - formats of tensor types ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/Format.h"

#include "memfmt/IR/Strides.h"

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

/// Strides of a static shape, all known.
static std::optional<SmallVector<int64_t>>
getKnownStrides(RankedTensorType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  FormatAttrInterface format = getFormat(type);
  if (!format)
    return getDenseStrides(type.getShape());
  FailureOr<SmallVector<int64_t>> strides = format.getStrides(type.getShape());
  if (failed(strides) || llvm::any_of(*strides, ShapedType::isDynamic))
    return std::nullopt;
  return *strides;
}

std::optional<bool> memfmt::isContiguousIn(RankedTensorType type,
                                           FormatAttrInterface format) {
  if (!format.servesRank(type.getRank()))
    return false;
  // Orders of axes are walked as PyTorch does; blocks and strides are compared
  // address by address.
  if (isa<FormatAttr>(format) && format.getInnerBlocks().empty())
    if (std::optional<SmallVector<int64_t>> strides = getKnownStrides(type))
      return isContiguousInOrder(type.getShape(), *strides,
                                 format.getOrder(type.getRank()));
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

std::optional<bool> memfmt::answerQuery(RankedTensorType type,
                                        LayoutQuery query) {
  std::optional<SmallVector<int64_t>> known = getKnownStrides(type);
  if (!known)
    return std::nullopt;
  ArrayRef<int64_t> sizes = type.getShape(), strides = *known;
  auto suggests = [&](MemoryFormat format, bool exact) {
    return suggestFormat(sizes, strides, exact) == format;
  };
  switch (query) {
  case LayoutQuery::is_contiguous:
    return isContiguous(sizes, strides);
  case LayoutQuery::is_channels_last_1d:
    return isContiguous(sizes, strides, MemoryFormat::ChannelsLast1d);
  case LayoutQuery::is_channels_last:
    return isContiguous(sizes, strides, MemoryFormat::ChannelsLast);
  case LayoutQuery::is_channels_last_3d:
    return isContiguous(sizes, strides, MemoryFormat::ChannelsLast3d);
  case LayoutQuery::is_non_overlapping_and_dense:
    return isNonOverlappingAndDense(sizes, strides);
  case LayoutQuery::is_like_channels_last:
    return isLikeChannelsLast(sizes, strides, MemoryFormat::ChannelsLast);
  case LayoutQuery::is_like_channels_last_3d:
    return isLikeChannelsLast(sizes, strides, MemoryFormat::ChannelsLast3d);
  case LayoutQuery::suggests_contiguous:
    return suggests(MemoryFormat::Contiguous, false);
  case LayoutQuery::suggests_channels_last:
    return suggests(MemoryFormat::ChannelsLast, false);
  case LayoutQuery::suggests_channels_last_3d:
    return suggests(MemoryFormat::ChannelsLast3d, false);
  case LayoutQuery::suggests_channels_last_exactly:
    return suggests(MemoryFormat::ChannelsLast, true);
  case LayoutQuery::suggests_channels_last_3d_exactly:
    return suggests(MemoryFormat::ChannelsLast3d, true);
  }
  llvm_unreachable("unknown query");
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

std::string memfmt::describeFormat(RankedTensorType type) {
  FormatAttrInterface format = getFormat(type);
  if (!format)
    return "contiguous";
  if (format == getChannelsLast(type.getContext()))
    return "channels_last";
  std::string text;
  llvm::raw_string_ostream(text) << format;
  return text;
}
