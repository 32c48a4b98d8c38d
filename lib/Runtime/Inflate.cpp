//===- Inflate.cpp - decompression of deflate streams -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Section numbers are those of RFC 1951.
//
//===----------------------------------------------------------------------===//

#include "Inflate.h"

#include <array>
#include <cstdint>
#include <cstring>

using namespace memfmt::runtime;

namespace {
/// Bits of the stream, the least significant of a byte first.
class BitReader {
public:
  explicit BitReader(llvm::ArrayRef<char> input) : input(input) {}

  /// The next `count` bits (at most 16), which stay; zeros after the end.
  unsigned peek(unsigned count) {
    for (; numBits < count; numBits += 8, ++position)
      if (position < input.size())
        bits |= uint64_t(static_cast<uint8_t>(input[position])) << numBits;
    return bits & ((1u << count) - 1);
  }
  /// Removes `count` bits that `peek` has shown.
  void drop(unsigned count) {
    bits >>= count;
    numBits -= count;
  }
  unsigned take(unsigned count) {
    unsigned value = peek(count);
    drop(count);
    return value;
  }

  /// Drops the rest of a byte.
  void align() {
    bits >>= numBits % 8;
    numBits -= numBits % 8;
  }
  /// More bits were taken than there are.
  bool isPastEnd() const { return position - numBits / 8 > input.size(); }

private:
  llvm::ArrayRef<char> input;
  size_t position = 0;
  uint64_t bits = 0;
  unsigned numBits = 0;
};

/// A prefix code given by the lengths of its words (3.2.2).
class PrefixCode {
public:
  static constexpr unsigned kMaxLength = 15;

  /// False where more words are asked for than exist.
  bool build(llvm::ArrayRef<uint8_t> lengths) {
    std::memset(counts, 0, sizeof(counts));
    for (uint8_t length : lengths)
      ++counts[length];
    counts[0] = 0;
    int left = 1;
    for (unsigned length = 1; length <= kMaxLength; ++length) {
      left = 2 * left - counts[length];
      if (left < 0)
        return false;
    }
    uint16_t nextIndex[kMaxLength + 2] = {}, nextCode[kMaxLength + 2] = {};
    for (unsigned length = 1; length <= kMaxLength; ++length) {
      nextIndex[length + 1] = nextIndex[length] + counts[length];
      nextCode[length + 1] = (nextCode[length] + counts[length]) << 1;
    }
    for (unsigned symbol = 0; symbol < lengths.size(); ++symbol)
      if (unsigned length = lengths[symbol]) {
        symbols[nextIndex[length]++] = symbol;
        fillTable(symbol, length, nextCode[length]++);
      }
    return true;
  }

  /// The next symbol, or -1.
  int decode(BitReader &reader) const {
    Entry entry = table[reader.peek(kTableBits)];
    if (!entry.length)
      return decodeLong(reader);
    reader.drop(entry.length);
    return entry.symbol;
  }

private:
  static constexpr unsigned kTableBits = 9;
  struct Entry {
    uint16_t symbol = 0, length = 0;
  };

  /// Codes come with their first bit first, so in the table it is the lowest.
  void fillTable(unsigned symbol, unsigned length, unsigned code) {
    if (length > kTableBits)
      return;
    unsigned reversed = 0;
    for (unsigned i = 0; i < length; ++i)
      reversed |= (code >> i & 1) << (length - 1 - i);
    for (unsigned i = reversed; i < table.size(); i += 1u << length) {
      table[i].symbol = symbol;
      table[i].length = length;
    }
  }

  /// Bit by bit: at each length, the codes are consecutive numbers.
  int decodeLong(BitReader &reader) const {
    int code = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= kMaxLength; ++length) {
      code |= static_cast<int>(reader.take(1));
      int count = counts[length];
      if (code - count < first)
        return symbols[index + (code - first)];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return -1;
  }

  uint16_t counts[kMaxLength + 1];
  uint16_t symbols[288] = {};
  /// What the next bits mean; length 0 where the code is longer, or none.
  std::array<Entry, 1 << kTableBits> table = {};
};

class Inflater {
public:
  Inflater(llvm::ArrayRef<char> input, llvm::MutableArrayRef<char> output)
      : reader(input), output(output) {}

  /// An empty text where all went well.
  llvm::StringRef run() {
    bool isLast;
    do {
      isLast = reader.take(1);
      llvm::StringRef error;
      switch (reader.take(2)) {
      case 0:
        error = copyStored();
        break;
      case 1:
        error = readFixed();
        break;
      case 2:
        error = readDynamic();
        break;
      default:
        error = "has a block of an unknown kind";
      }
      if (!error.empty())
        return error;
      if (reader.isPastEnd())
        return "ends in the middle of a block";
    } while (!isLast);
    return size == output.size() ? "" : "is shorter than the file says";
  }

private:
  llvm::StringRef copyStored();
  llvm::StringRef readFixed();
  llvm::StringRef readDynamic();
  llvm::StringRef readSymbols(const PrefixCode &literals,
                              const PrefixCode &distances);
  bool put(char byte) {
    if (size == output.size())
      return false;
    output[size++] = byte;
    return true;
  }

  BitReader reader;
  llvm::MutableArrayRef<char> output;
  size_t size = 0;
};
} // namespace

/// A block without compression (3.2.4).
llvm::StringRef Inflater::copyStored() {
  reader.align();
  unsigned length = reader.take(16), complement = reader.take(16);
  if (reader.isPastEnd())
    return "ends in the middle of a block";
  if (length != (complement ^ 0xffff))
    return "has a stored block whose length is damaged";
  for (unsigned i = 0; i < length && !reader.isPastEnd(); ++i)
    if (!put(static_cast<char>(reader.take(8))))
      return "is longer than the file says";
  return "";
}

/// The code that needs no table (3.2.6).
llvm::StringRef Inflater::readFixed() {
  uint8_t lengths[288];
  std::memset(lengths, 8, 144);
  std::memset(lengths + 144, 9, 112);
  std::memset(lengths + 256, 7, 24);
  std::memset(lengths + 280, 8, 8);
  uint8_t five[30];
  std::memset(five, 5, sizeof(five));
  PrefixCode literals, distances;
  literals.build(lengths);
  distances.build(five);
  return readSymbols(literals, distances);
}

/// Codes whose lengths come first, themselves compressed (3.2.7).
llvm::StringRef Inflater::readDynamic() {
  unsigned numLiterals = reader.take(5) + 257,
           numDistances = reader.take(5) + 1, numLengths = reader.take(4) + 4;
  if (numLiterals > 286 || numDistances > 30)
    return "has a block with too many code words";
  static constexpr uint8_t kOrder[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                         11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[286 + 30] = {};
  for (unsigned i = 0; i < numLengths; ++i)
    lengths[kOrder[i]] = reader.take(3);
  PrefixCode code;
  if (!code.build(llvm::ArrayRef<uint8_t>(lengths, 19)))
    return "has a damaged code";
  std::memset(lengths, 0, sizeof(lengths));
  for (unsigned i = 0; i < numLiterals + numDistances;) {
    int symbol = code.decode(reader);
    if (symbol < 0 || reader.isPastEnd())
      return "has a damaged code";
    if (symbol < 16) {
      lengths[i++] = symbol;
      continue;
    }
    if (symbol == 16 && i == 0)
      return "has a damaged code";
    uint8_t value = symbol == 16 ? lengths[i - 1] : 0;
    unsigned repeat = symbol == 16   ? 3 + reader.take(2)
                      : symbol == 17 ? 3 + reader.take(3)
                                     : 11 + reader.take(7);
    if (i + repeat > numLiterals + numDistances)
      return "has a damaged code";
    while (repeat--)
      lengths[i++] = value;
  }
  PrefixCode literals, distances;
  if (!literals.build({lengths, numLiterals}) ||
      !distances.build({lengths + numLiterals, numDistances}))
    return "has a damaged code";
  return readSymbols(literals, distances);
}

/// Bytes, and copies of bytes before (3.2.5).
llvm::StringRef Inflater::readSymbols(const PrefixCode &literals,
                                      const PrefixCode &distances) {
  static constexpr uint16_t kLengthBase[29] = {
      3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static constexpr uint8_t kLengthBits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                              1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                              4, 4, 4, 4, 5, 5, 5, 5, 0};
  static constexpr uint16_t kDistanceBase[30] = {
      1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  static constexpr uint8_t kDistanceBits[30] = {
      0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
      6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
  while (true) {
    int symbol = literals.decode(reader);
    if (symbol < 0 || reader.isPastEnd())
      return "ends in the middle of a block";
    if (symbol < 256) {
      if (!put(static_cast<char>(symbol)))
        return "is longer than the file says";
      continue;
    }
    if (symbol == 256)
      return "";
    if (symbol > 285)
      return "has a damaged length";
    unsigned length =
        kLengthBase[symbol - 257] + reader.take(kLengthBits[symbol - 257]);
    int code = distances.decode(reader);
    if (code < 0 || code > 29)
      return "has a damaged distance";
    size_t distance = kDistanceBase[code] + reader.take(kDistanceBits[code]);
    if (distance > size)
      return "reaches back before its start";
    while (length--)
      if (!put(output[size - distance]))
        return "is longer than the file says";
  }
}

llvm::Error memfmt::runtime::inflate(llvm::ArrayRef<char> input,
                                     llvm::MutableArrayRef<char> output) {
  llvm::StringRef error = Inflater(input, output).run();
  if (error.empty())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "the compressed data " + error);
}
