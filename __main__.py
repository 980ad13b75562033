"""`python -m mlir_inplace` is `inplace-opt`."""

from __future__ import annotations

import sys

from .tools.inplace_opt import main

if __name__ == "__main__":
    sys.exit(main())
