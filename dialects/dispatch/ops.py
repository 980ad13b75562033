"""The operations of the dispatch dialect, and which memory effects they have.

Annotations are evaluated here: the bindings read them to define the operations. Loads read and stores write; nothing
else touches memory, so equal bindings merge and unused ones go.
"""

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import ext

from .memory_types import Dispatch
from .verifiers import (
    verifier,
    verify_binding,
    verify_commit,
    verify_contents,
    verify_load,
    verify_push_constant,
    verify_store,
    verify_tie_shape,
    verify_workgroup,
)

__all__ = [
    "Binding",
    "Commit",
    "Contents",
    "Dispatch",
    "Load",
    "PushConstant",
    "Store",
    "TieShape",
    "WorkgroupCount",
    "WorkgroupId",
    "WorkgroupSize",
]


class _Reads(ir.MemoryEffectsOpInterface):
    """Reads memory: may be merged or dropped, not moved over a store."""

    @staticmethod
    def get_effects(_op: ir.Operation, effects: ir.MemoryEffectInstancesList) -> None:
        effects.append(ir.MemoryEffect.Read)


class _Writes(ir.MemoryEffectsOpInterface):
    """Writes memory: stays."""

    @staticmethod
    def get_effects(_op: ir.Operation, effects: ir.MemoryEffectInstancesList) -> None:
        effects.append(ir.MemoryEffect.Write)


class Binding(Dispatch.Operation, name="binding", traits=[ext.Pure]):
    """The memory at a slot, from a byte offset on; a memref of it after bufferization."""

    byte_offset: ext.Operand[Any] | None
    sizes: Sequence[ext.Operand[Any]]
    set: Any
    binding: Any
    output: ext.Result[Any]

    verify_invariants = staticmethod(verifier(verify_binding))


class TieShape(Dispatch.Operation, name="tie_shape", traits=[ext.Pure]):
    """The same memory, with the values of its dynamic sizes."""

    source: ext.Operand[Any]
    sizes: Sequence[ext.Operand[Any]]
    output: ext.Result[Any]

    verify_invariants = staticmethod(verifier(verify_tie_shape))


class Load(Dispatch.Operation, name="load", traits=[_Reads]):
    """A slice of a binding's memory, or all of it, as a tensor value."""

    source: ext.Operand[Any]
    offsets: Sequence[ext.Operand[Any]]
    sizes: Sequence[ext.Operand[Any]]
    strides: Sequence[ext.Operand[Any]]
    static_offsets: Any
    static_sizes: Any
    static_strides: Any
    output: ext.Result[Any]

    verify_invariants = staticmethod(verifier(verify_load))


class Store(Dispatch.Operation, name="store", traits=[_Writes]):
    """Writes a tensor into a slice of a binding's memory, or into all of it."""

    value: ext.Operand[Any]
    target: ext.Operand[Any]
    offsets: Sequence[ext.Operand[Any]]
    sizes: Sequence[ext.Operand[Any]]
    strides: Sequence[ext.Operand[Any]]
    static_offsets: Any
    static_sizes: Any
    static_strides: Any

    verify_invariants = staticmethod(verifier(verify_store))


class PushConstant(Dispatch.Operation, name="push_constant", traits=[ext.Pure]):
    """A number that is given to every workgroup."""

    index: Any
    output: ext.Result[Any]

    verify_invariants = staticmethod(verifier(verify_push_constant))


class _OfGrid(Dispatch.Operation, traits=[ext.Pure]):
    """A number of the grid in one dimension."""

    dimension: Any
    output: ext.Result[Any]

    verify_invariants = staticmethod(verifier(verify_workgroup))


class WorkgroupId(_OfGrid, name="workgroup_id"):
    """Which workgroup this is, in one dimension of the grid."""


class WorkgroupSize(_OfGrid, name="workgroup_size"):
    """How much one workgroup is to do, in one dimension of the grid."""


class WorkgroupCount(_OfGrid, name="workgroup_count"):
    """How many workgroups there are, in one dimension of the grid."""


class Contents(Dispatch.Operation, name="contents", traits=[_Reads]):
    """What a binding's memory holds on entry, as a value; only promotion makes it."""

    source: ext.Operand[Any]
    output: ext.Result[Any]

    verify_invariants = staticmethod(verifier(verify_contents))


class Commit(Dispatch.Operation, name="commit", traits=[_Writes]):
    """Says that a value is in the memory of contents from here on; only promotion makes it."""

    value: ext.Operand[Any]
    contents: ext.Operand[Any]

    verify_invariants = staticmethod(verifier(verify_commit))
