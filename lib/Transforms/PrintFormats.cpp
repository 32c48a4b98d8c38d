//===- PrintFormats.cpp - print sizes and strides ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Transforms/FormatPasses.h"

#include "memfmt/Analysis/FormatPropagation.h"
#include "memfmt/IR/Format.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace memfmt {
#define GEN_PASS_DEF_PRINTFORMATS
#include "memfmt/Transforms/FormatPasses.h.inc"
} // namespace memfmt

using namespace mlir;
using namespace memfmt;

static llvm::json::Value toJson(int64_t number) {
  if (ShapedType::isDynamic(number))
    return nullptr;
  return number;
}

static void printValue(StringRef function, StringRef op, unsigned number,
                       Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  StridedLayout layout = getDeclaredLayout(type);
  llvm::json::Array sizes, strides;
  for (int64_t size : layout.sizes)
    sizes.push_back(toJson(size));
  for (int64_t stride : layout.strides)
    strides.push_back(toJson(stride));
  FormatAttrInterface format = getFormat(type);
  bool blocked = format && !format.getInnerBlocks().empty();
  std::string element;
  llvm::raw_string_ostream(element) << type.getElementType();
  llvm::json::Object line{
      {"function", function},
      {"op", op},
      {"result", static_cast<int64_t>(number)},
      {"sizes", std::move(sizes)},
      {"strides", blocked ? llvm::json::Value(nullptr)
                          : llvm::json::Value(std::move(strides))},
      {"offset", toJson(layout.offset)},
      {"element", element},
      {"format", describeFormat(type)}};
  llvm::outs() << llvm::json::Value(std::move(line)) << "\n";
}

namespace {
struct PrintFormats : memfmt::impl::PrintFormatsBase<PrintFormats> {
  void runOnOperation() override {
    getOperation().walk<WalkOrder::PreOrder>([](Operation *op) {
      auto function = dyn_cast<FunctionOpInterface>(op);
      if (!function && op->getParentOp())
        function = op->getParentOfType<FunctionOpInterface>();
      StringRef name = function ? function.getName() : "";
      for (OpResult result : op->getResults())
        printValue(name, op->getName().getStringRef(), result.getResultNumber(),
                   result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            printValue(name, "", argument.getArgNumber(), argument);
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
