//===- Report.cpp - where formats go and why --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Report/Report.h"

#include "memfmt/Analysis/CompileTime.h"
#include "memfmt/IR/Format.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace memfmt;

static std::string describeShape(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream(text) << withFormat(type, {});
  return text;
}

static std::string getText(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<StringAttr>(name);
  return attribute ? attribute.str() : std::string();
}

static void addConversion(ToFormatOp op, AssignmentRecord &record) {
  RankedTensorType from = op.getInput().getType(),
                   to = op.getResult().getType();
  if (areEquivalent(from, to)) {
    record.freeChanges.push_back({"the same memory for " + describeShape(from),
                                  describeFormat(from), describeFormat(to)});
    return;
  }
  ConversionRecord conversion;
  conversion.value = getText(op, "memfmt.value");
  conversion.from = describeFormat(from);
  conversion.to = describeFormat(to);
  conversion.reason = getText(op, "memfmt.reason");
  conversion.bytes = getPhysicalBytes(to).value_or(0);
  if (auto cost = op->getAttrOfType<IntegerAttr>("memfmt.cost"))
    conversion.cost = cost.getInt();
  if (auto cost = op->getAttrOfType<IntegerAttr>("memfmt.removal_cost"))
    conversion.removalCost = cost.getInt();
  record.conversions.push_back(conversion);
}

/// The first type of a port.
static RankedTensorType getPortType(Operation *op, const FormatPort &port) {
  Value member = port.operands.empty()
                     ? Value(op->getResult(port.results.front()))
                     : op->getOperand(port.operands.front());
  return cast<RankedTensorType>(member.getType());
}

/// Operations whose ports differ take a conversion on themselves.
static void addMixed(FormatOpInterface op, AssignmentRecord &record) {
  SmallVector<FormatPort> ports = op.getFormatPorts();
  if (ports.size() < 2)
    return;
  RankedTensorType first = getPortType(op, ports.front()),
                   last = getPortType(op, ports.back());
  if (describeFormat(first) == describeFormat(last) ||
      areEquivalent(first, withFormat(first, getFormat(last))))
    return;
  record.freeChanges.push_back({op->getName().getStringRef().str() + " on " +
                                    describeShape(first) +
                                    " reads one and writes the other",
                                describeFormat(first), describeFormat(last)});
}

/// How the certificate proves its bound: `cut` or `branch`.
static std::string getMethod(ModuleOp module) {
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse(getText(module, "memfmt.certificate"));
  if (!json) {
    llvm::consumeError(json.takeError());
    return "";
  }
  const llvm::json::Object *object = json->getAsObject();
  auto method = object ? object->getString("method") : std::nullopt;
  return method ? method->str() : "";
}

AssignmentRecord memfmt::describeAssignment(ModuleOp module) {
  AssignmentRecord record;
  if (auto figures =
          module->getAttrOfType<DictionaryAttr>("memfmt.assignment")) {
    auto read = [&](StringRef name) -> std::optional<int64_t> {
      if (auto value = figures.getAs<IntegerAttr>(name))
        return value.getInt();
      return std::nullopt;
    };
    record.cost = read("cost");
    record.lowerBound = read("lower_bound");
    record.contiguous = read("contiguous");
    record.wrapped = read("wrapped");
    record.propagation = read("propagation");
  }
  record.method = getMethod(module);
  CompileTimeAnalysis compileTime;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto conversion = dyn_cast<ToFormatOp>(op);
    if (conversion && !compileTime.isCompileTime(conversion.getInput()))
      addConversion(conversion, record);
    auto interface = dyn_cast<FormatOpInterface>(op);
    if (interface)
      addMixed(interface, record);
    return interface ? WalkResult::skip() : WalkResult::advance();
  });
  return record;
}

static llvm::json::Value orNull(std::optional<int64_t> value) {
  return value ? llvm::json::Value(*value) : llvm::json::Value(nullptr);
}

llvm::json::Object memfmt::toJSON(const AssignmentRecord &record,
                                  bool verified) {
  llvm::json::Array conversions, freeChanges;
  for (const ConversionRecord &conversion : record.conversions)
    conversions.push_back(llvm::json::Object{
        {"value", conversion.value},
        {"from", conversion.from},
        {"to", conversion.to},
        {"bytes", conversion.bytes},
        {"ns", conversion.cost ? llvm::json::Value(*conversion.cost / 1000.0)
                               : llvm::json::Value(nullptr)},
        {"reason", conversion.reason},
        {"removal_cost", orNull(conversion.removalCost)}});
  for (const FreeChange &change : record.freeChanges)
    freeChanges.push_back(llvm::json::Object{
        {"what", change.what}, {"from", change.from}, {"to", change.to}});
  std::optional<int64_t> gap;
  if (record.cost && record.lowerBound)
    gap = *record.cost - *record.lowerBound;
  return llvm::json::Object{
      {"unit", "ps"},
      {"objective", orNull(record.cost)},
      {"lower_bound", orNull(record.lowerBound)},
      {"certificate", llvm::json::Object{{"method", record.method},
                                         {"verified", verified},
                                         {"gap", orNull(gap)}}},
      {"conversions", std::move(conversions)},
      {"free_changes", std::move(freeChanges)},
      {"baselines",
       llvm::json::Object{{"contiguous", orNull(record.contiguous)},
                          {"wrapped", orNull(record.wrapped)},
                          {"propagation", orNull(record.propagation)}}}};
}

llvm::Error memfmt::writeFile(StringRef path, StringRef text) {
  llvm::Error error =
      llvm::writeToOutput(path, [&](llvm::raw_ostream &os) -> llvm::Error {
        os << text;
        return llvm::Error::success();
      });
  if (!error)
    return error;
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "cannot write " + path + ": " +
                                     llvm::toString(std::move(error)));
}
