"""Values, regions and loops that the lowerings of StableHLO share."""
