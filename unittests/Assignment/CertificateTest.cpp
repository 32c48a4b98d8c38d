//===- CertificateTest.cpp - certificates and what spoils them --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "RandomProblem.h"
#include "Testing.h"

using namespace llvm;
using namespace memfmt::assignment;

namespace {

/// A problem with its labels and the certificate of the solver.
struct Proved {
  Problem problem;
  std::vector<unsigned> labels;
  Certificate certificate;

  std::string check(const Certificate &changed) const {
    return getMessage(checkCertificate(problem, labels, changed));
  }
  std::string checkWith(function_ref<void(Certificate &)> change) const {
    Certificate changed = certificate;
    change(changed);
    return check(changed);
  }
};

Proved prove(Problem problem) {
  TwoFormatSolver solver(problem);
  Solution solution = cantFail(solver.solve());
  return Proved{problem, solution.labels, solver.getCertificate()};
}

/// Random problems that have a solution.
std::vector<Proved> proveRandom(unsigned firstSeed, unsigned count) {
  std::vector<Proved> proved;
  for (unsigned seed = firstSeed; seed < firstSeed + count; ++seed) {
    Problem problem = makeRandomProblem(seed);
    Expected<Solution> solution = TwoFormatSolver(problem).solve();
    if (solution)
      proved.push_back(prove(problem));
    else
      consumeError(solution.takeError());
  }
  return proved;
}

/// in (A) -> relu -> conv (B), and a skip of in to an add.
Proved proveSmall() {
  Problem problem({"A", "B"});
  unsigned in = problem.addFixedPort("in", 0),
           relu = problem.addFreePort("relu"),
           conv = problem.addFixedPort("conv", 1),
           add = problem.addFreePort("add");
  unsigned v = problem.addUniformValue("v", in, 3, 10);
  problem.addReader(v, relu);
  problem.addReader(v, add);
  problem.addReader(problem.addUniformValue("w", relu, 2, 5), conv);
  problem.addReader(problem.addUniformValue("x", conv, 4, 5), add);
  return prove(problem);
}

TEST(Certificate, holds) {
  Proved proved = proveSmall();
  EXPECT_EQ(proved.check(proved.certificate), "success");
  EXPECT_EQ(proved.certificate.objective, 3);
  EXPECT_EQ(proved.certificate.lowerBound, 3);
  EXPECT_EQ(proved.certificate.method, Method::Cut);
}

TEST(Certificate, rejectsChangedFlows) {
  unsigned numChanged = 0;
  for (const Proved &proved : proveRandom(1, 150)) {
    Certificate changed = proved.certificate;
    for (CertificateLeaf &leaf : changed.leaves)
      for (ArcFlow &arc : leaf.flow)
        for (int change : {1, -1}) {
          ++numChanged;
          arc.flow += change;
          EXPECT_NE(proved.check(changed), "success") << print(proved.problem);
          arc.flow -= change;
        }
  }
  EXPECT_GT(numChanged, 1000u);
}

/// Another label is accepted only if it costs the same, tie-breaks included.
TEST(Certificate, rejectsChangedLabels) {
  unsigned numRejected = 0;
  for (Proved &proved : proveRandom(1000, 200)) {
    Objective objective = cantFail(evaluate(proved.problem, proved.labels));
    for (unsigned &label : proved.labels) {
      label = 1 - label;
      Expected<Objective> other = evaluate(proved.problem, proved.labels);
      bool same = other && *other == objective;
      consumeError(other.takeError());
      EXPECT_EQ(proved.check(proved.certificate) == "success", same);
      numRejected += !same;
      label = 1 - label;
    }
  }
  EXPECT_GT(numRejected, 500u);
}

TEST(Certificate, rejectsDroppedLeavesAndDecisions) {
  unsigned numDropped = 0;
  for (const Proved &proved : proveRandom(2000, 800)) {
    if (proved.certificate.method != Method::Branch)
      continue;
    for (unsigned leaf = 0; leaf < proved.certificate.leaves.size(); ++leaf) {
      ++numDropped;
      EXPECT_NE(proved.checkWith([&](Certificate &c) {
        c.leaves.erase(c.leaves.begin() + leaf);
      }),
                "success");
      EXPECT_NE(proved.checkWith([&](Certificate &c) {
        c.leaves.push_back(c.leaves[leaf]);
      }),
                "success");
      EXPECT_NE(proved.checkWith([&](Certificate &c) {
        c.leaves[leaf].decisions.pop_back();
      }),
                "success");
      EXPECT_NE(proved.checkWith([&](Certificate &c) {
        std::string &label = c.leaves[leaf].decisions.back().second;
        label = label == "L0" ? "L1" : "L0";
      }),
                "success");
    }
  }
  EXPECT_GT(numDropped, 30u);
}

TEST(Certificate, rejectsDroppedArcs) {
  for (const Proved &proved : proveRandom(3000, 60))
    for (unsigned leaf = 0; leaf < proved.certificate.leaves.size(); ++leaf)
      for (unsigned arc = 0; arc < proved.certificate.leaves[leaf].flow.size();
           ++arc)
        EXPECT_NE(proved.checkWith([&](Certificate &c) {
          auto &flow = c.leaves[leaf].flow;
          flow.erase(flow.begin() + arc);
        }),
                  "success");
}

TEST(Certificate, rejectsWrongLowering) {
  unsigned numLowered = 0;
  for (const Proved &proved : proveRandom(5000, 300))
    for (unsigned leaf = 0; leaf < proved.certificate.leaves.size(); ++leaf)
      for (unsigned pair = 0;
           pair < proved.certificate.leaves[leaf].lowered.size(); ++pair) {
        ++numLowered;
        auto checkWith = [&](function_ref<void(CertificateLeaf &)> change) {
          return proved.checkWith(
              [&](Certificate &c) { change(c.leaves[leaf]); });
        };
        EXPECT_NE(checkWith([&](CertificateLeaf &l) {
                    l.lowered.erase(l.lowered.begin() + pair);
                  }),
                  "success");
        EXPECT_NE(checkWith([&](CertificateLeaf &l) {
                    l.lowered.push_back(l.lowered[pair]);
                  }),
                  "success");
        for (int sign : {1, -1})
          EXPECT_NE(checkWith([&](CertificateLeaf &l) {
                      l.lowered[pair].cost = sign * (ScaledCost(1) << 120);
                    }),
                    "success");
      }
  EXPECT_GT(numLowered, 50u);
}

/// Whatever happens to a certificate: if it is accepted, its bound is one.
TEST(Certificate, isSoundWhenSpoiled) {
  Random random(1);
  unsigned numAccepted = 0, numRejected = 0;
  for (const Proved &proved : proveRandom(6000, 100)) {
    int64_t optimum = proved.certificate.objective;
    for (unsigned trial = 0; trial < 100; ++trial) {
      Certificate changed = proved.certificate;
      CertificateLeaf &leaf =
          changed.leaves[random.below(changed.leaves.size())];
      int amount = int(random.below(5)) - 2;
      if (random.chance(50) && !leaf.lowered.empty())
        leaf.lowered[random.below(leaf.lowered.size())].cost += amount;
      if (random.chance(20) && !leaf.flow.empty())
        leaf.flow[random.below(leaf.flow.size())].flow += amount;
      if (random.chance(30)) {
        changed.method = Method::Branch;
        changed.scaledLowerBound += amount;
        changed.lowerBound += amount;
      }
      if (proved.check(changed) != "success") {
        ++numRejected;
        continue;
      }
      ++numAccepted;
      EXPECT_LE(changed.lowerBound, optimum);
      EXPECT_TRUE(changed.scaledLowerBound <=
                  proved.certificate.scaledObjective);
    }
  }
  EXPECT_GT(numAccepted, 100u);
  EXPECT_GT(numRejected, 100u);
}

/// A certificate does not hold for a problem in which something costs less.
TEST(Certificate, rejectsCheaperProblems) {
  Proved proved = proveSmall();
  Problem cheaper({"A", "B"});
  for (const Port &port : proved.problem.getPorts())
    cheaper.addPort(port.name, port.costs, port.preferred);
  for (const Value &value : proved.problem.getValues()) {
    unsigned id = cheaper.addUniformValue(
        value.name, value.producer, value.name == "v" ? 2 : 4, value.bytes);
    for (const Reader &reader : value.readers)
      cheaper.addReader(id, reader.port);
  }
  EXPECT_NE(
      getMessage(checkCertificate(cheaper, proved.labels, proved.certificate)),
      "success");
}

TEST(Certificate, saysWhatDoesNotHold) {
  Proved proved = proveSmall();
  EXPECT_EQ(proved.checkWith([](Certificate &c) { c.objective = 2; }),
            "certificate does not hold: the labels cost 3, the certificate "
            "states 2");
  EXPECT_EQ(proved.checkWith([](Certificate &c) { c.lowerBound = 4; }),
            "certificate does not hold: the flows prove the lower bound 3, the "
            "certificate states 4");
  EXPECT_EQ(proved.checkWith([](Certificate &c) { c.nodes[2] = "port y"; }),
            "certificate does not hold: the problem has no node `port y`");
  EXPECT_EQ(proved.checkWith([](Certificate &c) { c.nodes[3] = c.nodes[2]; }),
            "certificate does not hold: node `port add` is listed twice");
  EXPECT_EQ(
      proved.checkWith([](Certificate &c) { c.leaves[0].flow[0].from = 99; }),
      "certificate does not hold: a leaf refers to a node past the list "
      "of " +
          std::to_string(proved.certificate.nodes.size()));
  EXPECT_EQ(proved.checkWith([](Certificate &c) { c.leaves.clear(); }),
            "certificate does not hold: the method is `cut`, expected one leaf "
            "without decisions");
  EXPECT_EQ(proved.checkWith([](Certificate &c) {
    c.method = Method::Branch;
    c.leaves.clear();
  }),
            "certificate does not hold: a case of the problem is missing");
  EXPECT_EQ(proved
                .checkWith([](Certificate &c) {
                  std::swap(c.leaves[0].flow[0], c.leaves[0].flow[1]);
                })
                .substr(0, 27),
            "certificate does not hold: ");
  EXPECT_EQ(
      getMessage(checkCertificate(proved.problem, {0, 0}, proved.certificate)),
      "there are 2 labels, expected one for each of 4 ports");
}

/// Flows as large as the numbers hold are an error, not an overflow.
TEST(Certificate, survivesHugeFlows) {
  Proved proved = proveSmall();
  EXPECT_NE(proved.checkWith([](Certificate &c) {
    for (ArcFlow &arc : c.leaves[0].flow)
      arc.flow = (ScaledCost(1) << 126) + ((ScaledCost(1) << 126) - 1);
  }),
            "success");
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

TEST(CertificateJSON, readsBackWhatItWrites) {
  for (const Proved &proved : proveRandom(4000, 100)) {
    json::Value json = proved.certificate.toJSON();
    Expected<Certificate> read = Certificate::fromJSON(json);
    ASSERT_TRUE(bool(read)) << toString(read.takeError());
    EXPECT_EQ(read->toJSON(), json);
    EXPECT_EQ(proved.check(*read), "success");
  }
}

TEST(CertificateJSON, writesLargeIntegersAsText) {
  ScaledCost large = ScaledCost(1'000'000'000'000'000'000) * 1'000'000'007;
  EXPECT_EQ(toString(large), "1000000007000000000000000000");
  EXPECT_EQ(toString(-large), "-1000000007000000000000000000");
  EXPECT_EQ(toString(ScaledCost(0)), "0");
  Certificate certificate;
  certificate.scaledObjective = large;
  certificate.scaledLowerBound = -large;
  Certificate read = cantFail(Certificate::fromJSON(certificate.toJSON()));
  EXPECT_TRUE(read.scaledObjective == large);
  EXPECT_TRUE(read.scaledLowerBound == -large);
}

TEST(CertificateJSON, saysWhatIsWrong) {
  auto getError = [](function_ref<void(json::Object &)> change) {
    json::Value json = proveSmall().certificate.toJSON();
    change(*json.getAsObject());
    return getMessage(Certificate::fromJSON(json).takeError());
  };
  EXPECT_EQ(
      getError([](json::Object &o) { o["schema"] = "other"; }),
      "this version reads \"memfmt-certificate-1\" only at certificate.schema");
  EXPECT_EQ(getError([](json::Object &o) { o.erase("leaves"); }),
            "missing value at certificate.leaves");
  EXPECT_EQ(getError([](json::Object &o) { o["method"] = 3; }),
            "expected \"cut\" or \"branch\" at certificate.method");
  EXPECT_EQ(
      getError([](json::Object &o) {
        o["scaled_objective"] = std::string(39, '9');
      }),
      "expected an integer of up to 38 digits at certificate.scaled_objective");
  EXPECT_EQ(getError([](json::Object &o) {
              (*(*o["leaves"].getAsArray())[0].getAsObject())["flow"] =
                  json::Array{json::Array{0, 1}};
            }),
            "expected two nodes and a flow at certificate.leaves[0].flow[0]");
  EXPECT_EQ(getMessage(Certificate::parse("[1]").takeError()),
            "expected object when parsing certificate");
  EXPECT_NE(getMessage(Certificate::parse("{").takeError()), "success");
}

} // namespace
