"""Shared by all programs: command lines and exit codes, input, output, diagnostics."""
