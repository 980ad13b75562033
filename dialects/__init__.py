"""Op models: how the ops of each upstream dialect bufferize, and the dispatch dialect.

A file or package per dialect, all through ``bufferizable.py``; ``support/`` holds what models of several dialects use.
"""
