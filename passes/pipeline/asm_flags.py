"""How IR is printed: the flags of mlir-opt's printer that the bindings have, and two that are made here."""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen

__all__ = ["AsmFlags"]


@frozen
class AsmFlags:
    """How IR is printed, as mlir-opt's flags of these names say.

    Attributes:
        debug_info: with locations.
        pretty_debug_info: locations are shorter, and cannot be parsed.
        generic: every operation in generic form.
        local_scope: types, attributes and locations in full, without aliases.
        skip_regions: `{...}` in the place of regions.
        name_locations: values are called what their named locations say.
        assume_verified: do not verify; invalid IR may crash the printer.
        elide_elements_above: elements attributes with more elements than this are elided.
        hex_elements_above: more elements than this are written as bytes, if more than 100 are; -1 for never.
        elide_resources_above: resources with more characters than this are elided.
        value_users: a comment behind each operation names the users of its results.
        unique_ids: numbers of values and of colliding names do not start anew in each function.
    """

    debug_info: bool = False
    pretty_debug_info: bool = False
    generic: bool = False
    local_scope: bool = False
    skip_regions: bool = False
    name_locations: bool = False
    assume_verified: bool = False
    elide_elements_above: int | None = None
    hex_elements_above: int | None = None
    elide_resources_above: int | None = None
    value_users: bool = False
    unique_ids: bool = False

    def printed(self, op: ir.Operation) -> str:
        """What MLIR's printer makes of `op`: `ir_text` adds what that does not do."""
        return str(
            op.get_asm(
                enable_debug_info=self.debug_info,
                pretty_debug_info=self.pretty_debug_info,
                print_generic_op_form=self.generic,
                use_local_scope=self.local_scope,
                skip_regions=self.skip_regions,
                use_name_loc_as_prefix=self.name_locations,
                assume_verified=self.assume_verified,
                large_elements_limit=self.elide_elements_above,
                large_resource_limit=self.elide_resources_above,
            )
        )
