"""Outlining: bodies that are the same code become one function, and calls of it.

`repetition/bodies.py` has found the bodies to be equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, func, llvm, memref

from ....dialects.support.cloning import replace_operands
from ....dialects.support.descriptors import descriptor_of
from ...analysis.repetition.bodies import Body
from ...analysis.repetition.shared_sizes import OpenSizes, is_plain

KERNEL = "inplace_kernel"
"""The name of outlined functions, with a number where it is taken."""

NO_INLINE = "llvm.no_inline"
"""Attribute of outlined functions."""

NO_OPTIMIZATION = ("llvm.optimize_none", NO_INLINE)
"""Attributes of functions that LLVM is not to optimize."""

_MANY_CALLS = 64
"""With at least this many calls, a function is not optimized by LLVM."""

_NO_WORK = frozenset(
    {
        "arith.constant",
        "arith.index_cast",
        "func.call",
        "func.return",
        "llvm.inttoptr",
        "llvm.mlir.constant",
        "memref.alloc",
        "memref.cast",
        "memref.copy",
        "memref.dealloc",
        "memref.extract_aligned_pointer_as_index",
        "memref.get_global",
        "memref.subview",
    }
)
"""Ops without loops that take next to no time."""


def is_mere_sequence(function: ir.Operation) -> bool:
    """Whether `function` is one block of many calls, which optimizing does not make faster."""
    if function.name != "func.func" or len(function.regions[0].blocks) != 1:
        return False
    names = [op.operation.name for op in function.regions[0].blocks[0].operations]
    return names.count("func.call") >= _MANY_CALLS and _NO_WORK.issuperset(names)


def leave_as_it_is(function: ir.Operation) -> None:
    """Tell LLVM not to optimize `function`, which then must not be inlined."""
    for mark in NO_OPTIMIZATION:
        function.attributes[mark] = ir.UnitAttr.get()


class Outlining:
    """Outlines functions in one module."""

    def __init__(self, module: ir.Operation) -> None:
        self._module = module
        self._symbols = ir.SymbolTable(module)
        self._pointer = ir.Type.parse("!llvm.ptr")
        self._word = ir.IntegerType.get_signless(64)
        self._addresses: dict[ir.Value, ir.Value] = {}

    def outline(self, bodies: Sequence[Body]) -> None:
        """Replace `bodies` by calls of one function with the code of the first; sizes that differ are arguments."""
        name = self.call(bodies)
        self._fill_function(self.body(name), bodies[0], inner_types(bodies))

    def call(self, bodies: Sequence[Body]) -> str:
        """Replace `bodies` by calls of one function, still empty, and return its name; the first body is kept."""
        first = bodies[0]
        given = _given_sizes(bodies)
        # What is equal in the bodies, and sizes that are given, is not what makes a type plain.
        plain = [is_plain(value.type) for value in first.parameters]
        types = [self._pointer if one else value.type for one, value in zip(plain, first.parameters, strict=True)]
        types += [self._word] * (len(given.sizes) if given else 0)
        name = self._make_function(first, bodies, types)
        attributes: dict[str, ir.Attribute] = {"callee": ir.FlatSymbolRefAttr.get(name)}
        for body in bodies:
            op, location = body.op, body.op.location
            arguments = [
                self._address(value) if one else value for one, value in zip(plain, body.parameters, strict=True)
            ]
            if given:
                with ir.InsertionPoint(op), location:
                    arguments += map(_word, body.open_sizes.sizes)
            ir.Operation.create(
                "func.call", operands=arguments, attributes=attributes, loc=location, ip=ir.InsertionPoint(op)
            )
        for body in bodies[1:]:
            for op in reversed(body.ops):
                op.erase()
        return name

    def body(self, name: str) -> ir.Block:
        """Return the block of an outlined function."""
        return self._symbols[name].regions[0].blocks[0]

    def _make_function(self, first: Body, bodies: Sequence[Body], types: Sequence[ir.Type]) -> str:
        with ir.InsertionPoint(self._module.regions[0].blocks[0]), first.op.location:
            function = func.FuncOp(KERNEL, (list(types), []), visibility="private")
        none, noalias = ir.DictAttr.get({}), ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get()})
        exclusive = [all(body.exclusive[n] for body in bodies) for n in range(len(first.parameters))]
        exclusive += [False] * (len(types) - len(exclusive))
        marks = [
            noalias if alone and type_ == self._pointer else none for alone, type_ in zip(exclusive, types, strict=True)
        ]
        function.operation.attributes["arg_attrs"] = ir.ArrayAttr.get(marks)
        # Inlined, it would be compiled as often as before; internal, it cannot clash with a symbol of a library.
        function.operation.attributes[NO_INLINE] = ir.UnitAttr.get()
        function.operation.attributes["llvm.linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
        function.add_entry_block([first.op.location] * len(types))
        return ir.StringAttr(self._symbols.insert(function.operation)).value

    def _fill_function(self, block: ir.Block, body: Body, types: Sequence[tuple[ir.Type, int]]) -> None:
        inside: dict[ir.Value, ir.Value] = {}
        sizes = list(block.arguments)[len(types) :]
        with ir.InsertionPoint(block), body.op.location:
            for constant in body.constants:
                inside[constant.results[0]] = constant.clone().results[0]
            for value, argument, (type_, place) in zip(body.parameters, block.arguments, types, strict=False):
                inside[value] = argument
                if is_plain(value.type):
                    outermost = [] if place < 0 else [sizes[place]]
                    inside[value] = memref_of(argument, ir.MemRefType(type_), outermost)
            end = func.ReturnOp([])
        body.op.move_before(end.operation)
        replace_operands(body.op, inside)

    def _address(self, value: ir.Value) -> ir.Value:
        """Return the address of a buffer, built once, after the buffer."""
        if value in self._addresses:
            return self._addresses[value]
        owner = value.owner
        point = (
            ir.InsertionPoint.at_block_begin(owner) if isinstance(owner, ir.Block) else ir.InsertionPoint.after(owner)
        )
        with point, value.location:
            self._addresses[value] = address_of(value)
        return self._addresses[value]


def _given_sizes(bodies: Sequence[Body]) -> OpenSizes | None:
    """Return the sizes that are arguments of a function of `bodies`; None if all sizes are equal."""
    first = bodies[0].open_sizes
    return first if any(body.open_sizes.sizes != first.sizes for body in bodies) else None


def inner_types(bodies: Sequence[Body]) -> list[tuple[ir.Type, int]]:
    """Return for each parameter of a function of `bodies` its type inside, and the size argument for its first size.

    That is a number of one of the arguments that follow the parameters, -1 if the size is static.
    """
    parameters, given = bodies[0].parameters, _given_sizes(bodies)
    if given is None:
        return [(value.type, -1) for value in parameters]
    opened = zip(parameters, given.types, given.places, strict=True)
    return [(type_ or value.type, place) for value, type_, place in opened]


def address_of(value: ir.Value) -> ir.Value:
    """Build the address of the elements of a memref without offset."""
    number = arith.index_cast(ir.IntegerType.get_signless(64), memref.extract_aligned_pointer_as_index(value))
    return llvm.inttoptr(ir.Type.parse("!llvm.ptr"), number)


def memref_of(
    pointer: ir.Value, type_: ir.MemRefType, outermost: Sequence[ir.Value] = (), freed: ir.Value | None = None
) -> ir.Value:
    """Build the memref at an address, with a complete descriptor.

    `outermost` is the first size, if it is dynamic, and `freed` the allocated pointer, if it is another one.
    """
    strides, offset = type_.get_strides_and_offset()
    sizes = [*outermost, *map(_word, type_.shape[len(outermost) :])]
    words = [freed or pointer, pointer, _word(offset), *sizes, *map(_word, strides)]
    descriptor = descriptor_of(words, type_.rank)
    return ir.Operation.create("builtin.unrealized_conversion_cast", [type_], [descriptor]).result


def _word(number: int) -> ir.Value:
    type_ = ir.IntegerType.get_signless(64)
    value = ir.IntegerAttr.get(type_, number)
    return ir.Operation.create("llvm.mlir.constant", [type_], attributes={"value": value}).result
