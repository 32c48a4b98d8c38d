#!/usr/bin/env python3
"""Writes a small program with good and bad files for memfmt-run.

usage: make_run_files.py FOLDER
"""

import json
import os
import struct
import sys
import zipfile

import numpy as np

NET = """func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %w = arith.constant dense_resource<w> : tensor<2x4xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %y = linalg.add ins(%x, %w : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
"""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]

    def path(name):
        return os.path.join(folder, name)

    def text(name, content):
        with open(path(name), "w") as file:
            file.write(content)

    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    w = np.ones((2, 4), np.float32)
    text("net.mlir", NET)
    text("notmlir.mlir", "this is no MLIR\n")
    text("unknownop.mlir", NET.replace("linalg.add ins", "linalg.no_such_thing ins")
         .replace("  %w = arith.constant dense_resource<w> : tensor<2x4xf32>\n", "")
         .replace("  %e = tensor.empty() : tensor<2x4xf32>\n", ""))
    text("nofunction.mlir", "module {}\n")
    text("twofunctions.mlir", "func.func @f() { return }\nfunc.func @g() { return }\n")
    text("dynamic.mlir", "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }\n")
    text("notjson.json", "{ nothing")
    text("notzip.npz", "no archive at all, but more than twenty-two bytes")
    np.savez(path("weights.npz"), w=w)
    np.savez(path("nothing.npz"), v=w)
    np.savez(path("shape.npz"), w=w.T)
    np.savez(path("type.npz"), w=w.astype(np.float64))
    np.save(path("input.npy"), x)
    np.save(path("wronginput.npy"), x.T.copy())
    np.save(path("golden.npy"), x + w)
    wrong = x + w
    wrong[1, 2] += 0.5
    np.save(path("wronggolden.npy"), wrong)
    nan = x + w
    nan[0, 3] = np.nan
    np.save(path("nangolden.npy"), nan)

    # One element is missing at the end of the data.
    np.save(path("w.npy"), w)
    with open(path("w.npy"), "rb") as file:
        npy = file.read()
    with zipfile.ZipFile(path("short.npz"), "w") as archive:
        archive.writestr("w.npy", npy[:-4])
    header = json.dumps({"w": {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 28]}}).encode()
    with open(path("short.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + w.tobytes()[:-4])
    # One bit of the data is flipped.
    with open(path("weights.npz"), "rb") as file:
        archive = bytearray(file.read())
    archive[archive.index(w.tobytes()) + 1] ^= 1
    with open(path("damaged.npz"), "wb") as file:
        file.write(archive)


if __name__ == "__main__":
    main()
