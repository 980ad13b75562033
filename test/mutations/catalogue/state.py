"""Rules about tensors that live in the module. Data."""

from __future__ import annotations

from disabling import Rule

_STATE = "passes.analysis.whole_module.globals:ProgramState."

STATE = (
    Rule("a load whose memory changes copies", "**State**", _STATE + "_stays", "return True"),
    Rule("state that nobody stores to", "**State**", _STATE + "_is_fixed", "return True"),
    Rule(
        "state that others may store to",
        "**State**",
        _STATE + "_is_fixed",
        "return not any(access.stores and access.symbol == symbol for access in self._accesses)",
        "return state.is_private and not any(access.stores and access.symbol == symbol for access in self._accesses)",
    ),
    Rule("calls that may store", "**State**", _STATE + "_may_store", "return set()"),
    Rule("calls of calls that may store", "**State**", _STATE + "_close_stores", "while False:", "while work:"),
    Rule("functions without a body may store", "**State**", _STATE + "_close_stores", "pass", "stores[name].add(_ANY)"),
    Rule(
        "loaded values that are handed on",
        "**State**",
        _STATE + "_reads",
        "if False:",
        "if hands_on or effects.escapes[operand] or operand in effects.derived_reads:",
    ),
    Rule(
        "views of loaded values",
        "**State**",
        _STATE + "_reads",
        "ties = ()",
        "ties = () if effects.writes[operand] else effects.ties.get(operand, ())",
    ),
    Rule("a store of the loaded value itself", "**State**", _STATE + "_puts_back", "return True"),
    Rule(
        "loaded memory is read-only",
        "**State**",
        _STATE + "add_function",
        "pass",
        'self._effects.readonly[result] = f"the memory of @{access.symbol}, which only stores may write"',
    ),
)
