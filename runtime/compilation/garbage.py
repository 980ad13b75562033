"""Garbage collection is paused while a program is compiled, and while what compiles it is imported.

Analyses fill large tables that live until the end, so each collection walks all of them and frees next to nothing: an
eighth of the time of a compilation. Beside a framework such as JAX it walks all of that too. The first collection
afterwards frees what is garbage by then.

What modules define stays: after the first compilation of a process that is all that is left, 57,000 objects. The next
collection would walk them for 22 ms, and as young objects they would soon lead to one of all objects, which takes 0.2 s
beside PyTorch. So they are made old.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["collection_paused"]


@contextmanager
def collection_paused() -> Generator[None]:
    """Pause the garbage collector in the `with` block, or in each call of a function with this as decorator.

    The switch is one for all threads. If several threads compile, the first to finish turns it on again, which only
    costs the others time. If the block imports modules, objects are old afterwards: a collection of all finds what is
    garbage among them. Nothing is made old where the caller has frozen objects, which would be collected again.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    known = len(sys.modules)
    try:
        yield
    finally:
        if len(sys.modules) > known and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        gc.enable()
