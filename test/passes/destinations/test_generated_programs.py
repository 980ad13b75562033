"""Random programs through the passes on destinations: nothing costs more, and a second run changes nothing.

That values stay is tested with all other passes, in `test_soundness.py`.
"""

from __future__ import annotations

import pytest
from fast_run import scaled, seeds
from generated import program
from mlir import ir

import mlir_inplace as mi

REMOVE = "inplace-remove-outs-dependency"
EMPTY = "inplace-remove-outs-dependency{mode=empty}"
CONVERT = "inplace-convert-to-destination-style"
ELIMINATE = "inplace-eliminate-empty-tensors"
MOVE = "inplace-move-reads"
DETACH = "inplace-detach-inits"
BUFFERIZE = (
    "inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false},"
    "canonicalize,cse,canonicalize"
)
SUBJECTS = ("generic", "destinations")


def after(text: str, passes: str) -> str:
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module({passes})")
        return str(module)


def counts(text: str) -> tuple[int, int]:
    """How many buffers and copies a program comes to."""
    memrefs = after(text, BUFFERIZE)
    return memrefs.count("memref.alloc("), memrefs.count("memref.copy")


@pytest.mark.parametrize("seed", seeds(60, least=3))
@pytest.mark.parametrize("subject", SUBJECTS)
def test_nothing_costs_more(subject: str, seed: int) -> None:
    text = after(program(subject, seed).text, "cse")
    before = counts(text)
    found: dict[str, tuple[int, int]] = {}
    for passes in (REMOVE, EMPTY, CONVERT, ELIMINATE, MOVE, DETACH):
        changed = after(text, passes)
        assert after(changed, passes) == changed
        found[passes] = counts(changed) if changed != text else before
        # A new tensor.empty is a buffer more where the init could be reused.
        assert passes == EMPTY or found[passes][0] <= before[0], changed
        assert found[passes][1] <= before[1], changed
    assert sum(found[CONVERT]) <= sum(found[ELIMINATE]), text


def test_detached_inits_lead_to_no_copy() -> None:
    """A program in which the search for decisions finds a copy more once all inits are detached that can be."""
    text = after(program("destinations", 52).text, "cse")
    assert counts(after(text, DETACH)) == counts(text)


def test_many_programs_change() -> None:
    """Each of the passes changes some of them, and conversion gains more than elimination in some."""
    texts = [after(program(subject, seed).text, "cse") for subject in SUBJECTS for seed in range(scaled(60, 12))]
    changed = {passes: [after(text, passes) for text in texts] for passes in (REMOVE, CONVERT, ELIMINATE)}
    for passes, results in changed.items():
        assert sum(one != other for one, other in zip(results, texts, strict=True)) >= len(texts) / 10, passes
    gains = [
        sum(counts(converted)) < sum(counts(eliminated))
        for converted, eliminated in zip(changed[CONVERT], changed[ELIMINATE], strict=True)
    ]
    assert sum(gains) >= len(texts) / 10
