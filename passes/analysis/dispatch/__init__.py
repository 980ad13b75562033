"""What functions of the dispatch dialect read and write through their bindings."""
