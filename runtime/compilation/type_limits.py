"""Limits of types and data layouts, for programs on which LLVM takes minutes, aborts, or targets another machine.

The size in bytes of a memref larger than the address space wraps in native code, which then allocates too little.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from mlir import ir

from ...dialects.support.element_sizes import buffer_bytes
from ...passes.analysis.ir.traversal import first_op
from ...passes.dispatch.rewriting.host_memory import ALLOC_TENSOR, MEMORY_SPACE, has_memory_space
from ...passes.framework.diagnostics import located
from ...passes.framework.errors import PassError
from ...passes.numerics.rewriting.small_floats import SMALL_FLOATS

__all__ = ["require_host_layout", "require_possible_types"]

_MOST_ELEMENTS = 1 << 15
"""Code for two ops on such vectors takes LLVM some ten seconds; no machine has registers for a hundredth of them."""
_MOST_BYTES = (1 << 63) - 1
_BYTE_BITS = 8
_MOVES = frozenset({"arith.bitcast", "arith.constant", "arith.select"})
"""Ops of arith that move values without arithmetic."""
_INTEGER_POWER = "math.ipowi"
_WIDE_FLOATS = frozenset({"f80", "f128"})
"""Types for which upstream's lowering has no functions; the bindings have no classes for them."""
_INSTEAD = "use f8E4M3FN, or compute with their bits (arith.bitcast)"

_LAYOUT = "dlti.dl_spec"
_WORD_BITS = 64
_INDEX_BITS = re.compile(r"[<,]\s*index = (\d+)")
_BIG_ENDIAN = '"dlti.endianness" = "big"'


def require_host_layout(module: ir.Operation) -> None:
    """Raise `PassError` if the data layout of `module` has words or an order of bytes that the host has not.

    Code for another width of `index` would take apart, wrongly, the sizes and strides that a call passes.
    """
    if _LAYOUT not in module.attributes:
        return
    text = str(module.attributes[_LAYOUT])
    found = [f"an index of {bits} bits" for bits in _INDEX_BITS.findall(text) if int(bits) != _WORD_BITS]
    found += ["big-endian memory"] if _BIG_ENDIAN in text else []
    if found:
        message = f"the data layout of the module has {found[0]}, but code is compiled for this processor, which is "
        message += f"little-endian with an index of {_WORD_BITS} bits; remove '{_LAYOUT}' or what it says of this"
        raise PassError(located(module.location, message))


def require_possible_types(root: ir.Operation, *, lowered_here: bool = True) -> bool:
    """Raise `PassError` for the first value in `root` of a type that cannot be compiled.

    With `lowered_here`, no pipeline of the caller's comes before that lowers what this package does not. Returns
    whether something is in a memory space that is not the default one. Linear.
    """
    possible: set[ir.Type] = set()
    has_spaces = has_odd_numbers = False

    def is_impossible(op: ir.Operation) -> bool:
        nonlocal has_spaces, has_odd_numbers
        for type_ in _types(op):
            if type_ not in possible:
                if _problem(type_) is not None:
                    return True
                possible.add(type_)
                has_spaces |= has_memory_space(type_)
                has_odd_numbers |= _odd_float(type_) is not None
        name = op.name
        if name == ALLOC_TENSOR:
            has_spaces |= MEMORY_SPACE in op.attributes
        has_odd_numbers |= name == _INTEGER_POWER
        return False

    if (op := first_op(root, is_impossible)) is not None:
        problem = next(filter(None, map(_problem, _types(op))), "")
        raise PassError(located(op.location, problem))
    if has_odd_numbers and lowered_here:
        _require_possible_arithmetic(root)
    return has_spaces


def _odd_float(type_: ir.Type) -> str | None:
    """The type of float in `type_` that there is no arithmetic for, or no functions, if it is one of these."""
    *_, element = _parts(type_)
    name = str(element)
    is_small = isinstance(element, ir.FloatType) and element.width <= _BYTE_BITS and name not in SMALL_FLOATS
    return name if is_small or name in _WIDE_FLOATS else None


def _require_possible_arithmetic(root: ir.Operation) -> None:
    """Raise `PassError` for the first op in `root` that computes with numbers of a type that it does not exist for."""
    if (op := first_op(root, lambda op: _arithmetic_problem(op) is not None)) is not None:
        raise PassError(located(op.location, f"'{op.name}' of {_arithmetic_problem(op)}"))


def _arithmetic_problem(op: ir.Operation) -> str | None:
    """The type of number that `op` cannot compute with, and a remedy; None if there is none."""
    name = op.name
    dialect = name.partition(".")[0]
    if dialect not in ("arith", "math") or name in _MOVES:
        return None
    for value in (*op.operands, *op.results):
        found = _odd_float(value.type)
        *_, element = _parts(value.type)
        if name == _INTEGER_POWER and isinstance(element, ir.IndexType):
            return "index cannot be compiled; use an integer type (arith.index_cast)"
        if found in _WIDE_FLOATS:
            if dialect == "math":
                return f"{found} cannot be compiled, as there are functions of floats up to 64 bits; use f64"
        elif found is not None:
            return f"{found} cannot be compiled, as numbers of this type can only be moved; {_INSTEAD}"
    return None


def _problem(type_: ir.Type) -> str | None:
    """The problem with a type, and a remedy; None if there is none."""
    return next(filter(None, (_own_problem(part) for part in _parts(type_))), None)


def _parts(type_: ir.Type) -> Iterator[ir.Type]:
    """`type_`, its element type, and the element type of that: a memref may hold vectors."""
    yield type_
    while isinstance(type_, ir.ShapedType | ir.ComplexType):
        type_ = type_.element_type
        yield type_


def _own_problem(type_: ir.Type) -> str | None:
    if isinstance(type_, ir.VectorType):
        if type_.scalable:
            return f"{type_} is a scalable vector, which cannot be compiled; give the vector a fixed number of elements"
        if str(type_.element_type) == "f80":
            return f"{type_} cannot be compiled, as memory has 16 bytes for an f80 but vectors 10; use a tensor instead"
        count = math.prod(type_.shape)
        if count > _MOST_ELEMENTS:
            most = f"at most {_MOST_ELEMENTS} are possible; use a tensor instead"
            return f"a vector of {count} elements cannot be compiled, {most}"
    elif isinstance(type_, ir.FloatTF32Type):
        return "numbers of type tf32 cannot be compiled, as no memory holds them; use f32"
    elif isinstance(type_, ir.RankedTensorType | ir.MemRefType):
        size = buffer_bytes(type_)
        if size is not None and size > _MOST_BYTES:
            return f"{type_} has {size} bytes, which no memory has; use at most {_MOST_BYTES}, or compute it in parts"
    return None


def _types(op: ir.Operation) -> list[ir.Type]:
    """The types of the results of `op`, and of arguments of its blocks."""
    found = list(op.results.types)
    if len(op.regions):
        found += [argument.type for region in op.regions for block in region for argument in block.arguments]
    return found
