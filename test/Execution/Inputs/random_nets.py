#!/usr/bin/env python3
"""Random small networks: memfmt-run against NumPy in float64.

usage: random_nets.py FIRST_SEED COUNT FOLDER [--physical] [MEMFMT_RUN_OPTION...]

Each network mixes convolutions (stride, asymmetric padding, dilation, groups),
pools, batch norms, element-wise operations, concatenations and linear layers,
in shapes that fill no vector. The values come from the definitions, computed
here. FOLDER gets the files of the network at hand, and keeps those of one that
fails. With --physical the network first becomes upstream operations on physical
shapes (memfmt-compile --to=physical), and that program runs.
"""

import os
import random
import subprocess
import sys

import numpy as np

IDENTITY = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>"
PARALLEL = 'iterator_types = ["parallel", "parallel", "parallel", "parallel"]'


def windows(x, window, strides, low, high, dilations, fill):
    """x as (N, C, OH, OW, KH, KW)."""
    x = np.pad(x, [(0, 0), (0, 0), (low[0], high[0]), (low[1], high[1])],
               constant_values=fill)
    out = [(x.shape[2 + i] - dilations[i] * (window[i] - 1) - 1) // strides[i] + 1
           for i in range(2)]
    result = np.empty(x.shape[:2] + tuple(out) + tuple(window))
    for kh in range(window[0]):
        for kw in range(window[1]):
            h, w = kh * dilations[0], kw * dilations[1]
            result[..., kh, kw] = x[:, :, h:h + (out[0] - 1) * strides[0] + 1:strides[0],
                                    w:w + (out[1] - 1) * strides[1] + 1:strides[1]]
    return result


def conv(x, filter, bias, strides, low, high, dilations, groups):
    n, c = x.shape[:2]
    k, cg, kh, kw = filter.shape
    patches = windows(x, (kh, kw), strides, low, high, dilations, 0)
    parts = [np.einsum("ncxyhw,kchw->nkxy", patches[:, g * cg:(g + 1) * cg],
                       filter[g * k // groups:(g + 1) * k // groups])
             for g in range(groups)]
    y = np.concatenate(parts, axis=1)
    return y if bias is None else y + bias[None, :, None, None]


def pool(kind, x, window, strides, low, high, dilations, exclude):
    if kind == "max":
        return windows(x, window, strides, low, high, dilations, -np.inf).max(axis=(4, 5))
    total = windows(x, window, strides, low, high, dilations, 0).sum(axis=(4, 5))
    if kind == "sum":
        return total
    if not exclude:
        return total / (window[0] * window[1])
    return total / windows(np.ones_like(x), window, strides, low, high, dilations,
                           0).sum(axis=(4, 5))


class Network:
    """Text, weights and values of a network under construction."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.body, self.weights, self.count = [], {}, 0
        shape = (self.rng.choice([1, 1, 2]), self.rng.choice([1, 3, 5, 8, 17]),
                 self.rng.randint(5, 13), self.rng.randint(5, 13))
        self.input = self.numpy.uniform(-1, 1, shape).astype(np.float32)
        self.values = [("%arg0", self.input.astype(np.float64))]

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    @staticmethod
    def type_of(x):
        return "tensor<" + "".join(f"{s}x" for s in x.shape) + "f32>"

    def weight(self, shape, low=-0.5, high=0.5):
        array = self.numpy.uniform(low, high, shape).astype(np.float32)
        key = f"w{len(self.weights)}"
        self.weights[key] = array
        name = self.fresh()
        self.body.append(f"{name} = arith.constant dense_resource<{key}> : {self.type_of(array)}")
        return name, array.astype(np.float64)

    def add(self, text, value):
        name = self.fresh()
        self.body.append(f"{name} = {text}")
        self.values.append((name, value))

    def pick(self, rank=4):
        """One of the last values of this rank."""
        return self.rng.choice([v for v in self.values if v[1].ndim == rank][-3:])

    def window_attributes(self, x, largest):
        r = self.rng
        for _ in range(50):
            window = [r.randint(1, largest), r.randint(1, largest)]
            dilations = [r.choice([1, 1, 2]), r.choice([1, 1, 2])]
            strides = [r.choice([1, 1, 2, 3]), r.choice([1, 1, 2])]
            low = [r.randint(0, w - 1) for w in window]
            high = [r.randint(0, w - 1) for w in window]
            if all(x.shape[2 + i] + low[i] + high[i] > dilations[i] * (window[i] - 1)
                   for i in range(2)):
                break
        else:
            window, dilations, strides, low, high = [1, 1], [1, 1], [1, 1], [0, 0], [0, 0]
        def array(values):
            return "array<i64: " + ", ".join(map(str, values)) + ">"
        text = (f"strides = {array(strides)}, pad_low = {array(low)}, "
                f"pad_high = {array(high)}, dilations = {array(dilations)}")
        return window, strides, low, high, dilations, text, array(window)

    def add_conv(self):
        name, x = self.pick()
        c = x.shape[1]
        window, strides, low, high, dilations, text, _ = self.window_attributes(x, 4)
        groups = self.rng.choice([1, 1, c] + [g for g in range(2, c) if c % g == 0])
        k = groups * self.rng.choice([1, 1, 2, 3, 8] if groups > 1 else [1, 4, 7, 16, 19, 40])
        filter_name, filter = self.weight((k, c // groups, *window))
        bias_text, bias = "", None
        if self.rng.random() < 0.6:
            bias_name, bias = self.weight((k,))
            bias_text = f" bias({bias_name} : tensor<{k}xf32>)"
        y = conv(x, filter, bias, strides, low, high, dilations, groups)
        self.add(f"memfmt.conv {name}, {filter_name}{bias_text} {{{text}, groups = {groups} : i64}} : "
                 f"{self.type_of(x)}, {self.type_of(filter)} -> {self.type_of(y)}", y)

    def add_pool(self):
        name, x = self.pick()
        kind = self.rng.choice(["max", "avg", "sum"])
        window, strides, low, high, dilations, text, window_text = self.window_attributes(x, 3)
        exclude = kind == "avg" and self.rng.random() < 0.5
        # A window that lies in the padding alone has no average.
        if kind == "max" or exclude:
            low = high = [0, 0]
            text = text.split("pad_low")[0] + "pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, " + \
                text[text.index("dilations"):]
            if any(x.shape[2 + i] <= dilations[i] * (window[i] - 1) for i in range(2)):
                return
        y = pool(kind, x, window, strides, low, high, dilations, exclude)
        unit = ", exclude_pad" if exclude else ""
        self.add(f"memfmt.pool {kind} {name} {{window = {window_text}, {text}{unit}}} : "
                 f"{self.type_of(x)} -> {self.type_of(y)}", y)

    def generic(self, operands, result, body):
        maps = ", ".join([IDENTITY] * (len(operands) + 1))
        names = ", ".join(n for n, _ in operands)
        types = ", ".join(self.type_of(x) for _, x in operands)
        arguments = ", ".join([f"%a{i}: f32" for i in range(len(operands))] + ["%out: f32"])
        empty = self.fresh()
        self.body.append(f"{empty} = tensor.empty() : {self.type_of(result)}")
        self.add(f"linalg.generic {{indexing_maps = [{maps}], {PARALLEL}}} ins({names} : {types}) "
                 f"outs({empty} : {self.type_of(result)}) {{\n^bb0({arguments}):\n{body}\n}} -> "
                 f"{self.type_of(result)}", result)

    def add_elementwise(self):
        name, x = self.pick()
        kind = self.rng.choice(["relu", "clamp", "add", "mul"])
        partners = [v for v in self.values if v[1].shape == x.shape and v[0] != name]
        if kind in ("add", "mul") and partners:
            other = self.rng.choice(partners)
            op, y = ("addf", x + other[1]) if kind == "add" else ("mulf", x * other[1])
            if np.abs(y).max() > 1e3:
                return
            body = f"%r = arith.{op} %a0, %a1 : f32\nlinalg.yield %r : f32"
            self.generic([(name, x), other], y, body)
        elif kind == "clamp":
            body = ("%lo = arith.constant 0.0 : f32\n%hi = arith.constant 0.75 : f32\n"
                    "%m = arith.maximumf %a0, %lo : f32\n%r = arith.minimumf %m, %hi : f32\n"
                    "linalg.yield %r : f32")
            self.generic([(name, x)], np.clip(x, 0, 0.75), body)
        else:
            body = ("%z = arith.constant 0.0 : f32\n%c = arith.cmpf ugt, %a0, %z : f32\n"
                    "%r = arith.select %c, %a0, %z : f32\nlinalg.yield %r : f32")
            self.generic([(name, x)], np.maximum(x, 0), body)

    def add_norm(self):
        name, x = self.pick()
        c = x.shape[1]
        vectors = [self.weight((c,)), self.weight((c,), 0.5, 2), self.weight((c,), 0.5, 1.5),
                   self.weight((c,))]
        mean, variance, scale, offset = (v[None, :, None, None] for _, v in vectors)
        y = (x - mean) / np.sqrt(variance + 1e-5) * scale + offset
        names = ", ".join(n for n, _ in vectors)
        self.add(f"memfmt.batch_norm {name}, {names} {{epsilon = 1.0e-05 : f64}} : {self.type_of(x)}, "
                 f"tensor<{c}xf32> -> {self.type_of(y)}", y)

    def add_concat(self):
        name, x = self.pick()
        axis = self.rng.choice([1, 1, 2, 3])
        def fits(other):
            return other.ndim == 4 and all(other.shape[i] == x.shape[i] for i in range(4) if i != axis)
        other = self.rng.choice([v for v in self.values if fits(v[1])])
        y = np.concatenate([x, other[1]], axis=axis)
        if y.size > 30000:
            return
        self.add(f"tensor.concat dim({axis}) {name}, {other[0]} : ({self.type_of(x)}, "
                 f"{self.type_of(other[1])}) -> {self.type_of(y)}", y)

    def add_wish(self):
        """The user asks for a format, or insists on one."""
        name, x = self.pick()
        plain = self.type_of(x)
        encoded = plain[:-1] + ", #memfmt.format<channels_last>>"
        op = self.rng.choice(["to_format", "pin"])
        back = self.fresh()
        self.body.append(f"{back} = memfmt.{op} {name} : {plain} to {encoded}")
        self.add(f"memfmt.to_format {back} : {encoded} to {plain}", x)

    def add_linear(self):
        name, x = self.pick()
        m, k = x.shape[0], x[0].size
        if k > 4000:
            return
        flat = self.fresh()
        self.body.append(f"{flat} = tensor.collapse_shape {name} [[0], [1, 2, 3]] : {self.type_of(x)} "
                         f"into tensor<{m}x{k}xf32>")
        n = self.rng.choice([1, 5, 16, 33])
        filter_name, filter = self.weight((n, k), -0.1, 0.1)
        bias_name, bias = self.weight((n,))
        y = x.reshape(m, k) @ filter.T + bias
        self.add(f"memfmt.linear {flat}, {filter_name} bias({bias_name} : tensor<{n}xf32>) : "
                 f"tensor<{m}x{k}xf32>, {self.type_of(filter)} -> {self.type_of(y)}", y)

    def build(self):
        steps = [self.add_conv] * 5 + [self.add_elementwise] * 4 + [self.add_pool] * 2 + \
            [self.add_norm, self.add_concat, self.add_wish]
        for _ in range(self.rng.randint(3, 12)):
            self.rng.choice(steps)()
        if self.rng.random() < 0.4:
            self.add_linear()
        results = [self.values[-1]]
        if self.rng.random() < 0.3:
            results.append(self.rng.choice(self.values[1:]))
        return results

    def text(self, results):
        types = ", ".join(self.type_of(x) for _, x in results)
        names = ", ".join(n for n, _ in results)
        body = "\n".join(self.body)
        return (f"func.func @main(%arg0: {self.type_of(self.input)}) -> ({types}) {{\n{body}\n"
                f"return {names} : {types}\n}}\n")


def check(seed, folder, options):
    net = Network(seed)
    results = net.build()
    paths = {k: os.path.join(folder, k) for k in ["net.mlir", "weights.npz", "input.npy", "golden.npz"]}
    with open(paths["net.mlir"], "w") as file:
        file.write(net.text(results))
    np.savez(paths["weights.npz"], **(net.weights or {"none": np.zeros(1)}))
    np.save(paths["input.npy"], net.input)
    np.savez(paths["golden.npz"], **{f"r{i}": x.astype(np.float32) for i, (_, x) in enumerate(results)})
    commands = []
    program, weights = paths["net.mlir"], ["--weights", paths["weights.npz"]]
    if "--physical" in options:
        physical = os.path.join(folder, "physical.mlir")
        commands.append(["memfmt-compile", program, *weights, "--to=physical", "-o", physical])
        program, weights = physical, []
    commands.append(["memfmt-run", program, *weights, "--input", paths["input.npy"], "--expect",
                     paths["golden.npz"], "--rtol", "2e-5", "--atol", "1e-6",
                     *(option for option in options if option != "--physical")])
    for command in commands:
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            print(f"seed {seed} fails: {' '.join(command)}\n{ran.stderr[-3000:]}")
            return False
    return True


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    for seed in range(first, first + count):
        if not check(seed, folder, sys.argv[4:]):
            sys.exit(1)
    print(f"{count} networks agree")


if __name__ == "__main__":
    main()
