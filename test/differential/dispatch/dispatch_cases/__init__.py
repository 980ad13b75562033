"""The dispatch functions of the suite: the scenarios' lit tests (passes/dispatch/scenarios), and those written here.

Every module of this folder that has a list CASES takes part.
"""

from __future__ import annotations

import importlib
import pkgutil

from .case import Case

_PARTS = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]

CASES: list[Case] = [case for part in _PARTS for case in getattr(part, "CASES", ())]
