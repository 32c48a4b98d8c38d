//===- ConvReference.h - convolution by definition --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef MEMFMT_UNITTESTS_KERNELS_CONVREFERENCE_H
#define MEMFMT_UNITTESTS_KERNELS_CONVREFERENCE_H

#include "KernelHarness.h"

#include "memfmt/Kernels/EmitConv.h"
#include "llvm/Support/MathExtras.h"

namespace memfmt::testing {

inline kernels::ConvShape makeShape(int64_t n, int64_t c, int64_t h, int64_t w,
                                    int64_t k, int64_t kh, int64_t kw,
                                    int64_t stride, int64_t padLow,
                                    int64_t padHigh, int64_t dilation,
                                    int64_t groups) {
  auto places = [&](int64_t in, int64_t window) {
    return (in + padLow + padHigh - dilation * (window - 1) - 1) / stride + 1;
  };
  return {n,
          c,
          h,
          w,
          k,
          kh,
          kw,
          places(h, kh),
          places(w, kw),
          {stride, stride},
          {padLow, padLow},
          {padHigh, padHigh},
          {dilation, dilation},
          groups};
}

/// Offset of (n, c, h, w) in a tensor of sizes (_, C, H, W).
inline int64_t at(bool channelsLast, int64_t C, int64_t H, int64_t W, int64_t n,
                  int64_t c, int64_t h, int64_t w) {
  return channelsLast ? ((n * H + h) * W + w) * C + c
                      : ((n * C + c) * H + h) * W + w;
}

/// max(0, conv + bias + residual) by the definition, in double, from a
/// row-major filter (K, C / groups, KH, KW).
inline std::vector<double> convReference(const kernels::ConvShape &s,
                                         Floats &input, bool inputLast,
                                         Floats &filter, Floats &bias,
                                         Floats *residual, bool outputLast) {
  std::vector<double> result(s.n * s.k * s.oh * s.ow);
  int64_t cg = s.c / s.groups, kg = s.k / s.groups;
  for (int64_t n = 0; n < s.n; ++n)
    for (int64_t k = 0; k < s.k; ++k)
      for (int64_t oh = 0; oh < s.oh; ++oh)
        for (int64_t ow = 0; ow < s.ow; ++ow) {
          double sum = bias[k];
          for (int64_t c = 0; c < cg; ++c)
            for (int64_t kh = 0; kh < s.kh; ++kh)
              for (int64_t kw = 0; kw < s.kw; ++kw) {
                int64_t ih =
                    oh * s.stride[0] - s.padLow[0] + kh * s.dilation[0];
                int64_t iw =
                    ow * s.stride[1] - s.padLow[1] + kw * s.dilation[1];
                if (ih < 0 || ih >= s.h || iw < 0 || iw >= s.w)
                  continue;
                sum += double(input[at(inputLast, s.c, s.h, s.w, n,
                                       k / kg * cg + c, ih, iw)]) *
                       filter[((k * cg + c) * s.kh + kh) * s.kw + kw];
              }
          int64_t place = at(outputLast, s.k, s.oh, s.ow, n, k, oh, ow);
          if (residual)
            sum += (*residual)[place];
          result[place] = std::max(sum, 0.0);
        }
  return result;
}

/// The filter as [groups][filters / tile][...][tile]: window before channels
/// for `direct`, channels first otherwise.
inline Floats packFilter(const kernels::ConvShape &s, Floats &filter,
                         int64_t tile, bool direct) {
  int64_t cg = s.c / s.groups, kg = s.k / s.groups,
          blocks = llvm::divideCeil(kg, tile);
  Floats packed(s.groups * blocks * cg * s.kh * s.kw * tile);
  for (int64_t i = 0; i < packed.size(); ++i)
    packed[i] = 0;
  for (int64_t k = 0; k < s.k; ++k)
    for (int64_t c = 0; c < cg; ++c)
      for (int64_t kh = 0; kh < s.kh; ++kh)
        for (int64_t kw = 0; kw < s.kw; ++kw) {
          int64_t block = k / kg * blocks + k % kg / tile;
          int64_t inner = direct ? ((block * s.kh + kh) * s.kw + kw) * cg + c
                                 : ((block * cg + c) * s.kh + kh) * s.kw + kw;
          packed[inner * tile + k % kg % tile] =
              filter[((k * cg + c) * s.kh + kh) * s.kw + kw];
        }
  return packed;
}

/// Which emitter a compiled convolution uses.
enum class ConvKind { ChannelsLast, Mixed, Contiguous, Depthwise };

/// A convolution with its data, bias and ReLU fused, optionally a residual.
struct ConvCase {
  kernels::ConvShape shape;
  ConvKind kind;
  bool residual;
  Floats input, filter, bias, other, packed, output;
  std::unique_ptr<CompiledKernel> kernel;
  int64_t tiles = 0;

  ConvCase(const kernels::ConvShape &s, ConvKind kind, bool residual,
           const kernels::TargetInfo &target, bool host)
      : shape(s), kind(kind), residual(residual),
        input(s.n * s.c * s.h * s.w, 1),
        filter(s.k * (s.c / s.groups) * s.kh * s.kw, 2), bias(s.k, 3),
        other(s.n * s.k * s.oh * s.ow, 4), packed(0),
        output(s.n * s.k * s.oh * s.ow, 5) {
    compile(target, host);
  }

  bool inputLast() const {
    return kind == ConvKind::ChannelsLast || kind == ConvKind::Depthwise;
  }
  bool outputLast() const { return kind != ConvKind::Contiguous; }
  void run(int64_t lo, int64_t hi) {
    (*kernel)(
        {input.data(), packed.data(), bias.data(), other.data(), output.data()},
        lo, hi);
  }
  std::vector<double> reference() {
    return convReference(shape, input, inputLast(), filter, bias,
                         residual ? &other : nullptr, outputLast());
  }

private:
  void compile(const kernels::TargetInfo &target, bool host);
};

inline void ConvCase::compile(const kernels::TargetInfo &target, bool host) {
  using namespace mlir;
  using namespace kernels;
  const ConvShape &s = shape;
  int64_t cg = s.c / s.groups, kg = s.k / s.groups, tile = 0;
  SmallVector<int64_t> weights;
  switch (kind) {
  case ConvKind::ChannelsLast:
  case ConvKind::Mixed:
    tile = chooseConvTile(s, target).vectors * target.lanes;
    weights = {s.groups, int64_t(llvm::divideCeil(kg, tile)), s.kh, s.kw, cg,
               tile};
    packed = packFilter(s, filter, tile, true);
    tiles = getConvDirectTiles(s, target);
    break;
  case ConvKind::Contiguous:
    tile = getContiguousFilterTile(s, target);
    weights = {s.groups, int64_t(llvm::divideCeil(kg, tile)), cg, s.kh, s.kw,
               tile};
    packed = packFilter(s, filter, tile, false);
    tiles = getConvContiguousTiles(s, target);
    break;
  case ConvKind::Depthwise:
    weights = {s.kh, s.kw, s.k};
    packed = Floats(s.kh * s.kw * s.k);
    for (int64_t k = 0; k < s.k; ++k)
      for (int64_t i = 0; i < s.kh * s.kw; ++i)
        packed[i * s.k + k] = filter[k * s.kh * s.kw + i];
    tiles = getDepthwiseTiles(s);
    break;
  }
  auto shapeOf = [](bool last, int64_t n, int64_t c, int64_t h, int64_t w) {
    return last ? SmallVector<int64_t>{n, h, w, c}
                : SmallVector<int64_t>{n, c, h, w};
  };
  auto orderOf = [](bool last) {
    return last ? std::array<unsigned, 4>{0, 2, 3, 1}
                : std::array<unsigned, 4>{0, 1, 2, 3};
  };
  SmallVector<SmallVector<int64_t>> shapes = {
      shapeOf(inputLast(), s.n, s.c, s.h, s.w),
      weights,
      {s.k},
      shapeOf(outputLast(), s.n, s.k, s.oh, s.ow),
      shapeOf(outputLast(), s.n, s.k, s.oh, s.ow)};
  kernel = CompiledKernel::compile(
      shapes, target, host,
      [&](ImplicitLocOpBuilder &b, ValueRange buffers, Value lo, Value hi) {
        TensorRef in{buffers[0], orderOf(inputLast())};
        TensorRef res{buffers[3], orderOf(outputLast())};
        TensorRef out{buffers[4], orderOf(outputLast())};
        TensorRef joined = res;
        if (s.isPointwise() && kind != ConvKind::Depthwise) {
          ConvTile t = chooseConvTile(s, target);
          bool flat = kind == ConvKind::Contiguous;
          joined = joinRows(b, res, flat ? 1 : t.rows,
                            flat ? s.oh * s.ow : t.rowLength);
        }
        auto epilogue = [&](OpBuilder &builder, Location loc, Value acc,
                            ArrayRef<Value> index, unsigned axis) -> Value {
          auto vector = dyn_cast<VectorType>(acc.getType());
          if (residual)
            acc = arith::AddFOp::create(
                builder, loc, acc,
                loadLanes(builder, loc, joined, index, axis,
                          vector ? vector.getNumElements() : 0));
          Value zero = arith::ConstantOp::create(
              builder, loc, builder.getZeroAttr(acc.getType()));
          return arith::MaximumFOp::create(builder, loc, acc, zero);
        };
        if (kind == ConvKind::Contiguous)
          emitConvContiguous(b, s, target, in, buffers[1], buffers[2], out, lo,
                             hi, epilogue);
        else if (kind == ConvKind::Depthwise)
          emitDepthwise(b, s, target, in, buffers[1], buffers[2], out, lo, hi,
                        epilogue);
        else
          emitConvDirect(b, s, target, in, buffers[1], buffers[2], out, lo, hi,
                         epilogue);
      });
}

} // namespace memfmt::testing

#endif // MEMFMT_UNITTESTS_KERNELS_CONVREFERENCE_H
