"""Dispatch functions: interface, accesses to bindings, promotion plan, bufferization plan."""
