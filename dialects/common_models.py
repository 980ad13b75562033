"""Base classes of op models: answers that ops of several dialects have in common."""

from __future__ import annotations

from mlir import ir

from .bufferizable import AliasingValue, OpModel

__all__ = ["CopyModel", "DestinationModel", "NoReadModel", "OverwriteModel", "ParallelRegionModel"]

_FIRST_RESULT = (AliasingValue(0),)


class NoReadModel(OpModel):
    """Ops that read the content of no operand: they forward tensors, make views, or ask for sizes.

    It is itself the model of terminators, which the op around them rewrites.
    """

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Forwarding and making a view are not reads."""
        return False


class DestinationModel(OpModel):
    """Ops that write one operand, the ``destination``, and return it if they have a result."""

    destination = 1

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """The destination is written."""
        return operand == self.destination

    def only_keeps_content(self, op: ir.Operation, operand: int) -> bool:
        """What is not overwritten stays."""
        return operand == self.destination

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the destination."""
        return _FIRST_RESULT if operand == self.destination and len(op.results) else ()


class OverwriteModel(DestinationModel):
    """Ops that overwrite the destination, or a subset of it, without reading it."""

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Everything but the destination."""
        return operand != self.destination


class CopyModel(OverwriteModel):
    """Ops that copy operand 0 into the destination, or into a subset of it."""

    def redundant_source(self, op: ir.Operation, operand: int) -> int | None:
        """Operand 0 is what the destination holds afterwards."""
        return 0 if operand == self.destination else None


class ParallelRegionModel(OpModel):
    """Ops whose regions run any number of times, in any order, perhaps at the same time."""

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """Any number of times."""
        return True

    def is_parallel_region(self, op: ir.Operation, region: int) -> bool:
        """Runs may overlap in time."""
        return True
