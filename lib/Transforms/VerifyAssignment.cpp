//===- VerifyAssignment.cpp - check a certificate on the IR -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The cost of the program as it stands is added up operation by operation. The
// certificate's flow bounds the cost of every assignment. Both being the same
// number, none is better. Solver and writer have no part in this.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Transforms/FormatPasses.h"

#include "AssignmentCheck.h"
#include "AssignmentModel.h"

#include "memfmt/Assignment/Checker.h"
#include "memfmt/IR/Format.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

namespace memfmt {
#define GEN_PASS_DEF_VERIFYASSIGNMENT
#include "memfmt/Transforms/FormatPasses.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;
using assignment::kInfinity;

static RankedTensorType asTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The label that the members of a port have in the IR; an error if they differ
/// or have none.
static FailureOr<unsigned>
readLabel(const AssignmentModel::PortMembers &members) {
  Operation *op = members.op;
  auto typeOf = [&](unsigned member) {
    size_t numResults = members.results.size();
    return asTensor(
        member < numResults
            ? Value(op->getResult(members.results[member]))
            : op->getOperand(members.operands[member - numResults]));
  };
  std::optional<unsigned> label = getLabel(typeOf(0));
  if (!label)
    return op->emitOpError("has a format that no assignment chooses: ")
           << typeOf(0);
  for (unsigned i = 1, e = members.results.size() + members.operands.size();
       i < e; ++i)
    if (getLabel(typeOf(i)) != label)
      return op->emitOpError("expects its tensors in one format, found ")
             << typeOf(0) << " and " << typeOf(i);
  return *label;
}

/// Ports that stand for a format that is no label: the label that is next to it
/// in the IR.
static void readForeignLabels(AssignmentModel &model,
                              std::vector<unsigned> &labels) {
  for (const AssignmentModel::Use &use : model.uses) {
    if (!use.reader)
      continue;
    // Steps of the way from the source to the reader.
    SmallVector<Value> way = {use.operand->get()};
    while (auto conversion = way.back().getDefiningOp<ToFormatOp>())
      way.push_back(conversion.getInput());
    unsigned producer = model.problem.getValues()[use.reader->first].producer;
    bool isForeignSource = !getLabel(asTensor(use.source));
    if (isForeignSource && way.size() > 1)
      labels[producer] =
          getLabel(asTensor(way[way.size() - 2])).value_or(kContiguous);
    if (use.demanded && !getLabel(use.demanded) && way.size() > 1)
      labels[use.port] = getLabel(asTensor(way[1])).value_or(kContiguous);
  }
}

static FailureOr<std::vector<unsigned>> readLabels(AssignmentModel &model) {
  std::vector<unsigned> labels;
  for (auto [members, port] :
       llvm::zip_equal(model.members, model.problem.getPorts())) {
    if (!members.op) {
      labels.push_back(port.costs[kContiguous] == kInfinity ? kChannelsLast
                                                            : kContiguous);
      continue;
    }
    FailureOr<unsigned> label = readLabel(members);
    if (failed(label))
      return failure();
    labels.push_back(*label);
  }
  readForeignLabels(model, labels);
  return labels;
}

/// Every reader gets what it demands.
static LogicalResult checkDemands(const AssignmentModel &model) {
  for (const AssignmentModel::Use &use : model.uses)
    if (use.demanded && use.operand->get().getType() != use.demanded)
      return use.operand->getOwner()->emitOpError("expects operand ")
             << use.operand->getOperandNumber() << " as " << use.demanded
             << ", found " << use.operand->get().getType();
  return success();
}

/// The predicted time of the module as it stands.
static FailureOr<int64_t> addUp(ModuleOp module, AssignmentModel &model) {
  int64_t total = 0;
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module)
      return WalkResult::advance();
    int64_t cost = 0;
    auto conversion = dyn_cast<ToFormatOp>(op);
    auto interface = dyn_cast<FormatOpInterface>(op);
    if (conversion) {
      if (llvm::MulOverflow(
              model.getConversionCost(conversion.getInput(),
                                      conversion.getInput().getType(),
                                      conversion.getResult().getType()),
              model.getWeight(op->getParentRegion()), cost))
        cost = kInfinity;
    } else if (interface && !isMadeAnew(op)) {
      cost = model.getCost(op, OperationFormats::get(op));
    }
    if (cost == kInfinity || llvm::AddOverflow(total, cost, total)) {
      op->emitOpError("cannot be carried out in these formats");
      return WalkResult::interrupt();
    }
    return interface ? WalkResult::skip() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return total;
}

static FailureOr<assignment::Certificate> readCertificate(ModuleOp module) {
  auto text = module->getAttrOfType<StringAttr>(kCertificateAttr);
  if (!text)
    return module.emitError("has no certificate: expects the string attribute ")
           << kCertificateAttr << " that `memfmt-assign` leaves";
  llvm::Expected<assignment::Certificate> certificate =
      assignment::Certificate::parse(text.getValue());
  if (!certificate)
    return module.emitError("certificate: ")
           << llvm::toString(certificate.takeError());
  return *certificate;
}

LogicalResult memfmt::verifyAssignment(ModuleOp module,
                                       const kernels::TargetInfo &target) {
  FailureOr<assignment::Certificate> certificate = readCertificate(module);
  if (failed(certificate))
    return failure();
  AssignmentModel model(module, target);
  FailureOr<std::vector<unsigned>> labels = readLabels(model);
  if (failed(labels) || failed(checkDemands(model)))
    return failure();
  FailureOr<int64_t> cost = addUp(module, model);
  if (failed(cost))
    return failure();
  if (*cost != certificate->objective)
    return module.emitError("the certificate claims a cost of ")
           << certificate->objective << " ps, but the program costs " << *cost
           << " ps on " << target.name;
  if (llvm::Error error =
          assignment::checkCertificate(model.problem, *labels, *certificate))
    return module.emitError() << llvm::toString(std::move(error));
  if (!certificate->claimsMinimal())
    module.emitRemark("not proved minimal: the program costs ")
        << certificate->objective << " ps, the proved lower bound is "
        << certificate->lowerBound << " ps";
  return success();
}

bool memfmt::isAssigned(ModuleOp module, const kernels::TargetInfo &target) {
  ScopedDiagnosticHandler silent(module.getContext(),
                                 [](Diagnostic &) { return success(); });
  return succeeded(verifyAssignment(module, target));
}

namespace {
struct VerifyAssignment : memfmt::impl::VerifyAssignmentBase<VerifyAssignment> {
  using VerifyAssignmentBase::VerifyAssignmentBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    const kernels::TargetInfo *info = resolveTarget(getOperation(), target);
    if (!info || failed(verifyAssignment(getOperation(), *info)))
      signalPassFailure();
  }
};
} // namespace
