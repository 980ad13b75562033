"""Rules about inits that are not read. Data."""

from __future__ import annotations

from disabling import Rule

_OUTS = "passes.analysis.destinations.outs_dependency:_Planner."
_TOPS = "passes.analysis.destinations.tied_inits:Destinations."

INITS = (
    Rule("inits that are read stay", "*The content does not matter.*", _OUTS + "_is_unread", "return True"),
    Rule(
        "encodings stay",
        "### Inits that are not read",
        _OUTS + "_retie",
        "if False:",
        "if not isinstance(type_, ir.RankedTensorType) or type_.encoding is not None:",
    ),
    Rule(
        "sizes are known otherwise",
        "### Inits that are not read",
        _OUTS + "_retie",
        "if False:",
        "if empty and top == old and s.value_op[old] >= 0 and not type_.has_static_shape:",
    ),
    Rule(
        "read-only destinations become empty",
        "*An empty tensor for a destination that must not be written*",
        _OUTS + "_retie",
        "empty = self._mode is Mode.EMPTY",
        "empty = self._mode is Mode.EMPTY or top in self._effects.readonly",
    ),
    Rule(
        "destinations that are asked for stay",
        "A destination that\nthe program asks for",
        _OUTS + "_inits",
        "if False:",
        "if s.op_name[op] == _MATERIALIZE:",
    ),
    Rule(
        "ties that are certain",
        "*Types and sizes agree.*",
        _TOPS + "tied",
        "same = tie.relation is Relation.EQUIVALENT",
        "same = tie.definite and tie.relation is Relation.EQUIVALENT",
    ),
    Rule(
        "ties of whole buffers",
        "*Types and sizes agree.*",
        _TOPS + "tied",
        "same = tie.definite",
        "same = tie.definite and tie.relation is Relation.EQUIVALENT",
    ),
    Rule(
        "one value behind a region's result",
        "*Types and sizes agree.*",
        _TOPS + "_tied_by_regions",
        "return values[0] if values and s.values[values[0]].type == type_ else -1",
        "return values[0] if len(values) == 1 and s.values[values[0]].type == type_ else -1",
    ),
    Rule(
        "values from inside of the op",
        "*Values are defined.*",
        _TOPS + "_tied_by_regions",
        "False",
        "s.is_inside(s.value_position[top], op)",
    ),
)
