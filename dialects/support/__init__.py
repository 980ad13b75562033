"""Types, constants and attributes that op models of several dialects use."""
