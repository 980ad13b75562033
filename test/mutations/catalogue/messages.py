"""Rules about messages that are under way while the program goes on. Data."""

from __future__ import annotations

from disabling import Rule

_OVERLAP = "passes.message_passing.overlap_messages:"
_SEPARATE = "passes.message_passing.rewriting.separate_memory:"

_RECEIVE = "passes.message_passing.receive_in_place:"
_ROWS = "passes.message_passing.rewriting.row_exchanges:"

MESSAGES = (
    Rule(
        "nothing is done between a gather and its copy",
        "as nothing in between depends on it or on memory",
        _RECEIVE + "_receipt_of",
        "if False:",
        "if not (op.name in _PURE_OPS or op.name.startswith(_PURE)) or len(op.regions):",
    ),
    Rule(
        "what is sent is apart from where it lands",
        "*What is sent is apart from where it lands*",
        _RECEIVE + "_is_apart_from_sent",
        "return True or all(",
        "return all(",
    ),
    Rule(
        "gathers that may meet stay alike",
        "*Gathers that may meet stay alike:*",
        _RECEIVE + "_that_meet",
        "return list(found)",
        "return [receipt for receipt in found if receipt.exchange is None or not meets_another(receipt)]",
    ),
    Rule(
        "rows of all ranks are the whole",
        "*parts whose rows lie one after the other*",
        _ROWS + "rows_exchange",
        "if False:",
        "if [size * (ranks if number == dimension else 1) for number, size in enumerate(part.shape)] != list(whole.shape):",
    ),
    Rule(
        "a reinterpreted memref leaves its block",
        "reinterpreted, and so may reach all of its root",
        _SEPARATE + "place_of",
        "return MemoryPlace(memref, block)",
        "return MemoryPlace(memref, None if leaves else block)",
    ),
    Rule(
        "what is received is waited for",
        "or reads or writes what is received",
        _OVERLAP + "_may_pass",
        "are_apart(place, sent, received) or not access & WRITE",
        "are_apart(place, received, sent) and (not access & WRITE or are_apart(place, sent, received))",
    ),
    Rule(
        "what is sent stays until the wait",
        "writes what is sent",
        _OVERLAP + "_may_pass",
        "are_apart(place, received, sent)",
        "are_apart(place, received, sent) and (not access & WRITE or are_apart(place, sent, received))",
    ),
    Rule(
        "an exchange fills memory",
        "no op in\nbetween writes what is sent",
        _OVERLAP + "_accesses",
        "READ if exchanges",
        "(READ if number == 0 else WRITE) if exchanges",
    ),
    Rule(
        "functions may use memory that is under way",
        "no op in\nbetween writes what is sent",
        _OVERLAP + "_is_known",
        "return True",
        "return callee_name(op).startswith((SEND_RECEIVE, EXCHANGE_PARTS, COMMUNICATOR))",
    ),
    Rule(
        "collectives of a kind are begun alike",
        "*All of a kind are begun, or none:*",
        _OVERLAP + "analyze_exchanges",
        "if until is not None",
        "if op.name in kinds or (until is not None and is_exchange(op))",
    ),
    Rule(
        "two arguments may be one memref",
        "All else may be the same memory",
        _SEPARATE + "are_apart",
        "return all(",
        "return any(map(_is_allocation, roots)) and all(",
    ),
    Rule(
        "what a loop carries may be an allocation",
        "All else may be the same memory",
        _SEPARATE + "are_apart",
        "return any(map(_is_allocation, roots))",
        "return any(map(_is_allocation, roots)) and all(_is_allocation(r) or _is_from_outside(r) for r in roots)",
    ),
    Rule(
        "a block ends before the other begins",
        "one ends before the other begins",
        _SEPARATE + "_is_not_below",
        "return True",
    ),
    Rule(
        "elements with steps reach farther",
        "one ends before the other begins",
        _SEPARATE + "_Sums.parts",
        "if False:",
        "if any(stride != 1 for stride in strides):",
    ),
    Rule(
        "a block of other coordinates",
        "one ends before the other begins",
        _SEPARATE + "place_of",
        "pass",
        "block = None  # It is in other coordinates.",
    ),
)
