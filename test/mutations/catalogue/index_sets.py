"""Rules about index sets. Data."""

from __future__ import annotations

from disabling import Rule

_POINTS = "passes.analysis.index_sets.points:Points."
_SETS = "passes.analysis.index_sets.relations:"
_OMEGA = "passes.analysis.index_sets.omega_test:"
_COVERAGE = "passes.analysis.index_sets.coverage:"

INDEX_SETS = (
    Rule(
        "no solution is a proof",
        "**Contrary**",
        _SETS + "answer_of",
        "if False:",
        "if outcome.is_feasible is None or (outcome.is_feasible and not points.is_exact):",
    ),
    Rule(
        "unknown is no proof",
        "**Contrary**",
        _SETS + "answer_of",
        "return DimensionAnswer(Answer.YES)",
        "return DimensionAnswer(Answer.UNKNOWN)",
    ),
    Rule(
        "a solution shows the contrary", "**Contrary**", _SETS + "answer_of", "if True:", "if not outcome.is_feasible:"
    ),
    Rule("all of several answers", "**Contrary**", _SETS + "first_no", "return DimensionAnswer(Answer.YES)"),
    Rule("slices overlap in all dimensions", "**Contrary**", _POINTS + "overlap", "for end in ():", "for end in ends:"),
    Rule(
        "symbols that vary have two values",
        "**Two iterations.**",
        _POINTS + "_symbol",
        "key = (symbol, _BOTH)",
        "key = (symbol, side if self._varied & self._terms.varies_with(symbol) else _BOTH)",
    ),
    Rule(
        "later iterations may be all later ones",
        "**Two iterations.**",
        _POINTS + "relate",
        "self.problem.equal(second, {**first, CONSTANT: first.get(CONSTANT, 0) + 1})",
        "self.problem.bounds.append(before)",
    ),
    Rule(
        "a minimum is one of its entries",
        "**What is known of symbols**",
        _POINTS + "_defined",
        "problem.equal(row, entries[0])",
        "problem.alternatives.append(tuple(Case((combine(row, entry, -1),)) for entry in entries))",
    ),
    Rule(
        "a quotient leaves a rest",
        "**What is known of symbols**",
        _POINTS + "_defined",
        "problem.equal(rest, {})",
        "problem.at_least(number(definition.divisor - 1), rest)",
    ),
    Rule(
        "counts of iterations",
        "**What is known of symbols**",
        _POINTS + "iteration",
        "problem.equal(count, {})",
        "problem.at_least(count, {})",
    ),
    Rule(
        "products with a common factor",
        "**Products**",
        _POINTS + "multiplied",
        "result = dict(first)",
        "result = self.problem.unknown()",
    ),
    Rule(
        "integers between bounds",
        "**Integers**",
        _OMEGA + "_Omega._project",
        "return None\n",
        "return self._splinters(rows, lower, variable, max(-row[variable] for row in upper))\n",
    ),
    Rule(
        "an exact shadow",
        "**Integers**",
        _OMEGA + "_Omega._project",
        "exact = True",
        "exact = all(row[variable] == 1 for row in lower) or all(row[variable] == -1 for row in upper)",
    ),
    Rule(
        "equations without an integer solution",
        "**Integers**",
        _OMEGA + "_Omega._isolate",
        "if True:",
        "if constant % common:",
    ),
    Rule(
        "rows that contradict each other",
        "**Integers**",
        _OMEGA + "_tightest",
        "constant + opposite < 1",
        "constant + opposite < 0",
    ),
    Rule(
        "every element is in a slice",
        "**Coverage**",
        _COVERAGE + "_Tensor.covered",
        "return DimensionAnswer(Answer.YES)",
    ),
    Rule("no element is missed", "**Coverage**", _COVERAGE + "_Tensor._miss", "points.problem.alternatives.append(())"),
    Rule(
        "the named iteration exists",
        "**Coverage**",
        _COVERAGE + "_Tensor.covered",
        "(len(choices),)",
        "range(len(choices) + 1)",
    ),
    Rule(
        "distributed loops have one count",
        "**Distributed loops**",
        "passes.analysis.index_sets.distributed_loops:_whole",
        "",
        " or terms.product(size, ids.upper) != loop.step",
    ),
)
