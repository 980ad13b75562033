"""What the lowering of messages is built from: memory as MPI describes it, and communicators that are made once."""
