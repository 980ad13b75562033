"""No search for cyclic garbage while a program is compiled.

Analyses fill large tables that live until they are done, so each search walks all of them and finds next to nothing: an
eighth of the time of a compilation. What is garbage by then is found by the first search afterwards.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["collection_paused"]


@contextmanager
def collection_paused() -> Generator[None]:
    """Search for no garbage in the `with` block; afterwards as before, whatever happens.

    The switch is one for all threads. Where several compile, the first that is done turns it on again, which costs the
    others time and nothing else.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
