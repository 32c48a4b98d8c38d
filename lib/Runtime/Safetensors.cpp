//===- Safetensors.cpp - .safetensors files ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Eight bytes of length, a JSON header of {name: {dtype, shape, data_offsets}}
// then the data; offsets count from its begin.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/TensorFile.h"

#include "Json.h"
#include "MappedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace memfmt::runtime;

static std::optional<ElementType> parseType(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<ElementType>>(name)
      .Case("F32", ElementType::f32)
      .Case("F64", ElementType::f64)
      .Case("F16", ElementType::f16)
      .Case("BF16", ElementType::bf16)
      .Case("BOOL", ElementType::i1)
      .Case("I8", ElementType::i8)
      .Case("U8", ElementType::u8)
      .Case("I16", ElementType::i16)
      .Case("U16", ElementType::u16)
      .Case("I32", ElementType::i32)
      .Case("U32", ElementType::u32)
      .Case("I64", ElementType::i64)
      .Case("U64", ElementType::u64)
      .Default(std::nullopt);
}

namespace {
class SafetensorsFile : public TensorFile {
public:
  explicit SafetensorsFile(MappedFile file) : file(std::move(file)) {}

  llvm::Error readHeader();
  llvm::ArrayRef<std::string> getNames() const override { return names; }
  llvm::Expected<HostTensor> get(llvm::StringRef name) const override;

private:
  llvm::Error addEntry(llvm::StringRef name, const llvm::json::Value &json);
  struct Entry {
    ElementType type;
    llvm::SmallVector<int64_t> shape;
    uint64_t begin, end;
  };
  MappedFile file;
  llvm::ArrayRef<char> data;
  std::vector<std::string> names;
  llvm::StringMap<Entry> entries;
};
} // namespace

llvm::Error SafetensorsFile::addEntry(llvm::StringRef name,
                                      const llvm::json::Value &json) {
  auto fail = [&](const llvm::Twine &text) {
    return makeFileError(file.path, "array \"" + name + "\": " + text);
  };
  const llvm::json::Object *object = json.getAsObject();
  auto dtype = object ? object->getString("dtype") : std::nullopt;
  const llvm::json::Array *shape = object ? object->getArray("shape") : nullptr;
  const llvm::json::Array *offsets =
      object ? object->getArray("data_offsets") : nullptr;
  if (!dtype || !shape || !offsets || offsets->size() != 2)
    return fail("expects dtype, shape and two data_offsets");
  Entry entry;
  std::optional<ElementType> type = parseType(*dtype);
  if (!type)
    return fail("has the unknown type " + *dtype);
  entry.type = *type;
  for (const llvm::json::Value &size : *shape) {
    std::optional<int64_t> value = size.getAsInteger();
    if (!value || *value < 0)
      return fail("has a size that is no natural number");
    entry.shape.push_back(*value);
  }
  auto begin = (*offsets)[0].getAsInteger(), end = (*offsets)[1].getAsInteger();
  if (!begin || !end || *begin < 0 || *end < *begin ||
      static_cast<uint64_t>(*end) > data.size())
    return fail("lies outside the file");
  entry.begin = *begin;
  entry.end = *end;
  names.push_back(name.str());
  entries[name] = entry;
  return llvm::Error::success();
}

llvm::Error SafetensorsFile::readHeader() {
  auto length = readNumber(file.bytes, 0, 8);
  auto header = length ? slice(file.bytes, 8, *length)
                       : std::optional<llvm::ArrayRef<char>>();
  if (!header)
    return makeFileError(file.path, "ends in the middle of its header");
  data = file.bytes.drop_front(8 + header->size());
  auto json = parseJson(llvm::StringRef(header->data(), header->size()));
  if (!json)
    return makeFileError(file.path, "has a damaged header: " +
                                        llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  if (!object)
    return makeFileError(file.path, "has a header that is no JSON object");
  for (const auto &[key, value] : *object) {
    if (llvm::StringRef(key) == "__metadata__")
      continue;
    if (llvm::Error error = addEntry(key, value))
      return error;
  }
  // The object forgets the order of its keys; that of the data is as good.
  llvm::sort(names, [&](const std::string &a, const std::string &b) {
    return std::pair(entries[a].begin, a) < std::pair(entries[b].begin, b);
  });
  return llvm::Error::success();
}

llvm::Expected<HostTensor> SafetensorsFile::get(llvm::StringRef name) const {
  auto it = entries.find(name);
  if (it == entries.end())
    return makeFileError(file.path, "has no array \"" + name + "\"");
  const Entry &entry = it->second;
  auto tensor = borrowOrCopy(entry.type, entry.shape,
                             data.slice(entry.begin, entry.end - entry.begin),
                             file.owner);
  if (!tensor)
    return makeFileError(file.path, "array \"" + name + "\": " +
                                        llvm::toString(tensor.takeError()));
  return tensor;
}

llvm::Expected<std::unique_ptr<TensorFile>>
memfmt::runtime::openSafetensors(llvm::StringRef path) {
  llvm::Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  auto result = std::make_unique<SafetensorsFile>(std::move(*file));
  if (llvm::Error error = result->readHeader())
    return error;
  return result;
}
