"""Rules about computing in the destination. Data."""

from __future__ import annotations

from disabling import Rule

_TRACE = "passes.analysis.destinations.insertion_trace:Trace."
_EMPTY = "passes.analysis.destinations.empty_tensors:_Planner."
_PLACES = "passes.analysis.destinations.empty_tensor_moves:Places."
_REUSE = "passes.analysis.destinations.init_reuse:"
_SIX = "## 6. Computing in the destination"

DESTINATIONS = (
    Rule(
        "only a part was computed",
        "*The sizes agree.*",
        _TRACE + "_problem",
        "if False:",
        "if tie.relation not in (Relation.EQUIVALENT, Relation.RESHAPED):",
    ),
    Rule("one of several buffers", _SIX, _TRACE + "_problem", "if False:", "if not tie.definite:"),
    Rule(
        "what an op does cannot be undone",
        "*Casts and reshapes*",
        _TRACE + "_problem",
        "if False:",
        "if not effects.writes[operand] and name not in VIEWS:",
    ),
    Rule(
        "types agree",
        "*Casts and reshapes*",
        _TRACE + "_problem",
        "if False:",
        "if name not in VIEWS and types[0] != types[1]:",
    ),
    Rule(
        "ops that discard content do not qualify",
        "*Any value will do*",
        _TRACE + "_begins",
        "if False:",
        "if effects.discards[operand] or effects.undefined[s.operand_value[operand]]:",
    ),
    Rule(
        "content that is needed is copied into the slice",
        "*The same value*",
        _TRACE + "_copy_into",
        "kind = StartKind.UNREAD",
        "kind = StartKind.COPIED if self._effects.content_reads[operand] else StartKind.UNREAD",
    ),
    Rule(
        "an unread init has no content",
        "*Any value will do*",
        _TRACE + "_begins",
        "return self._unread and bool(effects.writes[operand])",
        "return self._unread and not effects.content_reads[operand] and bool(effects.writes[operand])",
    ),
    Rule("the slice is in bounds", "*The slice is in bounds.*", _PLACES + "check_always_reached", "return None"),
    Rule(
        "the insertion is reached",
        "*The slice is in bounds.*",
        _PLACES + "earliest",
        "continue",
        'raise Obstacle("the insertion is not always reached from where the empty tensor is used", start)',
    ),
    Rule("memory keeps its order", "*Memory keeps its order.*", _PLACES + "check_no_memory", "return None"),
    Rule(
        "memory has no other tensor",
        "*Memory keeps its order.*",
        _EMPTY + "_check_memory",
        "self._places.check_no_memory(before, self._snapshot.operand_op[write])",
    ),
    Rule("what moves has no effect", "*Values are defined.*", _PLACES + "_is_movable", "return True"),
    Rule("values are defined", "*Values are defined.*", _PLACES + "bring", "return None"),
    Rule(
        "moves do not depend on what is computed",
        "*Values are defined.*",
        _PLACES + "_check_movable",
        "if False:",
        "if op in needs.way:",
    ),
    Rule(
        "reshapes are views of the slice",
        "A reshape that is undone must be a view",
        _EMPTY + "_check_views",
        "return None",
    ),
    Rule(
        "expansions are taken back directly",
        "A reshape that is undone must be a view",
        _EMPTY + "_check_views",
        'taken_back = s.op_name[op] == "tensor.collapse_shape"',
        'taken_back = start.is_direct and s.op_name[op] == "tensor.collapse_shape"',
    ),
    Rule(
        "dead inputs are not used later",
        "*Dead inputs*",
        _REUSE + "_sources",
        "used_later = False",
        "used_later = any(s.operand_position(use) > s.op_enter[op] for use in s.value_uses[value])",
    ),
    Rule(
        "dead inputs may be read while written",
        "*Dead inputs*",
        _REUSE + "_sources",
        "True",
        "model.is_not_conflicting(s.ops[op], s.operand_index(source), s.operand_index(init))",
    ),
    Rule("dead inputs are memory of the function", "*Dead inputs*", _REUSE + "_foreign_memory", "return set()"),
    Rule(
        "reused inits are not read",
        "*Dead inputs*",
        _REUSE + "_is_free",
        "if not effects.writes[init] or value < 0:",
        "if not effects.writes[init] or effects.reads[init] or value < 0 or not effects.undefined[value]:",
    ),
    Rule(
        "constants of one number",
        "*Constants*",
        _REUSE + "is_splat",
        "return isinstance(elements, ir.DenseElementsAttr)",
        "return isinstance(elements, ir.DenseElementsAttr) and elements.is_splat",
    ),
)
