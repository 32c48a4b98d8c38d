//===- TwoFormatSolver.h - exact assignment of two formats ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_ASSIGNMENT_TWOFORMATSOLVER_H
#define MEMFMT_ASSIGNMENT_TWOFORMATSOLVER_H

#include "memfmt/Assignment/Certificate.h"

#include <memory>

namespace memfmt::assignment {

struct SolverOptions {
  /// The largest number of cases to distinguish where pair tables are not
  /// submodular.  Beyond it the best labelling so far is returned, with the
  /// bound that is proved and the ports that remained.
  unsigned maxLeaves = 4096;
  /// The largest number of arc flows to hold for the certificate, 32 bytes
  /// each; ends the search in the same way.
  size_t maxFlows = 4'000'000;
};

/// No labelling exists: labels that are fixed at some ports contradict.
class ConflictError : public llvm::ErrorInfo<ConflictError> {
public:
  static char ID;
  ConflictError(std::string text, std::vector<unsigned> ports)
      : text(std::move(text)), ports(std::move(ports)) {}

  /// The ports in conflict.  Without branching: first the one fixed to label 0,
  /// last the one fixed to label 1, between them those that tie the two
  /// together.
  llvm::ArrayRef<unsigned> getPorts() const { return ports; }

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string text;
  std::vector<unsigned> ports;
};

/// Solves problems of one or two labels by minimum s-t cuts.  The answer does
/// not depend on the order in which ports, values, pairs and readers were
/// added.
///
/// Errors: what `Problem::check` says; more than two labels ("... formats are
/// not supported by the two-format solver"); a `ConflictError` if nothing
/// satisfies the problem.
class TwoFormatSolver {
public:
  /// Keeps a reference to `problem`.
  explicit TwoFormatSolver(const Problem &problem, SolverOptions options = {});
  ~TwoFormatSolver();

  /// Finds a labelling of least cost.
  llvm::Expected<Solution> solve();

  /// The best labelling in which `port` has `label`; the difference to the
  /// objective of `solve` is what that wish costs.  After a `solve` by one cut
  /// only the difference is computed.  The certificate stays that of `solve`.
  llvm::Expected<Solution> resolveWithPin(unsigned port, unsigned label);

  /// The proof for the last successful `solve`.
  const Certificate &getCertificate() const { return certificate; }

private:
  struct State;

  const Problem &problem;
  SolverOptions options;
  Certificate certificate;
  std::unique_ptr<State> state;
};

/// The best labelling in which `port` has `label`, from the start.
llvm::Expected<Solution> resolveWithPin(const Problem &problem, unsigned port,
                                        unsigned label,
                                        SolverOptions options = {});

} // namespace memfmt::assignment

#endif // MEMFMT_ASSIGNMENT_TWOFORMATSOLVER_H
