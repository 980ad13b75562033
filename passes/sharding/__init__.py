"""Programs for the ranks of MPI: partitioned by shardings, and lowered to calls of MPI."""
