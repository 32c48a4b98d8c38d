#!/usr/bin/env python3
"""The input of a manifest as .npy, from docs/manifest.md alone.

usage: make_input.py MANIFEST.json OUT.npy
"""

import json
import sys

import numpy as np


def generate(recipe):
    """The array of a recipe: splitmix64, every step rounded to f32."""
    count = int(np.prod(recipe["shape"]))
    with np.errstate(over="ignore"):
        z = np.uint64(recipe["seed"]) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    unit = ((z >> np.uint64(40)).astype(np.int64) - 2**23).astype(np.float32) * np.float32(2.0**-23)
    scaled = (unit * np.float32(recipe["scale"])).astype(np.float32)
    return (scaled + np.float32(recipe["offset"])).reshape(recipe["shape"])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        manifest = json.load(file)
    np.save(sys.argv[2], generate(manifest["input"]))


if __name__ == "__main__":
    main()
