"""Lower `stablehlo.while` to `scf.for` where the trip count shows, else to `scf.while`.

In: `stablehlo.while` anywhere. Out: an `scf.for` on an index if the condition is `i < n`, where the loop adds 1 to the
integer `i` and `n` is a constant, a value from outside or a carried value that no iteration changes (what JAX makes of
`fori_loop` and `scan`); else an `scf.while`. Values that no iteration changes, and integers to which
each adds a constant, are no longer carried by an `scf.for`. Tensors of rank 0 are carried as scalars.

```mlir
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %a = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %c8 = stablehlo.constant dense<8> : tensor<i32>
    %p = stablehlo.compare LT, %i, %c8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    %b = stablehlo.sine %a : tensor<8xf32>
    stablehlo.return %j, %b : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
```

is, when it is canonicalized too:

```mlir
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    %b = stablehlo.sine %a : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
```

A step of 1 below a bound of the same type never wraps around, so the trip count is `max(0, n - i)`. Other steps could
wrap, and such loops stay `scf.while`. Linear in the operations.

Upstream counterpart: none in the bindings; `stablehlo-legalize-to-linalg` leaves loops as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir
from mlir.dialects import arith, scf

from ...dialects.support.defining_ops import defining_op, is_inside
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.index_math import index_constant
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.attributes import comparison_direction, splat_integer
from .rewriting.regions import move_body, replace_results, yield_scalars
from .rewriting.scalars import as_type, index_of, integer_of, is_integer, scalar_of, signless


@frozen
class CountedLoop:
    """What is known of a `stablehlo.while` that counts: which carried value counts, up to which bound.

    Attributes:
        counter: the number of the carried value that counts.
        bound: the value that the counter stays below, defined outside the loop; None if it is `constant`.
        constant: the bound, if it is known.
        steps: what an iteration adds to each carried value, as `constant_steps` says.
    """

    counter: int
    bound: ir.Value | None
    constant: int | None
    steps: Sequence[int | None]


def constant_steps(loop: ir.Operation) -> list[int | None]:
    """Return for each carried value of a `stablehlo.while` what an iteration adds: 0 if it hands it on unchanged.

    None for what is neither that nor an integer plus a constant.
    """
    (body,) = loop.regions[1].blocks
    returned = body.operations[len(body.operations) - 1].operands
    return [_step(value, argument) for value, argument in zip(returned, body.arguments, strict=True)]


def _step(returned: ir.Value, argument: ir.Value) -> int | None:
    if returned == argument:
        return 0
    type_ = argument.type
    add = defining_op(returned, "stablehlo.add")
    if add is None or not isinstance(type_, ir.RankedTensorType) or type_.rank or not is_integer(type_.element_type):
        return None
    left, right = add.operands
    if argument not in (left, right):
        return None
    return splat_integer(right if left == argument else left)


def analyze_counted_loop(loop: ir.Operation) -> CountedLoop | None:
    """Return how the loop counts, None if that does not show. Changes nothing."""
    (condition,) = loop.regions[0].blocks
    *others, terminator = list(condition.operations)
    compare = defining_op(terminator.operands[0], "stablehlo.compare")
    if compare is None or comparison_direction(compare) != "LT" or not _constants_but(others, compare):
        return None
    counter, bound = compare.operands
    arguments: list[ir.Value] = list(condition.arguments)
    steps = constant_steps(loop)
    if counter not in arguments or steps[arguments.index(counter)] != 1:
        return None
    number, constant = arguments.index(counter), splat_integer(bound)
    if constant is not None:
        return CountedLoop(number, None, constant, steps)
    if bound in arguments:
        carried = arguments.index(bound)
        return CountedLoop(number, loop.operands[carried], None, steps) if steps[carried] == 0 else None
    return None if is_inside(bound, loop) else CountedLoop(number, bound, None, steps)


def _constants_but(ops: list[ir.OpView], compare: ir.Operation) -> bool:
    return all(op.operation == compare or op.operation.name == "stablehlo.constant" for op in ops)


def _lower_to_for(loop: ir.Operation, counted: CountedLoop) -> None:
    (body,) = loop.regions[1].blocks
    inits = [scalar_of(init) for init in loop.operands]
    kept = [step is None for step in counted.steps]
    first = index_of(inits[counted.counter])
    end = index_of(scalar_of(counted.bound)) if counted.bound else index_constant(counted.constant or 0)
    new = scf.ForOp(first, end, index_constant(1), [init for init, is_kept in zip(inits, kept, strict=True) if is_kept])
    with ir.InsertionPoint(new.body):
        values = _values_at(new.induction_variable, first, inits, counted)
    returned = move_body(body, new.body, _merged(values, kept, new.inner_iter_args))
    yield_scalars(new.body, [value for value, is_kept in zip(returned, kept, strict=True) if is_kept])
    after = _values_at(arith.maxsi(first, end), first, inits, counted)
    replace_results(loop, _merged(after, kept, new.results))


def _values_at(index: ir.Value, first: ir.Value, inits: Sequence[ir.Value], counted: CountedLoop) -> list[ir.Value]:
    """Return what the carried values with constant steps are when the counter, `first` at first, is `index`.

    The others are their inits. Sums wrap around as those that the loop computes.
    """
    values = list(inits)
    for number, (init, step) in enumerate(zip(inits, counted.steps, strict=True)):
        if number == counted.counter:
            values[number] = integer_of(index, init.type)
        elif step:
            type_ = signless(init.type)
            added = arith.muli(
                integer_of(arith.subi(index, first), type_), arith.constant(type_, _wrapped(step, type_))
            )
            values[number] = as_type(arith.addi(as_type(init, type_), added), init.type)
    return values


def _wrapped(number: int, type_: ir.Type) -> int:
    """Return the number with the same bits in an integer of `type_`, with a sign."""
    half = 1 << (ir.IntegerType(type_).width - 1)
    return (number + half) % (2 * half) - half


def _merged(values: Sequence[ir.Value], kept: Sequence[bool], carried: Iterable[ir.Value]) -> list[ir.Value]:
    """Return `values`, but for those that are `kept` the next of `carried`."""
    rest = iter(carried)
    return [next(rest) if is_kept else value for value, is_kept in zip(values, kept, strict=True)]


def _lower_to_while(loop: ir.Operation) -> None:
    (condition,), (body,) = (list(region.blocks) for region in loop.regions)
    kept = [step != 0 for step in constant_steps(loop)]
    inits = [scalar_of(init) for init in loop.operands]
    carried = [init for init, is_kept in zip(inits, kept, strict=True) if is_kept]
    types = [value.type for value in carried]
    new = scf.WhileOp(types, carried)
    before, after = (region.blocks.append(*types, arg_locs=[loop.location] * len(types)) for region in new.regions)
    (decision,) = move_body(condition, before, _merged(inits, kept, before.arguments))
    with ir.InsertionPoint(before):
        scf.ConditionOp(scalar_of(decision), list(before.arguments))
    returned = move_body(body, after, _merged(inits, kept, after.arguments))
    yield_scalars(after, [value for value, is_kept in zip(returned, kept, strict=True) if is_kept])
    replace_results(loop, _merged(inits, kept, new.results))


class LowerHloLoopsPass(Pass[PassOptions]):
    """Lower stablehlo.while to scf.for or scf.while."""

    argument = "inplace-lower-hlo-loops"
    summary = "lower stablehlo.while to scf.for where the trip count shows, else to scf.while"
    statistics = (
        Statistic("counted-loops", "loops that became scf.for"),
        Statistic("other-loops", "loops that became scf.while"),
    )
    concerns = ("stablehlo.while",)

    def run(self, op: ir.Operation) -> None:
        for loop in reversed(find_ops(op, "stablehlo.while")):  # inner loops first
            counted = analyze_counted_loop(loop)
            with ir.InsertionPoint(loop), loop.location:
                if counted is None:
                    _lower_to_while(loop)
                else:
                    _lower_to_for(loop, counted)
            self.count("other-loops" if counted is None else "counted-loops")
