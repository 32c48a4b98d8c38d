//===- ComputeOps.cpp - layout-free operations of networks ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/MemFmt.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt;

#include "memfmt/IR/ComputeInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Epilogue syntax and verification
//===----------------------------------------------------------------------===//

/// `epilogue(%a, %b : type, type) { ^bb0(...): ... }`, or nothing.
static ParseResult
parseEpilogue(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
              SmallVectorImpl<Type> &types, Region &region) {
  if (failed(parser.parseOptionalKeyword("epilogue")))
    return success();
  if (succeeded(parser.parseOptionalLParen()))
    if (parser.parseOperandList(operands) || parser.parseColonTypeList(types) ||
        parser.parseRParen())
      return failure();
  return parser.parseRegion(region);
}

static void printEpilogue(OpAsmPrinter &printer, Operation *,
                          OperandRange operands, TypeRange types,
                          Region &region) {
  if (operands.empty() && region.empty())
    return;
  printer << "epilogue";
  if (!operands.empty())
    printer << "(" << operands << " : " << types << ")";
  printer << " ";
  printer.printRegion(region);
}

/// One type for four operands.
static ParseResult parseSameType(OpAsmParser &parser, Type &a, Type &b, Type &c,
                                 Type &d) {
  if (parser.parseType(a))
    return failure();
  b = c = d = a;
  return success();
}

static void printSameType(OpAsmPrinter &printer, Operation *, Type a, Type,
                          Type, Type) {
  printer << a;
}

static bool sizesAgree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

Type memfmt::getSumType(Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

/// "f32", or "bf16 or f32": the types of an accumulator.
static std::string namesOfAccumulator(Type input) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << input << "'";
  if (getSumType(input) != input)
    stream << " or '" << getSumType(input) << "'";
  return text;
}

/// Checks the block of the epilogue against its operands and the element types
/// of input and result.
static LogicalResult verifyEpilogueBlock(Operation *op, Region &region,
                                         ValueRange operands, Type input,
                                         Type stored) {
  if (region.empty()) {
    if (!operands.empty())
      return op->emitOpError("expects an epilogue region for its ")
             << operands.size() << " epilogue operands";
    if (!isSumType(stored, input))
      return op->emitOpError("expects result element type ")
             << namesOfAccumulator(input) << " without an epilogue, found "
             << stored;
    return success();
  }
  Block &block = region.front();
  if (block.getNumArguments() != operands.size() + 1)
    return op->emitOpError("expects ")
           << operands.size() + 1
           << " epilogue arguments (accumulator and operands), found "
           << block.getNumArguments();
  for (auto [index, argument] : llvm::enumerate(block.getArguments())) {
    if (index == 0) {
      if (!isSumType(argument.getType(), input))
        return op->emitOpError("expects epilogue argument 0 of type ")
               << namesOfAccumulator(input) << ", found " << argument.getType();
      continue;
    }
    Type expected = getElementTypeOrSelf(operands[index - 1].getType());
    if (argument.getType() != expected)
      return op->emitOpError("expects epilogue argument ")
             << index << " of type " << expected << ", found "
             << argument.getType();
  }
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("expects the epilogue to end in `memfmt.yield`");
  if (yield.getValue().getType() != stored)
    return op->emitOpError("expects the epilogue to yield ")
           << stored << ", found " << yield.getValue().getType();
  return success();
}

/// Epilogue operands broadcast to the result along axes of size 1.
static LogicalResult verifyEpilogue(EpilogueOpInterface op, Type input,
                                    RankedTensorType result) {
  for (Value operand : op.getEpilogueOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    bool fits = type.getRank() == result.getRank();
    for (int64_t i = 0; fits && i < type.getRank(); ++i)
      fits = type.getDimSize(i) == 1 ||
             sizesAgree(type.getDimSize(i), result.getDimSize(i));
    if (!fits)
      return op->emitOpError("expects epilogue operands that broadcast to ")
             << result << ", found " << type;
  }
  return verifyEpilogueBlock(op, op.getEpilogueRegion(),
                             op.getEpilogueOperands(), input,
                             result.getElementType());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// The sliding window of a convolution or a pool.
struct Window {
  ArrayRef<int64_t> size, strides, padLow, padHigh, dilations;
};
} // namespace

static LogicalResult verifyWindowAttributes(Operation *op, int64_t spatial,
                                            const Window &w) {
  auto check = [&](StringRef name, ArrayRef<int64_t> values,
                   int64_t least) -> LogicalResult {
    if (static_cast<int64_t>(values.size()) != spatial)
      return op->emitOpError("expects `") << name << "` with " << spatial
                                          << " values, one per spatial axis, "
                                          << "found " << values.size();
    for (int64_t value : values)
      if (value < least || value > (int64_t(1) << 31))
        return op->emitOpError("expects values of `")
               << name << "` from " << least << " to 2^31, found " << value;
    return success();
  };
  if (failed(check("strides", w.strides, 1)) ||
      failed(check("pad_low", w.padLow, 0)) ||
      failed(check("pad_high", w.padHigh, 0)) ||
      failed(check("dilations", w.dilations, 1)))
    return failure();
  return success();
}

/// Number of places of a window along one axis; 0 or less where none fits.
/// Kept in 128 bits: every factor is checked to be at most 2^31 except `in`.
static int64_t windowPlaces(int64_t in, const Window &w, unsigned i) {
  __int128 reach = static_cast<__int128>(w.dilations[i]) * (w.size[i] - 1) + 1;
  __int128 room =
      static_cast<__int128>(in) + w.padLow[i] + w.padHigh[i] - reach;
  return room < 0 ? 0 : static_cast<int64_t>(room / w.strides[i] + 1);
}

static LogicalResult verifyWindowSizes(Operation *op, RankedTensorType input,
                                       RankedTensorType result, const Window &w,
                                       bool exact) {
  for (unsigned i = 0, e = w.size.size(); i < e; ++i) {
    int64_t in = input.getDimSize(i + 2), out = result.getDimSize(i + 2);
    if (ShapedType::isDynamic(in) || ShapedType::isDynamic(out) ||
        ShapedType::isDynamic(w.size[i]))
      continue;
    int64_t places = windowPlaces(in, w, i);
    if (exact ? out != places : out > places || out < 1)
      return op->emitOpError("expects size ")
             << places << (exact ? "" : " or less") << " on result axis "
             << i + 2 << ", found " << out;
  }
  return success();
}

static LogicalResult verifySpatialRank(Operation *op, RankedTensorType input) {
  if (input.getRank() < 3 || input.getRank() > 5)
    return op->emitOpError("expects an input of rank 3, 4 or 5, found rank ")
           << input.getRank();
  return success();
}

static LogicalResult verifyRank(Operation *op, StringRef name,
                                RankedTensorType type, int64_t rank) {
  if (type.getRank() != rank)
    return op->emitOpError("expects a ")
           << name << " of rank " << rank << ", found rank " << type.getRank();
  return success();
}

static LogicalResult verifySize(Operation *op, StringRef what, int64_t found,
                                int64_t expected) {
  if (!sizesAgree(found, expected))
    return op->emitOpError("expects ")
           << what << " " << expected << ", found " << found;
  return success();
}

/// A bias has one axis, as long as the channel axis of the result, and the
/// element type of the input or of its sums.
static LogicalResult verifyBias(Operation *op, Value bias, int64_t channels,
                                Type input, StringRef name = "bias") {
  if (!bias)
    return success();
  auto type = cast<RankedTensorType>(bias.getType());
  if (failed(verifyRank(op, name, type, 1)))
    return failure();
  Type element = type.getElementType();
  if (!isSumType(element, input))
    return op->emitOpError("expects a ")
           << name << " of element type " << namesOfAccumulator(input)
           << ", found " << element;
  return verifySize(op, ("a " + name + " of size").str(), type.getDimSize(0),
                    channels);
}

static LogicalResult verifyFilterType(Operation *op, RankedTensorType filter,
                                      RankedTensorType input) {
  if (!input.getElementType().isSignlessIntOrIndexOrFloat())
    return op->emitOpError("expects elements that are signless numbers, found ")
           << input.getElementType();
  if (filter.getElementType() == input.getElementType())
    return success();
  return op->emitOpError("expects a filter of element type ")
         << input.getElementType() << ", found " << filter.getElementType();
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

LogicalResult ConvOp::verify() {
  RankedTensorType input = getInput().getType(), filter = getFilter().getType(),
                   result = getResult().getType();
  if (failed(verifySpatialRank(*this, input)) ||
      failed(verifyRank(*this, "filter", filter, input.getRank())) ||
      failed(verifyRank(*this, "result", result, input.getRank())))
    return failure();
  Window window{filter.getShape().drop_front(2), getStrides(), getPadLow(),
                getPadHigh(), getDilations()};
  if (failed(verifyWindowAttributes(*this, getNumSpatial(), window)))
    return failure();
  int64_t groups = getGroups(), channels = input.getDimSize(1),
          filters = filter.getDimSize(0), perGroup = filter.getDimSize(1);
  for (int64_t size : filter.getShape().drop_front(2))
    if (size < 1 && !ShapedType::isDynamic(size))
      return emitOpError("expects a window of at least 1, found ") << size;
  if (groups < 1)
    return emitOpError("expects `groups` of at least 1, found ") << groups;
  for (auto [name, size] :
       {std::pair<StringRef, int64_t>{"input channels", channels},
        {"filters", filters}})
    if (!ShapedType::isDynamic(size) && size % groups != 0)
      return emitOpError("expects a number of ")
             << name << " divisible by groups " << groups << ", found " << size;
  if (!ShapedType::isDynamic(channels) &&
      failed(verifySize(*this, "filter channels (input channels / groups)",
                        perGroup, channels / groups)))
    return failure();
  if (failed(verifySize(*this, "result batch", result.getDimSize(0),
                        input.getDimSize(0))) ||
      failed(verifySize(*this, "result channels", result.getDimSize(1),
                        filters)) ||
      failed(verifyFilterType(*this, filter, input)) ||
      failed(verifyBias(*this, getBias(), filters, input.getElementType())) ||
      failed(verifyWindowSizes(*this, input, result, window, /*exact=*/true)))
    return failure();
  return verifyEpilogue(*this, input.getElementType(), result);
}

bool ConvOp::isDepthwise() {
  int64_t channels = getInput().getType().getDimSize(1);
  return getGroups() > 1 && static_cast<int64_t>(getGroups()) == channels &&
         getFilter().getType().getDimSize(0) == channels;
}

Region &ConvOp::getEpilogueRegion() { return getEpilogue(); }
MutableOperandRange ConvOp::getMutableEpilogueOperands() {
  return getEpilogueOperandsMutable();
}

/// The port of a result with the epilogue operands that have its full shape.
static FormatPort getResultPort(Operation *op, OperandRange epilogueOperands) {
  FormatPort port;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  for (unsigned i = 0, e = epilogueOperands.size(); i < e; ++i) {
    auto type = cast<RankedTensorType>(epilogueOperands[i].getType());
    if (type.getShape() == result.getShape())
      port.operands.push_back(epilogueOperands.getBeginOperandIndex() + i);
  }
  port.results.push_back(0);
  return port;
}

/// The product of the sizes; dynamic ones count as 1.
static double multiplySizes(ArrayRef<int64_t> sizes) {
  double product = 1;
  for (int64_t size : sizes)
    product *= ShapedType::isDynamic(size) ? 1.0 : static_cast<double>(size);
  return product;
}

/// A multiplication and an addition for each element of the filter of one
/// result channel.
double ConvOp::getNumScalarOps() {
  return 2 * multiplySizes(getResult().getType().getShape()) *
         multiplySizes(getFilter().getType().getShape().drop_front());
}

SmallVector<FormatPort> ConvOp::getFormatPorts() {
  return {FormatPort{{0}, {}}, getResultPort(*this, getEpilogueOperands())};
}

//===----------------------------------------------------------------------===//
// PoolOp
//===----------------------------------------------------------------------===//

LogicalResult PoolOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (failed(verifySpatialRank(*this, input)) ||
      failed(verifyRank(*this, "result", result, input.getRank())))
    return failure();
  Window window{getWindow(), getStrides(), getPadLow(), getPadHigh(),
                getDilations()};
  if (static_cast<int64_t>(getWindow().size()) != getNumSpatial())
    return emitOpError("expects `window` with ")
           << getNumSpatial() << " values, one per spatial axis, found "
           << getWindow().size();
  for (int64_t size : getWindow())
    if (size < 1 || size > (int64_t(1) << 31))
      return emitOpError("expects values of `window` from 1 to 2^31, found ")
             << size;
  if (failed(verifyWindowAttributes(*this, getNumSpatial(), window)) ||
      failed(verifySize(*this, "result batch", result.getDimSize(0),
                        input.getDimSize(0))) ||
      failed(verifySize(*this, "result channels", result.getDimSize(1),
                        input.getDimSize(1))) ||
      failed(verifyWindowSizes(*this, input, result, window, /*exact=*/false)))
    return failure();
  if (getExcludePad() && getKind() != PoolKind::avg)
    return emitOpError("expects `exclude_pad` only with kind avg, found ")
           << stringifyPoolKind(getKind());
  return verifyEpilogue(*this, input.getElementType(), result);
}

Region &PoolOp::getEpilogueRegion() { return getEpilogue(); }
MutableOperandRange PoolOp::getMutableEpilogueOperands() {
  return getEpilogueOperandsMutable();
}

/// A pool writes the format that it reads: one port.
double PoolOp::getNumScalarOps() {
  return multiplySizes(getResult().getType().getShape()) *
         multiplySizes(getWindow());
}

SmallVector<FormatPort> PoolOp::getFormatPorts() {
  FormatPort port = getResultPort(*this, getEpilogueOperands());
  port.operands.insert(port.operands.begin(), 0);
  return {port};
}

//===----------------------------------------------------------------------===//
// LinearOp
//===----------------------------------------------------------------------===//

LogicalResult LinearOp::verify() {
  RankedTensorType input = getInput().getType(), filter = getFilter().getType(),
                   result = getResult().getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyRank(*this, "filter", filter, 2)) ||
      failed(verifyRank(*this, "result", result, 2)) ||
      failed(verifySize(*this, "filter columns", filter.getDimSize(1),
                        input.getDimSize(1))) ||
      failed(verifySize(*this, "result rows", result.getDimSize(0),
                        input.getDimSize(0))) ||
      failed(verifySize(*this, "result columns", result.getDimSize(1),
                        filter.getDimSize(0))) ||
      failed(verifyFilterType(*this, filter, input)) ||
      failed(verifyBias(*this, getBias(), filter.getDimSize(0),
                        input.getElementType())))
    return failure();
  return verifyEpilogue(*this, input.getElementType(), result);
}

Region &LinearOp::getEpilogueRegion() { return getEpilogue(); }
MutableOperandRange LinearOp::getMutableEpilogueOperands() {
  return getEpilogueOperandsMutable();
}
double LinearOp::getNumScalarOps() {
  return 2 * multiplySizes(getResult().getType().getShape()) *
         multiplySizes(getFilter().getType().getShape().drop_front());
}

SmallVector<FormatPort> LinearOp::getFormatPorts() { return {}; }

//===----------------------------------------------------------------------===//
// BatchNormOp
//===----------------------------------------------------------------------===//

LogicalResult BatchNormOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (input.getRank() < 2)
    return emitOpError("expects an input of rank 2 or more, found rank ")
           << input.getRank();
  if (input.getShape() != result.getShape() ||
      input.getElementType() != result.getElementType())
    return emitOpError("expects a result of the shape and element type of ")
           << input << ", found " << result;
  if (!isa<FloatType>(input.getElementType()))
    return emitOpError("expects elements that are floats, found ")
           << input.getElementType();
  for (Value vector : getOperands().drop_front())
    if (vector.getType() != getMean().getType())
      return emitOpError("expects vectors of one type, found ")
             << getMean().getType() << " and " << vector.getType();
  return verifyBias(*this, getMean(), input.getDimSize(1),
                    input.getElementType(), "mean");
}

SmallVector<FormatPort> BatchNormOp::getFormatPorts() {
  return {FormatPort{{0}, {0}}};
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  if (getOrders().size() != getNumOperands())
    return emitOpError("expects an order for each of its ")
           << getNumOperands() << " operands, found " << getOrders().size();
  for (auto [operand, order] : llvm::zip_equal(getOperands(), getOrders())) {
    auto type = cast<ShapedType>(operand.getType());
    auto array = dyn_cast<DenseI64ArrayAttr>(order);
    if (!array || !type.hasRank() || array.size() != type.getRank())
      return emitOpError("expects an order with one axis for each axis of ")
             << type << ", found " << order;
  }
  if (!getResults().empty() &&
      getResults().getTypes() != getOutputs().getTypes())
    return emitOpError("expects results of the types of its outputs");
  return success();
}

ArrayRef<int64_t> KernelOp::getOrder(unsigned operand) {
  return cast<DenseI64ArrayAttr>(getOrders()[operand]).asArrayRef();
}

Region &KernelOp::getEpilogueRegion() { return getEpilogue(); }
MutableOperandRange KernelOp::getMutableEpilogueOperands() {
  return getEpilogueOperandsMutable();
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this,
                                                            getCalleeAttr()))
    return emitOpError("expects a function `")
           << getCallee() << "`, found no such symbol";
  return success();
}

// After the parsers and printers that the assembly formats name.
#define GET_OP_CLASSES
#include "memfmt/IR/MemFmtOps.cpp.inc"
