//===- HostTensor.h - arrays in the memory of this process ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_HOSTTENSOR_H
#define MEMFMT_RUNTIME_HOSTTENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>

namespace memfmt::runtime {

/// Types of elements. The numbers are part of the C interface
/// (`memfmt_tensor::element_type`) and never change.
enum class ElementType : int32_t {
  f32 = 0,
  f64 = 1,
  f16 = 2,
  bf16 = 3,
  i1 = 4, // One byte each, 0 or 1.
  i8 = 5,
  u8 = 6,
  i16 = 7,
  u16 = 8,
  i32 = 9,
  u32 = 10,
  i64 = 11,
  u64 = 12,
};

/// Bytes of one element.
int64_t getElementSize(ElementType type);
/// `f32`, as in MLIR except `u8` and the like.
llvm::StringRef getElementTypeName(ElementType type);

/// A row-major array. Copies share their bytes.
class HostTensor {
public:
  HostTensor() = default;

  /// Zeros, 64-byte aligned. Fails when the size overflows or memory is out.
  static llvm::Expected<HostTensor> allocate(ElementType type,
                                             llvm::ArrayRef<int64_t> shape);
  /// Bytes that live as long as `owner`, such as a mapped file. Fails unless
  /// `bytes` is exactly the size that type and shape ask for.
  static llvm::Expected<HostTensor> borrow(ElementType type,
                                           llvm::ArrayRef<int64_t> shape,
                                           llvm::ArrayRef<char> bytes,
                                           std::shared_ptr<const void> owner);

  ElementType getElementType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return numElements; }
  llvm::ArrayRef<char> getBytes() const { return bytes; }
  /// The bytes to write; only of an allocated tensor.
  llvm::MutableArrayRef<char> getMutableBytes();
  /// The element at this row-major index, converted.
  double getAsDouble(int64_t index) const;
  /// `1x3x224x224xf32`.
  std::string getTypeName() const;

private:
  ElementType type = ElementType::f32;
  llvm::SmallVector<int64_t> shape;
  int64_t numElements = 1;
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
  bool isWritable = false;
};

/// The number of elements of a shape; none when negative or above 62 bits.
std::optional<int64_t> getNumElements(llvm::ArrayRef<int64_t> shape);

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_HOSTTENSOR_H
