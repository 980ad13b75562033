"""The independent checker of bufferized programs: symbolic execution of memory against the tensor program.

It shares the snapshot reader with the analyses and nothing that decides: neither op models nor alias sets, interference
or slices. docs/theory/checker.md says what is trusted.
"""
