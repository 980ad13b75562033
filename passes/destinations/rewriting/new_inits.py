"""Give ops without an init one: an empty tensor, which a destination may replace.

Each op becomes what its model makes of it on buffers (``dialects/tensor/creation.py``, ``tensor/assembly.py``,
``elementwise.py``), but on tensors: a fill, a generic op, insertions. Counterpart upstream:
``linalg::rewriteInDestinationPassingStyle``, which does it for ``generate``, ``from_elements`` and ``pad``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from mlir import ir
from mlir.dialects import arith

from ....dialects.bufferizable import Subset
from ....dialects.structured import add_sizes, build_generic, compute_elements, fill, index_constant
from ....dialects.subsets import extract_slice, insert_slice, static_entries
from ....dialects.support.cloning import attributes_of
from ....dialects.support.constants import number_of
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.index_math import Number, as_value, tensor_size
from ....dialects.tensor.assembly import around, constant_yield, padding
from ...analysis.destinations.initless_sources import Initless
from ...analysis.whole_module.module import ModuleAnalysis

__all__ = ["TRIAL_INIT", "assemble", "fill_of", "give_inits", "in_front"]

TRIAL_INIT = "inplace.trial_init"
"""Attribute of an empty tensor in the copy of a trial: which op of the plan it is the init of."""

_ONE_OP_ONLY = frozenset({"scf.forall.in_parallel", "vector.mask"})
"""Ops whose regions hold one op only."""


def give_inits(analysis: ModuleAnalysis, plan: Sequence[Initless], ops: Sequence[ir.Operation], *, tag: bool) -> None:
    """Give ``ops`` of the plan, or those of a copy, an init each; ``tag`` marks the empty tensors with the index."""
    s = analysis.snapshot
    for index, one in enumerate(plan):
        op = ops[one.op]
        if one.operand is not None:
            user = ops[s.operand_op[one.operand]]
            value, init = fill_of(op, user)
            user.operands[s.operand_index(one.operand)] = value
        else:
            with ir.InsertionPoint(op), op.location:
                init = _empty(op.results[0].type, _sizes(op))
                value = _BUILDERS.get(op.name, _elementwise)(op, init)
            op.results[0].replace_all_uses_with(value)
        if tag:
            made = ir.OpResult(init).owner.operation
            made.attributes[TRIAL_INIT] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), index)
        if one.operand is None or next(iter(op.results[0].uses), None) is None:
            op.erase()


def assemble(op: ir.Operation, *, alike: bool = False) -> bool:
    """Insert the parts of ``op``, a pad or concatenation of static sizes, into an empty tensor, if one is computed.

    What is computed for it alone can then be computed there. The op costs the same without an init: what its model
    writes into its buffer. What comes before the parts, the padding, is written in front of the first of them that is
    computed. With ``alike``, where another pad has the same type, a pad that linalg ops alone read gets a buffer of its
    own (`bufferization.alloc_tensor`): CSE would make one of two equal fills, and a copy of what is inserted into both.
    """
    parts = [part for part in list(op.operands)[: 1 if op.name == "tensor.pad" else None] if _is_computed_for(op, part)]
    tensors = (op.results[0], *(part for part in op.operands if isinstance(part.type, ir.ShapedType)))
    if not parts or any(ir.RankedTensorType(value.type).encoding is not None for value in tensors):
        return False
    if not all(ir.ShapedType(value.type).has_static_shape for value in tensors):
        return False
    if op.name == "tensor.pad":
        padding_value = constant_yield(op.regions[0].blocks[0])
        number = None if padding_value is None else defining_op(padding_value, "arith.constant")
        if number is None or len(op.operands) > 1:
            return False
        with op.location, ir.InsertionPoint(ir.OpResult(parts[0]).owner.operation):
            made = _buffer(op.results[0].type) if alike and _only_linalg_reads(op) else _empty(op.results[0].type, ())
            # All of it: that also brings to the cache what the part is computed in, line by line.
            padded = fill(number.clone().results[0], made)
        with op.location, ir.InsertionPoint(op):
            value = _insert_padded(op, padded)
    else:
        with op.location, ir.InsertionPoint(op):
            value = _concat(op, _empty(op.results[0].type, ()))
    op.results[0].replace_all_uses_with(value)
    op.erase()
    return True


def _is_computed_for(op: ir.Operation, part: ir.Value) -> bool:
    """Whether a linalg op of the same block computes ``part``, which nothing but ``op`` uses."""
    maker = defining_op(part)
    if maker is None or not maker.name.startswith("linalg.") or maker.block != op.block:
        return False
    return len(list(part.uses)) == 1


def _only_linalg_reads(op: ir.Operation) -> bool:
    """Whether all that uses the result of ``op`` are linalg ops that read it, so that no destination replaces it."""
    for use in op.results[0].uses:
        owner = use.owner.operation
        if not owner.name.startswith("linalg.") or use.operand_number >= len(owner.operands) - len(owner.results):
            return False
    return True


def in_front(op: ir.Operation) -> ir.InsertionPoint:
    """Return where to build operands of ``op``."""
    place = op
    while place.parent is not None and place.parent.operation.name in _ONE_OP_ONLY:
        place = place.parent.operation
    return ir.InsertionPoint(place)


def fill_of(uniform: ir.Operation, user: ir.Operation) -> tuple[ir.Value, ir.Value]:
    """Fill a tensor like ``uniform`` in front of ``user``; return it and its init.

    ``uniform`` is a constant whose elements are one number, or a fill of static sizes.
    """
    type_ = ir.RankedTensorType(uniform.results[0].type)
    with in_front(user), user.location:
        if uniform.name == "linalg.fill":
            number = uniform.operands[0]
        else:
            number = arith.constant(type_.element_type, number_of(uniform.results[0]))
        init = _empty(type_, type_.shape)
        return fill(number, init), init


def _empty(type_: ir.Type, sizes: Sequence[Number]) -> ir.Value:
    shaped = ir.ShapedType(type_)
    dynamic = [as_value(size) for d, size in enumerate(sizes) if shaped.is_dynamic_dim(d)]
    return ir.Operation.create("tensor.empty", results=[type_], operands=dynamic).result


def _buffer(type_: ir.Type) -> ir.Value:
    attributes = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0, 0])}
    return ir.Operation.create("bufferization.alloc_tensor", results=[type_], attributes=attributes).result


def _extents(tensor: ir.Value) -> list[Number]:
    return [tensor_size(tensor, d) for d in range(ir.ShapedType(tensor.type).rank)]


def _sizes(op: ir.Operation) -> list[Number]:
    """Return the sizes of the result of ``op``."""
    shaped = ir.ShapedType(op.results[0].type)
    operands = list(op.operands)
    if shaped.has_static_shape:
        return list(shaped.shape)
    if op.name in ("tensor.generate", "tensor.splat"):
        dynamic = iter(operands[op.name == "tensor.splat" :])
        return [next(dynamic) if shaped.is_dynamic_dim(d) else shaped.get_dim_size(d) for d in range(shaped.rank)]
    sizes = _extents(operands[0])
    if op.name == "tensor.pad":
        low, high = padding(op)
        return [add_sizes(*parts) for parts in zip(low, sizes, high, strict=True)]
    if op.name == "tensor.concat":
        along = ir.IntegerAttr(op.attributes["dim"]).value
        sizes[along] = add_sizes(sizes[along], *(_extents(part)[along] for part in operands[1:]))
    return sizes


def _from_elements(op: ir.Operation, init: ir.Value) -> ir.Value:
    shape = ir.ShapedType(init.type).shape
    numbers = [index_constant(i) for i in range(max(shape, default=0))]
    value = init
    for element, place in zip(op.operands, product(*map(range, shape)), strict=True):
        operands = [element, value, *(numbers[i] for i in place)]
        value = ir.Operation.create("tensor.insert", results=[init.type], operands=operands).result
    return value


def _pad(op: ir.Operation, init: ir.Value) -> ir.Value:
    block = op.regions[0].blocks[0]
    constant = constant_yield(block)
    return _insert_padded(op, compute_elements(block, init) if constant is None else _padding(op, constant, init))


def _padding(op: ir.Operation, number: ir.Value, init: ir.Value) -> ir.Value:
    """Fill what is not the source of ``op``, a pad, in ``init``; all of it where that is better."""
    low, high = padding(op)
    type_ = ir.RankedTensorType(init.type)
    parts, value = around(low, _extents(op.operands[0]), high), init
    for part in parts:
        type_ = ir.RankedTensorType.get(static_entries(part.sizes), type_.element_type, type_.encoding)
        value = insert_slice(fill(number, extract_slice(value, part, type_)), value, part)
    return value if parts else fill(number, init)


def _insert_padded(op: ir.Operation, padded: ir.Value) -> ir.Value:
    source, (low, _) = op.operands[0], padding(op)
    return insert_slice(source, padded, Subset(tuple(low), tuple(_extents(source)), (1,) * len(low)))


def _concat(op: ir.Operation, init: ir.Value) -> ir.Value:
    along, value = ir.IntegerAttr(op.attributes["dim"]).value, init
    begin: Number = 0
    rank = ir.ShapedType(init.type).rank
    for part in op.operands:
        sizes = _extents(part)
        offsets = tuple(begin if d == along else 0 for d in range(rank))
        value = insert_slice(part, value, Subset(offsets, tuple(sizes), (1,) * rank))
        begin = add_sizes(begin, sizes[along])
    return value


def _elementwise(op: ir.Operation, init: ir.Value) -> ir.Value:
    element = ir.ShapedType(init.type).element_type
    attributes = attributes_of(op)

    def payload(elements: Sequence[ir.Value]) -> ir.Value:
        return ir.Operation.create(op.name, results=[element], operands=elements, attributes=attributes).result

    return build_generic(list(op.operands), init, payload)


_BUILDERS: Mapping[str, Callable[[ir.Operation, ir.Value], ir.Value]] = {
    "tensor.concat": _concat,
    "tensor.from_elements": _from_elements,
    "tensor.generate": lambda op, init: compute_elements(op.regions[0].blocks[0], init),
    "tensor.pad": _pad,
    "tensor.splat": lambda op, init: fill(op.operands[0], init),
}
