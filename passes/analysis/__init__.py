"""Pure analyses: they read the IR, never change it, and each result can be printed and tested alone."""
