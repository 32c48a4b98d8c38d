#!/usr/bin/env python3
"""Formulas of the tests of this folder, raised and run against NumPy.

usage: formulas.py FOLDER_OF_TESTS FOLDER

Each function is taken out of the test that shows how it is recognised, so that
what is matched there is what is run here.
"""

import os
import re
import subprocess
import sys

import numpy as np

RNG = np.random.default_rng(5)


def normalize(x, axes, epsilon=0.5):
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axes, keepdims=True) + epsilon)


def along(vector, axis, rank):
    return vector.reshape([-1 if i == axis else 1 for i in range(rank)])


def group_norm(x, s, o):
    y = normalize(x.reshape(2, 2, 3, 20), (2, 3)).reshape(x.shape)
    return y * along(s, 1, 3) + along(o, 1, 3)


def pixel_shuffle(x, f=2):
    n, c, h, w = x.shape
    return x.reshape(n, c // f // f, f, f, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // f // f, h * f, w * f)


def pixel_unshuffle(x, f=2):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // f, f, w // f, f).transpose(0, 1, 3, 5, 2, 4).reshape(n, c * f * f, h // f, w // f)


def conv_transpose(x, w, b, stride=2, padding=1):
    """Every pixel spreads the filter over the result (one spatial axis)."""
    full = np.zeros((x.shape[0], w.shape[1], (x.shape[2] - 1) * stride + w.shape[2] + 1))
    for i in range(x.shape[2]):
        full[:, :, i * stride:i * stride + w.shape[2]] += np.einsum("nc,ckj->nkj", x[:, :, i], w)
    return full[:, :, padding:padding + 8] + along(b, 1, 3)


def interpolate(x, places):
    """Linear interpolation along the last axis at the given places."""
    return np.stack([(1 - p % 1) * x[..., int(p)] + p % 1 * x[..., min(int(p) + 1, x.shape[-1] - 1)]
                     for p in places], -1)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# test -> function -> the same in NumPy
FORMULAS = {
    "statistic-norm": {
        "layer_norm": lambda x, s, o: normalize(x, 3) * s + o,
        "instance_norm": lambda x, s, o: normalize(x, (2, 3)) * along(s, 1, 4) + along(o, 1, 4),
        "group_norm": group_norm,
        "other_square": lambda x: (x - x.mean(3, keepdims=True))
        / np.sqrt(((x - x.mean(3, keepdims=True)) * x).mean(3, keepdims=True) + 0.5),
    },
    "shuffle": {
        "channel_shuffle": lambda x: x.reshape(2, 3, 2, 4, 5).swapaxes(1, 2).reshape(x.shape),
        "pixel_shuffle": pixel_shuffle,
        "pixel_unshuffle": pixel_unshuffle,
        "channels_inside": lambda x: x.reshape(2, 2, 2, 3, 4, 5).transpose(0, 3, 4, 1, 5, 2).reshape(2, 3, 8, 10),
    },
    "conv-transpose": {"strided": conv_transpose},
    "softmax": {"softmax": softmax},
    "resize": {
        "nearest": lambda x: x.repeat(2, 2).repeat(2, 3),
        "linear": lambda x: interpolate(x, [max((o + 0.5) / 2 - 0.5, 0) for o in range(8)]),
        "smaller": lambda x: x[..., ::2],
        "corners": lambda x: interpolate(x, [0, 0.5, 1, 1.5, 2]),
        "other_index": lambda x: x[..., [0, 0, 1, 1, 2, 3, 3, 3]],
        "other_channel": lambda x: x[:, [0, 2, 1]].repeat(2, 2),
    },
    "pool": {
        "global": lambda x: x.mean((1, 2)),
        "exclude_pad": lambda x: np.stack([x[..., max(i - 1, 0):i + 2].mean(-1) for i in range(5)], -1),
    },
}


def extract(path, name):
    """The function with the aliases of its part of the test."""
    with open(path) as file:
        part = next(p for p in file.read().split("// -----") if f"func.func @{name}(" in p)
    aliases = [line for line in part.splitlines() if line.startswith("#")]
    body = part[part.index(f"func.func @{name}("):]
    return "\n".join(aliases) + "\n" + body[:body.index("\n}\n") + 3]


def main():
    tests, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    count = failed = 0
    for test, functions in FORMULAS.items():
        for name, reference in functions.items():
            text = extract(os.path.join(tests, test + ".mlir"), name)
            signature = re.search(r"func\.func @\w+\((.*)\) ->", text)[1]
            shapes = re.findall(r"tensor<([\dx]+)xf32>", signature)
            inputs = [RNG.uniform(-1, 1, [int(s) for s in shape.split("x")]).astype(np.float32)
                      for shape in shapes]
            base = os.path.join(folder, name)
            with open(base + ".mlir", "w") as out:
                out.write(text)
            np.savez(base + ".in.npz", **{f"arg{i}": x for i, x in enumerate(inputs)})
            np.savez(base + ".out.npz", reference(*inputs).astype(np.float32))
            ran = subprocess.run(["memfmt-run", base + ".mlir", "--input", base + ".in.npz", "--expect",
                                  base + ".out.npz", "--rtol", "1e-5", "--atol", "1e-6"],
                                 capture_output=True, text=True)
            count += 1
            if ran.returncode:
                failed += 1
                print(f"{test} {name} fails: {ran.stderr[-1000:]}")
    print(f"{count} formulas, {failed} fail")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
