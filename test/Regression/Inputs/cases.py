#!/usr/bin/env python3
"""Faults that other systems had, each reduced to a program with the right values.

usage: cases.py FOLDER [CASE...]

Every case names the public report that it is from. A case is a program, its inputs and
results, and the number of run-time conversions that the assigned program may contain.
"""

import json
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Execution/Inputs"))
import references as ref  # noqa: E402

RNG = np.random.default_rng(3)
ELEMENT = {"float32": "f32", "float64": "f64", "int8": "i8", "int32": "i32", "int64": "i64", "bool": "i1"}
CL = "#memfmt.format<channels_last>"
ONE = "{strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}"
EPS = "epsilon = 1.0e-05 : f64"


def random(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def type_of(x, encoding=None):
    shape = "".join(f"{size}x" for size in x.shape)
    return f"tensor<{shape}{ELEMENT[x.dtype.name]}{', ' + encoding if encoding else ''}>"


def conv3x3(x, w):
    return ref.conv(x.astype(np.float64), w, (1, 1), (1, 1), (1, 1), (1, 1), 1).astype(np.float32)


class Program:
    """The main function under construction; values are (name, type)."""

    def __init__(self):
        self.arguments, self.lines, self.inputs = [], [], []

    def argument(self, x, encoding=None):
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {type_of(x, encoding)}")
        self.inputs.append(x)
        return name, type_of(x, encoding)

    def op(self, text, operands, *types, functional=True, between=", "):
        """Appends `text` with its operands filled in for %0, %1 ..., or behind it."""
        names = [f"%v{len(self.lines)}_{i}" for i in range(len(types))]
        head, _, attrs = text.partition(" {")
        if "%0" in head:
            for i, (name, _) in enumerate(operands):
                head = head.replace(f"%{i}", name)
        else:
            head += " " + between.join(name for name, _ in operands)
        results = types[0] if len(types) == 1 else "(" + ", ".join(types) + ")"
        sources = ", ".join(type_ for _, type_ in operands)
        signature = f"({sources}) -> {results}" if functional else f"{sources} -> {results}"
        self.lines.append(f"  {', '.join(names)} = {head} {'{' + attrs if attrs else ''} : {signature}")
        return list(zip(names, types)) if len(types) > 1 else (names[0], types[0])

    def conv(self, x, w, type_):
        return self.op("memfmt.conv " + ONE, [x, w], type_, functional=False)

    def to_format(self, value, type_):
        name = f"%v{len(self.lines)}_0"
        self.lines.append(f"  {name} = memfmt.to_format {value[0]} : {value[1]} to {type_}")
        return name, type_

    def slice(self, x, offsets, sizes, strides, type_):
        name = f"%v{len(self.lines)}_0"
        self.lines.append(f"  {name} = tensor.extract_slice {x[0]}{offsets} {sizes} {strides} : {x[1]} to {type_}")
        return name, type_

    def text(self, results):
        types = ", ".join(type_ for _, type_ in results)
        return (f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{\n" + "\n".join(self.lines) +
                f"\n  return {', '.join(name for name, _ in results)} : {types}\n}}\n")


CASES = {}


def case(report, conversions=0):
    """Registers a generator of (name, program, results, expected arrays)."""
    def register(function):
        CASES[function.__name__] = (report, conversions, function)
        return function
    return register


@case("pytorch/pytorch#82060")
def one_input_channel():
    x, w = random(1, 1, 20, 20), random(16, 1, 3, 3)
    for fx in (None, CL):
        for fw in (None, CL):
            p = Program()
            y = conv3x3(x, w)
            yield "", p, [p.conv(p.argument(x, fx), p.argument(w, fw), type_of(y))], [y]


@case("pytorch/pytorch#64039", conversions=1)
def batch_norm_gradient_in_another_format():
    x, dy, scale = random(4, 8, 5, 5), random(4, 8, 5, 5), random(8)
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
    p = Program()
    operands = [p.argument(dy, CL), p.argument(x)] + [p.argument(v) for v in (mean, var, scale)]
    out = p.op(f"memfmt.batch_norm_backward {{{EPS}}}", operands, type_of(x), type_of(scale), type_of(scale))
    yield "", p, out, ref.batch_norm_backward(dy.astype(np.float64), x, mean, var, scale, 1e-5)


@case("pytorch/pytorch#107199")
def batch_norm_gradient_keeps_its_format():
    x, dy, scale = random(2, 3, 4, 4, 4), random(2, 3, 4, 4, 4), random(3)
    axes = (0, 2, 3, 4)
    mean, var = x.mean(axes), x.var(axes)
    p = Program()
    operands = [p.argument(dy, CL), p.argument(x, CL)] + [p.argument(v) for v in (mean, var, scale)]
    out = p.op(f"memfmt.batch_norm_backward {{{EPS}}}", operands, type_of(x, CL), type_of(scale), type_of(scale))
    yield "", p, out, ref.batch_norm_backward(dy.astype(np.float64), x, mean, var, scale, 1e-5)


@case("pytorch/pytorch#111824")
def norms_keep_channels_last():
    x, w = random(2, 32, 6, 6), random(8, 32, 3, 3) * np.float32(0.1)
    for groups, op in ((8, "memfmt.group_norm {groups = 8 : i64, " + EPS + "}"), (32, "memfmt.instance_norm {" + EPS + "}")):
        p = Program()
        n = p.op(op, [p.argument(x, CL)], type_of(x))
        normed = ref.group_norm(x.astype(np.float64), groups, 1e-5)
        y = conv3x3(normed, w)
        out = p.conv(n, p.argument(w), type_of(y))
        yield f"_{groups}", p, [p.to_format(out, type_of(y, CL))], [y]


@case("pytorch/pytorch#140913")
def group_norm_weight_gradient():
    x, dy, scale = random(2, 6, 4, 4), random(2, 6, 4, 4), random(6)
    for format_ in (None, CL):
        p = Program()
        out = p.op(f"memfmt.group_norm_backward {{groups = 3 : i64, {EPS}}}",
                   [p.argument(dy, format_), p.argument(x, format_), p.argument(scale)],
                   type_of(x, format_), type_of(scale), type_of(scale))
        yield "", p, out, ref.group_norm_backward(dy.astype(np.float64), x.astype(np.float64), scale, 3, 1e-5)


@case("pytorch/pytorch#34084")
def concat_keeps_channels_last():
    x, y = random(2, 4, 5, 5), random(2, 4, 5, 5)
    for axis in range(4):
        p = Program()
        z = np.concatenate([x, y], axis)
        out = p.op(f"tensor.concat dim({axis})", [p.argument(x, CL), p.argument(y, CL)], type_of(z))
        yield f"_{axis}", p, [p.to_format(out, type_of(z, CL))], [z]


@case("pytorch/pytorch#133665")
def pixel_shuffle_of_five_axes():
    x = random(2, 8, 4, 4, 4)
    p = Program()
    y = ref.shuffle(x, 2)
    yield "", p, [p.op("memfmt.pixel_shuffle {factor = 2 : i64}", [p.argument(x, CL)], type_of(y, CL))], [y]


@case("pytorch/pytorch#171622")
def transposed_convolutions_and_their_gradients():
    x = random(1, 2, 3, 3)
    two = ("{strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, "
           "dilations = array<i64: 1, 1>, ")
    args = ((2, 2), (0, 0), (0, 0), (1, 1))
    p = Program()
    value, number = p.argument(x, CL), x.astype(np.float64)
    steps = []
    for channels in (3, 2):
        w = random(number.shape[1], channels, 5, 5)
        wide = ref.conv_transpose(number, w, *args, (0, 0), 1)
        arg = p.argument(w)
        value = p.op("memfmt.conv_transpose " + two + "output_padding = array<i64: 0, 0>, groups = 1 : i64}",
                     [value, arg], type_of(wide.astype(np.float32)))
        value = p.op("memfmt.elementwise relu", [value], value[1])
        steps.append((w, arg, wide))
        number = np.maximum(wide, 0)
    gradient = random(*number.shape)
    g, gn = p.argument(gradient, CL), gradient.astype(np.float64)
    results, expected = [p.to_format(value, type_of(number.astype(np.float32), CL))], [number]
    # The gradient of a transposed convolution is a convolution with its filter.
    for w, arg, wide in reversed(steps):
        dx = ref.conv(gn, w, *args, 1)
        g = p.op("memfmt.conv " + two + "groups = 1 : i64}", [g, arg], type_of(dx.astype(np.float32)), functional=False)
        results.append(p.to_format(g, type_of(dx.astype(np.float32), CL)))
        expected.append(dx)
        gn = dx
    yield "", p, results, expected


@case("pytorch/pytorch#187173")
def unpooling_by_logical_places():
    x = random(1, 2, 3, 6)
    pool = ((3, 2), (3, 2), (0, 0), (0, 0), (1, 1))
    values, indices = ref.max_pool_indices(x, *pool)
    for format_ in (None, CL):
        p = Program()
        v, i = p.op("memfmt.max_pool_indices {window = array<i64: 3, 2>, strides = array<i64: 3, 2>, "
                    "pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilations = array<i64: 1, 1>}",
                    [p.argument(x, format_)], type_of(values.astype(np.float32)), type_of(indices))
        y = p.op("memfmt.max_unpool", [v, i], type_of(x))
        results = [p.to_format(y, type_of(x, format_)), p.to_format(i, type_of(indices, format_))]
        yield "", p, results, [ref.max_unpool(values, indices, (3, 6)), indices]


@case("pytorch/pytorch#98436", conversions=2)
def flattened_behind_convolutions():
    x, w1, w2 = random(1, 3, 8, 8), random(8, 3, 3, 3), random(8, 8, 3, 3) * np.float32(0.2)
    p = Program()
    a = np.maximum(conv3x3(x, w1), 0)
    b = np.maximum(conv3x3(a, w2), 0)
    h = p.op("memfmt.elementwise relu", [p.conv(p.argument(x), p.argument(w1), type_of(a))], type_of(a))
    h = p.op("memfmt.elementwise relu", [p.conv(h, p.argument(w2), type_of(b))], type_of(b))
    flat = b.reshape(-1, 512)
    yield "", p, [p.op("memfmt.reshape", [h], type_of(flat))], [flat]


@case("pytorch/pytorch#120873")
def any_batch_of_one_channel():
    w = random(10, 1, 3, 3)
    for n in (1, 2, 7):
        x = random(n, 1, 8, 8)
        p = Program()
        y = conv3x3(x, w)
        yield f"_{n}", p, [p.conv(p.argument(x), p.argument(w), type_of(y))], [y]


@case("pytorch/pytorch#197514", conversions=2)
def gradient_in_the_declared_format():
    x, w, dy = random(1, 3, 4, 4), random(5, 3, 3, 3), random(1, 5, 2, 2)
    args = ((2, 2), (1, 1), (1, 1), (1, 1), 1)
    attrs = ("{strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, "
             "dilations = array<i64: 1, 1>, groups = 1 : i64}")
    p = Program()
    pinned = p.argument(x)
    p.lines.append(f"  %pin = memfmt.pin {pinned[0]} : {pinned[1]} to {type_of(x, CL)}")
    out = p.op("memfmt.conv_backward " + attrs, [p.argument(dy), ("%pin", type_of(x, CL)), p.argument(w)],
               type_of(x), type_of(w), type_of(random(5)))
    yield "", p, out, ref.conv_backward(dy.astype(np.float64), x, w, *args)


@case("pytorch/pytorch#34812")
def upsampling_and_its_gradient():
    x = random(2, 3, 4, 5)
    for mode in ("nearest asymmetric", "linear half_pixel"):
        p = Program()
        words = mode.split()
        up = ref.resize(x.astype(np.float64), *words, (8, 10))
        dy = random(*up.shape)
        y = p.op(f"memfmt.resize {mode}", [p.argument(x, CL)], type_of(dy))
        dx = p.op(f"memfmt.resize_backward {mode}", [p.argument(dy, CL)], type_of(x))
        yield f"_{words[0]}", p, [p.to_format(y, type_of(dy, CL)), p.to_format(dx, type_of(x, CL))], [
            up, ref.resize(dy.astype(np.float64), *words, (4, 5), transposed=True)]


@case("pytorch/pytorch#89477", conversions=2)
def dense_block():
    x, y1 = random(1, 8, 6, 6), random(1, 8, 6, 6)
    w1, w2 = random(8, 16, 3, 3) * np.float32(0.2), random(8, 24, 3, 3) * np.float32(0.2)
    p = Program()
    c1 = np.concatenate([x, y1], 1)
    y2 = conv3x3(c1, w1)
    c2 = np.concatenate([c1, y2], 1)
    y3 = conv3x3(c2, w2)
    a = p.op("tensor.concat dim(1)", [p.argument(x), p.argument(y1)], type_of(c1))
    b = p.conv(a, p.argument(w1), type_of(y2))
    c = p.op("tensor.concat dim(1)", [a, b], type_of(c2))
    yield "", p, [p.conv(c, p.argument(w2), type_of(y3))], [y3]


@case("pytorch/pytorch#157862")
def equal_layouts_of_one_pixel():
    w = random(32, 16, 1, 1)
    p = Program()
    x = p.argument(w)
    yield "", p, [p.to_format(x, type_of(w, CL))], [w]


@case("microsoft/onnxruntime#9671")
def permute_then_squeeze_integers():
    x = RNG.integers(-5, 5, (1, 2, 3))
    p = Program()
    y = x.transpose(1, 0, 2)
    a = p.op("memfmt.permute {permutation = array<i64: 1, 0, 2>}", [p.argument(x)], type_of(y))
    yield "", p, [p.op("memfmt.squeeze {axes = array<i64: 1>}", [a], type_of(y[:, 0]))], [y[:, 0]]


@case("microsoft/onnxruntime#12706")
def nearest_with_a_broken_scale():
    x = random(1, 4, 13, 13)
    y = ref.resize(x.astype(np.float64), "nearest", "asymmetric", (20, 20))
    for format_ in (None, CL):
        p = Program()
        yield "", p, [p.op("memfmt.resize nearest asymmetric", [p.argument(x, format_)],
                           type_of(y.astype(np.float32), format_))], [y]


@case("microsoft/onnxruntime#15477")
def resize_parameters_stay_logical():
    x = random(1, 2, 3, 4)
    y = ref.resize(x.astype(np.float64), "linear", "half_pixel", (6, 12))
    p = Program()
    yield "", p, [p.op("memfmt.resize linear half_pixel {scales = array<f64: 5.0e-01, 3.3333333333333331e-01>}",
                       [p.argument(x, CL)], type_of(y.astype(np.float32), CL))], [y]


@case("microsoft/onnxruntime#18128", conversions=2)
def channels_split_by_a_reshape():
    x, w = random(1, 16, 4, 4), random(16, 16, 3, 3) * np.float32(0.2)
    a = conv3x3(x, w)
    grouped = a.reshape(1, 4, 64)
    normed = ref.group_norm(grouped.astype(np.float64), 4, 1e-5)
    b = conv3x3(normed.reshape(1, 16, 4, 4).astype(np.float32), w)
    p = Program()
    weights = p.argument(w)
    h = p.conv(p.argument(x, CL), weights, type_of(a))
    h = p.op("memfmt.reshape", [h], type_of(grouped))
    h = p.op(f"memfmt.instance_norm {{{EPS}}}", [h], type_of(grouped))
    h = p.op("memfmt.reshape", [h], type_of(a))
    yield "", p, [p.to_format(p.conv(h, weights, type_of(b)), type_of(b, CL))], [b]


@case("microsoft/onnxruntime#18128")
def the_same_as_group_norm():
    x, w = random(1, 16, 4, 4), random(16, 16, 3, 3) * np.float32(0.2)
    a = conv3x3(x, w)
    b = conv3x3(ref.group_norm(a.astype(np.float64), 4, 1e-5).astype(np.float32), w)
    p = Program()
    weights = p.argument(w)
    h = p.conv(p.argument(x, CL), weights, type_of(a))
    h = p.op(f"memfmt.group_norm {{groups = 4 : i64, {EPS}}}", [h], type_of(a))
    yield "", p, [p.to_format(p.conv(h, weights, type_of(b)), type_of(b, CL))], [b]


@case("microsoft/onnxruntime#32418")
def identity_permutation_of_a_matrix():
    x, w = random(3, 4), random(4, 5)
    p = Program()
    same = p.op("memfmt.permute {permutation = array<i64: 0, 1>}", [p.argument(w)], type_of(w))
    y = x.astype(np.float64) @ w
    yield "", p, [p.op("memfmt.matmul", [p.argument(x), same], type_of(y.astype(np.float32)))], [y]


@case("apache/tvm#9813", conversions=1)
def argmin_over_channels():
    x, w = random(1, 4, 6, 6), random(4, 4, 3, 3)
    a = conv3x3(x, w)
    for kind in ("argmin", "argmax"):
        p = Program()
        y = getattr(a, kind)(1).astype(np.int64)
        h = p.conv(p.argument(x, CL), p.argument(w), type_of(a))
        yield f"_{kind}", p, [p.op(f"memfmt.reduce {kind} {{axes = array<i64: 1>}}", [h], type_of(y))], [y]


@case("apache/tvm#12007")
def resize_reduce_resize():
    x = random(1, 1, 1, 1)
    p = Program()
    a = p.op("memfmt.resize nearest asymmetric", [p.argument(x)], "tensor<1x1x2x4xf32>")
    b = p.op("memfmt.reduce mean {axes = array<i64: 3>}", [a], "tensor<1x1x2xf32>")
    yield "", p, [p.op("memfmt.resize nearest asymmetric", [b], "tensor<1x1x1xf32>")], [x[:, :, :, 0]]


@case("apache/tvm#8759", conversions=2)
def slice_of_blocked_channels():
    x = random(1, 64, 6, 6)
    blocks = "#memfmt.format<[0, 1, 2, 3], blocks = [1 : 4]>"
    for begin, step in ((0, 8), (3, 5)):
        p = Program()
        y = x[:, begin:63:step].copy()
        p.lines.append(f"  %pin = memfmt.pin {p.argument(x)[0]} : {type_of(x)} to {type_of(x, blocks)}")
        plain = p.to_format(("%pin", type_of(x, blocks)), type_of(x))
        yield f"_{begin}", p, [p.slice(plain, [0, begin, 0, 0], list(y.shape), [1, step, 1, 1], type_of(y))], [y]


@case("iree-org/iree#24160")
def broadcast_of_a_product():
    a, b, c = random(4, 8), random(8, 6), random(3, 4, 6)
    p = Program()
    m = p.op("memfmt.matmul", [p.argument(a), p.argument(b)], "tensor<4x6xf32>")
    wide = p.op("memfmt.expand", [m], "tensor<3x4x6xf32>")
    yield "", p, [p.op("memfmt.elementwise add", [wide, p.argument(c)], type_of(c))], [a.astype(np.float64) @ b + c]


@case("iree-org/iree#22026", conversions=2)
def blocks_larger_than_the_tensor():
    x, y = random(8, 64), random(8, 64)
    blocks = "#memfmt.format<[0, 1], blocks = [0 : 16, 1 : 16]>"
    p = Program()
    p.lines.append(f"  %pin = memfmt.pin {p.argument(x)[0]} : {type_of(x)} to {type_of(x, blocks)}")
    sum_ = p.op("memfmt.elementwise add", [("%pin", type_of(x, blocks)), p.argument(y)], type_of(x))
    yield "", p, [sum_], [x + y]


@case("llvm/llvm-project#101755", conversions=1)
def initial_output_contributes():
    x, acc = random(2, 8, 4, 4), random(2, 8, 4, 4)
    p = Program()
    a, b = p.argument(x, CL), p.argument(acc)
    p.lines.append(f"""  %sum = linalg.generic {{indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>,
      affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins({a[0]} : {a[1]}) outs({b[0]} : {b[1]}) {{
    ^bb0(%i: f32, %o: f32):
      %s = arith.addf %i, %o : f32
      linalg.yield %s : f32
    }} -> {b[1]}""")
    yield "", p, [("%sum", type_of(acc))], [x + acc]


@case("iree-org/iree#24774", conversions=2)
def zero_points_are_no_tensors():
    x, w = (RNG.integers(-9, 9, shape).astype(np.int8) for shape in ((1, 3, 6, 6), (4, 3, 3, 3)))
    y = ref.conv(x.astype(np.float64) - 3, w.astype(np.float64) + 2, (1, 1), (0, 0), (0, 0), (1, 1), 1).astype(np.int32)
    last, window = (0, 2, 3, 1), (2, 3, 1, 0)
    for name, image, filter_, out in (("nchw_fchw", x, w, y),
                                      ("nhwc_hwcf", x.transpose(last), w.transpose(window), y.transpose(last))):
        for format_ in (None, CL):
            p = Program()
            image, filter_, out = (np.ascontiguousarray(v) for v in (image, filter_, out))
            a, b, init = p.argument(image, format_), p.argument(filter_), p.argument(np.zeros_like(out))
            p.lines.append(f"""  %x = arith.constant 3 : i32
  %w = arith.constant -2 : i32
  %y = linalg.conv_2d_{name}_q {{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}}
      ins({a[0]}, {b[0]}, %x, %w : {a[1]}, {b[1]}, i32, i32) outs({init[0]} : {init[1]}) -> {init[1]}""")
            yield f"_{name}_{format_ is CL}", p, [("%y", init[1])], [out]


@case("pytorch/executorch#16464")
def constant_declared_channels_last():
    x = random(1, 4, 5, 5)
    constant = RNG.integers(-9, 9, (1, 4, 5, 5)).astype(np.float32)
    p = Program()
    type_ = type_of(constant, CL)
    p.lines.append(f"  %c = arith.constant dense<{constant.tolist()}> : {type_}")
    sum_ = p.op("memfmt.elementwise add", [p.argument(x, CL), ("%c", type_)], type_of(x))
    yield "", p, [p.to_format(sum_, type_)], [x + constant]


@case("pytorch/executorch#11086", conversions=1)
def linear_over_the_last_axis():
    x, w = random(1, 2, 3, 10), random(7, 10)
    p = Program()
    y = x.astype(np.float64) @ w.T
    yield "", p, [p.op("memfmt.matmul {transpose_b}", [p.argument(x, CL), p.argument(w)],
                       type_of(y.astype(np.float32)))], [y]


@case("pytorch/executorch#21865")
def block_copies_along_every_axis():
    x, y = random(2, 4, 6, 6), random(2, 4, 6, 6)
    for axis in range(4):
        p = Program()
        a, b = p.argument(x, CL), p.argument(y, CL)
        joined = np.concatenate([x, y], axis)
        low = [0, 0, 0, 0]
        low[axis] = 1
        padded = np.pad(x, [(l, 0) for l in low])
        half = list(x.shape)
        half[axis] //= 2
        part = x.take(range(half[axis]), axis)
        at = [0, 0, 0, 0]
        at[axis] = 1
        scattered = y.copy()
        scattered[tuple(slice(o, o + s) for o, s in zip(at, half))] = part
        ones = [1, 1, 1, 1]
        c = p.op(f"tensor.concat dim({axis})", [a, b], type_of(joined))
        d = p.op(f"memfmt.pad constant {{low = array<i64: {', '.join(map(str, low))}>, high = array<i64: 0, 0, 0, 0>}}",
                 [a], type_of(padded))
        s = p.slice(a, [0] * 4, half, ones, type_of(part))
        name = f"%v{len(p.lines)}_0"
        p.lines.append(f"  {name} = tensor.insert_slice {s[0]} into {b[0]}{at} {half} {ones} : {s[1]} into {b[1]}")
        results = [p.to_format(c, type_of(joined, CL)), p.to_format(d, type_of(padded, CL)),
                   p.to_format(s, type_of(part, CL)), (name, b[1])]
        yield f"_{axis}", p, results, [joined, padded, part, scattered]


@case("tensorflow/tensorflow#34499")
def select_with_a_scalar():
    x, mask = random(2, 4, 5, 5), RNG.integers(0, 2, (2, 4, 5, 5)).astype(bool)
    p = Program()
    p.lines.append("  %zero = arith.constant 0.0 : f32")
    y = p.op("memfmt.elementwise where", [p.argument(mask, CL), p.argument(x, CL), ("%zero", "f32")], type_of(x))
    yield "", p, [p.to_format(y, type_of(x, CL))], [np.where(mask, x, 0)]


@case("huggingface/candle#3404", conversions=1)
def equal_sizes_of_all_axes():
    x, w = random(1, 4, 4, 4), random(4, 4, 3, 3)
    for format_ in (None, CL):
        p = Program()
        y = conv3x3(x, w)
        out = p.conv(p.argument(x, format_), p.argument(w), type_of(y))
        yield "", p, [p.to_format(out, type_of(y, format_))], [y]


@case("ROCm/AMDMIGraphX#3649")
def broadcast_made_dense():
    x = random(2, 1, 4)
    p = Program()
    wide = p.op("memfmt.expand", [p.argument(x)], "tensor<1x2x3x4xf32>")
    y = p.op("memfmt.request_format clone contiguous", [wide], "tensor<1x2x3x4xf32>")
    yield "", p, [y], [np.broadcast_to(x, (1, 2, 3, 4)).copy()]


@case("PaddlePaddle/Paddle#73418", conversions=1)
def readers_of_two_kinds():
    x, m, w = random(1, 4, 6, 6), random(6, 6), random(4, 4, 3, 3)
    p = Program()
    matrix, filter_ = p.argument(m), p.argument(w)
    v = (x.astype(np.float64) @ m).astype(np.float32)
    value = p.op("memfmt.matmul", [p.argument(x), matrix], type_of(v))
    q = p.op("memfmt.matmul", [value, matrix], type_of(v))
    y = conv3x3(v, w)
    convs = [p.to_format(p.conv(value, filter_, type_of(y)), type_of(y, CL)) for _ in range(3)]
    yield "", p, [q] + convs, [v.astype(np.float64) @ m, y, y, y]


@case("openvinotoolkit/openvino#24412")
def split_into_many_pieces():
    x = random(1, 2048)
    p = Program()
    arg, results, arrays, start = p.argument(x), [], [], 0
    for i in range(90):
        size = 20 + i % 5 if i < 89 else 2048 - start
        part = x[:, start:start + size].copy()
        results.append(p.slice(arg, [0, start], [1, size], [1, 1], type_of(part)))
        arrays.append(part)
        start += size
    yield "", p, results, arrays


def check(folder, name, conversions, program, results, arrays):
    """The fault, or None."""
    base = os.path.join(folder, name)
    with open(base + ".mlir", "w") as file:
        file.write(program.text(results))
    np.savez(base + ".in.npz", **{f"arg{i}": x for i, x in enumerate(program.inputs)})
    exact = [np.asarray(y) for y in arrays]
    np.savez(base + ".out.npz", *[y.astype(np.float32) if y.dtype == np.float64 else y for y in exact])
    ran = subprocess.run(["memfmt-run", base + ".mlir", "--input", base + ".in.npz", "--expect", base + ".out.npz",
                          "--rtol", "2e-5", "--atol", "2e-5", "--report", base + ".json"],
                         capture_output=True, text=True)
    if ran.returncode:
        return ran.stderr[-1500:]
    with open(base + ".json") as file:
        report = json.load(file)
    if not report["certificate"]["verified"]:
        return "the certificate was not verified"
    found = len(report["conversions"])
    if found > conversions:
        return f"expected at most {conversions} conversions, found {found}: {report['conversions']}"
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    count, failed = 0, 0
    for name in sys.argv[2:] or CASES:
        report, conversions, function = CASES[name]
        for number, (suffix, program, results, arrays) in enumerate(function()):
            count += 1
            fault = check(folder, f"{name}{suffix or f'_{number}'}", conversions, program, results, arrays)
            if fault:
                failed += 1
                print(f"{name}{suffix} ({report}) fails: {fault}")
    print(f"{count} programs of {len(sys.argv[2:] or CASES)} reports, {failed} fail")
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
