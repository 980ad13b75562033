"""Outline linalg ops on memrefs that `inplace-mark-kernels` has marked, and optimize the functions by themselves.

`take_kernels` gives each group of equal ops a function that is called in their places, as `inplace-outline-kernels`
does for loops, and a *twin* of it in a module of its own: a function on tensors that computes the new content of the
output buffer from the contents of inputs and output. Passes that tile, vectorize and bufferize tensors may run on that
module. `give_back` then moves the bodies of the twins into the functions.

The twin writes no argument but the output, and returns whether the result is in the output. Why it may treat
different arguments as memory that does not overlap: docs/theory/after-bufferization.md.

Linear in the ops. No upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import func, memref

from ....dialects.support.cloning import attributes_of, replace_operands
from ...analysis.lifetimes.roots import VIEWS
from ...analysis.repetition.bodies import EPILOGUE, KERNEL_MARK, Body, BodyReader, NotShared, group_bodies, root_of
from ...analysis.repetition.shared_sizes import SizeReader
from ...analysis.schedule.kernel_candidates import BODIES
from .outlining import Outlining, inner_types, memref_of

__all__ = ["Kernels", "take_kernels"]

_FILL, _FREE = "linalg.fill", "memref.dealloc"
_QUIET = (VIEWS - {"memref.reshape"}) | {"arith.constant", "memref.alloc", "memref.dim", "memref.get_global"}
"""Ops that access no memory, so that a fill may move after them. (A reshape reads its sizes from memory.)"""


class Kernels:
    """The functions that were outlined in a module, and the `module` of their twins, which passes may change."""

    def __init__(self, module: ir.Operation, groups: Sequence[Sequence[Body]]) -> None:
        self._outlining = Outlining(module)
        self._parameters: dict[str, list[tuple[ir.Type, int]]] = {}
        """The `inner_types` of the parameters of each function."""
        with module.location:
            self.module = ir.Module.create()
        for bodies in groups:
            name = self._outlining.call(bodies)
            self._parameters[name] = inner_types(bodies)
            self._make_twin(name, bodies[0])

    def _make_twin(self, name: str, body: Body) -> None:
        """Make a function on tensors that computes what `body` does; erases the ops of `body`."""
        written = body.parameters.index(body.op.operands[len(body.op.operands) - 1])
        buffers = [type_ for type_, _ in self._parameters[name]]
        types = [_tensor_type(type_) for type_ in buffers]
        with ir.InsertionPoint(self.module.body), body.op.location:
            twin = func.FuncOp(name, (types, [types[written]]))
            twin.operation.attributes["arg_attrs"] = ir.ArrayAttr.get(
                [_marks(type_, number == written) for number, type_ in enumerate(buffers)]
            )
            block = twin.add_entry_block([body.op.location] * len(types))
        inside: dict[ir.Value, ir.Value] = dict(zip(body.parameters, block.arguments, strict=True))
        with ir.InsertionPoint(block):
            for constant in body.constants:
                inside[constant.results[0]] = constant.clone().results[0]
            for op in body.ops:
                out = op.operands[len(op.operands) - 1]
                inside[out] = _on_tensors(op, inside).results[0]
            with body.op.location:
                func.ReturnOp([inside[body.parameters[written]]])
        for op in reversed(body.ops):
            op.erase()

    @property
    def are_in_place(self) -> bool:
        """Whether each twin, on memrefs, writes its result into its argument, and returns nothing."""
        blocks = [block for view in self.module.body.operations for block in view.operation.regions[0]]
        return not any(len(block.operations[len(block.operations) - 1].operation.operands) for block in blocks)

    def give_back(self) -> None:
        """Move the bodies of the twins, which must be in place, into the functions."""
        for view in list(self.module.body.operations):
            twin = view.operation
            name = ir.StringAttr(twin.attributes["sym_name"]).value
            block, source = self._outlining.body(name), twin.regions[0].blocks[0]
            types = self._parameters[name]
            with ir.InsertionPoint(block), twin.location:
                own, sizes = list(block.arguments)[: len(types)], list(block.arguments)[len(types) :]
                for value, argument, (type_, place) in zip(own, source.arguments, types, strict=True):
                    if value.type != type_:  # it is an address
                        outermost = [] if place < 0 else [sizes[place]]
                        value = memref_of(value, ir.MemRefType(type_), outermost)
                    if value.type != argument.type:
                        value = memref.cast(argument.type, value)
                    argument.replace_all_uses_with(value)
                end = func.ReturnOp([])
            for op in list(source.operations)[:-1]:
                op.operation.move_before(end.operation)


def take_kernels(module: ir.Operation, *, repeats: int = 8, open_sizes: bool = True) -> Kernels | None:
    """Outline the marked ops in `module`; None if there are none. See `Kernels`.

    With `open_sizes`, ops that differ in outermost sizes only, none of which occur `repeats` times, share a function.
    """
    groups: dict[int, list[Body]] = {}
    reader = BodyReader(SizeReader() if open_sizes else None)
    for function in [inner.operation for inner in module.regions[0].blocks[0].operations]:
        if function.name == "func.func":
            for ops in _marked(function):
                try:
                    key, body = reader.read(ops)
                except NotShared:
                    continue
                groups.setdefault(key, []).append(body)
    if not groups:
        return None
    with module.context:
        return Kernels(module, [group for same in groups.values() for group in group_bodies(same, repeats, 1)])


def _marked(function: ir.Operation) -> list[tuple[ir.Operation, ...]]:
    """Return the marked ops of `function`, or of a loop.

    Each with the fill of its output if that comes before it, and with an epilogue if that comes behind it.
    """
    found: list[tuple[ir.Operation, ...]] = []
    for block in (block for region in function.regions for block in region):
        fill: ir.Operation | None = None
        last, freed = tuple[ir.Operation, ...](), list[ir.Operation]()
        for view in block.operations:
            op = view.operation
            marked = op.name.startswith("linalg.") and KERNEL_MARK in op.attributes
            if marked and op.name == _FILL:
                fill, last = op, ()
            elif marked and _ends(op, last):
                found[-1] = (*last, op)
                for one in freed:  # What the ops before read is still there when the last one begins.
                    one.move_after(op)
                last = ()
            elif marked:
                last, freed = (fill, op) if fill is not None and _starts_from(op, fill) else (op,), []
                found.append(last)
                fill = None
            elif op.name == _FREE:
                fill = None
                freed.append(op)
            elif op.name not in _QUIET:
                fill, last = None, ()
                if op.name in BODIES:
                    found += _marked(op)
    return found


def _starts_from(op: ir.Operation, fill: ir.Operation) -> bool:
    """Whether `fill` fills the output of `op`, and no input is a view of that."""
    *inputs, out = op.operands
    buffers = [value for value in inputs if isinstance(value.type, ir.MemRefType)]
    return fill.operands[1] == out and all(root_of(value) != root_of(out) for value in buffers)


def _ends(op: ir.Operation, before: Sequence[ir.Operation]) -> bool:
    """Whether `op` is the epilogue of `before`, a fill and a reduction: in place, and reading no other view of that."""
    if len(before) < 2 or op.attributes[KERNEL_MARK] != ir.StringAttr.get(EPILOGUE, op.context):
        return False
    *inputs, out = op.operands
    others = [value for value in inputs if isinstance(value.type, ir.MemRefType) and value != out]
    return before[-1].operands[len(before[-1].operands) - 1] == out and all(
        root_of(value) != root_of(out) for value in others
    )


def _tensor_type(type_: ir.Type) -> ir.Type:
    if not isinstance(type_, ir.MemRefType):
        return type_
    return ir.RankedTensorType.get(type_.shape, type_.element_type, loc=ir.Location.unknown())


def _marks(type_: ir.Type, written: bool) -> ir.DictAttr:
    """Return the attributes that bufferization needs on an argument that was a memref of `type_`."""
    if not isinstance(type_, ir.MemRefType):
        return ir.DictAttr.get({})
    return ir.DictAttr.get(
        {"bufferization.writable": ir.BoolAttr.get(written), "bufferization.buffer_layout": type_.layout}
    )


def _on_tensors(op: ir.Operation, inside: dict[ir.Value, ir.Value]) -> ir.Operation:
    """Build `op` on the tensors that its memrefs are `inside`; its payload moves there."""
    operands = [inside[value] for value in op.operands]
    attributes = attributes_of(op)
    attributes.pop(KERNEL_MARK, None)
    with op.location:
        made = ir.Operation.create(
            op.name, results=[operands[-1].type], operands=operands, attributes=attributes, regions=1
        )
    op.regions[0].blocks[0].append_to(made.regions[0])
    replace_operands(made, inside)
    return made
