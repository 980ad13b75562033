"""Programs of several functions: what calls read, update and return."""
