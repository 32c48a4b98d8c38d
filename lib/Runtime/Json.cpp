//===- Json.cpp - JSON from files of others ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Json.h"

using namespace memfmt::runtime;

namespace {
/// Steps over the tokens of JSON text. On text that is not valid it stops
/// early, and never reads past the end.
class Scanner {
public:
  explicit Scanner(llvm::StringRef text) : text(text) {}

  bool take(char token) {
    text = text.ltrim(" \t\r\n");
    return text.consume_front(llvm::StringRef(&token, 1));
  }

  /// A string with its quotes; empty where there is none.
  llvm::StringRef takeString() {
    text = text.ltrim(" \t\r\n");
    if (!text.starts_with("\""))
      return "";
    size_t end = 1;
    while (end < text.size() && text[end] != '"')
      end += text[end] == '\\' ? 2 : 1;
    llvm::StringRef token = text.take_front(end + 1);
    text = text.drop_front(token.size());
    return token;
  }

  /// Skips one value and returns how deep it nests.
  unsigned skipValue() {
    unsigned depth = 0, deepest = 0;
    while (true) {
      if (!takeString().empty())
        continue;
      if (text.empty())
        return deepest;
      char token = text.front();
      bool opens = token == '{' || token == '[';
      bool closes = token == '}' || token == ']';
      if (!depth && (closes || token == ','))
        return deepest; // The value was a string, a number or a word.
      text = text.drop_front();
      depth += opens;
      depth -= closes;
      deepest = std::max(deepest, depth);
      if (!depth && closes)
        return deepest;
    }
  }

private:
  llvm::StringRef text;
};
} // namespace

llvm::Expected<llvm::json::Value>
memfmt::runtime::parseJson(llvm::StringRef text) {
  constexpr unsigned kMaxDepth = 64;
  if (Scanner(text).skipValue() > kMaxDepth)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "nests deeper than %u levels", kMaxDepth);
  return llvm::json::parse(text);
}

/// What a string with quotes and escapes means.
static std::string unquote(llvm::StringRef token) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(token);
  if (!value) {
    llvm::consumeError(value.takeError());
    return "";
  }
  return value->getAsString().value_or("").str();
}

std::vector<std::string>
memfmt::runtime::getKeysInOrder(llvm::StringRef text,
                                llvm::ArrayRef<llvm::StringRef> path) {
  std::vector<std::string> keys;
  Scanner scanner(text);
  if (!scanner.take('{'))
    return keys;
  while (true) {
    llvm::StringRef token = scanner.takeString();
    if (token.empty() || !scanner.take(':'))
      return keys;
    std::string key = unquote(token);
    if (path.empty())
      keys.push_back(key);
    if (!path.empty() && key == path.front()) {
      path = path.drop_front();
      if (!scanner.take('{'))
        return keys;
      continue;
    }
    scanner.skipValue();
    if (!scanner.take(','))
      return keys;
  }
}
