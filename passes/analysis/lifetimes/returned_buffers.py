"""What private functions return: new memory, which their callers own from then on, arguments, or constants.

A function that is called from outside of the module owns what it returns, so it clones arguments. One whose callers are
all known need not: a call's result is what the function says it may be, as that of a structured op is what its regions
forward. `module.py` asks callees first, and functions that call each other in a cycle until they answer the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ..ir.symbols import callee_name, is_public, may_name_functions, named_symbols
from ..ir.union_find import UnionFind
from .plan import GlobalBuffer
from .roots import RootKind, RootTable, is_buffer, leaving_buffers

__all__ = ["CallGraph", "ReturnedBuffers", "connected", "is_from_caller", "joined", "read_returned"]


@frozen
class ReturnedBuffers:
    """What the memrefs that a function returns may be, by the number of the result.

    `groups` has those that may be new memory, with the first of the results that may be the same memory.
    """

    arguments: Mapping[int, frozenset[int]]
    constants: Mapping[int, frozenset[GlobalBuffer]]
    groups: Mapping[int, int]


def is_from_caller(table: RootTable, number: int) -> bool:
    """Whether a root is an argument of the function or a constant, which callers see as well."""
    root = table.roots[number]
    return root.kind is RootKind.BORROWED and root.level is None


def read_returned(table: RootTable, terminators: Iterable[ir.Operation]) -> ReturnedBuffers:
    """What a function returns by `terminators`, of whose operands `table` has the roots. Linear in these roots."""
    arguments: dict[int, frozenset[int]] = {}
    constants: dict[int, frozenset[GlobalBuffer]] = {}
    shared: list[tuple[int, int]] = []
    for terminator in terminators:
        first: dict[int, int] = {}
        for number, value in leaving_buffers(terminator).items():
            roots = table.sets[value]
            new = [root for root in roots if not is_from_caller(table, root)]
            handles = table.handles(roots.difference(new))
            numbers = frozenset(handle.arg_number for handle in handles if isinstance(handle, ir.BlockArgument))
            symbols = frozenset(handle for handle in handles if isinstance(handle, GlobalBuffer))
            arguments[number] = arguments.get(number, frozenset()) | numbers
            constants[number] = constants.get(number, frozenset()) | symbols
            shared += [(number, first.setdefault(root, number)) for root in new]
    return ReturnedBuffers(arguments, constants, connected(shared))


def joined(first: ReturnedBuffers, second: ReturnedBuffers) -> ReturnedBuffers:
    """What may be either, for the same results."""
    return ReturnedBuffers(
        {number: one | second.arguments[number] for number, one in first.arguments.items()},
        {number: one | second.constants[number] for number, one in first.constants.items()},
        connected([*first.groups.items(), *second.groups.items()]),
    )


def connected(shared: Sequence[tuple[int, int]]) -> Mapping[int, int]:
    """The least number that each number is connected with, by `shared`."""
    sets, least = UnionFind(), dict[int, int]()
    for pair in shared:
        sets.union(*pair)
    numbers = sorted({number for pair in shared for number in pair})
    return {number: least.setdefault(sets.find(number), number) for number in numbers}


class CallGraph:
    """Who calls whom among the `functions` of module `root`, and which of them are reached by known calls only.

    One walk over the ops, and none where no private function returns a memref.
    """

    def __init__(self, root: ir.Operation, functions: Sequence[ir.Operation]) -> None:
        self.functions = {ir.StringAttr(one.attributes["sym_name"]).value: one for one in functions}
        self.calls: dict[str, list[str]] = {name: [] for name in self.functions}
        self.known: set[str] = set()
        """The functions of which every caller is known."""
        candidates = {name for name, one in self.functions.items() if not is_public(one) and _returns_memory(one)}
        if candidates and root.name == "builtin.module" and len(self.functions) == len(functions):
            self.known = candidates - self._read(root)

    def _read(self, root: ir.Operation) -> set[str]:
        """Enter the calls; return what ops name otherwise."""
        named: set[str] = set()
        inside, advance = [""], ir.WalkResult.ADVANCE
        kinds: dict[str, bool] = {}

        def visit(op: ir.Operation) -> ir.WalkResult:
            name = op.name
            if name == "func.func":
                inside[0] = ir.StringAttr(op.attributes["sym_name"]).value
                named.update(named_symbols(op), {inside[0]} if "llvm.emit_c_interface" in op.attributes else ())
            elif name == "func.call" and inside[0] in self.calls:
                self.calls[inside[0]].append(callee_name(op))
            elif kinds.setdefault(name, may_name_functions(name)):
                named.update(named_symbols(op))
            return advance

        root.walk(visit, ir.WalkOrder.PRE_ORDER)
        return named


def _returns_memory(function: ir.Operation) -> bool:
    type_ = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    return any(is_buffer(result) for result in type_.results)
