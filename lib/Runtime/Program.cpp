//===- Program.cpp - a compiled function that can be called -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/Program.h"

#include "memfmt/IR/Format.h"
#include "memfmt/Runtime/Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace memfmt;
using namespace memfmt::runtime;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

bool TensorSpec::isRowMajor() const {
  int64_t expected = 1;
  for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && strides[axis] != expected)
      return false;
    expected *= shape[axis];
  }
  return true;
}

std::string TensorSpec::getTypeName() const {
  std::string name;
  for (int64_t size : shape)
    name += std::to_string(size) + "x";
  return name + getElementTypeName(type).str();
}

static FailureOr<TensorSpec> getSpec(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitError("expects tensors of static shape as arguments and "
                         "results of a program, found ")
           << type;
  std::optional<ElementType> element = getHostType(tensor.getElementType());
  if (!element)
    return op->emitError("expects integers of 1, 8, 16, 32 or 64 bits or "
                         "floats of 16, 32 or 64 bits as arguments and results "
                         "of a program, found ")
           << type;
  TensorSpec spec;
  spec.type = *element;
  spec.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  spec.strides.resize(spec.shape.size());
  if (FormatAttrInterface format = getFormat(tensor)) {
    FailureOr<SmallVector<int64_t>> strides =
        format.getStrides(tensor.getShape());
    if (failed(strides))
      return op->emitError("expects formats with strides at the boundary of a "
                           "program, found ")
             << type;
    spec.strides = *strides;
    return spec;
  }
  int64_t stride = 1;
  for (int64_t axis = spec.shape.size() - 1; axis >= 0; --axis) {
    spec.strides[axis] = stride;
    stride *= spec.shape[axis];
  }
  return spec;
}

/// The one public function of a module.
static FailureOr<func::FuncOp> findProgram(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  if (functions.size() == 1)
    return functions.front();
  if (functions.empty())
    return module.emitError("has no public function to run");
  InFlightDiagnostic diagnostic = module.emitError(
      "has several public functions; make all but one private:");
  for (func::FuncOp function : functions)
    diagnostic << " @" << function.getName();
  return diagnostic;
}

/// Before kernels are chosen: types carry their formats.
LogicalResult Program::readSignature(ModuleOp module) {
  FailureOr<func::FuncOp> function = findProgram(module);
  if (failed(function))
    return failure();
  symbol = function->getName().str();
  for (auto [types, specs] : {std::pair(function->getArgumentTypes(), &inputs),
                              std::pair(function->getResultTypes(), &outputs)})
    for (Type type : types) {
      FailureOr<TensorSpec> spec = getSpec(*function, type);
      if (failed(spec))
        return failure();
      specs->push_back(*spec);
    }
  return success();
}

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

LogicalResult Program::placeConstants(ModuleOp module) {
  auto list = module->getAttrOfType<ArrayAttr>("memfmt.constants");
  constantBytes =
      module->getAttrOfType<IntegerAttr>("memfmt.constant_bytes").getInt();
  constants = static_cast<char *>(allocateAligned(constantBytes));
  if (!constants)
    return module.emitError("out of memory: the constants need ")
           << constantBytes << " bytes";
  for (auto entry : list.getAsRange<DictionaryAttr>()) {
    auto value = dyn_cast<ElementsAttr>(entry.get("value"));
    if (!value)
      return module.emitError("has a constant without value");
    std::vector<char> storage;
    FailureOr<ArrayRef<char>> data = getConstantData(
        value, storage, [&] { return module.emitError("constant: "); });
    if (failed(data))
      return failure();
    std::memcpy(constants + entry.getAs<IntegerAttr>("offset").getInt(),
                data->data(), data->size());
  }
  return success();
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
  llvm::Expected<void *> address = object->lookup(symbol);
  if (!address)
    return fail(address.takeError());
  entry = reinterpret_cast<memfmt_entry_fn>(*address);
  return success();
}

static LogicalResult runPasses(ModuleOp module, const PipelineOptions &options,
                               Stage from, Stage to) {
  PassManager manager(module.getContext());
  buildPipeline(manager, options, from, to);
  return manager.run(module);
}

FailureOr<std::unique_ptr<Program>>
Program::compile(ModuleOp module, const PipelineOptions &options, Stage from) {
  std::unique_ptr<Program> program(new Program());
  if (failed(program->readSignature(module)) ||
      failed(runPasses(module, options, from, Stage::Kernels)))
    return failure();
  program->readLaunches(module);
  program->folded = readFigures(module, "memfmt.folded");
  program->unfolded = readFigures(module, "memfmt.unfolded");
  auto function = module.lookupSymbol<func::FuncOp>(program->symbol);
  program->arenaBytes =
      function->getAttrOfType<IntegerAttr>("memfmt.arena_bytes").getInt();
  program->arenaLowerBound =
      function->getAttrOfType<IntegerAttr>("memfmt.arena_lower_bound").getInt();
  if (failed(runPasses(module, options, Stage::Kernels, Stage::LLVM)) ||
      failed(program->placeConstants(module)))
    return failure();
  module->removeAttr("memfmt.constants");
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
  if (arrays.size() != inputs.size())
    return makeError("expects " + llvm::Twine(inputs.size()) +
                     " inputs, found " + llvm::Twine(arrays.size()));
  for (auto [index, array, spec] : llvm::enumerate(arrays, inputs))
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
  if (in.size() != inputs.size() || out.size() != outputs.size())
    return makeError("expects " + llvm::Twine(inputs.size()) + " inputs and " +
                     llvm::Twine(outputs.size()) + " outputs, found " +
                     llvm::Twine(in.size()) + " and " +
                     llvm::Twine(out.size()));
  for (auto [index, tensor, spec] : llvm::enumerate(in, inputs))
    if (llvm::Error error =
            checkTensor(tensor, spec, "input " + llvm::Twine(index)))
      return error;
  for (auto [index, tensor, spec] : llvm::enumerate(out, outputs))
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
  for (auto [array, spec] : llvm::zip_equal(arrays, inputs)) {
    llvm::Expected<HostTensor> arranged = arrange(array, spec, true);
    if (!arranged)
      return arranged.takeError();
    in.push_back(describe(*arranged, spec));
    owned.push_back(std::move(*arranged));
  }
  std::vector<HostTensor> results;
  for (const TensorSpec &spec : outputs) {
    llvm::Expected<HostTensor> result =
        HostTensor::allocate(spec.type, spec.shape);
    if (!result)
      return result.takeError();
    out.push_back(describe(*result, spec));
    results.push_back(std::move(*result));
  }
  if (llvm::Error error = call(context, in, out))
    return error;
  for (auto [result, spec] : llvm::zip_equal(results, outputs)) {
    llvm::Expected<HostTensor> rowMajor = arrange(result, spec, false);
    if (!rowMajor)
      return rowMajor.takeError();
    result = std::move(*rowMajor);
  }
  return results;
}
