//===- SolverTest.cpp - the two-format solver against enumeration *- C++ -*-==//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BruteForce.h"
#include "RandomProblem.h"
#include "Testing.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memfmt::assignment;

namespace {

/// Solves random problems and compares with enumeration; returns how many had
/// a solution.
unsigned compareWithBruteForce(unsigned firstSeed, unsigned count,
                               const RandomOptions &options) {
  unsigned numFeasible = 0;
  for (unsigned seed = firstSeed; seed < firstSeed + count; ++seed) {
    Problem problem = makeRandomProblem(seed, options);
    EXPECT_EQ(getMessage(problem.check()), "success");
    std::optional<Objective> expected = bruteForce(problem);
    if (!expected) {
      Expected<Solution> solution = TwoFormatSolver(problem).solve();
      EXPECT_FALSE(bool(solution)) << "seed " << seed << "\n" << print(problem);
      if (!solution) {
        EXPECT_TRUE(solution.errorIsA<ConflictError>()) << "seed " << seed;
      }
      consumeError(solution.takeError());
      continue;
    }
    ++numFeasible;
    Objective found = solveAndProve(problem).objective;
    EXPECT_TRUE(found == *expected)
        << "seed " << seed << ": cost " << found.cost << ", expected "
        << expected->cost << "; conversions " << found.conversions
        << ", expected " << expected->conversions << "; bytes " << found.bytes
        << ", expected " << expected->bytes << "; distance " << found.distance
        << ", expected " << expected->distance << "\n"
        << print(problem);
    if (testing::Test::HasFailure())
      break;
  }
  return numFeasible;
}

TEST(TwoFormatSolver, equalsEnumerationWithSubmodularPairs) {
  RandomOptions options;
  options.generalPairs = false;
  EXPECT_GT(compareWithBruteForce(1, 1500, options), 1000u);
}

TEST(TwoFormatSolver, equalsEnumerationWithAnyPairs) {
  EXPECT_GT(compareWithBruteForce(10000, 2000, RandomOptions()), 1000u);
}

TEST(TwoFormatSolver, equalsEnumerationWithCostsBeyond64Bits) {
  RandomOptions options;
  options.costUnit = 1'000'000'000'007;
  options.bytesUnit = 300'000'001;
  EXPECT_GT(compareWithBruteForce(20000, 300, options), 150u);
}

TEST(TwoFormatSolver, doesNotDependOnOrderOrNames) {
  RandomOptions options;
  options.generalPairs = false;
  for (unsigned seed = 30000; seed < 30300; ++seed) {
    Problem problem = makeRandomProblem(seed, options);
    Expected<Solution> solution = TwoFormatSolver(problem).solve();
    if (!solution) {
      consumeError(solution.takeError());
      continue;
    }
    for (bool rename : {false, true}) {
      std::vector<unsigned> portMap;
      Problem other = shuffle(problem, seed, rename, portMap);
      Solution shuffled = solveAndProve(other);
      for (unsigned port = 0; port < portMap.size(); ++port)
        EXPECT_EQ(shuffled.labels[portMap[port]], solution->labels[port]);
    }
  }
}

TEST(TwoFormatSolver, branchingDoesNotDependOnOrder) {
  for (unsigned seed = 40000; seed < 40300; ++seed) {
    Problem problem = makeRandomProblem(seed);
    Expected<Solution> solution = TwoFormatSolver(problem).solve();
    if (!solution) {
      consumeError(solution.takeError());
      continue;
    }
    std::vector<unsigned> portMap;
    Solution shuffled =
        solveAndProve(shuffle(problem, seed, /*rename=*/false, portMap));
    for (unsigned port = 0; port < portMap.size(); ++port)
      EXPECT_EQ(shuffled.labels[portMap[port]], solution->labels[port]);
  }
}

TEST(TwoFormatSolver, certificateDoesNotDependOnOrder) {
  for (unsigned seed = 50000; seed < 50100; ++seed) {
    Problem problem = makeRandomProblem(seed);
    std::vector<unsigned> portMap;
    Problem other = shuffle(problem, seed, /*rename=*/false, portMap);
    TwoFormatSolver first(problem), second(other);
    Expected<Solution> solution = first.solve();
    if (!solution) {
      consumeError(solution.takeError());
      continue;
    }
    cantFail(second.solve());
    EXPECT_EQ(first.getCertificate().toJSON(),
              second.getCertificate().toJSON());
  }
}

/// Pinning after a solve gives what enumeration gives for the pinned problem.
TEST(TwoFormatSolver, pinsAfterSolving) {
  unsigned numPinned = 0;
  for (unsigned seed = 60000; seed < 60150; ++seed) {
    Problem problem = makeRandomProblem(seed);
    TwoFormatSolver solver(problem);
    Expected<Solution> solution = solver.solve();
    if (!solution) {
      consumeError(solution.takeError());
      continue;
    }
    for (unsigned port = 0; port < problem.getPorts().size(); ++port)
      for (unsigned label : {0u, 1u}) {
        Problem pinned = problem;
        pinned.pin(port, label);
        std::optional<Objective> expected;
        if (problem.getPorts()[port].costs[label] != kInfinity)
          expected = bruteForce(pinned);
        Expected<Solution> found = solver.resolveWithPin(port, label);
        ASSERT_EQ(bool(found), expected.has_value()) << print(problem);
        if (!found) {
          EXPECT_TRUE(found.errorIsA<ConflictError>());
          consumeError(found.takeError());
          continue;
        }
        ++numPinned;
        EXPECT_EQ(found->labels[port], label);
        EXPECT_TRUE(found->objective == *expected) << print(problem);
        EXPECT_TRUE(found->isMinimal());
        EXPECT_EQ(getMessage(verify(problem, *found)), "success");
      }
  }
  EXPECT_GT(numPinned, 500u);
}

TEST(TwoFormatSolver, namesConflictingPorts) {
  Problem problem({"A", "B"});
  unsigned first = problem.addFixedPort("first", 0);
  unsigned middle = problem.addFreePort("middle");
  unsigned last = problem.addFixedPort("last", 1);
  problem.addFixedPort("bystander", 1);
  problem.addEquality(first, middle);
  problem.addEquality(last, middle);
  Error error = TwoFormatSolver(problem).solve().takeError();
  ASSERT_TRUE(error.isA<ConflictError>());
  handleAllErrors(std::move(error), [&](const ConflictError &conflict) {
    EXPECT_EQ(conflict.getPorts().vec(),
              (std::vector<unsigned>{first, middle, last}));
    EXPECT_EQ(conflict.message(),
              "port `first` can only be `A` and port `last` can only be `B`, "
              "but they must be equal through `middle`; allow another label at "
              "one of them");
  });
}

TEST(TwoFormatSolver, namesPortsThatCannotAllDiffer) {
  Problem problem({"A", "B"});
  for (StringRef name : {"p", "q", "r"})
    problem.addFreePort(name);
  for (auto [first, second] : {std::pair(0, 1), {1, 2}, {0, 2}})
    problem.addPair(first, second, {kInfinity, 0, 0, kInfinity});
  Error error = TwoFormatSolver(problem).solve().takeError();
  ASSERT_TRUE(error.isA<ConflictError>());
  EXPECT_EQ(getMessage(std::move(error)),
            "no labels satisfy the pairs and fixed labels of the ports `p`, "
            "`q`, `r` together; allow another label at one of them");
}

TEST(TwoFormatSolver, refusesMoreLabels) {
  Problem problem({"A", "B", "C"});
  EXPECT_EQ(getMessage(TwoFormatSolver(problem).solve().takeError()),
            "3 formats are not supported by the two-format solver");
}

TEST(TwoFormatSolver, solvesOneLabel) {
  Problem problem({"A"});
  unsigned p = problem.addPort("p", {3}), q = problem.addPort("q", {4});
  problem.addPair(p, q, {5});
  problem.addReader(problem.addValue("v", p, {0}, 7), q);
  Solution solution = solveAndProve(problem);
  EXPECT_EQ(solution.objective.cost, 12);
  EXPECT_EQ(solution.lowerBound, 12);
}

TEST(TwoFormatSolver, solvesNothing) {
  EXPECT_EQ(solveAndProve(Problem({"A", "B"})).objective.cost, 0);
}

/// A ring of odd length in which neighbours want to differ: 1 of 2n + 1 pairs
/// must pay, and every table is not submodular.
Problem makeOddRing(unsigned size) {
  Problem problem({"A", "B"});
  for (unsigned port = 0; port < size; ++port)
    problem.addFreePort("p" + std::to_string(port));
  for (unsigned port = 0; port < size; ++port)
    problem.addPair(port, (port + 1) % size, {1, 0, 0, 1});
  return problem;
}

TEST(TwoFormatSolver, branches) {
  Solution solution = solveAndProve(makeOddRing(7));
  EXPECT_EQ(solution.objective.cost, 1);
  EXPECT_EQ(solution.method, Method::Branch);
  EXPECT_GT(solution.numLeaves, 1u);
  EXPECT_TRUE(solution.undecidedPorts.empty());
}

/// Past the budget the answer has a gap, says so, and its bound is proved.
TEST(TwoFormatSolver, saysWhenTheBudgetEnds) {
  Problem problem = makeOddRing(9);
  TwoFormatSolver solver(problem, SolverOptions{2, 1000});
  Expected<Solution> solution = solver.solve();
  ASSERT_TRUE(bool(solution));
  EXPECT_FALSE(solution->isMinimal());
  EXPECT_EQ(solution->lowerBound, 0);
  EXPECT_GE(solution->objective.cost, 1);
  EXPECT_EQ(solution->numLeaves, 2u);
  EXPECT_FALSE(solution->undecidedPorts.empty());
  EXPECT_EQ(getMessage(verify(problem, *solution)), "success");
  EXPECT_FALSE(solver.getCertificate().claimsMinimal());
  EXPECT_EQ(getMessage(checkCertificate(problem, solution->labels,
                                        solver.getCertificate())),
            "success");
}

TEST(TwoFormatSolver, saysWhenTheCertificateGetsTooLarge) {
  Problem problem = makeOddRing(9);
  Solution solution =
      cantFail(TwoFormatSolver(problem, SolverOptions{100, 0}).solve());
  EXPECT_EQ(solution.numLeaves, 1u);
  EXPECT_EQ(solution.method, Method::Branch);
  EXPECT_FALSE(solution.undecidedPorts.empty());
}

/// However small the budget, the bound is one, and what is claimed is so.
TEST(TwoFormatSolver, staysHonestWithAnyBudget) {
  unsigned numGaps = 0;
  for (unsigned seed = 70000; seed < 70400; ++seed) {
    Problem problem = makeRandomProblem(seed);
    std::optional<Objective> optimum = bruteForce(problem);
    for (unsigned maxLeaves : {0u, 1u, 2u, 3u}) {
      TwoFormatSolver solver(problem, SolverOptions{maxLeaves, 1000});
      Expected<Solution> solution = solver.solve();
      if (!solution) {
        // Either nothing is allowed, or the error says that the search ended.
        EXPECT_TRUE(!optimum || !solution.errorIsA<ConflictError>());
        consumeError(solution.takeError());
        continue;
      }
      ASSERT_TRUE(optimum.has_value());
      EXPECT_LE(solution->lowerBound, optimum->cost);
      EXPECT_GE(solution->objective.cost, optimum->cost);
      numGaps += !solution->isMinimal();
      EXPECT_EQ(getMessage(verify(problem, *solution)), "success");
      EXPECT_EQ(getMessage(checkCertificate(problem, solution->labels,
                                            solver.getCertificate())),
                "success")
          << print(problem);
    }
  }
  EXPECT_GT(numGaps, 0u);
}

/// Residual blocks with random sizes: 3 values and a shared one each.
Problem makeResidualNet(unsigned numBlocks, Random &random) {
  Problem problem({"A", "B"});
  unsigned id = 0;
  auto addValue = [&](unsigned producer, std::initializer_list<unsigned> to) {
    int64_t bytes = 1000 + random.below(1'000'000);
    unsigned value = problem.addUniformValue("v" + std::to_string(id++),
                                             producer, 3 * bytes, bytes);
    for (unsigned port : to)
      problem.addReader(value, port);
  };
  auto addPort = [&](int64_t costA, int64_t costB) {
    return problem.addPort("p" + std::to_string(problem.getPorts().size()),
                           {costA, costB}, /*preferred=*/0);
  };
  unsigned previous = problem.addFixedPort("in", 0);
  for (unsigned block = 0; block < numBlocks; ++block) {
    int64_t work = 1'000'000 + random.below(3'000'000);
    unsigned conv = addPort(work + random.below(500'000), work);
    unsigned relu = addPort(random.below(1000), random.below(1000));
    unsigned conv2 = addPort(work, work + random.below(600'000));
    unsigned add = addPort(0, 0);
    addValue(previous, {conv, add});
    addValue(conv, {relu});
    addValue(relu, {conv2});
    addValue(conv2, {add});
    previous = add;
  }
  addValue(previous, {problem.addFixedPort("out", 0)});
  return problem;
}

TEST(TwoFormatSolver, solvesLargeResidualNets) {
  for (unsigned seed : {1u, 2u}) {
    Random random(seed);
    Problem problem = makeResidualNet(1250, random);
    EXPECT_EQ(problem.getValues().size(), 5001u);
    solveAndProve(problem);
  }
}

TEST(TwoFormatSolver, solvesLongChains) {
  Problem problem({"A", "B"});
  unsigned previous = problem.addFixedPort("in", 0);
  for (unsigned id = 0; id < 5000; ++id) {
    unsigned next = problem.addFreePort("p" + std::to_string(id));
    if (id % 100 == 50)
      problem.addCost(next, 0, 7);
    problem.addReader(
        problem.addUniformValue("v" + std::to_string(id), previous, 5 + id % 7),
        next);
    previous = next;
  }
  // Once in B, always in B: one conversion at 5, before the first port that
  // would pay 7, and none back.
  EXPECT_EQ(solveAndProve(problem).objective.cost, 5);
}

} // namespace
