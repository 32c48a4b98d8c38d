#!/usr/bin/env python3
"""Unpacks the networks beside this file.

usage: unpack.py FOLDER
"""

import os
import sys
import tarfile

ARCHIVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "networks.tar.xz")


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(sys.argv[1])


if __name__ == "__main__":
    main()
