"""Rewriting of bindings to tensor values, for ``inplace-promote-bindings``; what to do is planned in the analyses."""
