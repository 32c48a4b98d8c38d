//===- TensorFileTest.cpp - arrays in files ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

//
// The files were written by NumPy; see Inputs/make_inputs.py.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

using namespace memfmt::runtime;

namespace {
using Names = std::vector<std::string>;
} // namespace

static std::unique_ptr<TensorFile> openInput(const std::string &name) {
  return getOrFail(openTensorFile(getInput(name), TensorRole::weights));
}

TEST(TensorFileTest, NpyVersions) {
  for (const char *name : {"version1", "version2", "version3"}) {
    auto file = openInput(std::string(name) + ".npy");
    ASSERT_TRUE(file);
    EXPECT_EQ(Names(file->getNames()), Names({name}));
    HostTensor tensor = getOrFail(file->get(name));
    EXPECT_EQ(tensor.getTypeName(), "2x3xf32");
    EXPECT_EQ(getValues(tensor), std::vector<double>({-3, -2, -1, 0, 1, 2}));
  }
}

TEST(TensorFileTest, StoredArraysOfEachType) {
  auto file = openInput("stored.npz");
  ASSERT_TRUE(file);
  EXPECT_EQ(Names(file->getNames()),
            Names({"f4", "f8", "f2", "bool", "i1", "u1", "i2", "u2", "i4", "u4",
                   "i8", "u8", "scalar", "empty", "fortran", "dir/name"}));
  EXPECT_TRUE(file->hasExactShapes());
  auto check = [&](const char *name, const char *type,
                   std::vector<double> values) {
    HostTensor tensor = getOrFail(file->get(name));
    EXPECT_EQ(tensor.getTypeName(), type);
    EXPECT_EQ(getValues(tensor), values) << name;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.getBytes().data()) %
                  getElementSize(tensor.getElementType()),
              0u);
  };
  const std::vector<double> fromMinus3 = {-3, -2, -1, 0, 1, 2},
                            from0 = {0, 1, 2, 3, 4, 5};
  check("f4", "2x3xf32", fromMinus3);
  check("f8", "2x3xf64", fromMinus3);
  check("f2", "2x3xf16", fromMinus3);
  check("bool", "2x3xi1", {0, 1, 0, 1, 0, 1});
  check("i1", "2x3xi8", fromMinus3);
  check("u1", "2x3xu8", from0);
  check("i2", "2x3xi16", fromMinus3);
  check("u2", "2x3xu16", from0);
  check("i4", "2x3xi32", fromMinus3);
  check("u4", "2x3xu32", from0);
  check("i8", "2x3xi64", fromMinus3);
  check("u8", "2x3xu64", from0);
  check("scalar", "f32", {2.5});
  check("empty", "2x0x3xf32", {});
  std::vector<double> counting(24);
  for (int i = 0; i < 24; ++i)
    counting[i] = i - 3;
  check("fortran", "2x3x4xi32", counting);
  check("dir/name", "5xf32", {-3, -2, -1, 0, 1});
}

TEST(TensorFileTest, DeflatedArrays) {
  auto file = openInput("deflated.npz");
  auto expected = openInput("deflated.expected.npz");
  ASSERT_TRUE(file && expected);
  for (const std::string &name : expected->getNames()) {
    HostTensor tensor = getOrFail(file->get(name));
    EXPECT_EQ(tensor.getBytes(), getOrFail(expected->get(name)).getBytes())
        << name;
  }
  HostTensor zeros = getOrFail(file->get("zeros"));
  EXPECT_EQ(zeros.getTypeName(), "70000xf32");
  EXPECT_EQ(getValues(zeros), std::vector<double>(70000, 0));
  EXPECT_EQ(getOrFail(file->get("few")).getAsDouble(0), 1.5);
}

TEST(TensorFileTest, SizesOf64Bits) {
  auto file = openInput("zip64.npz");
  ASSERT_TRUE(file);
  EXPECT_EQ(Names(file->getNames()), Names({"first", "second"}));
  EXPECT_EQ(getValues(getOrFail(file->get("first"))),
            std::vector<double>({-3, -2, -1, 0, 1, 2}));
  EXPECT_EQ(getOrFail(file->get("second")).getAsDouble(0), 1.5);
}

TEST(TensorFileTest, Safetensors) {
  auto file = openInput("small.safetensors");
  ASSERT_TRUE(file);
  EXPECT_EQ(Names(file->getNames()),
            Names({"zeta", "alpha", "half", "flag", "odd"}));
  auto check = [&](const char *name, const char *type,
                   std::vector<double> values) {
    HostTensor tensor = getOrFail(file->get(name));
    EXPECT_EQ(tensor.getTypeName(), type);
    EXPECT_EQ(getValues(tensor), values) << name;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.getBytes().data()) %
                  getElementSize(tensor.getElementType()),
              0u);
  };
  check("zeta", "2x2xf32", {1, 2, 3, 4});
  check("alpha", "2xbf16", {1, -2});
  check("half", "2xf16", {1.5, -2});
  check("flag", "i1", {1});
  check("odd", "1xi64", {-5});
}

TEST(TensorFileTest, ArraysOutliveTheirFile) {
  HostTensor tensor;
  {
    auto file = openInput("stored.npz");
    ASSERT_TRUE(file);
    tensor = getOrFail(file->get("f8"));
  }
  EXPECT_EQ(tensor.getAsDouble(5), 2);
}

TEST(TensorFileTest, WritesNpyAsNumPyDoes) {
  ScratchFile file("npy");
  HostTensor tensor = makeTensor({2, 3}, {-3, -2, -1, 0, 1, 2});
  EXPECT_EQ(getMessage(writeNpy(file.getPath(), tensor)), "success");
  EXPECT_EQ(readBytes(file.getPath()), readBytes(getInput("version1.npy")));
}

TEST(TensorFileTest, WritesWhatItReads) {
  auto file = openInput("stored.npz");
  ASSERT_TRUE(file);
  std::vector<std::pair<std::string, HostTensor>> arrays;
  for (const std::string &name : file->getNames())
    arrays.emplace_back(name, getOrFail(file->get(name)));
  arrays.emplace_back(
      "bf16", makeTensor<uint16_t>(ElementType::bf16, {1}, uint16_t(0x3f80)));
  ScratchFile scratch("npz");
  EXPECT_EQ(getMessage(writeNpz(scratch.getPath(), arrays)), "success");
  auto again = getOrFail(openNpz(scratch.getPath()));
  ASSERT_TRUE(again);
  ASSERT_EQ(again->getNames().size(), arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ(again->getNames()[i], arrays[i].first);
    HostTensor tensor = getOrFail(again->get(arrays[i].first));
    EXPECT_EQ(tensor.getShape(), arrays[i].second.getShape());
    EXPECT_EQ(tensor.getBytes(), arrays[i].second.getBytes());
    // NumPy has no bf16: its bits are written as u16.
    if (arrays[i].first == "bf16")
      EXPECT_EQ(tensor.getTypeName(), "1xu16");
    else
      EXPECT_EQ(tensor.getTypeName(), arrays[i].second.getTypeName());
  }
}

TEST(TensorFileTest, WriteErrors) {
  HostTensor tensor = makeTensor({}, {1});
  EXPECT_EQ(getMessage(writeNpy("/nonexistent/a.npy", tensor))
                .find("cannot write /nonexistent/a.npy"),
            0u);
  EXPECT_EQ(getMessage(writeNpz("/nonexistent/a.npz", {}))
                .find("cannot write /nonexistent/a.npz"),
            0u);
  ScratchFile file("npz");
  std::string path = file.getPath().str();
  EXPECT_EQ(getMessage(writeNpz(path, {{std::string(70000, 'x'), tensor}})),
            path + ": names have at most 65531 bytes, found 70000");
  EXPECT_EQ(getMessage(writeNpz(path, {{"x", tensor}, {"x", tensor}})),
            path + ": two arrays are named \"x\"");
}
