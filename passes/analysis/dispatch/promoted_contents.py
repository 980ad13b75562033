"""Check of the invariants of promoted contents and commits, which bufferization relies on.

There is one ``dispatch.contents`` for a memory: two such tensors would alias, and the analysis would not see it. A
committed memory is committed before every return, by the last ops there: at each return it must hold the committed
value, and nothing may write it afterwards. Linear in the ops; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..index_sets.sums import IndexSums
from ..ir.snapshot import Snapshot
from .binding_memories import BindingMemories, BindingRefusal, read_memories

__all__ = ["find_calls", "find_misuse", "function_around"]


def find_misuse(snapshot: Snapshot) -> list[BindingRefusal]:
    """Return the violations in functions that were already promoted."""
    s = snapshot
    sums = IndexSums(s)
    functions = dict.fromkeys(
        function_around(s, op) for op, name in enumerate(s.op_name) if name == "dispatch.contents"
    )
    problems: list[BindingRefusal] = []
    for function in functions:
        bindings = read_memories(s, sums, function)
        problems.extend((*bindings.problems, *_contents(bindings), *_commits(s, bindings)))
    return problems


def find_calls(snapshot: Snapshot) -> list[BindingRefusal]:
    """Return the calls of functions with bindings: the analysis of the caller would miss the memory they share."""
    s = snapshot
    functions = {function_around(s, op) for op, name in enumerate(s.op_name) if name == "dispatch.binding"}
    names = {str(s.ops[function].attributes["sym_name"]): function for function in functions if function > 0}
    problems: list[BindingRefusal] = []
    for op, name in enumerate(s.op_name):
        callee = str(s.ops[op].attributes["callee"]) if name == "func.call" and names else ""
        function = names.get(f'"{callee.removeprefix("@")}"')
        if function is not None:
            message = f"a call of {callee}, which declares bindings and so can only be dispatched; inline it"
            problems.append(BindingRefusal(op, message, (("the function is here", function),)))
    return problems


def function_around(s: Snapshot, op: int) -> int:
    """Return the ``func.func`` that op number ``op`` is in; 0 if it is in none."""
    while op > 0 and s.op_name[op] != "func.func":
        op = s.block_op[s.op_block[op]]
    return op


def _contents(bindings: BindingMemories) -> Iterator[BindingRefusal]:
    for memory in bindings.memories:
        for op in memory.contents[1:]:
            message = f"{memory.slot} has two contents; use the first one"
            yield BindingRefusal(op, message, (("this is the first one", memory.contents[0]),))


def _commits(s: Snapshot, bindings: BindingMemories) -> Iterator[BindingRefusal]:
    ops = s.nested_ops(bindings.function)
    commits = [op for op in ops if s.op_name[op] == "dispatch.commit"]
    memories = {s.op_first_result[op]: memory for memory in bindings.memories for op in memory.contents}
    returns = [op for op in s.exits(bindings.function, 0) if s.op_name[op] == "func.return"]
    last: dict[int, dict[int, int]] = {}
    for return_ in returns:
        block = s.block_ops[s.op_block[return_]]
        found: dict[int, int] = {}
        for op in reversed(block[:-1]):
            value = s.operand_value[s.op_first_operand[op] + 1] if s.op_name[op] == "dispatch.commit" else -1
            if value not in memories or value in found:
                break
            found[value] = op
        last[return_] = found
    ends = {op for found in last.values() for op in found.values()}
    committed: dict[int, int] = {}
    for op in commits:
        value = s.operand_value[s.op_first_operand[op] + 1]
        committed.setdefault(value, op)
        if value not in memories:
            yield BindingRefusal(
                op, "the target is not the result of a dispatch.contents; commit to the contents itself"
            )
        elif not memories[value].access.writes:
            yield BindingRefusal(op, f"{memories[value].slot} is only read; remove the commit")
        elif op not in ends:
            message = "a dispatch.commit that does not come right before func.return, or is one of two"
            yield BindingRefusal(op, f"{message}; commit once, there")
    for return_, found in last.items():
        for value, op in committed.items():
            if op in ends and value not in found:
                message = f"{memories[value].slot} is committed before another return, but not here"
                yield BindingRefusal(return_, f"{message}; commit its contents", (("it is committed here", op),))
