//===- ObjectFile.cpp - programs as object files ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/ObjectFile.h"

#include "memfmt/Runtime/Jit.h"
#include "memfmt/Runtime/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace memfmt;
using namespace memfmt::runtime;

/// Puts the constants into a global of the module.
static LogicalResult embedConstants(ModuleOp module, StringRef name,
                                    int64_t bytes) {
  // At least one byte: the global has an address.
  size_t size = std::max<int64_t>(bytes, 1);
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(size, /*align=*/64, /*dataIsMutable=*/true);
  MutableArrayRef<char> data = blob.getMutableData();
  llvm::fill(data, 0);
  if (failed(copyConstants(module, data)))
    return failure();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type =
      RankedTensorType::get({static_cast<int64_t>(size)}, builder.getI8Type());
  std::string symbol = (name + "_constants").str();
  auto value = DenseResourceElementsAttr::get(type, symbol, std::move(blob));
  LLVM::GlobalOp::create(builder, module.getLoc(),
                         LLVM::LLVMArrayType::get(builder.getI8Type(), size),
                         /*isConstant=*/true, LLVM::Linkage::External, symbol,
                         value, /*alignment=*/64);
  return success();
}

/// Kernels are called through the context only: no symbol of theirs is seen
/// outside.
static void hideKernels(ModuleOp module, StringRef name) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal() && function.getName() != name)
      function.setLinkage(LLVM::Linkage::Internal);
}

static void describeTensors(llvm::raw_ostream &os, StringRef kind,
                            ArrayRef<TensorSpec> specs) {
  for (auto [index, spec] : llvm::enumerate(specs)) {
    os << " * " << kind << " " << index << ": " << spec.getTypeName()
       << ", strides";
    for (int64_t stride : spec.strides)
      os << " " << stride;
    os << "\n";
  }
}

/// The header of one program; includes that of the interface.
static std::string makeHeader(StringRef name, const Signature &signature,
                              int64_t arenaBytes, int64_t constantBytes) {
  std::string upper = name.upper();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "/* The program " << name << ", compiled by memfmt.\n *\n";
  describeTensors(os, "input", signature.inputs);
  describeTensors(os, "output", signature.outputs);
  os << " */\n\n#ifndef MEMFMT_PROGRAM_" << upper
     << "_H\n#define MEMFMT_PROGRAM_" << upper
     << "_H\n\n#include \"memfmt/Abi.h\"\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "/* Bytes of memfmt_context.arena and memfmt_context.constants. */\n"
     << "#define " << upper << "_ARENA_BYTES " << arenaBytes << "\n#define "
     << upper << "_CONSTANT_BYTES " << constantBytes << "\n#define " << upper
     << "_NUM_INPUTS " << signature.inputs.size() << "\n#define " << upper
     << "_NUM_OUTPUTS " << signature.outputs.size() << "\n\n"
     << "/* What memfmt_context.constants points to. */\n"
     << "extern const unsigned char " << name << "_constants[];\n\n"
     << "int32_t " << name
     << "(memfmt_context *context, const memfmt_tensor *inputs,\n"
     << "    const memfmt_tensor *outputs);\n\n"
     << "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}

FailureOr<ObjectProgram>
memfmt::runtime::compileToObjectFile(ModuleOp module, StringRef name,
                                     const PipelineOptions &options,
                                     Stage from) {
  FailureOr<Signature> signature = Signature::read(module);
  if (failed(signature))
    return failure();
  SymbolTable symbols(module);
  Operation *function = symbols.lookup(signature->symbol);
  if (signature->symbol != name) {
    if (Operation *other = symbols.lookup(name))
      return other->emitError("has the name that the program gets: ") << name;
    if (failed(symbols.rename(function,
                              StringAttr::get(module.getContext(), name))))
      return function->emitError("cannot be renamed to ") << name;
  }
  if (failed(runPipeline(module, options, from, Stage::Kernels)))
    return failure();
  function = module.lookupSymbol(name);
  int64_t arenaBytes =
      function->getAttrOfType<IntegerAttr>("memfmt.arena_bytes").getInt();
  int64_t constantBytes =
      module->getAttrOfType<IntegerAttr>("memfmt.constant_bytes").getInt();
  if (failed(runPipeline(module, options, Stage::Kernels, Stage::LLVM)) ||
      failed(embedConstants(module, name, constantBytes)))
    return failure();
  hideKernels(module, name);
  const kernels::TargetInfo *target = kernels::lookupTarget(options.target);
  auto object = compileToObject(
      module, MachineSpec::get(*target, options.target == "host"));
  if (!object)
    return module.emitError("cannot be compiled to machine code: ")
           << llvm::toString(object.takeError());
  ObjectProgram result;
  result.object = std::move(*object);
  result.header = makeHeader(name, *signature, arenaBytes, constantBytes);
  return result;
}
