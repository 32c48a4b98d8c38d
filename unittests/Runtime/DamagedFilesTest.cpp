//===- DamagedFilesTest.cpp - files that lie --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Testing.h"

using namespace memfmt::runtime;

/// Opens and reads everything; the first error, without the path before it.
static std::string readAll(llvm::StringRef path) {
  auto clean = [&](std::string message) {
    llvm::StringRef rest(message);
    rest.consume_front(path);
    return rest.str();
  };
  for (TensorRole role : {TensorRole::weights, TensorRole::inputs}) {
    auto file = openTensorFile(path, role);
    if (!file)
      return clean(llvm::toString(file.takeError()));
    for (const std::string &name : (*file)->getNames())
      if (auto tensor = (*file)->get(name); !tensor)
        return clean(llvm::toString(tensor.takeError()));
  }
  return "success";
}

static std::string read(llvm::StringRef suffix, llvm::StringRef content) {
  ScratchFile file(suffix, content);
  return readAll(file.getPath());
}

//===----------------------------------------------------------------------===//
// Cut off, and changed byte by byte
//===----------------------------------------------------------------------===//

namespace {
struct Sample {
  const char *name, *suffix;
  /// Bytes between places that are changed.
  size_t step;
};
class EachByte : public testing::TestWithParam<Sample> {};
} // namespace

TEST_P(EachByte, CutOff) {
  std::string content = readBytes(getInput(GetParam().name));
  ScratchFile file(GetParam().suffix);
  for (size_t size = 0; size < content.size(); size += GetParam().step) {
    file.write(llvm::StringRef(content).take_front(size));
    std::string message = readAll(file.getPath());
    EXPECT_NE(message, "success") << size;
  }
}

TEST_P(EachByte, Changed) {
  std::string content = readBytes(getInput(GetParam().name));
  ScratchFile file(GetParam().suffix);
  for (size_t at = 0; at < content.size(); at += GetParam().step)
    for (char value :
         {char(0), char(-1), char(content[at] ^ 1), char(content[at] ^ 0x40)}) {
      std::string changed = content;
      changed[at] = value;
      file.write(changed);
      readAll(file.getPath()); // Any answer will do; it must come.
    }
}

INSTANTIATE_TEST_SUITE_P(
    DamagedFilesTest, EachByte,
    testing::Values(Sample{"version1.npy", "npy", 1},
                    Sample{"version3.npy", "npy", 1},
                    Sample{"stored.npz", "npz", 7},
                    Sample{"zip64.npz", "npz", 1},
                    Sample{"deflated.npz", "npz", 37},
                    Sample{"small.safetensors", "safetensors", 1},
                    Sample{"small.manifest.json", "json", 1}),
    [](const testing::TestParamInfo<Sample> &info) {
      std::string name = info.param.name;
      for (char &c : name)
        c = isalnum(c) ? c : '_';
      return name;
    });

//===----------------------------------------------------------------------===//
// .npy
//===----------------------------------------------------------------------===//

static std::string makeNpy(const std::string &header,
                           const std::string &data = "") {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size());
  text += '\0';
  return text + header + data;
}

static std::string readHeader(const std::string &header,
                              const std::string &data = "") {
  return read("npy", makeNpy(header, data));
}

TEST(DamagedFilesTest, NpyHeader) {
  EXPECT_EQ(read("npy", "no such thing"), ": is no .npy file");
  EXPECT_EQ(read("npy", std::string("\x93NUMPY\x04\x00", 8)),
            ": has a version that is not 1, 2 or 3");
  EXPECT_EQ(read("npy", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
            ": ends in the middle of its header");
  EXPECT_EQ(readHeader("[]"),
            ": damaged header: expects a dictionary before \"[]\"");
  EXPECT_EQ(readHeader("{'descr': '<f4'}"),
            ": has a header without type or shape");
  EXPECT_EQ(readHeader("{'descr': '<f4', 'shape': (), 'x': 1}"),
            ": has the unknown key 'x' in its header");
  EXPECT_EQ(readHeader("{'descr': '<f4', 'shape': (1 2)}"),
            ": damaged header: expects a comma before \"2)}\"");
  EXPECT_EQ(readHeader("{'descr': '<f4', 'shape': (-1,)}"),
            ": damaged header: expects a size before \",)}\"");
  EXPECT_EQ(readHeader("{'shape': (1,), 'shape': (2,), 'descr': '<f4'}"),
            ": has two shapes in its header");
  EXPECT_EQ(readHeader("{'descr': '<f4', 'fortran_order': 1, 'shape': ()}"),
            ": damaged header: expects True or False before \"1, 'shape': "
            "()}\"");
  // Nothing to complain about: any order, either quote, no comma at the end.
  EXPECT_EQ(
      readHeader("{\"shape\":(1),'descr':'<f4','fortran_order':False}", "1234"),
      "success");
}

TEST(DamagedFilesTest, NpyTypes) {
  const std::string expects =
      "', expects little-endian floats, integers or booleans";
  for (const char *type : {">f4", "|O", "<c8", "<U3", "<f3", ""})
    EXPECT_EQ(readHeader("{'descr': '" + std::string(type) +
                         "', 'fortran_order': False, 'shape': (), }"),
              ": has elements of type '" + (type + expects));
  EXPECT_EQ(readAll(getInput("bigendian.npy")),
            ": has elements of type '>f4" + expects);
  EXPECT_EQ(readAll(getInput("structured.npy")),
            ": damaged header: expects a type in quotes before "
            "\"[('a', '<f4'), ('b',\"");
}

TEST(DamagedFilesTest, NpySizes) {
  auto readShape = [](const std::string &shape) {
    return readHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (" +
                          shape + "), }",
                      "12345678");
  };
  EXPECT_EQ(readShape("2,"), "success");
  EXPECT_EQ(readShape("3,"), ": an array of 3xf32 expects 12 bytes, found 8");
  EXPECT_EQ(readShape("1,"), ": an array of 1xf32 expects 4 bytes, found 8");
  EXPECT_EQ(readShape("4294967296, 4294967296"),
            ": an array of 4294967296x4294967296xf32 is too large");
  EXPECT_EQ(readShape("99999999999, 2"),
            ": an array of 99999999999x2xf32 expects 799999999992 bytes, found "
            "8");
  EXPECT_EQ(readShape("99999999999999999999, 2"),
            ": damaged header: expects a size before \"99999999999999999999\"");
  std::string ones;
  for (int i = 0; i < 65; ++i)
    ones += "1,";
  EXPECT_EQ(readShape(ones), ": has more than 64 axes");
}

//===----------------------------------------------------------------------===//
// .npz
//===----------------------------------------------------------------------===//

/// Changes a field of the directory's first entry; see PKWARE's APPNOTE,
/// 4.3.12.
static std::string readWithEntry(size_t offset, const std::string &bytes) {
  std::string content = readBytes(getInput("deflated.npz"));
  size_t entry = content.find("PK\1\2");
  EXPECT_NE(entry, std::string::npos);
  return read("npz", content.replace(entry + offset, bytes.size(), bytes));
}

TEST(DamagedFilesTest, NpzEntries) {
  EXPECT_EQ(readWithEntry(0, "PK\1\2"), "success");
  EXPECT_EQ(readWithEntry(0, "PK\1\3"), ": has a damaged directory");
  EXPECT_EQ(readWithEntry(8, "\1"), ": member \"zeros\" is encrypted");
  EXPECT_EQ(readWithEntry(10, "\x0e"),
            ": member \"zeros\" is compressed by method 14, expects 0 (stored) "
            "or 8 (deflated)");
  EXPECT_EQ(readWithEntry(16, "\1\2\3"),
            ": member \"zeros\" is damaged: its checksum differs");
  EXPECT_EQ(readWithEntry(20, "\xf0\xff\xff\x7f"),
            ": member \"zeros\" lies outside the file");
  // A small member that claims to hold 2 GiB.
  EXPECT_EQ(readWithEntry(24, "\xf0\xff\xff\x7f"),
            ": member \"zeros\" claims an impossible size");
  EXPECT_EQ(readWithEntry(24, std::string("\x80\0", 2)),
            ": member \"zeros\": the compressed data is longer than the file "
            "says");
  EXPECT_EQ(readWithEntry(28, "\xff\xff"), ": has a damaged directory");
  EXPECT_EQ(readWithEntry(42, "\xf0\xff\xff\x7f"),
            ": member \"zeros\" lies outside the file");
}

TEST(DamagedFilesTest, NpzWithoutDirectory) {
  EXPECT_EQ(read("npz", std::string(1000, 'x')),
            ": is no .npz file: the end of a zip archive is missing");
}

TEST(DamagedFilesTest, NpzWithTwoArraysOfOneName) {
  std::string content = readBytes(getInput("stored.npz"));
  size_t at = content.rfind("f8.npy");
  ASSERT_NE(at, std::string::npos);
  content.replace(at, 6, "f4.npy");
  EXPECT_EQ(read("npz", content), ": has two members named \"f4\"");
}

TEST(DamagedFilesTest, MissingArray) {
  auto file = getOrFail(openNpz(getInput("stored.npz")));
  ASSERT_TRUE(file);
  EXPECT_EQ(getMessage(file->get("nothing")),
            getInput("stored.npz") + ": has no array \"nothing\"");
}

//===----------------------------------------------------------------------===//
// .safetensors
//===----------------------------------------------------------------------===//

static std::string readSafetensors(const std::string &header,
                                   const std::string &data = "") {
  std::string text(8, '\0');
  text[0] = static_cast<char>(header.size());
  text[1] = static_cast<char>(header.size() >> 8);
  return read("safetensors", text + header + data);
}

static std::string readEntry(const std::string &fields) {
  return readSafetensors("{\"w\": {" + fields + "}}", "12345678");
}

TEST(DamagedFilesTest, Safetensors) {
  EXPECT_EQ(read("safetensors", std::string(8, '\xff')),
            ": ends in the middle of its header");
  EXPECT_EQ(read("safetensors", "1"), ": ends in the middle of its header");
  EXPECT_EQ(readSafetensors("{").find(": has a damaged header: "), 0u);
  EXPECT_EQ(readSafetensors(std::string(60000, '[')),
            ": has a damaged header: nests deeper than 64 levels");
  EXPECT_EQ(readSafetensors("3"), ": has a header that is no JSON object");
  EXPECT_EQ(readSafetensors("{\"w\": 3}"),
            ": array \"w\": expects dtype, shape and two data_offsets");
  const std::string offsets = R"(, "data_offsets": [0, 8])";
  EXPECT_EQ(readEntry(R"("dtype": "F32", "shape": [2])" + offsets), "success");
  EXPECT_EQ(readEntry(R"("dtype": "F8_E4M3", "shape": [8])" + offsets),
            ": array \"w\": has the unknown type F8_E4M3");
  EXPECT_EQ(readEntry(R"("dtype": "F32", "shape": [-2])" + offsets),
            ": array \"w\": has a size that is no natural number");
  EXPECT_EQ(readEntry(R"("dtype": "F32", "shape": [3])" + offsets),
            ": array \"w\": an array of 3xf32 expects 12 bytes, found 8");
  for (const char *range : {"[0, 9]", "[-1, 7]", "[8, 0]", "[0.5, 8]"})
    EXPECT_EQ(readEntry(R"("dtype": "F32", "shape": [2], "data_offsets": )" +
                        std::string(range)),
              ": array \"w\": lies outside the file")
        << range;
}

//===----------------------------------------------------------------------===//
// Files at large
//===----------------------------------------------------------------------===//

TEST(DamagedFilesTest, Paths) {
  EXPECT_EQ(readAll("/nonexistent.npz"),
            "cannot read /nonexistent.npz: No such file or directory");
  EXPECT_EQ(readAll("weights.onnx"),
            ": expects a name that ends in .npy, .npz, .safetensors or .json");
  for (const char *suffix : {"npy", "npz", "safetensors", "json"})
    EXPECT_NE(read(suffix, ""), "success") << suffix;
}
