#!/usr/bin/env python3
"""Breaks one thing of an assigned module.

usage: break_assignment.py flow+|flow-|bound|text|remove|double IN.mlir OUT.mlir
"""

import json
import re
import sys


def edit_certificate(text, edit):
    """Applies `edit` to the certificate as a JSON object."""
    match = re.search(r'memfmt\.certificate = "((?:[^"\\]|\\.)*)"', text)
    certificate = json.loads(match.group(1).replace("\\22", '"'))
    changed = json.dumps(edit(certificate)).replace('"', "\\22")
    return text[: match.start(1)] + changed + text[match.end(1):]


def add_to_flow(amount):
    def edit(certificate):
        arc = max(certificate["leaves"][0]["flow"], key=lambda arc: int(arc[2]))
        value = int(arc[2]) + amount
        arc[2] = str(value) if isinstance(arc[2], str) else value
        return certificate
    return edit


def raise_bound(certificate):
    certificate["lower_bound"] += 1
    return certificate


CONVERSION = re.compile(r"^ *(%\w+) = memfmt\.to_format (%\w+)(?: \{[^}]*\})? : (tensor<.*>) to (tensor<.*>)\n", re.M)


def remove_conversion(text):
    """The first reader of the first conversion reads what was converted."""
    match = CONVERSION.search(text)
    result, source, old, new = match.groups()
    rest = text[match.end():]
    lines = []
    for line in rest.split("\n"):
        # Types of readers follow: only the first operand of a convolution is replaced.
        if f"memfmt.conv {result}," in line:
            line = line.replace(f"memfmt.conv {result},", f"memfmt.conv {source},")
            line = line.replace(f": {new}, ", f": {old}, ", 1)
        line = line.replace(f"({result} : {new})", f"({source} : {old})")
        # The type list of an operation with a region stands on its last line.
        if line.lstrip().startswith("}") and f": {new}, " in line:
            line = line.replace(f": {new}, ", f": {new}, ", 1)
        lines.append(line)
    return text[: match.start()] + "\n".join(lines)


def double_conversion(text):
    """After the first conversion: back and forth again."""
    match = CONVERSION.search(text)
    result, _, old, new = match.groups()
    more = (f"    %back = memfmt.to_format {result} : {new} to {old}\n"
            f"    %again = memfmt.to_format %back : {old} to {new}\n")
    rest = re.sub(re.escape(result) + r"\b", "%again", text[match.end():])
    return text[: match.end()] + more + rest


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    what, source, target = sys.argv[1:]
    with open(source) as file:
        text = file.read()
    edits = {
        "flow+": lambda: edit_certificate(text, add_to_flow(1)),
        "flow-": lambda: edit_certificate(text, add_to_flow(-1)),
        "bound": lambda: edit_certificate(text, raise_bound),
        "text": lambda: re.sub(r'memfmt\.certificate = "', 'memfmt.certificate = "broken ', text),
        "remove": lambda: remove_conversion(text),
        "double": lambda: double_conversion(text),
    }
    changed = edits[what]()
    if changed == text:
        sys.exit(f"nothing to change for {what}")
    with open(target, "w") as file:
        file.write(changed)


if __name__ == "__main__":
    main()
