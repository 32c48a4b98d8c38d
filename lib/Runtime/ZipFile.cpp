//===- ZipFile.cpp - .npz files ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// An .npz file is a zip archive of .npy files, stored or deflated. Field names
// follow PKWARE's APPNOTE.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/TensorFile.h"

#include "Inflate.h"
#include "MappedFile.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace memfmt::runtime;

namespace {
enum : uint32_t {
  kLocalHeader = 0x04034b50,
  kCentralHeader = 0x02014b50,
  kEndOfDirectory = 0x06054b50,
  kZip64End = 0x06064b50,
  kZip64Locator = 0x07064b50,
};
enum : uint16_t { kStored = 0, kDeflated = 8, kZip64Extra = 1 };
constexpr uint64_t kIn64 = 0xffffffff; // The value stands in a zip64 field.

/// One file of the archive.
struct Member {
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packedSize = 0, size = 0, header = 0;
};

class NpzFile : public TensorFile {
public:
  explicit NpzFile(MappedFile file) : file(std::move(file)) {}

  llvm::Error readDirectory();
  llvm::ArrayRef<std::string> getNames() const override { return names; }
  llvm::Expected<HostTensor> get(llvm::StringRef name) const override;

private:
  llvm::Error fail(const llvm::Twine &text) const {
    return makeFileError(file.path, text);
  }
  std::optional<uint64_t> number(uint64_t offset, unsigned size) const {
    return readNumber(file.bytes, offset, size);
  }
  llvm::Expected<std::pair<uint64_t, uint64_t>> findDirectory() const;
  llvm::Expected<uint64_t> readEntry(uint64_t at);
  bool readZip64(uint64_t extra, uint64_t length, Member &member) const;
  llvm::Expected<llvm::ArrayRef<char>> getPacked(const Member &member,
                                                 llvm::StringRef name) const;

  MappedFile file;
  std::vector<std::string> names;
  llvm::StringMap<Member> members;
};
} // namespace

/// Where the central directory is, and how many entries it has.
llvm::Expected<std::pair<uint64_t, uint64_t>> NpzFile::findDirectory() const {
  constexpr uint64_t kEndSize = 22, kLongestComment = 65535;
  uint64_t size = file.bytes.size();
  for (uint64_t back = kEndSize;
       back <= size && back <= kEndSize + kLongestComment; ++back) {
    uint64_t at = size - back;
    if (number(at, 4) != kEndOfDirectory ||
        number(at + 20, 2) != back - kEndSize)
      continue;
    uint64_t count = *number(at + 10, 2), offset = *number(at + 16, 4);
    if (count != 0xffff && offset != kIn64)
      return std::pair(offset, count);
    // The locator of the 64-bit record lies just before.
    if (at < 20 || number(at - 20, 4) != kZip64Locator)
      return fail("has no 64-bit directory where it needs one");
    auto end = number(at - 12, 8);
    if (number(*end, 4) != kZip64End || !number(*end + 48, 8))
      return fail("has a damaged 64-bit directory");
    return std::pair(*number(*end + 48, 8), *number(*end + 32, 8));
  }
  return fail("is no .npz file: the end of a zip archive is missing");
}

/// Sizes above 32 bits stand in an extra field, in a fixed order.
bool NpzFile::readZip64(uint64_t extra, uint64_t length, Member &member) const {
  uint64_t end = extra + length;
  while (extra + 4 <= end) {
    auto id = number(extra, 2), size = number(extra + 2, 2);
    if (!id || !size)
      return false;
    uint64_t at = extra + 4;
    extra = at + *size;
    if (*id != kZip64Extra)
      continue;
    for (uint64_t *field : {&member.size, &member.packedSize, &member.header})
      if (*field == kIn64) {
        auto value = number(at, 8);
        if (!value || at + 8 > extra)
          return false;
        *field = *value;
        at += 8;
      }
  }
  return true;
}

/// Reads one entry of the directory and returns where the next begins.
llvm::Expected<uint64_t> NpzFile::readEntry(uint64_t at) {
  if (number(at, 4) != kCentralHeader || !number(at + 42, 4))
    return fail("has a damaged directory");
  Member member;
  uint16_t flags = *number(at + 8, 2);
  member.method = *number(at + 10, 2);
  member.crc = *number(at + 16, 4);
  member.packedSize = *number(at + 20, 4);
  member.size = *number(at + 24, 4);
  uint64_t nameLength = *number(at + 28, 2), extraLength = *number(at + 30, 2),
           commentLength = *number(at + 32, 2);
  member.header = *number(at + 42, 4);
  auto name = slice(file.bytes, at + 46, nameLength);
  if (!name || !readZip64(at + 46 + nameLength, extraLength, member))
    return fail("has a damaged directory");
  llvm::StringRef text(name->data(), name->size());
  if (text.consume_back(".npy")) {
    if (flags & 1)
      return fail("member \"" + text + "\" is encrypted");
    if (!members.try_emplace(text, member).second)
      return fail("has two members named \"" + text + "\"");
    names.push_back(text.str());
  }
  return at + 46 + nameLength + extraLength + commentLength;
}

llvm::Error NpzFile::readDirectory() {
  auto directory = findDirectory();
  if (!directory)
    return directory.takeError();
  auto [at, count] = *directory;
  for (uint64_t i = 0; i < count; ++i) {
    llvm::Expected<uint64_t> next = readEntry(at);
    if (!next)
      return next.takeError();
    at = *next;
  }
  return llvm::Error::success();
}

llvm::Expected<llvm::ArrayRef<char>>
NpzFile::getPacked(const Member &member, llvm::StringRef name) const {
  auto nameLength = number(member.header + 26, 2),
       extraLength = number(member.header + 28, 2);
  std::optional<llvm::ArrayRef<char>> packed;
  if (number(member.header, 4) == kLocalHeader && nameLength && extraLength)
    packed = slice(file.bytes, member.header + 30 + *nameLength + *extraLength,
                   member.packedSize);
  if (!packed)
    return fail("member \"" + name + "\" lies outside the file");
  return *packed;
}

llvm::Expected<HostTensor> NpzFile::get(llvm::StringRef name) const {
  auto it = members.find(name);
  if (it == members.end())
    return fail("has no array \"" + name + "\"");
  const Member &member = it->second;
  auto packed = getPacked(member, name);
  if (!packed)
    return packed.takeError();
  llvm::ArrayRef<char> bytes = *packed;
  std::shared_ptr<const void> owner = file.owner;
  if (member.method == kDeflated) {
    // Deflate gains a factor of at most 1032.
    if (member.size / 1032 > member.packedSize)
      return fail("member \"" + name + "\" claims an impossible size");
    auto buffer = HostTensor::allocate(ElementType::u8,
                                       {static_cast<int64_t>(member.size)});
    if (!buffer)
      return fail("member \"" + name +
                  "\": " + llvm::toString(buffer.takeError()));
    llvm::MutableArrayRef<char> output = buffer->getMutableBytes();
    owner = std::make_shared<HostTensor>(*buffer);
    if (llvm::Error error = inflate(*packed, output))
      return fail("member \"" + name +
                  "\": " + llvm::toString(std::move(error)));
    bytes = output;
  } else if (member.method != kStored) {
    return fail("member \"" + name + "\" is compressed by method " +
                llvm::Twine(member.method) +
                ", expects 0 (stored) or 8 (deflated)");
  }
  if (bytes.size() != member.size)
    return fail("member \"" + name + "\" expects " + llvm::Twine(member.size) +
                " bytes, found " + llvm::Twine(bytes.size()));
  uint32_t crc = llvm::crc32(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  if (crc != member.crc)
    return fail("member \"" + name + "\" is damaged: its checksum differs");
  return parseNpy(bytes, owner, file.path + ", member \"" + name.str() + "\"");
}

llvm::Expected<std::unique_ptr<TensorFile>>
memfmt::runtime::openNpz(llvm::StringRef path) {
  llvm::Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  auto result = std::make_unique<NpzFile>(std::move(*file));
  if (llvm::Error error = result->readDirectory())
    return error;
  return result;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void append(std::string &out, uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    out += static_cast<char>(value >> (8 * i));
}

/// The fields that local and central headers share.
static void appendCommon(std::string &out, uint32_t crc, uint64_t size,
                         size_t nameLength) {
  append(out, 20, 2);    // version needed
  append(out, 0x800, 2); // flags: names are UTF-8
  append(out, kStored, 2);
  append(out, 0x00210000, 4); // midnight of 1 January 1980
  append(out, crc, 4);
  append(out, size, 4);
  append(out, size, 4);
  append(out, nameLength, 2);
  append(out, 0, 2);
}

llvm::Error memfmt::runtime::writeNpz(
    llvm::StringRef path,
    llvm::ArrayRef<std::pair<std::string, HostTensor>> tensors) {
  std::string body, directory;
  llvm::StringSet<> names;
  for (const auto &[key, tensor] : tensors) {
    std::string name = key + ".npy";
    if (name.size() > 0xffff)
      return makeFileError(path, "names have at most 65531 bytes, found " +
                                     llvm::Twine(key.size()));
    if (!names.insert(name).second)
      return makeFileError(path, "two arrays are named \"" + key + "\"");
    std::string data = makeNpyHeader(tensor);
    data.append(tensor.getBytes().data(), tensor.getBytes().size());
    if (body.size() + data.size() >= kIn64 || tensors.size() >= 0xffff)
      return makeFileError(path, "more than 4 GiB or 65534 arrays are not "
                                 "supported when writing");
    uint32_t crc = llvm::crc32(llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(data.data()), data.size()));
    append(directory, kCentralHeader, 4);
    append(directory, 20, 2);
    appendCommon(directory, crc, data.size(), name.size());
    directory.append(10, '\0'); // comment, disk, attributes
    append(directory, body.size(), 4);
    directory += name;
    append(body, kLocalHeader, 4);
    appendCommon(body, crc, data.size(), name.size());
    body += name;
    body += data;
  }
  std::string end;
  append(end, kEndOfDirectory, 4);
  append(end, 0, 4);
  append(end, tensors.size(), 2);
  append(end, tensors.size(), 2);
  append(end, directory.size(), 4);
  append(end, body.size(), 4);
  append(end, 0, 2);
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << body << directory << end;
    return llvm::Error::success();
  });
  if (!error)
    return error;
  return makeFileError("cannot write " + path.str(),
                       llvm::toString(std::move(error)));
}
