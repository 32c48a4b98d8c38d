//===- Manifest.cpp - arrays from seeds -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A manifest describes arrays by the seed of a generator, so that a network
// with hundreds of megabytes of weights fits into a text file; see
// docs/manifest.md.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/TensorFile.h"

#include "Json.h"
#include "MappedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

#include <cstring>

using namespace memfmt::runtime;

namespace {
/// How one array is made.
struct Recipe {
  llvm::SmallVector<int64_t> shape;
  uint64_t seed = 0;
  double scale = 1, offset = 0;
  bool isBF16 = false;
  /// Reverse the last two axes, then permute: result axis i is axis
  /// permutation[i].
  bool flips = false;
  llvm::SmallVector<int64_t> permutation;
};

/// A view of another array of the file beside the manifest.
struct Alias {
  std::string of;
  llvm::SmallVector<int64_t> shape, permutation;
};

class ManifestFile : public TensorFile {
public:
  explicit ManifestFile(std::string path) : path(std::move(path)) {}

  llvm::Error read(llvm::StringRef text, TensorRole role);
  llvm::ArrayRef<std::string> getNames() const override { return names; }
  llvm::Expected<HostTensor> get(llvm::StringRef name) const override;
  bool hasExactShapes() const override { return false; }

private:
  llvm::Error readInputs(const llvm::json::Object &root, llvm::StringRef text);
  llvm::Error readWeights(const llvm::json::Object &root, llvm::StringRef text);
  llvm::Error addRecipe(llvm::StringRef name, const llvm::json::Value &json);
  llvm::Error addAlias(llvm::StringRef name, const llvm::json::Value &json);
  llvm::Error readConstants(const llvm::json::Object &weights,
                            llvm::StringRef text);
  llvm::Expected<HostTensor> getConstant(llvm::StringRef name) const;
  llvm::Error fail(llvm::StringRef name, const llvm::Twine &text) const {
    return makeFileError(path, "array \"" + name + "\": " + text);
  }

  std::string path;
  std::vector<std::string> names;
  llvm::StringMap<Recipe> recipes;
  llvm::StringMap<Alias> aliases;
  llvm::StringMap<std::string> types;
  std::unique_ptr<TensorFile> constants;
};
} // namespace

//===----------------------------------------------------------------------===//
// Making arrays
//===----------------------------------------------------------------------===//

/// Element `index` of the sequence of splitmix64 (Steele, Lea and Flood, OOPSLA
/// 2014), its top 24 bits as a number from -1 to 1, scaled; every step rounds
/// to f32.
static float generate(const Recipe &recipe, uint64_t index) {
  uint64_t z = recipe.seed + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  float unit =
      static_cast<float>(static_cast<int64_t>(z >> 40) - (1 << 23)) * 0x1p-23f;
  // Volatile: no fused multiply-add.
  volatile float scaled = unit * static_cast<float>(recipe.scale);
  return scaled + static_cast<float>(recipe.offset);
}

/// Rounds to nearest, ties to even.
static uint16_t toBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

/// `source` with its axes permuted; elements of any size.
static llvm::Expected<HostTensor> permute(const HostTensor &source,
                                          llvm::ArrayRef<int64_t> permutation) {
  llvm::ArrayRef<int64_t> shape = source.getShape();
  llvm::SmallVector<int64_t> strides(shape.size()), newShape;
  int64_t stride = 1;
  for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  for (int64_t axis : permutation)
    newShape.push_back(shape[axis]);
  auto result = HostTensor::allocate(source.getElementType(), newShape);
  if (!result)
    return result;
  int64_t size = getElementSize(source.getElementType());
  for (int64_t i = 0, n = source.getNumElements(); i < n; ++i) {
    int64_t rest = i, at = 0;
    for (int64_t axis = permutation.size() - 1; axis >= 0; --axis) {
      at += rest % newShape[axis] * strides[permutation[axis]];
      rest /= newShape[axis];
    }
    std::memcpy(result->getMutableBytes().data() + i * size,
                source.getBytes().data() + at * size, size);
  }
  return result;
}

static llvm::Expected<HostTensor> make(const Recipe &recipe) {
  auto tensor = HostTensor::allocate(
      recipe.isBF16 ? ElementType::bf16 : ElementType::f32, recipe.shape);
  if (!tensor)
    return tensor;
  int64_t plane = 1;
  if (recipe.flips)
    plane = recipe.shape[recipe.shape.size() - 2] * recipe.shape.back();
  char *bytes = tensor->getMutableBytes().data();
  for (int64_t i = 0, n = tensor->getNumElements(); i < n; ++i) {
    float value = generate(recipe, i);
    // Reversing two axes reverses each plane.
    int64_t at = i - i % plane + (plane - 1 - i % plane);
    if (uint16_t half = toBF16(value); recipe.isBF16)
      std::memcpy(bytes + 2 * at, &half, 2);
    else
      std::memcpy(bytes + 4 * at, &value, 4);
  }
  return recipe.permutation.empty() ? std::move(tensor)
                                    : permute(*tensor, recipe.permutation);
}

llvm::Expected<HostTensor> ManifestFile::get(llvm::StringRef name) const {
  llvm::Expected<HostTensor> tensor = [&]() -> llvm::Expected<HostTensor> {
    if (auto it = recipes.find(name); it != recipes.end())
      return make(it->second);
    auto it = aliases.find(name);
    if (it == aliases.end())
      return getConstant(name);
    const Alias &alias = it->second;
    auto source = getConstant(alias.of);
    if (!source)
      return source;
    auto shaped = HostTensor::borrow(source->getElementType(), alias.shape,
                                     source->getBytes(),
                                     std::make_shared<HostTensor>(*source));
    return shaped ? permute(*shaped, alias.permutation) : std::move(shaped);
  }();
  if (tensor)
    return tensor;
  return fail(name, llvm::toString(tensor.takeError()));
}

/// An array of the file beside the manifest: raw bytes, whose type stands in
/// the manifest as `2x3xf32`.
llvm::Expected<HostTensor>
ManifestFile::getConstant(llvm::StringRef name) const {
  if (!constants || !constants->contains(name))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "neither a seed nor a file beside the "
                                   "manifest gives it");
  auto raw = constants->get(name);
  auto type = types.find(name);
  if (!raw || type == types.end())
    return raw;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(type->second).split(parts, 'x');
  llvm::SmallVector<int64_t> shape;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_back()) {
    int64_t size;
    if (part.getAsInteger(10, size))
      return fail(name, "has the unknown type " + type->second);
    shape.push_back(size);
  }
  for (int32_t i = 0; i <= static_cast<int32_t>(ElementType::u64); ++i) {
    auto element = static_cast<ElementType>(i);
    if (getElementTypeName(element) == parts.back())
      return borrowOrCopy(element, shape, raw->getBytes(),
                          std::make_shared<HostTensor>(*raw));
  }
  return fail(name, "has the unknown type " + type->second);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool readNumbers(const llvm::json::Array *array,
                        llvm::SmallVectorImpl<int64_t> &numbers) {
  if (!array)
    return false;
  for (const llvm::json::Value &value : *array) {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number || *number < 0)
      return false;
    numbers.push_back(*number);
  }
  return true;
}

static bool isPermutation(llvm::ArrayRef<int64_t> numbers, size_t rank) {
  llvm::SmallVector<int64_t> sorted(numbers.begin(), numbers.end());
  llvm::sort(sorted);
  return sorted.size() == rank &&
         llvm::all_of(llvm::enumerate(sorted), [](auto pair) {
           return pair.value() == static_cast<int64_t>(pair.index());
         });
}

llvm::Error ManifestFile::addRecipe(llvm::StringRef name,
                                    const llvm::json::Value &json) {
  const llvm::json::Object *object = json.getAsObject();
  Recipe recipe;
  const llvm::json::Value *seed = object ? object->get("seed") : nullptr;
  auto scale = object ? object->getNumber("scale") : std::nullopt;
  auto offset = object ? object->getNumber("offset") : std::nullopt;
  if (!seed || !seed->getAsUINT64() || !scale || !offset ||
      !readNumbers(object->getArray("shape"), recipe.shape))
    return fail(name, "expects shape, seed, scale and offset");
  recipe.seed = *seed->getAsUINT64();
  recipe.scale = *scale;
  recipe.offset = *offset;
  llvm::StringRef type = object->getString("dtype").value_or("f32");
  if (type != "f32" && type != "bf16")
    return fail(name, "expects f32 or bf16, found " + type);
  recipe.isBF16 = type == "bf16";
  if (const llvm::json::Array *order = object->getArray("perm")) {
    llvm::json::Array rest(*order);
    if (!rest.empty() && rest.front().getAsString() == "flip") {
      recipe.flips = true;
      rest.erase(rest.begin());
    }
    if (!readNumbers(&rest, recipe.permutation) ||
        (!recipe.permutation.empty() &&
         !isPermutation(recipe.permutation, recipe.shape.size())) ||
        (recipe.flips && recipe.shape.size() < 2))
      return fail(name, "expects a permutation of its axes as perm");
  }
  recipes[name] = recipe;
  names.push_back(name.str());
  return llvm::Error::success();
}

llvm::Error ManifestFile::addAlias(llvm::StringRef name,
                                   const llvm::json::Value &json) {
  const llvm::json::Object *object = json.getAsObject();
  auto of = object ? object->getString("of") : std::nullopt;
  Alias alias;
  if (!of || !readNumbers(object->getArray("of_shape"), alias.shape) ||
      !readNumbers(object->getArray("perm"), alias.permutation) ||
      !isPermutation(alias.permutation, alias.shape.size()))
    return fail(name, "expects of, of_shape and perm");
  alias.of = of->str();
  aliases[name] = alias;
  names.push_back(name.str());
  return llvm::Error::success();
}

/// Arrays that have no seed stand in NAME.consts.npz.
llvm::Error ManifestFile::readConstants(const llvm::json::Object &weights,
                                        llvm::StringRef text) {
  llvm::StringRef base = path;
  if (!base.consume_back(".manifest.json"))
    base.consume_back(".json");
  std::string beside = (base + ".consts.npz").str();
  if (!llvm::sys::fs::exists(beside))
    return llvm::Error::success();
  auto file = openNpz(beside);
  if (!file)
    return file.takeError();
  constants = std::move(*file);
  if (const llvm::json::Object *rawTypes = weights.getObject("raw_types"))
    for (const auto &[key, value] : *rawTypes)
      if (auto text = value.getAsString())
        types[llvm::StringRef(key)] = text->str();
  for (const std::string &name : constants->getNames())
    if (!recipes.contains(name))
      names.push_back(name);
  if (const llvm::json::Object *list = weights.getObject("alias"))
    for (const std::string &key : getKeysInOrder(text, {"weights", "alias"}))
      if (!recipes.contains(key) && !aliases.contains(key))
        if (llvm::Error error = addAlias(key, *list->get(key)))
          return error;
  return llvm::Error::success();
}

llvm::Error ManifestFile::readWeights(const llvm::json::Object &root,
                                      llvm::StringRef text) {
  const llvm::json::Object *weights = root.getObject("weights");
  if (!weights)
    return makeFileError(path, "expects the key \"weights\"");
  // One table for each way of exporting the model; keys agree where they recur.
  for (llvm::StringRef table : {"linalg", "tosa"})
    if (const llvm::json::Object *entries = weights->getObject(table))
      for (const std::string &key : getKeysInOrder(text, {"weights", table})) {
        const llvm::json::Object *entry = entries->getObject(key);
        if (!entry || !entry->get("seed") || recipes.contains(key))
          continue;
        if (llvm::Error error = addRecipe(key, *entries->get(key)))
          return error;
      }
  return readConstants(*weights, text);
}

/// `input` is one array, `inputs` several in order.
llvm::Error ManifestFile::readInputs(const llvm::json::Object &root,
                                     llvm::StringRef text) {
  if (const llvm::json::Value *input = root.get("input"))
    if (input->getAsObject())
      return addRecipe("input", *input);
  const llvm::json::Object *inputs = root.getObject("inputs");
  if (!inputs)
    return makeFileError(path, "expects the key \"input\" or \"inputs\"");
  for (const std::string &key : getKeysInOrder(text, {"inputs"}))
    if (inputs->getObject(key) && !recipes.contains(key))
      if (llvm::Error error = addRecipe(key, *inputs->get(key)))
        return error;
  return llvm::Error::success();
}

llvm::Error ManifestFile::read(llvm::StringRef text, TensorRole role) {
  auto json = parseJson(text);
  if (!json)
    return makeFileError(path,
                         "is no JSON: " + llvm::toString(json.takeError()));
  const llvm::json::Object *root = json->getAsObject();
  if (!root)
    return makeFileError(path, "expects a JSON object");
  return role == TensorRole::weights ? readWeights(*root, text)
                                     : readInputs(*root, text);
}

llvm::Expected<std::unique_ptr<TensorFile>>
memfmt::runtime::openManifest(llvm::StringRef path, TensorRole role) {
  llvm::Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  auto result = std::make_unique<ManifestFile>(path.str());
  if (llvm::Error error =
          result->read({file->bytes.data(), file->bytes.size()}, role))
    return error;
  return result;
}
