"""ATen ops by simpler ones: `table.py` has them all, the other files the functions, by subject."""
