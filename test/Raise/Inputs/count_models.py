#!/usr/bin/env python3
"""What memfmt-raise makes of whole networks, and what it leaves.

usage: count_models.py FOLDER

For every FOLDER/*.linalg.mlir: the convolutions, pools and reciprocal square
roots (one for each normalisation) that the importer wrote, what they became,
and what is left of them. Convolutions must be as many as before; no convolution,
pool, padding or normalisation may be left. Convolutions that accumulate in
another type than their input's stay in linalg: such models are only shown.
"""

import collections
import glob
import os
import re
import subprocess
import sys

CONVOLUTIONS = re.compile(r"linalg\.(depthwise_)?conv_\w+$")
POOLS = re.compile(r"linalg\.pooling_\w+$")
RAISED = ["conv", "conv_transpose", "pool", "batch_norm", "linear", "resize", "channel_shuffle"]
OPERATION = re.compile(r"^\s*(?:%[\w:, %]+ = )?\"?((?:linalg|tensor|memfmt|math)\.\w+)")


def count(text):
    return collections.Counter(m[1] for m in map(OPERATION.match, text.splitlines()) if m)


def total(counts, pattern):
    return sum(n for name, n in counts.items() if pattern.match(name))


def main():
    failed = 0
    paths = sorted(glob.glob(os.path.join(sys.argv[1], "*.linalg.mlir")))
    print(f"{'model':24}" + "".join(f"{name:>16}" for name in RAISED) + "   left")
    for path in paths:
        with open(path) as file:
            text = file.read()
        before = count(text)
        ran = subprocess.run(["memfmt-opt", path, "--memfmt-raise"], capture_output=True, text=True)
        name = os.path.basename(path)[:-len(".linalg.mlir")]
        if ran.returncode:
            print(f"{name} fails: {ran.stderr[:500]}")
            failed += 1
            continue
        after = count(ran.stdout)
        left = {kind: after[kind] for kind in after
                if CONVOLUTIONS.match(kind) or POOLS.match(kind) or kind in
                ("tensor.pad", "tensor.insert_slice", "math.rsqrt", "tensor.extract")}
        print(f"{name:24}" + "".join(f"{after['memfmt.' + kind]:16}" for kind in RAISED) + "   "
              + (", ".join(f"{n} {kind}" for kind, n in sorted(left.items())) or "nothing"))
        if "xbf16>" in text:
            continue
        convolutions = after["memfmt.conv"] + after["memfmt.conv_transpose"]
        if convolutions != total(before, CONVOLUTIONS):
            print(f"{name}: {total(before, CONVOLUTIONS)} convolutions became {convolutions}")
            failed += 1
        if total(after, CONVOLUTIONS) or total(after, POOLS) or after["tensor.pad"] or after["math.rsqrt"]:
            print(f"{name}: not all is raised")
            failed += 1
    print(f"{len(paths)} models, {failed} fail")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
