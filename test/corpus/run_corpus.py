#!/usr/bin/env python3
"""Holds layouts that the propagation pass infers against rows made by running PyTorch.

usage: run_corpus.py --rows FILE.jsonl --policy torch|symmetric [--memfmt-opt PATH] [--verbose]

Two kinds of rows are understood: operations (sizes and strides of operands, attributes,
sizes and strides of results or an error) and queries (sizes and strides of a tensor with
the answers). The runner prints IR, many rows to a module, and parses what the pass
prints. It knows how an operation is spelled and no rule about layouts.

Under the `symmetric` policy strides are not those of PyTorch by design; shapes must
agree, and the layout must not depend on the order of the operands of a commutative
operation.

The last line is `N passed, N failed, N skipped`; skipped rows are listed by operation.
"""

import argparse
import bisect
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from spelling import NotCovered, spell, tensor_type

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS_PER_MODULE = 400


def find_tool(given):
    """memfmt-opt as told, from the environment, or as scripts/build leaves it."""
    for path in (given, os.environ.get("MEMFMT_OPT"), os.path.join(HERE, "../../build/bin/memfmt-opt")):
        if path:
            return path
    return None


def run_pass(tool, policy, functions, split):
    """What the pass prints, by function, and errors by function. One module for all of
    them, which fails as a whole, or with `split` a module for each."""
    separator = "// -----\n" if split else ""
    lines, first = [], {}
    for name, text in functions:
        first[len(lines) + 1] = name
        lines += (text + "\n" + separator).splitlines()
    pipeline = f"builtin.module(memfmt-propagate{{policy={policy}}},memfmt-print-formats)"
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write("\n".join(lines))
        file.flush()
        done = subprocess.run([tool, file.name, f"--pass-pipeline={pipeline}", "-o", os.devnull] +
                              (["--split-input-file"] if split else []), capture_output=True, text=True)
        path = file.name
    if done.returncode < 0 or done.returncode > 1:
        sys.exit(f"{tool} crashed ({done.returncode}):\n{done.stderr[-2000:]}")
    values = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        value = json.loads(line)
        # Conversions are what the pass inserted; rows have none.
        if value["op"] and value["op"] != "memfmt.to_format":
            values[value["function"]].append(value)
    starts, errors = sorted(first), {}
    for line in done.stderr.splitlines():
        found = re.match(re.escape(path) + r":(\d+):\d+: (error: .*)", line)
        if found:
            number = starts[bisect.bisect_right(starts, int(found.group(1))) - 1]
            errors.setdefault(first[number], found.group(2))
    return values, errors, done.returncode == 0


def evaluate(tool, policy, functions, split):
    """(values, error) by function name. A module that fails is taken apart."""
    answers = {}
    for start in range(0, len(functions), ROWS_PER_MODULE):
        chunk = functions[start:start + ROWS_PER_MODULE]
        values, errors, good = run_pass(tool, policy, chunk, split)
        if not good and not split:
            values, errors, _ = run_pass(tool, policy, chunk, split=True)
        answers.update((name, (values[name] if name not in errors else None, errors.get(name, "")))
                       for name, _ in chunk)
    return answers


def compare_results(row, answer, strides_too):
    """A description of the first difference, or None."""
    values, error = answer
    if "error" in row:
        if values is not None:
            return f"expected the error '{row['error']}'"
        return None
    if values is None:
        return error
    found = values[-len(row["out"]):]
    if len(found) != len(row["out"]):
        return f"expected {len(row['out'])} results, found {len(found)}"
    for number, (expected, value) in enumerate(zip(row["out"], found)):
        if value["sizes"] != expected["s"]:
            return f"result {number}: expected sizes {expected['s']}, found {value['sizes']}"
        if value["element"] != expected.get("d", "f32"):
            return f"result {number}: expected element {expected.get('d', 'f32')}, found {value['element']}"
        if strides_too and value["strides"] != expected["st"]:
            return f"result {number}: expected strides {expected['st']}, found {value['strides']}"
        if strides_too and value["offset"] != expected.get("o", 0):
            return f"result {number}: expected offset {expected.get('o', 0)}, found {value['offset']}"
    return None


# --- operations -------------------------------------------------------------------------


COMMUTATIVE = {"add", "mul", "maximum"}


def swapped(row):
    """The row with its operands in the other order."""
    other = dict(row)
    other["in"] = row["in"][::-1]
    return other


def run_operations(tool, policy, rows, verbose):
    functions, skipped, numbers = [], collections.Counter(), []
    last = []  # Rows with errors come last: they make a module fail.
    for number, row in enumerate(rows):
        try:
            text = spell(row, f"r{number}")
        except NotCovered as reason:
            skipped[f"{row['op']}: {reason}"] += 1
            continue
        (last if "error" in row else functions).append((f"r{number}", text))
        numbers.append(number)
        if policy == "symmetric" and row["op"] in COMMUTATIVE and len(row["in"]) == 2:
            functions.append((f"s{number}", spell(swapped(row), f"s{number}")))
    answers = evaluate(tool, policy, functions, split=False)
    answers.update(evaluate(tool, policy, last, split=True))
    failures = []
    for number in numbers:
        row, answer = rows[number], answers[f"r{number}"]
        fault = None
        if policy == "torch" or "error" not in row:
            fault = compare_results(row, answer, policy == "torch")
        if fault is None and f"s{number}" in answers:
            here, there = answer[0][-1], answers[f"s{number}"][0][-1]
            if here["strides"] != there["strides"]:
                fault = f"strides {here['strides']}, {there['strides']} with operands exchanged"
        if fault:
            failures.append((row, fault))
    return len(numbers) - len(failures), failures, skipped


# --- queries ----------------------------------------------------------------------------

QUERIES = [("contig", "is_contiguous"), ("cl", "is_channels_last"), ("cl3d", "is_channels_last_3d"),
           ("nod", "is_non_overlapping_and_dense"), ("lcl", "is_like_channels_last"),
           ("lcl3", "is_like_channels_last_3d")]
SUGGESTIONS = [("sug", ""), ("sugx", "_exactly")]
NAMES = [(1, "channels_last"), (2, "channels_last_3d")]


def spell_queries(row, name):
    """One function whose constants, in order, are the answers."""
    type_ = tensor_type({"s": row["s"], "st": row["st"], "o": row.get("o", 0)})
    kinds = [kind for key, kind in QUERIES if key in row]
    kinds += [f"suggests_{format_}{suffix}" for key, suffix in SUGGESTIONS if key in row for _, format_ in NAMES]
    lines = [f"  %{i} = memfmt.query {kind} %x : {type_}" for i, kind in enumerate(kinds)]
    names = ", ".join(f"%{i}" for i in range(len(kinds)))
    types = ", ".join(["i1"] * len(kinds))
    return (f"func.func @{name}(%x: {type_}) -> ({types}) {{\n" + "\n".join(lines) +
            f"\n  return {names} : {types}\n}}")


def expected_answers(row):
    answers = [bool(row[key]) for key, _ in QUERIES if key in row]
    return answers + [row[key] == code for key, _ in SUGGESTIONS if key in row for code, _ in NAMES]


def run_queries(tool, rows):
    """Queries fold where the type decides: canonicalization leaves constants only."""
    failures, passed = [], 0
    for start in range(0, len(rows), 2000):
        chunk = rows[start:start + 2000]
        text = "\n".join(spell_queries(row, f"r{i}") for i, row in enumerate(chunk))
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([tool, file.name, "--canonicalize"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{tool} failed ({done.returncode}):\n{done.stderr[-2000:]}")
        for row, body in zip(chunk, done.stdout.split("func.func @")[1:]):
            constants = {}
            found = None
            for line in body.splitlines():
                words = line.split()
                if "arith.constant" in line:
                    constants[words[0]] = words[3] == "true"
                if line.strip().startswith("return"):
                    names = line.split("return")[1].split(":")[0].split(",")
                    found = [constants.get(name.strip()) for name in names]
            if found == expected_answers(row):
                passed += 1
            else:
                failures.append((row, f"expected {expected_answers(row)}, found {found}"))
    return passed, failures, collections.Counter()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", required=True)
    parser.add_argument("--policy", choices=("torch", "symmetric"), required=True)
    parser.add_argument("--memfmt-opt")
    parser.add_argument("--verbose", action="store_true", help="print every failing row, not only twenty")
    options = parser.parse_args()
    tool = find_tool(options.memfmt_opt)
    try:
        with open(options.rows) as file:
            rows = [json.loads(line) for line in file if line.strip()]
    except (OSError, ValueError) as error:
        sys.exit(f"error: cannot read rows of {options.rows}: {error}")
    operations = [row for row in rows if "op" in row]
    queries = [row for row in rows if "op" not in row]
    passed, failures, skipped = run_operations(tool, options.policy, operations, options.verbose)
    if queries:
        more, faults, _ = run_queries(tool, queries)
        passed, failures = passed + more, failures + faults
    for row, fault in failures if options.verbose else failures[:20]:
        print(f"FAIL {row['id']} {row.get('op', 'queries')} {json.dumps(row)[:400]}\n     {fault}")
    for reason, count in sorted(skipped.items()):
        print(f"skipped {count:4d} {reason}")
    print(f"{passed} passed, {len(failures)} failed, {sum(skipped.values())} skipped")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
