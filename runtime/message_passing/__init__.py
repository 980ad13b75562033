"""Programs on several ranks: the MPI library, the functions that native code calls, whole arrays and shards."""
