//===- TorchConv.cpp - PyTorch strides of convolutions ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What eager PyTorch 2.15 does on a CPU with one thread. It picks a backend by
// sizes and element type: oneDNN, unless the function or module has the
// attribute `memfmt.without_onednn` (`torch.backends.mkldnn.enabled = False`);
// NNPACK; or its own loops, group by group. Format is asked for twice, before
// and after operands are made contiguous in what was answered first, which
// differs for tensors that suggest a format without being in it.
//
//===----------------------------------------------------------------------===//

#include "TorchLayouts.h"

using namespace mlir;
using namespace memfmt;

namespace {
/// A convolution over two or three spatial axes.
struct Convolution {
  StridedLayout input, filter;
  SmallVector<int64_t> strides, padding, dilations, outputPadding;
  int64_t groups = 1;
  Type element;
  bool transposed = false, enabled = true;

  bool isDilated() const {
    return llvm::any_of(dilations, [](int64_t d) { return d > 1; });
  }
  bool usesOneDNN() const;
  /// Of these operands, which may be those of one group.
  static bool usesNNPACK(const Convolution &conv, ArrayRef<int64_t> input,
                         ArrayRef<int64_t> filter);
};
} // namespace

static bool hasOneDNN(Operation *op) {
  for (Operation *scope = op->getParentOp(); scope;
       scope = scope->getParentOp())
    if (scope->hasAttr("memfmt.without_onednn"))
      return false;
  return true;
}

/// Small problems do not reach oneDNN.
bool Convolution::usesOneDNN() const {
  if (!enabled)
    return false;
  for (auto [extra, stride] : llvm::zip(outputPadding, strides))
    if (extra >= stride)
      return false;
  if (element.isBF16() || element.isF16())
    return true;
  if (!element.isF32())
    return false;
  ArrayRef<int64_t> window = ArrayRef(filter.sizes).take_back(2);
  int64_t batch = input.sizes[0];
  double firstAxes = 1;
  for (int64_t size : ArrayRef(input.sizes).take_front(4))
    firstAxes *= static_cast<double>(size);
  bool strided = llvm::any_of(strides, [](int64_t s) { return s > 1; });
  bool worthwhile =
      strided || isDilated() || batch >= 16 || window[0] != 1 || window[1] != 1;
  bool large = groups > 1 || (window[0] > 3 && window[1] > 3) || batch > 1 ||
               firstAxes > 20480;
  return worthwhile && large;
}

bool Convolution::usesNNPACK(const Convolution &conv, ArrayRef<int64_t> input,
                             ArrayRef<int64_t> filter) {
  if (conv.transposed || !conv.element.isF32() || input.size() != 4 ||
      input[0] < 16 || conv.isDilated())
    return false;
  return llvm::all_of(llvm::zip_equal(filter.drop_front(2), conv.padding),
                      [](auto axis) {
                        auto [window, pad] = axis;
                        return window < 17 && pad < window;
                      });
}

/// Channels-last of the rank when one of them suggests it.
static MemoryFormat suggestEither(const StridedLayout &input,
                                  const StridedLayout &filter) {
  MemoryFormat last = getLastFormat(input.sizes.size());
  return suggestFormat(input) == last || suggestFormat(filter) == last
             ? last
             : MemoryFormat::Contiguous;
}

/// The tensor where it is contiguous in the format, else a copy that is.
static StridedLayout makeContiguous(const StridedLayout &layout,
                                    MemoryFormat format) {
  StridedLayout result = layout;
  if (!isContiguous(layout.sizes, layout.strides, format))
    result.strides = getNewStrides(layout.sizes, format);
  return result;
}

/// The operand of one group.
static StridedLayout takeGroup(const StridedLayout &layout, int64_t axis,
                               int64_t groups) {
  StridedLayout part = layout;
  part.sizes[axis] /= groups;
  return makeContiguous(part, suggestFormat(layout));
}

/// A concatenation of groups that have these strides along `axis`.
static MemoryFormat joinGroups(SmallVector<int64_t> sizes, int64_t axis,
                               int64_t groups, MemoryFormat ofGroup) {
  StridedLayout part;
  part.sizes = std::move(sizes);
  part.sizes[axis] /= groups;
  part.strides = getNewStrides(part.sizes, ofGroup);
  return suggestFormat(part);
}

/// The problem of an operation whose input and filter are these; those over one
/// axis run over two, the first one of size 1.
template <typename OpT>
static Convolution getConvolution(OpT op, StridedLayout input,
                                  StridedLayout filter) {
  Convolution conv;
  conv.strides.assign(op.getStrides().begin(), op.getStrides().end());
  conv.padding.assign(op.getPadLow().begin(), op.getPadLow().end());
  conv.dilations.assign(op.getDilations().begin(), op.getDilations().end());
  if constexpr (std::is_same_v<OpT, ConvTransposeOp>) {
    conv.transposed = true;
    conv.outputPadding.assign(op.getOutputPadding().begin(),
                              op.getOutputPadding().end());
  }
  conv.groups = op.getGroups();
  conv.element =
      cast<RankedTensorType>(op.getInput().getType()).getElementType();
  conv.enabled = hasOneDNN(op);
  if (input.sizes.size() == 3) {
    input = addHeight(makeContiguous(input, MemoryFormat::Contiguous));
    filter = addHeight(filter);
    conv.strides.insert(conv.strides.begin(), 1);
    conv.padding.insert(conv.padding.begin(), 0);
    conv.dilations.insert(conv.dilations.begin(), 1);
    if (conv.transposed)
      conv.outputPadding.insert(conv.outputPadding.begin(), 0);
  }
  conv.input = std::move(input);
  conv.filter = std::move(filter);
  return conv;
}

static MemoryFormat inferResultFormat(const Convolution &conv,
                                      ArrayRef<int64_t> result) {
  bool onednn = conv.usesOneDNN();
  if (result.size() == 5 && !onednn)
    return MemoryFormat::Contiguous;
  MemoryFormat format = suggestEither(conv.input, conv.filter);
  StridedLayout input = makeContiguous(conv.input, format);
  StridedLayout filter = makeContiguous(conv.filter, format);
  if (onednn)
    return suggestEither(input, filter);
  auto inferGroup = [&](const StridedLayout &x, const StridedLayout &w) {
    if (Convolution::usesNNPACK(conv, x.sizes, w.sizes))
      return MemoryFormat::Contiguous;
    return suggestEither(x, w);
  };
  if (conv.groups == 1)
    return inferGroup(input, filter);
  MemoryFormat ofGroup = inferGroup(takeGroup(input, 1, conv.groups),
                                    takeGroup(filter, 0, conv.groups));
  return joinGroups(SmallVector<int64_t>(result), 1, conv.groups, ofGroup);
}

/// Gives the result, over one axis or more, new memory in a format of its form
/// with two axes or more.
static void allocateLike(const Convolution &conv, StridedLayout &result,
                         MemoryFormat format) {
  if (result.sizes.size() < conv.input.sizes.size())
    allocateWithHeight(result, format);
  else
    allocate(result, format);
}

namespace {
/// Channels-last when input or filter suggest it: the filter alone can decide.
struct ConvRule {
  template <typename OpT>
  static LogicalResult infer(OpT op, Layouts operands, MutableLayouts results) {
    StridedLayout &result = results[0];
    Convolution conv = getConvolution(op, operands[0], operands[1]);
    SmallVector<int64_t> sizes = result.sizes;
    if (sizes.size() == 3)
      sizes.insert(sizes.begin() + 2, 1);
    if (!llvm::is_contained(conv.input.sizes, 0)) {
      allocateLike(conv, result, inferResultFormat(conv, sizes));
      return success();
    }
    // Nothing to compute: the input times a number, seen in the result's shape.
    allocateLike(conv, result, MemoryFormat::Contiguous);
    if (sizes == conv.input.sizes) {
      result.strides =
          getElementwiseStrides({conv.input, StridedLayout()}, sizes);
      if (result.sizes.size() == 3)
        result.strides.erase(result.strides.begin() + 2);
    }
    return success();
  }
};

/// The gradient of the filter has a format of its own where PyTorch's loops
/// compute it.
struct ConvBackwardRule {
  static LogicalResult infer(ConvBackwardOp op, Layouts operands,
                             MutableLayouts results) {
    Convolution conv = getConvolution(op, operands[1], operands[2]);
    auto [input, filter] = inferFormats(conv);
    allocateLike(conv, results[0], input);
    allocateLike(conv, results[1], filter);
    allocate(results[2], MemoryFormat::Contiguous);
    return success();
  }

private:
  static std::pair<MemoryFormat, MemoryFormat>
  inferFormats(const Convolution &conv) {
    constexpr MemoryFormat rows = MemoryFormat::Contiguous;
    bool onednn = conv.usesOneDNN();
    if (conv.input.sizes.size() == 5 && !onednn)
      return {rows, rows};
    MemoryFormat format = suggestEither(conv.input, conv.filter);
    if (!onednn &&
        Convolution::usesNNPACK(conv, conv.input.sizes, conv.filter.sizes))
      format = rows;
    StridedLayout input = makeContiguous(conv.input, format);
    StridedLayout filter = makeContiguous(conv.filter, format);
    if (onednn) {
      MemoryFormat both = suggestEither(input, filter);
      return {both, both};
    }
    auto inferGroup = [&](const StridedLayout &x, const StridedLayout &w) {
      MemoryFormat both = suggestEither(x, w);
      bool nnpack =
          conv.groups == 1 && Convolution::usesNNPACK(conv, x.sizes, w.sizes);
      return std::pair(both,
                       conv.isDilated() || nnpack ? both : suggestFormat(w));
    };
    if (conv.groups == 1)
      return inferGroup(input, filter);
    auto [inputGroup, filterGroup] = inferGroup(
        takeGroup(input, 1, conv.groups), takeGroup(filter, 0, conv.groups));
    return {joinGroups(input.sizes, 1, conv.groups, inputGroup),
            joinGroups(filter.sizes, 0, conv.groups, filterGroup)};
  }
};
} // namespace

void memfmt::attachTorchConvRules(MLIRContext *context) {
  ConvOp::attachInterface<TorchRule<ConvRule, ConvOp>>(*context);
  ConvTransposeOp::attachInterface<TorchRule<ConvRule, ConvTransposeOp>>(
      *context);
  ConvBackwardOp::attachInterface<TorchRule<ConvBackwardRule, ConvBackwardOp>>(
      *context);
}
