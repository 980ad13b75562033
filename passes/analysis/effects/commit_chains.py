"""The chains of updates from the first content of a memory to the op that commits it (rule *committed*).

An op that must be in place, and overwrites its operand with the content of another one, commits: the memory holds that
content in the end. Other workgroups may write other parts of the same memory at the same time. So memory that is
written must hold the content *all along*: a copy of all of it, changed elsewhere and copied back, would undo their
writes. Hence each step from the memory's first content to the committed value must be in place. Steps are insertions,
loops and branches: ties that write, and forwardings.

Some order of decisions always allows this: a value that is loaded before a step and used after it is copied when it is
loaded. See docs/theory/bindings.md. Linear in the steps.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from .tables import CommittedContent, EffectTables, Refusal

__all__ = ["commit_refusals", "enter_commits"]


def enter_commits(effects: EffectTables, function: int, operands: Iterable[int]) -> None:
    """Enter commits to ``operands``, and that all their steps must be in place. The ties must be entered before."""
    for operand in operands:
        commit = _commit(effects, operand)
        effects.commits.setdefault(function, []).append(commit)
        for step in commit.steps:
            effects.must_in_place[step] = True


def _commit(effects: EffectTables, operand: int) -> CommittedContent:
    """Trace the value that is committed to ``operand`` back along its steps."""
    s = effects.snapshot
    memory = s.operand_value[operand]
    work = [s.operand_value[effects.redundant_source[operand]]]
    seen = set(work)
    steps: list[int] = []
    pure = True
    while work:
        value = work.pop()
        if value == memory:
            continue
        sources = effects.sources.get(value, [])
        pure = pure and bool(sources) and all(_is_step(effects, source, value) for source in sources)
        for source in sources:
            steps.append(source)
            before = s.operand_value[source]
            if before >= 0 and before not in seen:
                seen.add(before)
                work.append(before)
    return CommittedContent(operand, memory in seen, tuple(steps) if pure else ())


def _is_step(effects: EffectTables, operand: int, value: int) -> bool:
    """Whether ``value`` is all of ``operand``, updated in its buffer or forwarded."""
    return operand in effects.forwards or (bool(effects.writes[operand]) and effects.is_same_buffer(operand, value))


def commit_refusals(effects: EffectTables, function: int, redundant: Container[int]) -> Iterator[Refusal]:
    """Refuse commits in ``function`` that would copy a whole memory back over its own content."""
    s = effects.snapshot
    for commit in effects.commits.get(function, ()):
        if commit.continues and commit.operand not in redundant:
            yield Refusal(
                s.ops[s.operand_op[commit.operand]],
                "what is stored to a binding would have to be copied back as a whole, which would undo what other "
                "workgroups store; promote the loads and stores anew, and do not simplify the result before it is "
                "bufferized",
            )
