"""Constant tensors as ``memref.global``: one symbol per distinct constant of a module."""

from __future__ import annotations

from mlir import ir

from ....dialects.support.dense_elements import Elements, create_global
from ...analysis.ir.traversal import find_ops

__all__ = ["Globals"]


class Globals:
    """Creates the globals of ``module`` on demand; names and deduplication follow upstream."""

    def __init__(self, module: ir.Operation, alignment: int) -> None:
        self._module = module
        self._alignment = alignment
        self._names: dict[tuple[Elements, ir.Type], str] = {}
        self._made: dict[str, ir.Operation] = {}
        self._taken: set[str] | None = None

    def get(self, attribute: Elements, type_: ir.MemRefType) -> ir.Value:
        """Return ``memref.get_global`` of a global of ``type_`` with the value of ``attribute``."""
        key = (attribute, type_)
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self._create(attribute, type_)
        attributes = {"name": ir.FlatSymbolRefAttr.get(name)}
        return ir.Operation.create("memref.get_global", results=[type_], attributes=attributes).result

    def _create(self, attribute: Elements, type_: ir.MemRefType) -> str:
        block = self._module.regions[0].blocks[0]
        if self._taken is None:
            self._taken = {
                ir.StringAttr(op.attributes["sym_name"]).value for op in block.operations if "sym_name" in op.attributes
            }
        shape = "x".join((*map(str, type_.shape), str(type_.element_type)))
        name = f"__constant_{''.join(c if c.isalnum() else '_' for c in shape)}"
        base, count = name, 0
        while name in self._taken:
            name = f"{base}_{count}"
            count += 1
        self._taken.add(name)
        attributes: dict[str, ir.Attribute] = {
            "sym_name": ir.StringAttr.get(name),
            "sym_visibility": ir.StringAttr.get("private"),
            "type": ir.TypeAttr.get(type_),
            "constant": ir.UnitAttr.get(),
        }
        if self._alignment:
            attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), self._alignment)
        with ir.InsertionPoint.at_block_begin(block):
            self._made[name] = create_global(attributes, attribute)
        return name

    def drop_unused(self) -> None:
        """Erase the globals that this object created and that have no uses left. One walk, if there are any."""
        if not self._made:
            return
        uses = find_ops(self._module, "memref.get_global")
        used = {ir.FlatSymbolRefAttr(op.attributes["name"]).value for op in uses}
        for name in self._made.keys() - used:
            self._made.pop(name).erase()
