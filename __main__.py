"""`python -m mlir_inplace` is `inplace-opt`."""

from __future__ import annotations

import sys

from .tools.launch import inplace_opt

if __name__ == "__main__":
    sys.exit(inplace_opt())
