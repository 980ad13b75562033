"""Entry points whose calls can be given up: where memory is refused, and where recursion would overflow the stack.

Native code cannot go on without the memory that it asked for, and it cannot return from everywhere. So an entry point
calls its body from a function that notes the place in the stack, and the allocator jumps back there when it has freed
what the call has allocated. The entry point then returns why; `call/failures.py` raises that. Only entry points that
lead to an allocation or to recursion are guarded: it costs some nanoseconds.

Linear in the operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mlir import ir
from mlir.dialects import llvm

from ...passes.analysis.ir.components import strongly_connected
from ...passes.analysis.ir.symbols import named_symbols
from ...passes.analysis.ir.traversal import find_ops
from ...passes.framework.contract import REQUIRE, REQUIRE_ROOM
from .guard_code import (
    ALLOCATE,
    FREE,
    GUARDED,
    PROCESS_KEYS,
    REQUIRE_STACK,
    NativeAllocator,
    guard_module,
    unguarded_module,
)
from .guarded_bodies import guard_bodies
from .linking import link
from .packed_entries import ENTRY_PREFIX

__all__ = ["guard_entries"]

_BODY = "inplace_body."
_FUNCTION = "llvm.func"


def guard_entries(
    module: ir.Module, names: Iterable[str], allocator: NativeAllocator, keys: str = PROCESS_KEYS
) -> bool:
    """Guard the packed entry points of a lowered module that may have to be given up, and let it use `allocator`.

    `keys`: the functions that return the keys of threads, in the LLVM dialect (`guard_code.py`).
    Returns whether there are any; otherwise nothing changes but that the module can free what it is given.
    """
    calls = _calls(module.operation)
    recursive = [
        name
        for component in strongly_connected(calls, lambda name: calls.get(name, ()))
        for name in component
        if len(component) > 1 or name in calls.get(name, ())
    ]
    symbols = ir.SymbolTable(module.operation)
    givers = {*recursive, *(name for name in (ALLOCATE, REQUIRE, REQUIRE_ROOM) if name in symbols)}
    if not givers:
        if FREE in symbols:
            link(module, unguarded_module(allocator))
        return False
    for name in recursive:
        _require_stack(symbols[name].operation)
    wrappers: list[str] = []
    failing = _leading_to(givers, calls)
    guard_bodies(module.operation, lambda call: not failing.isdisjoint(named_symbols(call)))
    for name in names:
        packed = ENTRY_PREFIX + name
        if packed in failing:
            symbols.set_symbol_name(symbols[packed].operation, _BODY + name)
            wrappers.append(_wrapper(packed, _BODY + name))
    link(module, "\n".join([guard_module(allocator, recursive=bool(recursive), keys=keys), *wrappers]))
    return True


def _calls(module: ir.Operation) -> Mapping[str, Sequence[str]]:
    """By name of a function: the symbols that its operations name."""
    found: dict[str, Sequence[str]] = {}
    for function in module.regions[0].blocks[0].operations:
        if function.operation.name == _FUNCTION and len(function.operation.regions[0].blocks):
            users = find_ops(function.operation, "llvm.call", "llvm.mlir.addressof")
            named = dict.fromkeys(symbol for user in users for symbol in named_symbols(user))
            found[ir.StringAttr(function.operation.attributes["sym_name"]).value] = list(named)
    return found


def _leading_to(ends: set[str], calls: Mapping[str, Sequence[str]]) -> set[str]:
    """The functions that call one of `ends`, directly or not, and these themselves."""
    callers: dict[str, list[str]] = {}
    for caller, called in calls.items():
        for name in called:
            callers.setdefault(name, []).append(caller)
    found, work = set(ends), list(ends)
    while work:
        new = [one for one in callers.get(work.pop(), ()) if one not in found]
        found.update(new)
        work += new
    return found


def _require_stack(function: ir.Operation) -> None:
    """Ask for the stack at the beginning of `function`."""
    with ir.InsertionPoint.at_block_begin(function.regions[0].blocks[0]), function.location:
        llvm.CallOp(None, [], [], [], callee=REQUIRE_STACK)


def _wrapper(name: str, body: str) -> str:
    return f"""
llvm.func @"{body}"(!llvm.ptr) -> i64
llvm.func @"{name}"(%table: !llvm.ptr) -> i64 attributes {{passthrough = [["disable-tail-calls", "true"]]}} {{
  %body = llvm.mlir.addressof @"{body}" : !llvm.ptr
  %failure = llvm.call @{GUARDED}(%body, %table) : (!llvm.ptr, !llvm.ptr) -> i64
  llvm.return %failure : i64
}}"""
