//===- InflateTest.cpp - decompression of deflate streams -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

//
// Section numbers are those of RFC 1951. Streams that a compressor makes are
// tested through .npz files.
//
//===----------------------------------------------------------------------===//

#include "Inflate.h"

#include "Testing.h"

#include <random>

using namespace memfmt::runtime;

/// What `input` decompresses to when `size` bytes are expected, or the error.
static std::string run(llvm::StringRef input, size_t size) {
  std::string output(size, '?');
  llvm::Error error =
      inflate({input.data(), input.size()}, {output.data(), output.size()});
  return error ? llvm::toString(std::move(error)) : output;
}

/// Bytes of fields, each from its lowest bit on (3.1.1).
static std::string pack(std::vector<std::pair<unsigned, unsigned>> fields) {
  std::string bytes;
  unsigned count = 0;
  for (auto [value, width] : fields)
    for (unsigned i = 0; i < width; ++i, ++count) {
      if (count % 8 == 0)
        bytes += '\0';
      bytes.back() |= (value >> i & 1) << count % 8;
    }
  return bytes;
}

/// Words of a prefix code come with their first bit first.
static unsigned reverse(unsigned word, unsigned width) {
  unsigned result = 0;
  for (unsigned i = 0; i < width; ++i)
    result |= (word >> i & 1) << (width - 1 - i);
  return result;
}

/// A literal below 144 in the fixed code (3.2.6).
static std::pair<unsigned, unsigned> literal(char c) {
  return {reverse(0x30 + c, 8), 8};
}

TEST(InflateTest, StoredBlocks) {
  std::string one("\x00\x02\x00\xfd\xff"
                  "ab",
                  7);
  std::string two("\x01\x01\x00\xfe\xff"
                  "c",
                  6);
  EXPECT_EQ(run(two, 1), "c");
  EXPECT_EQ(run(one + two, 3), "abc");
  EXPECT_EQ(run(one + two, 2), "the compressed data is longer than the file "
                               "says");
  EXPECT_EQ(run(one + two, 4), "the compressed data is shorter than the file "
                               "says");
  EXPECT_EQ(run(std::string("\x01\x01\x00\xff\xff"
                            "c",
                            6),
                1),
            "the compressed data has a stored block whose length is damaged");
}

TEST(InflateTest, FixedCode) {
  // "ab", then 4 bytes from 2 back (length code 258, distance code 1), end.
  std::string stream = pack({{1, 1},
                             {1, 2},
                             literal('a'),
                             literal('b'),
                             {reverse(2, 7), 7},
                             {reverse(1, 5), 5},
                             {0, 7}});
  EXPECT_EQ(run(stream, 6), "ababab");
  EXPECT_EQ(run(stream, 5), "the compressed data is longer than the file says");
  EXPECT_EQ(run(stream.substr(0, 3), 6),
            "the compressed data ends in the middle of a block");
}

TEST(InflateTest, DamagedStreams) {
  const std::string prefix = "the compressed data ";
  EXPECT_EQ(run("", 0), prefix + "ends in the middle of a block");
  EXPECT_EQ(run(pack({{1, 1}, {3, 2}}), 0),
            prefix + "has a block of an unknown kind");
  EXPECT_EQ(run(pack({{1, 1}, {1, 2}, {reverse(1, 7), 7}, {0, 5}}), 3),
            prefix + "reaches back before its start");
  // Length code 286 and distance code 30 are never used.
  EXPECT_EQ(run(pack({{1, 1}, {1, 2}, {reverse(0xc6, 8), 8}}), 3),
            prefix + "has a damaged length");
  EXPECT_EQ(run(pack({{1, 1},
                      {1, 2},
                      literal('a'),
                      {reverse(1, 7), 7},
                      {reverse(30, 5), 5},
                      {0, 16}}),
                4),
            prefix + "has a damaged distance");
  EXPECT_EQ(run(pack({{1, 1}, {2, 2}, {31, 5}, {0, 5}, {0, 4}}), 3),
            prefix + "has a block with too many code words");
  // Nineteen words of one bit (3.2.7).
  std::vector<std::pair<unsigned, unsigned>> fields = {
      {1, 1}, {2, 2}, {0, 5}, {0, 5}, {15, 4}};
  fields.insert(fields.end(), 19, {1, 3});
  EXPECT_EQ(run(pack(fields), 3), prefix + "has a damaged code");
  // The first length repeats one before it.
  EXPECT_EQ(
      run(pack(
              {{1, 1}, {2, 2}, {0, 5}, {0, 5}, {0, 4}, {1, 3}, {0, 9}, {0, 8}}),
          3),
      prefix + "has a damaged code");
}

TEST(InflateTest, RandomStreamsDoNotCrash) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string stream(random() % 200, '\0');
    for (char &c : stream)
      c = static_cast<char>(random());
    // Most interesting is a dynamic code: its last lengths are random.
    if (!stream.empty() && trial % 2)
      stream[0] = (stream[0] & ~7) | 5;
    run(stream, random() % 500);
  }
}
