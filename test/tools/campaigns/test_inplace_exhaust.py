"""The command `inplace-exhaust`: bounds, samples, the state file, what is found, crashes and hangs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from fast_run import is_full

from mlir_inplace.checking.exhaustive import Exhaustion
from mlir_inplace.checking.exhaustive.campaign import BatchTally
from mlir_inplace.checking.exhaustive.programs import SmallProgram
from mlir_inplace.checking.exhaustive.workers import results
from mlir_inplace.tools.inplace_exhaust import main

NOTHING = "found: nothing\n"


def test_all_programs_of_one_op(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--ops=1"]) == 0
    first, counts, *_ = capsys.readouterr().out.splitlines()
    assert first == "all programs of up to 1 ops over the grammar {all ops}, 2 tensors, at most 2 results"
    assert counts.startswith("236 programs, 6 of them without a meaning; ")


def test_a_sample_of_larger_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """More: inplace-exhaust --ops 2."""
    many = "1/40" if is_full() else "1/1500"
    assert main(["--ops=2", "--sample", many, "--seed=5"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"about one of {many[2:]} (seed 5) of the programs of up to 2 ops") and out.endswith(NOTHING)


@pytest.mark.full
def test_a_sample_with_configurations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--ops=2", "--sample=1/500", "--configurations=destinations,out-params,hoist,move-reads"]) == 0
    assert main(["--ops=2", "--sample=1/3000", "--optimize"]) == 0
    assert capsys.readouterr().out.endswith(NOTHING)


@pytest.mark.full
def test_a_run_goes_on_where_it_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = tmp_path / "state.json"
    command = ["--ops=2", "--grammar=insert,extract,fill", f"--state={state}"]
    assert main([*command, "--time-limit=0.001"]) == 0
    assert capsys.readouterr().out.startswith("unfinished, ")
    counted = json.loads(state.read_text())["counts"]["programs"]
    assert main(command) == 0
    whole = capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out == whole
    assert main(command[:3]) == 0
    at_once = capsys.readouterr().out
    assert whole.startswith("all programs of up to 2 ops over the grammar {insert, extract, fill}, 2 tensors, ")
    assert whole.splitlines()[1] == at_once.splitlines()[1]
    assert 0 < counted < int(at_once.splitlines()[1].partition(" ")[0])


@pytest.mark.full
def test_several_processes_count_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--ops=2", "--grammar=insert,extract", "--results=1"]
    assert main([*command, "--jobs=2"]) == main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == lines[len(lines) // 2 :][:2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--grammar=insert,frob"], "--grammar: unknown op 'frob'"),
        (["--sample=2/3"], "--sample must be 1/N, as in 1/1000, got '2/3'"),
        (["--sample=1/0"], "--sample must be 1/N"),
        (["--arguments=wx"], "--arguments must be 1 to 4 letters w or r, as in wr, got 'wx'"),
        (["--least=3", "--ops=2"], "--least is 3, which is more than --ops, 2"),
        (["--configurations=frob"], "--configurations: unknown configuration 'frob'"),
        (["--ops=0"], "--ops"),
        (["--state="], "--state needs a name, got ''"),
    ],
)
def test_mistakes(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("inplace-exhaust: error: ") and message in line


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"settings": 1}', "\x00"])
def test_a_file_that_is_no_state(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = tmp_path / "state.json"
    state.write_text(content)
    assert main(["--ops=1", f"--state={state}"]) == 2
    assert "is not a state of inplace-exhaust; name another file" in capsys.readouterr().err
    assert state.read_text() == content


def test_the_state_of_another_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = tmp_path / "state.json"
    assert main(["--ops=1", "--grammar=insert,extract,fill", f"--state={state}"]) == 0
    assert main(["--ops=1", "--grammar=extract", f"--state={state}"]) == 2
    assert "is the state of a run with other settings" in capsys.readouterr().err


def rough(programs: Sequence[SmallProgram], _what: Exhaustion) -> BatchTally:
    """One program ends the process, another one never ends."""
    for program in programs:
        op, returned = program.body.ops[0], program.body.yields
        if op.operands == (1,) and len(returned) == 1:
            if op.places[0].factor == 0:
                os._exit(9)
            while True:  # It runs; one that only waits has twenty times as long.
                pass
    part = BatchTally()
    part.counts.update(programs=len(programs))
    return part


@pytest.mark.full
def test_crashes_and_hangs_are_findings() -> None:
    what = Exhaustion(1, ("extract",), batch=2)
    total = BatchTally()
    for _, part in results(what, 1, attempt=rough, patience=1.0):
        total.add(part)
    assert total.found == {"crash": 1, "too slow": 1}
    assert total.counts["programs"] == sum(len(batch) for _, batch in what.batches()) == 12
    crash, slow = total.findings
    assert (crash.text, slow.text) == ("exit code 9", "more than 1 s")
    assert "tensor.extract %v1[%k0]" in crash.program
