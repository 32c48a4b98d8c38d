#!/usr/bin/env python3
"""Activations in the spellings of importers: named, and with the values of NumPy.

usage: activations.py FOLDER

Every formula is written as one element-wise operation and as one for each step. The
named operation must have the values of the formula, those for NaN, infinities and
zeros included; near misses stay as they are and have their own values.
"""

import os
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Execution/Inputs"))
import references as ref  # noqa: E402

RNG = np.random.default_rng(17)
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 3.0, -3.0, 6.0, 5.999, 6.001, 1e-30, -1e-30, 25.0, -25.0, 80.0, -80.0]
X = np.concatenate([SPECIAL, RNG.uniform(-8, 8, 104)]).astype(np.float32).reshape(2, 3, 4, 5)


def maximum(x, low, nan=None):
    return np.where(np.isnan(x), x if nan is None else nan, np.maximum(x, low))


def clamp(x, low, high, nan=np.nan):
    return np.where(np.isnan(x), nan, np.clip(x, low, high))


def softplus(x, beta=1.0):
    return np.where(x * beta > 20, x, np.log1p(np.exp(np.minimum(x * beta, 20))) / beta)


# (name, steps, the operation that is expected or None, NumPy). A step is `op operands`; %x is the
# input, %i the result of step i, numbers are constants. The first word after `cmpf`
# is the predicate; results of `cmpf` are conditions.
RELU6_3 = [("addf", "%x", 3.0), ("maximumf", "%0", 0.0), ("minimumf", "%1", 6.0)]
SIGMOID = [("negf", "%x"), ("exp", "%0"), ("addf", "%1", 1.0), ("divf", 1.0, "%2")]
EXP1 = [("exp", "%x"), ("subf", "%0", 1.0)]
CDF = [("divf", "%x", 1.4142135623730951), ("erf", "%0"), ("addf", "%1", 1.0), ("mulf", "%2", 0.5), ("mulf", "%3", "%x")]
TANH_CDF = [("powf", "%x", 3.0), ("mulf", "%0", 0.044715), ("addf", "%x", "%1"), ("mulf", "%2", 0.7978845608028654),
            ("tanh", "%3"), ("addf", "%4", 1.0), ("mulf", "%x", 0.5), ("mulf", "%6", "%5")]
SOFTPLUS = [("exp", "%x"), ("log1p", "%0"), ("cmpf ogt", "%x", 20.0), ("select", "%2", "%x", "%1")]
GELU_TANH = ref.UNARY["gelu_tanh"]

FORMULAS = [
    ("relu_compare", [("cmpf ugt", "%x", 0.0), ("select", "%0", "%x", 0.0)], "relu", lambda x: maximum(x, 0)),
    ("relu_maximum", [("maximumf", 0.0, "%x")], "relu", lambda x: maximum(x, 0)),
    ("relu_without_nan", [("cmpf ogt", "%x", 0.0), ("select", "%0", "%x", 0.0)], None, lambda x: maximum(x, 0, 0)),
    ("relu_turned", [("cmpf ult", 0.0, "%x"), ("select", "%0", "%x", 0.0)], "relu", lambda x: maximum(x, 0)),
    ("relu_of_half", [("maximumf", 0.5, "%x")], None, lambda x: maximum(x, 0.5)),
    ("minimum", [("cmpf ugt", "%x", 0.0), ("select", "%0", 0.0, "%x")], None,
     lambda x: np.where(np.isnan(x), 0, np.minimum(x, 0))),
    ("relu6", [("maximumf", "%x", 0.0), ("minimumf", "%0", 6.0)], "relu6 ", lambda x: clamp(x, 0, 6)),
    ("relu6_compare", [("cmpf ogt", "%x", 0.0), ("select", "%0", "%x", 0.0), ("cmpf olt", "%1", 6.0),
                       ("select", "%2", "%1", 6.0)], "relu6 .*ignore_nan", lambda x: clamp(x, 0, 6, 0)),
    ("clamp_compare", [("cmpf ult", "%x", -1.0), ("select", "%0", -1.0, "%x"), ("cmpf ugt", "%1", 0.5),
                       ("select", "%2", 0.5, "%1")], "clamp .*ignore_nan.*-1.*, 5", lambda x: clamp(x, -1, 0.5, -1)),
    ("clamp_from_above", [("minimumf", "%x", 2.0), ("maximumf", "%0", -2.0)], "clamp ", lambda x: clamp(x, -2, 2)),
    ("nan_to_high", [("maximumf", "%x", 0.0), ("cmpf olt", "%0", 6.0), ("select", "%1", "%0", 6.0)], None,
     lambda x: clamp(x, 0, 6, 6)),
    ("bounds_crossed", [("maximumf", "%x", 3.0), ("minimumf", "%0", 1.0)], None, lambda x: np.where(np.isnan(x), x, 1)),
    ("leaky_relu", [("mulf", "%x", 0.1), ("cmpf ogt", "%x", 0.0), ("select", "%1", "%x", "%0")], "leaky_relu .*1.0",
     lambda x: np.where(x > 0, x, np.float32(0.1) * x)),
    ("leaky_relu_sum", [("maximumf", "%x", 0.0), ("minimumf", "%x", 0.0), ("mulf", "%1", 0.25), ("addf", "%0", "%2")],
     "leaky_relu .*2.5", lambda x: np.where(x > 0, x, 0.25 * x)),
    ("leaky_of_two_factors", [("mulf", "%x", 1e30), ("mulf", "%0", 1e-30), ("cmpf ogt", "%x", 0.0), ("select", "%2", "%x", "%1")],
     None, lambda x: x),
    ("elu_of_nothing", EXP1 + [("mulf", "%1", 0.0), ("minimumf", "%2", 0.0), ("maximumf", "%x", 0.0), ("addf", "%4", "%3")],
     None, lambda x: np.where(np.exp(np.float32(x)) == np.inf, np.nan, maximum(x, 0))),
    ("leaky_at_one", [("mulf", "%x", 0.1), ("cmpf ogt", "%x", 1.0), ("select", "%1", "%x", "%0")], None,
     lambda x: np.where(x > 1, x, np.float32(0.1) * x)),
    ("hardsigmoid", RELU6_3 + [("divf", "%2", 6.0)], "hardsigmoid ", lambda x: clamp(x + 3, 0, 6) / 6),
    ("hardsigmoid_onnx", [("mulf", "%x", 1 / 6), ("addf", "%0", 0.5), ("maximumf", "%1", 0.0), ("minimumf", "%2", 1.0)],
     "hardsigmoid ", lambda x: clamp(x + 3, 0, 6) / 6),
    ("hardsigmoid_fifth", [("mulf", "%x", 0.2), ("addf", "%0", 0.5), ("maximumf", "%1", 0.0), ("minimumf", "%2", 1.0)],
     None, lambda x: clamp(x * np.float32(0.2) + 0.5, 0, 1)),
    ("hardswish", RELU6_3 + [("mulf", "%x", "%2"), ("divf", "%3", 6.0)], "hardswish ", lambda x: x * (clamp(x + 3, 0, 6) / 6)),
    ("hardswish_split", RELU6_3 + [("divf", "%2", 6.0), ("mulf", "%3", "%x")], "hardswish ",
     lambda x: x * (clamp(x + 3, 0, 6) / 6)),
    ("hardswish_by_two", RELU6_3 + [("mulf", "%x", "%2"), ("divf", "%3", 2.0)], None, lambda x: x * clamp(x + 3, 0, 6) / 2),
    ("hardswish_shift_2", [("addf", "%x", 2.0), ("maximumf", "%0", 0.0), ("minimumf", "%1", 6.0), ("mulf", "%x", "%2"),
                           ("divf", "%3", 6.0)], None, lambda x: x * clamp(x + 2, 0, 6) / 6),
    ("sigmoid", SIGMOID, "sigmoid ", ref.sigmoid),
    ("sigmoid_of_minus", [("exp", "%x"), ("addf", "%0", 1.0), ("divf", 1.0, "%1")], None, lambda x: 1 / (1 + np.exp(x))),
    ("sigmoid_plus_two", [("negf", "%x"), ("exp", "%0"), ("addf", "%1", 2.0), ("divf", 1.0, "%2")], None,
     lambda x: 1 / (2 + np.exp(-x))),
    ("silu", SIGMOID + [("mulf", "%x", "%3")], "silu ", lambda x: x * ref.sigmoid(x)),
    ("silu_quotient", SIGMOID[:3] + [("divf", "%x", "%2")], "silu ", lambda x: x * ref.sigmoid(x)),
    ("gelu", CDF, "gelu ", lambda x: 0.5 * x * (1 + ref.ERF(x / np.sqrt(2)))),
    ("gelu_without_half", CDF[:3] + [("mulf", "%2", "%x")], None, lambda x: x * (1 + ref.ERF(x / np.sqrt(2)))),
    ("gelu_tanh", TANH_CDF, "gelu_tanh ", GELU_TANH),
    ("gelu_square", [("powf", "%x", 2.0)] + TANH_CDF[1:], None,
     lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**2)))),
    ("elu", EXP1 + [("mulf", "%1", 0.5), ("cmpf ogt", "%x", 0.0), ("select", "%3", "%x", "%2")], "elu .*5.0",
     lambda x: np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 1)))),
    ("elu_sum", EXP1 + [("minimumf", "%1", 0.0), ("maximumf", "%x", 0.0), ("addf", "%3", "%2")], "elu .*1.0",
     lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 1)))),
    ("elu_minus_two", [("exp", "%x"), ("subf", "%0", 2.0), ("cmpf ogt", "%x", 0.0), ("select", "%2", "%x", "%1")], None,
     lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 1)) - 2)),
    ("elu_next_to_one", [("exp", "%x"), ("subf", "%0", 1.0 + 2.0**-23), ("cmpf ogt", "%x", 0.0), ("select", "%2", "%x", "%1")],
     None, lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 1)) - 1 - 2.0**-23)),
    ("softplus", SOFTPLUS, "softplus ", softplus),
    ("softplus_2", [("mulf", "%x", 2.0), ("exp", "%0"), ("log1p", "%1"), ("divf", "%2", 2.0), ("cmpf ogt", "%0", 20.0),
                    ("select", "%4", "%x", "%3")], "softplus .*2.0", lambda x: softplus(x, 2)),
    ("softplus_at_5", SOFTPLUS[:2] + [("cmpf ogt", "%x", 5.0), ("select", "%2", "%x", "%1")], None,
     lambda x: np.where(x > 5, x, np.log1p(np.exp(np.minimum(x, 20))))),
    ("mish", SOFTPLUS + [("tanh", "%3"), ("mulf", "%4", "%x")], "mish ", lambda x: x * np.tanh(softplus(x))),
    ("tanh", [("tanh", "%x")], "tanh ", np.tanh),
]
MATH = {"exp", "erf", "tanh", "log1p", "powf"}


def spell(steps, name_of, constants):
    """The steps as scalar operations on what `name_of` says."""
    lines = []
    for number, (op, *operands) in enumerate(steps):
        names = []
        for operand in operands:
            if isinstance(operand, float):
                constants[operand] = f"%c{len(constants)}" if operand not in constants else constants[operand]
            names.append(constants[operand] if isinstance(operand, float) else name_of(operand))
        dialect = "math" if op in MATH else "arith"
        joined = ", ".join(names)
        text = f"{dialect}.{op} {joined} : f32" if "cmpf" not in op else f"arith.cmpf {op.split()[1]}, {joined} : f32"
        lines.append(f"    %s{number} = {text}")
    return lines


def generic(result, inputs, lines, last, type_="f32"):
    maps = ", ".join(["affine_map<(a, b, c, d) -> (a, b, c, d)>"] * (len(inputs) + 1))
    tensor = [f"tensor<2x3x4x5x{element}>" for _, element in inputs]
    arguments = ", ".join(f"%{'x' if name == '%x' else 'i' + name[1:]}_: {element}" for name, element in inputs)
    return "\n".join(
        [f"  %e{result} = tensor.empty() : tensor<2x3x4x5x{type_}>",
         f"  %t{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = "
         f"[\"parallel\", \"parallel\", \"parallel\", \"parallel\"]}}",
         "    ins(" + ", ".join("%x" if n == "%x" else f"%t{n[1:]}" for n, _ in inputs) + " : " + ", ".join(tensor) +
         f") outs(%e{result} : tensor<2x3x4x5x{type_}>) {{",
         f"  ^bb0({arguments}, %out_{result}: {type_}):", *lines, f"    linalg.yield {last} : {type_}",
         f"  }} -> tensor<2x3x4x5x{type_}>"])


def program(steps, apart):
    """The formula in one operation, or in one for each step."""
    constants, parts = {}, []
    argument = lambda name: "%x_" if name == "%x" else f"%i{name[1:]}_"
    element = lambda number: "i1" if "cmpf" in steps[number][0] else "f32"
    if apart:
        for number, step in enumerate(steps):
            names = list(dict.fromkeys(o for o in step[1:] if isinstance(o, str)))
            inputs = [(n, "f32" if n == "%x" else element(int(n[1:]))) for n in names]
            line = spell([step], argument, constants)
            parts.append(generic(number, inputs, line, "%s0", element(number)))
    else:
        lines = spell(steps, lambda name: "%x_" if name == "%x" else f"%s{name[1:]}", constants)
        parts.append(generic(len(steps) - 1, [("%x", "f32")], lines, f"%s{len(steps) - 1}"))
    header = [f"  {name} = arith.constant {value:.17e} : f32" for value, name in constants.items()]
    return ("func.func @main(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {\n" + "\n".join(header + parts) +
            f"\n  return %t{len(steps) - 1} : tensor<2x3x4x5xf32>\n}}\n")


def check(base, text, expected, y):
    with open(base + ".mlir", "w") as file:
        file.write(text)
    raised = subprocess.run(["memfmt-opt", base + ".mlir", "--memfmt-raise"], capture_output=True, text=True)
    if raised.returncode:
        return raised.stderr[:300]
    named = re.findall(r"memfmt\.elementwise\s+(.*)", raised.stdout)
    if expected and (len(named) != 1 or not re.match(expected, named[0]) or "linalg.generic" in raised.stdout):
        return f"expected {expected}, found {named}"
    if not expected and "linalg.generic" not in raised.stdout:
        return f"expected no operation with a name, found {named}"
    np.savez(base + ".in.npz", arg0=X)
    np.savez(base + ".out.npz", y.astype(np.float32))
    ran = subprocess.run(["memfmt-run", base + ".mlir", "--input", base + ".in.npz", "--expect", base + ".out.npz",
                          "--rtol", "2e-6", "--atol", "2e-6"], capture_output=True, text=True)
    return ran.stderr[-300:] if ran.returncode else None


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    np.seterr(all="ignore")
    for name, steps, expected, function in FORMULAS:
        y = function(X.astype(np.float64))
        for apart in (False, True):
            fault = check(os.path.join(folder, f"{name}_{'steps' if apart else 'one'}"), program(steps, apart), expected, y)
            if fault:
                failed += 1
                print(f"{name}{' in steps' if apart else ''} fails: {fault}")
    print(f"{len(FORMULAS)} formulas, {failed} fail")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
