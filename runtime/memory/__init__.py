"""Memory of results and temporaries: pools and counters."""
