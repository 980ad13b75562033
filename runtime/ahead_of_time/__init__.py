"""Code that runs without Python: object files with C functions, headers, shared libraries, packages on ctypes."""
