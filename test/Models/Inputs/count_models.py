#!/usr/bin/env python3
"""What the passes make of whole networks, and what they leave.

usage: count_models.py FOLDER [--markdown]

Every FOLDER/*.mlir, linalg and TOSA, static and dynamic, is raised, and its formats are
propagated under both policies; each result is verified, and raising it again changes nothing. The table shows the operations of
networks that were made, and the convolutions, pools, paddings, windows and gathers left.
No convolution, pool, padding or normalisation of the importer may be left, and there are as
many convolutions as before; those of TOSA by groups, which the importer writes as slices,
become one. Convolutions that accumulate in another type than their input's stay in linalg:
such models are only shown.
"""

import collections
import glob
import os
import re
import subprocess
import sys

CONVOLUTIONS = re.compile(r"(linalg\.(depthwise_)?conv_\w+|tosa\.(depthwise_|transpose_)?conv[23]d)$")
POOLS = re.compile(r"(linalg\.pooling_\w+|tosa\.(max|avg)_pool2d)$")
LEFT = ("tensor.pad", "tensor.insert_slice", "math.rsqrt", "tensor.extract")
RAISED = ["conv", "conv_transpose", "pool", "batch_norm", "linear", "resize", "pad", "channel_shuffle", "softmax", "elementwise"]
OPERATION = re.compile(r"^\s*(?:%[\w:, %]+ = )?\"?((?:linalg|tensor|memfmt|math|tosa)\.\w+)")


def count(text):
    return collections.Counter(m[1] for m in map(OPERATION.match, text.splitlines()) if m)


def total(counts, pattern):
    return sum(n for name, n in counts.items() if pattern.match(name))


def opt(path, *passes, text=None):
    done = subprocess.run(["memfmt-opt", path, *passes], input=text, capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return done.stdout, (errors or [f"exit {done.returncode}"])[0] if done.returncode else None


def check(name, text, raised):
    """What is wrong with the program after raising, or None."""
    before, after = count(text), count(raised)
    if total(after, CONVOLUTIONS) or total(after, POOLS) or after["tensor.pad"] or after["math.rsqrt"]:
        return "not all is raised"
    convolutions, expected = after["memfmt.conv"] + after["memfmt.conv_transpose"], total(before, CONVOLUTIONS)
    if convolutions > expected or (convolutions < expected and not name.endswith("tosa")):
        return f"{expected} convolutions became {convolutions}"
    return None


def row(cells, markdown):
    if markdown:
        return "| " + " | ".join(map(str, cells)) + " |"
    return f"{cells[0]:28}" + "".join(f"{cell:>16}" for cell in cells[1:-1]) + "   " + cells[-1]


def main():
    folder, markdown = sys.argv[1], "--markdown" in sys.argv
    failed = 0
    paths = sorted(glob.glob(os.path.join(folder, "*.mlir")))
    print(row(["model", *RAISED, "left"], markdown))
    if markdown:
        print("|---" * (len(RAISED) + 2) + "|")
    for path in paths:
        with open(path) as file:
            text = file.read()
        name = os.path.basename(path)[:-len(".mlir")]
        raised, error = opt(path, "--memfmt-raise-tosa", "--memfmt-raise")
        for policy in ("symmetric", "torch"):
            if not error:
                _, error = opt(path, "--memfmt-raise-tosa", "--memfmt-raise", f"--memfmt-propagate=policy={policy}")
        if not error:
            again, error = opt("-", "--memfmt-raise-tosa", "--memfmt-raise", text=raised)
            if again != raised:
                error = error or "raising twice changes it again"
        after = count(raised)
        left = {kind: after[kind] for kind in after if CONVOLUTIONS.match(kind) or POOLS.match(kind) or kind in LEFT}
        print(row([name, *(after["memfmt." + kind] for kind in RAISED),
                   ", ".join(f"{n} {kind}" for kind, n in sorted(left.items())) or "nothing"], markdown))
        if not error and "xbf16>" not in text:
            error = check(name, text, raised)
        if error:
            print(f"{name} fails: {error[:500]}")
            failed += 1
    print(f"{len(paths)} models, {failed} fail")
    sys.exit(1 if failed or not paths else 0)


if __name__ == "__main__":
    main()
