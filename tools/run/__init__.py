"""The parts of `inplace-run`: arguments, values, results, interrupts."""
