"""Verifiers of the operations of the dispatch dialect, with one error for each rule.

The bindings ask before anything else is checked, so each rule looks at what it relies on: an operation in generic form
may have any operands and attributes. The operation is never printed here, for printing verifies it. About 10 µs an op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from ..subsets import elements
from .memory_types import DispatchType
from .types import is_dispatch_type, tensor_type_of

__all__ = [
    "verifier",
    "verify_binding",
    "verify_commit",
    "verify_contents",
    "verify_load",
    "verify_push_constant",
    "verify_store",
    "verify_tie_shape",
    "verify_workgroup",
]

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_SLICE = ("offsets", "sizes", "strides")


class _Violation(Exception):
    """A rule is broken; the message says what was found, what is needed and what to do."""


def verifier(check: Callable[[ir.Operation], None]) -> Callable[[ir.OpView], bool]:
    """Return what the bindings call to verify an operation: ``check``, whose violation becomes an error there."""

    def verify_invariants(op: ir.OpView) -> bool:
        """Whether the operation is as it must be; an error says why it is not."""
        try:
            check(op.operation)
        except _Violation as violation:
            op.location.emit_error(f"'{op.operation.name}' op {violation}")
            return False
        return True

    return verify_invariants


def verify_binding(op: ir.Operation) -> None:
    """Slot, byte offset and sizes; a dispatch type or a memref."""
    _count(op, results=1)
    _, sizes = _segments(op, {"byte_offset": (0, 1), "sizes": (0, None)})
    for name in ("set", "binding"):
        _integer(op, name)
    type_ = op.results[0].type
    dynamic = _dynamic_sizes(type_, "a result")
    _index_operands(op, 0)
    if sizes not in (0, dynamic):
        raise _Violation(
            f"has {_number(sizes, 'size')}, but '{type_}' has {_number(dynamic, 'dynamic size')};"
            " give each dynamic size, or none and tie them with dispatch.tie_shape"
        )


def verify_tie_shape(op: ir.Operation) -> None:
    """The operand's type again, and a value for each dynamic size."""
    _count(op, results=1)
    _, sizes = _segments(op, {"source": (1, 1), "sizes": (0, None)})
    source, result = op.operands[0].type, op.results[0].type
    dynamic = _dynamic_sizes(source, "an operand")
    if result != source:
        raise _Violation(f"has a result of type '{result}'; it must be the operand's, '{source}'")
    _index_operands(op, 1)
    if sizes != dynamic:
        raise _Violation(
            f"has {_number(sizes, 'size')}, but '{source}' has {_number(dynamic, 'dynamic size')}; give each of them"
        )


def verify_load(op: ir.Operation) -> None:
    """A readable binding; a slice inside of it, or all of it; a result of that type."""
    _count(op, results=1)
    counts = _segments(op, {"source": (1, 1), **dict.fromkeys(_SLICE, (0, None))})
    source = _binding_type(op, 0, "a source")
    if not source.access.reads:
        raise _Violation(
            "loads from a writeonly binding; declare it as !dispatch.readonly or !dispatch.readwrite to load from it"
        )
    _slice(op, counts[1:], 1, source.tensor, op.results[0].type, "result")


def verify_store(op: ir.Operation) -> None:
    """A writable binding; a slice inside of it, or all of it; a value of that type."""
    _count(op, results=0)
    counts = _segments(op, {"value": (1, 1), "target": (1, 1), **dict.fromkeys(_SLICE, (0, None))})
    target = _binding_type(op, 1, "a target")
    if not target.access.writes:
        raise _Violation(
            "stores to a readonly binding; declare it as !dispatch.writeonly or !dispatch.readwrite to store to it"
        )
    _slice(op, counts[2:], 2, target.tensor, op.operands[0].type, "value")


def verify_push_constant(op: ir.Operation) -> None:
    """A number, of index or integer type."""
    _count(op, operands=0, results=1)
    _integer(op, "index")
    type_ = op.results[0].type
    if not isinstance(type_, ir.IndexType | ir.IntegerType):
        raise _Violation(f"has a result of type '{type_}'; push constants are index or integers: convert it afterwards")


def verify_workgroup(op: ir.Operation) -> None:
    """A dimension of the grid, and an index."""
    _count(op, operands=0, results=1)
    dimension = _integer(op, "dimension")
    if dimension > 2:
        raise _Violation(f"has dimension {dimension}; a grid has the dimensions 0, 1 and 2")
    type_ = op.results[0].type
    if not isinstance(type_, ir.IndexType):
        raise _Violation(f"has a result of type '{type_}'; it must be index")


def verify_contents(op: ir.Operation) -> None:
    """The tensor of a binding."""
    _count(op, operands=1, results=1)
    tensor = _binding_type(op, 0, "an operand").tensor
    if op.results[0].type != tensor:
        raise _Violation(f"has a result of type '{op.results[0].type}'; it must be the binding's, '{tensor}'")


def verify_commit(op: ir.Operation) -> None:
    """A value of the type of the contents of a writable binding."""
    _count(op, operands=2, results=0)
    value, contents = op.operands
    owner = contents.owner.operation if isinstance(contents, ir.OpResult) else None
    if owner is None or owner.name != "dispatch.contents":
        found = "a block argument" if owner is None else f"a result of '{owner.name}'"
        raise _Violation(f"commits to {found}; operand 1 must be the result of dispatch.contents")
    if value.type != contents.type:
        raise _Violation(f"commits a '{value.type}', but the contents are a '{contents.type}'; cast the value")
    if len(owner.operands) == 1 and not _binding_type(owner, 0, "an operand").access.writes:
        raise _Violation(
            "commits to a readonly binding; declare it as !dispatch.writeonly or !dispatch.readwrite to commit to it"
        )


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _count(op: ir.Operation, *, results: int, operands: int | None = None) -> None:
    for found, needed, noun in ((len(op.operands), operands, "operand"), (len(op.results), results, "result")):
        if needed is not None and found != needed:
            raise _Violation(f"has {_number(found, noun)}; it must have {needed}")


def _segments(op: ir.Operation, groups: dict[str, tuple[int, int | None]]) -> list[int]:
    """The number of operands in each group; ``groups`` tells the least and the most of each."""
    name = "operandSegmentSizes"
    attribute = op.attributes.get(name, None)
    if not isinstance(attribute, ir.DenseI32ArrayAttr) or len(attribute) != len(groups):
        raise _Violation(
            f"{_found(name, attribute)}; it must be an array<i32> with the number of operands of each of"
            f" {', '.join(groups)}"
        )
    counts = elements(attribute)
    for (group, (least, most)), count in zip(groups.items(), counts, strict=True):
        if count < least or (most is not None and count > most):
            needed = f"{least} operands or more" if most is None else " or ".join(map(str, sorted({least, most})))
            raise _Violation(f"has {name} with {count} for {group}; it must be {needed}")
    if sum(counts) != len(op.operands):
        raise _Violation(f"has {_number(len(op.operands), 'operand')}, but {name} adds up to {sum(counts)}")
    return counts


def _found(name: str, attribute: ir.Attribute | None) -> str:
    return f"has no attribute '{name}'" if attribute is None else f"has {name} = {attribute}"


def _integer(op: ir.Operation, name: str) -> int:
    """The value of an attribute that must be an i64 of 0 or more."""
    attribute = op.attributes.get(name, None)
    if not isinstance(attribute, ir.IntegerAttr) or str(attribute.type) != "i64":
        raise _Violation(f"{_found(name, attribute)}; it must be an i64")
    if attribute.value < 0:
        raise _Violation(f"has {name} {attribute.value}; it must be 0 or more")
    return attribute.value


def _index_operands(op: ir.Operation, first: int) -> None:
    for number, operand in enumerate(list(op.operands)[first:], first):
        if not isinstance(operand.type, ir.IndexType):
            raise _Violation(f"has operand {number} of type '{operand.type}'; it must be index: use arith.index_cast")


def _binding_type(op: ir.Operation, operand: int, what: str) -> DispatchType:
    type_ = op.operands[operand].type
    if not isinstance(type_, DispatchType):
        raise _Violation(
            f"has {what} of type '{type_}'; it must be a binding, such as '!dispatch.readonly<tensor<4xf32>>'"
        )
    return type_


def _dynamic_sizes(type_: ir.Type, what: str) -> int:
    if not is_dispatch_type(type_) and not isinstance(type_, ir.MemRefType):
        raise _Violation(f"has {what} of type '{type_}'; it must be a dispatch type or, after bufferization, a memref")
    shaped = tensor_type_of(type_) if is_dispatch_type(type_) else ir.ShapedType(type_)
    return sum(size == _DYNAMIC for size in shaped.shape)


def _slice(
    op: ir.Operation, counts: Sequence[int], first: int, whole: ir.RankedTensorType, part: ir.Type, what: str
) -> None:
    """Checks a slice of ``whole`` and the type ``part`` of it; ``first`` is the operand where the offsets start."""
    if not isinstance(part, ir.RankedTensorType):
        raise _Violation(f"has a {what} of type '{part}'; it must be a ranked tensor")
    _index_operands(op, first)
    offsets, sizes, strides = (_entries(op, name, count) for name, count in zip(_SLICE, counts, strict=True))
    if not offsets and not sizes and not strides:
        if part != whole:
            raise _Violation(
                f"has a {what} of type '{part}', but all of the binding is a '{whole}'; cast it, or give offsets, sizes"
                " and strides"
            )
        return
    rank = whole.rank
    for name, entries in zip(_SLICE, (offsets, sizes, strides), strict=True):
        if len(entries) != rank:
            raise _Violation(f"has {_number(len(entries), name[:-1])}, but '{whole}' has rank {rank}; give one each")
    for dimension, extent in enumerate(whole.shape):
        _in_range(dimension, extent, offsets[dimension], sizes[dimension], strides[dimension])
    if part.element_type != whole.element_type or not _drops_units(sizes, part.shape):
        needed = "x".join([*("?" if size == _DYNAMIC else str(size) for size in sizes), str(whole.element_type)])
        raise _Violation(
            f"has a {what} of type '{part}', but the slice is a 'tensor<{needed}>'; only sizes that are the constant 1"
            " may be left out"
        )


def _entries(op: ir.Operation, group: str, dynamic: int) -> list[int]:
    """The static entries of a group, which has as many operands as markers of dynamic ones."""
    name = f"static_{group}"
    attribute = op.attributes.get(name, None)
    if not isinstance(attribute, ir.DenseI64ArrayAttr):
        raise _Violation(f"{_found(name, attribute)}; it must be an array<i64>")
    entries = elements(attribute)
    if entries.count(_DYNAMIC) != dynamic:
        raise _Violation(
            f"marks {_number(entries.count(_DYNAMIC), 'value')} as dynamic in {name}, but has"
            f" {_number(dynamic, 'operand')} for {group}; they must be as many"
        )
    return entries


def _in_range(dimension: int, extent: int, offset: int, size: int, stride: int) -> None:
    """Checks what is known of the slice of one dimension; what is dynamic is taken to fit."""
    where = f"in dimension {dimension}"
    if offset < 0 and offset != _DYNAMIC:
        raise _Violation(f"has offset {offset} {where}; offsets are 0 or more")
    if size < 0 and size != _DYNAMIC:
        raise _Violation(f"has size {size} {where}; sizes are 0 or more")
    if stride < 1 and stride != _DYNAMIC:
        raise _Violation(f"has stride {stride} {where}; strides are 1 or more")
    if extent == _DYNAMIC:
        return
    # What is dynamic counts with the least that it can be.
    first, steps = max(offset, 0), max(size - 1, 0) if size != _DYNAMIC else 0
    last = first + steps * max(stride, 1)
    if size > 0 and last >= extent:
        raise _Violation(f"reaches element {last} {where}, which has {extent}; the slice must be inside")
    if first > extent:
        raise _Violation(f"has offset {first} {where}, which has {extent}; the slice must be inside")


def _drops_units(sizes: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether ``shape`` is ``sizes``, or what is left when some that are 1 are dropped."""
    position = 0
    for size in sizes:
        if position < len(shape) and shape[position] == size:
            position += 1
        elif size != 1:
            return False
    return position == len(shape)
