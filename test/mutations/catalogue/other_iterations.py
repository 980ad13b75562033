"""Rules about what other iterations of loops do. Data."""

from __future__ import annotations

from disabling import Rule

_DESTROYS = "passes.analysis.conflicts.destruction:Destruction."
_FRAMES = "passes.analysis.conflicts.frames:Frames."
_ITERATIONS = "passes.analysis.conflicts.iterations:Iterations."
_AROUND = "passes.analysis.effects.slice_iterations:SliceIterations."

OTHER_ITERATIONS = (
    Rule("memrefs of older iterations", "**Escape**", _DESTROYS + "loop_of_older", "return -1"),
    Rule(
        "memrefs of older iterations in other branches",
        "**Escape**",
        _DESTROYS + "_has_no_way",
        "return meeting.order is Order.EXCLUSIVE",
        "return meeting.order is Order.EXCLUSIVE and self.loop_of_older(meeting.write, meeting.read) < 0",
    ),
    Rule(
        "memrefs that live on leave nothing out",
        "**Escape**",
        "passes.analysis.conflicts.liveness:Liveness._spans",
        "if gap is None or gap[1] - gap[0] < _LONG_GAP:",
        "if gap is None or gap[1] - gap[0] < _LONG_GAP or self._effects.outlives[read]:",
    ),
    Rule("slices of older iterations", "**Escape**", _DESTROYS + "_outermost_older", "return loop"),
    Rule(
        "memrefs that others may keep",
        "**Escape**",
        "passes.analysis.effects.kept_memrefs:outlives_iteration",
        "if False:",
        'if name.partition(".")[0] not in _KEEPS_NO_ADDRESS or name == _TAKES_ADDRESS:',
    ),
    Rule("buffers that this iteration made", "**Escape**", _ITERATIONS + "is_made_in", "return True"),
    Rule(
        "forwarded memrefs live on",
        "**Escape**",
        "passes.analysis.effects.kept_memrefs:outlives_iteration",
        "return False",
    ),
    Rule(
        "slices of other iterations",
        "**Other iterations**",
        _FRAMES + "apart_around",
        "return True",
        "return self._effects.slice_iterations.are_apart((frame.written, writer), (accessed, reader), loop, later=later)",
    ),
    Rule(
        "what other iterations leave of a destination",
        "**Other iterations**",
        _FRAMES + "apart_around",
        "if frame is None or frame.written is None:",
        "if frame is None or frame.written is None or (frame.is_own and self._effects.writes[read.operand]):",
    ),
    Rule(
        "later reads in the same iteration",
        "**Other iterations**",
        _DESTROYS + "_is_apart",
        "later = False",
        "later = order in (Order.BEFORE, Order.SAME)",
    ),
    Rule(
        "escaped buffers have no iteration",
        "**Other iterations**",
        _DESTROYS + "_is_apart",
        "if loop < 0 or order in (Order.ENCLOSES, Order.INSIDE):",
        "if loop < 0 or meeting.is_late or order in (Order.ENCLOSES, Order.INSIDE):",
    ),
    Rule(
        "ops around others have no iteration",
        "**Other iterations**",
        _DESTROYS + "_is_apart",
        "if loop < 0 or meeting.is_late:",
        "if loop < 0 or meeting.is_late or order in (Order.ENCLOSES, Order.INSIDE):",
    ),
    Rule("threads have no order", "**Other iterations**", _AROUND + "_threads", "return set()"),
    Rule(
        "blocks that branch are a loop",
        "**Other iterations**",
        "passes.analysis.index_sets.reader:IndexReader._loops_of",
        "branches = False",
        "branches = s.block_branches[block] >= 0",
    ),
    Rule(
        "any iteration of the loops inside",
        "**Other iterations**",
        _AROUND + "_ask",
        "pass",
        "directions[carrier.variable] = Direction.ANY",
    ),
    Rule(
        "a later iteration of each loop",
        "**Other iterations**",
        _AROUND + "_ask",
        "for way in ():",
        "for way in _OTHERS if carrier.variable in threads else _LATER:",
    ),
    Rule("buffers made in other iterations", "**Made in another iteration**", _ITERATIONS + "_differ", "return True"),
    Rule(
        "exactly one way goes back",
        "**Made in another iteration**",
        _ITERATIONS + "_differ",
        "first | second\n",
        "first ^ second\n",
    ),
    Rule(
        "no way goes back further out",
        "**Made in another iteration**",
        _ITERATIONS + "_differ",
        "and True",
        "and not any(self._is_inside(s.op_enter[loop], other) for other in first | second if other != loop)",
    ),
    Rule(
        "all are made inside of the loop",
        "**Made in another iteration**",
        _ITERATIONS + "_differ",
        "True",
        "all(self._is_inside(s.value_position[value], loop) for value in (made, *values))",
    ),
    Rule("fresh values are allocated", "**Made in another iteration**", _ITERATIONS + "_is_fresh", "return True"),
    Rule(
        "edges between blocks carry no loop",
        "**Made in another iteration**",
        _ITERATIONS + "_made_apart",
        "if not self._sets.goes_around:",
        "if not self._sets.goes_around or self._snapshot.op_successors:",
    ),
)
