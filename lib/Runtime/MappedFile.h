//===- MappedFile.h - bytes of a file ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RUNTIME_MAPPEDFILE_H
#define MEMFMT_LIB_RUNTIME_MAPPEDFILE_H

#include "memfmt/Runtime/HostTensor.h"

namespace memfmt::runtime {

/// The bytes of a file, kept as long as `owner`.
struct MappedFile {
  std::string path;
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;

  static llvm::Expected<MappedFile> open(llvm::StringRef path);
};

/// "PATH: TEXT".
llvm::Error makeFileError(llvm::StringRef path, const llvm::Twine &text);

/// An unsigned little-endian number of `size` bytes; none past the end.
std::optional<uint64_t> readNumber(llvm::ArrayRef<char> bytes, uint64_t offset,
                                   unsigned size);

/// `count` bytes from `offset`; none past the end.
std::optional<llvm::ArrayRef<char>> slice(llvm::ArrayRef<char> bytes,
                                          uint64_t offset, uint64_t count);

/// Bytes of a file as an array: as they lie where their address suits the type
/// of the elements, else a copy.
llvm::Expected<HostTensor> borrowOrCopy(ElementType type,
                                        llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<char> bytes,
                                        std::shared_ptr<const void> owner);

/// The array in the bytes of an .npy file; `name` is for errors.
llvm::Expected<HostTensor> parseNpy(llvm::ArrayRef<char> bytes,
                                    std::shared_ptr<const void> owner,
                                    const std::string &name);

/// The bytes before the data of an .npy file. f32 to u64; bf16 as `<u2`.
std::string makeNpyHeader(const HostTensor &tensor);

} // namespace memfmt::runtime

#endif // MEMFMT_LIB_RUNTIME_MAPPEDFILE_H
