//===- TensorFile.h - arrays in files ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Arrays come from NumPy files (.npy, .npz), from safetensors files, or from
// manifests (.json) that give a seed for each array.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_RUNTIME_TENSORFILE_H
#define MEMFMT_RUNTIME_TENSORFILE_H

#include "memfmt/Runtime/HostTensor.h"

namespace memfmt::runtime {

/// Named arrays, read when asked for.
class TensorFile {
public:
  virtual ~TensorFile();

  /// In the order of the file.
  virtual llvm::ArrayRef<std::string> getNames() const = 0;
  /// The array with this name. Errors name the file, the array, and what was
  /// found and expected.
  virtual llvm::Expected<HostTensor> get(llvm::StringRef name) const = 0;

  bool contains(llvm::StringRef name) const;

  /// Whether arrays must have the very shape that a program gives them. Not
  /// those of a manifest, which describes parameters, say of 64 elements: one
  /// export of a network holds them as `64xf32`, another as `1x64x1x1xf32`.
  virtual bool hasExactShapes() const { return true; }
};

/// What to read from a manifest; other files have arrays of one kind only.
enum class TensorRole { weights, inputs };

/// Opens `path`; the suffix decides: `.npy` (one array, named after the file
/// without suffix), `.npz`, `.safetensors`, `.json` (manifest). Files are
/// mapped into memory, and arrays stay in the mapping where they can.
llvm::Expected<std::unique_ptr<TensorFile>> openTensorFile(llvm::StringRef path,
                                                           TensorRole role);

llvm::Expected<std::unique_ptr<TensorFile>> openNpy(llvm::StringRef path);
llvm::Expected<std::unique_ptr<TensorFile>> openNpz(llvm::StringRef path);
llvm::Expected<std::unique_ptr<TensorFile>>
openSafetensors(llvm::StringRef path);
/// A manifest generates arrays from seeds, exactly as documented in
/// docs/manifest.md; arrays that it takes from a file stand in a `.consts.npz`
/// beside it.
llvm::Expected<std::unique_ptr<TensorFile>> openManifest(llvm::StringRef path,
                                                         TensorRole role);

/// Writes an array, format version 1.0; all or nothing.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);
/// Writes arrays, stored without compression; all or nothing.
llvm::Error
writeNpz(llvm::StringRef path,
         llvm::ArrayRef<std::pair<std::string, HostTensor>> tensors);

} // namespace memfmt::runtime

#endif // MEMFMT_RUNTIME_TENSORFILE_H
