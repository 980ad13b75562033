"""Drop function results that are one of the function's own arguments.

Bufferization turns "the updated tensor" into "return the memref that came in". Such a result says nothing, and it is
expensive: the deallocation that follows gives every returned buffer an owner of its own, by cloning it. This pass
removes the result, and the caller uses the buffer it passed.

Goes in: `func.func` on memrefs. Comes out: the same functions without those results; callers in the module use their
operand instead (through a `memref.cast` where types differ), and each changed function carries
`inplace.result_arguments` (see `function_results.py`), by which an outside caller finds the value. Left alone:
functions without a body, functions whose address is taken (`func.constant`), results that are different arguments on
different returns, and arguments marked `inplace.read_only` (their caller wants a buffer of its own).

    func.func @f(%a: memref<4xf32>) -> (memref<4xf32>, index) {
      return %a, %i : memref<4xf32>, index
    ->
    func.func @f(%a: memref<4xf32>) -> index attributes {inplace.result_arguments = array<i64: 0, -1>} {
      return %i : index

A value is an argument if it is the block argument itself, a `memref.cast` of one, or the result of a call that
returns what it was given (recursion counts as unknown). Linear in the operations.

Upstream counterpart: `drop-equivalent-buffer-results`. Ours follows calls in one go and tells outside callers what it
did.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import memref

from .base import Pass, Statistic
from .function_results import FunctionUses, argument_marked, collect_functions, take_out_results
from .options import PassOptions

READ_ONLY = "inplace.read_only"


@dataclass(frozen=True)
class EquivalentResult:
    """Result `result` of a function is its argument `argument` on every return."""

    result: int
    argument: int


class _Tracer:
    """Which argument of its function a value is, if any."""

    def __init__(self, functions: dict[str, FunctionUses]) -> None:
        self._functions = functions
        self._known: dict[str, dict[int, int]] = {}

    def equivalent_results(self, name: str) -> dict[int, int]:
        if name in self._known:
            return self._known[name]
        self._known[name] = {}  # what a recursive call sees: nothing is known
        uses = self._functions[name]
        found: dict[int, int] = {}
        if not uses.address_taken and uses.returns:
            for number in range(len(uses.function.type.results)):
                sources = {self._argument(ret.operation.operands[number], uses) for ret in uses.returns}
                argument = sources.pop() if len(sources) == 1 else None
                if argument is not None and not argument_marked(uses.function, argument, [READ_ONLY]):
                    found[number] = argument
        self._known[name] = found
        return found

    def _argument(self, value: ir.Value, uses: FunctionUses) -> int | None:
        entry = uses.function.entry_block
        while isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType):
            if isinstance(value, ir.BlockArgument):
                return value.arg_number if value.owner == entry else None
            owner = ir.OpResult(value).owner.operation
            if owner.name == "memref.cast":
                value = owner.operands[0]
                continue
            callee = ir.FlatSymbolRefAttr(owner.attributes["callee"]).value if owner.name == "func.call" else None
            if callee not in self._functions:
                return None
            argument = self.equivalent_results(callee).get(ir.OpResult(value).result_number)
            if argument is None:
                return None
            value = owner.operands[argument]
        return None


def analyze_equivalent_results(root: ir.Operation) -> dict[str, tuple[EquivalentResult, ...]]:
    """For each function under `root`: which of its results are which of its arguments. Changes nothing."""
    functions = collect_functions(root)
    tracer = _Tracer(functions)
    found = {name: tracer.equivalent_results(name) for name in functions}
    return {
        name: tuple(EquivalentResult(result, argument) for result, argument in sorted(results.items()))
        for name, results in found.items()
        if results
    }


def _rewrite_call(call: ir.Operation, moved: dict[int, int]) -> None:
    """Replace `call` by one without the results in `moved`, whose users get the operand."""
    operands, old_results = list(call.operands), list(call.results)
    kept = [number for number in range(len(old_results)) if number not in moved]
    attributes = {name: call.attributes[name] for name in call.attributes}
    with ir.InsertionPoint(call), call.location:
        new = ir.Operation.create(
            "func.call", results=[old_results[number].type for number in kept], operands=operands, attributes=attributes
        )
        for result, argument in moved.items():
            replacement, wanted = operands[argument], old_results[result].type
            if replacement.type != wanted:
                replacement = memref.CastOp(wanted, replacement).result
            old_results[result].replace_all_uses_with(replacement)
    for number, result in zip(kept, new.results, strict=True):
        old_results[number].replace_all_uses_with(result)
    call.erase()


class DropEquivalentResultsPass(Pass[PassOptions]):
    """Drop results that are arguments."""

    argument = "inplace-drop-equivalent-results"
    summary = "drop function results that are one of the function's own memref arguments"
    anchor = "builtin.module"
    statistics = (Statistic("dropped-results", "results removed from function signatures"),)

    def run(self, op: ir.Operation) -> None:
        functions = collect_functions(op)
        for name, results in analyze_equivalent_results(op).items():
            # The records stay valid: a call is replaced only on behalf of its callee, a return only on behalf of its
            # function.
            moved = {found.result: found.argument for found in results}
            for call in functions[name].calls:
                _rewrite_call(call.operation, moved)
            take_out_results(functions[name], moved)
            self.count("dropped-results", len(moved))
