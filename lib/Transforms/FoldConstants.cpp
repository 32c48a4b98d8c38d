//===- FoldConstants.cpp - evaluate operations on constants -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Transforms/ConstantEvaluator.h"
#include "memfmt/Transforms/ConstantPasses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Support/WalkResult.h"
#include "llvm/Support/MathExtras.h"

namespace memfmt {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "memfmt/Transforms/ConstantPasses.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

/// Results up to this size are always stored.
static constexpr int64_t kSmallBytes = 1 << 16;
/// Above this size growth counts from what is stored, so that no splat becomes
/// more memory than there is.
static constexpr int64_t kLargeBytes = 1 << 30;

/// False for destinations that an operation only overwrites.
static bool isRead(OpOperand &operand) {
  auto op = dyn_cast<DestinationStyleOpInterface>(operand.getOwner());
  if (!op || !op.isDpsInit(&operand))
    return true;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(operand.getOwner()))
    return linalgOp.payloadUsesValueFromOperand(&operand);
  return !isa<linalg::RelayoutOpInterface>(operand.getOwner());
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

namespace {
/// Counts the readers of each resource, so that data is freed with the last
/// one.
class ResourceUses {
public:
  void add(Attribute attribute) {
    attribute.walk([&](DenseResourceElementsAttr resource) {
      ++count[resource.getRawHandle().getKey()];
    });
  }

  /// False where an attribute reads data that may have been freed.
  bool isStored(Attribute attribute) const {
    auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
    return !resource || count.lookup(resource.getRawHandle().getKey()) > 0;
  }

  /// Returns the number of bytes freed.
  int64_t remove(Attribute attribute) {
    int64_t bytes = 0;
    attribute.walk([&](DenseResourceElementsAttr resource) {
      DenseResourceElementsHandle handle = resource.getRawHandle();
      if (--count[handle.getKey()] > 0 || !handle.getBlob())
        return;
      bytes += handle.getBlob()->getData().size();
      handle.getResource()->setBlob(AsmResourceBlob({}, /*dataAlignment=*/1, {},
                                                    /*dataIsMutable=*/false));
    });
    return bytes;
  }

private:
  llvm::StringMap<int64_t> count;
};

//===----------------------------------------------------------------------===//
// What to evaluate
//===----------------------------------------------------------------------===//

/// What is known of an operation before anything is evaluated.
struct Candidate {
  /// Known, or to be known, while compiling.
  bool isKnown = false;
  bool splat = false;
  /// Its result should be stored in place of the operation.
  bool wanted = false;
  /// Bytes of the constants that the results derive from, at most those of the
  /// results; a splat counts in full, and as one element.
  uint64_t origin = 0, storedOrigin = 0;
};

/// Decides from types alone which operations to evaluate.
class Selection {
public:
  Selection(const ConstantEvaluators &evaluators, int64_t maxBytes,
            int64_t maxGrowth)
      : evaluators(evaluators), maxBytes(maxBytes), maxGrowth(maxGrowth) {}

  void run(ModuleOp module);

  /// In program order.
  SmallVector<Operation *> evaluated;

private:
  void visitConstant(arith::ConstantOp constant);
  void visit(Operation *op, const ConstantEvaluators::Entry &entry);
  void markWanted(Operation *op);

  const ConstantEvaluators &evaluators;
  int64_t maxBytes, maxGrowth;
  DenseMap<Operation *, Candidate> candidates;
  /// Operations whose result outgrows their operands.
  DenseSet<Operation *> growing;
};
} // namespace

void Selection::visitConstant(arith::ConstantOp constant) {
  Attribute value = constant.getValue();
  Candidate candidate;
  candidate.isKnown = true;
  if (isa<IntegerAttr, FloatAttr>(value)) {
    candidate.splat = true;
    candidate.origin = candidate.storedOrigin = sizeof(int64_t);
  } else {
    std::optional<int64_t> bytes =
        ConstantTensor::getNumBytes(constant.getType());
    auto resource = dyn_cast<DenseResourceElementsAttr>(value);
    if (!bytes || !isa<DenseElementsAttr, DenseResourceElementsAttr>(value) ||
        (resource && !resource.getRawHandle().getBlob()))
      return;
    auto dense = dyn_cast<DenseElementsAttr>(value);
    candidate.origin = candidate.storedOrigin = *bytes;
    candidate.splat = dense && dense.isSplat() && *bytes > 0;
    if (candidate.splat)
      candidate.storedOrigin = *bytes / dense.getNumElements();
  }
  candidates[constant] = candidate;
}

void Selection::visit(Operation *op, const ConstantEvaluators::Entry &entry) {
  Candidate candidate;
  candidate.isKnown = true;
  candidate.splat = entry.keepsSplats;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isRead(operand))
      continue;
    Candidate source = candidates.lookup(operand.get().getDefiningOp());
    if (!source.isKnown)
      return;
    candidate.splat &= source.splat;
    candidate.origin = llvm::SaturatingAdd(candidate.origin, source.origin);
    candidate.storedOrigin =
        llvm::SaturatingAdd(candidate.storedOrigin, source.storedOrigin);
  }
  int64_t bytes = 0;
  for (Type type : op->getResultTypes()) {
    std::optional<int64_t> more = type.isIntOrIndexOrFloat()
                                      ? ConstantTensor::getElementBytes(type)
                                      : ConstantTensor::getNumBytes(type);
    // An empty tensor has nothing to evaluate.
    if (!more || *more == 0 || llvm::AddOverflow(bytes, *more, bytes))
      return;
  }
  if (op->getNumResults() == 0 ||
      (maxBytes > 0 && bytes > maxBytes && !candidate.splat))
    return;
  uint64_t allowed = bytes / maxGrowth;
  if ((bytes > kSmallBytes && allowed > candidate.origin) ||
      (bytes > kLargeBytes && allowed > candidate.storedOrigin &&
       !candidate.splat))
    growing.insert(op);
  candidate.origin = std::min<uint64_t>(candidate.origin, bytes);
  candidate.storedOrigin = std::min<uint64_t>(candidate.storedOrigin, bytes);
  candidates[op] = candidate;
  evaluated.push_back(op);
}

/// Readers come first. A value that grew is worth nothing but to readers that
/// are evaluated as well.
void Selection::markWanted(Operation *op) {
  bool wanted = !growing.contains(op);
  if (!wanted)
    wanted =
        !op->use_empty() && llvm::all_of(op->getUses(), [&](OpOperand &use) {
          return candidates.lookup(use.getOwner()).wanted;
        });
  candidates[op].wanted = wanted;
}

void Selection::run(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      visitConstant(constant);
      return WalkResult::advance();
    }
    const ConstantEvaluators::Entry *entry = evaluators.lookup(op);
    if (entry)
      visit(op, *entry);
    // Bodies of scalars hold nothing to evaluate.
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  for (Operation *op : llvm::reverse(evaluated))
    markWanted(op);
  // What an unwanted operation reads is evaluated all the same; what it yields
  // is not known to its readers.
  llvm::erase_if(evaluated,
                 [&](Operation *op) { return !candidates[op].wanted; });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FoldConstants : memfmt::impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    uses = {};
    known.clear();
    if (maxGrowth < 1) {
      getOperation().emitError("expects option `max-growth` to be 1 or more, "
                               "found ")
          << maxGrowth.getValue();
      return signalPassFailure();
    }
    if (failed(checkResources()))
      return signalPassFailure();
    const auto &evaluators = ConstantEvaluators::get(&getContext());
    Selection selection(evaluators, maxBytes, maxGrowth);
    selection.run(getOperation());
    for (Operation *op : selection.evaluated)
      if (failed(evaluate(op, *evaluators.lookup(op))))
        return signalPassFailure();
    eraseDeadConstants();
  }

private:
  LogicalResult checkResources();
  LogicalResult evaluate(Operation *op, const ConstantEvaluators::Entry &entry);
  void replace(Operation *op, ArrayRef<TypedAttr> values);
  void eraseIfDead(Operation *op);
  void eraseDeadConstants();

  ResourceUses uses;
  /// What operations that are equal (`getKey`) give.
  DenseMap<Attribute, SmallVector<TypedAttr, 1>> known;
};
} // namespace

/// Counts the readers of resources. MLIR itself accepts one that does not fit
/// its type.
LogicalResult FoldConstants::checkResources() {
  bool valid = true;
  getOperation()->walk([&](Operation *op) {
    uses.add(op->getAttrDictionary());
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto resource =
              dyn_cast<DenseResourceElementsAttr>(constant.getValue())) {
        bool reported = false;
        (void)ConstantTensor::get(resource, [&] {
          reported = true;
          return constant.emitError();
        });
        valid &= !reported;
      }
  });
  return success(valid);
}

/// A name for the result: that of the data it derives from, and the operation.
static std::string getResultName(Operation *op) {
  StringRef base = "constant";
  for (Value operand : op->getOperands())
    if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
      if (auto resource =
              dyn_cast<DenseResourceElementsAttr>(constant.getValue())) {
        base = resource.getRawHandle().getKey();
        break;
      }
  return (base + "_" + op->getName().stripDialect()).str();
}

/// Equal for operations with equal results; null where a body decides too.
static Attribute getKey(Operation *op,
                        ArrayRef<const ConstantTensor *> operands) {
  if (op->getNumRegions() != 0 &&
      !isa<linalg::TransposeOp, linalg::BroadcastOp, linalg::FillOp>(op))
    return {};
  Builder builder(op->getContext());
  SmallVector<Attribute> parts = {
      builder.getStringAttr(op->getName().getStringRef())};
  if (Attribute properties = op->getPropertiesAsAttribute())
    parts.push_back(properties);
  for (Type type : op->getResultTypes())
    parts.push_back(TypeAttr::get(type));
  for (auto [operand, tensor] : llvm::zip_equal(op->getOperands(), operands))
    parts.push_back(
        tensor
            ? Attribute(operand.getDefiningOp<arith::ConstantOp>().getValue())
            : builder.getUnitAttr());
  return builder.getArrayAttr(parts);
}

/// An operation that cannot be evaluated stays; failure is for errors.
LogicalResult FoldConstants::evaluate(Operation *op,
                                      const ConstantEvaluators::Entry &entry) {
  SmallVector<std::optional<ConstantTensor>> storage;
  storage.resize(op->getNumOperands());
  SmallVector<const ConstantTensor *> operands(op->getNumOperands(), nullptr);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isRead(operand))
      continue;
    auto constant = operand.get().getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return success();
    bool reported = false;
    FailureOr<ConstantTensor> tensor =
        ConstantTensor::get(constant.getValue(), [&] {
          reported = true;
          return constant.emitError();
        });
    if (failed(tensor))
      return failure(reported);
    unsigned i = operand.getOperandNumber();
    storage[i] = std::move(*tensor);
    operands[i] = &*storage[i];
  }
  // A recurrent network reads the same weights in every step.
  Attribute key = getKey(op, operands);
  if (auto it = known.find(key); key && it != known.end() &&
                                 llvm::all_of(it->second, [&](Attribute value) {
                                   return uses.isStored(value);
                                 })) {
    replace(op, it->second);
    return success();
  }
  auto results = entry.evaluate(op, operands);
  if (failed(results))
    return success();
  SmallVector<TypedAttr, 1> values;
  std::string name = getResultName(op);
  for (ConstantTensor &tensor : *results) {
    numBytes += *ConstantTensor::getNumBytes(tensor.getType());
    values.push_back(tensor.release(name));
  }
  if (key)
    known[key] = values;
  replace(op, values);
  return success();
}

void FoldConstants::replace(Operation *op, ArrayRef<TypedAttr> values) {
  OpBuilder builder(op);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
    TypedAttr typed = value;
    if (!isa<ShapedType>(result.getType()))
      typed = cast<DenseElementsAttr>(value).getSplatValue<TypedAttr>();
    auto constant = arith::ConstantOp::create(builder, op->getLoc(), typed);
    uses.add(typed);
    result.replaceAllUsesWith(constant);
  }
  ++numFolded;
  SmallVector<Operation *> sources;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp();
        source && !llvm::is_contained(sources, source))
      sources.push_back(source);
  op->erase();
  for (Operation *source : sources)
    eraseIfDead(source);
}

void FoldConstants::eraseIfDead(Operation *op) {
  if (!isOpTriviallyDead(op))
    return;
  Attribute value;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    value = constant.getValue();
  op->erase();
  // A clone, or a module around this one, may have readers that are not
  // counted.
  if (value && release && !getOperation()->getParentOp())
    numReleased += uses.remove(value);
}

void FoldConstants::eraseDeadConstants() {
  SmallVector<Operation *> constants;
  getOperation()->walk([&](arith::ConstantOp op) {
    if (op->use_empty())
      constants.push_back(op);
  });
  for (Operation *op : constants)
    eraseIfDead(op);
}
