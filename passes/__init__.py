"""Passes and what runs them: one file per pass, and the infrastructure.

`base` (what a pass is), `options` (its options), `registry` (which passes there are), `pipeline` (texts and running),
`instrumentation` (printing, timing, statistics), `diagnostics` and `errors`; `analysis/` holds the pure analyses.
"""
