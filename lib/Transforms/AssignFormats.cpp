//===- AssignFormats.cpp - choose formats at minimal cost -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Transforms/FormatPasses.h"

#include "AssignmentBaselines.h"
#include "AssignmentCheck.h"
#include "AssignmentModel.h"

#include "memfmt/Assignment/TwoFormatSolver.h"
#include "memfmt/IR/Format.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

namespace memfmt {
#define GEN_PASS_DEF_ASSIGNFORMATS
#include "memfmt/Transforms/FormatPasses.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;
using assignment::Solution;

namespace {
/// Writes a solution into the module.
class AssignmentWriter {
public:
  AssignmentWriter(AssignmentModel &model, const Solution &solution)
      : model(model), solution(solution) {}

  void write(ModuleOp module);

  /// Conversions that cost something, with their position in the solution.
  SmallVector<std::pair<ToFormatOp, unsigned>> runTime;
  int64_t numFree = 0;

private:
  void setResultTypes();
  void insertConversions();
  Value convert(Value value, RankedTensorType type, OpBuilder &builder);
  Value getAnew(Operation *source, RankedTensorType type);
  void connect(const AssignmentModel::Use &use);
  RankedTensorType getWanted(const AssignmentModel::Use &use);
  Value getProduced(unsigned value);
  void explain(Value converted, Value source, const llvm::Twine &reason);
  /// What a reader gets from the problem; made by `insertConversions`.
  DenseMap<std::pair<unsigned, unsigned>, Value> supplies;
  DenseMap<std::pair<Operation *, Type>, Value> anew;
  DenseMap<unsigned, Value> produced;
  AssignmentModel &model;
  const Solution &solution;
};
} // namespace

static RankedTensorType withLabel(Type type, unsigned label) {
  return withFormat(cast<RankedTensorType>(type),
                    getLabelFormat(type.getContext(), label));
}

void AssignmentWriter::setResultTypes() {
  for (auto [port, members] : llvm::enumerate(model.members))
    for (unsigned result : members.results) {
      OpResult value = members.op->getResult(result);
      value.setType(withLabel(value.getType(), solution.labels[port]));
    }
}

Value AssignmentWriter::convert(Value value, RankedTensorType type,
                                OpBuilder &builder) {
  if (value.getType() == type)
    return value;
  return ToFormatOp::create(builder, value.getLoc(), type, value);
}

/// The value as the problem sees it: in the label of its producer.
Value AssignmentWriter::getProduced(unsigned id) {
  if (Value known = produced.lookup(id))
    return known;
  Value value = model.values[id];
  unsigned port = model.problem.getValues()[id].producer;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value converted = convert(
      value, withLabel(value.getType(), solution.labels[port]), builder);
  if (converted != value)
    explain(converted, value, "the value is declared in this format");
  return produced[id] = converted;
}

/// Says why a conversion is there that no choice avoids.
void AssignmentWriter::explain(Value converted, Value source,
                               const llvm::Twine &reason) {
  auto op = converted.getDefiningOp<ToFormatOp>();
  if (!op)
    return;
  Builder builder(op->getContext());
  op->setDiscardableAttr("memfmt.reason", builder.getStringAttr(reason));
  op->setDiscardableAttr(
      "memfmt.cost",
      builder.getI64IntegerAttr(model.getConversionCost(
          source, op.getInput().getType(), op.getResult().getType())));
  for (auto [id, value] : llvm::enumerate(model.values))
    if (value == source)
      op->setDiscardableAttr(
          "memfmt.value",
          builder.getStringAttr(model.problem.getValues()[id].name));
}

void AssignmentWriter::insertConversions() {
  // The copies of a value that exist, by label and region.
  DenseMap<std::pair<unsigned, unsigned>,
           SmallVector<std::pair<unsigned, Value>>>
      copies;
  for (auto [position, conversion] : llvm::enumerate(solution.conversions)) {
    Value original = getProduced(conversion.value);
    Value source = original;
    for (auto [region, copy] : copies[{conversion.value, conversion.from}])
      if (model.problem.isInside(conversion.region, region))
        source = copy;
    OpBuilder builder(source.getContext());
    unsigned home = model.problem.getValues()[conversion.value].region;
    if (conversion.region == home)
      builder.setInsertionPointAfterValue(source);
    else
      builder.setInsertionPointToStart(
          &model.getRegion(conversion.region)->front());
    Value copy =
        convert(source, withLabel(source.getType(), conversion.to), builder);
    copies[{conversion.value, conversion.to}].push_back(
        {conversion.region, copy});
    for (unsigned reader : conversion.readers)
      supplies[{conversion.value, reader}] = copy;
    auto type = cast<RankedTensorType>(original.getType());
    bool costs = model.getConversionCost(model.values[conversion.value],
                                         withLabel(type, conversion.from),
                                         withLabel(type, conversion.to));
    if (auto op = copy.getDefiningOp<ToFormatOp>(); op && costs)
      runTime.push_back({op, static_cast<unsigned>(position)});
    else
      ++numFree;
  }
}

/// What makes a tensor of nothing makes it in the wanted format.
Value AssignmentWriter::getAnew(Operation *source, RankedTensorType type) {
  if (source->getResult(0).getType() == type)
    return source->getResult(0);
  Value &made = anew[{source, type}];
  if (!made) {
    OpBuilder builder(source->getContext());
    builder.setInsertionPointAfter(source);
    Operation *clone = builder.clone(*source);
    clone->getResult(0).setType(type);
    made = clone->getResult(0);
  }
  return made;
}

RankedTensorType AssignmentWriter::getWanted(const AssignmentModel::Use &use) {
  if (use.demanded)
    return use.demanded;
  return withLabel(use.operand->get().getType(), solution.labels[use.port]);
}

void AssignmentWriter::connect(const AssignmentModel::Use &use) {
  RankedTensorType wanted = getWanted(use);
  Operation *definition = use.source.getDefiningOp();
  if (definition && isMadeAnew(definition))
    return use.operand->set(getAnew(definition, wanted));
  if (!use.reader)
    return use.operand->set(use.source);
  Value supply = supplies.lookup(*use.reader);
  if (!supply)
    supply = getProduced(use.reader->first);
  // A demand that is no label is met at the reader, outside of bodies.
  Operation *place = use.operand->getOwner();
  while (isa<FormatOpInterface>(place->getParentOp()))
    place = place->getParentOp();
  OpBuilder builder(place);
  Value converted = convert(supply, wanted, builder);
  use.operand->set(converted);
  if (converted != supply)
    explain(converted, use.source,
            use.operand->getOwner()->getName().getStringRef() +
                " demands this format");
}

static SmallVector<ToFormatOp> collectWishes(ModuleOp module) {
  SmallVector<ToFormatOp> wishes;
  module.walk([&](ToFormatOp op) { wishes.push_back(op); });
  return wishes;
}

static void eraseUnused(ArrayRef<ToFormatOp> wishes) {
  for (ToFormatOp wish : llvm::reverse(wishes))
    if (wish.use_empty())
      wish.erase();
}

void AssignmentWriter::write(ModuleOp module) {
  SmallVector<ToFormatOp> wishes = collectWishes(module);
  setResultTypes();
  insertConversions();
  for (const AssignmentModel::Use &use : model.uses)
    connect(use);
  llvm::SmallSetVector<Operation *, 8> unused;
  eraseUnused(wishes);
  for (auto &[source, clone] : anew)
    unused.insert(source.first);
  for (Operation *op : unused)
    if (op->use_empty())
      op->erase();
}

namespace {
struct AssignFormats : memfmt::impl::AssignFormatsBase<AssignFormats> {
  using AssignFormatsBase::AssignFormatsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const kernels::TargetInfo *info = resolveTarget(module, target);
    if (!info)
      return signalPassFailure();
    // A certificate that holds for this program says that nothing is better.
    if (!baseline && module->hasAttr(kCertificateAttr) &&
        isAssigned(module, *info))
      return markAllAnalysesPreserved();
    eraseUnused(collectWishes(module));
    AssignmentModel model(module, *info);
    numPorts += model.problem.getPorts().size();
    if (failed(baseline ? assignContiguous(model) : assignMinimal(model)))
      signalPassFailure();
  }

private:
  LogicalResult assignMinimal(AssignmentModel &model);
  LogicalResult assignContiguous(AssignmentModel &model);
  LogicalResult report(AssignmentModel &model, llvm::Error error);
  void write(AssignmentModel &model, const Solution &solution,
             llvm::function_ref<void(ToFormatOp, unsigned)> annotate);
};
} // namespace

/// Says which ports contradict each other, at their operations.
LogicalResult AssignFormats::report(AssignmentModel &model, llvm::Error error) {
  std::string text;
  SmallVector<unsigned> ports;
  llvm::handleAllErrors(
      std::move(error),
      [&](const assignment::ConflictError &conflict) {
        text = "no formats satisfy this program: ";
        llvm::raw_string_ostream os(text);
        conflict.log(os);
        ports.assign(conflict.getPorts().begin(), conflict.getPorts().end());
      },
      [&](const llvm::ErrorInfoBase &other) { text = other.message(); });
  Operation *at = getOperation();
  for (unsigned port : ports)
    if (Operation *op = model.members[port].op) {
      at = op;
      break;
    }
  InFlightDiagnostic diagnostic = at->emitError() << text;
  for (unsigned port : ports)
    if (Operation *op = model.members[port].op; op && op != at)
      diagnostic.attachNote(op->getLoc()) << "this is in conflict with it";
  return diagnostic;
}

void AssignFormats::write(
    AssignmentModel &model, const Solution &solution,
    llvm::function_ref<void(ToFormatOp, unsigned)> annotate) {
  AssignmentWriter writer(model, solution);
  writer.write(getOperation());
  for (auto [op, position] : writer.runTime)
    annotate(op, position);
  numConversions += writer.runTime.size();
  numFolded += writer.numFree;
}

/// Who makes the format and who wants another; ports as in the certificate,
/// readers without a port by the name of their operation.
static std::string getReason(const AssignmentModel &model,
                             const assignment::Conversion &conversion) {
  const assignment::Problem &problem = model.problem;
  const assignment::Value &value = problem.getValues()[conversion.value];
  auto isChosen = [&](unsigned port) { return model.members[port].op; };
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (isChosen(value.producer) ? problem.getPorts()[value.producer].name
                                  : value.name)
     << (isChosen(value.producer) ? " makes " : " is ")
     << problem.getLabels()[conversion.from] << ", ";
  llvm::SmallSetVector<StringRef, 4> readers;
  for (const AssignmentModel::Use &use : model.uses)
    if (use.reader && use.reader->first == conversion.value &&
        llvm::is_contained(conversion.readers, use.reader->second))
      readers.insert(isChosen(use.port)
                         ? StringRef(problem.getPorts()[use.port].name)
                         : use.operand->getOwner()->getName().getStringRef());
  llvm::interleave(readers, os, " and ");
  os << (readers.size() == 1 ? " reads " : " read ")
     << problem.getLabels()[conversion.to];
  return text;
}

LogicalResult AssignFormats::assignMinimal(AssignmentModel &model) {
  assignment::TwoFormatSolver solver(model.problem);
  llvm::Expected<Solution> solution = solver.solve();
  if (!solution)
    return report(model, solution.takeError());
  Builder builder(&getContext());
  SmallVector<NamedAttribute> figures;
  auto add = [&](StringRef name, int64_t value) {
    figures.push_back({name, builder.getI64IntegerAttr(value)});
  };
  add("cost", solution->objective.cost);
  add("lower_bound", solution->lowerBound);
  // Prices of everything else are found before the module changes.
  for (auto [name, cost] : getBaselines(model))
    add(name, cost);
  DenseMap<unsigned, int64_t> removal = getRemovalCosts(model, *solution);
  figures.push_back({"target", builder.getStringAttr(model.target.name)});
  write(model, *solution, [&](ToFormatOp op, unsigned position) {
    op->setDiscardableAttr("memfmt.reason",
                           builder.getStringAttr(getReason(
                               model, solution->conversions[position])));
    unsigned value = solution->conversions[position].value;
    op->setDiscardableAttr(
        "memfmt.value",
        builder.getStringAttr(model.problem.getValues()[value].name));
    op->setDiscardableAttr(
        "memfmt.cost",
        builder.getI64IntegerAttr(memfmt::getConversionCost(
            op.getInput().getType(), op.getResult().getType(), model.target)));
    if (auto it = removal.find(position); it != removal.end())
      op->setDiscardableAttr("memfmt.removal_cost",
                             builder.getI64IntegerAttr(it->second));
  });
  std::string certificate;
  llvm::raw_string_ostream(certificate) << solver.getCertificate().toJSON();
  getOperation()->setAttr(kCertificateAttr, builder.getStringAttr(certificate));
  getOperation()->setAttr(kAssignmentAttr, builder.getDictionaryAttr(figures));
  return success();
}

/// Everything that may be contiguous is. What a signature or a pin says holds.
LogicalResult AssignFormats::assignContiguous(AssignmentModel &model) {
  for (unsigned port = 0; port < model.members.size(); ++port)
    if (model.problem.getPorts()[port].costs[kContiguous] !=
        assignment::kInfinity)
      model.problem.pin(port, kContiguous);
  assignment::TwoFormatSolver solver(model.problem);
  llvm::Expected<Solution> solution = solver.solve();
  if (!solution)
    return report(model, solution.takeError());
  write(model, *solution, [](ToFormatOp, unsigned) {});
  Builder builder(&getContext());
  getOperation()->removeAttr(kCertificateAttr);
  getOperation()->setAttr(
      kAssignmentAttr,
      builder.getDictionaryAttr(
          {{"cost", builder.getI64IntegerAttr(solution->objective.cost)},
           {"target", builder.getStringAttr(model.target.name)}}));
  return success();
}
