"""Machine code in this process: ExecutionEngine, linking, shared libraries, OpenMP."""
