"""All rules that can be switched off, in the order of docs/THEORY.md as far as there is one, and by name."""

from __future__ import annotations

from disabling import Rule

from .bindings import BINDINGS
from .calls import CALLS
from .conflicts import CONFLICTS
from .coverage import COVERAGE
from .destinations import DESTINATIONS
from .effects import EFFECTS
from .elements import ELEMENTS
from .freeing import FREEING
from .hoisting import HOISTING
from .index_sets import INDEX_SETS
from .inits import INITS
from .joining import JOINING
from .layouts import LAYOUTS
from .loops import LOOPS
from .messages import MESSAGES
from .models import MODELS
from .other_iterations import OTHER_ITERATIONS
from .results import RESULTS
from .state import STATE
from .threads import THREADS
from .time import TIME
from .updates import UPDATES

RULES: tuple[Rule, ...] = (
    *CONFLICTS,
    *TIME,
    *ELEMENTS,
    *OTHER_ITERATIONS,
    *JOINING,
    *LOOPS,
    *THREADS,
    *EFFECTS,
    *CALLS,
    *STATE,
    *COVERAGE,
    *LAYOUTS,
    *MODELS,
    *DESTINATIONS,
    *INITS,
    *RESULTS,
    *FREEING,
    *HOISTING,
    *INDEX_SETS,
    *UPDATES,
    *BINDINGS,
    *MESSAGES,
)
BY_NAME: dict[str, Rule] = {rule.name: rule for rule in RULES}
