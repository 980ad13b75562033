"""All rules that can be switched off, in the order of docs/THEORY.md as far as there is one, and by name."""

from __future__ import annotations

from catalogue_bindings import BINDINGS
from catalogue_calls import CALLS
from catalogue_conflicts import CONFLICTS
from catalogue_coverage import COVERAGE
from catalogue_destinations import DESTINATIONS
from catalogue_effects import EFFECTS
from catalogue_elements import ELEMENTS
from catalogue_freeing import FREEING
from catalogue_hoisting import HOISTING
from catalogue_index_sets import INDEX_SETS
from catalogue_inits import INITS
from catalogue_joining import JOINING
from catalogue_layouts import LAYOUTS
from catalogue_loops import LOOPS
from catalogue_messages import MESSAGES
from catalogue_models import MODELS
from catalogue_other_iterations import OTHER_ITERATIONS
from catalogue_results import RESULTS
from catalogue_state import STATE
from catalogue_threads import THREADS
from catalogue_time import TIME
from catalogue_updates import UPDATES
from disabling import Rule

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
