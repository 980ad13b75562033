"""Which loop nests and linalg ops on memrefs are the same code on other buffers, and so need to be compiled only once.

A body is an op that has no result: a `linalg` op, or a whole loop nest that stands in no loop. Two bodies are equal if
their ops, attributes, types and the way values go from one to the next are; constants from outside count as part of
the body, all else from outside is a parameter, and where one buffer is used twice both bodies must do so. Keys hold all
of that, so equal keys are equality and not a hash of it. Names of values and locations do not count. What has equal
keys may still differ in sizes that a function can be given (`shared_sizes.py`); `group_bodies` tells them apart.

Nothing is changed here. Linear in the ops: each is read once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from mlir import ir

from .lifetime_roots import VIEWS, is_buffer
from .shared_sizes import NOTHING_OPEN, OpenSizes, SizeReader

__all__ = ["KERNEL_MARK", "Body", "NotShared", "find_repeated_bodies", "group_bodies", "read_body", "root_of"]

KERNEL_MARK = "inplace.kernel"
"""Attribute of linalg ops that are to become functions of their own, and are optimized then."""

_LOOPS = frozenset({"affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel", "scf.while"})
_SUNK = frozenset({"arith.constant", "memref.get_global", "ub.poison"})
"""Ops without operands that are made anew inside of the shared function, as loops with known bounds are faster."""

_SCALARS = frozenset({"arith.constant"})

_KEPT = frozenset({"func.call", "func.call_indirect", "llvm.call", "memref.realloc", "memref.extract_strided_metadata"})
"""Ops that may need more of a buffer than where its elements are: who allocated it."""

_Counts = dict[ir.Type, int | None]
"""How many elements memrefs of a type have, as types are few; see `_element_count`."""

_DEEPEST = 64
_FEWEST_ELEMENTS = 256
_FEWEST_IN_LOOPS = 4096
"""A call takes some nanoseconds, and LLVM unrolls what is smaller, so it stays where it is."""


@dataclass(frozen=True)
class Body:
    """One occurrence: its ops, the last of them by itself, and what they take from outside, in the order of first uses.

    `constants` are the ops outside that are part of it. `exclusive` has an entry for each parameter: whether it is
    certainly memory that the body reaches by no other of its parameters.
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
    """Raised for an op that has to stay where it is."""


def find_repeated_bodies(function: ir.Operation) -> dict[Any, list[Body]]:
    """The bodies in a function by their keys, in program order, those that occur once among them."""
    found: dict[Any, list[Body]] = {}
    sizes = SizeReader()
    counts: _Counts = {}
    for op, in_loop in _candidates(function, counts):
        reader = _Reader((op,), sizes)
        try:
            key = reader.read()
        except NotShared:
            continue
        if in_loop and not _is_large(op, _FEWEST_IN_LOOPS, counts, dynamic=False):
            continue
        found.setdefault(key, []).append(reader.body())
    return found


def group_bodies(bodies: Iterable[Body], fewest: int, fewest_in_all: int) -> Iterator[list[Body]]:
    """What to make functions of, among bodies with equal keys, in program order within each.

    Where `fewest` have equal sizes they get a function of their own; the others together, if they are `fewest_in_all`.
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


def read_body(ops: tuple[ir.Operation, ...], sizes: SizeReader | None = None) -> tuple[Any, Body]:
    """The key of linalg ops that stand together, on tensors or memrefs, and what they need; tensors are parameters.

    The last op tells which `sizes` are no part of the key, if it is asked; the others work on operands of it.
    Raises `NotShared`.
    """
    reader = _Reader(ops, sizes, _SCALARS)
    return reader.read(), reader.body()


def _candidates(function: ir.Operation, counts: _Counts) -> Iterator[tuple[ir.Operation, bool]]:
    """Ops that may be bodies, and whether they run many times. Loops in loops are parts of theirs."""
    work = [(function, False)]
    while work:
        parent, in_loop = work.pop()
        inner: list[tuple[ir.Operation, bool]] = []
        for region in parent.regions:
            for block in region:
                for view in block.operations:
                    op = view.operation
                    name = op.name
                    is_loop = name in _LOOPS
                    is_linalg = name.startswith("linalg.")
                    may_be = (is_linalg or (is_loop and not in_loop)) and not len(op.results)
                    if may_be and _is_large(op, _FEWEST_ELEMENTS, counts, dynamic=True):
                        yield op, in_loop
                    if len(op.regions) and not is_linalg:
                        inner.append((op, in_loop or is_loop))
        work += reversed(inner)


def _is_large(op: ir.Operation, fewest: int, counts: _Counts, *, dynamic: bool) -> bool:
    """Whether a linalg op has so many elements; `dynamic`: the answer where that is not known. Loops always are."""
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
    """The number of elements of a memref, None if that is not known; -1 if it is none."""
    if not isinstance(type_, ir.MemRefType):
        return -1
    return math.prod(type_.shape) if type_.has_static_shape else None


class _Reader:
    """Reads ops with all that is in them; without `sizes`, all sizes are part of the key."""

    def __init__(self, ops: tuple[ir.Operation, ...], sizes: SizeReader | None, sunk: frozenset[str] = _SUNK) -> None:
        self._ops = ops
        self._sizes = sizes
        self._sunk = sunk
        self._numbers: dict[ir.Value, int] = {}
        self._parameters: list[ir.Value] = []
        self._constants: list[ir.Operation] = []
        self._outside: list[Any] = []
        self._own = 0
        """How many parameters the op itself has; what is in it has the others."""
        self._open = NOTHING_OPEN

    def read(self) -> Any:
        """The key; raises `NotShared`."""
        structure = tuple([self._read_op(op, 0) for op in self._ops])
        if self._own == len(self._parameters) and self._sizes is not None:
            self._open = self._sizes.read(self._ops[-1], self._parameters)
        types = self._open.types or (None,) * len(self._parameters)
        given = tuple([type_ or value.type for value, type_ in zip(self._parameters, types, strict=True)])
        return structure, tuple(self._outside), given, self._open.places

    def body(self) -> Body:
        """What was read."""
        exclusive = _exclusive(self._parameters)
        return Body(self._ops, tuple(self._parameters), tuple(self._constants), exclusive, self._open)

    def _read_op(self, op: ir.Operation, depth: int) -> Any:
        name = op.name
        if name in _KEPT or depth > _DEEPEST or len(op.successors):
            raise NotShared
        operands = tuple([self._number(value) for value in op.operands])
        if not depth:
            self._own = len(self._parameters)
        if name == "memref.dealloc" and not self._is_own_allocation(op.operands[0]):
            raise NotShared
        attributes = op.attributes
        entries = tuple([(entry, attributes[entry]) for entry in attributes if entry != KERNEL_MARK])
        key = (name, operands, entries)
        results = tuple([self._define(value) for value in op.results])
        regions = tuple([self._read_region(region, depth) for region in op.regions])
        return (*key, results, regions)

    def _read_region(self, region: ir.Region, depth: int) -> Any:
        blocks = list(region)
        if len(blocks) > 1:
            raise NotShared
        return tuple(
            (
                tuple([self._define(value) for value in block.arguments]),
                tuple([self._read_op(op.operation, depth + 1) for op in block.operations]),
            )
            for block in blocks
        )

    def _is_own_allocation(self, value: ir.Value) -> bool:
        made = not isinstance(value.owner, ir.Block) and value.owner.operation.name == "memref.alloc"
        return made and value not in self._parameters

    def _define(self, value: ir.Value) -> ir.Type:
        self._numbers[value] = len(self._numbers)
        return value.type

    def _number(self, value: ir.Value) -> int:
        number = self._numbers.get(value)
        if number is not None:
            return number
        type_ = self._define(value)
        owner = value.owner
        if (
            isinstance(owner, ir.Block)
            or owner.operation.name not in self._sunk
            or isinstance(type_, ir.RankedTensorType)
        ):
            self._parameters.append(value)
            self._outside.append(self._numbers[value])
        else:
            attributes = owner.attributes
            self._constants.append(owner.operation)
            entries = tuple([(entry, attributes[entry]) for entry in attributes])
            self._outside.append((self._numbers[value], type_, owner.operation.name, entries))
        return self._numbers[value]


def _exclusive(parameters: list[ir.Value]) -> tuple[bool, ...]:
    """For each parameter whether it lies in an allocation of which no other parameter can be a part."""
    roots = [root_of(value) if is_buffer(value.type) else None for value in parameters]
    owners = [root.owner for root in roots if root is not None]
    if not all(_is_known(owner) for owner in owners):
        return (False,) * len(parameters)
    return tuple(
        root is not None
        and isinstance(root.owner, ir.Operation | ir.OpView)
        and root.owner.operation.name == "memref.alloc"
        and sum(root == other for other in roots if other is not None) == 1
        for root in roots
    )


def _is_known(owner: Any) -> bool:
    """Whether memory with this owner is certainly not that of an allocation that is made elsewhere in the function."""
    if isinstance(owner, ir.Block):
        return owner.owner.operation.name == "func.func" and owner == owner.region.blocks[0]
    return owner.operation.name in ("memref.alloc", "memref.get_global")


def root_of(value: ir.Value) -> ir.Value:
    """The buffer that a chain of views is part of."""
    while not isinstance(owner := value.owner, ir.Block) and owner.operation.name in VIEWS:
        value = owner.operands[0]
    return value
