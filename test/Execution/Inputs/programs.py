#!/usr/bin/env python3
"""Hand-written programs at the edges: memfmt-run against NumPy.

usage: programs.py FOLDER [MEMFMT_RUN_OPTION...]
"""

import itertools
import os
import subprocess
import sys

import numpy as np


def conv(x, w, low=0, high=0):
    """Any number of spatial axes, stride 1, equal padding on all of them."""
    x = np.pad(x, [(0, 0), (0, 0)] + [(low, high)] * (x.ndim - 2))
    window = w.shape[2:]
    out = [x.shape[2 + i] - window[i] + 1 for i in range(len(window))]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    for place in itertools.product(*map(range, window)):
        part = x[(slice(None), slice(None), *(slice(p, p + o) for p, o in zip(place, out)))]
        y += np.einsum("nc...,kc->nk...", part, w[(slice(None), slice(None), *place)])
    return y


def attributes(axes, low=0, high=0):
    """Attributes of a convolution with stride 1."""
    def array(value):
        return "array<i64: " + ", ".join([str(value)] * axes) + ">"
    return (f"{{strides = {array(1)}, pad_low = {array(low)}, pad_high = {array(high)}, "
            f"dilations = {array(1)}, groups = 1 : i64}}")


RNG = np.random.default_rng(7)


def random(*shape, dtype=np.float32):
    return RNG.uniform(-1, 1, shape).astype(dtype)


def type_of(x, encoding=""):
    names = {"float32": "f32", "float64": "f64", "int32": "i32", "bool": "i1"}
    return "tensor<" + "".join(f"{s}x" for s in x.shape) + names[x.dtype.name] + encoding + ">"


CL = ", #memfmt.format<channels_last>"


def programs():
    """(name, text, inputs, results)"""
    for axes, shape in [(1, (2, 3, 9)), (2, (1, 5, 6, 7)), (3, (1, 3, 4, 5, 6))]:
        for dtype in (np.float32, np.float64):
            x, w = random(*shape, dtype=dtype), random(4, shape[1], *[3] * axes, dtype=dtype)
            y = conv(x, w, 1, 1).astype(dtype)
            yield (f"conv{axes}d_{dtype.__name__}",
                   f"func.func @main(%x: {type_of(x)}, %w: {type_of(w)}) -> {type_of(y)} {{\n"
                   f"  %y = memfmt.conv %x, %w {attributes(axes, 1, 1)} : {type_of(x)}, {type_of(w)} -> {type_of(y)}\n"
                   f"  return %y : {type_of(y)}\n}}\n", [x, w], [y])

    x, w = random(1, 5, 6, 7), random(8, 5, 3, 3)
    y = conv(x, w, 1, 1).astype(np.float32)
    order = ", #memfmt.format<[3, 0, 1, 2]>"
    yield ("encoded_boundary",
           f"func.func @main(%x: {type_of(x, CL)}, %w: {type_of(w)}) -> ({type_of(y, CL)}, {type_of(y, order)}) {{\n"
           f"  %y = memfmt.conv %x, %w {attributes(2, 1, 1)} : {type_of(x, CL)}, {type_of(w)} -> {type_of(y)}\n"
           f"  %p = memfmt.to_format %y : {type_of(y)} to {type_of(y, CL)}\n"
           f"  %q = memfmt.to_format %y : {type_of(y)} to {type_of(y, order)}\n"
           f"  return %p, %q : {type_of(y, CL)}, {type_of(y, order)}\n}}\n", [x, w], [y, y])

    blocks = ", #memfmt.format<[0, 1, 2, 3], blocks = [1 : 4]>"
    yield ("blocks_inside",
           f"func.func @main(%x: {type_of(x)}) -> {type_of(x)} {{\n"
           f"  %p = memfmt.pin %x : {type_of(x)} to {type_of(x, blocks)}\n"
           f"  %q = memfmt.pin %p : {type_of(x, blocks)} to {type_of(x, CL)}\n"
           f"  %z = memfmt.to_format %q : {type_of(x, CL)} to {type_of(x)}\n"
           f"  return %z : {type_of(x)}\n}}\n", [x], [x])

    x, w = random(1, 8, 8, 8), random(8, 8, 3, 3) * np.float32(0.2)
    y = conv(conv(conv(x, w, 1, 1), w, 1, 1), w, 1, 1).astype(np.float32)
    yield ("loop",
           f"func.func @main(%x: {type_of(x)}, %w: {type_of(w)}) -> {type_of(x)} {{\n"
           "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c3 = arith.constant 3 : index\n"
           f"  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> {type_of(x)} {{\n"
           f"    %y = memfmt.conv %a, %w {attributes(2, 1, 1)} : {type_of(x)}, {type_of(w)} -> {type_of(x)}\n"
           f"    scf.yield %y : {type_of(x)}\n  }}\n  return %r : {type_of(x)}\n}}\n", [x, w], [y])

    for sign in (-1, 1):
        flag = np.full((1,), sign, np.float32)
        y = conv(x, w, 1, 1).astype(np.float32) if sign > 0 else x
        yield (f"branch{sign}",
               f"func.func @main(%x: {type_of(x)}, %w: {type_of(w)}, %f: tensor<1xf32>) -> {type_of(x)} {{\n"
               "  %c0 = arith.constant 0 : index\n  %zero = arith.constant 0.0 : f32\n"
               "  %v = tensor.extract %f[%c0] : tensor<1xf32>\n  %c = arith.cmpf ogt, %v, %zero : f32\n"
               f"  %r = scf.if %c -> {type_of(x)} {{\n"
               f"    %y = memfmt.conv %x, %w {attributes(2, 1, 1)} : {type_of(x)}, {type_of(w)} -> {type_of(x)}\n"
               f"    scf.yield %y : {type_of(x)}\n  }} else {{\n    scf.yield %x : {type_of(x)}\n  }}\n"
               f"  return %r : {type_of(x)}\n}}\n", [x, w, flag], [y])

    x, w = np.zeros((0, 3, 8, 8), np.float32), random(4, 3, 3, 3)
    y = np.zeros((0, 4, 8, 8), np.float32)
    yield ("no_elements",
           f"func.func @main(%x: {type_of(x)}, %w: {type_of(w)}) -> {type_of(y)} {{\n"
           f"  %y = memfmt.conv %x, %w {attributes(2, 1, 1)} : {type_of(x)}, {type_of(w)} -> {type_of(y)}\n"
           f"  return %y : {type_of(y)}\n}}\n", [x, w], [y])

    x, flags, numbers = random(), np.array([1, 0, 1, 1], bool), np.arange(4, dtype=np.int32)
    constant = np.array([1, 2, 3, 4], np.float32)
    yield ("scalars_and_constants",
           "func.func @main(%x: tensor<f32>, %b: tensor<4xi1>, %i: tensor<4xi32>) "
           "-> (tensor<f32>, tensor<4xi1>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) {\n"
           "  %e = tensor.empty() : tensor<f32>\n"
           "  %y = linalg.add ins(%x, %x : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>\n"
           "  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n"
           "  return %y, %b, %i, %c, %c : tensor<f32>, tensor<4xi1>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>\n}\n",
           [x, flags, numbers], [x + x, flags, numbers, constant, constant])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, options = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    count, failed = 0, 0
    for name, text, inputs, results in programs():
        base = os.path.join(folder, name)
        with open(base + ".mlir", "w") as file:
            file.write(text)
        # In reverse order: the numbers in the names count.
        np.savez(base + ".in.npz", **{f"arg{i}": inputs[i] for i in reversed(range(len(inputs)))})
        np.savez(base + ".out.npz", *results)
        ran = subprocess.run(["memfmt-run", base + ".mlir", "--input", base + ".in.npz", "--expect",
                              base + ".out.npz", "--rtol", "1e-5", "--atol", "1e-6", *options],
                             capture_output=True, text=True)
        count += 1
        if ran.returncode:
            failed += 1
            print(f"{name} fails: {ran.stderr[-2000:]}")
    print(f"{count} programs, {failed} fail")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
