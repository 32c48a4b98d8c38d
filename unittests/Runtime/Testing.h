//===- Testing.h - helpers of the runtime tests -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_UNITTESTS_RUNTIME_TESTING_H
#define MEMFMT_UNITTESTS_RUNTIME_TESTING_H

#include "memfmt/Runtime/TensorFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cstring>

namespace memfmt::runtime {

/// A file of the folder Inputs.
inline std::string getInput(const std::string &name) {
  return std::string(MEMFMT_TEST_INPUTS) + "/" + name;
}

/// What an error says, or "success".
inline std::string getMessage(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "success";
}
template <typename T> std::string getMessage(llvm::Expected<T> value) {
  return getMessage(value.takeError());
}

/// The value; where there is none, the test fails and a default stands in.
template <typename T> T getOrFail(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  ADD_FAILURE() << llvm::toString(value.takeError());
  return T();
}

/// An array with these elements.
template <typename T>
HostTensor makeTensor(ElementType type, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<T> values) {
  HostTensor tensor = getOrFail(HostTensor::allocate(type, shape));
  EXPECT_EQ(tensor.getBytes().size(), values.size() * sizeof(T));
  if (!values.empty() && tensor.getBytes().size() == values.size() * sizeof(T))
    std::memcpy(tensor.getMutableBytes().data(), values.data(),
                values.size() * sizeof(T));
  return tensor;
}
inline HostTensor makeTensor(llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<float> values) {
  return makeTensor<float>(ElementType::f32, shape, values);
}

inline std::vector<double> getValues(const HostTensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    values.push_back(tensor.getAsDouble(i));
  return values;
}

/// A file that is gone when the test ends.
class ScratchFile {
public:
  explicit ScratchFile(llvm::StringRef suffix, llvm::StringRef content = "") {
    EXPECT_FALSE(
        llvm::sys::fs::createTemporaryFile("memfmt-test", suffix, path));
    write(content);
  }
  ~ScratchFile() { llvm::sys::fs::remove(path); }
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;

  void write(llvm::StringRef content) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    EXPECT_FALSE(error);
    os << content;
  }
  llvm::StringRef getPath() const { return path; }

private:
  llvm::SmallString<128> path;
};

inline std::string readBytes(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(bool(buffer)) << path.str();
  return buffer ? (*buffer)->getBuffer().str() : "";
}

} // namespace memfmt::runtime

#endif // MEMFMT_UNITTESTS_RUNTIME_TESTING_H
