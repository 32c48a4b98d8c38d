//===- Json.h - JSON from files of others -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_LIB_RUNTIME_JSON_H
#define MEMFMT_LIB_RUNTIME_JSON_H

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace memfmt::runtime {

/// Parses `text`, whose nesting is bounded, because the parser recurses.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// The keys of the object that `path` leads to from the root, in the order of
/// the text, which llvm::json::Object forgets. Empty where there is no such
/// object. `text` has been parsed without error.
std::vector<std::string> getKeysInOrder(llvm::StringRef text,
                                        llvm::ArrayRef<llvm::StringRef> path);

} // namespace memfmt::runtime

#endif // MEMFMT_LIB_RUNTIME_JSON_H
