"""The IR as integer tables: snapshot, CFG, program order, dominance."""
