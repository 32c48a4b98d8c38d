//===- StridesTest.cpp - queries against answers of PyTorch -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/IR/Strides.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <limits>

using namespace llvm;
using namespace memfmt;

namespace {

using Sizes = SmallVector<int64_t>;

Sizes readList(const json::Object &row, StringRef key) {
  Sizes list;
  for (const json::Value &value : *row.getArray(key))
    list.push_back(*value.getAsInteger());
  return list;
}

/// The number with which the rows name a suggested format.
int64_t code(MemoryFormat format) {
  return format == MemoryFormat::Contiguous     ? 0
         : format == MemoryFormat::ChannelsLast ? 1
                                                : 2;
}

/// Every row was made by running PyTorch 2.15 on one (sizes, strides).
TEST(StridesTest, EveryRowOfPyTorch) {
  auto file = MemoryBuffer::getFile(MEMFMT_CORPUS_DIR "/contiguity.jsonl");
  ASSERT_TRUE(bool(file));
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  EXPECT_EQ(lines.size(), 4345u);
  for (StringRef line : lines) {
    Expected<json::Value> value = json::parse(line);
    ASSERT_TRUE(bool(value)) << toString(value.takeError());
    const json::Object &row = *value->getAsObject();
    Sizes sizes = readList(row, "s"), strides = readList(row, "st");
    auto contiguous = [&](MemoryFormat format) {
      return isContiguous(sizes, strides, format);
    };
    auto like = [&](MemoryFormat format) {
      return isLikeChannelsLast(sizes, strides, format);
    };
    const std::pair<const char *, int64_t> answers[] = {
        {"contig", contiguous(MemoryFormat::Contiguous)},
        {"cl", contiguous(MemoryFormat::ChannelsLast)},
        {"cl3d", contiguous(MemoryFormat::ChannelsLast3d)},
        {"nod", isNonOverlappingAndDense(sizes, strides)},
        {"lcl", like(MemoryFormat::ChannelsLast)},
        {"lcl3", like(MemoryFormat::ChannelsLast3d)},
        {"sug", code(suggestFormat(sizes, strides))},
        {"sugx", code(suggestFormat(sizes, strides, /*exact=*/true))}};
    for (auto [key, answer] : answers)
      EXPECT_EQ(answer, *row.getInteger(key)) << key << " of " << line.str();
  }
}

/// Rank 3 has a name that PyTorch lacks; the walk is the same.
TEST(StridesTest, ChannelsLast1d) {
  EXPECT_TRUE(
      isContiguous({2, 3, 4}, {12, 1, 3}, MemoryFormat::ChannelsLast1d));
  EXPECT_FALSE(
      isContiguous({2, 3, 4}, {12, 4, 1}, MemoryFormat::ChannelsLast1d));
  EXPECT_FALSE(
      isContiguous({2, 3, 4, 5}, {60, 1, 15, 3}, MemoryFormat::ChannelsLast1d));
  EXPECT_EQ(suggestFormat({2, 3, 4}, {12, 1, 3}), MemoryFormat::Contiguous);
}

TEST(StridesTest, DenseStrides) {
  EXPECT_EQ(getDenseStrides({2, 3, 4, 5}), Sizes({60, 20, 5, 1}));
  EXPECT_EQ(getDenseStrides({2, 3, 4, 5}, MemoryFormat::ChannelsLast),
            Sizes({60, 1, 15, 3}));
  EXPECT_EQ(getDenseStrides({10, 3, 32, 32}, MemoryFormat::ChannelsLast),
            Sizes({3072, 1, 96, 3}));
  EXPECT_EQ(getDenseStrides({2, 1, 4, 5}, MemoryFormat::ChannelsLast),
            Sizes({20, 1, 5, 1}));
  EXPECT_EQ(getDenseStrides({3, 4}, MemoryFormat::ChannelsLast), std::nullopt);
  EXPECT_EQ(getDenseStrides({2, 0, 4, 5}), Sizes({20, 20, 5, 1}));
}

TEST(StridesTest, SizesBeyond63Bits) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(getDenseStrides({2, huge, huge}), std::nullopt);
  EXPECT_FALSE(isContiguous({2, huge, huge}, {1, huge, 1}));
  EXPECT_FALSE(isNonOverlappingAndDense({2, huge, huge}, {1, huge, 1}));
  EXPECT_EQ(suggestFormat({huge, huge, huge, huge}, {huge, 1, huge, huge}),
            MemoryFormat::Contiguous);
}

TEST(StridesTest, Names) {
  for (MemoryFormat format :
       {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast1d,
        MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d})
    EXPECT_EQ(symbolizeMemoryFormat(stringifyMemoryFormat(format)), format);
  EXPECT_EQ(symbolizeMemoryFormat("nhwc"), std::nullopt);
}

} // namespace
