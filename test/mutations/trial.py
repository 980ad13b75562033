"""One program with and without a rule: what the tensor program means, and what the memref program does instead.

The meaning is the evaluator's, which knows no op models and no analysis of ours. A memref program is wrong if a result
has other elements where the tensor program defines them, if an argument changes that must not, or if the evaluator
refuses what it does to memory: reading what was freed or never written, freeing twice, leaking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from disabling import Rule, disabled
from mlir import ir
from sources import Case

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch
from mlir_inplace.runtime.evaluator import EvaluationError, evaluate

_WRITABLE = "bufferization.writable"

_LATE = tuple(
    f"passes.{module}:"
    for module in (
        "analysis.allocation_hoisting",
        "analysis.buffer_lifetimes",
        "analysis.graph_lifetimes",
        "analysis.loop_lifetimes",
        "analysis.region_lifetimes",
        "drop_equivalent_results",
        "results_to_out_params",
    )
)
"""Where rules are that only what follows bufferization depends on."""


class Unusable(Exception):
    """The program says nothing about rules: it is refused, or cannot be evaluated."""


@dataclass
class Trial:
    """A case and what is known of it, so that many rules can be tried on it."""

    case: Case
    context: ir.Context
    _memrefs: str = ""
    _freed: str = ""
    _expected: list[list[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        try:
            module = self._parse()
            self._run(module, self.case.passes)
            self._memrefs = str(module)
            self._run(module, self.case.after)
        except mi.PassError as error:
            raise Unusable(str(error)) from None
        self._freed = str(module)

    def finding(self, rule: Rule) -> str | None:
        """What goes wrong without `rule`; None if nothing does. Only a program that comes out changed is executed."""
        try:
            module = self._without(rule)
        except mi.PassError as error:
            return None if _is_refusal(error) else "program that does not verify"
        except Exception as error:  # noqa: BLE001 - whatever the analysis does without one of its rules
            return f"internal error ({type(error).__name__})"
        return None if module is None else self._difference(module)

    def _without(self, rule: Rule) -> ir.Module | None:
        """The program as it is made without `rule`; None if it is what it is with it."""
        is_late = rule.target.startswith(_LATE)
        module = self._parse(self._memrefs if is_late else "")
        with disabled(rule):
            if not is_late:
                self._run(module, self.case.passes)
                if str(module) == self._memrefs:
                    return None
            self._run(module, self.case.after)
        return None if str(module) == self._freed else module

    def check(self) -> str | None:
        """What is wrong with all rules kept; None if all is well."""
        return self._difference(self._parse(self._freed))

    # --- routes ------------------------------------------------------------------------------------------------

    def _parse(self, memrefs: str = "") -> ir.Module:
        with self.context:
            if memrefs:
                return ir.Module.parse(memrefs)
            module = dispatch.parse(self.case.text, self.context)
            if self.case.protects:
                _protect(module)
            return module

    def _run(self, module: ir.Module, passes: str) -> None:
        with self.context:
            mi.run_pipeline(module, f"builtin.module({passes})")

    # --- comparing ---------------------------------------------------------------------------------------------

    def _difference(self, module: ir.Module) -> str | None:
        if self.case.expected is not None:
            runs = zip(self.case.runs, self.case.expected, strict=True)
            return next(filter(None, (_change(module, given, expected) for given, expected in runs)), None)
        for given, expected in zip(self.case.runs, self._meaning(), strict=True):
            found = _difference(module, given, expected, protected=self._protected(len(given)))
            if found is not None:
                return found
        return None

    def _meaning(self) -> list[list[Any]]:
        """For each run, pairs of what is returned and which of its elements are defined."""
        if not self._expected:
            module = self._parse()
            for given in self.case.runs:
                try:
                    run = evaluate(module, "main", _copies(given))
                except EvaluationError as error:
                    raise Unusable(str(error)) from None
                masks = run.undefined or (None,) * len(run.results)
                self._expected.append(list(zip(run.results, masks, strict=True)))
        return self._expected

    def _protected(self, count: int) -> list[bool]:
        """Which arguments a caller finds unchanged."""
        module = self._parse()  # An operation does not keep its module alive.
        with self.context:
            attributes = _main(module).attributes
            marks = ir.ArrayAttr(attributes["arg_attrs"]) if "arg_attrs" in attributes else [{}] * count
            return [_WRITABLE in mark and not ir.BoolAttr(mark[_WRITABLE]).value for mark in marks]


def _difference(module: ir.Module, given: Sequence[Any], expected: list[Any], *, protected: list[bool]) -> str | None:
    outs, order = _out_parameters(module)
    arguments = [*_copies(given), *outs]
    try:
        run = evaluate(module, "main", arguments)
    except EvaluationError as error:
        if "not supported" in error.reason:
            raise Unusable(str(error)) from None
        return _fault(error.reason)
    returned = iter(run.results)
    found = [next(returned) if place < 0 else arguments[place] for place in order] or list(run.results)
    for one, (other, undefined) in zip(found, expected, strict=True):
        if np.shape(one) != np.shape(other):
            return "wrong shape"
        defined = np.ones(np.shape(other), bool) if undefined is None else ~np.asarray(undefined)
        if not np.array_equal(np.asarray(one)[defined], np.asarray(other)[defined], equal_nan=_has_nan(other)):
            return "wrong value"
    for now, before, kept in zip(arguments, given, protected, strict=False):
        if kept and isinstance(before, np.ndarray) and not np.array_equal(now, before, equal_nan=_has_nan(before)):
            return "argument changed"
    return "leak" if run.leaked else None


def _change(module: ir.Module, given: Sequence[Any], expected: Sequence[Any]) -> str | None:
    """What is wrong with the memory that a program changes; NaN stands for what may be anything."""
    arguments = _copies(given)
    try:
        run = evaluate(module, "main", arguments)
    except EvaluationError as error:
        if "not supported" in error.reason:
            raise Unusable(str(error)) from None
        return _fault(error.reason)
    for now, wanted in zip(arguments, expected, strict=False):
        if not np.array_equal(now[~np.isnan(wanted)], wanted[~np.isnan(wanted)]):
            return "wrong value"
    return "leak" if run.leaked else None


def _has_nan(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "fc"


def _fault(reason: str) -> str:
    known = {
        "must not be changed": "argument changed",
        "freed twice": "double free",
        "after it was freed": "use after free",
        "never written": "garbage is read",
    }
    return next((name for words, name in known.items() if words in reason), f"fault: {reason}")


def _is_refusal(error: mi.PassError) -> bool:
    """Whether a pass has said no, rather than made something that is not valid."""
    return "does not verify" not in str(error) and "internal" not in str(error)


def _copies(given: Sequence[Any]) -> list[Any]:
    return [np.copy(value) if isinstance(value, np.ndarray) else value for value in given]


def _main(module: ir.Module) -> ir.Operation:
    functions = (op.operation for op in module.body.operations if op.operation.name == "func.func")
    return next(op for op in functions if ir.StringAttr(op.attributes["sym_name"]).value == "main")


def _protect(module: ir.Module) -> None:
    """Say of each tensor argument of @main that nobody said anything of that it must not be written."""
    main = _main(module)
    types = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).inputs
    marks = ir.ArrayAttr(main.attributes["arg_attrs"]) if "arg_attrs" in main.attributes else [None] * len(types)
    new: list[ir.Attribute] = []
    for type_, mark in zip(types, marks, strict=True):
        entries = {} if mark is None else {entry.name: entry.attr for entry in ir.DictAttr(mark)}
        if isinstance(type_, ir.RankedTensorType | ir.UnrankedTensorType):
            entries.setdefault(_WRITABLE, ir.BoolAttr.get(False))
        new.append(ir.DictAttr.get(entries))
    main.attributes["arg_attrs"] = ir.ArrayAttr.get(new)


def _out_parameters(module: ir.Module) -> tuple[list[Any], list[int]]:
    """New arrays for results that became arguments, and the argument that each original result is; -1 if returned."""
    main = _main(module)
    if "inplace.result_arguments" not in main.attributes:
        return [], []
    order = list(ir.DenseI64ArrayAttr(main.attributes["inplace.result_arguments"]))
    types = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).inputs
    marks = ir.ArrayAttr(main.attributes["arg_attrs"]) if "arg_attrs" in main.attributes else []
    outs = [_array(types[n]) for n, mark in enumerate(marks) if "inplace.out_result" in ir.DictAttr(mark)]
    return outs, order


def _array(type_: ir.Type) -> Any:
    from mlir_inplace.runtime.dtypes import element_type

    return np.full(ir.MemRefType(type_).shape, 113, element_type(ir.MemRefType(type_).element_type).dtype)
