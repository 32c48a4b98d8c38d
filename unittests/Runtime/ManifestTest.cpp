//===- ManifestTest.cpp - arrays from seeds ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Testing.h"

using namespace memfmt::runtime;

namespace {
using Names = std::vector<std::string>;
} // namespace

/// Compares every array of `file`, bit by bit, with what Python computed from
/// the formula. bf16 stands as u16 there.
static void checkAgainstPython(const TensorFile &file) {
  auto expected = getOrFail(openNpz(getInput("small.expected.npz")));
  ASSERT_TRUE(expected);
  for (const std::string &name : file.getNames()) {
    HostTensor actual = getOrFail(file.get(name));
    HostTensor wanted = getOrFail(expected->get(name));
    EXPECT_EQ(actual.getShape(), wanted.getShape()) << name;
    EXPECT_EQ(actual.getElementType() == ElementType::bf16,
              wanted.getElementType() == ElementType::u16)
        << name;
    EXPECT_EQ(actual.getBytes(), wanted.getBytes()) << name;
  }
}

TEST(ManifestTest, WeightsEqualThoseOfPython) {
  auto file = getOrFail(
      openTensorFile(getInput("small.manifest.json"), TensorRole::weights));
  ASSERT_TRUE(file);
  EXPECT_EQ(Names(file->getNames()), Names({"w_z", "w_a", "w_bf16", "t_perm",
                                            "t_flip", "c_raw", "c_view"}));
  EXPECT_FALSE(file->hasExactShapes());
  checkAgainstPython(*file);
}

TEST(ManifestTest, InputsEqualThoseOfPythonInOrder) {
  auto file = getOrFail(
      openTensorFile(getInput("small.manifest.json"), TensorRole::inputs));
  ASSERT_TRUE(file);
  EXPECT_EQ(Names(file->getNames()), Names({"second", "first"}));
  checkAgainstPython(*file);
}

TEST(ManifestTest, AlignsConstantsForTheirType) {
  // The bytes lie at an odd address of the .npz file.
  auto file = getOrFail(
      openManifest(getInput("small.manifest.json"), TensorRole::weights));
  ASSERT_TRUE(file);
  HostTensor raw = getOrFail(file->get("c_raw"));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(raw.getBytes().data()) % 4, 0u);
}

static std::string open(llvm::StringRef text, TensorRole role) {
  ScratchFile file("json", text);
  std::string message = getMessage(openManifest(file.getPath(), role));
  llvm::StringRef rest(message);
  rest.consume_front((file.getPath() + ": ").str());
  return rest.str();
}

static std::string openWeight(const std::string &fields) {
  return open(R"({"weights": {"linalg": {"w": {"seed": 1, )" + fields + "}}}}",
              TensorRole::weights);
}

TEST(ManifestTest, SingleInput) {
  EXPECT_EQ(open(R"({"input": {"shape": [2], "seed": 1, "scale": 1,
                               "offset": 0}})",
                 TensorRole::inputs),
            "success");
}

TEST(ManifestTest, SaysWhatIsWrong) {
  const char *kFields = "array \"w\": expects shape, seed, scale and offset";
  EXPECT_EQ(openWeight(R"("shape": [2], "scale": 1, "offset": 0)"), "success");
  EXPECT_EQ(openWeight(R"("shape": [2], "scale": 1)"), kFields);
  EXPECT_EQ(openWeight(R"("shape": [-2], "scale": 1, "offset": 0)"), kFields);
  EXPECT_EQ(openWeight(R"("shape": 2, "scale": "1", "offset": 0)"), kFields);
  EXPECT_EQ(
      openWeight(R"("shape": [2], "scale": 1, "offset": 0, "dtype": "i8")"),
      "array \"w\": expects f32 or bf16, found i8");
  for (const char *order : {"[0]", "[0, 0]", "[0, 2]", "[0, -1]", "[\"x\"]",
                            "[0, 1, 2]", "[\"flip\", 0]"})
    EXPECT_EQ(openWeight(std::string(R"("shape": [2, 3], "scale": 1, )"
                                     R"("offset": 0, "perm": )") +
                         order),
              "array \"w\": expects a permutation of its axes as perm")
        << order;
  EXPECT_EQ(open("[1]", TensorRole::weights), "expects a JSON object");
  EXPECT_EQ(open("{}", TensorRole::weights), "expects the key \"weights\"");
  EXPECT_EQ(open("{}", TensorRole::inputs),
            "expects the key \"input\" or \"inputs\"");
  EXPECT_EQ(open("{", TensorRole::inputs).find("is no JSON: "), 0u);
  EXPECT_EQ(open(std::string(1 << 20, '['), TensorRole::inputs),
            "is no JSON: nests deeper than 64 levels");
}

TEST(ManifestTest, ArraysThatCannotBeMade) {
  ScratchFile file("json", R"({"weights": {"linalg": {"w": {"seed": 1,
      "shape": [1000000, 1000000000], "scale": 1, "offset": 0}}}})");
  auto opened = getOrFail(openManifest(file.getPath(), TensorRole::weights));
  ASSERT_TRUE(opened);
  std::string path = file.getPath().str();
  EXPECT_EQ(getMessage(opened->get("w")),
            path + ": array \"w\": out of memory: an array of "
                   "1000000x1000000000xf32 needs 4000000000000000 bytes");
  EXPECT_EQ(getMessage(opened->get("v")),
            path + ": array \"v\": neither a seed nor a file beside the "
                   "manifest gives it");
}
