//===- StridedCopy.cpp - copies between strided arrays ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "StridedCopy.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace memfmt;

llvm::SmallVector<int64_t>
memfmt::getRowMajorStrides(llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i];
  }
  return strides;
}

/// The axes outermost first in the target, without those of size 1; neighbours
/// that are one axis on both sides are joined.
static llvm::SmallVector<CopyAxis> simplify(llvm::ArrayRef<CopyAxis> axes) {
  llvm::SmallVector<CopyAxis> sorted;
  for (const CopyAxis &axis : axes)
    if (axis.size != 1)
      sorted.push_back(axis);
  llvm::sort(sorted, [](const CopyAxis &a, const CopyAxis &b) {
    return a.target > b.target;
  });
  llvm::SmallVector<CopyAxis> joined;
  for (const CopyAxis &axis : sorted) {
    if (!joined.empty()) {
      CopyAxis &outer = joined.back();
      if (outer.target == axis.target * axis.size &&
          outer.source == axis.source * axis.size) {
        outer = {outer.size * axis.size, axis.target, axis.source};
        continue;
      }
    }
    joined.push_back(axis);
  }
  return joined;
}

namespace {
/// An element of a size that no integer has.
template <typename T> struct Elements {
  static void move(char *target, const char *source, int64_t) {
    std::memcpy(target, source, sizeof(T));
  }
  static int64_t bytes(int64_t) { return sizeof(T); }
};
template <> struct Elements<void> {
  static void move(char *target, const char *source, int64_t bytes) {
    std::memcpy(target, source, bytes);
  }
  static int64_t bytes(int64_t bytes) { return bytes; }
};
} // namespace

/// Elements on a side of the squares in which planes are copied: both sides of
/// a transpose then stay in the first-level cache.
static constexpr int64_t kSquare = 32;

/// Copies a plane of two axes with strides in bytes.
template <typename T>
static void copyPlane(char *target, const char *source, const CopyAxis &outer,
                      const CopyAxis &inner, int64_t elementBytes) {
  int64_t bytes = Elements<T>::bytes(elementBytes);
  if (inner.target == bytes && inner.source == bytes) {
    for (int64_t i = 0; i < outer.size; ++i)
      std::memcpy(target + i * outer.target, source + i * outer.source,
                  inner.size * bytes);
    return;
  }
  for (int64_t i0 = 0; i0 < outer.size; i0 += kSquare)
    for (int64_t j0 = 0; j0 < inner.size; j0 += kSquare)
      for (int64_t i = i0, e = std::min(i0 + kSquare, outer.size); i < e; ++i)
        for (int64_t j = j0, f = std::min(j0 + kSquare, inner.size); j < f; ++j)
          Elements<T>::move(target + i * outer.target + j * inner.target,
                            source + i * outer.source + j * inner.source,
                            bytes);
}

template <typename T>
static void copyAxes(char *target, const char *source,
                     llvm::ArrayRef<CopyAxis> outer, const CopyAxis &middle,
                     const CopyAxis &inner, int64_t elementBytes) {
  llvm::SmallVector<int64_t> index(outer.size(), 0);
  while (true) {
    copyPlane<T>(target, source, middle, inner, elementBytes);
    size_t i = outer.size();
    for (; i > 0; --i) {
      const CopyAxis &axis = outer[i - 1];
      target += axis.target;
      source += axis.source;
      if (++index[i - 1] < axis.size)
        break;
      target -= axis.size * axis.target;
      source -= axis.size * axis.source;
      index[i - 1] = 0;
    }
    if (i == 0)
      return;
  }
}

void memfmt::copyStrided(char *target, const char *source,
                         llvm::ArrayRef<CopyAxis> axes, int64_t elementBytes) {
  for (const CopyAxis &axis : axes)
    if (axis.size == 0)
      return;
  llvm::SmallVector<CopyAxis> outer = simplify(axes);
  for (CopyAxis &axis : outer) {
    axis.target *= elementBytes;
    axis.source *= elementBytes;
  }
  // The plane is the innermost axis of the target with the innermost axis of
  // the source, or with its neighbour where that is the same one.
  CopyAxis inner = {1, elementBytes, elementBytes}, middle = inner;
  if (!outer.empty())
    inner = outer.pop_back_val();
  if (!outer.empty()) {
    auto *it = outer.end() - 1;
    if (inner.source != elementBytes)
      for (auto *other = outer.begin(); other != outer.end(); ++other)
        if (other->source == elementBytes)
          it = other;
    middle = *it;
    outer.erase(it);
  }
  switch (elementBytes) {
  case 1:
    return copyAxes<uint8_t>(target, source, outer, middle, inner, 1);
  case 2:
    return copyAxes<uint16_t>(target, source, outer, middle, inner, 2);
  case 4:
    return copyAxes<uint32_t>(target, source, outer, middle, inner, 4);
  case 8:
    return copyAxes<uint64_t>(target, source, outer, middle, inner, 8);
  default:
    return copyAxes<void>(target, source, outer, middle, inner, elementBytes);
  }
}
