"""Loop nests and linalg ops on memrefs that are equal up to their buffers: each class is compiled once, as a function.

A body is an op without results: a `linalg` op, or an outermost loop nest. Two bodies are equal if their ops,
attributes, types and def-use chains are. A constant defined outside counts as part of the body; any other outside value
is a parameter, and both bodies must use a parameter at the same places. The key holds all of that, so equal keys mean
equality, not just equal hashes. Value names and locations do not count. Bodies with equal keys may still differ in
sizes that the function takes as arguments (`shared_sizes.py`); `group_bodies` separates these.

Nothing is changed here. Linear in the ops: each is read once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mlir import ir

from ....dialects.support.defining_ops import defining_op, parent_block
from ....dialects.support.frozen_classes import frozen
from ..ir.reachable_ops import reachable_blocks
from ..lifetimes.roots import VIEWS, is_buffer
from .shared_sizes import NOTHING_OPEN, OpenSizes, SizeReader

__all__ = [
    "EPILOGUE",
    "KERNEL_MARK",
    "Body",
    "BodyReader",
    "NotShared",
    "find_repeated_bodies",
    "group_bodies",
    "root_of",
]

KERNEL_MARK = "inplace.kernel"
"""Marks linalg ops that are outlined into functions before they are optimized."""

EPILOGUE = "epilogue"
"""The value of `KERNEL_MARK` for an op that goes into the function of the one before it."""

_LOOPS = frozenset({"affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel", "scf.while"})
_SUNK = frozenset({"arith.constant", "memref.get_global", "ub.poison"})
"""Ops without operands that are rematerialized in the shared function, as loops with known bounds are faster."""

_SCALARS = frozenset({"arith.constant"})

_KEPT = frozenset({"func.call", "func.call_indirect", "llvm.call", "memref.realloc", "memref.extract_strided_metadata"})
"""Ops that may need more of a memref than its aligned pointer: the allocated pointer."""

_Counts = dict[ir.Type, int | None]
"""Cache of `_element_count` by type, as types are few."""

_DEEPEST = 64
_FEWEST_ELEMENTS = 256
_FEWEST_IN_LOOPS = 4096
"""A smaller op is not outlined: a call takes some nanoseconds, and LLVM unrolls the op."""
_MANY_SMALL = 64
"""So many smaller ops of a function are, if no loop runs them: LLVM takes the square of their number."""


@frozen
class Body:
    """One occurrence: its ops, and the values from outside that they use, in the order of first uses.

    `constants` are the outside ops that are part of it. `exclusive` has an entry for each parameter: whether its memory
    certainly aliases no other parameter.
    """

    ops: tuple[ir.Operation, ...]
    parameters: tuple[ir.Value, ...]
    constants: tuple[ir.Operation, ...]
    exclusive: tuple[bool, ...]
    open_sizes: OpenSizes

    @property
    def op(self) -> ir.Operation:
        """The last op."""
        return self.ops[-1]


class NotShared(Exception):
    """Raised for an op that cannot be outlined."""


def find_repeated_bodies(function: ir.Operation, reader: BodyReader) -> dict[int, list[Body]]:
    """The bodies in a function by their keys, in program order, including those that occur once."""
    found: dict[int, list[Body]] = {}
    counts: _Counts = {}
    candidates = list(_candidates(function, counts))
    small = {op for op in candidates if not _is_large(op, _FEWEST_ELEMENTS, counts, dynamic=True)}
    for op in candidates:
        if op in small and len(small) < _MANY_SMALL:
            continue
        try:
            key, body = reader.read((op,))
        except NotShared:
            continue
        found.setdefault(key, []).append(body)
    return found


def group_bodies(bodies: Iterable[Body], fewest: int, fewest_in_all: int) -> Iterator[list[Body]]:
    """Group bodies with equal keys by the function they will share; each group is in program order.

    At least `fewest` bodies with equal sizes get a function for these sizes; the others share one if there are at least
    `fewest_in_all` of them.
    """
    by_sizes: dict[tuple[int, ...], list[Body]] = {}
    for body in bodies:
        by_sizes.setdefault(body.open_sizes.sizes, []).append(body)
    rest: list[Body] = []
    for same in by_sizes.values():
        if len(same) >= fewest:
            yield same
        else:
            rest += same
    if rest and len(rest) >= fewest_in_all:
        yield rest


def _candidates(function: ir.Operation, counts: _Counts) -> Iterator[ir.Operation]:
    """Ops that may be bodies; large ones, of those that run many times. A nested loop is part of the outermost one."""
    work = [(function, False)]
    while work:
        parent, in_loop = work.pop()
        inner: list[tuple[ir.Operation, bool]] = []
        for region in parent.regions:
            for block in reachable_blocks(region):
                for view in block.operations:
                    op = view.operation
                    name = op.name
                    is_loop = name in _LOOPS
                    is_linalg = name.startswith("linalg.")
                    if (is_linalg or (is_loop and not in_loop)) and not len(op.results):
                        fewest = _FEWEST_IN_LOOPS if in_loop else 0
                        if _is_large(op, fewest, counts, dynamic=not in_loop):
                            yield op
                    if len(op.regions) and not is_linalg:
                        inner.append((op, in_loop or is_loop))
        work += reversed(inner)


def _is_large(op: ir.Operation, fewest: int, counts: _Counts, *, dynamic: bool) -> bool:
    """Whether a linalg op has at least so many elements; `dynamic` is the answer for unknown sizes. True for loops."""
    if not op.name.startswith("linalg."):
        return True
    most = 0
    for operand in op.operands:
        type_ = operand.type
        if type_ not in counts:
            counts[type_] = _element_count(type_)
        count = counts[type_]
        if count is None:
            return dynamic
        most = max(most, count)
    return most >= fewest


def _element_count(type_: ir.Type) -> int | None:
    """The number of elements of a memref, None if it is unknown; -1 for other types."""
    if not isinstance(type_, ir.MemRefType):
        return -1
    return math.prod(type_.shape) if type_.has_static_shape else None


@frozen
class _Outside:
    """A value from outside of bodies.

    `constant` is its defining op if that becomes part of a body, and `entry` is the op's part of the key. `root` is the
    buffer that it is a view of, None for other types. `is_known`: the root is certainly not the result of another
    allocation in the function. `is_allocation`: it is the result of an allocation.
    """

    type: ir.Type
    constant: ir.Operation | None = None
    entry: Any = None
    root: ir.Value | None = None
    is_known: bool = False
    is_allocation: bool = False


class BodyReader:
    """Reads bodies of functions that nothing changes meanwhile; each outside value is analyzed once.

    Keys are numbers: equal bodies read by one reader have the same. Without `sizes`, all sizes are part of the key.
    With `sunk_globals`, constant globals become part of bodies that use them, as scalar constants do.
    """

    def __init__(self, sizes: SizeReader | None = None, *, sunk_globals: bool = False) -> None:
        self._sizes = sizes
        self._sunk = _SUNK if sunk_globals else _SCALARS
        self._outside: dict[ir.Value, _Outside] = {}
        self._open: dict[Any, tuple[int, OpenSizes]] = {}
        """From the description of a body with all its sizes to its key and its open sizes."""
        self._keys: dict[Any, int] = {}

    def read(self, ops: tuple[ir.Operation, ...]) -> tuple[int, Body]:
        """The key of a group of ops on tensors or memrefs, and their `Body`; tensors are parameters.

        The last op determines which sizes are not part of the key, if the others work on its operands only. Raises
        `NotShared`.
        """
        reader = _Reader(self._look)
        structure = tuple([reader.read_op(op, 0) for op in ops])
        parameters = tuple(reader.parameters)
        outside = [self._outside[value] for value in parameters]
        types = tuple([one.type for one in outside])
        exact = structure, tuple(reader.outside), types
        known = self._open.get(exact)
        if known is None:
            open_ = NOTHING_OPEN
            if self._sizes is not None and reader.own == len(parameters) and _work_on_operands(ops):
                open_ = self._sizes.read(ops[-1], parameters)
            given = tuple([type_ or own for type_, own in zip(open_.types or types, types, strict=True)])
            key = structure, tuple(reader.outside), given, open_.places
            known = self._open[exact] = self._keys.setdefault(key, len(self._keys)), open_
        number, open_ = known
        return number, Body(ops, parameters, tuple(reader.constants), _exclusive(outside), open_)

    def _look(self, value: ir.Value) -> _Outside:
        """The properties of a value from outside."""
        found = self._outside.get(value)
        if found is None:
            found = self._outside[value] = self._look_at(value)
        return found

    def _look_at(self, value: ir.Value) -> _Outside:
        type_, op = value.type, defining_op(value, *self._sunk)
        if op is not None and not isinstance(type_, ir.RankedTensorType):
            return _Outside(type_, op, (type_, op.name, tuple(op.attributes.items())))
        if not is_buffer(type_):
            return _Outside(type_)
        root = root_of(value)
        is_allocation = defining_op(root, "memref.alloc") is not None
        return _Outside(type_, root=root, is_known=_is_known(root), is_allocation=is_allocation)


class _Reader:
    """Reads ops with their regions; `look` returns the properties of values from outside."""

    def __init__(self, look: Callable[[ir.Value], _Outside]) -> None:
        self._look = look
        self._numbers: dict[ir.Value, int] = {}
        self.parameters: list[ir.Value] = []
        self.constants: list[ir.Operation] = []
        self.outside: list[Any] = []
        self.own = 0
        """How many parameters are operands of the ops themselves; the others are used in their regions."""

    def read_op(self, op: ir.Operation, depth: int) -> Any:
        """An op's part of the key; raises `NotShared`."""
        name = op.name
        if name in _KEPT or depth > _DEEPEST or len(op.successors):
            raise NotShared
        numbers = self._numbers
        operands: list[int] = []
        for value in op.operands:
            number = numbers.get(value)
            operands.append(self._number(value) if number is None else number)
        if not depth:
            self.own = len(self.parameters)
        if name == "memref.dealloc" and not self._is_own_allocation(op.operands[0]):
            raise NotShared
        entries = tuple([entry for entry in op.attributes.items() if entry[0] != KERNEL_MARK])
        results = op.results
        types = tuple(results.types)
        for value in results if types else ():
            numbers[value] = len(numbers)
        regions = tuple([self._read_region(region, depth) for region in op.regions]) if len(op.regions) else ()
        return name, tuple(operands), entries, types, regions

    def _read_region(self, region: ir.Region, depth: int) -> Any:
        blocks = list(region)
        if len(blocks) > 1:
            raise NotShared
        return tuple(
            [
                (
                    tuple([self._define(value) for value in block.arguments]),
                    tuple([self.read_op(op.operation, depth + 1) for op in block.operations]),
                )
                for block in blocks
            ]
        )

    def _is_own_allocation(self, value: ir.Value) -> bool:
        return defining_op(value, "memref.alloc") is not None and value not in self.parameters

    def _define(self, value: ir.Value) -> ir.Type:
        self._numbers[value] = len(self._numbers)
        return value.type

    def _number(self, value: ir.Value) -> int:
        """The number of a value without a definition so far, which is therefore from outside."""
        number = self._numbers[value] = len(self._numbers)
        found = self._look(value)
        if found.constant is None:
            self.parameters.append(value)
            self.outside.append(number)
        else:
            self.constants.append(found.constant)
            self.outside.append((number, *found.entry))
        return number


def _exclusive(parameters: Sequence[_Outside]) -> tuple[bool, ...]:
    """For each parameter whether it lies in an allocation that no other parameter may alias."""
    buffers = [one for one in parameters if one.root is not None]
    if not all(one.is_known for one in buffers):
        return (False,) * len(parameters)
    return tuple([one.is_allocation and sum(one.root == other.root for other in buffers) == 1 for one in parameters])


def _work_on_operands(ops: Sequence[ir.Operation]) -> bool:
    """Whether all buffers that `ops` use are operands of the last one."""
    last = set(ops[-1].operands)
    return all(value in last or not is_buffer(value.type) for op in ops[:-1] for value in op.operands)


def _is_known(root: ir.Value) -> bool:
    """Whether `root` certainly aliases no other allocation of the function."""
    op = defining_op(root)
    if op is None:
        block = parent_block(root)
        return block.owner.operation.name == "func.func" and block == block.region.blocks[0]
    return op.name in ("memref.alloc", "memref.get_global")


def root_of(value: ir.Value) -> ir.Value:
    """The buffer below a chain of views."""
    while (op := defining_op(value, *VIEWS)) is not None:
        value = op.operands[0]
    return value
