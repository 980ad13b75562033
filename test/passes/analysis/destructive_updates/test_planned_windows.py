"""Windows of time that meet others, compared with a search through all of them."""

from __future__ import annotations

import random

from mlir_inplace.passes.analysis.destructive_updates.windows import PlannedWindows


def test_windows_that_meet_another_one() -> None:
    for seed in range(200):
        draw = random.Random(seed)
        windows, entered = PlannedWindows(), list[tuple[int, int, int]]()
        for op in range(draw.randrange(12)):
            begin = draw.randrange(5) * 12 + op
            for _ in range(draw.choice((1, 1, 2))):
                entered.append((begin, begin + draw.randrange(1, 30), op))
                windows.add(entered[-1][:2], op)
        for begin in range(0, 70, 3):
            end = begin + draw.randrange(1, 20)
            wanted = {op for first, last, op in entered if first < end and begin < last}
            found = windows.meeting((begin, end), 100)
            assert sorted(found) == sorted(wanted)
            few = windows.meeting((begin, end), 3)
            assert len(few) == min(3, len(wanted))
            assert set(few) <= wanted
