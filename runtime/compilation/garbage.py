"""Garbage collection is paused while a program is compiled, and while what compiles it is imported.

Analyses fill large tables that live until the end, so each collection walks all of them and frees next to nothing: an
eighth of the time of a compilation. Beside a framework such as JAX it walks all of that too. The first collection
afterwards frees what is garbage by then.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["collection_paused", "modules_imported"]


@contextmanager
def collection_paused() -> Generator[None]:
    """Pause the garbage collector in the `with` block, or in each call of a function with this as decorator.

    The switch is one for all threads. If several threads compile, the first to finish turns it on again, which only
    costs the others time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def modules_imported() -> Generator[None]:
    """Import modules in the `with` block, as objects that are old: collections of young ones need not walk them.

    What a module defines stays. As young objects they would soon lead to a collection of all objects, which takes
    0.2 s beside PyTorch. Nothing is made old where the caller has frozen objects, which would be collected again.
    """
    with collection_paused():
        yield
    if gc.isenabled() and not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
