"""Compare numbers of type bf16 as integers where the larger or the smaller one is wanted.

In f32 two extensions, a comparison that knows NaN, and a truncation would compute what is one of the operands. In:
`arith.maximumf`, `minimumf`, `maxnumf` and `minnumf` on bf16, or vectors of it, and reductions of lanes by them. Out:
the same on keys, integers of the same width, of which a register holds twice as many.

The bits of nonnegative floats are ordered as integers; those of negative ones in reverse, until all bits but the sign
are flipped. This orders zeros too. NaN are at both ends then, next to each other in a circle of integers: a sum turns
that until all of them are at the end that wins, or at the one that loses for `maxnumf` and `minnumf`, which ignore
them. Each float has a key of its own, so what a loop carries, an extreme of all elements so far, may be a key:

```mlir
func.func @f(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.maximumf %x, %y : bf16
  return %0 : bf16
}
```

becomes, with `%y` in the same way:

```text
%bits = arith.bitcast %x : bf16 to i16
%flipped = arith.xori %bits, (arith.andi (arith.shrsi %bits, 15), 0x7FFF)
%key = arith.addi %flipped, 0x7F81
%most = arith.maxui %key, %other
%0 = arith.bitcast (%most - 0x7F81, with all bits but the sign flipped if that is set) : i16 to bf16
```

Why it is right: docs/theory/optimizing.md. Linear in the operations. Upstream counterpart: none;
`arith-emulate-unsupported-floats` computes in f32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, vector

from ...dialects.support.number_types import number_constant, number_type, with_number_type
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_WIDTH = 16
_MOST = (1 << (_WIDTH - 1)) - 1
_LAST, _FIRST = 0x7F81, -0x7F81
"""What is added to the bits of an ordered float, so that each NaN is beyond infinity, or in front of minus infinity."""
_KEYS = {
    "maximumf": ("maxui", _LAST),
    "maxnumf": ("maxui", _FIRST),
    "minimumf": ("minui", _FIRST),
    "minnumf": ("minui", _LAST),
}
"""How keys are compared, and where those of NaN are."""
_BINARY = tuple(f"arith.{name}" for name in _KEYS)
_REDUCTION = "vector.reduction"
_BRANCHES = ("cf.br", "cf.cond_br")

_Edge = tuple[ir.Operation, int]
"""A branch, and the number of its operand that is the first argument of a block, or one of the others."""
_Carried = tuple[ir.BlockArgument, int, list[_Edge]]
"""An argument that becomes a key, what is added to its bits, and where it comes from."""


def analyze_bf16_extremes(root: ir.Operation) -> list[ir.Operation]:
    """Return the maxima and minima of bf16 under `root`, of lanes too. Changes nothing."""
    return find_ops(root, *_BINARY, _REDUCTION, where=_is_extreme)


def _is_extreme(op: ir.Operation) -> bool:
    return _name(op) in _KEYS and isinstance(number_type(op.results[0].type), ir.BF16Type)


def _name(op: ir.Operation) -> str:
    """Return what `op` computes, without the dialect."""
    if op.name == _REDUCTION:
        return str(op.attributes["kind"]).removeprefix("#vector.kind<").removesuffix(">")
    return op.name.partition(".")[2]


def _shift(op: ir.Operation) -> int:
    return _KEYS[_name(op)][1]


def _flipped(bits: ir.Value) -> ir.Value:
    """Flip all bits but the sign in what is negative; twice gives the same again."""
    sign = arith.shrsi(bits, number_constant(bits.type, _WIDTH - 1))
    return arith.xori(bits, arith.andi(sign, number_constant(bits.type, _MOST)))


def _bits_type(type_: ir.Type) -> ir.Type:
    return with_number_type(type_, ir.IntegerType.get_signless(_WIDTH))


class _Keys:
    """The keys of values, each of which there is one op away from its float."""

    def __init__(self) -> None:
        self._known: dict[tuple[ir.Value, int], ir.Value] = {}

    def of(self, value: ir.Value, shift: int) -> ir.Value:
        """Return the key of `value`, built at the insertion point unless it is what `value` was made of."""
        if known := self._known.get((value, shift)):
            return known
        bits = arith.bitcast(_bits_type(value.type), value)
        return arith.addi(_flipped(bits), number_constant(bits.type, shift))

    def float_of(self, key: ir.Value, shift: int) -> ir.Value:
        """Build the float with this key at the insertion point."""
        bits = _flipped(arith.subi(key, number_constant(key.type, shift)))
        value = arith.bitcast(with_number_type(key.type, ir.BF16Type.get()), bits)
        self._known[value, shift] = key
        return value

    def expand(self, op: ir.Operation) -> ir.Value:
        """Build what `op` computes, on keys."""
        name, shift = _KEYS[_name(op)]
        keys = [self.of(operand, shift) for operand in op.operands]
        if op.name == _REDUCTION:
            kind, start = ir.Attribute.parse(f"#vector.kind<{name}>"), keys[1] if len(keys) > 1 else None
            return self.float_of(vector.reduction(_bits_type(op.results[0].type), kind, keys[0], acc=start), shift)
        return self.float_of((arith.maxui if name == "maxui" else arith.minui)(*keys), shift)


def _edges(root: ir.Operation) -> dict[ir.Block, list[_Edge]]:
    """Return the branches to each block whose arguments come from branches alone."""
    edges: dict[ir.Block, list[_Edge]] = {}
    others: set[ir.Block] = set()
    for op in find_ops(root, where=lambda op: len(op.successors) > 0):
        if op.name not in _BRANCHES:
            others.update(op.successors)
            continue
        first = len(op.operands) - sum(len(block.arguments) for block in op.successors)
        for block in op.successors:
            edges.setdefault(block, []).append((op, first))
            first += len(block.arguments)
    return {block: found for block, found in edges.items() if block not in others}


def _find_carried(root: ir.Operation, extremes: Sequence[ir.Operation]) -> Iterator[_Carried]:
    """Yield the block arguments that are extremes so far: one is made of them, and a branch brings it back."""
    edges = _edges(root)
    shifts: dict[ir.Value, int] = {op.results[0]: _shift(op) for op in extremes}
    seen: set[ir.Value] = set()
    for op in extremes:
        for argument in op.operands:
            if not isinstance(argument, ir.BlockArgument) or argument in seen:
                continue
            places = [(branch, first + argument.arg_number) for branch, first in edges.get(argument.owner, ())]
            if any(shifts.get(branch.operands[number]) == _shift(op) for branch, number in places):
                seen.add(argument)
                yield argument, _shift(op), places


def _carry_key(keys: _Keys, argument: ir.BlockArgument, shift: int) -> None:
    """Make `argument` a key, and its users those of the float that is built of it."""
    with ir.InsertionPoint.at_block_begin(argument.owner), argument.location:
        argument.set_type(_bits_type(argument.type))
        value = keys.float_of(argument, shift)
    # The others took a float.
    new = [use.owner.operation for use in argument.uses if use.owner.operation.name == "arith.subi"]
    argument.replace_all_uses_except(value, new)


class ExpandBf16ExtremesPass(Pass[PassOptions]):
    """Compute maxima and minima of bf16 on their bits."""

    argument = "inplace-expand-bf16-extremes"
    summary = "expand maxima and minima of bf16 into comparisons of their bits, in place of f32"
    statistics = (
        Statistic("expanded-extremes", "maxima and minima that are compared as integers"),
        Statistic("carried-keys", "arguments of blocks that are such integers"),
    )
    concerns = (*_BINARY, _REDUCTION)

    def run(self, op: ir.Operation) -> None:
        found = analyze_bf16_extremes(op)
        if not found:
            return
        keys = _Keys()
        carried = list(_find_carried(op, found))
        for argument, shift, _ in carried:
            _carry_key(keys, argument, shift)
        for extreme in found:
            with ir.InsertionPoint(extreme), extreme.location:
                extreme.results[0].replace_all_uses_with(keys.expand(extreme))
            extreme.erase()
        for _, shift, places in carried:
            for branch, number in places:
                with ir.InsertionPoint(branch), branch.location:
                    branch.operands[number] = keys.of(branch.operands[number], shift)
        self.count("expanded-extremes", len(found))
        self.count("carried-keys", len(carried))
