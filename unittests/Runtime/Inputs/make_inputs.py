#!/usr/bin/env python3
"""Writes the files beside it with NumPy, so that the tests read what NumPy
wrote and compare with what NumPy computed. Run in this folder; needs numpy.

The safetensors file is put together by hand from the description of the format
(8 bytes of length, JSON, data). The values of the manifest come from the
formula of docs/manifest.md, written with Python's integers of any size.
"""
import io
import json
import struct
import zipfile

import numpy as np

DTYPES = ["f4", "f8", "f2", "?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def counting(dtype, shape):
    """0, 1, 0, 1, ... for booleans; else -3, -2, ... or 0, 1, ..."""
    n = int(np.prod(shape))
    values = np.arange(n) % 2 if dtype == "?" else np.arange(n)
    if dtype[0] in "fi":
        values = values - 3
    return values.astype(dtype).reshape(shape)


def npy(array, version):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def generate(seed, shape, scale, offset):
    mask = (1 << 64) - 1
    values = np.empty(int(np.prod(shape)), np.float32)
    for i in range(values.size):
        z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        unit = np.float32(((z >> 40) - (1 << 23)) / 2.0**23)
        values[i] = np.float32(unit * np.float32(scale)) + np.float32(offset)
    return values.reshape(shape)


def to_bf16(values):
    """Nearest, ties to even, by exact comparison in f64."""
    low = values.view(np.uint32) >> 16
    out = np.empty(values.shape, np.uint16)
    for index, value in np.ndenumerate(values):
        pair = np.array([low[index], low[index] + 1], np.uint32)
        ends = (pair << 16).view(np.float32).astype(np.float64)
        distances = abs(ends - np.float64(value))
        upper = distances[1] < distances[0] or (
            distances[1] == distances[0] and pair[0] % 2)
        out[index] = pair[1 if upper else 0]
    return out


def write_npz_files():
    arrays = {dtype.replace("?", "bool"): counting(dtype, (2, 3))
              for dtype in DTYPES}
    arrays |= {"scalar": np.float32(2.5), "empty": np.zeros((2, 0, 3), "f4"),
               "fortran": np.asfortranarray(counting("i4", (2, 3, 4))),
               "dir/name": counting("f4", (5,))}
    np.savez("stored.npz", **arrays)
    # Long matches, a code for the text, and bytes that do not compress.
    text = np.frombuffer(" ".join(map(str, range(3000))).encode(), np.uint8)
    noise = np.random.default_rng(7).integers(0, 256, 5000).astype(np.uint8)
    skewed = (2.0 ** np.random.default_rng(8).exponential(1.5, 20000)).astype(
        np.uint8)
    np.savez_compressed("deflated.npz", zeros=np.zeros(70000, "f4"), text=text,
                        noise=noise, skewed=skewed, few=np.float64(1.5))
    np.savez("deflated.expected.npz", text=text, noise=noise, skewed=skewed)
    # As for files above 4 GiB: every size and offset stands in 64 bits.
    zipfile.ZIP64_LIMIT, limit = 0, zipfile.ZIP64_LIMIT
    np.savez("zip64.npz", first=counting("f4", (2, 3)), second=np.float64(1.5))
    zipfile.ZIP64_LIMIT = limit
    content = open("zip64.npz", "rb").read()
    # The last record says of count, size and offset: see the 64-bit one.
    open("zip64.npz", "wb").write(content[:-14] + b"\xff" * 12 + content[-2:])


def write_npy_files():
    array = counting("f4", (2, 3))
    for major in (1, 2, 3):
        open(f"version{major}.npy", "wb").write(npy(array, (major, 0)))
    open("bigendian.npy", "wb").write(npy(array.astype(">f4"), (1, 0)))
    structured = np.zeros(2, [("a", "f4"), ("b", "i4")])
    open("structured.npy", "wb").write(npy(structured, (1, 0)))


def write_safetensors():
    half = np.array([1.5, -2], np.float16)
    header = {"__metadata__": {"format": "pt"},
              "zeta": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
              "alpha": {"dtype": "BF16", "shape": [2], "data_offsets": [16, 20]},
              "half": {"dtype": "F16", "shape": [2], "data_offsets": [20, 24]},
              "flag": {"dtype": "BOOL", "shape": [], "data_offsets": [24, 25]},
              "odd": {"dtype": "I64", "shape": [1], "data_offsets": [25, 33]}}
    text = json.dumps(header).encode()
    data = (np.array([1, 2, 3, 4], np.float32).tobytes() +
            struct.pack("<HH", 0x3F80, 0xC000) + half.tobytes() + b"\1" +
            struct.pack("<q", -5))
    open("small.safetensors", "wb").write(
        struct.pack("<Q", len(text)) + text + data)


def write_manifest():
    def entry(seed, shape, scale, offset, perm=None, dtype="f32"):
        return {"shape": shape, "seed": seed, "scale": scale, "offset": offset,
                "perm": perm, "dtype": dtype}
    raw = np.arange(6, dtype=np.float32).reshape(3, 2)
    tables = {
        "linalg": {
            "w_z": entry(2**64 - 3, [3, 5], 0.1082531735, 0.75),
            "w_a": entry(12345, [2, 3, 2, 4], 0.3, -0.1),
            "w_bf16": entry(77, [4, 9], 0.0625, 1.0, None, "bf16")},
        "tosa": {
            "w_a": entry(12345, [2, 3, 2, 4], 0.3, -0.1),
            "t_perm": entry(12345, [2, 3, 2, 4], 0.3, -0.1, [0, 2, 3, 1]),
            "t_flip": entry(12345, [2, 3, 2, 4], 0.3, -0.1,
                            ["flip", 1, 2, 3, 0])}}
    weights = dict(tables)
    weights["raw_types"] = {"c_raw": "3x2xf32", "c_view": "2x3xf32"}
    weights["alias"] = {"c_view": {"of": "c_raw", "of_shape": [3, 2],
                                   "perm": [1, 0]}}
    inputs = {"second": entry(5, [1, 7], 1.0, 0.0),
              "first": entry(6, [2], 2.0, 0.5), "_by": "note"}
    json.dump({"weights": weights, "inputs": inputs},
              open("small.manifest.json", "w"), indent=1)
    np.savez("small.consts.npz", c_raw=np.frombuffer(raw.tobytes(), np.uint8))
    expected = {"c_raw": raw, "c_view": raw.T.copy()}
    for table in list(tables.values()) + [inputs]:
        for key, e in table.items():
            if not isinstance(e, dict):
                continue
            a = generate(e["seed"], e["shape"], e["scale"], e["offset"])
            if e["dtype"] == "bf16":
                a = to_bf16(a)
            perm = e["perm"] or []
            if perm and perm[0] == "flip":
                a, perm = np.flip(a, (-2, -1)), perm[1:]
            expected[key] = np.ascontiguousarray(a.transpose(perm) if perm
                                                 else a)
    np.savez("small.expected.npz", **expected)


write_npz_files()
write_npy_files()
write_safetensors()
write_manifest()
