"""What the benchmarks measure: programs, peers, and the limits of the machine."""
