#!/usr/bin/env python3
"""Adds up the results of unit tests and lit tests.

usage: count_tests.py RESULT_DIR UNIT_TEST_BINARY...

RESULT_DIR holds lit.json (`lit --output`) and one NAME.gtest.json for each unit
test binary (`--gtest_output`). A binary without a result crashed: one failure.
Prints "N passed, N failed, N skipped"; exit code 1 when anything failed or
nothing ran.
"""

import json
import os
import sys

LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def count_unit_tests(path):
    """(passed, failed, skipped) of one googletest report."""
    try:
        with open(path) as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        print(f"no result in {path}: {error}", file=sys.stderr)
        return 0, 1, 0
    tests = [case for suite in report["testsuites"] for case in suite["testsuite"]]
    failed = sum(1 for case in tests if case.get("failures"))
    skipped = sum(1 for case in tests if case.get("result") == "SKIPPED")
    return len(tests) - failed - skipped, failed, skipped


def count_lit_tests(path):
    """(passed, failed, skipped) of one lit report."""
    try:
        with open(path) as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        print(f"no result in {path}: {error}", file=sys.stderr)
        return 0, 1, 0
    codes = [test["code"] for test in report["tests"]]
    passed = sum(code in LIT_PASSED for code in codes)
    skipped = sum(code in LIT_SKIPPED for code in codes)
    return passed, len(codes) - passed - skipped, skipped


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, binaries = sys.argv[1], sys.argv[2:]
    counts = [count_lit_tests(os.path.join(folder, "lit.json"))]
    for binary in binaries:
        name = os.path.basename(binary) + ".gtest.json"
        counts.append(count_unit_tests(os.path.join(folder, name)))
    passed, failed, skipped = (sum(column) for column in zip(*counts))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(0 if passed and not failed else 1)


if __name__ == "__main__":
    main()
