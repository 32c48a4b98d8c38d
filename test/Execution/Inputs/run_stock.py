#!/usr/bin/env python3
"""Runs a program under the stock MLIR tools and compares its result.

usage: run_stock.py PHYSICAL.mlir INPUT.npz EXPECTED.npz RTOL ATOL LLVM_DIR

Adds a function that feeds the input and prints the result, lowers with
mlir-opt, runs with mlir-runner. Prints "max abs error E, allowed A".
"""

import os
import re
import subprocess
import sys

import numpy as np

OPT_PASSES = [
    "-one-shot-bufferize=bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map",
    "-convert-linalg-to-loops", "-convert-scf-to-cf", "-expand-strided-metadata",
    "-lower-affine", "-convert-arith-to-llvm", "-convert-math-to-llvm",
    "-finalize-memref-to-llvm", "-convert-func-to-llvm", "-convert-cf-to-llvm",
    "-reconcile-unrealized-casts"]


def add_entry(text, array):
    """The module with a function that calls @main on `array` and prints."""
    match = re.search(r"func\.func @main\(%arg0: (tensor<[^>]*>)\) -> (tensor<([^>]*)>)", text)
    argument, result, body = match.groups()
    entry = f"""
  func.func @entry() {{
    %input = arith.constant dense_resource<stock_input> : {argument}
    %result = call @main(%input) : ({argument}) -> {result}
    %cast = tensor.cast %result : {result} to tensor<*x{body.split("x")[-1]}>
    call @printMemrefF32(%cast) : (tensor<*xf32>) -> ()
    return
  }}
  func.func private @printMemrefF32(tensor<*xf32>)
"""
    blob = f'      stock_input: "0x40000000{array.astype(np.float32).tobytes().hex().upper()}"'
    head, tail = text, ""
    if "{-#" in text:
        head, tail = text[: text.index("{-#")], text[text.index("{-#"):]
        tail = tail.replace("builtin: {\n", "builtin: {\n" + blob + ",\n", 1)
    else:
        tail = "{-#\n  dialect_resources: {\n    builtin: {\n" + blob + "\n    }\n  }\n#-}\n"
    end = head.rstrip().rindex("}")
    return head[:end] + entry + "}\n\n" + tail


def parse_printed(text):
    """The numbers of printMemrefF32."""
    data = text[text.index("data ="):].split("=", 1)[1]
    return np.array([float(x) for x in re.findall(r"[-+0-9.e]+|nan|inf", data)])


def main():
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    path, input_path, expected_path, rtol, atol, llvm = sys.argv[1:]
    with open(path) as file:
        text = file.read()
    if "memfmt" in text:
        sys.exit("the program still speaks of memfmt")
    inputs = np.load(input_path)
    text = add_entry(text, inputs[inputs.files[0]])
    lowered = subprocess.run([os.path.join(llvm, "bin", "mlir-opt"), *OPT_PASSES],
                             input=text, capture_output=True, text=True)
    if lowered.returncode:
        sys.exit("mlir-opt: " + lowered.stderr[-2000:])
    libraries = ",".join(os.path.join(llvm, "lib", name) for name in
                         ["libmlir_runner_utils.so", "libmlir_c_runner_utils.so"])
    ran = subprocess.run([os.path.join(llvm, "bin", "mlir-runner"), "-e", "entry",
                          "-entry-point-result=void", "-O3", "-shared-libs=" + libraries],
                         input=lowered.stdout, capture_output=True, text=True)
    if ran.returncode:
        sys.exit("mlir-runner: " + ran.stderr[-2000:])
    archive = np.load(expected_path)
    expected = archive[archive.files[0]].ravel()
    result = parse_printed(ran.stdout)
    if result.size != expected.size:
        sys.exit(f"{result.size} values, expected {expected.size}")
    error = np.abs(result - expected).max()
    allowed = float(atol) + float(rtol) * np.abs(expected).max()
    print(f"max abs error {error:.3g}, allowed {allowed:.3g}")
    sys.exit(0 if error <= allowed else 1)


if __name__ == "__main__":
    main()
