#!/usr/bin/env python3
"""Runs a command that must fail with one error and write nothing.

usage: expect_error.py UNWRITTEN_FILE TOOL PATTERN -- ARGUMENT...

The exit code must be 1, the standard output empty, the standard error hold
PATTERN (a regular expression, `{{.*}}` standing for any text) and the word
"error:" once, and the file must not exist.
"""

import os
import re
import subprocess
import sys


def main():
    if len(sys.argv) < 5 or sys.argv[4] != "--":
        sys.exit(__doc__)
    unwritten, tool, pattern = sys.argv[1:4]
    command = [tool, *sys.argv[5:]]
    ran = subprocess.run(command, capture_output=True, text=True)
    faults = []
    if ran.returncode != 1:
        faults.append(f"exit code {ran.returncode}, expected 1")
    if ran.stdout:
        faults.append("the standard output is not empty")
    if not re.search(pattern.replace("{{.*}}", ".*"), ran.stderr):
        faults.append(f"the error does not match: {pattern}")
    if ran.stderr.count("error:") != 1:
        faults.append(f"{ran.stderr.count('error:')} errors, expected one")
    if os.path.exists(unwritten):
        faults.append(f"{unwritten} was written")
    if faults:
        sys.exit("\n".join([" ".join(command), *faults, ran.stdout, ran.stderr]))


if __name__ == "__main__":
    main()
