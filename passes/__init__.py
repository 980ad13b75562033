"""Passes, a folder per family, and what decides and runs them.

`FAMILY/NAME.py` is the pass `inplace-NAME`, `FAMILY/rewriting/` what it is built from. `analysis/` holds the analyses,
which never change the IR; `framework/` what a pass is made of (base class, options, errors, diagnostics); `pipeline/`
what runs passes (registry, pipeline syntax, execution, instrumentation, reproducers).
"""
