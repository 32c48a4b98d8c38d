//===- ScalarBlocks.cpp - blocks of scalars in memory -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ScalarBlocks.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace memfmt;

bool memfmt::isHalf(Type type) { return type.isF16() || type.isBF16(); }

bool memfmt::isComputable(Type type) {
  return type.isIndex() || type.isF32() || type.isF64() || isHalf(type) ||
         type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

unsigned memfmt::getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// 16-bit floats
//===----------------------------------------------------------------------===//

static float readBF16(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}

static uint16_t writeBF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return bits >> 16 | 0x40; // Quiet; the upper payload stays.
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static float readF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  float value;
  if (magnitude >= 0x7c00) // Infinity, NaN.
    value = llvm::bit_cast<float>(magnitude << 13 | 0x7f800000);
  else if (magnitude >= 0x400)
    value = llvm::bit_cast<float>((magnitude << 13) + (112u << 23));
  else // Subnormal: a multiple of 2^-24.
    value = std::ldexp(static_cast<float>(magnitude), -24);
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(value) | sign);
}

static uint16_t writeF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint16_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (std::isnan(value))
    return sign | 0x7e00 | (magnitude >> 13 & 0x1ff);
  if (magnitude < 113u << 23) // Below 2^-14: a multiple of 2^-24.
    return sign | static_cast<uint16_t>(std::nearbyint(
                      std::ldexp(llvm::bit_cast<float>(magnitude), 24)));
  uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  if (rounded >= 143u << 23) // 2^16 and above.
    return sign | 0x7c00;
  return sign | static_cast<uint16_t>((rounded - (112u << 23)) >> 13);
}

float memfmt::roundToHalf(Type type, double value) {
  llvm::APFloat result(value);
  bool inexact;
  result.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &inexact);
  return result.convertToFloat();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Reads elements of `MemoryT`, each turned into a `BlockT` by `convert`.
template <typename MemoryT, typename BlockT, typename Fn>
static void loadAs(const char *source, int64_t stride, int64_t count,
                   void *block, Fn convert) {
  auto *out = static_cast<BlockT *>(block);
  if (stride == 1 && std::is_same_v<MemoryT, BlockT>) {
    std::memcpy(out, source, count * sizeof(BlockT));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    MemoryT value;
    std::memcpy(&value, source + i * stride * sizeof(MemoryT), sizeof(MemoryT));
    out[i] = convert(value);
  }
}

void memfmt::loadScalars(Type type, const char *source, int64_t stride,
                         int64_t count, void *block) {
  auto extend = [](auto value) { return static_cast<int64_t>(value); };
  auto same = [](auto value) { return value; };
  if (type.isF32())
    return loadAs<float, float>(source, stride, count, block, same);
  if (type.isF64())
    return loadAs<double, double>(source, stride, count, block, same);
  if (type.isBF16())
    return loadAs<uint16_t, float>(source, stride, count, block, readBF16);
  if (type.isF16())
    return loadAs<uint16_t, float>(source, stride, count, block, readF16);
  switch (getWidth(type)) {
  case 1:
    return loadAs<int8_t, int64_t>(
        source, stride, count, block,
        [](int8_t value) { return -static_cast<int64_t>(value & 1); });
  case 8:
    return loadAs<int8_t, int64_t>(source, stride, count, block, extend);
  case 16:
    return loadAs<int16_t, int64_t>(source, stride, count, block, extend);
  case 32:
    return loadAs<int32_t, int64_t>(source, stride, count, block, extend);
  default:
    return loadAs<int64_t, int64_t>(source, stride, count, block, same);
  }
}

template <typename MemoryT, typename BlockT, typename Fn>
static void storeAs(const void *block, int64_t count, char *target,
                    int64_t stride, Fn convert) {
  const auto *in = static_cast<const BlockT *>(block);
  if (stride == 1 && std::is_same_v<MemoryT, BlockT>) {
    std::memcpy(target, in, count * sizeof(BlockT));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    MemoryT value = convert(in[i]);
    std::memcpy(target + i * stride * sizeof(MemoryT), &value, sizeof(MemoryT));
  }
}

void memfmt::storeScalars(Type type, const void *block, int64_t count,
                          char *target, int64_t stride) {
  auto same = [](auto value) { return value; };
  if (type.isF32())
    return storeAs<float, float>(block, count, target, stride, same);
  if (type.isF64())
    return storeAs<double, double>(block, count, target, stride, same);
  if (type.isBF16())
    return storeAs<uint16_t, float>(block, count, target, stride, writeBF16);
  if (type.isF16())
    return storeAs<uint16_t, float>(block, count, target, stride, writeF16);
  switch (getWidth(type)) {
  case 1:
    return storeAs<int8_t, int64_t>(block, count, target, stride,
                                    [](int64_t value) { return value & 1; });
  case 8:
    return storeAs<int8_t, int64_t>(block, count, target, stride, same);
  case 16:
    return storeAs<int16_t, int64_t>(block, count, target, stride, same);
  case 32:
    return storeAs<int32_t, int64_t>(block, count, target, stride, same);
  default:
    return storeAs<int64_t, int64_t>(block, count, target, stride, same);
  }
}

void memfmt::wrapScalars(Type type, void *block, int64_t count) {
  auto *floats = static_cast<float *>(block);
  if (type.isBF16()) {
    for (int64_t i = 0; i < count; ++i)
      floats[i] = readBF16(writeBF16(floats[i]));
  } else if (type.isF16()) {
    for (int64_t i = 0; i < count; ++i)
      floats[i] = readF16(writeF16(floats[i]));
  } else if (type.isInteger() && getWidth(type) < 64) {
    auto *integers = static_cast<int64_t *>(block);
    for (int64_t i = 0; i < count; ++i)
      integers[i] = llvm::SignExtend64(integers[i], getWidth(type));
  }
}
