"""What all programs share: command lines and exit codes, input, output, diagnostics."""
