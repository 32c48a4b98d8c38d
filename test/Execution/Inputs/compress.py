#!/usr/bin/env python3
"""Writes the arrays of an .npz file again, compressed.

usage: compress.py IN.npz OUT.npz
"""

import sys

import numpy as np

if len(sys.argv) != 3:
    sys.exit(__doc__)
np.savez_compressed(sys.argv[2], **np.load(sys.argv[1]))
