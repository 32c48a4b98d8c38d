//===- Testing.h - helpers of the assignment tests --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_UNITTESTS_ASSIGNMENT_TESTING_H
#define MEMFMT_UNITTESTS_ASSIGNMENT_TESTING_H

#include "memfmt/Assignment/Checker.h"
#include "memfmt/Assignment/TwoFormatSolver.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace memfmt::assignment {

/// What an error says, or "success".
inline std::string getMessage(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "success";
}

inline std::string print(const Problem &problem) {
  std::string text;
  llvm::raw_string_ostream os(text);
  problem.print(os);
  return text;
}

/// The solution of `problem`; fails the test unless it is proved and verified,
/// its certificate read back from JSON included.
inline Solution solveAndProve(const Problem &problem) {
  TwoFormatSolver solver(problem);
  llvm::Expected<Solution> solution = solver.solve();
  if (!solution) {
    ADD_FAILURE() << llvm::toString(solution.takeError()) << "\n"
                  << print(problem);
    return Solution();
  }
  EXPECT_TRUE(solution->isMinimal()) << print(problem);
  EXPECT_EQ(getMessage(verify(problem, *solution)), "success")
      << print(problem);
  std::string json;
  llvm::raw_string_ostream(json) << solver.getCertificate().toJSON();
  llvm::Expected<Certificate> certificate = Certificate::parse(json);
  if (!certificate) {
    ADD_FAILURE() << llvm::toString(certificate.takeError());
    return *solution;
  }
  EXPECT_TRUE(certificate->claimsMinimal());
  EXPECT_EQ(
      getMessage(checkCertificate(problem, solution->labels, *certificate)),
      "success")
      << print(problem);
  return *solution;
}

} // namespace memfmt::assignment

#endif // MEMFMT_UNITTESTS_ASSIGNMENT_TESTING_H
