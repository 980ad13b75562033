"""What the models of all shard ops have in common: axes, groups, and what MPI can carry."""

from __future__ import annotations

from mlir import ir

from ..bufferizable import AliasingValue, OpModel
from ..subsets import elements
from .grids import RankGroup, group_of, why_no_grid

__all__ = ["CollectiveModel", "InPlaceModel", "number_of"]

_CARRIED = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "index", "complex<f32>")
_COUNTED = ("i8", "i16", "i32", "i64", "f32", "f64")


def number_of(op: ir.Operation, name: str) -> int:
    """The value of an integer attribute."""
    return ir.IntegerAttr(op.attributes[name]).value


class CollectiveModel(OpModel):
    """Ops on the group of some axes. By default they read operand 0 and make a new buffer."""

    computes = False
    """Whether MPI calculates with the elements, or uses its own types for them."""

    def group(self, op: ir.Operation) -> RankGroup:
        """The ranks that take part."""
        return group_of(op, elements(op.attributes["grid_axes"]) if "grid_axes" in op.attributes else ())

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse unknown grids, encodings, and elements that MPI does not know."""
        carried = _COUNTED if self.computes else _CARRIED
        for value in (op.operands[0], op.results[0]):
            type_ = value.type
            if not isinstance(type_, ir.RankedTensorType):
                return f"'{op.name}' is on {type_}, but needs a ranked tensor"
            if str(type_.element_type) not in carried:
                return f"'{op.name}' is on elements {type_.element_type}, but MPI has {', '.join(carried)}"
        return why_no_grid(op)


class InPlaceModel(CollectiveModel):
    """Ops that read and overwrite operand 0, which becomes their result."""

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse a result of another type, too."""
        if op.operands[0].type != op.results[0].type:
            return f"'{op.name}' makes {op.results[0].type} of {op.operands[0].type}, but both types must be one"
        return super().refuse(op)

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """The tensor is overwritten."""
        return operand == 0

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the operand."""
        return (AliasingValue(0),) if operand == 0 else ()
