"""Programs of the kinds that users of bufferization complain about, because they copy or allocate too much."""

from . import chains, destinations, loops, overwritten

PAINS = (*overwritten.PAINS, *loops.PAINS, *chains.PAINS, *destinations.PAINS)
