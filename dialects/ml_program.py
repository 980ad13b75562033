"""ml_program: global tensors. Each becomes a ``memref.global``; a store copies into it.

The result of a load lives in the global's memory if nothing overwrites that while the result is used, and is a copy
otherwise: ``passes/analysis/whole_module/globals.py`` decides. Upstream never copies: what was loaded changes with the
next store.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import memref

from .bufferizable import GlobalTensor, OpModel, is_tensor
from .rewriter import Rewriter
from .support.dense_elements import create_global, elements
from .support.memref_types import identity_type

__all__ = ["MODELS", "GlobalModel", "GraphAccessModel", "LoadModel", "StoreModel"]


def _symbol(op: ir.Operation) -> str | None:
    """Return the global that ``op`` names, if it is one of this module."""
    reference = op.attributes["global"]
    return reference.value if isinstance(reference, ir.FlatSymbolRefAttr) else None


def _get(op: ir.Operation, type_: ir.Type) -> ir.Value:
    reference = ir.FlatSymbolRefAttr(op.attributes["global"]).value
    return memref.get_global(ir.MemRefType(identity_type(type_)), reference)


class GlobalModel(OpModel):
    """``ml_program.global``."""

    op_names = ("ml_program.global",)

    def declared_state(self, op: ir.Operation) -> GlobalTensor | None:
        """The global, if it is a tensor."""
        if not is_tensor(ir.TypeAttr(op.attributes["type"]).value):
            return None
        private = ir.StringAttr(op.attributes["sym_visibility"]).value == "private"
        return GlobalTensor(ir.StringAttr(op.attributes["sym_name"]).value, "is_mutable" in op.attributes, private)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse what no ``memref.global`` can be."""
        type_ = ir.TypeAttr(op.attributes["type"]).value
        if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
            return f"'{op.name}' has type {type_}, but only a tensor of static sizes becomes a memref; give it sizes"
        value = elements(op, "value", type_) if "value" in op.attributes else ""
        if not isinstance(value, str | ir.DenseElementsAttr | ir.DenseResourceElementsAttr):
            return f"'{op.name}' has the value {value}, but needs dense elements or none; define it in this module"
        return None

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Create the ``memref.global`` in the place of the op."""
        type_ = ir.TypeAttr(op.attributes["type"]).value
        attributes: dict[str, ir.Attribute] = {
            "sym_name": op.attributes["sym_name"],
            "sym_visibility": op.attributes["sym_visibility"],
            "type": ir.TypeAttr.get(identity_type(type_)),
        }
        if "is_mutable" not in op.attributes:
            attributes["constant"] = ir.UnitAttr.get()
        create_global(attributes, elements(op, "value", type_) if "value" in op.attributes else ir.UnitAttr.get())


class _AccessModel(OpModel):
    """Accesses that happen when the op runs."""

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse a global of another module."""
        if _symbol(op) is not None:
            return None
        reference = op.attributes["global"]
        return f"'{op.name}' names {reference} in another symbol table; only globals of the same module become memrefs"


class LoadModel(_AccessModel):
    """``ml_program.global_load`` and ``global_load_const``."""

    op_names = ("ml_program.global_load", "ml_program.global_load_const")

    def loaded_state(self, op: ir.Operation) -> str | None:
        """The global."""
        return _symbol(op)

    def bufferizes_to_allocation(self, op: ir.Operation, result: int) -> bool:
        """The memory may be the global's."""
        return False

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """Contiguous, be it the global or a copy."""
        return identity_type(op.results[result].type)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Use the memory of the global, or copy it."""
        source = _get(op, op.results[0].type)
        if not rewriter.copies_state(op):
            rewriter.replace(op, [source])
            return
        target = rewriter.allocate(ir.MemRefType(source.type))
        rewriter.copy(source, target)
        rewriter.replace(op, [target])


class StoreModel(_AccessModel):
    """``ml_program.global_store``: reads the tensor; no tensor in use lives in the memory that it writes."""

    op_names = ("ml_program.global_store",)

    def stored_state(self, op: ir.Operation) -> str | None:
        """The global."""
        return _symbol(op)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Copy to the memory of the global."""
        source = rewriter.buffer(op, 0)
        rewriter.copy(source, _get(op, op.operands[0].type))
        rewriter.replace(op, [])


class GraphAccessModel(OpModel):
    """Accesses that are ordered by tokens, not by program order."""

    op_names = ("ml_program.global_load_graph", "ml_program.global_store_graph")

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse them."""
        return f"'{op.name}' is ordered by tokens, which buffers are not; put the access into a func.func first"

    def loaded_state(self, op: ir.Operation) -> str | None:
        """The global."""
        return _symbol(op) if len(op.operands) == 0 or not is_tensor(op.operands[0].type) else None

    def stored_state(self, op: ir.Operation) -> str | None:
        """The global."""
        return _symbol(op) if self.loaded_state(op) is None else None


MODELS: tuple[OpModel, ...] = (GlobalModel(), LoadModel(), StoreModel(), GraphAccessModel())
