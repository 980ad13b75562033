"""Passes that lower what upstream's `stablehlo-legalize-to-linalg` leaves, and clean up what it makes."""
