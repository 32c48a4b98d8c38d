//===- HostTensor.cpp - arrays in the memory of this process ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/HostTensor.h"

#include "memfmt/Runtime/ExecutionContext.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace memfmt::runtime;

namespace {
struct TypeRow {
  const char *name;
  int64_t size;
};
} // namespace

/// In the order of the enumeration.
static constexpr TypeRow kTypes[] = {
    {"f32", 4}, {"f64", 8}, {"f16", 2}, {"bf16", 2}, {"i1", 1},
    {"i8", 1},  {"u8", 1},  {"i16", 2}, {"u16", 2},  {"i32", 4},
    {"u32", 4}, {"i64", 8}, {"u64", 8}};

int64_t memfmt::runtime::getElementSize(ElementType type) {
  return kTypes[static_cast<int32_t>(type)].size;
}

llvm::StringRef memfmt::runtime::getElementTypeName(ElementType type) {
  return kTypes[static_cast<int32_t>(type)].name;
}

std::optional<int64_t>
memfmt::runtime::getNumElements(llvm::ArrayRef<int64_t> shape) {
  // A size of 0 makes the product 0, but not the other sizes sensible.
  __int128 product = 1;
  bool isEmpty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    isEmpty |= size == 0;
    product *= size ? size : 1;
    if (product >= (__int128(1) << 62))
      return std::nullopt;
  }
  return isEmpty ? 0 : static_cast<int64_t>(product);
}

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static std::string formatType(ElementType type, llvm::ArrayRef<int64_t> shape) {
  std::string name;
  for (int64_t size : shape)
    name += std::to_string(size) + "x";
  return name + getElementTypeName(type).str();
}

std::string HostTensor::getTypeName() const { return formatType(type, shape); }

/// Bytes of a shape, or an error where they cannot be counted.
static llvm::Expected<int64_t> getNumBytes(ElementType type,
                                           llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> elements = getNumElements(shape);
  int64_t bytes;
  if (!elements || llvm::MulOverflow(*elements, getElementSize(type), bytes))
    return makeError("an array of " + formatType(type, shape) +
                     " is too large");
  return bytes;
}

llvm::Expected<HostTensor> HostTensor::allocate(ElementType type,
                                                llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<int64_t> bytes = getNumBytes(type, shape);
  if (!bytes)
    return bytes.takeError();
  // More than the machine has would be granted, and fail when written.
  static const int64_t kMemory =
      sysconf(_SC_PHYS_PAGES) * static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  void *memory = *bytes < kMemory ? allocateAligned(*bytes) : nullptr;
  if (!memory)
    return makeError("out of memory: an array of " + formatType(type, shape) +
                     " needs " + llvm::Twine(*bytes) + " bytes");
  std::memset(memory, 0, *bytes);
  HostTensor result;
  result.type = type;
  result.shape.assign(shape.begin(), shape.end());
  result.numElements = *bytes / getElementSize(type);
  result.bytes = {static_cast<char *>(memory), static_cast<size_t>(*bytes)};
  result.owner = std::shared_ptr<const void>(
      memory, [](const void *data) { std::free(const_cast<void *>(data)); });
  result.isWritable = true;
  return result;
}

llvm::Expected<HostTensor>
HostTensor::borrow(ElementType type, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<char> bytes,
                   std::shared_ptr<const void> owner) {
  llvm::Expected<int64_t> expected = getNumBytes(type, shape);
  if (!expected)
    return expected.takeError();
  if (static_cast<size_t>(*expected) != bytes.size())
    return makeError("an array of " + formatType(type, shape) + " expects " +
                     llvm::Twine(*expected) + " bytes, found " +
                     llvm::Twine(bytes.size()));
  HostTensor result;
  result.type = type;
  result.shape.assign(shape.begin(), shape.end());
  result.numElements = *expected / getElementSize(type);
  result.bytes = bytes;
  result.owner = std::move(owner);
  return result;
}

llvm::MutableArrayRef<char> HostTensor::getMutableBytes() {
  assert(isWritable && "borrowed arrays are read only");
  return {const_cast<char *>(bytes.data()), bytes.size()};
}

template <typename T> static T read(const char *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

static double readFloat(const llvm::fltSemantics &semantics, uint16_t bits) {
  llvm::APFloat value(semantics, llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

double HostTensor::getAsDouble(int64_t index) const {
  const char *at = bytes.data() + index * getElementSize(type);
  switch (type) {
  case ElementType::f32:
    return read<float>(at);
  case ElementType::f64:
    return read<double>(at);
  case ElementType::f16:
    return readFloat(llvm::APFloat::IEEEhalf(), read<uint16_t>(at));
  case ElementType::bf16:
    return readFloat(llvm::APFloat::BFloat(), read<uint16_t>(at));
  case ElementType::i1:
  case ElementType::u8:
    return read<uint8_t>(at);
  case ElementType::i8:
    return read<int8_t>(at);
  case ElementType::i16:
    return read<int16_t>(at);
  case ElementType::u16:
    return read<uint16_t>(at);
  case ElementType::i32:
    return read<int32_t>(at);
  case ElementType::u32:
    return read<uint32_t>(at);
  case ElementType::i64:
    return static_cast<double>(read<int64_t>(at));
  case ElementType::u64:
    return static_cast<double>(read<uint64_t>(at));
  }
  return 0;
}
