"""`inplace-compile`: what becomes files, and where they go."""
