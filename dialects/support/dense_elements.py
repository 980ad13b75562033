"""Constant elements as attributes, or as text where the bindings have no class for the attribute.

The bindings raise a ``TypeError`` for dense elements that are neither integers nor floating-point numbers (complex
ones), wherever such an attribute is returned. Its text can be parsed again as a part of an op.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir

__all__ = ["Elements", "create_global", "elements"]

Elements = ir.Attribute | str


def elements(op: ir.Operation, name: str, type_: ir.Type) -> Elements:
    """Return attribute ``name`` of ``op``, whose type is ``type_``."""
    try:
        return op.attributes[name]
    except TypeError:
        text = str(op.get_asm(print_generic_op_form=True, use_local_scope=True))
        begin = text.index(f"{name} = dense<") + len(f"{name} = ")
        end = f" : {type_}"
        return text[begin : text.index(end, begin)] + end


def create_global(attributes: Mapping[str, ir.Attribute], initial: Elements) -> ir.Operation:
    """Create ``memref.global`` with ``attributes`` and ``initial`` elements at the insertion point."""
    if isinstance(initial, ir.Attribute):
        return ir.Operation.create("memref.global", attributes={**attributes, "initial_value": initial})
    entries = [f"{name} = {attribute}" for name, attribute in attributes.items()]
    text = f'"memref.global"() <{{{", ".join([*entries, f"initial_value = {initial}"])}}}> : () -> ()'
    created = ir.Operation.parse(text).operation
    created.location = ir.Location.current or created.location
    ir.InsertionPoint.current.insert(created)
    return created
