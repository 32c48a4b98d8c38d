#!/usr/bin/env python3
"""Raising what is raised changes nothing: every program of a folder, twice.

usage: twice.py FOLDER
"""

import glob
import os
import subprocess
import sys

PASSES = ["--split-input-file", "--memfmt-raise-tosa", "--memfmt-raise"]


def opt(text):
    return subprocess.run(["memfmt-opt", *PASSES], input=text, capture_output=True, text=True)


def main():
    count, failed = 0, 0
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.mlir"))):
        with open(path) as file:
            once = opt(file.read())
        if once.returncode:  # Programs that are refused; tested with their errors.
            continue
        count += 1
        twice = opt(once.stdout)
        if twice.stdout != once.stdout:
            failed += 1
            print(f"{path} changes again: {twice.stderr[:500]}")
    print(f"{count} files, {failed} change again")
    sys.exit(1 if failed or count < 10 else 0)


if __name__ == "__main__":
    main()
