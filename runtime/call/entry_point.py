"""Entry points: a callable for each public function of a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..interface.keywords import Keywords
from ..interface.memrefs import StrideError
from ..interface.signature import Signature
from ..memory.statistics import MemoryStats
from .arguments import checked_arguments
from .bound_call import BoundCall
from .held_arguments import NOTHING_HELD, HeldArguments
from .native_plan import NativePlan
from .plan import CallPlan
from .process_bound import ProcessBound
from .results import NativeCode
from .trampolines import TrampolineSource

# A program that is called with ever new shapes must not keep a plan for each.
_MOST_PLANS = 256

# A trampoline tries one after the other.
_MOST_NATIVE_PLANS = 8

_ndarray = np.ndarray


class EntryPoint(ProcessBound):
    """One function of a program: `program.name(a, b, out=None)`, NumPy in and NumPy out.

    A tensor or memref parameter takes an array of exactly its dtype, rank and static sizes, with any strides its type
    allows (any at all for a tensor); a scalar parameter takes a Python or NumPy scalar that its type can hold. An array
    of another package stands for one over its memory (`foreign_arrays.py`). Arguments may be given by name, as in the
    source (`names.py`); `inspect.signature` and `help` show the names and types. No result gives None, one the result
    itself, several a tuple. `out` is an array that receives the result, or a tuple with an array or None for each of
    several. Wrong arguments raise `TypeError` or `ValueError`, which name the argument, before native code runs. The
    first call with arguments of a new dtype, shape or stride costs about 50 µs more.
    """

    def __init__(
        self,
        whole: Signature,
        native: Callable[[bool], NativeCode],
        report: Callable[[MemoryStats], None],
        trampolines: TrampolineSource,
        held: HeldArguments = NOTHING_HELD,
    ) -> None:
        """`native(contiguous)` compiles on demand; `report` takes the statistics of each call that is counted.

        `whole` is the signature of the native code, of which callers do not see the arguments that are `held`.
        """
        signature = held.signature_of_rest(whole) if held.arrays else whole
        self.signature = signature
        self._whole = held.labelled(whole) if held.arrays else whole
        self.held = held
        self._native = native
        self._report = report
        self._plans: dict[tuple[Any, ...], CallPlan] = {}
        self._trampolines = trampolines
        self._trampoline: Callable[..., Any] | None = None
        self._native_plans: list[NativePlan] = []
        self._keywords = Keywords(signature)
        self.__name__ = signature.name
        self.__signature__ = self._keywords.python_signature
        self.__doc__ = self._keywords.documentation

    def __call__(self, /, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """Check the arguments, run, and return the result: None, one, or a tuple."""
        if named:
            arguments = self._keywords.in_order(arguments, named)
        if self._trampoline is not None:
            result = self._trampoline(out, *arguments)
            if result is not NotImplemented:
                return result
        plan = self._plans.get(_call_key(arguments))
        if plan is None:
            arguments = checked_arguments(self.signature, arguments)
            plan = self._plan(arguments)
        if not plan.was_tried:
            self._try_trampoline(plan, arguments)
        return plan(arguments, out, self._report)

    def bind(self, /, *arguments: Any, out: Any = None, **named: Any) -> BoundCall:
        """Check and pack the arguments now, for a call that takes under a microsecond (see `BoundCall`).

        Raises what a call with these arguments raises.
        """
        if named:
            arguments = self._keywords.in_order(arguments, named)
        arguments = checked_arguments(self.signature, arguments)
        return self._bound_by(self._plan(arguments), arguments, out)

    def _bound_by(self, plan: CallPlan, arguments: tuple[Any, ...], out: Any) -> BoundCall:
        return plan.bind(arguments, out, self._report, self, self._trampolines)

    def _try_trampoline(self, plan: CallPlan, arguments: tuple[Any, ...]) -> None:
        """Let later calls of `plan`, which fits `arguments`, go by the trampoline, if there is one now."""
        found = self._trampolines()
        if found is None:
            return
        following = self._native_plans[-1].address if self._native_plans else 0
        native = plan.native_form(arguments, following) if len(self._native_plans) < _MOST_NATIVE_PLANS else None
        if native is not None:
            self._native_plans.append(native)
            # A new function for each list of plans: a call of the old one may be under way.
            self._trampoline = found.function(native.address, tuple(self._native_plans))

    def _plan(self, arguments: tuple[Any, ...]) -> CallPlan:
        key = _call_key(arguments)
        plan = self._plans.get(key)
        if plan is None:
            try:
                plan = CallPlan(self._whole, self._native(True), arguments, self.held)
            except StrideError:
                # Not contiguous: compile the version for any strides.
                plan = self._plan_for_any_strides(arguments)
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return plan

    def _plan_for_any_strides(self, arguments: tuple[Any, ...]) -> CallPlan:
        key = (None, *_call_key(arguments))
        plan = self._plans.get(key)
        if plan is None:
            plan = CallPlan(self._whole, self._native(False), arguments, self.held, contiguous=False)
            self._plans[key] = plan
        return plan

    def __repr__(self) -> str:
        return f"<entry point {self.signature.brief}>"


def _call_key(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The key of a plan: dtypes, shapes and strides of arrays, types of scalars, one after the other."""
    key: list[Any] = []
    for argument in arguments:
        if type(argument) is _ndarray:
            key += (argument.dtype, argument.shape, argument.strides)
        else:
            key.append(type(argument))
    return tuple(key)
