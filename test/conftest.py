"""Makes `mlir` importable before any test module is: they import it first, as imports are sorted."""

import mlir_inplace  # noqa: F401
