"""Passes that lower messages between the ranks of MPI."""
