//===- Problem.h - the format assignment problem ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// An instance of the assignment problem in ids and integers, without IR.
//
// A *port* is a group of operands and results that must have one format; the
// format is its *label*.  A *value* is made at one port and read at others, and
// pays for the copies that make every label wanted by a reader available.  A
// *region* says how often what stands in it runs.  Wanted is one label per port
// such that
//
//   sum of port costs + sum of pair costs + sum of conversion costs
//
// is smallest.  Among equal costs the order is: fewest conversions, fewest
// bytes of extra copies, fewest ports that differ from their preferred label.
//
// Conversions of a value from label f to label g may stand in the region where
// the value is defined or in any region between that and the reader; in region
// r one costs weight(r) * conversion(f, g).  Whatever is made in a region is
// available in all regions inside it.  Making g from another copy than the
// producer's (f -> h -> g) is allowed.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ASSIGNMENT_PROBLEM_H
#define MEMFMT_ASSIGNMENT_PROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace memfmt::assignment {

/// The cost of what is not allowed.
inline constexpr int64_t kInfinity = std::numeric_limits<int64_t>::max();

/// Stands for "no preferred label".
inline constexpr unsigned kNoLabel = ~0u;

/// The region that encloses all others.
inline constexpr unsigned kRootRegion = 0;

/// The largest number of labels of one problem: the cost of a value is computed
/// over sets of labels.
inline constexpr unsigned kMaxLabels = 6;

/// What runs equally often.  Weights are absolute execution counts (not
/// relative to the parent), scaled to integers by whoever builds the problem.
struct Region {
  std::string name;
  unsigned parent = kRootRegion; // The root is its own parent.
  int64_t weight = 1;
  bool operator==(const Region &other) const;
};

/// A group of operands and results with one label.
struct Port {
  std::string name;
  /// Cost per label, already multiplied by the weight of the port's region;
  /// `kInfinity` forbids the label.
  llvm::SmallVector<int64_t, 2> costs;
  /// What the user wrote, or `kNoLabel`.
  unsigned preferred = kNoLabel;
  bool operator==(const Port &other) const;
};

/// A cost that depends on the labels of two ports.
struct PairCost {
  unsigned first = 0, second = 0;
  /// costs[label of first * number of labels + label of second].
  llvm::SmallVector<int64_t, 4> costs;
  bool operator==(const PairCost &other) const;
};

/// Two ports that must have the same label.
struct Equality {
  unsigned first = 0, second = 0;
  bool operator==(const Equality &other) const;
};

/// A use of a value: the port that reads it, and where.
struct Reader {
  unsigned port = 0;
  unsigned region = kRootRegion;
  bool operator==(const Reader &other) const;
};

/// A tensor with one producer and any number of readers.
struct Value {
  std::string name;
  unsigned producer = 0;
  /// Where the value is defined; every reader's region lies inside it.
  unsigned region = kRootRegion;
  /// conversions[from * number of labels + to], run-time cost of one execution
  /// of one conversion; zero on the diagonal and wherever both labels have the
  /// same address map for this shape.  Zero throughout for a constant.
  llvm::SmallVector<int64_t, 4> conversions;
  /// Size of one extra copy (second tie-break).  Give 0 where a conversion
  /// makes no copy.
  int64_t bytes = 0;
  llvm::SmallVector<Reader, 2> readers;
  bool operator==(const Value &other) const;
};

/// An instance.  Ids are positions in the order of addition.  Builders never
/// fail; `check` says what is wrong with the whole.
class Problem {
public:
  Problem() = default;
  /// A problem with these labels and a root region of weight 1.
  explicit Problem(llvm::ArrayRef<llvm::StringRef> labelNames);

  /// Adds a label and returns its id.  Add labels before tables.
  unsigned addLabel(llvm::StringRef name);

  /// Adds a region inside `parent` that runs `weight` times in all.
  unsigned addRegion(llvm::StringRef name, unsigned parent, int64_t weight);

  /// The weight of region `region`; the root has 1 unless set here, which is
  /// needed where an inner region runs less often than once.
  void setWeight(unsigned region, int64_t weight);

  /// Adds a port with one cost per label.
  unsigned addPort(llvm::StringRef name, llvm::ArrayRef<int64_t> costs,
                   unsigned preferred = kNoLabel);

  /// Adds a port that may have any label at no cost.
  unsigned addFreePort(llvm::StringRef name, unsigned preferred = kNoLabel);

  /// Adds a port that can have no label but `label`.
  unsigned addFixedPort(llvm::StringRef name, unsigned label);

  /// Forbids every label but `label` at `port`.
  void pin(unsigned port, unsigned label);

  /// Adds `cost` to what `label` costs at `port`; `kInfinity` forbids it.
  void addCost(unsigned port, unsigned label, int64_t cost);

  void setPreferred(unsigned port, unsigned label);

  /// Adds a table of labels x labels costs, the row by the label of `first`.
  void addPair(unsigned first, unsigned second, llvm::ArrayRef<int64_t> costs);

  /// Adds `cost` for every pair of different labels of the two ports: a kernel
  /// that may read one format and write another.
  void addMixed(unsigned first, unsigned second, int64_t cost);

  void addEquality(unsigned first, unsigned second);

  /// Adds a value whose conversions are given as a table.
  unsigned addValue(llvm::StringRef name, unsigned producer,
                    llvm::ArrayRef<int64_t> conversions, int64_t bytes = 0,
                    unsigned region = kRootRegion);

  /// Adds a value of which every conversion costs `conversion`.
  unsigned addUniformValue(llvm::StringRef name, unsigned producer,
                           int64_t conversion, int64_t bytes = 0,
                           unsigned region = kRootRegion);

  void addReader(unsigned value, unsigned port, unsigned region = kRootRegion);

  unsigned getNumLabels() const { return labels.size(); }
  llvm::ArrayRef<std::string> getLabels() const { return labels; }
  llvm::ArrayRef<Region> getRegions() const { return regions; }
  llvm::ArrayRef<Port> getPorts() const { return ports; }
  llvm::ArrayRef<PairCost> getPairs() const { return pairs; }
  llvm::ArrayRef<Equality> getEqualities() const { return equalities; }
  llvm::ArrayRef<Value> getValues() const { return values; }

  /// Whether region `inner` is `outer` or lies inside it.
  bool isInside(unsigned inner, unsigned outer) const;

  /// Succeeds if the problem is well formed: between 1 and `kMaxLabels` labels,
  /// ids in range, tables of the right size without negative entries, names
  /// unique within their kind, every port with a label it may have, regions
  /// after their parents, readers inside the region of their value, and costs
  /// whose weighted sums can be compared without overflow.
  llvm::Error check() const;

  /// Writes the text form, from which `parse` makes an equal problem if this
  /// one passes `check`.  One line for each item; names are bare or quoted,
  /// costs are integers or `inf`, what stands in brackets is left out if root,
  /// 0 or none:
  ///
  ///   labels NAME...
  ///   region root weight N                        (only if not 1)
  ///   region NAME in REGION weight N
  ///   port NAME costs C... [prefer LABEL]
  ///   pair PORT PORT costs C...
  ///   equal PORT PORT
  ///   value NAME from PORT [in REGION] costs C... [bytes N] {to PORT [in
  ///   REGION]}
  void print(llvm::raw_ostream &os) const;

  /// Reads the text form back; `#` starts a comment, and everything is declared
  /// before it is used.  An error begins with "line N: ".  The result is not
  /// yet checked.
  static llvm::Expected<Problem> parse(llvm::StringRef text);

  bool operator==(const Problem &other) const;

private:
  std::vector<std::string> labels;
  std::vector<Region> regions = {Region{"root", kRootRegion, 1}};
  std::vector<Port> ports;
  std::vector<PairCost> pairs;
  std::vector<Equality> equalities;
  std::vector<Value> values;
};

/// `name` as the text form writes it: bare if it is made of letters, digits and
/// `_ . $ % : / @ -` only, else in quotes, with `\\` and `\HH` (hexadecimal)
/// for what cannot stand in quotes.
std::string quoteName(llvm::StringRef name);

} // namespace memfmt::assignment

#endif // MEMFMT_ASSIGNMENT_PROBLEM_H
