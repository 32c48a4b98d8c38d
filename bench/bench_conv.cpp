//===- bench_conv.cpp - convolution kernels against the FMA peak -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Every layer is checked against the definition, then all layers and the FMA
// peak are timed round-robin on one thread; printed is the lower decile.
// Usage: bench_conv [ROUNDS] [NAME-PART]
//
//===----------------------------------------------------------------------===//

#include "ConvReference.h"
#include "memfmt/Runtime/Peak.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace memfmt;
using memfmt::testing::ConvCase;
using memfmt::testing::ConvKind;
using memfmt::testing::makeShape;

namespace {
struct Layer {
  const char *name;
  kernels::ConvShape shape;
  ConvKind kind;
};
} // namespace

static std::vector<Layer> getLayers() {
  auto dense = [](int64_t c, int64_t k, int64_t size, int64_t window,
                  int64_t stride) {
    return makeShape(1, c, size, size, k, window, window, stride, window / 2,
                     window / 2, 1, 1);
  };
  auto depthwise = [](int64_t c, int64_t size, int64_t stride) {
    return makeShape(1, c, size, size, c, 3, 3, stride, 1, 1, 1, c);
  };
  return {
      {"3x3 64->64 @56", dense(64, 64, 56, 3, 1), ConvKind::ChannelsLast},
      {"3x3 64->64 @56 contiguous", dense(64, 64, 56, 3, 1),
       ConvKind::Contiguous},
      {"7x7s2 3->64 @224 mixed", dense(3, 64, 224, 7, 2), ConvKind::Mixed},
      {"7x7s2 3->64 @224 contiguous", dense(3, 64, 224, 7, 2),
       ConvKind::Contiguous},
      {"3x3s2 64->128 @56", dense(64, 128, 56, 3, 2), ConvKind::ChannelsLast},
      {"3x3 128->128 @28", dense(128, 128, 28, 3, 1), ConvKind::ChannelsLast},
      {"3x3 128->128 @28 contiguous", dense(128, 128, 28, 3, 1),
       ConvKind::Contiguous},
      {"3x3 256->256 @14", dense(256, 256, 14, 3, 1), ConvKind::ChannelsLast},
      {"3x3 256->256 @14 contiguous", dense(256, 256, 14, 3, 1),
       ConvKind::Contiguous},
      {"3x3 512->512 @7", dense(512, 512, 7, 3, 1), ConvKind::ChannelsLast},
      {"3x3 512->512 @7 contiguous", dense(512, 512, 7, 3, 1),
       ConvKind::Contiguous},
      {"1x1s2 256->512 @14", dense(256, 512, 14, 1, 2), ConvKind::ChannelsLast},
      {"1x1 256->64 @56", dense(256, 64, 56, 1, 1), ConvKind::ChannelsLast},
      {"1x1 256->64 @56 contiguous", dense(256, 64, 56, 1, 1),
       ConvKind::Contiguous},
      {"1x1 96->24 @56", dense(96, 24, 56, 1, 1), ConvKind::ChannelsLast},
      {"1x1 144->24 @56", dense(144, 24, 56, 1, 1), ConvKind::ChannelsLast},
      {"1x1 960->160 @7", dense(960, 160, 7, 1, 1), ConvKind::ChannelsLast},
      {"1x1 320->1280 @7", dense(320, 1280, 7, 1, 1), ConvKind::ChannelsLast},
      {"depthwise 3x3 144 @56", depthwise(144, 56, 1), ConvKind::Depthwise},
      {"depthwise 3x3s2 96 @112", depthwise(96, 112, 2), ConvKind::Depthwise},
      {"depthwise 3x3 144 @56 contiguous", depthwise(144, 56, 1),
       ConvKind::Contiguous},
  };
}

static double getFlops(const kernels::ConvShape &s) {
  return 2.0 * s.n * s.k * s.oh * s.ow * (s.c / s.groups) * s.kh * s.kw;
}

/// Largest error relative to the largest output.
static double getError(ConvCase &c) {
  c.run(0, c.tiles);
  std::vector<double> expected = c.reference();
  double error = 0, largest = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error = std::max(error, std::abs(expected[i] - c.output[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return error / largest;
}

static double lowerDecile(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 10];
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 40;
  const char *filter = argc > 2 ? argv[2] : "";
  const kernels::TargetInfo *target = kernels::lookupTarget("host");
  std::vector<Layer> layers;
  for (const Layer &layer : getLayers())
    if (std::strstr(layer.name, filter))
      layers.push_back(layer);
  std::vector<std::unique_ptr<ConvCase>> cases;
  for (const Layer &layer : layers) {
    cases.push_back(std::make_unique<ConvCase>(layer.shape, layer.kind, false,
                                               *target, /*host=*/true));
    if (!cases.back()->kernel)
      return 1;
    double error = getError(*cases.back());
    if (!(error < 1e-4)) {
      llvm::errs() << "error: " << layer.name << ": relative error " << error
                   << "\n";
      return 1;
    }
  }
  std::vector<std::vector<double>> times(cases.size());
  std::vector<double> peaks;
  for (int round = 0; round < rounds; ++round) {
    peaks.push_back(1 / runtime::measurePeak());
    for (size_t i = 0; i < cases.size(); ++i) {
      cases[i]->run(0, cases[i]->tiles);
      double start = runtime::seconds();
      cases[i]->run(0, cases[i]->tiles);
      times[i].push_back(runtime::seconds() - start);
    }
  }
  double peak = 1 / lowerDecile(peaks);
  llvm::outs() << "target " << target->name
               << llvm::format(", FMA peak %.1f GFLOP/s\n", peak);
  for (size_t i = 0; i < cases.size(); ++i) {
    double gflops = getFlops(layers[i].shape) / lowerDecile(times[i]) / 1e9;
    llvm::outs() << llvm::format("%-34s %8.1f us %7.1f GFLOP/s  %.2f of peak\n",
                                 layers[i].name, lowerDecile(times[i]) * 1e6,
                                 gflops, gflops / peak);
  }
  return 0;
}
