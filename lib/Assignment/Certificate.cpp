//===- Certificate.cpp - certificates as JSON -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   {"schema": "memfmt-certificate-1", "method": "cut" | "branch",
//    "objective": N, "lower_bound": N,
//    "scaled_objective": I, "scaled_lower_bound": I, "nodes": [NAME...],
//    "leaves": [{"decisions": [[PORT, LABEL]...], "flow": [[FROM, TO, I]...],
//                "lowered": [[PORT, PORT, I]...], "conflict": [NODE...]}...]}
//
// FROM, TO and NODE are positions in `nodes`; I is an integer, or a string of
// decimal digits where 64 bits do not hold it.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Assignment/Certificate.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace llvm;
using namespace memfmt::assignment;

static constexpr StringLiteral kSchema = "memfmt-certificate-1";

std::string memfmt::assignment::toString(ScaledCost cost) {
  bool negative = cost < 0;
  std::string digits;
  do {
    int digit = int(cost % 10);
    digits += char('0' + (digit < 0 ? -digit : digit));
    cost /= 10;
  } while (cost != 0);
  if (negative)
    digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json::Value toJSONInteger(ScaledCost cost) {
  int64_t narrow = int64_t(cost);
  if (narrow == cost)
    return narrow;
  return toString(cost);
}

static json::Value toJSONLeaf(const CertificateLeaf &leaf) {
  json::Array decisions, flow;
  for (const auto &[port, label] : leaf.decisions)
    decisions.push_back(json::Array{port, label});
  for (const ArcFlow &arc : leaf.flow)
    flow.push_back(json::Array{arc.from, arc.to, toJSONInteger(arc.flow)});
  json::Object object{{"decisions", std::move(decisions)},
                      {"flow", std::move(flow)}};
  json::Array lowered;
  for (const LoweredPair &pair : leaf.lowered)
    lowered.push_back(
        json::Array{pair.first, pair.second, toJSONInteger(pair.cost)});
  if (!lowered.empty())
    object["lowered"] = std::move(lowered);
  if (!leaf.conflict.empty())
    object["conflict"] = json::Array(leaf.conflict);
  return object;
}

json::Value Certificate::toJSON() const {
  json::Array leafArray;
  for (const CertificateLeaf &leaf : leaves)
    leafArray.push_back(toJSONLeaf(leaf));
  return json::Object{{"schema", kSchema},
                      {"method", method == Method::Cut ? "cut" : "branch"},
                      {"objective", objective},
                      {"lower_bound", lowerBound},
                      {"scaled_objective", toJSONInteger(scaledObjective)},
                      {"scaled_lower_bound", toJSONInteger(scaledLowerBound)},
                      {"nodes", json::Array(nodes)},
                      {"leaves", std::move(leafArray)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool readItem(const json::Value &json, ScaledCost &cost,
                     json::Path path) {
  if (std::optional<int64_t> narrow = json.getAsInteger()) {
    cost = *narrow;
    return true;
  }
  std::optional<StringRef> text = json.getAsString();
  StringRef digits = text.value_or("");
  bool negative = digits.consume_front("-");
  // 38 digits fit into 127 bits.
  if (digits.empty() || digits.size() > 38 || !all_of(digits, isDigit)) {
    path.report("expected an integer of up to 38 digits");
    return false;
  }
  cost = 0;
  for (char digit : digits)
    cost = cost * 10 + (digit - '0');
  if (negative)
    cost = -cost;
  return true;
}

static bool readItem(const json::Value &json, Method &method, json::Path path) {
  std::optional<StringRef> text = json.getAsString();
  if (!text || (*text != "cut" && *text != "branch")) {
    path.report("expected \"cut\" or \"branch\"");
    return false;
  }
  method = *text == "cut" ? Method::Cut : Method::Branch;
  return true;
}

static bool readItem(const json::Value &json,
                     std::pair<std::string, std::string> &decision,
                     json::Path path) {
  std::vector<std::string> names;
  if (!json::fromJSON(json, names, path))
    return false;
  if (names.size() != 2) {
    path.report("expected a port and a label");
    return false;
  }
  decision = {names[0], names[1]};
  return true;
}

static bool readItem(const json::Value &json, ArcFlow &arc, json::Path path) {
  const json::Array *fields = json.getAsArray();
  if (!fields || fields->size() != 3) {
    path.report("expected two nodes and a flow");
    return false;
  }
  return json::fromJSON((*fields)[0], arc.from, path.index(0)) &&
         json::fromJSON((*fields)[1], arc.to, path.index(1)) &&
         readItem((*fields)[2], arc.flow, path.index(2));
}

static bool readItem(const json::Value &json, LoweredPair &pair,
                     json::Path path) {
  const json::Array *fields = json.getAsArray();
  if (!fields || fields->size() != 3) {
    path.report("expected two ports and a cost");
    return false;
  }
  return json::fromJSON((*fields)[0], pair.first, path.index(0)) &&
         json::fromJSON((*fields)[1], pair.second, path.index(1)) &&
         readItem((*fields)[2], pair.cost, path.index(2));
}

static bool readItem(const json::Value &json, CertificateLeaf &leaf,
                     json::Path path);

/// Reads an array of what an overload of `readItem` reads.
template <typename T>
static bool readArray(const json::Value &json, std::vector<T> &items,
                      json::Path path) {
  const json::Array *array = json.getAsArray();
  if (!array) {
    path.report("expected array");
    return false;
  }
  items.resize(array->size());
  for (size_t index = 0; index < items.size(); ++index)
    if (!readItem((*array)[index], items[index], path.index(index)))
      return false;
  return true;
}

static bool
readField(const json::Value &json, StringRef name, json::Path path,
          function_ref<bool(const json::Value &, json::Path)> read) {
  const json::Object *object = json.getAsObject();
  if (!object) {
    path.report("expected object");
    return false;
  }
  const json::Value *field = object->get(name);
  if (!field) {
    path.field(name).report("missing value");
    return false;
  }
  return read(*field, path.field(name));
}

static bool readItem(const json::Value &json, CertificateLeaf &leaf,
                     json::Path path) {
  json::ObjectMapper mapper(json, path);
  if (!mapper || !mapper.mapOptional("conflict", leaf.conflict))
    return false;
  const json::Value *lowered = json.getAsObject()->get("lowered");
  if (lowered && !readArray(*lowered, leaf.lowered, path.field("lowered")))
    return false;
  return readField(json, "decisions", path,
                   [&](const json::Value &field, json::Path at) {
                     return readArray(field, leaf.decisions, at);
                   }) &&
         readField(json, "flow", path,
                   [&](const json::Value &field, json::Path at) {
                     return readArray(field, leaf.flow, at);
                   });
}

static bool readCertificate(const json::Value &json, Certificate &certificate,
                            json::Path path) {
  std::string schema;
  json::ObjectMapper mapper(json, path);
  if (!mapper || !mapper.map("schema", schema))
    return false;
  if (schema != kSchema) {
    path.field("schema").report(
        "this version reads \"memfmt-certificate-1\" only");
    return false;
  }
  auto readInteger = [&](StringRef name, ScaledCost &cost) {
    return readField(json, name, path,
                     [&](const json::Value &field, json::Path at) {
                       return readItem(field, cost, at);
                     });
  };
  return mapper.map("objective", certificate.objective) &&
         mapper.map("lower_bound", certificate.lowerBound) &&
         mapper.map("nodes", certificate.nodes) &&
         readInteger("scaled_objective", certificate.scaledObjective) &&
         readInteger("scaled_lower_bound", certificate.scaledLowerBound) &&
         readField(json, "method", path,
                   [&](const json::Value &field, json::Path at) {
                     return readItem(field, certificate.method, at);
                   }) &&
         readField(json, "leaves", path,
                   [&](const json::Value &field, json::Path at) {
                     return readArray(field, certificate.leaves, at);
                   });
}

Expected<Certificate> Certificate::fromJSON(const json::Value &json) {
  Certificate certificate;
  json::Path::Root root("certificate");
  if (!readCertificate(json, certificate, root))
    return root.getError();
  return certificate;
}

Expected<Certificate> Certificate::parse(StringRef text) {
  Expected<json::Value> json = json::parse(text);
  if (!json)
    return json.takeError();
  return fromJSON(*json);
}
