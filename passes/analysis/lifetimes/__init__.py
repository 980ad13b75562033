"""Lifetimes of buffers: where each is allocated, last used and freed."""
