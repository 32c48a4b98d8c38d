//===- ConstantEvaluatorLinalg.cpp - element-wise evaluation ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Operations are evaluated one at a time over blocks of elements, as array
// libraries do: the cost of choosing a function is paid once a block.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "ScalarBlocks.h"
#include "StridedCopy.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/TypeUtilities.h"

#include <atomic>

using namespace mlir;
using namespace memfmt;

/// Elements of a block: a few blocks fit into the first-level cache.
static constexpr int64_t kBlock = 512;
/// Elements that one thread evaluates at a time.
static constexpr int64_t kChunk = 1 << 17;

namespace {
/// Scalar operations on numbered blocks.
struct Program {
  struct Step {
    ScalarFunction function;
    SmallVector<unsigned, 3> operands;
    unsigned result;
  };
  /// A block that has the same value throughout.
  struct Constant {
    ConstantTensor value;
    unsigned block;
  };
  std::vector<Step> steps;
  std::vector<Constant> constants;
  /// Blocks 0, 1, ... are the inputs, in order.
  unsigned numBlocks = 0;
  /// Block of each output.
  SmallVector<unsigned, 1> outputs;
};

/// A tensor as seen from the loops: `strides` are in elements, one for each
/// loop.
struct Access {
  Type elementType;
  char *data;
  int64_t elementBytes;
  SmallVector<int64_t> strides;
};

/// Runs a program over all iterations of a nest of parallel loops.
class Evaluation {
public:
  Evaluation(const Program &program, SmallVector<int64_t> sizes,
             SmallVector<Access> inputs, SmallVector<Access> outputs)
      : program(program), sizes(std::move(sizes)), inputs(std::move(inputs)),
        outputs(std::move(outputs)) {
    joinLoops();
  }

  /// False where a scalar operation has no defined result.
  bool run(MLIRContext *context) const;

private:
  void joinLoops();
  bool runRange(int64_t begin, int64_t end) const;
  template <typename Fn>
  void forEachRow(const Access &access, int64_t begin, int64_t count,
                  Fn fn) const;

  const Program &program;
  SmallVector<int64_t> sizes;
  SmallVector<Access> inputs, outputs;
};
} // namespace

/// Makes one loop of neighbours that every tensor passes as one.
void Evaluation::joinLoops() {
  SmallVector<Access *> all;
  for (Access &access : inputs)
    all.push_back(&access);
  for (Access &access : outputs)
    all.push_back(&access);
  for (int64_t i = static_cast<int64_t>(sizes.size()) - 1; i > 0; --i) {
    bool joined = llvm::all_of(all, [&](Access *access) {
      return access->strides[i - 1] == access->strides[i] * sizes[i];
    });
    if (!joined && sizes[i - 1] != 1 && sizes[i] != 1)
      continue;
    // The strides of a loop of one iteration do not matter.
    int64_t kept = sizes[i] == 1 ? i - 1 : i;
    for (Access *access : all) {
      access->strides[i - 1] = access->strides[kept];
      access->strides.erase(access->strides.begin() + i);
    }
    sizes[i - 1] *= sizes[i];
    sizes.erase(sizes.begin() + i);
  }
}

/// Calls `fn(data, stride, count)` for the pieces of the iterations from
/// `begin` that lie in one innermost loop.
template <typename Fn>
void Evaluation::forEachRow(const Access &access, int64_t begin, int64_t count,
                            Fn fn) const {
  int64_t depth = sizes.size();
  if (depth == 0)
    return fn(access.data, 0, count);
  SmallVector<int64_t> index(depth);
  int64_t offset = 0, rest = begin;
  for (int64_t i = depth - 1; i >= 0; --i) {
    index[i] = rest % sizes[i];
    rest /= sizes[i];
    offset += index[i] * access.strides[i];
  }
  int64_t last = depth - 1;
  while (count > 0) {
    int64_t row = std::min(count, sizes[last] - index[last]);
    fn(access.data + offset * access.elementBytes, access.strides[last], row);
    count -= row;
    offset += row * access.strides[last];
    index[last] += row;
    for (int64_t i = last; i > 0 && index[i] == sizes[i]; --i) {
      offset += access.strides[i - 1] - sizes[i] * access.strides[i];
      index[i] = 0;
      ++index[i - 1];
    }
  }
}

bool Evaluation::runRange(int64_t begin, int64_t end) const {
  // 8 bytes hold an element of every block form.
  std::vector<int64_t> memory(program.numBlocks * kBlock);
  auto getBlock = [&](unsigned block) { return &memory[block * kBlock]; };
  for (const Program::Constant &constant : program.constants)
    loadScalars(constant.value.getType().getElementType(),
                constant.value.getData().data(), 0, kBlock,
                getBlock(constant.block));
  for (int64_t at = begin; at < end; at += kBlock) {
    int64_t count = std::min(kBlock, end - at);
    for (auto [i, access] : llvm::enumerate(inputs)) {
      bool narrow = access.elementType.isF32() || isHalf(access.elementType);
      char *block = reinterpret_cast<char *>(getBlock(i));
      forEachRow(
          access, at, count,
          [&, &access = access](const char *data, int64_t stride, int64_t row) {
            loadScalars(access.elementType, data, stride, row, block);
            block += row * (narrow ? sizeof(float) : sizeof(int64_t));
          });
    }
    for (const Program::Step &step : program.steps) {
      SmallVector<const void *, 3> operands;
      for (unsigned block : step.operands)
        operands.push_back(getBlock(block));
      if (!step.function(operands, getBlock(step.result), count))
        return false;
    }
    for (auto [access, output] : llvm::zip_equal(outputs, program.outputs)) {
      bool narrow = access.elementType.isF32() || isHalf(access.elementType);
      const char *block = reinterpret_cast<const char *>(getBlock(output));
      forEachRow(
          access, at, count,
          [&, &access = access](char *data, int64_t stride, int64_t row) {
            storeScalars(access.elementType, block, row, data, stride);
            block += row * (narrow ? sizeof(float) : sizeof(int64_t));
          });
    }
  }
  return true;
}

bool Evaluation::run(MLIRContext *context) const {
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  std::atomic<bool> defined = true;
  parallelFor(context, 0, llvm::divideCeil(total, kChunk), [&](size_t chunk) {
    int64_t begin = chunk * kChunk;
    if (defined && !runRange(begin, std::min(begin + kChunk, total)))
      defined = false;
  });
  return defined;
}

/// Allocates results of these types and computes them; splats where every input
/// is one.
static ConstantResults evaluate(Operation *op, const Program &program,
                                SmallVector<int64_t> sizes,
                                SmallVector<Access> inputs, bool splat,
                                ArrayRef<RankedTensorType> types,
                                ArrayRef<SmallVector<int64_t>> strides) {
  SmallVector<ConstantTensor, 1> results;
  SmallVector<Access> outputs;
  if (splat) {
    sizes.clear();
    for (Access &input : inputs)
      input.strides.clear();
  }
  for (auto [i, type] : llvm::enumerate(types)) {
    int64_t bytes = *ConstantTensor::getElementBytes(type.getElementType());
    results.push_back(ConstantTensor::allocate(
        splat ? RankedTensorType::get({}, type.getElementType()) : type));
    outputs.push_back({type.getElementType(), results[i].getMutableData(),
                       bytes, splat ? SmallVector<int64_t>() : strides[i]});
  }
  if (!Evaluation(program, std::move(sizes), std::move(inputs),
                  std::move(outputs))
           .run(op->getContext()))
    return failure();
  if (splat)
    for (auto [result, type] : llvm::zip_equal(results, types))
      result = ConstantTensor::getSplat(type, result.getData());
  return results;
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// Numbers the values of a body and binds its operations.
namespace {
class Binder {
public:
  Binder(const ConstantEvaluators &evaluators, Program &program)
      : evaluators(evaluators), program(program) {}

  void addInput(Value argument) { blocks[argument] = program.numBlocks++; }

  LogicalResult bindBody(Block &body) {
    for (Operation &op : body.without_terminator()) {
      if (op.hasTrait<OpTrait::ConstantLike>())
        continue; // Bound where it is read.
      ScalarFunction function =
          op.getNumResults() == 1 && op.getNumRegions() == 0
              ? evaluators.bindScalar(&op)
              : ScalarFunction();
      if (!function)
        return failure();
      Program::Step step;
      step.function = std::move(function);
      for (Value operand : op.getOperands()) {
        std::optional<unsigned> block = find(operand);
        if (!block)
          return failure();
        step.operands.push_back(*block);
      }
      step.result = blocks[op.getResult(0)] = program.numBlocks++;
      program.steps.push_back(std::move(step));
    }
    for (Value value : body.getTerminator()->getOperands()) {
      std::optional<unsigned> block = find(value);
      if (!block)
        return failure();
      program.outputs.push_back(*block);
    }
    return success();
  }

private:
  /// The block of a value of the body or of a scalar constant.
  std::optional<unsigned> find(Value value) {
    if (auto it = blocks.find(value); it != blocks.end())
      return it->second;
    Attribute attribute;
    if (!isComputable(value.getType()) ||
        !matchPattern(value, m_Constant(&attribute)))
      return std::nullopt;
    FailureOr<ConstantTensor> constant = ConstantTensor::get(
        attribute, [&] { return emitError(value.getLoc()); });
    if (failed(constant))
      return std::nullopt;
    unsigned block = blocks[value] = program.numBlocks++;
    program.constants.push_back({std::move(*constant), block});
    return block;
  }

  const ConstantEvaluators &evaluators;
  Program &program;
  DenseMap<Value, unsigned> blocks;
};
} // namespace

/// Strides of a tensor along the loops `order`; none for a map that is not of
/// loops and zeros. Splats have the stride 0.
static std::optional<SmallVector<int64_t>>
getLoopStrides(AffineMap map, RankedTensorType type, bool splat,
               ArrayRef<int64_t> order) {
  SmallVector<int64_t> byLoop(map.getNumDims(), 0);
  SmallVector<int64_t> strides = getRowMajorStrides(type.getShape());
  for (auto [expression, stride] : llvm::zip_equal(map.getResults(), strides)) {
    if (auto dim = dyn_cast<AffineDimExpr>(expression))
      byLoop[dim.getPosition()] += splat ? 0 : stride;
    else if (auto constant = dyn_cast<AffineConstantExpr>(expression);
             !constant || constant.getValue() != 0)
      return std::nullopt;
  }
  SmallVector<int64_t> result;
  for (int64_t loop : order)
    result.push_back(byLoop[loop]);
  return result;
}

static ConstantResults evaluateLinalg(const ConstantEvaluators &evaluators,
                                      Operation *operation,
                                      ConstantOperands operands) {
  auto op = cast<linalg::LinalgOp>(operation);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() == 0 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      llvm::any_of(ranges, ShapedType::isDynamic))
    return failure();
  // Loops run in the order of the first result.
  AffineMap first = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!first.isPermutation())
    return failure();
  SmallVector<int64_t> order, sizes;
  for (AffineExpr expression : first.getResults()) {
    order.push_back(cast<AffineDimExpr>(expression).getPosition());
    sizes.push_back(ranges[order.back()]);
  }
  Program program;
  Binder binder(evaluators, program);
  SmallVector<Access> inputs;
  bool splat = true;
  for (OpOperand &operand : operation->getOpOperands()) {
    const ConstantTensor *tensor = operands[operand.getOperandNumber()];
    if (!tensor)
      continue;
    RankedTensorType type = tensor->getType();
    std::optional<SmallVector<int64_t>> strides = getLoopStrides(
        op.getMatchingIndexingMap(&operand), type, tensor->isSplat(), order);
    if (!strides || !isComputable(type.getElementType()))
      return failure();
    splat &= tensor->isSplat();
    binder.addInput(op.getMatchingBlockArgument(&operand));
    inputs.push_back(
        {type.getElementType(), const_cast<char *>(tensor->getData().data()),
         *ConstantTensor::getElementBytes(type.getElementType()), *strides});
  }
  SmallVector<RankedTensorType> types;
  SmallVector<SmallVector<int64_t>> outputStrides;
  for (auto [init, result] :
       llvm::zip_equal(op.getDpsInitsMutable(), operation->getResults())) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    auto type = cast<RankedTensorType>(result.getType());
    if (!map.isPermutation() || !ConstantTensor::getNumBytes(type) ||
        !isComputable(type.getElementType()))
      return failure();
    types.push_back(type);
    outputStrides.push_back(*getLoopStrides(map, type, false, order));
  }
  if (failed(binder.bindBody(*op.getBlock())))
    return failure();
  return evaluate(operation, program, std::move(sizes), std::move(inputs),
                  splat, types, outputStrides);
}

void memfmt::addLinalgEvaluators(ConstantEvaluators &evaluators) {
  for (StringRef name :
       {"generic",    "map",   "elementwise",  "abs",    "add",  "ceil",
        "copy",       "div",   "div_unsigned", "erf",    "exp",  "floor",
        "log",        "max",   "min",          "mul",    "negf", "powf",
        "reciprocal", "round", "rsqrt",        "select", "sqrt", "square",
        "sub",        "tanh"})
    evaluators.add(("linalg." + name).str(),
                   [&evaluators](Operation *op, ConstantOperands operands) {
                     return evaluateLinalg(evaluators, op, operands);
                   },
                   /*keepsSplats=*/true);
}

//===----------------------------------------------------------------------===//
// Scalar operations on tensors
//===----------------------------------------------------------------------===//

ConstantResults
memfmt::evaluateElementwise(const ConstantEvaluators &evaluators, Operation *op,
                            ConstantOperands operands) {
  Type result = op->getResult(0).getType();
  auto type = result.isIntOrIndexOrFloat() ? RankedTensorType::get({}, result)
                                           : dyn_cast<RankedTensorType>(result);
  if (!type || !ConstantTensor::getNumBytes(type) ||
      !isComputable(type.getElementType()))
    return failure();
  Program program;
  program.steps.push_back({evaluators.bindScalar(op), {}, 0});
  if (!program.steps[0].function)
    return failure();
  SmallVector<Access> inputs;
  bool splat = true;
  for (const ConstantTensor *operand : operands) {
    Type element = operand->getType().getElementType();
    if (!isComputable(element))
      return failure();
    splat &= operand->isSplat();
    inputs.push_back({element,
                      const_cast<char *>(operand->getData().data()),
                      *ConstantTensor::getElementBytes(element),
                      {operand->isSplat() ? 0 : 1}});
    program.steps[0].operands.push_back(program.numBlocks++);
  }
  program.outputs.push_back(program.numBlocks);
  program.steps[0].result = program.numBlocks++;
  return evaluate(op, program, {type.getNumElements()}, std::move(inputs),
                  splat, {type}, {{1}});
}
