"""One program with and without a rule: what the tensor program means, and what the memref program does instead.

The meaning is the evaluator's, which knows no op models and no analysis of ours. A memref program is wrong if a result
has other elements where the tensor program defines them, if an argument changes that must not, or if the evaluator
refuses what it does to memory: reading what was freed or never written, freeing twice, leaking.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import others
from comparing import Meaning, Unusable, change, copies, difference, evaluated, main_function
from disabling import Rule, disabled
from linking import foreign_ops, linked
from lockstep import threads_in_step
from mlir import ir
from sources import Case

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import EvaluationError
from mlir_inplace.dialects import dispatch

_WRITABLE = "bufferization.writable"
_FREES = "inplace-deallocate"
"""Without this pass all memory leaks; what it clones may hide what is wrong with results that share memory."""
_PARALLEL = "scf.forall|scf.parallel"
_ONE_SHOT = "inplace-one-shot-bufferize{"

_LATE = tuple(
    f"passes.{module}:"
    for module in (
        "analysis.lifetimes.hoisting",
        "analysis.lifetimes.module",
        "analysis.lifetimes.blocks",
        "analysis.lifetimes.loops",
        "analysis.lifetimes.regions",
        "analysis.lifetimes.returned_buffers",
        "functions.drop_equivalent_results",
        "functions.results_to_out_params",
    )
)
"""Where rules are that only what follows bufferization depends on."""


@dataclass
class Trial:
    """A case and what is known of it, so that many rules can be tried on it."""

    case: Case
    context: ir.Context
    is_changed: bool = False
    """Whether the program came out another one without the rule that was tried last."""
    _memrefs: str = ""
    _freed: str = ""
    _expected: list[Meaning] = field(default_factory=list)

    def __post_init__(self) -> None:
        described = f'"{others.DIALECT}' in self.case.text
        self.context.allow_unregistered_dialects = described or '"test.' in self.case.text
        if described:
            others.describe()
        try:
            module = self._parse()
            self._run(module, self.case.passes)
            self._memrefs = str(module)
            self._run(module, self.case.after)
        except mi.PassError as error:
            if self.case.refused:
                self._memrefs = ""
                return
            raise Unusable(str(error)) from None
        self._freed = str(module)

    def finding(self, *rules: Rule) -> str | None:
        """What goes wrong without `rules`; None if nothing does. Only a program that comes out changed is executed."""
        self.is_changed = True
        try:
            module = self._without(rules)
        except mi.PassError as error:
            return None if _is_refusal(error) else "program that does not verify"
        except Exception as error:  # noqa: BLE001 - whatever the analysis does without one of its rules
            return f"internal error ({type(error).__name__})"
        self.is_changed = module is not None
        return None if module is None else self._difference(module)

    def _without(self, rules: Sequence[Rule]) -> ir.Module | None:
        """The program as it is made without `rules`; None if it is what it is with them."""
        is_late = bool(self._memrefs) and all(rule.target.startswith(_LATE) for rule in rules)
        module = self._parse(self._memrefs if is_late else "")
        with disabled(*rules):
            if not is_late:
                self._run(module, self.case.passes)
                if str(module) == self._memrefs:
                    return None
            self._run(module, self.case.after)
        return None if str(module) == self._freed else module

    def check(self) -> str | None:
        """What is wrong with all rules kept; None if all is well, or the program is refused as it should be."""
        if self.case.refused:
            return None if not self._freed else "not refused"
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
        # What a dead op does wrong is a finding as well.
        if "erase-dead-ops" not in passes:
            passes = passes.replace(_ONE_SHOT, f"{_ONE_SHOT}erase-dead-ops=false ")
        with self.context:
            mi.run_pipeline(module, f"builtin.module({passes})")

    # --- comparing ---------------------------------------------------------------------------------------------

    def _difference(self, module: ir.Module) -> str | None:
        if self.case.expected is not None:
            runs = zip(self.case.runs, self.case.expected, strict=True)
            return next(filter(None, (change(module, given, expected) for given, expected in runs)), None)
        try:
            module = linked(module, self.case.memrefs)
        except ir.MLIRError:
            return "program that does not verify"
        orders = [foreign_ops, threads_in_step] if re.search(_PARALLEL, str(module)) else [foreign_ops]
        for given, expected in zip(self.case.runs, self._meaning(), strict=True):
            for order in orders:
                with order():
                    found = difference(module, given, expected, protected=self._protected(len(given)))
                if found is not None and (found != "leak" or _FREES in self.case.after):
                    return found
        return None

    def _meaning(self) -> list[Meaning]:
        """What each run comes to."""
        if not self._expected:
            module = linked(self._parse(), self.case.tensors)
            with self.context:
                types = ir.FunctionType(ir.TypeAttr(main_function(module).attributes["function_type"]).value).inputs
            tensors = {n for n, type_ in enumerate(types) if isinstance(type_, ir.RankedTensorType)}
            for given in self.case.runs:
                try:
                    with foreign_ops():
                        run = evaluated(module, copies(given))
                except EvaluationError as error:
                    raise Unusable(str(error)) from None
                masks = run.undefined or (None,) * len(run.results)
                memory = {n: a for n, a in enumerate(run.arguments) if isinstance(a, np.ndarray) and n not in tensors}
                self._expected.append(Meaning(list(zip(run.results, masks, strict=True)), memory))
        return self._expected

    def _protected(self, count: int) -> list[bool]:
        """Which arguments a caller finds unchanged."""
        module = self._parse()  # An operation does not keep its module alive.
        with self.context:
            attributes = main_function(module).attributes
            marks = ir.ArrayAttr(attributes["arg_attrs"]) if "arg_attrs" in attributes else [{}] * count
            return [_WRITABLE in mark and not ir.BoolAttr(mark[_WRITABLE]).value for mark in marks]


def _is_refusal(error: mi.PassError) -> bool:
    """Whether a pass has said no, rather than made something that is not valid."""
    return not re.search("does not verify|is not valid after pass|internal", str(error))


def _protect(module: ir.Module) -> None:
    """Say of each tensor argument of @main that nobody said anything of that it must not be written."""
    main = main_function(module)
    types = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).inputs
    marks = ir.ArrayAttr(main.attributes["arg_attrs"]) if "arg_attrs" in main.attributes else [None] * len(types)
    new: list[ir.Attribute] = []
    for type_, mark in zip(types, marks, strict=True):
        entries = {} if mark is None else {entry.name: entry.attr for entry in ir.DictAttr(mark)}
        if isinstance(type_, ir.RankedTensorType | ir.UnrankedTensorType):
            entries.setdefault(_WRITABLE, ir.BoolAttr.get(False))
        new.append(ir.DictAttr.get(entries))
    main.attributes["arg_attrs"] = ir.ArrayAttr.get(new)
