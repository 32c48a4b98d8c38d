//===- Certificate.h - proof that no labelling costs less -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A certificate for a problem of two labels (0 and 1) is a feasible flow in a
// network that follows from the problem; the value of the flow plus a constant
// is a lower bound of every labelling.  Where pair tables are not submodular it
// is one flow for each case of some ports, and the bound is the smallest.
//
// The network.  Whoever checks a certificate builds it anew from this text.
//
// *Scale.*  The four parts of an objective become one integer
//   cost * Sc + conversions * Sn + bytes * Sb + distance,
//   Sb = 1 + number of ports,
//   Sn = Sb * (1 + sum of bytes(v) * places(v)),
//   Sc = Sn * (1 + sum of places(v)),
// where places(v) is twice the number of regions of v, and the *regions of v*
// are all regions from the definition of v down to a reader.
//
// *Nodes.*  `source`, `sink`, `port P` for each port P, and for each region R
// of a value V: `copy V L R` for both labels L (names as in the text form of
// the problem).  A value without copies is one that has one reader port,
// which reads in the region of definition only.  A port on the side of the
// source has label 0.
//
// *Arcs.*  An arc u -> w costs its capacity when u is on the side of the
// source and w on that of the sink.  Capacities of equal arcs add up.
//   - Value without copies, producer p, reader port r, region of definition
//     R: p -> r with C(0, 1, R) and r -> p with C(1, 0, R); none if p = r.
//   - Other values, for each region R, with u and w the copies with label 1
//     and 0 in the region around R, or the producer twice if R is the region
//     of definition: u -> `copy V 1 R` with C(0, 1, R), and `copy V 0 R` -> w
//     with C(1, 0, R).  For each reader port r in R, infinite arcs `copy V 1
//     R` -> r and r -> `copy V 0 R`.
//   - C(f, g, R) = conversions(f, g) * weight(R) * Sc + bytes * Sb, plus Sn
//     if conversions(f, g) > 0; infinite if the conversion is.
//   - Equalities: infinite arcs both ways.
//
// *Terms.*  Each port has a cost for label 0 and one for label 1: its cost
// times Sc, plus 1 where the label is not the preferred one; infinite where
// the label is forbidden by the problem or by a decision of the case.  The
// tables of the same two ports are added up to one pair (p, q), where p is the
// port whose name is smaller (by bytes); with a = (0,0), b = (0,1), c = (1,0),
// d = (1,1), all times Sc:
//   - if p has a single label left (by its own cost or a decision): its row
//     adds to the costs of q; else if q has: its column adds to those of p;
//   - else if a row is infinite: that label becomes infinite at p, and the
//     other row adds to q; else if a column is: the same with p and q
//     exchanged (the row or column of label 0 comes first);
//   - else, if a + d > b + c, the table is not submodular and is lowered: the
//     leaf states an a' for the pair, and d' = b + c - a'; a' must not exceed
//     a, nor d' d, where an infinite a or d counts as b + c.  They stand for
//     a and d.  Then an infinite b gives an infinite arc p -> q and an
//     infinite c one q -> p, after which the infinite one is replaced such
//     that a + d = b + c (both: by b = a, c = d).  Last, a adds to the
//     constant, c - a to label 1 of p, d - c to label 1 of q, and there is an
//     arc p -> q with b + c - a - d.
// In the end a port with costs u0, u1 adds min(u0, u1) to the constant, and
// has the arcs port -> sink with u0 - min and source -> port with u1 - min;
// where both are infinite, both arcs are.
//
// With one label there is one labelling: the certificate has no leaves, and
// its objective and bound are the cost of that labelling.
//
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ASSIGNMENT_CERTIFICATE_H
#define MEMFMT_ASSIGNMENT_CERTIFICATE_H

#include "memfmt/Assignment/Solution.h"
#include "llvm/Support/JSON.h"

namespace memfmt::assignment {

/// An objective as one integer, see "Scale" above.
__extension__ using ScaledCost = __int128;

/// `cost` in decimal.
std::string toString(ScaledCost cost);

/// The flow on one arc; nodes are positions in the certificate's list.
struct ArcFlow {
  unsigned from = 0, to = 0;
  ScaledCost flow = 0;
};

/// The smaller cost that stands in the network of a leaf for what a pair costs
/// if both ports have label 0 (a' above).
struct LoweredPair {
  std::string first, second;
  ScaledCost cost = 0;
};

/// What holds in one case.
struct CertificateLeaf {
  /// Port name and label name, outermost decision first.
  std::vector<std::pair<std::string, std::string>> decisions;
  /// One entry for each pair that is lowered in this case.
  std::vector<LoweredPair> lowered;
  /// Arcs with flow, in the order of their nodes.
  std::vector<ArcFlow> flow;
  /// If the case allows no labelling at all: nodes of a path of infinite arcs
  /// from the source to the sink.  Empty otherwise.
  std::vector<unsigned> conflict;
};

/// A proof of a lower bound for one problem.
struct Certificate {
  Method method = Method::Cut;
  /// The cost of the labelling, and the bound, in the unit of the problem.
  int64_t objective = 0;
  int64_t lowerBound = 0;
  /// The same with all tie-breaks.
  ScaledCost scaledObjective = 0;
  ScaledCost scaledLowerBound = 0;
  /// Names of the nodes that leaves refer to.
  std::vector<std::string> nodes;
  /// One leaf without decisions for `Method::Cut`.
  std::vector<CertificateLeaf> leaves;

  /// Whether the certificate claims that no labelling costs less.
  bool claimsMinimal() const { return lowerBound == objective; }

  llvm::json::Value toJSON() const;

  /// Reads what `toJSON` wrote; the error names the field.  Nothing is proved
  /// by reading: see `checkCertificate`.
  static llvm::Expected<Certificate> fromJSON(const llvm::json::Value &json);
  static llvm::Expected<Certificate> parse(llvm::StringRef text);
};

} // namespace memfmt::assignment

#endif // MEMFMT_ASSIGNMENT_CERTIFICATE_H
