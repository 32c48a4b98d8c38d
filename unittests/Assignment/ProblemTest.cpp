//===- ProblemTest.cpp - checks and the text form of problems ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "RandomProblem.h"
#include "Testing.h"

using namespace llvm;
using namespace memfmt::assignment;

namespace {

//===----------------------------------------------------------------------===//
// check
//===----------------------------------------------------------------------===//

/// A well-formed problem, to be spoiled.
class CheckTest : public testing::Test {
protected:
  CheckTest() : problem({"A", "B"}) {
    p = problem.addFreePort("p");
    q = problem.addFreePort("q");
    loop = problem.addRegion("loop", kRootRegion, 3);
    v = problem.addUniformValue("v", p, 5, 10, loop);
    problem.addReader(v, q, loop);
  }
  std::string check() { return getMessage(problem.check()); }

  Problem problem;
  unsigned p, q, loop, v;
};

TEST_F(CheckTest, accepts) { EXPECT_EQ(check(), "success"); }

TEST_F(CheckTest, labels) {
  EXPECT_EQ(getMessage(Problem().check()),
            "there are no labels; give at least one");
  EXPECT_EQ(getMessage(Problem({"a", "b", "c", "d", "e", "f", "g"}).check()),
            "7 labels are too many, expected 6 at most");
  EXPECT_EQ(getMessage(Problem({"a", "a"}).check()),
            "two labels are named `a`; names must be unique");
}

TEST_F(CheckTest, names) {
  problem.addFreePort("p");
  EXPECT_EQ(check(), "two ports are named `p`; names must be unique");
}

TEST_F(CheckTest, emptyNames) {
  problem.addFreePort("");
  EXPECT_EQ(check(), "a port has no name; give each a unique one");
}

TEST_F(CheckTest, portCosts) {
  problem.addPort("r", {1, 2, 3});
  EXPECT_EQ(check(), "port `r` has 3 costs, expected 2");
}

TEST_F(CheckTest, negativeCosts) {
  problem.addPort("r", {1, -2});
  EXPECT_EQ(check(), "port `r` has the negative cost -2; add a constant to the "
                     "whole table instead");
}

TEST_F(CheckTest, portWithoutLabels) {
  problem.pin(p, 0);
  problem.pin(p, 1);
  EXPECT_EQ(check(), "port `p` may have no label; allow at least one");
}

TEST_F(CheckTest, preferred) {
  problem.setPreferred(p, 2);
  EXPECT_EQ(check(), "port `p` names label 2 of 2");
}

TEST_F(CheckTest, pairs) {
  problem.addPair(p, q, {0, 1, 2});
  EXPECT_EQ(check(), "the pair of `p` and `q` has 3 costs, expected 4");
}

TEST_F(CheckTest, pairOfOnePort) {
  problem.addMixed(p, p, 1);
  EXPECT_EQ(check(), "the pair of `p` and `p` is one port; add to the cost of "
                     "the port");
}

TEST_F(CheckTest, pairOfNoPort) {
  problem.addMixed(p, 7, 1);
  EXPECT_EQ(check(), "a pair names port 7 of 2");
}

TEST_F(CheckTest, equalities) {
  problem.addEquality(9, p);
  EXPECT_EQ(check(), "an equality names port 9 of 2");
}

TEST_F(CheckTest, regionOrder) {
  problem.addRegion("late", 3, 1);
  problem.addRegion("later", kRootRegion, 1);
  EXPECT_EQ(check(), "region `late` is its own parent or comes before it; add "
                     "outer regions first");
}

TEST_F(CheckTest, weights) {
  problem.setWeight(loop, -1);
  EXPECT_EQ(check(), "region `loop` has the negative weight -1");
}

TEST_F(CheckTest, producers) {
  problem.addUniformValue("w", 5, 1);
  EXPECT_EQ(check(), "value `w` names port 5 of 2");
}

TEST_F(CheckTest, diagonals) {
  problem.addValue("w", p, {1, 1, 1, 0});
  EXPECT_EQ(check(),
            "value `w` has a cost to convert `A` to itself, expected 0 "
            "on the diagonal");
}

TEST_F(CheckTest, bytes) {
  problem.addUniformValue("w", p, 1, -8);
  EXPECT_EQ(check(), "value `w` has -8 bytes");
}

TEST_F(CheckTest, readersOutsideTheRegion) {
  problem.addReader(v, q, kRootRegion);
  EXPECT_EQ(check(), "a reader of value `v` stands in region `root`, expected "
                     "`loop` (where the value is defined) or one inside it");
}

TEST_F(CheckTest, readersOfNoPort) {
  problem.addReader(v, 8, loop);
  EXPECT_EQ(check(), "a reader of value `v` names port 8 of 2");
}

TEST_F(CheckTest, largeCosts) {
  problem.addCost(p, 0, int64_t(1) << 61);
  problem.addCost(q, 1, int64_t(1) << 61);
  EXPECT_EQ(check(), "costs are too large: their weighted sum is not below "
                     "2^62; express costs or weights in a coarser unit");
}

TEST_F(CheckTest, largeWeights) {
  problem.setWeight(loop, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(check(), "costs are too large: their weighted sum is not below "
                     "2^62; express costs or weights in a coarser unit");
}

TEST_F(CheckTest, largeProducts) {
  problem.setWeight(loop, std::numeric_limits<int64_t>::max());
  problem.addReader(problem.addUniformValue("w", p, kInfinity - 1, 0, loop), q,
                    loop);
  EXPECT_EQ(check(), "costs are too large: their weighted sum is not below "
                     "2^62; express costs or weights in a coarser unit");
}

TEST_F(CheckTest, largeSums) {
  problem.addCost(p, 0, int64_t(1) << 60);
  problem.addReader(problem.addUniformValue("w", p, 1, int64_t(1) << 59), q);
  EXPECT_EQ(check(), "costs, bytes and counts are too large together: an "
                     "objective has more than 122 bits; express costs or bytes "
                     "in a coarser unit");
}

/// Sums of port costs saturate instead of wrapping around.
TEST_F(CheckTest, addCostSaturates) {
  problem.addCost(p, 0, kInfinity - 1);
  problem.addCost(p, 0, 5);
  EXPECT_EQ(problem.getPorts()[p].costs[0], kInfinity);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

TEST(ProblemText, prints) {
  Problem problem({"nchw", "nhwc"});
  problem.setWeight(kRootRegion, 2);
  unsigned loop = problem.addRegion("loop", kRootRegion, 10);
  unsigned in = problem.addFixedPort("in", 0);
  unsigned conv = problem.addPort("%1 = \"conv\"", {7, 0}, 1);
  problem.addMixed(in, conv, 3);
  problem.addEquality(in, conv);
  unsigned value = problem.addUniformValue("x", in, 5, 100);
  problem.addReader(value, conv, loop);
  problem.addReader(value, in);
  EXPECT_EQ(print(problem), R"(labels nchw nhwc
region root weight 2
region loop in root weight 10
port in costs 0 inf
port "%1 = \22conv\22" costs 7 0 prefer nhwc
pair in "%1 = \22conv\22" costs 0 3 3 0
equal in "%1 = \22conv\22"
value x from in costs 0 5 5 0 bytes 100 to "%1 = \22conv\22" in loop to in
)");
}

TEST(ProblemText, readsBackWhatItPrints) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomOptions options;
    options.numLabels = 1 + seed % 4;
    Problem problem = makeRandomProblem(seed, options);
    Expected<Problem> parsed = Problem::parse(print(problem));
    ASSERT_TRUE(bool(parsed)) << toString(parsed.takeError());
    EXPECT_TRUE(*parsed == problem) << print(problem) << print(*parsed);
  }
}

TEST(ProblemText, readsBackAnyName) {
  StringRef bytes("a \"b\"\\ \n\t#\0\xc3\xa9 in", 15);
  Problem problem({"in", "to"});
  unsigned port = problem.addFreePort(bytes);
  problem.addFreePort("costs");
  unsigned region = problem.addRegion("weight", kRootRegion, 1);
  unsigned value = problem.addUniformValue("from", port, 1);
  problem.addReader(value, port + 1, region);
  problem.addReader(value, port);
  Expected<Problem> parsed = Problem::parse(print(problem));
  ASSERT_TRUE(bool(parsed)) << toString(parsed.takeError());
  EXPECT_TRUE(*parsed == problem) << print(*parsed);
}

TEST(ProblemText, skipsCommentsAndEmptyLines) {
  Expected<Problem> problem = Problem::parse("# a comment\n\n"
                                             "labels A B # two\r\n"
                                             "  port p costs 0 1\n"
                                             "value v from p costs 0 1 1 0");
  ASSERT_TRUE(bool(problem)) << toString(problem.takeError());
  EXPECT_EQ(problem->getValues().size(), 1u);
}

std::string getParseError(StringRef text) {
  return getMessage(Problem::parse(text).takeError());
}

TEST(ProblemText, saysWhereItIsWrong) {
  EXPECT_EQ(getParseError(""),
            "line 1: expected `labels`, found the end of the text");
  EXPECT_EQ(getParseError("port p costs 0"),
            "line 1: expected `labels`, found `port`");
  EXPECT_EQ(getParseError("labels"), "line 1: expected the name of a label, "
                                     "found the end of the line (quote names "
                                     "that have other characters)");
  auto getError = [](const Twine &line) {
    return getParseError(("labels A B\nport p costs 0 1\n" + line).str());
  };
  EXPECT_EQ(getError("ports q"),
            "line 3: expected `labels`, `region`, `port`, `pair`, `equal` or "
            "`value`, found `ports`");
  EXPECT_EQ(getError("labels C"), "line 3: labels are given twice");
  EXPECT_EQ(getError("port p costs 0 1"), "line 3: a second port is named `p`");
  EXPECT_EQ(getError("port q costs 0"),
            "line 3: expected a 64-bit integer, found the end of the line");
  EXPECT_EQ(getError("port q costs 0 x"),
            "line 3: expected a 64-bit integer, found `x`");
  EXPECT_EQ(getError("port q costs 0 99999999999999999999"),
            "line 3: expected a 64-bit integer, found `99999999999999999999`");
  EXPECT_EQ(getError("port q costs 0 1 2"),
            "line 3: expected the end of the line, found `2`");
  EXPECT_EQ(getError("port q costs 0 1 prefer C"),
            "line 3: there is no label `C` above this line");
  EXPECT_EQ(getError("equal p q"),
            "line 3: there is no port `q` above this line");
  EXPECT_EQ(getError("region r in s weight 1"),
            "line 3: there is no region `s` above this line");
  EXPECT_EQ(getError("region r in r weight 1"),
            "line 3: there is no region `r` above this line");
  EXPECT_EQ(getError("region root in root weight 1"),
            "line 3: expected `weight`, found `in`");
  EXPECT_EQ(getError("value v costs 0 1 1 0"),
            "line 3: expected `from`, found `costs`");
  EXPECT_EQ(getError("value v from p costs 0 1 1 0 to p at root"),
            "line 3: expected the end of the line, found `at`");
  EXPECT_EQ(getError("port \"q costs 0 1"),
            "line 3: expected a closing quote before the end of the line");
  EXPECT_EQ(getError("port \"q\\n\" costs 0 1"),
            "line 3: expected `\\\\` or two hexadecimal digits after a "
            "backslash");
}

/// Cutting a text anywhere gives an error or a problem, never anything else.
TEST(ProblemText, survivesTruncation) {
  std::string text = print(makeRandomProblem(3));
  for (size_t size = 0; size < text.size(); ++size)
    consumeError(Problem::parse(StringRef(text).take_front(size)).takeError());
}

} // namespace
