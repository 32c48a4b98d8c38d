//===- ExamplesTest.cpp - small graphs with known optima --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Graphs of convolution networks whose optima were found by enumeration outside
// this project.  Label A stands for NCHW, B for NHWC; the unit is one
// conversion unless a test says elements.
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"
#include "Testing.h"

#include <functional>
#include <map>

using namespace llvm;
using namespace memfmt::assignment;

namespace {

/// Builds a graph with port names for ids, and states what it should cost.
class Net {
public:
  Net() : problem({"A", "B"}) {}

  void fixedA(StringRef name) {
    ids[name.str()] = problem.addFixedPort(name, 0);
  }
  void fixedB(StringRef name) {
    ids[name.str()] = problem.addFixedPort(name, 1);
  }
  void free(StringRef name, int64_t costA = 0) {
    ids[name.str()] = problem.addPort(name, {costA, 0});
  }
  unsigned region(StringRef name, int64_t weight) {
    return problem.addRegion(name, kRootRegion, weight);
  }

  /// A value from port `from`, read by the ports `to`, all in one region.
  void value(StringRef from, std::vector<std::string> to, int64_t cost,
             unsigned where = kRootRegion) {
    unsigned value = problem.addUniformValue(
        "v" + std::to_string(problem.getValues().size()), ids.at(from.str()),
        cost, 0, where);
    for (const std::string &name : to)
      problem.addReader(value, ids.at(name), where);
  }

  void expectOptimum(int64_t cost, int64_t conversions) {
    Solution solution = solveAndProve(problem);
    EXPECT_EQ(solution.objective.cost, cost);
    EXPECT_EQ(solution.objective.conversions, conversions);
    EXPECT_EQ(solution.method, Method::Cut);
    for (auto &[name, id] : ids)
      label[name] = solution.labels[id];
    std::optional<Objective> best = bruteForce(problem);
    ASSERT_TRUE(best.has_value());
    EXPECT_TRUE(*best == solution.objective);
  }

  /// What it costs if the ports of `inB`, and those fixed to it, have label B.
  int64_t costWith(std::vector<std::string> inB) {
    std::vector<unsigned> labels;
    for (const Port &port : problem.getPorts())
      labels.push_back(port.costs[0] == kInfinity ? 1 : 0);
    for (const std::string &name : inB)
      labels[ids.at(name)] = 1;
    return cantFail(evaluate(problem, labels)).cost;
  }

  Problem problem;
  std::map<std::string, unsigned> ids;
  std::map<std::string, unsigned> label;
};

/// in - conv - relu - conv - relu - conv - out; convolutions run in B only, or,
/// with a penalty, also in A.
Net makeChain(int64_t in, int64_t mid1, int64_t mid2, int64_t out,
              int64_t penalty = kInfinity) {
  Net net;
  net.fixedA("in");
  net.fixedA("out");
  for (StringRef conv : {"conv1", "conv2", "conv3"})
    net.free(conv, penalty);
  net.free("relu1");
  net.free("relu2");
  net.value("in", {"conv1"}, in);
  net.value("conv1", {"relu1"}, mid1);
  net.value("relu1", {"conv2"}, mid1);
  net.value("conv2", {"relu2"}, mid2);
  net.value("relu2", {"conv3"}, mid2);
  net.value("conv3", {"out"}, out);
  return net;
}

TEST(Examples, chain) {
  Net net = makeChain(1, 1, 1, 1);
  net.expectOptimum(2, 2);
  EXPECT_EQ(net.costWith({}), 6); // Every convolution wrapped.
}

TEST(Examples, chainInElements) {
  makeChain(150528, 802816, 401408, 200704).expectOptimum(351232, 2);
}

TEST(Examples, chainWithMixedFirstKernel) {
  Net net;
  net.fixedA("in");
  net.fixedA("out");
  net.free("conv1.in");
  net.free("conv1.out");
  net.problem.addMixed(net.ids["conv1.in"], net.ids["conv1.out"], 0);
  net.fixedB("conv2");
  net.fixedB("conv3");
  net.free("relu1");
  net.free("relu2");
  net.value("in", {"conv1.in"}, 150528);
  net.value("conv1.out", {"relu1"}, 802816);
  net.value("relu1", {"conv2"}, 802816);
  net.value("conv2", {"relu2"}, 401408);
  net.value("relu2", {"conv3"}, 401408);
  net.value("conv3", {"out"}, 200704);
  net.expectOptimum(200704, 1);
}

TEST(Examples, chainWithSlowerKernels) {
  makeChain(150528, 802816, 401408, 200704, 100000).expectOptimum(300000, 0);
  makeChain(150528, 802816, 401408, 200704, 150000).expectOptimum(351232, 2);
}

TEST(Examples, residualBlock) {
  Net net;
  net.fixedA("in");
  net.fixedA("out");
  net.fixedB("conv1");
  net.fixedB("conv2");
  for (StringRef name : {"relu1", "add", "relu2"})
    net.free(name);
  net.value("in", {"conv1", "add"}, 1);
  net.value("conv1", {"relu1"}, 1);
  net.value("relu1", {"conv2"}, 1);
  net.value("conv2", {"add"}, 1);
  net.value("add", {"relu2"}, 1);
  net.value("relu2", {"out"}, 1);
  net.expectOptimum(2, 2);
}

TEST(Examples, residualBlocks) {
  Net net;
  net.fixedA("in");
  net.fixedA("out");
  net.fixedB("stem");
  net.value("in", {"stem"}, 1);
  std::string previous = "stem";
  for (std::string block : {"1", "2", "3"}) {
    net.fixedB("first" + block);
    net.fixedB("second" + block);
    net.free("add" + block);
    net.value(previous, {"first" + block, "add" + block}, 1);
    net.value("first" + block, {"second" + block}, 1);
    net.value("second" + block, {"add" + block}, 1);
    previous = "add" + block;
  }
  net.value(previous, {"out"}, 1);
  net.expectOptimum(2, 2);
}

/// Three layers, each concatenating all that came before; `size` gives the cost
/// of converting a value with so many channels.
Net makeDenseBlock(std::function<int64_t(int64_t)> size) {
  Net net;
  net.fixedA("x0");
  net.fixedA("out");
  for (std::string layer : {"1", "2", "3"}) {
    net.fixedB("conv" + layer);
    net.free("cat" + layer);
  }
  net.value("x0", {"conv1", "cat1", "cat2", "cat3"}, size(64));
  net.value("conv1", {"cat1", "cat2", "cat3"}, size(32));
  net.value("conv2", {"cat2", "cat3"}, size(32));
  net.value("conv3", {"cat3"}, size(32));
  net.value("cat1", {"conv2"}, size(96));
  net.value("cat2", {"conv3"}, size(128));
  net.value("cat3", {"out"}, size(160));
  return net;
}

TEST(Examples, denseBlock) {
  makeDenseBlock([](int64_t) { return 1; }).expectOptimum(2, 2);
}

/// At 56 x 56: four conversions cost less than two.
TEST(Examples, denseBlockInElements) {
  Net net = makeDenseBlock([](int64_t channels) { return channels * 3136; });
  net.expectOptimum(501760, 4);
  EXPECT_EQ(net.label["cat1"], 1u);
  EXPECT_EQ(net.label["cat2"], 1u);
  EXPECT_EQ(net.label["cat3"], 0u);
  EXPECT_EQ(net.costWith({"cat1", "cat2", "cat3"}), 702464);
}

/// `tail`: how the last port, after a pool, is constrained; `cost`: of the
/// conversion of the pool's result.
Net makeFlattenTail(bool tailIsFree, int64_t cost) {
  Net net;
  net.fixedA("in");
  net.fixedB("conv");
  net.free("pool");
  if (tailIsFree)
    net.free("flatten");
  else
    net.fixedA("flatten");
  net.value("in", {"conv"}, 1);
  net.value("conv", {"pool"}, 1);
  net.value("pool", {"flatten"}, cost);
  return net;
}

TEST(Examples, flatten) {
  makeFlattenTail(/*tailIsFree=*/false, 1).expectOptimum(2, 2);
  // The permutation goes into the rows of the weights that follow.
  makeFlattenTail(/*tailIsFree=*/true, 1).expectOptimum(1, 1);
  // [N, C, 1, 1] lies the same in both formats.
  makeFlattenTail(/*tailIsFree=*/false, 0).expectOptimum(1, 1);
}

TEST(Examples, permuteIsAnEquality) {
  Net net;
  net.fixedA("in");
  net.fixedB("conv");
  net.free("permute");
  net.fixedB("linear");
  net.value("in", {"conv"}, 1);
  net.value("conv", {"permute"}, 1);
  net.value("permute", {"linear"}, 1);
  net.expectOptimum(1, 1);
}

TEST(Examples, opaquePermute) {
  Net net;
  net.fixedA("in");
  net.fixedB("conv");
  net.fixedA("permute");
  net.value("in", {"conv"}, 1);
  net.value("conv", {"permute"}, 1);
  net.expectOptimum(2, 2);
}

TEST(Examples, valueReadInBothFormats) {
  Net net;
  net.fixedA("in");
  net.free("relu");
  net.fixedB("readB");
  net.fixedA("readA");
  net.value("in", {"relu"}, 1);
  net.value("relu", {"readB", "readA"}, 1);
  net.expectOptimum(1, 1);
}

TEST(Examples, constantReadInBothFormats) {
  Net net;
  net.free("constant");
  net.fixedB("readB");
  net.fixedA("readA");
  net.value("constant", {"readB", "readA"}, 0);
  net.expectOptimum(0, 0);
}

TEST(Examples, conversionsMoveToSmallTensors) {
  Net net;
  net.fixedA("in");
  net.free("pool");
  net.fixedB("conv");
  net.free("upsample");
  net.fixedA("out");
  net.value("in", {"pool"}, 150528);
  net.value("pool", {"conv"}, 37632);
  net.value("conv", {"upsample"}, 50176);
  net.value("upsample", {"out"}, 200704);
  net.expectOptimum(87808, 2);
  EXPECT_EQ(net.costWith({"pool", "upsample"}), 351232);
}

TEST(Examples, loop) {
  Net net;
  unsigned body = net.region("body", 10);
  net.fixedA("in");
  net.fixedA("out");
  net.free("slot");
  net.fixedB("conv");
  net.value("in", {"slot"}, 1);
  net.value("slot", {"conv"}, 1, body);
  net.value("conv", {"slot"}, 1, body);
  net.value("slot", {"out"}, 1);
  net.expectOptimum(2, 2);
  EXPECT_EQ(net.costWith({}), 20);
}

/// A branch that runs once in ten times; costs times ten.
TEST(Examples, coldBranch) {
  Net net;
  net.problem.setWeight(kRootRegion, 10);
  unsigned cold = net.region("then", 1), hot = net.region("else", 9);
  net.fixedA("x");
  net.free("result");
  net.fixedB("conv");
  net.fixedA("out");
  unsigned x = net.problem.addUniformValue("x", net.ids["x"], 1);
  net.problem.addReader(x, net.ids["conv"], cold);
  net.problem.addReader(x, net.ids["result"], hot);
  net.value("conv", {"result"}, 1, cold);
  net.value("result", {"out"}, 1);
  net.expectOptimum(2, 2);
  EXPECT_EQ(net.costWith({"result"}), 20);
}

TEST(Examples, sharedValueWithFreeAndFixedReaders) {
  Net net;
  net.fixedA("v");
  for (StringRef name : {"a1", "a2", "a3", "sum"})
    net.free(name);
  for (StringRef name : {"f1", "f2", "f3"})
    net.fixedA(name);
  net.fixedB("conv1");
  net.fixedB("conv2");
  net.value("v", {"a1", "a2", "a3", "f1", "f2", "f3"}, 1);
  net.value("a1", {"sum"}, 1);
  net.value("a2", {"sum"}, 1);
  net.value("sum", {"conv1"}, 1);
  net.value("a3", {"conv2"}, 1);
  net.expectOptimum(1, 1);
}

TEST(Examples, concatOfBothFormats) {
  Net net;
  net.fixedA("x1");
  net.fixedA("x2");
  net.free("concat");
  net.fixedB("conv");
  for (std::string id : {"1", "2", "3"}) {
    net.fixedA("in" + id);
    net.fixedB("c" + id);
    net.value("in" + id, {"c" + id}, 1);
    net.value("c" + id, {"concat"}, 1);
  }
  net.value("x1", {"concat"}, 1);
  net.value("x2", {"concat"}, 1);
  net.value("concat", {"conv"}, 1);
  net.expectOptimum(5, 5);
}

TEST(Examples, addOfTwoSharedValues) {
  Net net;
  net.free("add");
  net.fixedB("conv");
  for (std::string id : {"1", "2"}) {
    net.fixedA("v" + id);
    std::vector<std::string> readers = {"add"};
    for (std::string reader : {"a", "b", "c"}) {
      readers.push_back(reader + id);
      net.fixedA(readers.back());
    }
    net.value("v" + id, readers, 1);
  }
  net.value("add", {"conv"}, 1);
  net.expectOptimum(1, 1);
}

//===----------------------------------------------------------------------===//
// Ties
//===----------------------------------------------------------------------===//

/// Between A and B fixed ports lie values of equal cost; bytes decide.
TEST(Examples, fewerBytesBreakTies) {
  Problem problem({"A", "B"});
  unsigned in = problem.addFixedPort("in", 0), mid = problem.addFreePort("mid"),
           out = problem.addFixedPort("out", 1);
  problem.addReader(problem.addUniformValue("v", in, 5, 200), mid);
  problem.addReader(problem.addUniformValue("w", mid, 5, 100), out);
  Solution solution = solveAndProve(problem);
  EXPECT_EQ(solution.labels[mid], 0u);
  EXPECT_EQ(solution.objective.bytes, 100);
}

/// One conversion of 10 before two of 5 each.
TEST(Examples, fewerConversionsBreakTies) {
  Problem problem({"A", "B"});
  unsigned in = problem.addFixedPort("in", 0), mid = problem.addFreePort("mid"),
           out = problem.addFixedPort("out", 1),
           out2 = problem.addFixedPort("out2", 1);
  problem.addReader(problem.addUniformValue("v", in, 10, 999), mid);
  problem.addReader(problem.addUniformValue("w", mid, 5, 1), out);
  problem.addReader(problem.addUniformValue("x", mid, 5, 1), out2);
  Solution solution = solveAndProve(problem);
  EXPECT_EQ(solution.labels[mid], 1u);
  EXPECT_EQ(solution.objective.conversions, 1);
}

TEST(Examples, whatTheUserWroteBreaksTies) {
  for (unsigned preferred : {0u, 1u}) {
    Problem problem({"A", "B"});
    unsigned in = problem.addFixedPort("in", 0),
             mid = problem.addFreePort("mid", preferred),
             out = problem.addFixedPort("out", 1);
    problem.addReader(problem.addUniformValue("v", in, 5, 100), mid);
    problem.addReader(problem.addUniformValue("w", mid, 5, 100), out);
    Solution solution = solveAndProve(problem);
    EXPECT_EQ(solution.labels[mid], preferred);
    EXPECT_EQ(solution.objective.distance, 0);
  }
}

} // namespace
