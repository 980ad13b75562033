"""Allocate the buffers of a conversion: on the heap, on the stack, in another memory space, or by a caller's function.

During the conversion of a function every buffer is a ``memref.alloc`` in the default space, or a buffer from an
:data:`AllocationFunction`, cast to it. A strategy is applied afterwards, when all uses are known:

* stack: an allocation is hoisted out of loops where possible. It becomes a ``memref.alloca`` if no value that may be in
  it escapes the function and no loop is left around it, as the stack would grow with each iteration until the function
  returns. Other allocations stay on the heap, with the reason;
* a memory space: the views of a buffer get types with its space. Where a buffer meets others (loops, branches, calls,
  returns) a ``memref.memory_space_cast`` stays.

Linear in ops and uses, times the loop nesting for the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import memref

from ....dialects.support.cloning import rebuild
from ....dialects.support.frozen_classes import frozen
from ...analysis.ir.traversal import find_ops
from ...analysis.lifetimes.hoisting import KeptAllocation, find_escape, plan_hoisting
from ...analysis.lifetimes.roots import VIEWS
from ...framework.errors import PassFailure
from .hoisting import hoist

__all__ = ["AllocationFunction", "Allocator", "allocate_in_space", "allocate_on_heap"]

AllocationFunction = Callable[[ir.MemRefType, Sequence[ir.Value], int], ir.Value]
"""Makes a buffer at the current insertion point: its type, its dynamic sizes, its alignment in bytes (0 for none).

The result has the same shape, elements and layout; it may be in another memory space.
"""

_MARK = "inplace.planned"
_MARKED = ("memref.alloc", "memref.memory_space_cast")
_ONCE = frozenset({"func.func", "scf.execute_region", "scf.if", "scf.index_switch"})
_ACCESSES = frozenset({"linalg", "vector"})
_MEMREF_ACCESSES = frozenset({"memref.copy", "memref.dealloc", "memref.dim", "memref.load", "memref.store"})


def allocate_on_heap(type_: ir.MemRefType, dynamic_sizes: Sequence[ir.Value], alignment: int) -> ir.Value:
    """Create a ``memref.alloc``."""
    aligned = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), alignment) if alignment else None
    return memref.alloc(type_, list(dynamic_sizes), [], alignment=aligned)


def allocate_in_space(space: ir.Attribute) -> AllocationFunction:
    """Return the function that allocates in memory space ``space``."""

    def allocate(type_: ir.MemRefType, dynamic_sizes: Sequence[ir.Value], alignment: int) -> ir.Value:
        return allocate_on_heap(_in_space(type_, space), dynamic_sizes, alignment)

    return allocate


@frozen
class Allocator:
    """Allocates for a :class:`BufferRewriter` by ``function``; :meth:`finish` runs after the conversion."""

    function: AllocationFunction = allocate_on_heap
    on_stack: bool = False

    def __call__(self, type_: ir.MemRefType, dynamic_sizes: Sequence[ir.Value], alignment: int) -> ir.Value:
        """Return a buffer of exactly ``type_``. Raises PassFailure if ``function`` returns an unsuitable type."""
        buffer = self.function(type_, dynamic_sizes, alignment)
        made = buffer.type
        if made == type_:
            if self.on_stack:
                ir.OpResult(buffer).owner.attributes[_MARK] = ir.UnitAttr.get()
            return buffer
        if not isinstance(made, ir.MemRefType) or made != _in_space(type_, made.memory_space):
            location = ir.Location.current
            assert location is not None
            message = f"the allocation function returned a buffer of {made}, but {type_} in any memory space was needed"
            raise PassFailure(message, location)
        cast = ir.Operation.create("memref.memory_space_cast", results=[type_], operands=[buffer])
        cast.attributes[_MARK] = ir.UnitAttr.get()
        return cast.result

    def finish(self, module: ir.Operation) -> list[KeptAllocation]:
        """Move the allocations to the stack or into their spaces; return those that had to stay on the heap."""
        marked: list[ir.Operation] = []
        if self.function is not allocate_on_heap or self.on_stack:
            # The attribute on other ops does not come from here.
            marked = find_ops(module, *_MARKED, where=lambda op: _MARK in op.attributes)
        if self.on_stack:
            return _move_to_stack(module, marked)
        for op in marked:
            del op.attributes[_MARK]
            _spread_space(op)
        return []


# --- stack -----------------------------------------------------------------------------------------------------------


def _move_to_stack(module: ir.Operation, allocations: list[ir.Operation]) -> list[KeptAllocation]:
    for found in plan_hoisting(module).hoistable:
        if _MARK in found.allocation.attributes:
            hoist(found)
    kept: list[KeptAllocation] = []
    for op in allocations:
        del op.attributes[_MARK]
        obstacle = _obstacle(op)
        if obstacle is not None:
            kept.append(obstacle)
            continue
        new = rebuild(op, list(op.operands), [op.results[0].type], "memref.alloca")
        op.results[0].replace_all_uses_with(new.result)
        op.erase()
    return kept


def _obstacle(allocation: ir.Operation) -> KeptAllocation | None:
    """Return why a buffer cannot be on the stack; None if it can."""
    op = allocation
    while op.name != "func.func":
        parent = op.parent
        assert parent is not None
        if op.block != parent.operation.regions[0].blocks[0] and len(list(parent.operation.regions[0].blocks)) > 1:
            return KeptAllocation(allocation, "it is in a block that branches may come to again", parent.operation)
        op = parent.operation
        if op.name not in _ONCE:
            reason = f"it is made in each run of '{op.name}', and the stack would grow with every one"
            return KeptAllocation(allocation, reason, op)
    return find_escape(allocation)


# --- memory spaces ---------------------------------------------------------------------------------------------------


def _in_space(type_: ir.MemRefType, space: ir.Attribute | None) -> ir.MemRefType:
    with ir.Location.unknown(type_.context):
        return ir.MemRefType.get(type_.shape, type_.element_type, type_.layout, space)


def _spread_space(cast: ir.Operation) -> None:
    """Replace uses of the result of ``cast`` by the buffer in its own space, where the user's types allow it."""
    source = cast.operands[0]
    space = ir.MemRefType(source.type).memory_space
    assert space is not None
    for use in list(cast.results[0].uses):
        if _takes_any_space(use.owner.operation):
            use.owner.operands[use.operand_number] = source
    _retype_views(source, space)
    if next(iter(cast.results[0].uses), None) is None:
        cast.erase()


def _retype_views(buffer: ir.Value, space: ir.Attribute) -> None:
    """Change the types of the views of ``buffer`` to ``space``; other users get a cast to the previous type."""
    work = [buffer]
    while work:
        for use in list(work.pop().uses):
            view = use.owner.operation
            if view.name not in VIEWS:
                continue
            for result in list(view.results):
                before = result.type
                if not isinstance(before, ir.MemRefType):
                    continue
                result.set_type(_in_space(before, space))
                _cast_for_others(result, before)
                work.append(result)


def _cast_for_others(view: ir.Value, type_: ir.Type) -> None:
    for use in list(view.uses):
        user = use.owner.operation
        if not _takes_any_space(user):
            with ir.InsertionPoint(user), user.location:
                cast = ir.Operation.create("memref.memory_space_cast", results=[type_], operands=[view])
            user.operands[use.operand_number] = cast.result


def _takes_any_space(op: ir.Operation) -> bool:
    """Whether ``op`` reads, writes or views memrefs of any memory space."""
    if op.name in VIEWS:
        return all(isinstance(result.type, ir.MemRefType | ir.IndexType) for result in op.results)
    return op.name in _MEMREF_ACCESSES or op.name.partition(".")[0] in _ACCESSES
