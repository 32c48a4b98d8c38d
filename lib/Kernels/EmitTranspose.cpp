//===- EmitTranspose.cpp - copies that permute dimensions -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Dimensions that stay neighbours are joined first. Then blocks of lanes x
// lanes elements of the two fastest dimensions are transposed in registers, by
// the recursive exchange of off-diagonal blocks (Eklundh, A fast computer
// method for matrix transposing, 1972).
//
//===----------------------------------------------------------------------===//

#include "memfmt/Kernels/EmitElementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memfmt::kernels;

namespace {
/// A transpose after joining dimensions: sizes and strides in the order of the
/// input.
struct Problem {
  SmallVector<int64_t> sizes, inputStrides, outputStrides;
  /// Joined dimensions in the order of the output.
  SmallVector<int64_t> permutation;

  int64_t rank() const { return sizes.size(); }
};
} // namespace

/// Joins input dimensions i and i + 1 where they are neighbours in the output
/// too and lie densely in both; drops dimensions of size 1.
static Problem simplify(MemRefType input, MemRefType output,
                        ArrayRef<int64_t> permutation) {
  auto [inStrides, inOffset] = input.getStridesAndOffset();
  auto [outStrides, outOffset] = output.getStridesAndOffset();
  SmallVector<int64_t> position(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    position[dim] = i;
  Problem p;
  SmallVector<int64_t> last; // Output position of the last part of each.
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t size = input.getDimSize(dim), in = inStrides[dim],
            out = outStrides[position[dim]];
    if (size == 1)
      continue;
    if (!p.sizes.empty() && p.inputStrides.back() == in * size &&
        p.outputStrides.back() == out * size) {
      p.sizes.back() *= size;
      p.inputStrides.back() = in;
      p.outputStrides.back() = out;
      last.back() = position[dim];
      continue;
    }
    p.sizes.push_back(size);
    p.inputStrides.push_back(in);
    p.outputStrides.push_back(out);
    last.push_back(position[dim]);
  }
  if (p.sizes.empty()) {
    p.sizes = {1};
    p.inputStrides = p.outputStrides = {1};
    last = {0};
  }
  p.permutation = llvm::to_vector(llvm::seq<int64_t>(0, p.rank()));
  llvm::sort(p.permutation,
             [&](int64_t a, int64_t b) { return last[a] < last[b]; });
  return p;
}

/// The dimensions of a piece of work: all but the fastest ones of input and
/// output.
static SmallVector<int64_t> getOuterDims(const Problem &p) {
  SmallVector<int64_t> dims;
  for (int64_t dim : p.permutation)
    if (dim != p.rank() - 1 && dim != p.permutation.back())
      dims.push_back(dim);
  return dims;
}

/// Rows of the output's fastest dimension in one piece of work.
static constexpr int64_t kRows = 64;

static int64_t countPieces(const Problem &p) {
  int64_t pieces = 1;
  for (int64_t dim : getOuterDims(p))
    pieces *= p.sizes[dim];
  // The fastest input dimension is cut, so that matrices split over threads.
  return pieces * llvm::divideCeil(p.sizes[p.rank() - 1], kRows);
}

namespace {
class TransposeEmitter {
public:
  TransposeEmitter(ImplicitLocOpBuilder &builder, const TargetInfo &target,
                   const Problem &p, Value input, Value output)
      : e(builder), lanes(target.lanes), p(p),
        input(view(input, p.inputStrides)),
        output(view(output, p.outputStrides)),
        outputRows(swapLast(this->output)) {}

  void emitPiece(Value piece);

private:
  Value view(Value memref, ArrayRef<int64_t> strides);
  Value swapLast(Value memref);
  void emitMatrix(SmallVector<Value> index, Value first, Value last);
  void emitBlock(ArrayRef<Value> index);
  void emitCopy(SmallVector<Value> index, Value first, Value last);
  void copyScalar(ArrayRef<Value> index) {
    Value x = memref::LoadOp::create(e.b, input, index);
    memref::StoreOp::create(e.b, x, output, index);
  }

  Emitter e;
  int64_t lanes;
  const Problem &p;
  /// Both with the dimensions in the order of the input.
  Value input, output;
  /// The output with its fastest dimension last, for vector stores.
  Value outputRows;
};
} // namespace

Value TransposeEmitter::view(Value memref, ArrayRef<int64_t> strides) {
  auto type = cast<MemRefType>(memref.getType());
  auto [oldStrides, offset] = type.getStridesAndOffset();
  auto viewType = MemRefType::get(
      p.sizes, type.getElementType(),
      StridedLayoutAttr::get(e.b.getContext(), offset, strides));
  return memref::ReinterpretCastOp::create(e.b, viewType, memref, offset,
                                           p.sizes, strides);
}

/// Exchanges the last dimension with the one that is fastest in the output.
Value TransposeEmitter::swapLast(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<int64_t> sizes(type.getShape());
  std::swap(sizes.back(), sizes[p.permutation.back()]);
  std::swap(strides.back(), strides[p.permutation.back()]);
  auto viewType = MemRefType::get(
      sizes, type.getElementType(),
      StridedLayoutAttr::get(e.b.getContext(), offset, strides));
  return memref::ReinterpretCastOp::create(e.b, viewType, memref, offset, sizes,
                                           strides);
}

void TransposeEmitter::emitPiece(Value piece) {
  int64_t inner = p.rank() - 1, size = p.sizes[inner];
  int64_t chunks = llvm::divideCeil(size, kRows);
  SmallVector<Value> index(p.rank());
  Value first = e.mul(e.rem(piece, chunks), kRows);
  Value last = e.min(e.add(first, kRows), e.constant(size));
  piece = e.div(piece, chunks);
  for (int64_t dim : llvm::reverse(getOuterDims(p))) {
    index[dim] = e.rem(piece, p.sizes[dim]);
    piece = e.div(piece, p.sizes[dim]);
  }
  if (p.permutation.back() == inner)
    return emitCopy(index, first, last);
  emitMatrix(index, first, last);
}

/// The fastest dimension stays the fastest: rows are copied.
void TransposeEmitter::emitCopy(SmallVector<Value> index, Value first,
                                Value last) {
  auto at = [&](Value i) -> ArrayRef<Value> {
    index.back() = i;
    return index;
  };
  bool dense = p.inputStrides.back() == 1 && p.outputStrides.back() == 1;
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(input.getType()).getElementType());
  Value middle = first;
  if (dense && p.sizes.back() >= lanes) {
    Value count = e.b.createOrFold<arith::SubIOp>(last, first);
    middle = e.add(first, e.mul(e.div(count, lanes), lanes));
    e.loop(first, middle, lanes, [&](Value i) {
      Value x = vector::LoadOp::create(e.b, type, input, at(i));
      vector::StoreOp::create(e.b, x, output, at(i));
    });
  }
  e.loop(middle, last, 1, [&](Value i) { copyScalar(at(i)); });
}

/// Columns [first, last) of the fastest input dimension by all of the fastest
/// output dimension.
void TransposeEmitter::emitMatrix(SmallVector<Value> index, Value first,
                                  Value last) {
  int64_t inner = p.rank() - 1, outer = p.permutation.back();
  bool dense = p.inputStrides[inner] == 1 && p.outputStrides[outer] == 1;
  int64_t full = dense ? p.sizes[outer] / lanes * lanes : 0;
  Value middle = first;
  if (full > 0) {
    Value count = e.b.createOrFold<arith::SubIOp>(last, first);
    middle = e.add(first, e.mul(e.div(count, lanes), lanes));
  }
  auto scalars = [&](Value from, Value to, int64_t low, int64_t high) {
    e.loop(from, to, 1, [&](Value i) {
      e.loop(e.constant(low), e.constant(high), 1, [&](Value j) {
        index[inner] = i;
        index[outer] = j;
        copyScalar(index);
      });
    });
  };
  if (full > 0)
    e.loop(first, middle, lanes, [&](Value i) {
      e.loop(e.constant(0), e.constant(full), lanes, [&](Value j) {
        index[inner] = i;
        index[outer] = j;
        emitBlock(index);
      });
      scalars(i, e.add(i, lanes), full, p.sizes[outer]);
    });
  scalars(middle, last, 0, p.sizes[outer]);
}

/// lanes x lanes elements: rows along the fastest input dimension are read,
/// transposed in registers and written along the fastest output dimension.
void TransposeEmitter::emitBlock(ArrayRef<Value> index) {
  int64_t inner = p.rank() - 1, outer = p.permutation.back();
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(input.getType()).getElementType());
  SmallVector<Value> rows;
  for (int64_t i = 0; i < lanes; ++i) {
    SmallVector<Value> at(index);
    at[outer] = e.add(index[outer], i);
    rows.push_back(vector::LoadOp::create(e.b, type, input, at));
  }
  for (int64_t half = lanes / 2; half >= 1; half /= 2)
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & half)
        continue;
      SmallVector<int64_t> upper, lower;
      for (int64_t j = 0; j < lanes; ++j) {
        upper.push_back(j & half ? lanes + j - half : j);
        lower.push_back(j & half ? lanes + j : j + half);
      }
      Value a = rows[i], b = rows[i + half];
      rows[i] = vector::ShuffleOp::create(e.b, a, b, upper);
      rows[i + half] = vector::ShuffleOp::create(e.b, a, b, lower);
    }
  for (int64_t i = 0; i < lanes; ++i) {
    SmallVector<Value> at(index);
    at[inner] = e.add(index[inner], i);
    std::swap(at[inner], at[outer]);
    vector::StoreOp::create(e.b, rows[i], outputRows, at);
  }
}

int64_t memfmt::kernels::getTransposeTiles(MemRefType input, MemRefType output,
                                           ArrayRef<int64_t> permutation) {
  return countPieces(simplify(input, output, permutation));
}

void memfmt::kernels::emitTranspose(ImplicitLocOpBuilder &builder,
                                    const TargetInfo &target, Value input,
                                    Value output, ArrayRef<int64_t> permutation,
                                    Value lo, Value hi) {
  Problem p = simplify(cast<MemRefType>(input.getType()),
                       cast<MemRefType>(output.getType()), permutation);
  Emitter e(builder);
  TransposeEmitter emitter(builder, target, p, input, output);
  e.loop(lo, hi, 1, [&](Value piece) { emitter.emitPiece(piece); });
}
