//===- HostTensorTest.cpp - arrays in memory --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <cmath>

using namespace memfmt::runtime;

TEST(HostTensorTest, CountsElements) {
  EXPECT_EQ(getNumElements({}), 1);
  EXPECT_EQ(getNumElements({2, 3, 4}), 24);
  EXPECT_EQ(getNumElements({2, 0, 4}), 0);
  EXPECT_EQ(getNumElements({2, -1}), std::nullopt);
  int64_t large = int64_t(1) << 31;
  EXPECT_EQ(getNumElements({large, large}), std::nullopt);
  EXPECT_EQ(getNumElements({large, large / 2}), int64_t(1) << 61);
  // A size of 0 does not hide that the others make no sense.
  EXPECT_EQ(getNumElements({0, large, large}), std::nullopt);
}

TEST(HostTensorTest, AllocatesAlignedZeros) {
  for (int64_t size : {0, 1, 7, 1000}) {
    HostTensor tensor =
        getOrFail(HostTensor::allocate(ElementType::f64, {size, 3}));
    EXPECT_EQ(tensor.getNumElements(), 3 * size);
    EXPECT_EQ(tensor.getBytes().size(), size_t(24 * size));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.getBytes().data()) % 64, 0u);
    for (double value : getValues(tensor))
      EXPECT_EQ(value, 0);
  }
}

TEST(HostTensorTest, RefusesSizesThatNoMachineHas) {
  int64_t large = int64_t(1) << 31;
  EXPECT_EQ(getMessage(HostTensor::allocate(ElementType::f32, {large, large})),
            "an array of 2147483648x2147483648xf32 is too large");
  // Fits 62 bits as a count, not 63 bits as bytes.
  EXPECT_EQ(
      getMessage(HostTensor::allocate(ElementType::f64, {large, large / 2})),
      "an array of 2147483648x1073741824xf64 is too large");
  EXPECT_EQ(
      getMessage(HostTensor::allocate(ElementType::i8, {1 << 20, 1 << 28})),
      "out of memory: an array of 1048576x268435456xi8 needs "
      "281474976710656 bytes");
  EXPECT_EQ(getMessage(HostTensor::allocate(ElementType::i8, {-1})),
            "an array of -1xi8 is too large");
}

TEST(HostTensorTest, BorrowsWhatFits) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  llvm::ArrayRef<char> bytes(reinterpret_cast<char *>(data), sizeof(data));
  auto owner = std::make_shared<int>(0);
  {
    HostTensor tensor =
        getOrFail(HostTensor::borrow(ElementType::f32, {2, 3}, bytes, owner));
    HostTensor copy = tensor;
    EXPECT_EQ(copy.getBytes().data(), bytes.data());
    EXPECT_EQ(copy.getAsDouble(5), 6);
    EXPECT_EQ(copy.getTypeName(), "2x3xf32");
    EXPECT_EQ(owner.use_count(), 3);
  }
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(getMessage(HostTensor::borrow(ElementType::f32, {7}, bytes, owner)),
            "an array of 7xf32 expects 28 bytes, found 24");
}

TEST(HostTensorTest, ConvertsElements) {
  auto first = [](ElementType type, auto value) {
    return makeTensor<decltype(value)>(type, {}, value).getAsDouble(0);
  };
  EXPECT_EQ(first(ElementType::f32, 0.1f), double(0.1f));
  EXPECT_EQ(first(ElementType::f64, 0.1), 0.1);
  // IEEE 754 binary16: 0x3555 is (1 + 0x155/1024) / 4; 0x0001 is 2^-24.
  EXPECT_EQ(first(ElementType::f16, uint16_t(0x3555)), (1 + 341. / 1024) / 4);
  EXPECT_EQ(first(ElementType::f16, uint16_t(0x0001)), 0x1p-24);
  EXPECT_EQ(first(ElementType::f16, uint16_t(0xfc00)), -INFINITY);
  EXPECT_EQ(first(ElementType::bf16, uint16_t(0x3f80)), 1);
  EXPECT_EQ(first(ElementType::bf16, uint16_t(0xc049)), -3.140625);
  EXPECT_EQ(first(ElementType::i1, uint8_t(1)), 1);
  EXPECT_EQ(first(ElementType::i8, int8_t(-128)), -128);
  EXPECT_EQ(first(ElementType::u8, uint8_t(255)), 255);
  EXPECT_EQ(first(ElementType::i16, int16_t(-32768)), -32768);
  EXPECT_EQ(first(ElementType::u16, uint16_t(65535)), 65535);
  EXPECT_EQ(first(ElementType::i32, int32_t(-1)), -1);
  EXPECT_EQ(first(ElementType::u32, uint32_t(-1)), 4294967295.);
  EXPECT_EQ(first(ElementType::i64, int64_t(-1)), -1);
  EXPECT_EQ(first(ElementType::u64, uint64_t(1) << 63), 0x1p63);
}
