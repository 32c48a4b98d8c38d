//===- Bytecode.cpp - the dialect in MLIR bytecode --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Bytecode.h"

#include "memfmt/IR/MemFmt.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// The version of the encoding below; raised with every change of it. Files of
/// older versions stay readable.
constexpr uint64_t kVersion = 1;

struct Version : DialectVersion {
  explicit Version(uint64_t number) : number(number) {}
  uint64_t number;
};

/// Codes of the attributes. Never reused.
enum Code : uint64_t { kFormat = 0, kStrided = 1 };

/// Reads a list as `writeSignedVarInts` leaves it. A file that promises more
/// numbers than it has fails at its end, without memory for all of them.
LogicalResult readList(DialectBytecodeReader &reader,
                       SmallVector<int64_t> &list) {
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return failure();
  for (; count > 0; --count)
    if (failed(reader.readSignedVarInt(list.emplace_back())))
      return failure();
  return success();
}

struct BytecodeInterface : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(kVersion);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > kVersion) {
      reader.emitError() << "expects version " << kVersion
                         << " or older of the memfmt dialect, found " << number;
      return nullptr;
    }
    return std::make_unique<Version>(number);
  }

  LogicalResult upgradeFromVersion(Operation *,
                                   const DialectVersion &) const override {
    return success();
  }

  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override {
    if (auto format = dyn_cast<FormatAttr>(attr)) {
      writer.writeVarInt(kFormat);
      writer.writeSignedVarInts(format.getOrder());
      writer.writeSignedVarInts(format.getBlockAxes());
      writer.writeSignedVarInts(format.getBlockSizes());
      return success();
    }
    if (auto strided = dyn_cast<StridedAttr>(attr)) {
      writer.writeVarInt(kStrided);
      writer.writeSignedVarInts(strided.getStrides());
      writer.writeSignedVarInt(strided.getOffset());
      return success();
    }
    return failure(); // The generic textual form serves.
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    auto emitError = [&]() -> InFlightDiagnostic { return reader.emitError(); };
    MLIRContext *context = getContext();
    SmallVector<int64_t> first, axes, sizes;
    int64_t offset;
    switch (code) {
    case kFormat:
      if (failed(readList(reader, first)) || failed(readList(reader, axes)) ||
          failed(readList(reader, sizes)))
        return {};
      return FormatAttr::getChecked(
          emitError, context, ArrayRef<int64_t>(first), ArrayRef<int64_t>(axes),
          ArrayRef<int64_t>(sizes));
    case kStrided:
      if (failed(readList(reader, first)) ||
          failed(reader.readSignedVarInt(offset)))
        return {};
      return StridedAttr::getChecked(emitError, context,
                                     ArrayRef<int64_t>(first), offset);
    default:
      reader.emitError() << "unknown memfmt attribute code " << code;
      return {};
    }
  }
};
} // namespace

void memfmt::addBytecodeInterface(MemFmtDialect *dialect) {
  dialect->addInterfaces<BytecodeInterface>();
}
