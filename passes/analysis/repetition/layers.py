"""Layers: long runs of ops that a function repeats on other tensors, one behind the other.

The ops of a function's block, but for those that depend on constants only, are taken for a sequence of kinds: name and
first result type. A period is a distance at which most kinds are equal; the longest stretch in which all of them are
is cut into windows of that length, where the fewest values cross. Each window is then read as a body
(`repetition/bodies.py`), and the bodies with equal keys whose same results are used outside are the layers. So kinds
only say where to look: equal layers can be computed by one function.

What a layer uses from outside is an argument, but for equal constants, empty tensors and tensors of one number, which
are made inside. A window is no layer if

* an op in it has memory, a call, or another effect;
* what goes in may be a part of another tensor, as the buffer of such a part is strided, and a function has one layout
  for all its calls; or it is an empty tensor of dynamic size, which would count as having a content;
* it has more than `_MOST_RESULTS` results: each is a buffer of its own, which outlives the call; or one of them is put
  into a larger tensor, in which it could be computed.

Linear in the ops, times the periods that are tried. Nothing is changed here. Upstream has no counterpart; the idea is
that of outlining repeated instruction sequences (LLVM's `MachineOutliner`), for dataflow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from mlir import ir

from ....dialects.support.defining_ops import defining_op, is_inside
from ....dialects.support.frozen_classes import frozen
from .bodies import Body, BodyReader, NotShared

__all__ = ["Layers", "find_layers"]

_DIALECTS = frozenset({"arith", "complex", "linalg", "math", "scf", "tensor"})
"""Dialects whose ops on tensors and numbers have no effect."""
_NEW = "bufferization.alloc_tensor"
_EMPTY = "tensor.empty"
_MATERIAL = frozenset({"arith.constant", _EMPTY})
"""Ops that, without operands, may be made anywhere, so that they are no part of a sequence."""
_RESHAPES = frozenset({"tensor.cast", "tensor.collapse_shape", "tensor.expand_shape", "tensor.reshape"})
_SAME_BUFFER = {**dict.fromkeys(_RESHAPES, 0), "tensor.insert": 1, "tensor.insert_slice": 1}
"""The operand whose buffer, or a part of the same layout, the result of an op most likely has."""
_READS = frozenset({"tensor.dim", "tensor.extract"})
_VIEWS = frozenset({*_RESHAPES, "tensor.extract_slice"})
_PUTS = frozenset({"bufferization.materialize_in_destination", "tensor.concat", "tensor.insert_slice", "tensor.pad"})
"""Ops in whose result an operand may be computed. A call would compute it elsewhere."""
_MOST_RESULTS = 4
_MOST_PERIODS = 6
"""How many periods are tried, the likeliest first."""
_MOST_RUNS = 8
"""How many stretches of a function are looked at."""


@frozen
class Layers:
    """Equal bodies in program order, which parameters a call passes, and which results it returns, by their numbers.

    Results are numbered through all ops of a body. The other parameters are made inside, by ops without other inputs.
    """

    bodies: tuple[Body, ...]
    is_argument: tuple[bool, ...]
    returned: tuple[int, ...]

    def arguments(self, body: Body) -> list[ir.Value]:
        """Return the values of `body` that a call passes."""
        return [value for value, passed in zip(body.parameters, self.is_argument, strict=True) if passed]

    def made(self, body: Body) -> list[ir.Value]:
        """Return what one of the bodies uses and a call does not pass."""
        return [value for value, passed in zip(body.parameters, self.is_argument, strict=True) if not passed]

    def written(self, body: Body) -> set[ir.Value]:
        """Return the arguments of `body` that an op of it may write over: those that are not only inputs."""
        return {value for value in self.arguments(body) if not _is_only_read(value, set(body.ops))}

    def results(self, body: Body) -> list[ir.Value]:
        """Return the values of `body` that are used outside."""
        values = [value for op in body.ops for value in op.results]
        return [values[number] for number in self.returned]


def find_layers(block: ir.Block, repeats: int, fewest: int) -> list[Layers]:
    """Return layers of at least `fewest` ops that occur at least `repeats` times in `block`, which ends a function."""
    ops = [view.operation for view in block.operations]
    sequence = _Sequence(_dependent(ops[:-1]))
    work, reader, found = [(0, len(sequence.ops))], BodyReader(), list[Layers]()
    for _ in range(_MOST_RUNS):
        if not work:
            break
        first, end = work.pop()
        run = _best_run(sequence.kinds, first, end, repeats, fewest)
        if run is None:
            continue
        work += [(first, run.first), (run.end, end)]
        found += _equal_layers(sequence, run, reader, repeats)
    return found


def _dependent(ops: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Return the ops that do not depend on constants only: those would be found in the first layer alone."""
    free, found = set[ir.Value](), list[ir.Operation]()
    for op in ops:
        is_made = op.name in _MATERIAL or len(op.operands) > 0
        if is_made and all(value in free for value in op.operands) and _captures_only(op, free) and _is_pure(op):
            free.update(op.results)
        else:
            found.append(op)
    return found


def _captures_only(op: ir.Operation, free: Set[ir.Value]) -> bool:
    """Whether regions of `op` use no value of the block around it but `free` ones."""
    if not op.name.startswith("linalg."):
        return not len(op.regions)
    return all(
        value in free or is_inside(value, op)
        for region in op.regions
        for block in region
        for inner in block.operations
        for value in inner.operation.operands
    )


class _Sequence:
    """The ops that depend on no constants only: their kinds as numbers, and who uses their results."""

    def __init__(self, ops: Sequence[ir.Operation]) -> None:
        self.ops = ops
        kinds: dict[tuple[str, ir.Type | None], int] = {}
        self.kinds = [kinds.setdefault((op.name, _first_type(op)), len(kinds)) for op in ops]

    def crossing(self, first: int, end: int) -> list[int]:
        """Return for each place between `first` and `end` how much crosses the cut in front of the op there.

        A value that one op uses counts more: it may never reach memory if both ops are in one function.
        """
        places = {op: place for place, op in enumerate(self.ops)}
        change = [0] * (end - first + 2)
        for place in range(first, end):
            for value in self.ops[place].results:
                users = [places.get(_around(use.owner.operation, places), end) for use in value.uses]
                last = min(max(users, default=place), end)
                weight = 3 if len(users) == 1 else 2
                change[place + 1 - first] += weight
                change[last + 1 - first] -= weight
        total, sums = 0, list[int]()
        for one in change[: end - first + 1]:
            total += one
            sums.append(total)
        return sums


def _first_type(op: ir.Operation) -> ir.Type | None:
    return op.results[0].type if len(op.results) else None


def _around(op: ir.Operation, places: dict[ir.Operation, int]) -> ir.Operation:
    """Return the op of the sequence that `op` is in; the outermost one if there is none."""
    while op not in places and op.parent is not None and op.parent.name != "func.func":
        op = op.parent.operation
    return op


@frozen
class _Run:
    """A stretch in which kinds repeat with a period."""

    first: int
    end: int
    period: int

    @property
    def saved(self) -> int:
        """How many ops are left out if all windows but one are calls."""
        return ((self.end - self.first) // self.period - 1) * self.period


def _best_run(kinds: Sequence[int], first: int, end: int, repeats: int, fewest: int) -> _Run | None:
    """Return the run in a part of the sequence that saves most; None without one."""
    runs = [_longest_run(kinds, first, end, period) for period in _periods(kinds, first, end, fewest)]
    long = [run for run in runs if run.end - run.first >= max(repeats, 2) * run.period]
    return max(long, key=lambda run: (run.saved, -run.period), default=None)


def _periods(kinds: Sequence[int], first: int, end: int, fewest: int) -> list[int]:
    """Return the commonest distances between an op and the next of its kind."""
    gaps, last = Counter[int](), dict[int, int]()
    for place in range(first, end):
        kind = kinds[place]
        if kind in last and place - last[kind] >= fewest:
            gaps[place - last[kind]] += 1
        last[kind] = place
    return [gap for gap, _ in gaps.most_common(_MOST_PERIODS)]


def _longest_run(kinds: Sequence[int], first: int, end: int, period: int) -> _Run:
    """Return the longest stretch in which each kind is that of the op `period` before or behind."""
    best, begin = _Run(first, first, period), first
    for place in range(first, end - period):
        if kinds[place] != kinds[place + period]:
            begin = place + 1
        elif place + 1 - begin + period > best.end - best.first:
            best = _Run(begin, place + 1 + period, period)
    return best


def _equal_layers(sequence: _Sequence, run: _Run, reader: BodyReader, repeats: int) -> Iterator[Layers]:
    """Yield the layers among the windows of `run`, cut where least crosses."""
    groups: dict[tuple[int, tuple[int, ...]], list[Body]] = {}
    are_pure: dict[int, bool] = {}
    for window in _windows(sequence, run):
        try:
            key, body = reader.read(tuple(window))
        except NotShared:
            continue
        if key not in are_pure:
            are_pure[key] = all(_is_pure(op) for op in window)
        if not are_pure[key]:
            continue
        returned = _used_outside(window)
        values = [value for op in window for value in op.results]
        if 0 < len(returned) <= _MOST_RESULTS and all(_may_be_returned(values[number]) for number in returned):
            groups.setdefault((key, tuple(returned)), []).append(body)
    for (_, returned), bodies in groups.items():
        made = _made_inside(bodies)
        if len(bodies) >= max(repeats, 2) and _may_be_passed(bodies, made):
            yield Layers(tuple(bodies), tuple(not inside for inside in made), returned)


def _windows(sequence: _Sequence, run: _Run) -> list[Sequence[ir.Operation]]:
    """Return the windows of `run`."""
    length, period = run.end - run.first, run.period
    count = length // period
    crossing = sequence.crossing(run.first, run.end)
    starts = range(min(length - count * period + 1, period))
    start = min(starts, key=lambda start: (sum(crossing[start + n * period] for n in range(count + 1)), start))
    begins = [run.first + start + n * period for n in range(count)]
    return [sequence.ops[begin : begin + period] for begin in begins]


def _is_pure(op: ir.Operation) -> bool:
    """Whether `op`, and all in it, computes tensors or numbers and does nothing else."""
    if op.name != _NEW and op.name.split(".")[0] not in _DIALECTS:
        return False
    if any(_is_memory(value.type) for value in (*op.operands, *op.results)):
        return False
    return all(_is_pure(inner.operation) for region in op.regions for block in region for inner in block.operations)


def _is_memory(type_: ir.Type) -> bool:
    return isinstance(type_, (ir.MemRefType, ir.UnrankedMemRefType, ir.UnrankedTensorType))


def _used_outside(window: Sequence[ir.Operation]) -> list[int]:
    """Return the numbers of the results that other ops use."""
    own, values = set(window), [value for op in window for value in op.results]
    return [
        number
        for number, value in enumerate(values)
        if not all(_is_within(use.owner.operation, own) for use in value.uses)
    ]


def _made_inside(bodies: Sequence[Body]) -> list[bool]:
    """Return for each parameter whether a function can make it: an empty tensor, or the same constant for all."""
    made: list[bool] = []
    for values in zip(*(body.parameters for body in bodies), strict=True):
        op = defining_op(values[0])
        made.append(
            (op is not None and (_is_splat(op) and all(value == values[0] for value in values[1:])))
            or all(_is_same(op, defining_op(value)) for value in values)
        )
    return made


def _is_same(op: ir.Operation | None, other: ir.Operation | None) -> bool:
    """Whether both are equal constants, or empty tensors of one type."""
    if op is None or other is None or op.name not in _MATERIAL or len(op.operands) or len(other.operands):
        return False
    same = op.name == other.name and op.results[0].type == other.results[0].type
    return same and tuple(op.attributes.items()) == tuple(other.attributes.items())


def _is_splat(op: ir.Operation) -> bool:
    """Whether `op` writes one constant number to all elements of an empty tensor."""
    if op.name not in ("linalg.fill", "linalg.generic") or len(op.operands) != 2:
        return False
    number, init = (defining_op(value, *_MATERIAL) for value in op.operands)
    if number is None or init is None or len(init.operands):
        return False
    type_ = number.results[0].type
    body = op.regions[0].blocks[0]
    only_yields = len(body.operations) == 1 and body.operations[0].operands[0] == body.arguments[0]
    return only_yields and not (isinstance(type_, ir.RankedTensorType) and type_.rank)


def _may_be_passed(bodies: Sequence[Body], made: Sequence[bool]) -> bool:
    """Whether calls can pass all parameters that are not made inside."""
    passed = [value for body in bodies for value, inside in zip(body.parameters, made, strict=True) if not inside]
    return all(_is_whole(value) and defining_op(value, _EMPTY) is None for value in passed)


def _is_only_read(value: ir.Value, ops: Set[ir.Operation]) -> bool:
    """Whether no op in `ops` has `value`, or a view of it, as something else than an input."""
    for use in value.uses:
        op = use.owner.operation
        if not _is_within(op, ops) or op.name in _READS:
            continue
        is_input = op.name.startswith("linalg.") and use.operand_number < len(op.operands) - len(op.results)
        if not is_input and not (op.name in _VIEWS and _is_only_read(op.results[0], ops)):
            return False
    return True


def _is_within(op: ir.Operation, ops: Set[ir.Operation]) -> bool:
    """Whether `op` is one of `ops`, or in one of them."""
    while op not in ops:
        if op.parent is None:
            return False
        op = op.parent.operation
    return True


def _may_be_returned(value: ir.Value) -> bool:
    """Whether `value` is put into no other tensor."""
    users = [use.owner.operation for use in value.uses]
    into = any(user.name in _PUTS and (user.name == "tensor.concat" or user.operands[0] == value) for user in users)
    seen = [user.results[0] for user in users if user.name in _RESHAPES]
    return not into and all(_may_be_returned(one) for one in seen)


def _is_whole(value: ir.Value) -> bool:
    """Whether `value` is no tensor, or one whose buffer has no gaps, as far as its op says."""
    op = defining_op(value)
    while op is not None and op.name in _SAME_BUFFER:
        value = op.operands[_SAME_BUFFER[op.name]]
        op = defining_op(value)
    if op is None or not isinstance(value.type, ir.RankedTensorType):
        return True
    return op.name != "tensor.extract_slice" and op.name.split(".")[0] in ("arith", "linalg", "math", "tensor")
