"""Random constants through `memfmt-fold-constants`, compared with numpy.

usage: fold_constants.py write OUT.mlir EXPECTED.npz
       fold_constants.py check FOLDED.mlir EXPECTED.npz

Every case is a function that returns one tensor of more than 64 elements, so that
it is folded into a resource, whose bytes are compared exactly.
"""

import math
import re
import sys

import numpy as np

rng = np.random.default_rng(1)
TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "i1": np.bool_,
    "index": np.int64,
    "bf16": np.uint16,
}  # bf16: as its bits


def bf16_to_f32(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def f32_to_bf16(values):
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)


def draw(shape, element):
    if element == "bf16":
        return f32_to_bf16(rng.standard_normal(shape).astype(np.float32))
    if element == "i1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    dtype = TYPES[element]
    if element[0] == "f":
        return rng.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def tensor(shape, element):
    return "tensor<%s>" % "x".join([str(size) for size in shape] + [element])


class Module:
    def __init__(self):
        self.functions, self.resources, self.expected = [], [], {}
        self.close = set()  # names of what is compared within a tolerance

    def constant(self, array, element):
        """The name of a resource and the line that reads it."""
        name = f"c{len(self.resources)}"
        data = np.ascontiguousarray(array, TYPES[element]).tobytes()
        self.resources.append(f'{name}: "0x40000000{data.hex().upper()}"')
        return f"arith.constant dense_resource<{name}> : {tensor(array.shape, element)}"

    def add(self, name, body, expected, element):
        """`body` computes %r."""
        kind = tensor(expected.shape, element)
        self.functions.append(
            f"func.func @{name}() -> {kind} {{\n{body}\n  return %r : {kind}\n}}"
        )
        self.expected[name] = np.ascontiguousarray(expected, TYPES[element])

    def text(self):
        resources = ",\n".join("      " + line for line in self.resources)
        return (
            "\n".join(self.functions)
            + "\n{-#\n  dialect_resources: {\n    builtin: {\n"
            + resources
            + "\n    }\n  }\n#-}\n"
        )


def add_moves(module, element):
    x = draw((5, 7, 6, 3), element)
    read = f"  %x = {module.constant(x, element)}\n"
    shaped = tensor(x.shape, element)
    for order in [(0, 2, 3, 1), (3, 2, 1, 0), (1, 0, 2, 3), (2, 3, 0, 1)]:
        y = x.transpose(order)
        to = tensor(y.shape, element)
        module.add(
            f"transpose_{element}_{''.join(map(str, order))}",
            read + f"  %e = tensor.empty() : {to}\n"
            f"  %r = linalg.transpose ins(%x : {shaped}) outs(%e : {to}) permutation = {list(order)}",
            y,
            element,
        )
    y = x[1:5:3, 2:6, 0:6:2, :]
    to = tensor(y.shape, element)
    module.add(
        f"slice_{element}",
        read + "  %r = tensor.extract_slice %x[1, 2, 0, 0] [2, 4, 3, 3] [3, 1, 2, 1] : "
        f"{shaped} to {to}",
        y,
        element,
    )
    y = np.concatenate([x, x[:, :, :2]], axis=2)
    part = x[:, :, :2]
    module.add(
        f"concat_{element}",
        read + f"  %p = {module.constant(part, element)}\n"
        f"  %r = tensor.concat dim(2) %x, %p : ({shaped}, {tensor(part.shape, element)}) -> {tensor(y.shape, element)}",
        y,
        element,
    )


def pack(x, padding, tiles, order):
    """By definition: every element of the packed tensor on its own."""
    outer = [-(-size // tiles.get(axis, 1)) for axis, size in enumerate(x.shape)]
    y = np.full([outer[axis] for axis in order] + list(tiles.values()), padding, x.dtype)
    for index in np.ndindex(x.shape):
        blocks = [i // tiles.get(axis, 1) for axis, i in enumerate(index)]
        y[
            tuple(blocks[axis] for axis in order)
            + tuple(index[axis] % tile for axis, tile in tiles.items())
        ] = x[index]
    return y


def add_packs(module, element):
    zero = (
        "0.0" if element in ("f32", "f64", "f16", "bf16") else "false" if element == "i1" else "0"
    )
    for number, (shape, tiles, order) in enumerate(
        [
            ((16, 8, 3, 3), {1: 4, 0: 8}, (0, 1, 2, 3)),
            ((17, 5, 3, 2), {1: 4, 0: 8}, (0, 1, 2, 3)),
            ((3, 5, 7), {2: 4, 0: 2, 1: 3}, (2, 0, 1)),
            ((1, 3, 9, 9), {1: 16}, (0, 2, 3, 1)),
            ((70, 3), {0: 16}, (1, 0)),
        ]
    ):
        x = draw(shape, element)
        y = pack(x, 0, tiles, order)
        plain, packed = tensor(x.shape, element), tensor(y.shape, element)
        how = (
            f"outer_dims_perm = {list(order)} inner_dims_pos = {list(tiles)} "
            f"inner_tiles = {list(tiles.values())}"
        )
        module.add(
            f"pack_{element}_{number}",
            f"  %x = {module.constant(x, element)}\n"
            f"  %z = arith.constant {zero}{'' if element == 'i1' else ' : ' + element}\n"
            f"  %e = tensor.empty() : {packed}\n"
            f"  %r = linalg.pack %x padding_value(%z : {element}) {how} into %e : {plain} -> {packed}",
            y,
            element,
        )
        module.add(
            f"unpack_{element}_{number}",
            f"  %x = {module.constant(y, element)}\n"
            f"  %e = tensor.empty() : {plain}\n"
            f"  %r = linalg.unpack %x {how} into %e : {packed} -> {plain}",
            x,
            element,
        )


def add_scalars(module, element, operations, operands, compute=None, result=None):
    """`operations`: name in MLIR to a function of arrays, over whole tensors."""
    result = result or element
    shape = operands[0].shape
    for name, function in operations.items():
        count = function.__code__.co_argcount
        with np.errstate(all="ignore"):
            y = function(*operands[:count])
        lines = [
            f"  %x{i} = {module.constant(x, element)}" for i, x in enumerate(operands[:count])
        ]
        words = name.split(",")  # operation, predicate
        head = words[0] + (f" {words[1]}," if len(words) > 1 else "")
        kind = tensor(shape, element)
        kind = (
            f"{kind} to {tensor(shape, result)}" if result != element and len(words) == 1 else kind
        )
        lines.append(f"  %r = {head} {', '.join(f'%x{i}' for i in range(count))} : {kind}")
        label = f"{element}_{result}_{name}".replace(".", "_").replace(",", "_")
        module.add(label, "\n".join(lines), y, result)


def add_floats(module):
    for element in ("f32", "f64", "f16"):
        dtype = TYPES[element]
        special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-7], dtype)
        a = np.concatenate([np.repeat(special, 8), draw(700, element)])
        b = np.concatenate([np.tile(special, 8), draw(700, element)])
        # Float16 is computed as float and rounded, like the code that is compiled.
        wide = np.float32 if element == "f16" else dtype
        via = lambda f: (lambda x, y: f(x.astype(wide), y.astype(wide)).astype(dtype))
        # NaN has many bits: operands without it where the result must be exact.
        ok = ~(np.isnan(a) | np.isnan(b) | np.isinf(a) | np.isinf(b))
        x, y = a[ok], np.where(b[ok] == 0, dtype(2), b[ok])
        add_scalars(
            module,
            element,
            {
                "arith.addf": via(np.add),
                "arith.subf": via(np.subtract),
                "arith.mulf": via(np.multiply),
                "arith.divf": via(np.divide),
            },
            [x, y],
        )
        add_scalars(
            module,
            element,
            {
                "math.sqrt": lambda x: np.sqrt(x.astype(wide)).astype(dtype),
                "math.absf": lambda x: np.abs(x),
                "math.ceil": lambda x: np.ceil(x),
                "math.floor": lambda x: np.floor(x),
                "math.roundeven": lambda x: np.rint(x),
            },
            [np.abs(x)],
        )
        add_scalars(module, element, {"arith.negf": lambda x: -x}, [x])
        add_scalars(
            module,
            element,
            {
                "math.rsqrt": lambda x: (
                    wide(1) / np.sqrt(x.astype(wide))
                    if element != "f16"
                    else 1 / np.sqrt(x.astype(wide))
                ).astype(dtype)
            },
            [np.abs(y)],
        )
        unordered = lambda f: (lambda a, b: f(a, b) | np.isnan(a) | np.isnan(b))
        ordered = lambda f: (lambda a, b: f(a, b) & ~np.isnan(a) & ~np.isnan(b))
        compare = {}
        for letters, function in {
            "eq": np.equal,
            "gt": np.greater,
            "ge": np.greater_equal,
            "lt": np.less,
            "le": np.less_equal,
            "ne": np.not_equal,
        }.items():
            compare["arith.cmpf,o" + letters] = ordered(function)
            compare["arith.cmpf,u" + letters] = unordered(function)
        compare["arith.cmpf,ord"] = lambda a, b: ~(np.isnan(a) | np.isnan(b))
        compare["arith.cmpf,uno"] = lambda a, b: np.isnan(a) | np.isnan(b)
        add_scalars(module, element, compare, [a, b], result="i1")
        numbers = ~(np.isnan(a) | np.isnan(b))
        p, q = a[numbers], b[numbers]
        add_scalars(
            module,
            element,
            {
                "arith.maximumf": lambda p, q: np.where(
                    p == q, np.where(np.signbit(p), q, p), np.maximum(p, q)
                ),
                "arith.minimumf": lambda p, q: np.where(
                    p == q, np.where(np.signbit(p), p, q), np.minimum(p, q)
                ),
            },
            [p, q],
        )


def add_integers(module):
    for element in ("i8", "i16", "i32", "i64", "index"):
        dtype = TYPES[element]
        unsigned = np.dtype(dtype).str.replace("i", "u")
        limits = np.iinfo(dtype)
        a = draw(700, element)
        b = draw(700, element)
        a[:4] = [limits.min, limits.max, 0, -1]
        b = np.where((b == 0) | ((b == -1) & (a == limits.min)), dtype(3), b)
        small = (draw(700, element) & (limits.bits - 1)).astype(dtype)
        u = lambda f: (lambda a, b: f(a.view(unsigned), b.view(unsigned)).view(dtype))
        truncated = lambda a, b: (a - np.fmod(a, b)) // b
        add_scalars(
            module,
            element,
            {
                "arith.addi": lambda a, b: a + b,
                "arith.subi": lambda a, b: a - b,
                "arith.muli": lambda a, b: a * b,
                "arith.andi": lambda a, b: a & b,
                "arith.ori": lambda a, b: a | b,
                "arith.xori": lambda a, b: a ^ b,
                "arith.maxsi": lambda a, b: np.maximum(a, b),
                "arith.minsi": lambda a, b: np.minimum(a, b),
                "arith.maxui": u(np.maximum),
                "arith.minui": u(np.minimum),
                "arith.divui": u(np.floor_divide),
                "arith.remui": u(np.remainder),
                "arith.remsi": lambda a, b: np.fmod(a, b),
                "arith.floordivsi": lambda a, b: a // b,
                "arith.divsi": truncated,
            },
            [a, b],
        )
        add_scalars(
            module,
            element,
            {
                "arith.shli": lambda a, b: a << b,
                "arith.shrsi": lambda a, b: a >> b,
                "arith.shrui": u(np.right_shift),
            },
            [a, small],
        )
        add_scalars(
            module,
            element,
            {
                "arith.cmpi,slt": lambda a, b: a < b,
                "arith.cmpi,sge": lambda a, b: a >= b,
                "arith.cmpi,ult": lambda a, b: a.view(unsigned) < b.view(unsigned),
                "arith.cmpi,uge": lambda a, b: a.view(unsigned) >= b.view(unsigned),
                "arith.cmpi,eq": lambda a, b: a == b,
            },
            [a, b],
            result="i1",
        )


def add_casts(module):
    every = np.arange(65536, dtype=np.uint16)
    halves = every.view(np.float16)
    halves = halves[~np.isnan(halves)]
    add_scalars(
        module, "f16", {"arith.extf": lambda x: x.astype(np.float32)}, [halves], result="f32"
    )
    add_scalars(
        module, "f16", {"arith.extf": lambda x: x.astype(np.float64)}, [halves], result="f64"
    )
    # Around every f16: itself, the middle to the next, a little off the middle.
    base = halves[np.isfinite(halves)].astype(np.float64)
    with np.errstate(over="ignore"):
        step = np.nextafter(halves[np.isfinite(halves)], np.float16(np.inf)).astype(np.float64)
    step[~np.isfinite(step)] = 65536
    middle = (base + step) / 2
    near = np.concatenate(
        [
            base,
            middle,
            np.nextafter(middle, -np.inf),
            np.nextafter(middle, np.inf),
            [1e-30, -1e-30, 1e30, -1e30, np.inf, -np.inf],
        ]
    )
    with np.errstate(all="ignore"):
        floats = near.astype(np.float32)
    floats = np.concatenate(
        [floats, np.nextafter(floats, np.float32(9e9)), np.nextafter(floats, np.float32(-9e9))]
    )
    to_half = lambda x: x.astype(np.float16)
    add_scalars(module, "f32", {"arith.truncf": to_half}, [floats], result="f16")
    add_scalars(module, "f64", {"arith.truncf": to_half}, [near], result="f16")
    add_scalars(module, "f32", {"arith.truncf": lambda x: f32_to_bf16(x)}, [floats], result="bf16")
    add_scalars(
        module, "f64", {"arith.truncf": lambda x: x.astype(np.float32)}, [near], result="f32"
    )
    bits = every[np.isfinite(bf16_to_f32(every))]
    add_scalars(module, "bf16", {"arith.extf": lambda x: bf16_to_f32(x)}, [bits], result="f32")
    for element in ("i8", "i16", "i32", "i64"):
        x = draw(300, element)
        unsigned = x.view(np.dtype(x.dtype).str.replace("i", "u"))
        for to in ("f32", "f64"):
            add_scalars(
                module,
                element,
                {
                    "arith.sitofp": lambda x: x.astype(TYPES[to]),
                    "arith.uitofp": lambda x: unsigned.astype(TYPES[to]),
                },
                [x],
                result=to,
            )
        for to in ("i8", "i16", "i32", "i64"):
            wider = np.iinfo(TYPES[to]).bits - np.iinfo(x.dtype).bits
            if wider > 0:
                add_scalars(
                    module,
                    element,
                    {
                        "arith.extsi": lambda x: x.astype(TYPES[to]),
                        "arith.extui": lambda x: unsigned.astype(TYPES[to]),
                    },
                    [x],
                    result=to,
                )
            elif wider < 0:
                add_scalars(
                    module,
                    element,
                    {"arith.trunci": lambda x: x.astype(TYPES[to])},
                    [x],
                    result=to,
                )
    x = (rng.standard_normal(300) * 30).astype(np.float32)
    add_scalars(
        module, "f32", {"arith.fptosi": lambda x: np.trunc(x).astype(np.int8)}, [x], result="i8"
    )
    add_scalars(
        module,
        "f32",
        {"arith.fptoui": lambda x: np.trunc(x).astype(np.int64)},
        [np.abs(x)],
        result="i64",
    )
    add_scalars(module, "f32", {"arith.bitcast": lambda x: x.view(np.int32)}, [x], result="i32")


def add_functions(module):
    """Functions that are not rounded exactly: results are compared within 1e-6."""
    x = rng.uniform(0.1, 5, 500).astype(np.float32)
    y = rng.uniform(-2, 2, 500).astype(np.float32)
    double = lambda f: (lambda x: f(x.astype(np.float64)).astype(np.float32))
    names = {
        name: name
        for name in (
            "exp",
            "exp2",
            "expm1",
            "log",
            "log2",
            "log10",
            "log1p",
            "sin",
            "cos",
            "tan",
            "sinh",
            "cosh",
            "tanh",
            "cbrt",
        )
    }
    names["atan"] = "arctan"
    before = len(module.expected)
    add_scalars(
        module,
        "f32",
        {"math." + name: double(getattr(np, function)) for name, function in names.items()},
        [x],
    )
    add_scalars(
        module,
        "f32",
        {
            "math.powf": lambda x, y: np.power(x.astype(np.float64), y).astype(np.float32),
            "math.atan2": lambda x, y: np.arctan2(x.astype(np.float64), y).astype(np.float32),
            "math.fma": lambda x, y, z: (x.astype(np.float64) * y + z).astype(np.float32),
            "math.copysign": lambda x, y: np.copysign(x, y),
        },
        [x, y, -x],
    )
    erf = np.array([math.erf(value) for value in x], np.float32)
    add_scalars(module, "f32", {"math.erf": lambda x: erf}, [x])
    module.close.update(list(module.expected)[before:])


def add_generics(module):
    """Scales along each axis, in several types; bf16 and f16 round every step."""
    for element in ("f32", "f64", "f16", "bf16"):
        wide = np.float64 if element == "f64" else np.float32
        widen = bf16_to_f32 if element == "bf16" else lambda x: x.astype(wide)
        narrow = f32_to_bf16 if element == "bf16" else lambda x: x.astype(TYPES[element])
        x = draw((37, 19, 5, 3), element)
        for axis in range(4):
            scale, offset = draw(x.shape[axis], element), draw((1, 1, 1, 1), element)
            shape = [-1 if i == axis else 1 for i in range(4)]
            product = narrow(widen(x) * widen(scale).reshape(shape))
            y = narrow(widen(product) + widen(offset)).transpose(0, 2, 3, 1)
            kinds = [tensor(v.shape, element) for v in (x, scale, offset, y)]
            module.add(
                f"generic_{element}_{axis}",
                f"  %x = {module.constant(x, element)}\n"
                f"  %s = {module.constant(scale, element)}\n"
                f"  %o = {module.constant(offset, element)}\n"
                f"  %e = tensor.empty() : {kinds[3]}\n"
                "  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, "
                f"affine_map<(a, b, c, d) -> ({'abcd'[axis]})>, affine_map<(a, b, c, d) -> (0, 0, 0, 0)>, "
                "affine_map<(a, b, c, d) -> (a, c, d, b)>], "
                'iterator_types = ["parallel", "parallel", "parallel", "parallel"]}\n'
                f"    ins(%x, %s, %o : {', '.join(kinds[:3])}) outs(%e : {kinds[3]}) {{\n"
                f"  ^bb0(%p: {element}, %q: {element}, %u: {element}, %out: {element}):\n"
                f"    %1 = arith.mulf %p, %q : {element}\n    %2 = arith.addf %1, %u : {element}\n"
                f"    linalg.yield %2 : {element}\n  }} -> {kinds[3]}",
                y,
                element,
            )


def write(path, expected):
    module = Module()
    for element in TYPES:
        add_moves(module, element)
        add_packs(module, element)
    add_floats(module)
    add_integers(module)
    add_casts(module)
    add_generics(module)
    add_functions(module)
    with open(path, "w") as file:
        file.write(module.text())
    np.savez(
        expected,
        **{
            ("close_" if name in module.close else "") + name: array
            for name, array in module.expected.items()
        },
    )


def check(path, expected):
    text = open(path).read()
    data = dict(re.findall(r'^\s*(\w+): "0x40000000([0-9A-F]*)"', text, re.M))
    read = re.compile(
        r"func\.func @(\w+)\(\) -> [^\n]*\n"
        r"\s*%\w+ = arith\.constant dense_resource<(\w+)> [^\n]*\n\s*return"
    )
    names = dict(read.findall(text))
    wrong = []
    with np.load(expected) as arrays:
        for key in arrays.files:
            name = key.removeprefix("close_")
            if name not in names:
                wrong.append(f"{name}: not folded")
                continue
            found = np.frombuffer(bytes.fromhex(data[names[name]]), arrays[key].dtype)
            want = arrays[key].ravel()
            if key != name:
                error = np.abs(found - want) / np.maximum(np.abs(want), 1e-3)
                if not error.max() <= 1e-6:
                    wrong.append(f"{name}: off by {error.max()}")
                continue
            same = found.tobytes() == want.tobytes()
            if not same:
                at = next(i for i in range(len(want)) if found[i].tobytes() != want[i].tobytes())
                wrong.append(f"{name}: element {at}: expected {want[at]!r}, found {found[at]!r}")
    print(f"{len(arrays.files) - len(wrong)} cases agree")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](*sys.argv[2:])
