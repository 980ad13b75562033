"""Analyses of a whole module: call graph, globals, layouts, memory spaces, written arguments."""
