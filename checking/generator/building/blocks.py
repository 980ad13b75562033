"""Functions with a random CFG: irreducible loops, cf.switch, several returns.

Each block has a counter argument, and returns when that is large, so every run ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .builder import Builder, Module, Scope
from .carried import declared, yielded_for
from .draw import Draw
from .functions import end, like_each, private_function
from .values import CallableFunction, IndexValue, Tensor

_LIMIT = 7
"""More than the parameter that the count begins with, by a few rounds."""


@dataclass
class _Block:
    number: int
    models: list[Tensor]
    targets: list[int]
    counter: str = ""
    arguments: list[Tensor] = field(default_factory=list)
    scope: Scope = field(default_factory=Scope)


def _reachable(blocks: Sequence[_Block], avoided: int = -1) -> set[int]:
    if avoided == 0:
        return set()
    seen, work = {0}, [0]
    while work:
        for target in blocks[work.pop()].targets:
            if target not in seen and target != avoided:
                seen.add(target)
                work.append(target)
    return seen


def _dominators(blocks: Sequence[_Block]) -> dict[int, list[int]]:
    """Return the dominators of each reachable block, itself last. Quadratic in a handful of blocks."""
    without = [_reachable(blocks, avoided=number) for number in range(len(blocks))]
    found = {
        n: [d for d in sorted(without[0] | _reachable(blocks)) if d == n or n not in without[d]]
        for n in sorted(_reachable(blocks))
    }
    return {n: sorted(found[n], key=lambda d: len(found[d])) for n in found}


def _draw_models(draw: Draw, models: Sequence[Tensor]) -> list[Tensor]:
    """Return models of the arguments of a block; those of one type can be swapped."""
    found: list[Tensor] = []
    for _ in range(draw.below(4)):
        found.append(found[0] if found and draw.chance(0.6) else draw.choice(models))
    return found


def _draw_blocks(draw: Draw, models: Sequence[Tensor]) -> list[_Block]:
    count = draw.between(3, 7)
    blocks = [_Block(0, [], [])]
    blocks += [_Block(number, _draw_models(draw, models), []) for number in range(1, count)]
    for block in blocks:
        wanted = draw.choice((1, 2, 2, 3)) if block.number != count - 1 else draw.choice((0, 1, 2))
        near = [number for number in range(1, count) if abs(number - block.number) <= 2]
        block.targets = [draw.choice(near) if draw.chance(0.6) else draw.between(1, count - 1) for _ in range(wanted)]
    return blocks


def write_blocks(builder: Builder, models: Sequence[Tensor], results: Sequence[Tensor]) -> None:
    """Add blocks to a function whose parameters are in scope; each return has operands like `results`."""
    blocks = _draw_blocks(builder.draw, [*models, *results])
    dominators = _dominators(blocks)
    order = sorted(dominators, key=lambda n: (len(dominators[n]), n))
    for number in (1, 2, 3, _LIMIT):
        builder.constant(number)
    for number in order:
        block = blocks[number]
        # With a constant condition, a branch may be statically dead.
        known = number == 0 and builder.draw.below(3) == 0
        first = builder.constant(0).name if known else builder.module.parameters.indices[-1].name
        block.counter = first if number == 0 else builder.name()
        block.arguments = [replace(model, name=builder.name()) for model in block.models]
    for number in order:
        block = blocks[number]
        nearest = dominators[number][-2] if number else -1
        builder.scope = builder.scope if number == 0 else blocks[nearest].scope.copy()
        _write_block(builder, block, blocks, results)


def _write_block(builder: Builder, block: _Block, blocks: Sequence[_Block], results: Sequence[Tensor]) -> None:
    if block.number:
        given = ", ".join(filter(None, [f"{block.counter}: index", declared(block.arguments)]))
        builder.lines.append(f"^b{block.number}({given}):")
        builder.scope.tensors += block.arguments
        builder.scope.overwritten += block.arguments
        builder.scope.indices.append(IndexValue(block.counter, ((0, _LIMIT),) * builder.module.sets))
    for _ in range(builder.draw.below(3)):
        builder.produce()
    one, limit = builder.constant(1).name, builder.constant(_LIMIT).name
    following = builder.op(f"arith.addi {block.counter}, {one} : index")
    block.scope = builder.scope.copy()
    if not block.targets:
        end(builder, "return", like_each(builder, results))
        return
    goes_on = builder.op(f"arith.cmpi slt, {following}, {limit} : index")
    builder.emit(f"cf.cond_br {goes_on}, ^go{block.number}, ^end{block.number}")
    builder.lines.append(f"^end{block.number}:")
    with builder.region():
        end(builder, "return", like_each(builder, results))
    builder.lines.append(f"^go{block.number}:")
    with builder.region():
        _write_branch(builder, following, [blocks[target] for target in block.targets])


def _write_branch(builder: Builder, counter: str, targets: Sequence[_Block]) -> None:
    passed = [_passed(builder, target) for target in targets]
    places = [_place(counter, target, values) for target, values in zip(targets, passed, strict=True)]
    if len(places) == 1:
        builder.emit(f"cf.br {places[0]}")
        return
    rest = builder.op(f"arith.remui {counter}, {builder.constant(len(places)).name} : index")
    if len(places) == 2:
        other = builder.op(f"arith.cmpi eq, {rest}, {builder.constant(1).name} : index")
        builder.emit(f"cf.cond_br {other}, {places[0]}, {places[1]}")
        return
    flag = builder.op(f"arith.index_cast {rest} : index to i32")
    _write_switch(builder, flag, counter, targets, passed)


def _passed(builder: Builder, target: _Block) -> list[Tensor]:
    """Return the operands of a branch: back to the head of a loop, often its arguments, computed on or swapped."""
    if target.arguments and all(argument in builder.scope.tensors for argument in target.arguments):
        return yielded_for(builder, target.arguments)
    return like_each(builder, target.arguments)


def _place(counter: str, target: _Block, values: Sequence[Tensor]) -> str:
    passed = ", ".join([counter, *(value.name for value in values)])
    return f"^b{target.number}({passed} : {', '.join(['index', *(value.type for value in values)])})"


def _write_switch(
    builder: Builder, flag: str, counter: str, targets: Sequence[_Block], passed: Sequence[Sequence[Tensor]]
) -> None:
    """Add a cf.switch, in the generic form: the other one takes no results of ops that have several."""
    operands = ", ".join([flag, *(value for values in passed for value in (counter, *(t.name for t in values)))])
    typed = ", ".join(["i32", *(type_ for values in passed for type_ in ("index", *(t.type for t in values)))])
    blocks = ", ".join(f"^b{target.number}" for target in targets)
    sizes = [1 + len(values) for values in passed]
    cases = f"case_operand_segments = array<i32: {sizes[1]}, {sizes[2]}>, case_values = dense<[1, 2]> : vector<2xi32>"
    segments = f"operandSegmentSizes = array<i32: 1, {sizes[0]}, {sizes[1] + sizes[2]}>"
    builder.emit(f'"cf.switch"({operands})[{blocks}] <{{{cases}, {segments}}}> : ({typed}) -> ()')


def block_function(module: Module, models: Sequence[Tensor]) -> CallableFunction:
    """Add a private function of blocks."""

    def body(builder: Builder, arguments: tuple[Tensor, ...]) -> Sequence[Tensor]:
        results = arguments[: builder.draw.between(1, min(2, len(arguments)))]
        write_blocks(builder, arguments, results)
        return results

    return private_function(module, "@b", models, body)
