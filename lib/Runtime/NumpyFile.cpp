//===- NumpyFile.cpp - .npy files -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The format is described in numpy/lib/format.py (NEP 1).
//
//===----------------------------------------------------------------------===//

#include "memfmt/Runtime/TensorFile.h"

#include "MappedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace memfmt::runtime;

static constexpr llvm::StringLiteral kMagic = "\x93NUMPY";

namespace {
struct NpyHeader {
  ElementType type = ElementType::f32;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;
};

/// Reads the Python dictionary of a header: a literal with three keys.
class HeaderParser {
public:
  explicit HeaderParser(llvm::StringRef text) : text(text) {}

  /// An empty text where the header was read.
  std::string parse(NpyHeader &header);

private:
  void skipSpace() { text = text.ltrim(" \t\r\n"); }
  bool take(llvm::StringRef token) {
    skipSpace();
    return text.consume_front(token);
  }
  std::string fail(const llvm::Twine &what) {
    return ("damaged header: expects " + what + " before \"" +
            text.take_front(20) + "\"")
        .str();
  }
  std::optional<llvm::StringRef> parseString();
  std::string parseShape(NpyHeader &header);
  std::string parseEntry(llvm::StringRef key, NpyHeader &header);

  llvm::StringRef text;
};
} // namespace

std::optional<llvm::StringRef> HeaderParser::parseString() {
  skipSpace();
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return std::nullopt;
  size_t end = text.find(text[0], 1);
  if (end == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef value = text.slice(1, end);
  text = text.drop_front(end + 1);
  return value;
}

std::string HeaderParser::parseShape(NpyHeader &header) {
  if (!take("("))
    return fail("a shape");
  while (!take(")")) {
    skipSpace();
    int64_t size;
    if (text.consumeInteger(10, size) || size < 0)
      return fail("a size");
    header.shape.push_back(size);
    if (header.shape.size() > 64)
      return "has more than 64 axes";
    if (!take(",") && !text.ltrim().starts_with(")"))
      return fail("a comma");
  }
  return "";
}

static std::optional<ElementType> parseDescription(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<ElementType>>(text)
      .Case("<f4", ElementType::f32)
      .Case("<f8", ElementType::f64)
      .Case("<f2", ElementType::f16)
      .Case("|b1", ElementType::i1)
      .Case("|i1", ElementType::i8)
      .Case("|u1", ElementType::u8)
      .Case("<i2", ElementType::i16)
      .Case("<u2", ElementType::u16)
      .Case("<i4", ElementType::i32)
      .Case("<u4", ElementType::u32)
      .Case("<i8", ElementType::i64)
      .Case("<u8", ElementType::u64)
      .Default(std::nullopt);
}

std::string HeaderParser::parseEntry(llvm::StringRef key, NpyHeader &header) {
  if (key == "shape")
    return parseShape(header);
  if (key == "fortran_order") {
    header.fortranOrder = take("True");
    if (!header.fortranOrder && !take("False"))
      return fail("True or False");
    return "";
  }
  if (key != "descr")
    return ("has the unknown key '" + key + "' in its header").str();
  std::optional<llvm::StringRef> description = parseString();
  if (!description)
    return fail("a type in quotes");
  std::optional<ElementType> type = parseDescription(*description);
  if (!type)
    return ("has elements of type '" + *description +
            "', expects little-endian floats, integers or booleans")
        .str();
  header.type = *type;
  return "";
}

std::string HeaderParser::parse(NpyHeader &header) {
  bool hasType = false, hasShape = false;
  if (!take("{"))
    return fail("a dictionary");
  while (!take("}")) {
    std::optional<llvm::StringRef> key = parseString();
    if (!key || !take(":"))
      return fail("a key");
    hasType |= *key == "descr";
    if (*key == "shape" && hasShape)
      return "has two shapes in its header";
    hasShape |= *key == "shape";
    if (std::string error = parseEntry(*key, header); !error.empty())
      return error;
    if (!take(",") && !text.ltrim().starts_with("}"))
      return fail("a comma");
  }
  return hasType && hasShape ? "" : "has a header without type or shape";
}

/// The first axis varies fastest: turned into row-major order.
static llvm::Expected<HostTensor> fromFortranOrder(const NpyHeader &header,
                                                   llvm::ArrayRef<char> data) {
  llvm::Expected<HostTensor> result =
      HostTensor::allocate(header.type, header.shape);
  if (!result)
    return result;
  int64_t size = getElementSize(header.type);
  for (int64_t i = 0, n = result->getNumElements(); i < n; ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (int64_t extent : header.shape)
      stride *= extent;
    for (int64_t extent : llvm::reverse(header.shape)) {
      stride /= extent;
      at += rest % extent * stride;
      rest /= extent;
    }
    memcpy(result->getMutableBytes().data() + i * size, data.data() + at * size,
           size);
  }
  return result;
}

llvm::Expected<HostTensor>
memfmt::runtime::parseNpy(llvm::ArrayRef<char> bytes,
                          std::shared_ptr<const void> owner,
                          const std::string &name) {
  llvm::StringRef text(bytes.data(), bytes.size());
  if (!text.starts_with(kMagic))
    return makeFileError(name, "is no .npy file");
  auto version = readNumber(bytes, kMagic.size(), 1);
  if (!version || *version < 1 || *version > 3)
    return makeFileError(name, "has a version that is not 1, 2 or 3");
  unsigned width = *version == 1 ? 2 : 4;
  auto length = readNumber(bytes, kMagic.size() + 2, width);
  uint64_t start = kMagic.size() + 2 + width;
  auto dictionary = length ? slice(bytes, start, *length)
                           : std::optional<llvm::ArrayRef<char>>();
  if (!dictionary)
    return makeFileError(name, "ends in the middle of its header");
  NpyHeader header;
  std::string error =
      HeaderParser({dictionary->data(), dictionary->size()}).parse(header);
  if (!error.empty())
    return makeFileError(name, error);
  llvm::ArrayRef<char> data = bytes.drop_front(start + *length);
  auto tensor = borrowOrCopy(header.type, header.shape, data, std::move(owner));
  if (!tensor)
    return makeFileError(name, llvm::toString(tensor.takeError()));
  if (header.fortranOrder && header.shape.size() > 1)
    return fromFortranOrder(header, data);
  return tensor;
}

namespace {
class NpyFile : public TensorFile {
public:
  NpyFile(std::string name, HostTensor tensor)
      : name(std::move(name)), tensor(std::move(tensor)) {}
  llvm::ArrayRef<std::string> getNames() const override { return name; }
  llvm::Expected<HostTensor> get(llvm::StringRef wanted) const override {
    if (wanted == name)
      return tensor;
    return makeFileError(name, "has no array \"" + wanted + "\"");
  }

private:
  std::string name;
  HostTensor tensor;
};
} // namespace

llvm::Expected<std::unique_ptr<TensorFile>>
memfmt::runtime::openNpy(llvm::StringRef path) {
  llvm::Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<HostTensor> tensor =
      parseNpy(file->bytes, file->owner, file->path);
  if (!tensor)
    return tensor.takeError();
  return std::make_unique<NpyFile>(llvm::sys::path::stem(path).str(),
                                   std::move(*tensor));
}

std::string memfmt::runtime::makeNpyHeader(const HostTensor &tensor) {
  static constexpr const char *kDescriptions[] = {
      "<f4", "<f8", "<f2", "<u2", "|b1", "|i1", "|u1",
      "<i2", "<u2", "<i4", "<u4", "<i8", "<u8"};
  std::string dictionary;
  llvm::raw_string_ostream os(dictionary);
  os << "{'descr': '"
     << kDescriptions[static_cast<int32_t>(tensor.getElementType())]
     << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(tensor.getShape(), os);
  os << (tensor.getShape().size() == 1 ? ",), }" : "), }");
  // The data begins at a multiple of 64 bytes.
  constexpr size_t kPrefix = 10;
  while ((kPrefix + dictionary.size() + 1) % 64)
    dictionary += ' ';
  dictionary += '\n';
  std::string header = kMagic.str();
  header += {1, 0, static_cast<char>(dictionary.size() & 255),
             static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

llvm::Error memfmt::runtime::writeNpy(llvm::StringRef path,
                                      const HostTensor &tensor) {
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << makeNpyHeader(tensor);
    os.write(tensor.getBytes().data(), tensor.getBytes().size());
    return llvm::Error::success();
  });
  if (!error)
    return error;
  return makeFileError("cannot write " + path.str(),
                       llvm::toString(std::move(error)));
}
