//===- TensorFile.cpp - arrays in files -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/TensorFile.h"

#include "MappedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace memfmt::runtime;

TensorFile::~TensorFile() = default;

bool TensorFile::contains(llvm::StringRef name) const {
  return llvm::is_contained(getNames(), name);
}

llvm::Error memfmt::runtime::makeFileError(llvm::StringRef path,
                                           const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 path + ": " + text);
}

llvm::Expected<MappedFile> MappedFile::open(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (std::error_code error = buffer.getError())
    return llvm::createStringError(error, "cannot read " + path + ": " +
                                              error.message());
  MappedFile file;
  file.path = path.str();
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*buffer);
  file.bytes = {owner->getBufferStart(), owner->getBufferSize()};
  file.owner = owner;
  return file;
}

llvm::Expected<HostTensor>
memfmt::runtime::borrowOrCopy(ElementType type, llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<char> bytes,
                              std::shared_ptr<const void> owner) {
  auto borrowed = HostTensor::borrow(type, shape, bytes, std::move(owner));
  if (!borrowed ||
      reinterpret_cast<uintptr_t>(bytes.data()) % getElementSize(type) == 0)
    return borrowed;
  auto copy = HostTensor::allocate(type, shape);
  if (copy)
    llvm::copy(bytes, copy->getMutableBytes().begin());
  return copy;
}

std::optional<llvm::ArrayRef<char>>
memfmt::runtime::slice(llvm::ArrayRef<char> bytes, uint64_t offset,
                       uint64_t count) {
  if (offset > bytes.size() || count > bytes.size() - offset)
    return std::nullopt;
  return bytes.slice(offset, count);
}

std::optional<uint64_t> memfmt::runtime::readNumber(llvm::ArrayRef<char> bytes,
                                                    uint64_t offset,
                                                    unsigned size) {
  auto part = slice(bytes, offset, size);
  if (!part)
    return std::nullopt;
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value |= uint64_t(static_cast<uint8_t>((*part)[i])) << (8 * i);
  return value;
}

llvm::Expected<std::unique_ptr<TensorFile>>
memfmt::runtime::openTensorFile(llvm::StringRef path, TensorRole role) {
  if (path.ends_with(".npy"))
    return openNpy(path);
  if (path.ends_with(".npz"))
    return openNpz(path);
  if (path.ends_with(".safetensors"))
    return openSafetensors(path);
  if (path.ends_with(".json"))
    return openManifest(path, role);
  return makeFileError(path, "expects a name that ends in .npy, .npz, "
                             ".safetensors or .json");
}
