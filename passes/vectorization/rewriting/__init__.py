"""Rewriting of linalg ops into loops around vectors, as `passes/analysis/schedule/vector_plan.py` has planned it."""
