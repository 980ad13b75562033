"""Rules about which inits are overwritten completely. Data."""

from __future__ import annotations

from disabling import Rule

_COVER = "dialects.linalg.output_coverage:"

COVERAGE = (
    Rule("outputs are covered", "**Fully overwritten**", _COVER + "why_uncovered", "return None"),
    Rule(
        "loops that are no output's run",
        "**Fully overwritten**",
        _COVER + "why_uncovered",
        "continue",
        'return f"loop d{loop}, which is none of the output\'s, has no iteration"',
    ),
    Rule(
        "loops of dynamic size may not run",
        "**Fully overwritten**",
        _COVER + "why_uncovered",
        "continue",
        'return f"loop d{loop}, which is none of the output\'s, may have no iteration: its size is dynamic"',
    ),
    Rule("maps reach all elements", "**Fully overwritten**", _COVER + "_why_group_uncovered", "return None"),
    Rule(
        "maps have points enough",
        "**Fully overwritten**",
        _COVER + "_why_group_uncovered",
        "if False:",
        "if math.prod(known) < total:",
    ),
    Rule(
        "sums leave no gap",
        "**Fully overwritten**",
        _COVER + "_sum_covers",
        "if False:",
        "if coefficient > reach - least + 1 and size > 1:",
    ),
    Rule("sums begin at zero", "**Fully overwritten**", _COVER + "_sum_covers", "if False:", "if least > 0:"),
    Rule(
        "sums reach the end",
        "**Fully overwritten**",
        _COVER + "_sum_covers",
        "return True",
        "return reach >= extent - 1",
    ),
    Rule(
        "points are counted",
        "**Fully overwritten**",
        _COVER + "_why_group_uncovered",
        "return None",
        "return None if inside == total else partly",
    ),
    Rule(
        "dynamic sizes are not counted",
        "**Fully overwritten**",
        _COVER + "_why_group_uncovered",
        "return None",
        'return f"which elements the output map reaches along {where} depends on dynamic sizes"',
    ),
    Rule(
        "results that share loops are one group",
        "**Fully overwritten**",
        _COVER + "_groups",
        "return [[number] for number in range(len(results))]",
    ),
    Rule("slices that cover", "**Fully overwritten**", "dialects.subsets:covers", "return True"),
    Rule("transfers that cover", "**Fully overwritten**", "dialects.vector:_covers_destination", "return True"),
    Rule(
        "inserts that cover",
        "**Fully overwritten**",
        "dialects.tensor:InsertModel.bufferizes_to_memory_read",
        "return operand == 0",
        "return any(size != 1 for size in ir.ShapedType(op.operands[1].type).shape)",
    ),
    Rule("loops that run", "**Loops that run**", "dialects.scf:surely_runs", "return True"),
)
