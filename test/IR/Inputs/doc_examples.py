#!/usr/bin/env python3
"""Runs the examples of the operations' documentation: each must parse, verify and print as
it was read.

usage: doc_examples.py SOURCE_FOLDER [MEMFMT_OPT]

An example is a ```mlir block in a description of include/memfmt/IR/*Ops.td. It becomes the
body of a function whose arguments are the values that it uses.
"""

import glob
import os
import re
import subprocess
import sys


def split_types(text):
    """Types between commas of the outermost level."""
    types, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "<([":
            depth += 1
        elif char in ">)]" and text[i - 1] != "-":
            depth -= 1
        elif char == "," and not depth:
            types.append(text[start:i].strip())
            start = i + 1
    return types + [text[start:].strip()]


def wrap(example):
    """The example in a function, or None where it is no operation by itself."""
    text = " ".join(example.split())
    whole = re.sub(r"\{[^{}]*\}", "", text)
    colon = whole.rfind(" : ")
    inline = dict(re.findall(r"(%\w+) : (\w+<[^()]*?>)\)", whole))
    tail = whole[colon + 3:]
    for arrow in (" -> ", " to ", " in "):
        tail = tail.split(arrow)[0]
    tail = tail.strip()
    if tail.startswith("("):
        tail = tail[1:-1]
    types = split_types(tail)
    right = whole[:colon].split("=", 1)[1] if whole.startswith("%") else whole[:colon]
    names = [n for n in re.findall(r"%\w+", right) if n not in inline]
    while len(types) < len(names):  # One type for several operands.
        types.append(types[-1])
    arguments = dict(zip(names, types))
    arguments.update(inline)
    return "func.func @example(%s) {\n  %s\n  return\n}\n" % (
        ", ".join(f"{name}: {type_}" for name, type_ in arguments.items()), text)


def main():
    source = sys.argv[1]
    tool = sys.argv[2] if len(sys.argv) > 2 else "memfmt-opt"
    examples = []
    for path in sorted(glob.glob(os.path.join(source, "include/memfmt/IR/*Ops.td"))):
        with open(path) as file:
            text = file.read()
        for match in re.finditer(r'def MemFmt_(\w+Op) .*?(?=\ndef |\Z)', text, re.S):
            for block in re.findall(r"```mlir\n(.*?)```", match.group(0), re.S):
                examples.append((os.path.basename(path), match.group(1), block))
            if "let description" in match.group(0) and "```mlir" not in match.group(0):
                sys.exit(f"{path}: {match.group(1)} has no example")
    failed = 0
    for path, name, block in examples:
        if "memfmt.kernel" in block or "memfmt.launch" in block:
            continue  # Stages of their own, tested in test/Conversion.
        done = subprocess.run([tool, "--verify-roundtrip"], input=wrap(block), capture_output=True, text=True)
        if done.returncode:
            failed += 1
            print(f"{path}: example of {name} fails: {done.stderr[:600]}\n{wrap(block)}")
    print(f"{len(examples)} examples, {failed} fail")
    sys.exit(1 if failed or not examples else 0)


if __name__ == "__main__":
    main()
