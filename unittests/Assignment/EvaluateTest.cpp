//===- EvaluateTest.cpp - costs of labellings, k formats --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BruteForce.h"
#include "RandomProblem.h"
#include "Testing.h"

using namespace llvm;
using namespace memfmt::assignment;

namespace {

/// Compares `evaluate` with enumeration of conversions for random labels.
void compareEvaluation(unsigned firstSeed, unsigned count,
                       const RandomOptions &options) {
  for (unsigned seed = firstSeed; seed < firstSeed + count; ++seed) {
    Problem problem = makeRandomProblem(seed, options);
    ASSERT_EQ(getMessage(problem.check()), "success");
    Random random(seed);
    for (unsigned trial = 0; trial < 20; ++trial) {
      std::vector<unsigned> labels;
      for (const Port &port : problem.getPorts()) {
        labels.push_back(random.below(options.numLabels));
        while (port.costs[labels.back()] == kInfinity)
          labels.back() = (labels.back() + 1) % options.numLabels;
      }
      std::optional<Objective> expected = bruteForceObjective(problem, labels);
      Solution solution;
      Expected<Objective> found =
          evaluate(problem, labels, &solution.conversions);
      ASSERT_EQ(bool(found), expected.has_value()) << print(problem);
      if (!found) {
        consumeError(found.takeError());
        continue;
      }
      EXPECT_TRUE(*found == *expected) << print(problem);
      solution.labels = labels;
      solution.objective = *found;
      EXPECT_EQ(getMessage(verify(problem, solution)), "success")
          << print(problem);
    }
  }
}

TEST(Evaluate, equalsEnumerationWithTwoLabels) {
  compareEvaluation(1, 500, RandomOptions());
}

TEST(Evaluate, equalsEnumerationWithThreeLabels) {
  RandomOptions options;
  options.numLabels = 3;
  options.maxPorts = 6;
  options.maxRegions = 3;
  compareEvaluation(1000, 150, options);
}

/// in: A; a loop of 10 trips reads x in B twice, and something after it in B.
class LoopTest : public testing::Test {
protected:
  LoopTest() : problem({"A", "B"}) {
    producer = problem.addFixedPort("x", 0);
    unsigned loop = problem.addRegion("loop", kRootRegion, 10);
    unsigned inner = problem.addFixedPort("inner", 1);
    unsigned inner2 = problem.addFixedPort("inner2", 1);
    unsigned outer = problem.addFixedPort("outer", 0);
    unsigned value = problem.addUniformValue("x", producer, 7, 100);
    problem.addReader(value, inner, loop);
    problem.addReader(value, inner2, loop);
    problem.addReader(value, outer);
    labels = {0, 1, 1, 0};
  }
  Problem problem;
  unsigned producer;
  std::vector<unsigned> labels;
};

TEST_F(LoopTest, hoistsOutOfLoops) {
  std::vector<Conversion> conversions;
  Objective objective = cantFail(evaluate(problem, labels, &conversions));
  EXPECT_EQ(objective.cost, 7);
  EXPECT_EQ(objective.bytes, 100);
  ASSERT_EQ(conversions.size(), 1u);
  EXPECT_EQ(conversions[0].region, kRootRegion);
  EXPECT_EQ(conversions[0].from, 0u);
  EXPECT_EQ(conversions[0].to, 1u);
  EXPECT_EQ(conversions[0].readers, (SmallVector<unsigned, 2>{0, 1}));
}

TEST_F(LoopTest, sinksIntoColdRegions) {
  problem.setWeight(kRootRegion, 100);
  std::vector<Conversion> conversions;
  Objective objective = cantFail(evaluate(problem, labels, &conversions));
  EXPECT_EQ(objective.cost, 70);
  ASSERT_EQ(conversions.size(), 1u);
  EXPECT_EQ(conversions[0].region, 1u);
}

TEST_F(LoopTest, staysOutsideOnTies) {
  problem.setWeight(kRootRegion, 10);
  std::vector<Conversion> conversions;
  cantFail(evaluate(problem, labels, &conversions));
  ASSERT_EQ(conversions.size(), 1u);
  EXPECT_EQ(conversions[0].region, kRootRegion);
}

/// Going through a third format may be cheaper.
TEST(Evaluate, convertsThroughAThirdLabel) {
  Problem problem({"A", "B", "C"});
  unsigned p = problem.addFixedPort("p", 0), q = problem.addFixedPort("q", 1);
  // A -> B costs 10, A -> C 3, C -> B 4.
  problem.addReader(problem.addValue("v", p, {0, 10, 3, 9, 0, 9, 9, 4, 0}), q);
  std::vector<Conversion> conversions;
  Objective objective = cantFail(evaluate(problem, {0, 1}, &conversions));
  EXPECT_EQ(objective.cost, 7);
  EXPECT_EQ(objective.conversions, 2);
  ASSERT_EQ(conversions.size(), 2u);
  EXPECT_EQ(conversions[0].to, 2u);
  EXPECT_EQ(conversions[1].from, 2u);
  EXPECT_TRUE(conversions[0].readers.empty());
  EXPECT_EQ(conversions[1].readers, (SmallVector<unsigned, 2>{0}));
}

TEST(Evaluate, saysWhatIsNotAllowed) {
  Problem problem({"A", "B"});
  unsigned p = problem.addFixedPort("p", 0), q = problem.addFreePort("q");
  problem.addEquality(p, q);
  auto getError = [&](ArrayRef<unsigned> labels) {
    return getMessage(evaluate(problem, labels).takeError());
  };
  EXPECT_EQ(getError({0}),
            "there are 1 labels, expected one for each of 2 ports");
  EXPECT_EQ(getError({0, 2}), "port `q` has label 2, expected one below 2");
  EXPECT_EQ(getError({1, 1}), "port `p` may not have label `B`");
  EXPECT_EQ(getError({0, 1}), "ports `p` and `q` must have equal labels, found "
                              "`A` and `B`");
}

TEST(Verify, rejectsWhatIsNotSo) {
  Problem problem({"A", "B"});
  unsigned p = problem.addFixedPort("p", 0), q = problem.addFixedPort("q", 1);
  problem.addReader(problem.addUniformValue("v", p, 3, 8), q);
  Solution solution = solveAndProve(problem);
  auto getError = [&](function_ref<void(Solution &)> change) {
    Solution changed = solution;
    change(changed);
    return getMessage(verify(problem, changed));
  };
  EXPECT_EQ(getError([](Solution &s) { s.objective.cost = 2; }),
            "the solution states cost 2 with 1 conversions, but costs 3 with "
            "1");
  EXPECT_EQ(getError([](Solution &s) { s.conversions.clear(); }),
            "reader `q` of value `v` is served by 0 conversions, expected 1");
  EXPECT_EQ(getError([](Solution &s) { s.conversions[0].from = 1; }),
            "a conversion of value `v` reads label `B`, which the value does "
            "not have there");
  EXPECT_EQ(getError([](Solution &s) { s.conversions[0].readers = {3}; }),
            "a conversion of value `v` names reader 3 of 1");
  EXPECT_EQ(getError([](Solution &s) { s.conversions[0].value = 9; }),
            "a conversion names a value, region or label that the problem does "
            "not have");
  EXPECT_EQ(getError([](Solution &s) { s.lowerBound = 4; }),
            "the lower bound 4 exceeds the cost 3");
  EXPECT_EQ(getError([](Solution &s) {
              s.conversions.push_back(s.conversions[0]);
              s.conversions[1].readers.clear();
              s.objective = Objective{6, 2, 16, 0};
            }),
            "the conversions cost 6, but the same labels need only 3");
}

} // namespace
