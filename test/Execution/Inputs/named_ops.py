#!/usr/bin/env python3
"""Every named operation in every kind of format, forward and backward, against NumPy.

usage: named_ops.py FOLDER [FAMILY...]

For each format the tensors of rank 3 and more are converted to it, the operation runs
on the encoded tensors, `memfmt-materialize` replaces it by its reference lowering, and
the result, converted back, is compared with `references.py`.
"""

import os
import subprocess
import sys

import numpy as np

import references as ref

RNG = np.random.default_rng(11)
ELEMENT = {"float32": "f32", "float64": "f64", "float16": "f16", "int8": "i8", "int32": "i32", "int64": "i64", "bool": "i1"}

FORMATS = {
    "contiguous": {},
    "channels_last": {rank: "#memfmt.format<channels_last>" for rank in (3, 4, 5)},
    "permuted": {3: "#memfmt.format<[2, 1, 0]>", 4: "#memfmt.format<[3, 0, 2, 1]>", 5: "#memfmt.format<[4, 1, 0, 3, 2]>"},
    "blocked": {3: "#memfmt.format<[0, 1, 2], blocks = [1 : 4]>",
                4: "#memfmt.format<[0, 2, 1, 3], blocks = [1 : 4, 3 : 2]>",
                5: "#memfmt.format<[0, 1, 2, 3, 4], blocks = [1 : 4, 1 : 2]>"},
}


def random(*shape, low=-2.0, high=2.0):
    return RNG.uniform(low, high, shape).astype(np.float32)


def array(*values):
    return "array<i64: " + ", ".join(map(str, values)) + ">" if values else "array<i64>"


def floats(*values):
    return "array<f64: " + ", ".join(f"{v:e}" for v in values) + ">"


def window(stride, low, high, dilation, extra=""):
    return (f"{{strides = {array(*stride)}, pad_low = {array(*low)}, pad_high = {array(*high)}, "
            f"dilations = {array(*dilation)}{extra}}}")


class Case:
    """An operation: its text before the operands and its attributes, operands, results.
    A text with `%0` ... in it is written as it is, operands filled in."""

    def __init__(self, name, text, attrs, inputs, outputs):
        self.name, self.text, self.attrs = name, text, attrs
        self.inputs = inputs
        self.outputs = [np.asarray(y) for y in outputs]


def elementwise():
    x = random(2, 6, 4, 5)
    for kind, function in ref.UNARY.items():
        if kind in ref.DOMAIN:
            continue
        yield Case(kind, f"memfmt.elementwise {kind}", "", [x], [function(x.astype(np.float64))])
    positive = random(2, 6, 4, 5, low=0.1, high=2)
    for kind, function in (("log", np.log), ("sqrt", np.sqrt), ("rsqrt", lambda v: 1 / np.sqrt(v)), ("log1p", np.log1p)):
        yield Case(kind, f"memfmt.elementwise {kind}", "", [positive], [function(positive.astype(np.float64))])
    inside = random(2, 6, 4, 5, low=-0.9, high=0.9)
    for kind, function in (("acos", np.arccos), ("asin", np.arcsin)):
        yield Case(kind, f"memfmt.elementwise {kind}", "", [inside], [function(inside.astype(np.float64))])
    for kind, (values, function) in ref.PARAMETERS.items():
        yield Case(kind, f"memfmt.elementwise {kind}", f"{{parameters = {floats(*values)}}}", [x], [function(x)])
    y, row, channel, scalar = random(2, 6, 4, 5), random(4, 5), random(1, 6, 1, 1), random()
    y[np.abs(y) < 0.1] = 0.5
    for kind, function in ref.BINARY.items():
        for suffix, other in (("", y), ("_row", row + 3), ("_channel", channel + 3), ("_scalar", scalar + 3)):
            yield Case(kind + suffix, f"memfmt.elementwise {kind}", "", [x, other],
                       [function(x.astype(np.float64), other)])
    yield Case("pow", "memfmt.elementwise pow", "", [positive, y], [positive.astype(np.float64) ** y])
    yield Case("scaled_add", "memfmt.elementwise add", f"{{parameters = {floats(0.5)}}}", [x, y], [x + 0.5 * y])
    rounded = np.round(x)
    for kind, function in ref.COMPARE.items():
        yield Case(kind, f"memfmt.elementwise {kind}", "", [rounded, np.round(y)], [function(rounded, np.round(y))])
    flags, others = x > 0, y > 0
    yield Case("logical_not", "memfmt.elementwise logical_not", "", [rounded], [rounded == 0])
    yield Case("logical_and", "memfmt.elementwise logical_and", "", [flags, others], [flags & others])
    yield Case("logical_or", "memfmt.elementwise logical_or", "", [flags, others], [flags | others])
    for kind, function in ref.TERNARY.items():
        third = y + 3 if kind == "clamp_tensor" else y
        yield Case(kind, f"memfmt.elementwise {kind}", "", [x, channel, third],
                   [function(x.astype(np.float64), channel, third)])
    yield Case("where", "memfmt.elementwise where", "", [flags, x, scalar], [np.where(flags, x, scalar)])
    yield Case("masked_fill", "memfmt.elementwise masked_fill", "", [x, flags, scalar], [np.where(flags, scalar, x)])
    slopes = random(6)
    yield Case("prelu", "memfmt.elementwise prelu", "", [x, slopes],
               [np.where(x > 0, x, x * slopes.reshape(1, 6, 1, 1))])
    nan = x.copy()
    nan[0, 0, 0, :3] = np.nan, np.inf, -np.inf
    yield Case("nan_to_num", "memfmt.elementwise nan_to_num", f"{{parameters = {floats(1.5)}}}", [nan],
               [np.nan_to_num(nan, nan=1.5)])
    yield Case("convert", "memfmt.elementwise convert", "", [x], [x.astype(np.int32)])
    integers = RNG.integers(-9, 9, (2, 6, 4, 5)).astype(np.int32)
    yield Case("integers", "memfmt.elementwise add", "", [integers, integers], [integers * 2])
    # Truth values: false is below true, and sums are disjunctions.
    for kind, function in (("gt", np.greater), ("le", np.less_equal)):
        yield Case(f"{kind}_of_truth", f"memfmt.elementwise {kind}", "", [flags, others], [function(flags, others)])
    yield Case("add_of_truth", "memfmt.elementwise add", "", [flags, others], [flags | others])
    # Bounds outside of the type are none.
    yield Case("clamp_of_integers", "memfmt.elementwise clamp", f"{{parameters = {floats(0, 1e30)}}}", [integers],
               [np.maximum(integers, 0)])
    small = RNG.integers(-128, 128, (2, 6, 4, 5)).astype(np.int8)
    yield Case("clamp_of_bytes", "memfmt.elementwise clamp", f"{{parameters = {floats(0, 300)}}}", [small],
               [np.maximum(small, 0)])
    half = x.astype(np.float16)
    half[0, 0, 0, :3] = np.nan, np.inf, -np.inf
    yield Case("nan_to_num_of_half", "memfmt.elementwise nan_to_num", f"{{parameters = {floats(1.5)}}}", [half],
               [np.nan_to_num(half, nan=1.5)])
    far = np.full((2, 6, 4, 5), 1e8, np.float32)
    yield Case("lerp_to_the_end", "memfmt.elementwise lerp", "", [far, np.ones_like(far), np.ones_like(far)],
               [np.ones_like(far)])
    mask = (random(2, 6, 1, 1) > 0).astype(np.float32)
    yield Case("dropout", "memfmt.dropout", "{probability = 2.5e-01 : f64}", [x, mask], [x * mask / 0.75])
    yield Case("dropout_inference", "memfmt.dropout", "{probability = 2.5e-01 : f64}", [x], [x])
    yield Case("to", "memfmt.request_format to preserve", "", [x], [x.astype(np.float64)])
    yield Case("clone", "memfmt.request_format clone channels_last", "", [x], [x])
    yield Case("full_like", "memfmt.full_like preserve", "{value = 2.5 : f64}", [x], [np.full_like(x, 2.5)])


def movement():
    x = random(2, 6, 4, 5)
    yield Case("permute", "memfmt.permute", "{permutation = array<i64: 0, 2, 3, 1>}", [x], [x.transpose(0, 2, 3, 1)])
    yield Case("reshape", "memfmt.reshape", "", [x], [x.reshape(2, 3, 2, 20)])
    yield Case("flatten", "memfmt.reshape", "", [x], [x.reshape(2, 120)])
    one = random(2, 1, 4, 1)
    yield Case("expand", "memfmt.expand", "", [one], [np.broadcast_to(one, (2, 3, 4, 5)).copy()])
    yield Case("squeeze", "memfmt.squeeze", "{axes = array<i64: 1, 2, 3>}", [one], [one.reshape(2, 4)])
    yield Case("unsqueeze", "memfmt.unsqueeze", "{axis = 2 : i64}", [x], [x[:, :, None]])
    yield Case("select", "memfmt.select", "{axis = 1 : i64, index = 3 : i64}", [x], [x[:, 3]])
    yield Case("diagonal", "memfmt.diagonal", "{axis1 = 2 : i64, axis2 = 3 : i64}", [x], [np.diagonal(x, 0, 2, 3).copy()])
    yield Case("sliding_window", "memfmt.sliding_window", "{axis = 2 : i64, size = 3 : i64, step = 1 : i64}", [x],
               [np.lib.stride_tricks.sliding_window_view(x, 3, 2).copy()])
    low, high = (0, 0, 1, 2), (0, 0, 2, 1)
    pads = list(zip(low, high))
    for mode, name in (("constant", "constant"), ("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")):
        extra = {"constant_values": 1.5} if mode == "constant" else {}
        value = ", value = 1.5 : f64" if mode == "constant" else ""
        yield Case(f"pad_{mode}", f"memfmt.pad {mode}", f"{{low = {array(*low)}, high = {array(*high)}{value}}}", [x],
                   [np.pad(x, pads, mode=name, **extra)])
    yield Case("pad_channels", "memfmt.pad constant", f"{{low = {array(1, 2, 0, 0)}, high = {array(0, 1, 0, 0)}}}", [x],
               [np.pad(x, [(1, 0), (2, 1), (0, 0), (0, 0)])])
    yield Case("crop", "memfmt.pad constant", f"{{low = {array(0, -1, 1, -1)}, high = {array(0, -2, -1, 0)}}}", [x],
               [np.pad(x, [(0, 0), (0, 0), (1, 0), (0, 0)])[:, 1:-2, :-1, 1:]])
    yield Case("flip", "memfmt.flip", "{axes = array<i64: 1, 3>}", [x], [np.flip(x, (1, 3)).copy()])
    yield Case("roll", "memfmt.roll", "{axes = array<i64: 1, 2>, shifts = array<i64: -2, 5>}", [x],
               [np.roll(x, (-2, 5), (1, 2))])
    yield Case("repeat", "memfmt.repeat", "{repeats = array<i64: 1, 2, 1, 3>}", [x], [np.tile(x, (1, 2, 1, 3))])
    yield Case("repeat_interleave", "memfmt.repeat", "{repeats = array<i64: 1, 2, 1, 1>, interleave}", [x],
               [np.repeat(x, 2, 1)])
    y = random(2, 6, 4, 5)
    yield Case("stack", "memfmt.stack", "{axis = 1 : i64}", [x, y], [np.stack([x, y], 1)])
    yield Case("concat", "tensor.concat dim(1)", "", [x, y], [np.concatenate([x, y], 1)])
    indices = np.array([5, 0, 0, 2], np.int64)
    yield Case("index_select", "memfmt.index_select", "{axis = 1 : i64}", [x, indices], [x[:, indices]])
    z = random(2, 8, 3, 4)
    yield Case("pixel_shuffle", "memfmt.pixel_shuffle", "{factor = 2 : i64}", [z], [ref.shuffle(z, 2)])
    cube = random(1, 16, 2, 3, 2)
    yield Case("pixel_shuffle_3d", "memfmt.pixel_shuffle", "{factor = 2 : i64}", [cube], [ref.shuffle(cube, 2)])
    w = random(2, 3, 4, 6)
    yield Case("pixel_unshuffle", "memfmt.pixel_unshuffle", "{factor = 2 : i64}", [w], [ref.unshuffle(w, 2)])
    yield Case("channel_shuffle", "memfmt.channel_shuffle", "{groups = 3 : i64}", [x],
               [x.reshape(2, 3, 2, 4, 5).transpose(0, 2, 1, 3, 4).reshape(2, 6, 4, 5)])
    yield Case("glu", "memfmt.glu", "{axis = 1 : i64}", [x], [x[:, :3] * ref.sigmoid(x[:, 3:])])


def windows():
    for name, shape, k, groups in (("1d", (2, 4, 7), (3,), 1), ("2d", (2, 4, 5, 6), (3, 2), 2), ("3d", (1, 2, 3, 4, 3), (2, 2, 2), 1)):
        n = len(k)
        stride, low, high, dilation = (2,) * n, (1,) * n, (0,) * n, (1,) * (n - 1) + (2,)
        extra = f", groups = {groups} : i64"
        x = random(*shape)
        w = random(6, shape[1] // groups, *k)
        args = (stride, low, high, dilation, groups)
        y = ref.conv(x.astype(np.float64), w, *args)
        yield Case(f"conv{name}", "memfmt.conv %0, %1", window(stride, low, high, dilation, extra), [x, w], [y])
        dy = random(*y.shape)
        yield Case(f"conv_backward{name}", "memfmt.conv_backward", window(stride, low, high, dilation, extra),
                   [dy, x, w], ref.conv_backward(dy.astype(np.float64), x, w, *args))
        output_padding = (1,) * n
        t, bias = random(shape[1], 6 // groups, *k), random(6)
        yield Case(f"conv_transpose{name}", "memfmt.conv_transpose",
                   window(stride, low, high, dilation, f", output_padding = {array(*output_padding)}{extra}"),
                   [x, t, bias], [ref.conv_transpose(x.astype(np.float64), t, stride, low, high, dilation, output_padding,
                                                     groups) + ref.along_channels(bias, x.ndim)])
        size = (3,) + (2,) * (n - 1)
        pool = (size, stride, (1,) + (0,) * (n - 1), high, (1,) * n)
        attrs = window(*pool[1:], f", window = {array(*size)}")
        values, indices = ref.max_pool_indices(x, *pool)
        yield Case(f"max_pool_indices{name}", "memfmt.max_pool_indices", attrs, [x], [values.astype(np.float32), indices])
        yield Case(f"max_unpool{name}", "memfmt.max_unpool", "", [values.astype(np.float32), indices],
                   [ref.max_unpool(values, indices, shape[2:])])
        dv = random(*values.shape)
        for kind in ("max", "avg", "sum"):
            yield Case(f"{kind}_pool_backward{name}", f"memfmt.pool_backward {kind}", attrs, [dv, x],
                       [ref.pool_backward(kind, dv, x, False, *pool)])
        yield Case(f"avg_pool_backward_exclude{name}", "memfmt.pool_backward avg",
                   attrs[:-1] + ", exclude_pad}", [dv, x], [ref.pool_backward("avg", dv, x, True, *pool)])
        if n == 1:
            # PyTorch 2.15: the last NaN of a window is its maximum.
            nan = np.array([[[0, 1, np.nan, np.nan, 2, 0, 0]]], np.float32)
            attrs = window((2,), (1,), (1,), (1,), ", window = array<i64: 3>")
            yield Case("max_pool_indices_nan", "memfmt.max_pool_indices", attrs, [nan],
                       [np.array([[[1, np.nan, np.nan, 0]]], np.float32), np.array([[[1, 3, 3, 5]]])])
            yield Case("max_pool_backward_nan", "memfmt.pool_backward max", attrs,
                       [np.array([[[1, 2, 4, 8]]], np.float32), nan], [np.array([[[0, 1, 0, 6, 0, 8, 0]]], np.float32)])
        for kind in ("avg", "max"):
            for out in ((1,) * n, (2,) * n):
                yield Case(f"adaptive_{kind}{name}_{out[0]}", f"memfmt.adaptive_pool {kind}", "", [x],
                           [ref.adaptive_pool(kind, x.astype(np.float64), out)])
                do = random(*shape[:2], *out)
                yield Case(f"adaptive_{kind}_backward{name}_{out[0]}", f"memfmt.adaptive_pool_backward {kind}", "",
                           [do, x], [ref.adaptive_pool_backward(kind, do, x)])
    yield from sums_of_half()


def sums_of_half():
    """Sums of more ones than f16 can count: 2048 + 1 is 2048 there. They are kept in f32."""

    def half(value, *shape):
        return np.full(shape, value, np.float16)

    def ones(*shape):
        return half(1, *shape)

    plain = window((1, 1), (0, 0), (0, 0), (1, 1), ", groups = 1 : i64")
    yield Case("conv_of_half", "memfmt.conv %0, %1", plain, [ones(1, 300, 3, 3), ones(2, 300, 3, 3)], [half(2700, 1, 2, 1, 1)])
    yield Case("conv_of_half_to_single", "memfmt.conv %0, %1", plain, [ones(1, 683, 3, 1), ones(2, 683, 3, 1)],
               [np.full((1, 2, 1, 1), 2049, np.float32)])
    yield Case("conv_of_half_groups", "memfmt.conv %0, %1", plain.replace("groups = 1", "groups = 2"),
               [ones(1, 600, 3, 3), ones(2, 300, 3, 3)], [half(2700, 1, 2, 1, 1)])
    yield Case("conv_transpose_of_half", "memfmt.conv_transpose", plain[:-1] + f", output_padding = {array(0, 0)}}}",
               [ones(1, 2700, 1, 1), ones(2700, 1, 2, 2), ones(1)], [half(2701, 1, 1, 2, 2)])
    yield Case("conv_backward_of_half", "memfmt.conv_backward", plain,
               [ones(1, 2700, 1, 1), ones(1, 1, 1, 1), ones(2700, 1, 1, 1)],
               [half(2700, 1, 1, 1, 1), ones(2700, 1, 1, 1), ones(2700)])
    long = window((1,), (2699,), (2699,), (1,), ", window = array<i64: 2700>")
    for kind, value in (("sum", 2700), ("avg", 1)):
        yield Case(f"{kind}_pool_backward_of_half", f"memfmt.pool_backward {kind}", long, [ones(1, 1, 5399), ones(1, 1, 2700)],
                   [half(value, 1, 1, 2700)])
    yield Case("adaptive_avg_of_half", "memfmt.adaptive_pool avg", "", [ones(1, 1, 60, 60)], [ones(1, 1, 1, 1)])
    yield Case("adaptive_avg_backward_of_half", "memfmt.adaptive_pool_backward avg", "",
               [ones(1, 1, 2700, 1), ones(1, 1, 1, 1)], [half(2700, 1, 1, 1, 1)])
    yield Case("batch_norm_of_half", "memfmt.batch_norm", "",
               [half(3, 1, 2, 3, 3)] + [np.full(2, value, np.float32) for value in (1, 4 - 1e-5, 2, 1)], [half(3, 1, 2, 3, 3)])


def resizing():
    for shape, out in (((2, 3, 5), (9,)), ((2, 5, 4, 5), (7, 3)), ((1, 2, 3, 2, 4), (5, 4, 3))):
        x = random(*shape)
        for mode in ("nearest", "linear", "cubic"):
            if mode == "cubic" and len(shape) == 5:
                continue
            for coordinates in ("asymmetric", "half_pixel", "align_corners"):
                name = f"{mode}_{coordinates}_{len(out)}d"
                y = ref.resize(x.astype(np.float64), mode, coordinates, out)
                yield Case(name, f"memfmt.resize {mode} {coordinates}", "", [x], [y])
                dy = random(*y.shape)
                yield Case(name + "_backward", f"memfmt.resize_backward {mode} {coordinates}", "", [dy],
                           [ref.resize(dy.astype(np.float64), mode, coordinates, shape[2:], transposed=True)])


def norms():
    eps = "epsilon = 1.0e-05 : f64"
    for shape in ((2, 6, 7), (2, 6, 4, 5), (2, 6, 2, 3, 2)):
        x, dy = random(*shape), random(*shape)
        scale, offset = random(6), random(6)
        x64, name = x.astype(np.float64), f"_{len(shape)}"
        axes = (0, *range(2, len(shape)))
        mean, var = x64.mean(axes), x64.var(axes)
        yield Case("group_norm" + name, "memfmt.group_norm %0 scale %1 offset %2", f"{{groups = 3 : i64, {eps}}}",
                   [x, scale, offset], [ref.group_norm(x64, 3, 1e-5, scale, offset)])
        yield Case("instance_norm" + name, "memfmt.instance_norm %0", f"{{{eps}}}", [x], [ref.group_norm(x64, 6, 1e-5)])
        last = random(*shape[-2:]), random(*shape[-2:])
        yield Case("layer_norm" + name, "memfmt.layer_norm %0 scale %1 offset %2", f"{{num_axes = 2 : i64, {eps}}}",
                   [x, *last], [ref.normalise(x64, (-2, -1), 1e-5) * last[0] + last[1]])
        yield Case("batch_norm_training" + name, "memfmt.batch_norm_training %0 scale %1 offset %2", f"{{{eps}}}",
                   [x, scale, offset],
                   [ref.normalise(x64, axes, 1e-5) * ref.along_channels(scale, x.ndim) +
                    ref.along_channels(offset, x.ndim), mean, var])
        stats = mean.astype(np.float32), var.astype(np.float32)
        yield Case("batch_norm" + name, "memfmt.batch_norm", "", [x, *stats, scale, offset],
                   [(x64 - ref.along_channels(stats[0], x.ndim)) /
                    np.sqrt(ref.along_channels(stats[1], x.ndim) + 1e-5) * ref.along_channels(scale, x.ndim) +
                    ref.along_channels(offset, x.ndim)])
        yield Case("batch_norm_backward" + name, "memfmt.batch_norm_backward", f"{{{eps}}}", [dy, x, *stats, scale],
                   ref.batch_norm_backward(dy.astype(np.float64), x64, *stats, scale, 1e-5))
        yield Case("group_norm_backward" + name, "memfmt.group_norm_backward", f"{{groups = 3 : i64, {eps}}}",
                   [dy, x, scale], ref.group_norm_backward(dy.astype(np.float64), x64, scale, 3, 1e-5))
        yield Case("layer_norm_backward" + name, "memfmt.layer_norm_backward", f"{{num_axes = 2 : i64, {eps}}}",
                   [dy, x, last[0]], ref.layer_norm_backward(dy.astype(np.float64), x64, last[0], 2, 1e-5))
        for size in (3, 4):
            yield Case(f"lrn{size}" + name, "memfmt.local_response_norm",
                       f"{{size = {size} : i64, alpha = 0.1 : f64, beta = 0.75 : f64, k = 1.0 : f64}}", [x],
                       [ref.local_response_norm(x64, size, 0.1, 0.75, 1.0)])
        for axis in range(len(shape)):
            yield Case(f"softmax{axis}" + name, "memfmt.softmax", f"{{axis = {axis} : i64}}", [x],
                       [ref.softmax(x64, axis)])
        yield Case("log_softmax" + name, "memfmt.softmax", "{axis = 1 : i64, log}", [x], [np.log(ref.softmax(x64, 1))])


def reductions():
    x = random(2, 6, 4, 5)
    x64 = x.astype(np.float64)
    signs = (x > -1.9)
    for axes in ((1,), (2, 3), (0, 1, 2, 3)):
        for keep in (False, True):
            attrs = f"{{axes = {array(*axes)}{', keep_axes' if keep else ''}}}"
            name = "".join(map(str, axes)) + ("k" if keep else "")
            for kind, function in (("sum", np.sum), ("mean", np.mean), ("prod", np.prod), ("max", np.max), ("min", np.min)):
                yield Case(f"{kind}_{name}", f"memfmt.reduce {kind}", attrs, [x],
                           [function(x64, axis=axes, keepdims=keep)])
            for kind in ("var", "std"):
                yield Case(f"{kind}_{name}", f"memfmt.reduce {kind}", attrs, [x],
                           [getattr(np, kind)(x64, axis=axes, ddof=1, keepdims=keep)])
            yield Case(f"logsumexp_{name}", f"memfmt.reduce logsumexp", attrs, [x], [ref.logsumexp(x64, axes, keep)])
            yield Case(f"any_{name}", "memfmt.reduce any", attrs, [~signs], [(~signs).any(axis=axes, keepdims=keep)])
            yield Case(f"all_{name}", "memfmt.reduce all", attrs, [signs], [signs.all(axis=axes, keepdims=keep)])
    for kind, function in (("argmax", np.argmax), ("argmin", np.argmin)):
        yield Case(kind, f"memfmt.reduce {kind}", "{axes = array<i64: 1>}", [np.round(x)],
                   [function(np.round(x), axis=1).astype(np.int64)])
    a, b = random(2, 1, 4, 5), random(3, 5, 7)
    yield Case("matmul", "memfmt.matmul", "", [a, b], [a.astype(np.float64) @ b])
    weight = random(7, 5)
    yield Case("linear", "memfmt.matmul", "{transpose_b}", [a, weight], [a.astype(np.float64) @ weight.T])


FAMILIES = {f.__name__: f for f in (elementwise, movement, windows, resizing, norms, reductions)}


# --- running ----------------------------------------------------------------------------


def result_array(case, y):
    """Floats as the operation gives them: in the type of its first operand."""
    if y.dtype == np.float64 and case.name != "to":
        return y.astype(np.float32)
    return y


def type_of(x, encoding=None):
    shape = "".join(f"{size}x" for size in x.shape)
    return f"tensor<{shape}{ELEMENT[x.dtype.name]}{', ' + encoding if encoding else ''}>"


def spell(case, operands, types, result, results):
    names = [f"%{result}_{i}" for i in range(len(results))]
    left = ", ".join(names)
    right = results[0] if len(results) == 1 else "(" + ", ".join(results) + ")"
    if case.name.startswith("batch_norm_") and "training" not in case.name and "backward" not in case.name:
        return names, (f"  {left} = memfmt.batch_norm {', '.join(operands)} {{epsilon = 1.0e-05 : f64}} : "
                       f"{types[0]}, {types[1]} -> {right}")
    text = case.text
    if "%0" in text:
        for i, operand in enumerate(operands):
            text = text.replace(f"%{i}", operand)
    else:
        text += " " + ", ".join(operands)
    functional = f"({', '.join(types)}) -> {right}"
    if case.text.startswith("memfmt.conv %0"):
        functional = f"{', '.join(types)} -> {right}"
    return names, f"  {left} = {text} {case.attrs} : {functional}"


def program(cases, formats):
    """One function that runs all cases in a format."""
    arguments, body, returned, types = [], [], [], []
    for number, case in enumerate(cases):
        operands, encoded = [], []
        for i, x in enumerate(case.inputs):
            name = f"%x{number}_{i}"
            arguments.append(f"{name}: {type_of(x)}")
            encoding = formats.get(x.ndim)
            # Weights of a matrix product and vectors stay as they are.
            if encoding and not case.text.startswith("memfmt.matmul"):
                body.append(f"  {name}e = memfmt.to_format {name} : {type_of(x)} to {type_of(x, encoding)}")
                name += "e"
            else:
                encoding = None
            operands.append(name)
            encoded.append(type_of(x, encoding))
        results = []
        for y in case.outputs:
            encoding = formats.get(y.ndim)
            row_major = case.text.startswith(("memfmt.reduce", "memfmt.matmul", "memfmt.stack"))
            results.append(type_of(result_array(case, y), None if row_major else encoding))
        names, text = spell(case, operands, encoded, f"y{number}", results)
        body.append(text)
        for name, y, type_ in zip(names, case.outputs, results):
            plain = type_of(result_array(case, y))
            if type_ != plain:
                body.append(f"  {name}p = memfmt.to_format {name} : {type_} to {plain}")
                name += "p"
            returned.append(name)
            types.append(plain)
    return (f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n" + "\n".join(body) +
            f"\n  return {', '.join(returned)} : {', '.join(types)}\n}}\n")


def run(base, cases, formats):
    """The error of running these cases together, or None."""
    with open(base + ".mlir", "w") as file:
        file.write(program(cases, formats))
    inputs = [x for case in cases for x in case.inputs]
    np.savez(base + ".in.npz", **{f"arg{i}": x for i, x in enumerate(inputs)})
    np.savez(base + ".out.npz", *[result_array(case, y) for case in cases for y in case.outputs])
    for command in (["memfmt-opt", base + ".mlir", "--memfmt-materialize", "-o", base + ".physical.mlir"],
                    ["memfmt-run", base + ".physical.mlir", "--input", base + ".in.npz", "--expect", base + ".out.npz",
                     "--rtol", "2e-5", "--atol", "2e-5"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return done.stderr[-600:] or f"exit {done.returncode}"
    return None


def find_failures(base, cases, formats):
    """Cases that fail, found by halving: a run is mostly start-up."""
    error = run(base, cases, formats)
    if error is None:
        return []
    if len(cases) == 1:
        return [(cases[0], error)]
    half = len(cases) // 2
    found = find_failures(base + "0", cases[:half], formats) + find_failures(base + "1", cases[half:], formats)
    return found or [(cases[0], f"only together with others, in {base}.mlir: {error}")]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    count, failed = 0, 0
    for family in sys.argv[2:] or FAMILIES:
        cases = list(FAMILIES[family]())
        for name, formats in FORMATS.items():
            count += len(cases)
            chosen = cases
            if name == "blocked":  # Those that have lowerings of their own know no blocks.
                chosen = [c for c in cases if not c.text.startswith(("memfmt.conv %0", "tensor.")) and
                          not c.name.startswith("batch_norm_") or "training" in c.name or "backward" in c.name]
            for case, error in find_failures(os.path.join(folder, f"{family}_{name}"), chosen, formats):
                failed += 1
                print(f"{family} {case.name} in {name} fails: {error}")
    print(f"{count} operations, {failed} fail")
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
