//===- ProblemText.cpp - the text form of a problem -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "memfmt/Assignment/Problem.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace memfmt::assignment;

static bool isBareCharacter(char character) {
  return isAlnum(character) || StringRef("_.$%:/@-").contains(character);
}

std::string memfmt::assignment::quoteName(StringRef name) {
  if (!name.empty() && all_of(name, isBareCharacter))
    return name.str();
  std::string quoted;
  raw_string_ostream os(quoted);
  os << '"';
  printEscapedString(name, os);
  os << '"';
  return quoted;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printCosts(raw_ostream &os, ArrayRef<int64_t> costs) {
  os << " costs";
  for (int64_t cost : costs) {
    if (cost == kInfinity)
      os << " inf";
    else
      os << ' ' << cost;
  }
}

void Problem::print(raw_ostream &os) const {
  auto portName = [&](unsigned port) { return quoteName(ports[port].name); };
  auto printRegion = [&](unsigned region) {
    if (region != kRootRegion)
      os << " in " << quoteName(regions[region].name);
  };
  os << "labels";
  for (StringRef label : labels)
    os << ' ' << quoteName(label);
  os << '\n';
  if (regions[kRootRegion].weight != 1)
    os << "region root weight " << regions[kRootRegion].weight << '\n';
  for (const Region &region : ArrayRef(regions).drop_front())
    os << "region " << quoteName(region.name) << " in "
       << quoteName(regions[region.parent].name) << " weight " << region.weight
       << '\n';
  for (const Port &port : ports) {
    os << "port " << quoteName(port.name);
    printCosts(os, port.costs);
    if (port.preferred != kNoLabel)
      os << " prefer " << quoteName(labels[port.preferred]);
    os << '\n';
  }
  for (const PairCost &pair : pairs) {
    os << "pair " << portName(pair.first) << ' ' << portName(pair.second);
    printCosts(os, pair.costs);
    os << '\n';
  }
  for (const Equality &equality : equalities)
    os << "equal " << portName(equality.first) << ' '
       << portName(equality.second) << '\n';
  for (const Value &value : values) {
    os << "value " << quoteName(value.name) << " from "
       << portName(value.producer);
    printRegion(value.region);
    printCosts(os, value.conversions);
    if (value.bytes != 0)
      os << " bytes " << value.bytes;
    for (const Reader &reader : value.readers) {
      os << " to " << portName(reader.port);
      printRegion(reader.region);
    }
    os << '\n';
  }
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Reads one line at a time.  The first error is kept, and everything after it
/// is read as if it were right; that keeps the grammar below free of checks.
class Parser {
public:
  explicit Parser(StringRef text) : text(text) {
    regionIds["root"] = kRootRegion;
  }

  Expected<Problem> parse();

private:
  using Ids = StringMap<unsigned>;

  void parseLine();
  void parseLabels();
  void parseRegion();
  void parsePort();
  void parsePair();
  void parseEquality();
  void parseValue();

  void fail(const Twine &message) {
    if (message_.empty())
      message_ = ("line " + Twine(lineNumber) + ": " + message).str();
  }
  bool failed() const { return !message_.empty(); }

  void skipSpace() { line = line.ltrim(" \t\r"); }
  bool atEnd() {
    skipSpace();
    return line.empty() || line.front() == '#';
  }
  std::string describeNext() {
    return atEnd() ? "the end of the line"
                   : "`" + line.take_until(isSpace).str() + "`";
  }

  /// Consumes `word` if it comes next.
  bool consume(StringRef word) {
    skipSpace();
    if (line.take_while(isBareCharacter) != word)
      return false;
    line = line.drop_front(word.size());
    return true;
  }
  void expect(StringRef word) {
    if (!consume(word))
      fail("expected `" + word + "`, found " + describeNext());
  }

  std::string parseQuoted();
  std::string parseName(StringRef kind);
  std::string parseNewName(StringRef kind, Ids &ids, unsigned id);
  unsigned parseReference(StringRef kind, const Ids &ids);
  unsigned parseOptionalRegion() {
    return consume("in") ? parseReference("region", regionIds) : kRootRegion;
  }
  int64_t parseInteger();
  SmallVector<int64_t> parseCosts(size_t size);

  StringRef text, line;
  unsigned lineNumber = 0;
  std::string message_;
  Problem problem;
  Ids labelIds, regionIds, portIds, valueIds;
};

} // namespace

std::string Parser::parseQuoted() {
  std::string name;
  line = line.drop_front();
  while (!line.empty() && line.front() != '"') {
    if (line.front() != '\\') {
      name += line.front();
      line = line.drop_front();
    } else if (line.starts_with("\\\\")) {
      name += '\\';
      line = line.drop_front(2);
    } else if (line.size() > 2 && isHexDigit(line[1]) && isHexDigit(line[2])) {
      name += char(hexFromNibbles(line[1], line[2]));
      line = line.drop_front(3);
    } else {
      fail("expected `\\\\` or two hexadecimal digits after a backslash");
      return name;
    }
  }
  if (line.empty())
    fail("expected a closing quote before the end of the line");
  line = line.drop_front(line.empty() ? 0 : 1);
  return name;
}

std::string Parser::parseName(StringRef kind) {
  skipSpace();
  if (line.starts_with("\""))
    return parseQuoted();
  StringRef name = line.take_while(isBareCharacter);
  if (name.empty())
    fail("expected the name of a " + kind + ", found " + describeNext() +
         " (quote names that have other characters)");
  line = line.drop_front(name.size());
  return name.str();
}

std::string Parser::parseNewName(StringRef kind, Ids &ids, unsigned id) {
  std::string name = parseName(kind);
  if (!ids.try_emplace(name, id).second)
    fail("a second " + kind + " is named `" + name + "`");
  return name;
}

unsigned Parser::parseReference(StringRef kind, const Ids &ids) {
  std::string name = parseName(kind);
  auto found = ids.find(name);
  if (found != ids.end())
    return found->second;
  fail("there is no " + kind + " `" + name + "` above this line");
  return 0;
}

int64_t Parser::parseInteger() {
  skipSpace();
  StringRef word = line.take_while(isBareCharacter);
  int64_t number = 0;
  if (word.getAsInteger(10, number))
    fail("expected a 64-bit integer, found " + describeNext());
  line = line.drop_front(word.size());
  return number;
}

SmallVector<int64_t> Parser::parseCosts(size_t size) {
  SmallVector<int64_t> costs;
  expect("costs");
  for (size_t index = 0; index < size && !failed(); ++index)
    costs.push_back(consume("inf") ? kInfinity : parseInteger());
  costs.resize(size);
  return costs;
}

void Parser::parseLabels() {
  if (problem.getNumLabels() != 0)
    fail("labels are given twice");
  do {
    problem.addLabel(parseNewName("label", labelIds, problem.getNumLabels()));
  } while (!atEnd() && !failed());
}

void Parser::parseRegion() {
  if (consume("root")) {
    expect("weight");
    problem.setWeight(kRootRegion, parseInteger());
    return;
  }
  // The name counts only after the line: a region is not inside itself.
  std::string name = parseName("region");
  expect("in");
  unsigned parent = parseReference("region", regionIds);
  expect("weight");
  int64_t weight = parseInteger();
  if (!regionIds.try_emplace(name, problem.getRegions().size()).second)
    fail("a second region is named `" + name + "`");
  problem.addRegion(name, parent, weight);
}

void Parser::parsePort() {
  std::string name = parseNewName("port", portIds, problem.getPorts().size());
  SmallVector<int64_t> costs = parseCosts(problem.getNumLabels());
  unsigned preferred = kNoLabel;
  if (consume("prefer"))
    preferred = parseReference("label", labelIds);
  problem.addPort(name, costs, preferred);
}

void Parser::parsePair() {
  unsigned first = parseReference("port", portIds);
  unsigned second = parseReference("port", portIds);
  size_t numLabels = problem.getNumLabels();
  problem.addPair(first, second, parseCosts(numLabels * numLabels));
}

void Parser::parseEquality() {
  unsigned first = parseReference("port", portIds);
  unsigned second = parseReference("port", portIds);
  problem.addEquality(first, second);
}

void Parser::parseValue() {
  std::string name =
      parseNewName("value", valueIds, problem.getValues().size());
  expect("from");
  unsigned producer = parseReference("port", portIds);
  unsigned region = parseOptionalRegion();
  size_t numLabels = problem.getNumLabels();
  SmallVector<int64_t> conversions = parseCosts(numLabels * numLabels);
  int64_t bytes = consume("bytes") ? parseInteger() : 0;
  unsigned value = problem.addValue(name, producer, conversions, bytes, region);
  while (consume("to") && !failed()) {
    unsigned port = parseReference("port", portIds);
    problem.addReader(value, port, parseOptionalRegion());
  }
}

void Parser::parseLine() {
  if (problem.getNumLabels() == 0) {
    expect("labels");
    return parseLabels();
  }
  if (consume("labels"))
    return parseLabels();
  if (consume("region"))
    return parseRegion();
  if (consume("port"))
    return parsePort();
  if (consume("pair"))
    return parsePair();
  if (consume("equal"))
    return parseEquality();
  if (consume("value"))
    return parseValue();
  fail("expected `labels`, `region`, `port`, `pair`, `equal` or `value`, "
       "found " +
       describeNext());
}

Expected<Problem> Parser::parse() {
  while (!text.empty() && !failed()) {
    std::tie(line, text) = text.split('\n');
    ++lineNumber;
    if (atEnd())
      continue;
    parseLine();
    if (!atEnd())
      fail("expected the end of the line, found " + describeNext());
  }
  if (problem.getNumLabels() == 0) {
    lineNumber = std::max(lineNumber, 1u);
    fail("expected `labels`, found the end of the text");
  }
  if (failed())
    return createStringError(inconvertibleErrorCode(), message_);
  return std::move(problem);
}

Expected<Problem> Problem::parse(StringRef text) {
  return Parser(text).parse();
}
