"""What a pass is made of: base class, options, errors, diagnostics."""
