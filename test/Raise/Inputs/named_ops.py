#!/usr/bin/env python3
"""Every named convolution and pool of linalg: raised, and run against NumPy.

usage: named_ops.py FOLDER

The reference follows the letters of the names (batch n, group g, channel c,
filter f, multiplier m, spatial d h w), one element of the window after the
other. One program holds all operations, so that one run checks them.
"""

import itertools
import os
import subprocess
import sys

import numpy as np

RNG = np.random.default_rng(3)
SIZES = {"n": 2, "g": 2, "c": 3, "f": 4, "m": 2, "d": 7, "h": 8, "w": 9}
WINDOW = {"d": 2, "h": 3, "w": 2}
STRIDES = {"d": 1, "h": 2, "w": 2}
DILATIONS = {"d": 2, "h": 1, "w": 3}

# (name, letters of the input, of the filter, of the result)
CONVOLUTIONS = [
    ("conv_1d", "w", "w", "w"),
    ("conv_2d", "hw", "hw", "hw"),
    ("conv_3d", "dhw", "dhw", "dhw"),
    ("conv_1d_ncw_fcw", "ncw", "fcw", "nfw"),
    ("conv_1d_nwc_wcf", "nwc", "wcf", "nwf"),
    ("conv_2d_nchw_fchw", "nchw", "fchw", "nfhw"),
    ("conv_2d_nhwc_fhwc", "nhwc", "fhwc", "nhwf"),
    ("conv_2d_nhwc_hwcf", "nhwc", "hwcf", "nhwf"),
    ("conv_2d_ngchw_fgchw", "ngchw", "fgchw", "ngfhw"),
    ("conv_2d_ngchw_gfchw", "ngchw", "gfchw", "ngfhw"),
    ("conv_2d_nhwgc_gfhwc", "nhwgc", "gfhwc", "nhwgf"),
    ("conv_3d_ncdhw_fcdhw", "ncdhw", "fcdhw", "nfdhw"),
    ("conv_3d_ndhwc_dhwcf", "ndhwc", "dhwcf", "ndhwf"),
    ("depthwise_conv_1d_ncw_cw", "ncw", "cw", "ncw"),
    ("depthwise_conv_1d_nwc_wc", "nwc", "wc", "nwc"),
    ("depthwise_conv_1d_nwc_wcm", "nwc", "wcm", "nwcm"),
    ("depthwise_conv_2d_nchw_chw", "nchw", "chw", "nchw"),
    ("depthwise_conv_2d_nhwc_hwc", "nhwc", "hwc", "nhwc"),
    ("depthwise_conv_2d_nhwc_hwcm", "nhwc", "hwcm", "nhwcm"),
    ("depthwise_conv_3d_ncdhw_cdhw", "ncdhw", "cdhw", "ncdhw"),
    ("depthwise_conv_3d_ndhwc_dhwc", "ndhwc", "dhwc", "ndhwc"),
    ("depthwise_conv_3d_ndhwc_dhwcm", "ndhwc", "dhwcm", "ndhwcm"),
]
POOLS = [("pooling_" + letters + "_" + kind, letters)
         for letters in ("ncw", "nwc", "nchw", "nhwc", "ndhwc") for kind in ("sum", "max")]


def spatial(letters):
    return [letter for letter in letters if letter in "dhw"]


def windows(x, letters):
    """(place in the window, part of x that it meets) for all places."""
    axes = spatial(letters)
    for place in itertools.product(*(range(WINDOW[a]) for a in axes)):
        at = dict(zip(axes, place))
        index = tuple(
            slice(at[a] * DILATIONS[a], at[a] * DILATIONS[a] + (out_size(a) - 1) * STRIDES[a] + 1,
                  STRIDES[a]) if a in at else slice(None) for a in letters)
        yield at, x[index]


def out_size(axis):
    return (SIZES[axis] - DILATIONS[axis] * (WINDOW[axis] - 1) - 1) // STRIDES[axis] + 1


def convolve(x, w, letters_x, letters_w, letters_y):
    y = np.zeros([out_size(a) if a in "dhw" else SIZES[a] for a in letters_y])
    left = "".join(a for a in letters_w if a not in "dhw")
    for at, part in windows(x, letters_x):
        index = tuple(at.get(a, slice(None)) for a in letters_w)
        y += np.einsum(f"{letters_x},{left}->{letters_y}", part, w[index])
    return y


def pool(x, letters, kind):
    parts = [part for _, part in windows(x, letters)]
    return np.max(parts, 0) if kind == "max" else np.sum(parts, 0)


def tensor(shape):
    return "tensor<" + "".join(f"{s}x" for s in shape) + "f32>"


def random(letters, sizes):
    return RNG.uniform(-1, 1, [sizes[a] for a in letters]).astype(np.float32)


def programs():
    """(name, inputs, result, text of the operation with %x, %w and %init)"""
    for name, letters_x, letters_w, letters_y in CONVOLUTIONS:
        x, w = random(letters_x, SIZES), random(letters_w, {**SIZES, **WINDOW})
        if name in ("conv_1d", "conv_2d", "conv_3d"):
            # These have no strides and dilations.
            y = plain(x, w)
            attributes = ""
        else:
            y = convolve(x, w, letters_x, letters_w, letters_y)
            attributes = describe(letters_x)
        yield name, [x, w], y, attributes, "0.0"
    for name, letters in POOLS:
        x = random(letters, SIZES)
        kind = name.rsplit("_", 1)[1]
        yield name, [x], pool(x, letters, kind), describe(letters), "0.0" if kind == "sum" else "0xFF800000"


def plain(x, w):
    out = [a - b + 1 for a, b in zip(x.shape, w.shape)]
    y = np.zeros(out)
    for place in np.ndindex(w.shape):
        y += w[place] * x[tuple(slice(p, p + o) for p, o in zip(place, out))]
    return y


def describe(letters):
    def values(table):
        axes = spatial(letters)
        return f"dense<[{', '.join(str(table[a]) for a in axes)}]> : tensor<{len(axes)}xi64>"
    return f"{{strides = {values(STRIDES)}, dilations = {values(DILATIONS)}}}"


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    body, arguments, inputs, results, returned = [], [], {}, {}, []
    for k, (name, operands, y, attributes, start) in enumerate(programs()):
        y = y.astype(np.float32)
        names = []
        for x in operands:
            argument = f"arg{len(arguments)}"
            arguments.append(f"%{argument}: {tensor(x.shape)}")
            inputs[argument] = x
            names.append((f"%{argument}", tensor(x.shape)))
        if len(operands) == 1:
            window = [WINDOW[a] for a in spatial(name.split("_")[1])]
            body.append(f"  %window{k} = tensor.empty() : {tensor(window)}")
            names.append((f"%window{k}", tensor(window)))
        (x, x_type), (w, w_type) = names
        body += [
            f"  %start{k} = arith.constant {start} : f32",
            f"  %empty{k} = tensor.empty() : {tensor(y.shape)}",
            f"  %init{k} = linalg.fill ins(%start{k} : f32) outs(%empty{k} : {tensor(y.shape)}) -> {tensor(y.shape)}",
            f"  %y{k} = linalg.{name} {attributes} ins({x}, {w} : {x_type}, {w_type}) "
            f"outs(%init{k} : {tensor(y.shape)}) -> {tensor(y.shape)}",
        ]
        results[f"result{k}"] = y
        returned.append((f"%y{k}", tensor(y.shape)))
    text = (f"func.func @main({', '.join(arguments)}) -> ({', '.join(t for _, t in returned)}) {{\n"
            + "\n".join(body) + f"\n  return {', '.join(v for v, _ in returned)} : "
            + ", ".join(t for _, t in returned) + "\n}\n")
    base = os.path.join(folder, "named")
    with open(base + ".mlir", "w") as out:
        out.write(text)
    np.savez(base + ".in.npz", **inputs)
    np.savez(base + ".out.npz", **results)
    raised = subprocess.run(["memfmt-opt", base + ".mlir", "--memfmt-raise"], check=True,
                            capture_output=True, text=True).stdout
    left = [line for line in raised.splitlines() if "linalg.conv" in line or "linalg.pool" in line
            or "linalg.depthwise" in line]
    for line in left:
        print("not raised:", line.strip())
    ran = subprocess.run(["memfmt-run", base + ".mlir", "--input", base + ".in.npz", "--expect",
                          base + ".out.npz", "--rtol", "1e-5", "--atol", "1e-6"],
                         capture_output=True, text=True)
    print(ran.stderr, end="")
    print(f"{len(returned)} operations, {len(left)} not raised, exit code {ran.returncode}")
    sys.exit(1 if left or ran.returncode else 0)


if __name__ == "__main__":
    main()
