"""Drop function results that are one of the function's own arguments.

Bufferization turns a tensor that was updated in place into a function result that is one of the arguments. Such a
result is redundant, and it is expensive: deallocation clones it, as every returned buffer needs an owner of its own.
This pass removes the result, and the caller uses the buffer it passed.

In: `func.func` on memrefs. Out: the same functions without those results; callers in the module use their operand
instead (through a `memref.cast` where types differ), and each changed function carries `inplace.result_arguments` (see
`rewriting/results.py`), by which an outside caller finds the value. Left alone: functions without a body, functions
whose address is taken (`func.constant`), results that are different arguments on different returns, and arguments
marked `inplace.read_only` (their caller wants a buffer of its own).

```mlir
func.func @f(%a: memref<4xf32>, %i: index) -> (memref<4xf32>, index) {
  return %a, %i : memref<4xf32>, index
}
```

becomes:

```mlir
func.func @f(%a: memref<4xf32>, %i: index) -> index attributes {inplace.result_arguments = array<i64: 0, -1>} {
  return %i : index
}
```

A value is an argument if it is the block argument itself, a `memref.cast` of one, the result of an `scf.if`,
`scf.index_switch` or `scf.execute_region` that yields it from every region, or the result of a call that returns its
operand. In a recursion, a call is taken to return what the other returns return: the greatest fixpoint. That is right
because a call that returns took one of those. Linear in the operations, times the results in a cycle.

With `modify-public-functions=false` functions that are visible outside of the module keep their results.

Upstream counterpart: `drop-equivalent-buffer-results`. Ours follows calls in one walk, looks through branches and
recursion, and records the change for outside callers. Its default is to change public functions too.
"""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.ir.symbols import is_public
from ..framework.base import Pass, Statistic
from ..framework.contract import READ_ONLY
from ..framework.options import PassOptions, option
from .rewriting.results import (
    FunctionUses,
    argument_marked,
    callees_first,
    collect_functions,
    replace_call,
    take_out_results,
)

_ANYTHING = -1
"""The argument that a call in a cycle returns before it is analysed: it agrees with every argument."""

_CHOICES = ("scf.if", "scf.index_switch", "scf.execute_region")


class _Tracer:
    """Which argument of its function a value is, if any: a number, `_ANYTHING`, or None for another buffer."""

    def __init__(self, functions: dict[str, FunctionUses], *, public: bool) -> None:
        self._functions = functions
        self._public = public
        self._known: dict[str, dict[int, int]] = {}

    def run(self) -> dict[str, dict[int, int]]:
        """The results of each function that are arguments."""
        for component in callees_first(self._functions):
            for name in component:
                results = range(len(self._functions[name].function.type.results))
                self._known[name] = dict.fromkeys(results, _ANYTHING) if self._may_change(name) else {}
            changed = True
            while changed:
                before = [self._known[name] for name in component]
                for name in component:
                    self._known[name] = self._equivalent_results(name)
                changed = before != [self._known[name] for name in component]
            for name in component:
                self._known[name] = {r: a for r, a in self._known[name].items() if a != _ANYTHING}
        return self._known

    def _may_change(self, name: str) -> bool:
        uses = self._functions[name]
        return not uses.address_taken and bool(uses.returns) and (self._public or not is_public(uses.function))

    def _equivalent_results(self, name: str) -> dict[int, int]:
        uses = self._functions[name]
        found: dict[int, int] = {}
        for number in self._known[name]:
            argument = self._agreed((ret.operation.operands[number] for ret in uses.returns), uses)
            if argument is None or (argument != _ANYTHING and argument_marked(uses.function, argument, READ_ONLY)):
                continue
            found[number] = argument
        return found

    def _agreed(self, values: Iterable[ir.Value], uses: FunctionUses) -> int | None:
        sources = {self._argument(value, uses) for value in values} - {_ANYTHING}
        if not sources:
            return _ANYTHING
        return sources.pop() if len(sources) == 1 else None

    def _argument(self, value: ir.Value, uses: FunctionUses) -> int | None:
        entry = uses.function.entry_block
        while isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType):
            if isinstance(value, ir.BlockArgument):
                return value.arg_number if value.owner == entry else None
            owner, number = ir.OpResult(value).owner.operation, ir.OpResult(value).result_number
            if owner.name == "memref.cast":
                value = owner.operands[0]
                continue
            if owner.name in _CHOICES:
                yielded = _yielded(owner, number)
                return None if yielded is None else self._agreed(yielded, uses)
            callee = ir.FlatSymbolRefAttr(owner.attributes["callee"]).value if owner.name == "func.call" else None
            argument = self._known.get(callee, {}).get(number) if callee is not None else None
            if argument is None or argument == _ANYTHING:
                return argument
            value = owner.operands[argument]
        return None


def _yielded(op: ir.Operation, result: int) -> list[ir.Value] | None:
    """What each region of a branch yields for a result; None where regions branch themselves."""
    regions = [list(region.blocks) for region in op.regions]
    if any(len(blocks) != 1 for blocks in regions):
        return None
    return [list(blocks[0].operations)[-1].operation.operands[result] for blocks in regions]


def analyze_equivalent_results(root: ir.Operation, *, public: bool = True) -> dict[str, dict[int, int]]:
    """For each function under `root`: the results that are arguments on every return, with these. Changes nothing.

    Without `public`, public functions are taken to keep all their results.
    """
    found = _Tracer(collect_functions(root), public=public).run()
    return {name: results for name, results in found.items() if results}


@frozen
class DropEquivalentResultsOptions(PassOptions):
    """Options of `inplace-drop-equivalent-results`; upstream has the same one, with another default."""

    modify_public_functions: bool = option(True, help="drop results of functions that are visible outside as well")


class DropEquivalentResultsPass(Pass[DropEquivalentResultsOptions]):
    """Drop results that are arguments."""

    argument = "inplace-drop-equivalent-results"
    summary = "drop function results that are one of the function's own memref arguments"
    Options = DropEquivalentResultsOptions
    anchor = "builtin.module"
    statistics = (Statistic("dropped-results", "results removed from function signatures"),)

    def run(self, op: ir.Operation) -> None:
        functions = collect_functions(op)
        for name, moved in analyze_equivalent_results(op, public=self.options.modify_public_functions).items():
            # The records stay valid: a call is replaced only on behalf of its callee, a return only on behalf of its
            # function.
            for call in functions[name].calls:
                replace_call(call.operation, {result: call.operands[moved[result]] for result in moved})
            take_out_results(functions[name], moved)
            self.count("dropped-results", len(moved))
