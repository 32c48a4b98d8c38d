//===- FormatAttrs.cpp - memory formats as attributes -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/MemFmt.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;

/// Batch first, channels last: 0, 2, ..., rank - 1, 1.
static SmallVector<int64_t> channelsLastOrder(int64_t rank) {
  SmallVector<int64_t> order = {0};
  for (int64_t axis = 2; axis < rank; ++axis)
    order.push_back(axis);
  order.push_back(1);
  return order;
}

static bool isPermutation(ArrayRef<int64_t> order) {
  SmallVector<bool> seen(order.size(), false);
  for (int64_t axis : order) {
    if (axis < 0 || axis >= static_cast<int64_t>(order.size()) || seen[axis])
      return false;
    seen[axis] = true;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// FormatAttr
//===----------------------------------------------------------------------===//

FormatAttr FormatAttr::getCanonical(MLIRContext *context,
                                    ArrayRef<int64_t> order,
                                    ArrayRef<int64_t> blockAxes,
                                    ArrayRef<int64_t> blockSizes) {
  int64_t rank = order.size();
  if (blockAxes.empty() && rank >= 3 && rank <= 5 &&
      llvm::equal(order, channelsLastOrder(rank)))
    order = {};
  return get(context, order, blockAxes, blockSizes);
}

LogicalResult FormatAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> order,
                                 ArrayRef<int64_t> blockAxes,
                                 ArrayRef<int64_t> blockSizes) {
  if (order.empty() && !blockAxes.empty())
    return emitError() << "expects an order of axes with blocks";
  if (!isPermutation(order)) {
    auto diagnostic = emitError()
                      << "expects each axis from 0 to " << order.size() - 1
                      << " once in an order, found [";
    llvm::interleaveComma(order, diagnostic);
    return diagnostic << "]";
  }
  if (blockAxes.size() != blockSizes.size())
    return emitError() << "expects one size for each of " << blockAxes.size()
                       << " blocks, found " << blockSizes.size();
  for (auto [axis, size] : llvm::zip_equal(blockAxes, blockSizes)) {
    if (axis < 0 || axis >= static_cast<int64_t>(order.size()))
      return emitError() << "expects blocks of axes from 0 to "
                         << order.size() - 1 << ", found axis " << axis;
    if (size < 1 || size > (int64_t(1) << 31))
      return emitError() << "expects blocks of 1 to 2^31, found " << size;
  }
  return success();
}

bool FormatAttr::isRowMajor() const {
  return !isChannelsLast() && getBlockAxes().empty() &&
         llvm::is_sorted(getOrder());
}

SmallVector<int64_t> FormatAttr::getOrder(int64_t rank) const {
  return isChannelsLast() ? channelsLastOrder(rank)
                          : llvm::to_vector(getOrder());
}

SmallVector<std::pair<int64_t, int64_t>> FormatAttr::getInnerBlocks() const {
  return llvm::to_vector(llvm::map_range(
      llvm::zip_equal(getBlockAxes(), getBlockSizes()), [](auto block) {
        return std::pair<int64_t, int64_t>(std::get<0>(block),
                                           std::get<1>(block));
      }));
}

FailureOr<SmallVector<int64_t>>
FormatAttr::getStrides(ArrayRef<int64_t> shape) const {
  if (!getBlockAxes().empty())
    return failure();
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (int64_t axis : llvm::reverse(getOrder(shape.size()))) {
    strides[axis] = stride;
    if (ShapedType::isDynamic(stride) || ShapedType::isDynamic(shape[axis]))
      stride = ShapedType::kDynamic;
    else if (llvm::MulOverflow(stride, std::max<int64_t>(shape[axis], 1),
                               stride))
      return failure();
  }
  return strides;
}

SmallVector<int64_t>
FormatAttr::getPhysicalShape(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> physical;
  for (int64_t axis : getOrder(shape.size())) {
    int64_t size = shape[axis];
    for (auto [blockAxis, blockSize] : getInnerBlocks())
      if (blockAxis == axis && !ShapedType::isDynamic(size))
        size = llvm::divideCeil(static_cast<uint64_t>(size),
                                static_cast<uint64_t>(blockSize));
    physical.push_back(size);
  }
  llvm::append_range(physical, getBlockSizes());
  return physical;
}

Attribute FormatAttr::permuteAxes(ArrayRef<int64_t> permutation) const {
  SmallVector<int64_t> newAxis(permutation.size());
  for (auto [axis, old] : llvm::enumerate(permutation))
    newAxis[old] = axis;
  auto rename = [&](ArrayRef<int64_t> axes) {
    return llvm::map_to_vector(axes, [&](int64_t a) { return newAxis[a]; });
  };
  FormatAttr renamed =
      getCanonical(getContext(), rename(getOrder(permutation.size())),
                   rename(getBlockAxes()), getBlockSizes());
  return renamed.isRowMajor() ? Attribute() : renamed;
}

LogicalResult
FormatAttr::verifyForRank(int64_t rank,
                          function_ref<InFlightDiagnostic()> emitError) const {
  if (isChannelsLast()) {
    if (rank < 3 || rank > 5)
      return emitError() << "`channels_last` expects a tensor of rank 3, 4 or "
                            "5, found rank "
                         << rank;
    return success();
  }
  if (rank != static_cast<int64_t>(getOrder().size()))
    return emitError() << "format of " << getOrder().size()
                       << " axes expects a tensor of rank "
                       << getOrder().size() << ", found rank " << rank;
  return success();
}

LogicalResult FormatAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyForRank(shape.size(), emitError);
}

/// `[a, b, c]`.
static void printList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << "[";
  llvm::interleaveComma(values, printer, [&](int64_t value) {
    if (ShapedType::isDynamic(value))
      printer << "?";
    else
      printer << value;
  });
  printer << "]";
}

void FormatAttr::print(AsmPrinter &printer) const {
  if (isChannelsLast()) {
    printer << "<channels_last>";
    return;
  }
  printer << "<";
  printList(printer, getOrder());
  if (!getBlockAxes().empty()) {
    printer << ", blocks = [";
    llvm::interleaveComma(getInnerBlocks(), printer, [&](auto block) {
      printer << block.first << " : " << block.second;
    });
    printer << "]";
  }
  printer << ">";
}

static ParseResult parseBlocks(AsmParser &parser, SmallVector<int64_t> &axes,
                               SmallVector<int64_t> &sizes) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (parser.parseKeyword("blocks") || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        return failure(parser.parseInteger(axes.emplace_back()) ||
                       parser.parseColon() ||
                       parser.parseInteger(sizes.emplace_back()));
      });
}

Attribute FormatAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> order, axes, sizes;
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalKeyword("channels_last"))) {
    if (parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Square,
            [&] { return parser.parseInteger(order.emplace_back()); }) ||
        parseBlocks(parser, axes, sizes))
      return {};
    if (order.empty()) {
      parser.emitError(loc, "expects `channels_last` or an order of axes, "
                            "found an empty order");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(loc); };
  if (failed(verify(emitError, order, axes, sizes)))
    return {};
  return getCanonical(parser.getContext(), order, axes, sizes);
}

//===----------------------------------------------------------------------===//
// StridedAttr
//===----------------------------------------------------------------------===//

LogicalResult StridedAttr::verify(function_ref<InFlightDiagnostic()>,
                                  ArrayRef<int64_t>, int64_t) {
  return success();
}

/// Larger strides lie further out; equal ones keep the order of the axes.
SmallVector<int64_t> StridedAttr::getOrder(int64_t rank) const {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (llvm::any_of(getStrides(), ShapedType::isDynamic))
    return order;
  auto magnitude = [&](int64_t axis) {
    int64_t stride = getStrides()[axis];
    return stride < 0 ? 0 - static_cast<uint64_t>(stride)
                      : static_cast<uint64_t>(stride);
  };
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    return magnitude(a) > magnitude(b);
  });
  return order;
}

SmallVector<std::pair<int64_t, int64_t>> StridedAttr::getInnerBlocks() const {
  return {};
}

FailureOr<SmallVector<int64_t>>
StridedAttr::getStrides(ArrayRef<int64_t>) const {
  return llvm::to_vector(getStrides());
}

SmallVector<int64_t>
StridedAttr::getPhysicalShape(ArrayRef<int64_t> shape) const {
  return llvm::map_to_vector(getOrder(shape.size()),
                             [&](int64_t axis) { return shape[axis]; });
}

Attribute StridedAttr::permuteAxes(ArrayRef<int64_t> permutation) const {
  return get(getContext(), llvm::map_to_vector(permutation, [&](int64_t old) {
               return getStrides()[old];
             }), getOffset());
}

LogicalResult
StridedAttr::verifyForRank(int64_t rank,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (rank != static_cast<int64_t>(getStrides().size()))
    return emitError() << getStrides().size()
                       << " strides expect a tensor of rank "
                       << getStrides().size() << ", found rank " << rank;
  return success();
}

LogicalResult StridedAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyForRank(shape.size(), emitError);
}

void StridedAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printList(printer, getStrides());
  printer << ", offset: ";
  if (ShapedType::isDynamic(getOffset()))
    printer << "?";
  else
    printer << getOffset();
  printer << ">";
}

/// An integer or `?`.
static ParseResult parseNumber(AsmParser &parser, int64_t &number) {
  number = ShapedType::kDynamic;
  if (succeeded(parser.parseOptionalQuestion()))
    return success();
  return parser.parseInteger(number);
}

Attribute StridedAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parseNumber(parser, strides.emplace_back()); }) ||
      parser.parseComma() || parser.parseKeyword("offset") ||
      parser.parseColon() || parseNumber(parser, offset) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), strides, offset);
}
