//===- TwoFormatSolver.cpp - exact assignment of two formats ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A minimum cut solves the problem if all pair tables are submodular.  Where
// some are not, each case is bounded with those tables lowered to submodular
// ones.  There is a choice in how to lower a table: what is given up for one
// pair of labels is spared for another.  A few rounds look for a choice with a
// large bound, each moving those tables that the last cut found too cheap.  A
// case that is still below the best labelling is split by the label of a port
// of which a lowered table matters; the case with the smallest bound is split
// first.
//
//===----------------------------------------------------------------------===//

#include "memfmt/Assignment/TwoFormatSolver.h"
#include "CutNetwork.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace llvm;
using namespace memfmt::assignment;

char ConflictError::ID = 0;

void ConflictError::log(raw_ostream &os) const { os << text; }

std::error_code ConflictError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

/// The largest number of cuts for the first case, and for each other one.
static constexpr unsigned kRootRounds = 40, kRounds = 6;

namespace {

/// A case: some ports have given labels.
struct Leaf {
  std::vector<Decision> decisions;
  ScaledCost bound = 0;
  std::vector<ArcFlow> flow;
  /// The pairs that are lowered, and to what all pairs are or would be.
  std::vector<unsigned> loweredPairs;
  std::vector<ScaledCost> lowering;
  /// Nodes of an unbounded path, if the case has no labelling.
  std::vector<unsigned> conflict;
  /// The ports of lowered tables that matter to the labelling of the bound,
  /// the one to split by first.
  std::vector<unsigned> undecided;
  /// Two other leaves have taken its place.
  bool split = false;
};

/// How the lowering of one pair moves from round to round.
struct Step {
  ScaledCost size = 0;
  int direction = 0;
};

/// The best labelling so far.
struct Incumbent {
  std::vector<unsigned> labels;
  Objective objective;
  ScaledCost scaled = 0;
};

/// The search over cases for one problem.
class Search {
public:
  Search(const Problem &problem, SolverOptions options)
      : problem(problem), network(problem), options(options) {}

  /// Runs the search; fails if it found no labelling.
  Error run();

  Solution getSolution() const;
  Certificate getCertificate() const;

  /// Whether `resolve` can be asked: one cut solved the problem.
  bool isSingleCut() const { return rootFlow.has_value(); }

  /// Solves again with one port pinned, going on from the flow of the cut.
  Expected<Solution> resolve(unsigned port, unsigned label) const;

private:
  void addLeaf(std::vector<Decision> decisions,
               std::vector<ScaledCost> lowering);
  void offer(ArrayRef<unsigned> labels);
  bool improveLowering(const CaseNetwork &caseNetwork,
                       ArrayRef<unsigned> labels,
                       std::vector<ScaledCost> &lowering,
                       std::vector<Step> &steps) const;
  std::vector<unsigned> getUndecided(ArrayRef<unsigned> loweredPairs,
                                     ArrayRef<ScaledCost> lowering,
                                     ArrayRef<unsigned> labels) const;
  std::vector<unsigned> getLabels(const MaxFlow &flow) const;
  std::vector<unsigned> getPorts(ArrayRef<unsigned> path) const;
  Error makeConflict(ArrayRef<unsigned> path) const;
  Error explainFailure() const;
  unsigned getNumLeaves() const { return (leaves.size() + 1) / 2; }
  ScaledCost getBound() const;
  Method getMethod() const {
    return leaves.size() == 1 && getBound() == incumbent->scaled
               ? Method::Cut
               : Method::Branch;
  }
  bool isOpen(const Leaf &leaf) const {
    return !leaf.split && leaf.conflict.empty() && !leaf.undecided.empty() &&
           (!incumbent || leaf.bound < incumbent->scaled);
  }

  const Problem &problem;
  CutNetwork network;
  SolverOptions options;
  /// The number of arc flows of leaves that are not split.
  size_t numFlows = 0;
  /// By merged pair.
  std::vector<LoweringRange> ranges;
  /// All nodes of the binary tree of cases, of which those not split count.
  std::vector<Leaf> leaves;
  std::optional<Incumbent> incumbent;
  std::optional<MaxFlow> rootFlow;
};

} // namespace

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

std::vector<unsigned> Search::getLabels(const MaxFlow &flow) const {
  std::vector<bool> sourceSide = flow.getSourceSide();
  std::vector<unsigned> labels(problem.getPorts().size());
  for (unsigned port = 0; port < labels.size(); ++port)
    labels[port] = sourceSide[network.getPortNode(port)] ? 0 : 1;
  return labels;
}

/// Takes a labelling if it is better than the best so far.
void Search::offer(ArrayRef<unsigned> labels) {
  Expected<Objective> objective = evaluate(problem, labels);
  if (!objective) {
    // A lowered table let through what the true one forbids.
    consumeError(objective.takeError());
    return;
  }
  ScaledCost scaled = network.getScaled(*objective);
  if (!incumbent || scaled < incumbent->scaled)
    incumbent = Incumbent{labels.vec(), *objective, scaled};
}

/// Ports of lowered pairs that cost more in truth than in the network for these
/// labels; those first that are in the pairs with the largest differences.
std::vector<unsigned> Search::getUndecided(ArrayRef<unsigned> loweredPairs,
                                           ArrayRef<ScaledCost> lowering,
                                           ArrayRef<unsigned> labels) const {
  MapVector<unsigned, ScaledCost> losses;
  for (unsigned id : loweredPairs) {
    const PairCost &pair = network.getMergedPairs()[id];
    ScaledCost loss = network.getLoss(id, lowering[id], labels[pair.first],
                                      labels[pair.second]);
    if (loss == 0)
      continue;
    for (unsigned port : {pair.first, pair.second}) {
      ScaledCost &sum = losses[port];
      sum = loss == MaxFlow::kUnbounded || sum == MaxFlow::kUnbounded
                ? MaxFlow::kUnbounded
                : sum + loss;
    }
  }
  auto sorted = losses.takeVector();
  llvm::sort(sorted, [&](const auto &lhs, const auto &rhs) {
    if (lhs.second != rhs.second)
      return lhs.second > rhs.second;
    return problem.getPorts()[lhs.first].name <
           problem.getPorts()[rhs.first].name;
  });
  return std::vector<unsigned>(make_first_range(sorted).begin(),
                               make_first_range(sorted).end());
}

/// Raises the lowered cost that `labels` made use of, for each pair by its
/// step, which is halved when the direction changes; false if nothing moves.
bool Search::improveLowering(const CaseNetwork &caseNetwork,
                             ArrayRef<unsigned> labels,
                             std::vector<ScaledCost> &lowering,
                             std::vector<Step> &steps) const {
  bool moved = false;
  for (unsigned id : caseNetwork.loweredPairs) {
    const PairCost &pair = network.getMergedPairs()[id];
    if (labels[pair.first] != labels[pair.second])
      continue;
    int direction = labels[pair.first] == 0 ? 1 : -1;
    Step &step = steps[id];
    if (step.direction == -direction)
      step.size /= 2;
    step.direction = direction;
    ScaledCost next = std::clamp(lowering[id] + direction * step.size,
                                 ranges[id].least, ranges[id].most);
    moved |= next != lowering[id];
    lowering[id] = next;
  }
  return moved;
}

/// Bounds the case and appends it to the leaves.  `lowering` is where to start.
void Search::addLeaf(std::vector<Decision> decisions,
                     std::vector<ScaledCost> lowering) {
  bool isRoot = leaves.empty();
  Leaf &leaf = leaves.emplace_back();
  leaf.decisions = std::move(decisions);
  std::vector<Step> steps(ranges.size());
  for (auto [step, range] : zip(steps, ranges))
    step.size = (range.most - range.least) / (isRoot ? 1 : 4);
  unsigned numRounds = isRoot ? kRootRounds : kRounds;
  for (unsigned round = 0; round < numRounds; ++round) {
    CaseNetwork caseNetwork = network.build(leaf.decisions, lowering);
    if (round == 0) {
      leaf.loweredPairs = caseNetwork.loweredPairs;
      leaf.lowering = lowering;
      leaf.conflict = caseNetwork.flow.findUnboundedPath();
      if (!leaf.conflict.empty())
        return;
    }
    ScaledCost bound = caseNetwork.flow.maximize() + caseNetwork.constant;
    std::vector<unsigned> labels = getLabels(caseNetwork.flow);
    offer(labels);
    if (round == 0 || bound > leaf.bound) {
      leaf.bound = bound;
      leaf.flow = caseNetwork.flow.getFlow();
      leaf.lowering = lowering;
      leaf.undecided = getUndecided(caseNetwork.loweredPairs, lowering, labels);
    }
    if (isRoot && caseNetwork.loweredPairs.empty())
      rootFlow = std::move(caseNetwork.flow);
    if (!isOpen(leaf) || !improveLowering(caseNetwork, labels, lowering, steps))
      return;
  }
}

Error Search::run() {
  std::vector<ScaledCost> middle;
  for (unsigned pair = 0; pair < network.getMergedPairs().size(); ++pair) {
    ranges.push_back(network.getLoweringRange(pair));
    middle.push_back(ranges.back().middle);
  }
  // The open leaf with the smallest bound, the older one among equals.
  std::set<std::pair<ScaledCost, unsigned>> open;
  auto add = [&](std::vector<Decision> decisions,
                 std::vector<ScaledCost> lowering) {
    addLeaf(std::move(decisions), std::move(lowering));
    numFlows += leaves.back().flow.size();
    if (isOpen(leaves.back()))
      open.insert({leaves.back().bound, unsigned(leaves.size() - 1)});
  };
  add({}, middle);
  while (!open.empty() && getNumLeaves() < options.maxLeaves &&
         numFlows < options.maxFlows) {
    unsigned id = open.begin()->second;
    if (!isOpen(leaves[id]))
      break; // The others have no smaller bound.
    open.erase(open.begin());
    leaves[id].split = true;
    numFlows -= leaves[id].flow.size();
    leaves[id].flow = {};
    std::vector<Decision> decisions = leaves[id].decisions;
    std::vector<ScaledCost> lowering = std::move(leaves[id].lowering);
    unsigned port = leaves[id].undecided.front();
    for (unsigned label : {0u, 1u}) {
      decisions.emplace_back(port, label);
      add(decisions, lowering);
      decisions.pop_back();
    }
  }
  return incumbent ? Error::success() : explainFailure();
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

std::vector<unsigned> Search::getPorts(ArrayRef<unsigned> path) const {
  std::vector<unsigned> ports;
  for (unsigned node : path)
    if (unsigned port = network.getNodePort(node); port != kNoPort)
      ports.push_back(port);
  return ports;
}

/// Along a path of unbounded arcs all ports have the label of the first one,
/// which is fixed to label 0, and the last one is fixed to label 1.
Error Search::makeConflict(ArrayRef<unsigned> path) const {
  std::vector<unsigned> ports = getPorts(path);
  auto getName = [&](unsigned port) {
    return "`" + problem.getPorts()[port].name + "`";
  };
  ArrayRef<std::string> labels = problem.getLabels();
  std::string message;
  if (ports.size() == 1) {
    message = "port " + getName(ports.front()) +
              " can have no label: its own costs and pairs forbid both `" +
              labels[0] + "` and `" + labels[1] + "`";
  } else {
    message = "port " + getName(ports.front()) + " can only be `" + labels[0] +
              "` and port " + getName(ports.back()) + " can only be `" +
              labels[1] + "`, but they must be equal";
    ArrayRef<unsigned> between = ArrayRef(ports).drop_front().drop_back();
    for (unsigned port : between)
      message += (port == between.front() ? " through " : ", ") + getName(port);
    message += "; allow another label at one of them";
  }
  return make_error<ConflictError>(std::move(message), std::move(ports));
}

/// Why there is no incumbent.
Error Search::explainFailure() const {
  if (leaves.size() == 1 && !leaves.front().conflict.empty())
    return makeConflict(leaves.front().conflict);
  SetVector<unsigned> ports;
  bool open = false;
  for (const Leaf &leaf : leaves) {
    open |= isOpen(leaf);
    for (const Decision &decision : leaf.decisions)
      ports.insert(decision.first);
    for (unsigned port : getPorts(leaf.conflict))
      ports.insert(port);
  }
  if (open)
    return createStringError(inconvertibleErrorCode(),
                             "no allowed labelling was found in " +
                                 Twine(getNumLeaves()) +
                                 " cases; allow the solver more of them");
  std::string names;
  for (unsigned port : ports)
    names +=
        (names.empty() ? "`" : ", `") + problem.getPorts()[port].name + "`";
  return make_error<ConflictError>(
      "no labels satisfy the pairs and fixed labels of the ports " + names +
          " together; allow another label at one of them",
      std::vector<unsigned>(ports.begin(), ports.end()));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The smallest bound of a case.
ScaledCost Search::getBound() const {
  ScaledCost bound = incumbent->scaled;
  for (const Leaf &leaf : leaves)
    if (!leaf.split && leaf.conflict.empty())
      bound = std::min(bound, leaf.bound);
  return bound;
}

/// A solution with `labels`, without a bound.
static Solution makeSolution(const Problem &problem,
                             std::vector<unsigned> labels) {
  Solution solution;
  solution.objective =
      cantFail(evaluate(problem, labels, &solution.conversions));
  solution.labels = std::move(labels);
  return solution;
}

Solution Search::getSolution() const {
  Solution solution = makeSolution(problem, incumbent->labels);
  solution.lowerBound = network.getCostBound(getBound());
  solution.method = getMethod();
  solution.numLeaves = getNumLeaves();
  SetVector<unsigned> undecided;
  for (const Leaf &leaf : leaves)
    if (isOpen(leaf))
      undecided.insert(leaf.undecided.begin(), leaf.undecided.end());
  solution.undecidedPorts.assign(undecided.begin(), undecided.end());
  return solution;
}

Certificate Search::getCertificate() const {
  Certificate certificate;
  certificate.method = getMethod();
  certificate.objective = incumbent->objective.cost;
  certificate.scaledObjective = incumbent->scaled;
  certificate.scaledLowerBound = getBound();
  certificate.lowerBound = network.getCostBound(certificate.scaledLowerBound);
  certificate.nodes = network.getNodeNames();
  for (const Leaf &leaf : leaves) {
    if (leaf.split)
      continue;
    CertificateLeaf &out = certificate.leaves.emplace_back();
    for (auto [port, label] : leaf.decisions)
      out.decisions.emplace_back(problem.getPorts()[port].name,
                                 problem.getLabels()[label]);
    for (unsigned id : leaf.loweredPairs) {
      const PairCost &pair = network.getMergedPairs()[id];
      out.lowered.push_back(LoweredPair{problem.getPorts()[pair.first].name,
                                        problem.getPorts()[pair.second].name,
                                        leaf.lowering[id]});
    }
    out.flow = leaf.flow;
    out.conflict = leaf.conflict;
  }
  return certificate;
}

Expected<Solution> Search::resolve(unsigned port, unsigned label) const {
  MaxFlow flow = *rootFlow;
  unsigned node = network.getPortNode(port);
  flow.addArc(label == 0 ? MaxFlow::kSource : node,
              label == 0 ? node : MaxFlow::kSink, MaxFlow::kUnbounded);
  std::vector<unsigned> path = flow.findUnboundedPath();
  if (!path.empty())
    return makeConflict(path);
  flow.maximize();
  Solution solution = makeSolution(problem, getLabels(flow));
  solution.lowerBound = solution.objective.cost;
  return solution;
}

//===----------------------------------------------------------------------===//
// The solver
//===----------------------------------------------------------------------===//

struct TwoFormatSolver::State {
  State(const Problem &problem, SolverOptions options)
      : search(problem, options) {}
  Search search;
};

TwoFormatSolver::TwoFormatSolver(const Problem &problem, SolverOptions options)
    : problem(problem), options(options) {}

TwoFormatSolver::~TwoFormatSolver() = default;

/// With one label there is one labelling.
static Expected<Solution> solveOneFormat(const Problem &problem,
                                         Certificate &certificate) {
  std::vector<unsigned> labels(problem.getPorts().size(), 0);
  Expected<Objective> objective = evaluate(problem, labels);
  if (!objective)
    return objective.takeError();
  Solution solution = makeSolution(problem, labels);
  solution.lowerBound = objective->cost;
  certificate = Certificate();
  certificate.objective = certificate.lowerBound = objective->cost;
  return solution;
}

Expected<Solution> TwoFormatSolver::solve() {
  state.reset();
  if (Error error = problem.check())
    return std::move(error);
  if (problem.getNumLabels() == 1)
    return solveOneFormat(problem, certificate);
  if (problem.getNumLabels() > 2)
    return createStringError(
        inconvertibleErrorCode(),
        Twine(problem.getNumLabels()) +
            " formats are not supported by the two-format solver");
  auto solved = std::make_unique<State>(problem, options);
  if (Error error = solved->search.run())
    return std::move(error);
  state = std::move(solved);
  certificate = state->search.getCertificate();
  return state->search.getSolution();
}

Expected<Solution> TwoFormatSolver::resolveWithPin(unsigned port,
                                                   unsigned label) {
  if (port >= problem.getPorts().size() || label >= problem.getNumLabels())
    return createStringError(inconvertibleErrorCode(),
                             "there is no port " + Twine(port) + " or label " +
                                 Twine(label));
  if (state && state->search.isSingleCut())
    return state->search.resolve(port, label);
  return assignment::resolveWithPin(problem, port, label, options);
}

Expected<Solution> memfmt::assignment::resolveWithPin(const Problem &problem,
                                                      unsigned port,
                                                      unsigned label,
                                                      SolverOptions options) {
  if (Error error = problem.check())
    return std::move(error);
  if (port >= problem.getPorts().size() || label >= problem.getNumLabels())
    return createStringError(inconvertibleErrorCode(),
                             "there is no port " + Twine(port) + " or label " +
                                 Twine(label));
  const Port &pinnedPort = problem.getPorts()[port];
  if (pinnedPort.costs[label] == kInfinity)
    return make_error<ConflictError>("port `" + pinnedPort.name +
                                         "` may not have label `" +
                                         problem.getLabels()[label] + "`",
                                     std::vector<unsigned>{port});
  Problem pinned = problem;
  pinned.pin(port, label);
  return TwoFormatSolver(pinned, options).solve();
}
