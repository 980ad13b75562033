"""NumPy is imported when something is asked of it: the bindings do so for what a command line seldom needs."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["defer_numpy"]

_NAME = "numpy"


def defer_numpy() -> None:
    """Let `import numpy` cost nothing in this process until the module is used. It takes as long as the bindings."""
    if _NAME not in sys.modules:
        sys.modules[_NAME] = _Deferred(_NAME)


class _Deferred(ModuleType):
    """What `import numpy` gives: it has no attributes until one is asked for, and then all.

    `importlib.util.LazyLoader` is of no use: the second import of a module is a question already.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__spec__ = ModuleSpec(name, None)

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(_NAME) is self:
            del sys.modules[_NAME]
        module = importlib.import_module(_NAME)
        vars(self).update(vars(module))
        return getattr(module, name)
