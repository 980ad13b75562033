"""The command-line programs, and what generates documents and type stubs."""
