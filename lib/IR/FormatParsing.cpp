//===- FormatParsing.cpp - the notation of formats --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/MemFmt.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace memfmt;

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
  using List = ArrayRef<int64_t>;
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    List(order), List(axes), List(sizes));
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
  int64_t offset = 0;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parseNumber(parser, strides.emplace_back()); }) ||
      (succeeded(parser.parseOptionalComma()) &&
       (parser.parseKeyword("offset") || parser.parseColon() ||
        parseNumber(parser, offset))) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), strides, offset);
}
