#!/usr/bin/env python3
"""Compiles and runs networks, and compares their outputs with the recorded ones.

usage: run_networks.py FOLDER [NAME.FORM...] [-- OPTION-OF-MEMFMT-RUN...]

FOLDER/NAME.FORM.mlir with FORM linalg or tosa is run on the seeds of NAME.manifest.json and
compared with NAME.golden.npz, to 1e-4 (2e-2 for bf16). Without names, all of the folder.
"""

import glob
import os
import re
import subprocess
import sys
import time


def run(folder, name, options):
    base = os.path.join(folder, name.rsplit(".", 1)[0])
    tolerance = "2e-2" if "bf16" in name else "1e-4"
    command = ["memfmt-run", os.path.join(folder, name + ".mlir"), "--weights", base + ".manifest.json",
               "--input", base + ".manifest.json", "--expect", base + ".golden.npz",
               "--rtol", tolerance, "--atol", tolerance, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    output = done.stdout + done.stderr
    if done.returncode:
        errors = [line for line in output.splitlines() if "error" in line]
        return False, (errors or [f"exit {done.returncode}: {output[-200:]}"])[0][:300]
    lines = re.findall(r"^(?:error|conversions|assignment)\s.*$", output, re.M)
    return True, "; ".join(re.sub(r"\s+", " ", line) for line in lines)


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    folder, names = arguments[0], arguments[1:]
    if not names:
        names = sorted(os.path.basename(path)[:-len(".mlir")] for path in glob.glob(os.path.join(folder, "*.mlir")))
    failed = 0
    for name in names:
        start = time.monotonic()
        good, text = run(folder, name, options)
        failed += not good
        print(f"{name:28} {'ok' if good else 'FAILS':6} {time.monotonic() - start:6.1f} s  {text}", flush=True)
    print(f"{len(names)} networks, {failed} fail")
    sys.exit(1 if failed or not names else 0)


if __name__ == "__main__":
    main()
