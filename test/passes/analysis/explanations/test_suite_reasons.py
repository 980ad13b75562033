"""Every allocation and copy of the differential suite has one specific reason, and all that a reader needs with it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from fast_run import sample
from mlir import ir
from oracle import operations
from programs import PROGRAMS
from programs.program import Program

import mlir_inplace as mi
from mlir_inplace.passes.analysis.explanations.reasons import GUIDE

GENERAL = {mi.Reason.LAYOUT, mi.Reason.MOVED, mi.Reason.NOT_WRITABLE}
"""What is said of ops of other packages; no op of upstream has one of these."""

READS = {mi.Reason.READ_LATER, mi.Reason.READ_WITH_NEW_CONTENT, mi.Reason.READ_IN_NEXT_ITERATION}

CHOICE = re.compile(r"\bor\b|\beither\b|\bmay be\b|\bperhaps\b")


@pytest.mark.parametrize("program", sampled := sample(PROGRAMS, least=250), ids=[program.name for program in sampled])
def test_every_allocation_and_copy_has_a_specific_reason(program: Program) -> None:
    with ir.Context():
        module = ir.Module.parse(program.text)
        before = Counter(op.name for op in operations(module))
        report = mi.bufferize(module, warn_written_arguments=False)
        made = Counter(op.name for op in operations(module)) - before
    assert len(report.allocations) == made["memref.alloc"]
    assert len(report.copies) == made["memref.copy"]
    for record in report.records:
        assert record.reason not in GENERAL, str(record)
        assert not CHOICE.search(f"{record.phrase} {record.advice}"), str(record)
        assert "{" not in record.advice and record.function and record.op and record.size
        assert record.location != "unknown"
        if record.rule not in ("op", "layout", "not-contiguous"):
            assert record.notes, str(record)
        if record.reason in READS:
            assert any("reads the old content" in note.text for note in record.notes), str(record)


def test_no_reason_offers_a_choice() -> None:
    assert set(GUIDE) == set(mi.Reason)
    assert {advice.change for advice in GUIDE.values()} == set(mi.Change)
    phrases = [advice.phrase for advice in GUIDE.values()]
    assert len(set(phrases)) == len(phrases)
    assert not [phrase for phrase in phrases if CHOICE.search(phrase)]
