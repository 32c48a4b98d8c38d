#!/usr/bin/env python3
"""A network of TOSA operations against NumPy in float64.

usage: tosa_net.py FOLDER [--all] [MEMFMT_RUN_OPTION...]

One function for each operation computes it by its definition in the TOSA
specification, one element of the window after the other, and writes its text.
With --all every value is a result, otherwise only those that nothing reads.
"""

import os
import subprocess
import sys

import numpy as np

RNG = np.random.default_rng(11)


def type_of(x, element="f32"):
    return "tensor<" + "".join(f"{s}x" for s in np.shape(x)) + element + ">"


def ints(values):
    return f"array<i64: {', '.join(map(str, values))}>"


class Program:
    def __init__(self):
        self.lines, self.values, self.arguments, self.read = [], {}, {}, set()

    def name(self, x):
        for name, value in {**self.arguments, **self.values}.items():
            if value is x:
                self.read.add(name)
                return name
        raise KeyError("not a value of the program")

    def argument(self, *shape):
        x = RNG.uniform(-1, 1, shape).astype(np.float32)
        self.arguments[f"%arg{len(self.arguments)}"] = x
        return x

    def line(self, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, x, element="f32"):
        text = np.array2string(np.asarray(x), separator=", ", threshold=sys.maxsize,
                               formatter={"float_kind": lambda v: f"{v:.9e}"})
        ty = type_of(x, element)
        return self.line(f'"tosa.const"() <{{values = dense<{text}> : {ty}}}> : () -> {ty}'), ty

    def shape(self, sizes):
        n = len(sizes)
        ty = f"!tosa.shape<{n}>"
        return self.line(f"tosa.const_shape {{values = dense<{list(sizes)}> : tensor<{n}xindex>}}"
                         f" : () -> {ty}"), ty

    def op(self, name, operands, result, attributes=""):
        """`operands`: values of the program, or (name, type)."""
        pairs = [o if isinstance(o, tuple) else (self.name(o), type_of(o)) for o in operands]
        result = np.asarray(result)
        out = self.line(f"tosa.{name} {', '.join(p[0] for p in pairs)} {attributes} : "
                        f"({', '.join(p[1] for p in pairs)}) -> {type_of(result)}")
        self.values[out] = result
        return result

    def zero(self):
        return self.constant(np.zeros(1, np.float32))


def weights(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def windows(x, kernel, pad, stride, dilation, fill=0.0):
    """(place in the window, part of x that it meets); x is (N, spatial..., C)."""
    n = len(kernel)
    x = np.pad(x, [(0, 0)] + [tuple(pad[2 * i:2 * i + 2]) for i in range(n)] + [(0, 0)],
               constant_values=fill)
    out = []
    for i in range(n):
        steps, rest = divmod(x.shape[i + 1] - 1 - dilation[i] * (kernel[i] - 1), stride[i])
        assert rest == 0, "TOSA wants strides to fit"
        out.append(steps + 1)
    for at in np.ndindex(*kernel):
        yield at, x[(slice(None),) + tuple(
            slice(a * d, a * d + (o - 1) * s + 1, s)
            for a, d, o, s in zip(at, dilation, out, stride))]


def conv(p, x, w, b, pad, stride, dilation, depthwise=False):
    n = w.ndim - 2
    kernel = w.shape[:2] if depthwise else w.shape[1:-1]
    y = 0.0
    for at, part in windows(x, kernel, pad, stride, dilation):
        if depthwise:
            product = part[..., :, None] * w[at].astype(float)
            y = y + product.reshape(product.shape[:-2] + (-1,))
        else:
            y = y + part @ w[(slice(None),) + at].astype(float).T
    name = "depthwise_conv2d" if depthwise else f"conv{n}d"
    return p.op(name, [x, p.constant(w), p.constant(b), p.zero(), p.zero()], y + b,
                f"{{acc_type = f32, pad = {ints(pad)}, stride = {ints(stride)}, "
                f"dilation = {ints(dilation)}}}")


def transpose_conv(p, x, w, b, out_pad, stride):
    n, h, width, _ = x.shape
    o, kh, kw, _ = w.shape
    y = np.zeros((n, (h - 1) * stride[0] + out_pad[0] + out_pad[1] + kh,
                  (width - 1) * stride[1] + out_pad[2] + out_pad[3] + kw, o))
    for iy, ix, ky, kx in np.ndindex(h, width, kh, kw):
        oy, ox = iy * stride[0] + ky + out_pad[0], ix * stride[1] + kx + out_pad[2]
        if 0 <= oy < y.shape[1] and 0 <= ox < y.shape[2]:
            y[:, oy, ox] += x[:, iy, ix] @ w[:, ky, kx].astype(float).T
    return p.op("transpose_conv2d", [x, p.constant(w), p.constant(b), p.zero(), p.zero()], y + b,
                f"{{acc_type = f32, out_pad = {ints(out_pad)}, stride = {ints(stride)}}}")


def max_pool(p, x, kernel, pad, stride):
    y = np.max([part for _, part in windows(x, kernel, pad, stride, (1, 1), -np.inf)], axis=0)
    return p.op("max_pool2d", [x], y,
                f"{{kernel = {ints(kernel)}, pad = {ints(pad)}, stride = {ints(stride)}}}")


def avg_pool(p, x, kernel, pad, stride):
    total = sum(part for _, part in windows(x, kernel, pad, stride, (1, 1)))
    count = sum(part for _, part in windows(np.ones_like(x), kernel, pad, stride, (1, 1)))
    return p.op("avg_pool2d", [x, p.zero(), p.zero()], total / count,
                f"{{acc_type = f32, kernel = {ints(kernel)}, pad = {ints(pad)}, "
                f"stride = {ints(stride)}}}")


def resize(p, x, scale, offset, border, mode):
    sy_n, sy_d, sx_n, sx_d = scale
    oh = ((x.shape[1] - 1) * sy_n - offset[0] + border[0]) // sy_d + 1
    ow = ((x.shape[2] - 1) * sx_n - offset[1] + border[1]) // sx_d + 1
    y = np.zeros((x.shape[0], oh, ow, x.shape[3]))

    def clip(v, size):
        return min(max(v, 0), size - 1)
    for oy, ox in np.ndindex(oh, ow):
        (iy, fy), (ix, fx) = divmod(oy * sy_d + offset[0], sy_n), divmod(ox * sx_d + offset[1], sx_n)
        fy, fx = fy / sy_n, fx / sx_n
        if mode == "NEAREST_NEIGHBOR":
            fy, fx = float(fy >= 0.5), float(fx >= 0.5)
        for dy, wy in ((0, 1 - fy), (1, fy)):
            for dx, wx in ((0, 1 - fx), (1, fx)):
                y[:, oy, ox] += wy * wx * x[:, clip(iy + dy, x.shape[1]), clip(ix + dx, x.shape[2])]
    return p.op("resize", [x, p.shape(scale), p.shape(offset), p.shape(border)], y,
                f"{{mode = {mode}}}")


def binary(p, kind, x, y):
    """`y` is a value of the program or a constant."""
    result = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[kind](
        np.asarray(x, float), np.asarray(y, float))
    known = any(y is v for v in list(p.values.values()) + list(p.arguments.values()))
    operands = [x, y if known else p.constant(y)]
    if kind == "mul":
        operands.append(p.constant(np.zeros(1, np.int8), "i8"))
    return p.op(kind, operands, result)


def transpose(p, x, perms):
    return p.op("transpose", [x], np.ascontiguousarray(np.transpose(x, perms)),
                f"{{perms = array<i32: {', '.join(map(str, perms))}>}}")


def slice_(p, x, start, size):
    y = x[tuple(slice(a, a + s) for a, s in zip(start, size))].copy()
    return p.op("slice", [x, p.shape(start), p.shape(size)], y)


def concat(p, parts, axis):
    return p.op("concat", parts, np.concatenate(parts, axis), f"{{axis = {axis} : i32}}")


def clamp(p, x, low, high):
    return p.op("clamp", [x], np.clip(x, low, high),
                f"{{min_val = {low:e} : f32, max_val = {high:e} : f32}}")


def reduce(p, kind, x, axis):
    function = {"sum": np.sum, "max": np.max}[kind]
    return p.op("reduce_" + kind, [x], function(x, axis, keepdims=True), f"{{axis = {axis} : i32}}")


def batch_norm(p, x, axis):
    """(x - mean) * rsqrt(variance + epsilon) * scale + offset."""
    shape = [1] * x.ndim
    shape[axis] = c = x.shape[axis]
    variance = RNG.uniform(0.5, 2, c).astype(np.float32)
    epsilon = np.full(1, 1e-3, np.float32)
    name, ty = p.constant(variance)
    total = p.op("add", [p.constant(epsilon), (name, ty)], variance.astype(float) + epsilon)
    root = p.op("rsqrt", [total], 1 / np.sqrt(total))
    root = p.op("reshape", [root, p.shape(shape)], root.reshape(shape).copy())
    y = binary(p, "sub", x, weights(*shape))
    y = binary(p, "mul", y, root)
    y = binary(p, "mul", y, weights(*shape))
    return binary(p, "add", y, weights(*shape))


def image_branch(p):
    x = p.argument(2, 9, 11, 3)
    y = conv(p, x, weights(6, 3, 2, 3), weights(6), (1, 1, 1, 1), (2, 1), (2, 3))
    y = clamp(p, batch_norm(p, y, 3), 0.0, 6.0)
    skip = y
    y = conv(p, y, weights(3, 3, 6, 2), weights(12), (1, 1, 1, 1), (1, 1), (1, 1), depthwise=True)
    n, h, w, _ = y.shape
    groups = [conv(p, slice_(p, y, (0, 0, 0, 4 * g), (n, h, w, 4)), weights(2, 1, 1, 4), weights(2),
                   (0, 0, 0, 0), (1, 1), (1, 1)) for g in range(3)]
    y = binary(p, "add", concat(p, groups, 3), skip)
    # As importers from frameworks with (batch, channel, spatial...) write it.
    y = transpose(p, batch_norm(p, transpose(p, y, (0, 3, 1, 2)), 1), (0, 2, 3, 1))
    trimmed = slice_(p, y, (0, 0, 0, 0), (n, h, 9, 6))
    strided = conv(p, trimmed, weights(5, 1, 1, 6), np.zeros(5, np.float32), (0,) * 4, (1, 2), (1, 1))
    up = transpose_conv(p, strided, weights(4, 3, 2, 5), weights(4), (1, -1, 0, 1), (2, 3))
    pooled = concat(p, [max_pool(p, y, (2, 3), (1, 0, 1, 0), (1, 2)),
                        avg_pool(p, y, (2, 3), (1, 0, 1, 0), (1, 2))], 3)
    total = reduce(p, "sum", reduce(p, "sum", pooled, 1), 2)
    area = pooled.shape[1] * pooled.shape[2]
    mean = binary(p, "mul", total, np.full((1, 1, 1, 1), 1 / area, np.float32))
    row = p.op("reshape", [mean, p.shape((1, 2, 12))], mean.reshape(1, 2, 12).copy())
    filters = weights(1, 12, 7)
    row = p.op("matmul", [row, p.constant(filters), p.zero(), p.zero()], row @ filters.astype(float))
    row = binary(p, "add", row, weights(1, 1, 7))
    row = binary(p, "sub", row, reduce(p, "max", row, 2))
    row = p.op("exp", [row], np.exp(row))
    scale = reduce(p, "sum", row, 2)
    binary(p, "mul", row, p.op("reciprocal", [scale], 1 / scale))
    transpose_conv(p, strided, weights(2, 2, 3, 5), weights(2), (-1, 1, 0, -2), (2, 2))
    resize(p, up, (2, 1, 2, 1), (0, 0), (1, 1), "NEAREST_NEIGHBOR")
    resize(p, up, (4, 2, 8, 2), (-1, -1), (1, 1), "NEAREST_NEIGHBOR")
    resize(p, up, (6, 4, 2, 4), (-1, 1), (-1, 1), "BILINEAR")
    resize(p, up, (4, 2, 4, 2), (-1, -1), (1, 1), "BILINEAR")


def video_branch(p):
    x = p.argument(1, 4, 5, 6, 2)
    y = conv(p, x, weights(3, 2, 3, 2, 2), weights(3), (1, 0, 1, 1, 1, 1), (1, 1, 2), (1, 1, 1))
    clamp(p, transpose(p, y, (0, 4, 1, 2, 3)), 0.0, 3.0)


def main():
    folder, options = sys.argv[1], sys.argv[2:]
    everything = "--all" in options
    options = [option for option in options if option != "--all"]
    os.makedirs(folder, exist_ok=True)
    p = Program()
    image_branch(p)
    video_branch(p)
    results = {name: x for name, x in p.values.items() if everything or name not in p.read}
    types = [type_of(x) for x in results.values()]
    arguments = ", ".join(f"{name}: {type_of(x)}" for name, x in p.arguments.items())
    base = os.path.join(folder, "net")
    with open(base + ".mlir", "w") as out:
        out.write(f"func.func @main({arguments}) -> ({', '.join(types)}) {{\n" + "\n".join(p.lines)
                  + f"\n  return {', '.join(results)} : {', '.join(types)}\n}}\n")
    np.savez(base + ".in.npz", **{name[1:]: x for name, x in p.arguments.items()})
    np.savez(base + ".out.npz", **{f"result{i}": x.astype(np.float32)
                                   for i, x in enumerate(results.values())})
    raised = subprocess.run(["memfmt-opt", base + ".mlir", "--memfmt-raise-tosa"], check=True,
                            capture_output=True, text=True).stdout
    print("operations of TOSA left:", raised.count("tosa."))
    ran = subprocess.run(["memfmt-run", base + ".mlir", "--input", base + ".in.npz", "--expect",
                          base + ".out.npz", "--rtol", "1e-4", "--atol", "1e-5"] + options,
                         capture_output=True, text=True)
    print(ran.stderr, end="")
    print(f"{len(results)} results, exit code {ran.returncode}")
    sys.exit(ran.returncode)


if __name__ == "__main__":
    main()
