"""Arrays from a manifest with seeds, as docs/manifest.md describes them.

usage: python3 -m memfmt.manifest MANIFEST.json [--weights OUT.npz] [--input OUT.npz]

The tools read manifests themselves; this is for everything else that wants the
same arrays. Needs NumPy.
"""

import argparse
import json

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
    array = (scaled + np.float32(recipe["offset"])).reshape(recipe["shape"])
    if recipe.get("dtype", "f32") == "bf16":
        bits = np.ascontiguousarray(array).view(np.uint32)
        array = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    order = list(recipe.get("perm") or [])
    if order and order[0] == "flip":
        array, order = array[..., ::-1, ::-1], order[1:]
    return np.ascontiguousarray(array.transpose(order) if order else array)


def inputs(manifest):
    """The input arrays by name, in order."""
    if isinstance(manifest.get("input"), dict):
        return {"input": generate(manifest["input"])}
    recipes = manifest["inputs"]
    return {name: generate(recipe) for name, recipe in recipes.items() if isinstance(recipe, dict)}


def weights(manifest):
    """The arrays that have a seed, by key; bf16 as 16-bit patterns."""
    result = {}
    for table in ("linalg", "tosa"):
        for key, recipe in manifest["weights"].get(table, {}).items():
            if key not in result and isinstance(recipe, dict) and "seed" in recipe:
                result[key] = generate(recipe)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manifest")
    parser.add_argument("--weights", help="write the weights (.npz)")
    parser.add_argument("--input", help="write the inputs (.npz)")
    options = parser.parse_args()
    with open(options.manifest) as file:
        manifest = json.load(file)
    if options.weights:
        np.savez(options.weights, **weights(manifest))
    if options.input:
        np.savez(options.input, **inputs(manifest))


if __name__ == "__main__":
    main()
