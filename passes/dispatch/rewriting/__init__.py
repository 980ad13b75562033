"""Rewriting functions of the dispatch dialect into plain functions: arguments, grid, checks of sizes, host memory."""
