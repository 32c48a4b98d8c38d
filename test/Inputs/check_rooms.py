#!/usr/bin/env python3
"""Checks the table of rooms in docs/overview.md against every #include.

usage: check_rooms.py SOURCE_FOLDER

A row of the table is `| `Room` | what it holds | `Other`, `Other` |`. Headers of a
room are include/memfmt/ROOM/, its sources lib/ROOM/.
"""

import os
import re
import sys


def read_table(path):
    """Room -> rooms that it may include."""
    allowed = {}
    with open(path) as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 3 and re.fullmatch(r"`[A-Z]\w+/`", cells[0]):
                allowed[cells[0].strip("`/")] = set(re.findall(r"`([A-Z]\w+)/`", cells[2]))
    return allowed


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = sys.argv[1]
    allowed = read_table(os.path.join(root, "docs", "overview.md"))
    faults, count = [], 0
    for base in ("include/memfmt", "lib"):
        for room in sorted(os.listdir(os.path.join(root, base))):
            folder = os.path.join(root, base, room)
            if not os.path.isdir(folder):
                continue
            if room not in allowed:
                faults.append(f"{base}/{room} is no room of docs/overview.md")
                continue
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name)) as file:
                    text = file.read()
                for other in re.findall(r'(?:#include|include) "memfmt/(\w+)/', text):
                    count += 1
                    if other != room and other not in allowed[room]:
                        faults.append(f"{base}/{room}/{name} includes {other}")
    if not count:
        faults.append("no include was found")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
