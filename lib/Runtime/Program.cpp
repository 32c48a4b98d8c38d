//===- Program.cpp - a compiled function that can be called -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/Program.h"

#include "memfmt/IR/Format.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace memfmt;
using namespace memfmt::runtime;

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static ConstantFigures readFigures(ModuleOp module, StringRef name) {
  ConstantFigures figures;
  if (auto dictionary = module->getAttrOfType<DictionaryAttr>(name)) {
    figures.count = dictionary.getAs<IntegerAttr>("count").getInt();
    figures.bytes = dictionary.getAs<IntegerAttr>("bytes").getInt();
  }
  return figures;
}

/// Launches are numbered in the order of the kernels.
void Program::readLaunches(ModuleOp module) {
  module.walk([&](KernelOp kernel) {
    auto text = [&](StringRef name) {
      auto attribute = kernel->getAttrOfType<StringAttr>(name);
      return attribute ? attribute.str() : std::string();
    };
    auto number = [&](StringRef name) {
      auto attribute = kernel->getAttrOfType<IntegerAttr>(name);
      return attribute ? attribute.getInt() : 0;
    };
    launches.push_back({text("memfmt.operation"), kernel.getKernel().str(),
                        text("memfmt.format"), number("memfmt.number"),
                        number("memfmt.predicted_ps")});
  });
}

LogicalResult memfmt::runtime::copyConstants(ModuleOp module,
                                             MutableArrayRef<char> memory) {
  auto list = module->getAttrOfType<ArrayAttr>("memfmt.constants");
  for (auto entry : list.getAsRange<DictionaryAttr>()) {
    auto value = dyn_cast<ElementsAttr>(entry.get("value"));
    if (!value)
      return module.emitError("has a constant without value");
    std::vector<char> storage;
    FailureOr<ArrayRef<char>> data = getConstantData(
        value, storage, [&] { return module.emitError("constant: "); });
    if (failed(data))
      return failure();
    std::memcpy(memory.data() + entry.getAs<IntegerAttr>("offset").getInt(),
                data->data(), data->size());
  }
  module->removeAttr("memfmt.constants");
  return success();
}

LogicalResult Program::placeConstants(ModuleOp module) {
  constantBytes =
      module->getAttrOfType<IntegerAttr>("memfmt.constant_bytes").getInt();
  constants = static_cast<char *>(allocateAligned(constantBytes));
  if (!constants)
    return module.emitError("out of memory: the constants need ")
           << constantBytes << " bytes";
  return copyConstants(module, {constants, static_cast<size_t>(constantBytes)});
}

LogicalResult Program::load(ModuleOp module, const PipelineOptions &options) {
  auto fail = [&](llvm::Error error) -> LogicalResult {
    return module.emitError("cannot be compiled to machine code: ")
           << llvm::toString(std::move(error));
  };
  bool host = options.target == "host";
  const kernels::TargetInfo *target = kernels::lookupTarget(options.target);
  auto code = compileToObject(module, MachineSpec::get(*target, host));
  if (!code)
    return fail(code.takeError());
  auto loaded = LoadedObject::load(std::move(*code));
  if (!loaded)
    return fail(loaded.takeError());
  object = std::move(*loaded);
  llvm::Expected<void *> address = object->lookup(signature.symbol);
  if (!address)
    return fail(address.takeError());
  entry = reinterpret_cast<memfmt_entry_fn>(*address);
  return success();
}

FailureOr<std::unique_ptr<Program>>
Program::compile(ModuleOp module, const PipelineOptions &options, Stage from) {
  FailureOr<Signature> signature = Signature::read(module);
  if (failed(signature) ||
      failed(runPipeline(module, options, from, Stage::Kernels)))
    return failure();
  std::unique_ptr<Program> program(new Program());
  program->signature = std::move(*signature);
  program->readLaunches(module);
  program->folded = readFigures(module, "memfmt.folded");
  program->unfolded = readFigures(module, "memfmt.unfolded");
  auto function = module.lookupSymbol<func::FuncOp>(program->signature.symbol);
  program->arenaBytes =
      function->getAttrOfType<IntegerAttr>("memfmt.arena_bytes").getInt();
  program->arenaLowerBound =
      function->getAttrOfType<IntegerAttr>("memfmt.arena_lower_bound").getInt();
  if (failed(runPipeline(module, options, Stage::Kernels, Stage::LLVM)) ||
      failed(program->placeConstants(module)))
    return failure();
  if (failed(program->load(module, options)))
    return failure();
  return program;
}

Program::~Program() { std::free(constants); }

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<ExecutionContext>>
Program::createContext(unsigned numThreads) const {
  return ExecutionContext::create(arenaBytes, constants, numThreads);
}

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Error Program::checkInputs(ArrayRef<HostTensor> arrays) const {
  if (arrays.size() != getInputs().size())
    return makeError("expects " + llvm::Twine(getInputs().size()) +
                     " inputs, found " + llvm::Twine(arrays.size()));
  for (auto [index, array, spec] : llvm::enumerate(arrays, getInputs()))
    if (array.getElementType() != spec.type ||
        array.getShape() != ArrayRef<int64_t>(spec.shape))
      return makeError("input " + llvm::Twine(index) + ": expects " +
                       spec.getTypeName() + ", found " + array.getTypeName());
  return llvm::Error::success();
}

/// What a caller passes against what the program was compiled for.
static llvm::Error checkTensor(const memfmt_tensor &tensor,
                               const TensorSpec &spec,
                               const llvm::Twine &name) {
  if (!tensor.data)
    return makeError(name + ": has no data");
  if (tensor.element_type != static_cast<int32_t>(spec.type) ||
      tensor.rank != static_cast<int64_t>(spec.shape.size()))
    return makeError(name + ": expects " + spec.getTypeName() +
                     ", found rank " + llvm::Twine(tensor.rank) +
                     " with element type " + llvm::Twine(tensor.element_type));
  bool isEmpty = llvm::is_contained(spec.shape, 0);
  for (int64_t axis = 0; axis < tensor.rank; ++axis) {
    if (tensor.sizes[axis] != spec.shape[axis])
      return makeError(name + ": expects size " +
                       llvm::Twine(spec.shape[axis]) + " on axis " +
                       llvm::Twine(axis) + ", found " +
                       llvm::Twine(tensor.sizes[axis]));
    if (!isEmpty && spec.shape[axis] != 1 &&
        tensor.strides[axis] != spec.strides[axis])
      return makeError(name + ": expects stride " +
                       llvm::Twine(spec.strides[axis]) + " on axis " +
                       llvm::Twine(axis) + ", found " +
                       llvm::Twine(tensor.strides[axis]));
  }
  return llvm::Error::success();
}

llvm::Error Program::call(ExecutionContext &context, ArrayRef<memfmt_tensor> in,
                          ArrayRef<memfmt_tensor> out) const {
  if (in.size() != getInputs().size() || out.size() != getOutputs().size())
    return makeError("expects " + llvm::Twine(getInputs().size()) +
                     " inputs and " + llvm::Twine(getOutputs().size()) +
                     " outputs, found " + llvm::Twine(in.size()) + " and " +
                     llvm::Twine(out.size()));
  for (auto [index, tensor, spec] : llvm::enumerate(in, getInputs()))
    if (llvm::Error error =
            checkTensor(tensor, spec, "input " + llvm::Twine(index)))
      return error;
  for (auto [index, tensor, spec] : llvm::enumerate(out, getOutputs()))
    if (llvm::Error error =
            checkTensor(tensor, spec, "output " + llvm::Twine(index)))
      return error;
  int32_t status = entry(context.get(), in.data(), out.data());
  if (status)
    return makeError("the program failed with status " + llvm::Twine(status));
  return llvm::Error::success();
}

llvm::Expected<HostTensor> memfmt::runtime::arrange(const HostTensor &array,
                                                    const TensorSpec &spec,
                                                    bool toDeclared) {
  if (spec.isRowMajor())
    return array;
  llvm::Expected<HostTensor> result =
      HostTensor::allocate(spec.type, spec.shape);
  if (!result)
    return result.takeError();
  int64_t size = getElementSize(spec.type);
  SmallVector<int64_t> index(spec.shape.size());
  for (int64_t i = 0, n = array.getNumElements(); i < n; ++i) {
    int64_t rest = i, at = 0;
    for (int64_t axis = spec.shape.size() - 1; axis >= 0; --axis) {
      at += rest % spec.shape[axis] * spec.strides[axis];
      rest /= spec.shape[axis];
    }
    std::memcpy(result->getMutableBytes().data() + (toDeclared ? at : i) * size,
                array.getBytes().data() + (toDeclared ? i : at) * size, size);
  }
  return result;
}

static memfmt_tensor describe(const HostTensor &array, const TensorSpec &spec) {
  return {const_cast<char *>(array.getBytes().data()),
          /*offset=*/0,
          static_cast<int64_t>(spec.shape.size()),
          spec.shape.data(),
          spec.strides.data(),
          static_cast<int32_t>(spec.type)};
}

llvm::Expected<std::vector<HostTensor>>
Program::run(ExecutionContext &context, ArrayRef<HostTensor> arrays) const {
  if (llvm::Error error = checkInputs(arrays))
    return error;
  std::vector<HostTensor> owned;
  std::vector<memfmt_tensor> in, out;
  for (auto [array, spec] : llvm::zip_equal(arrays, getInputs())) {
    llvm::Expected<HostTensor> arranged = arrange(array, spec, true);
    if (!arranged)
      return arranged.takeError();
    in.push_back(describe(*arranged, spec));
    owned.push_back(std::move(*arranged));
  }
  std::vector<HostTensor> results;
  for (const TensorSpec &spec : getOutputs()) {
    llvm::Expected<HostTensor> result =
        HostTensor::allocate(spec.type, spec.shape);
    if (!result)
      return result.takeError();
    out.push_back(describe(*result, spec));
    results.push_back(std::move(*result));
  }
  if (llvm::Error error = call(context, in, out))
    return error;
  for (auto [result, spec] : llvm::zip_equal(results, getOutputs())) {
    llvm::Expected<HostTensor> rowMajor = arrange(result, spec, false);
    if (!rowMajor)
      return rowMajor.takeError();
    result = std::move(*rowMajor);
  }
  return results;
}
