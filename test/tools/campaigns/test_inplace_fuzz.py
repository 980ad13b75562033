"""The fuzzer: a budgeted run, what it finds when something is wrong, crashes and hangs, the command, old failures."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from fast_run import sample, scaled
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.fuzzing import (
    CONFIGURATIONS,
    KERNEL_CONFIGURATIONS,
    OPTIMIZE_CONFIGURATIONS,
    Campaign,
    FindingKind,
    Trial,
    trial,
    try_program,
)
from mlir_inplace.checking.fuzzing.comparison import Agreement, compare, describe
from mlir_inplace.checking.fuzzing.configurations import find_configurations
from mlir_inplace.checking.generator import GeneratedProgram
from mlir_inplace.dialects.dispatch import mentions_dispatch
from mlir_inplace.dialects.linalg import StructuredOpModel
from mlir_inplace.dialects.tensor import InsertModel, InsertSliceModel
from mlir_inplace.passes.analysis.repetition.bodies import Body
from mlir_inplace.passes.analysis.schedule.time_skew import plan_skew
from mlir_inplace.passes.kernels import tabulate_calls
from mlir_inplace.passes.kernels.rewriting.optimized_kernels import Kernels, take_kernels
from mlir_inplace.passes.kernels.rewriting.outlining import Outlining
from mlir_inplace.passes.scheduling import skew_time
from mlir_inplace.runtime.compilation import steps
from mlir_inplace.runtime.interface.signature_reading import read_signature
from mlir_inplace.tools.inplace_fuzz import main
from mlir_inplace.tools.run.call_arguments import make_argument

REGRESSIONS = sorted((Path(__file__).parents[2] / "regressions").glob("*/*.mlir"))
KERNELS = [path for path in REGRESSIONS if mentions_dispatch(path.read_text())]
ON_TENSORS = [path for path in REGRESSIONS if path not in KERNELS]

BUDGET = range(7004, 7004 + scaled(20, least=2))
"""The programs of the run in CI; for long runs there is inplace-fuzz."""


def test_budgeted_run() -> None:
    """All configurations of a few programs, and compiled code of one. More: inplace-fuzz --seeds 0..20000 --jobs 2."""
    tally = Campaign(BUDGET, jit_every=7005).run()
    assert list(tally.failures) == []
    assert tally.others == {}
    assert (tally.programs, tally.executed) == (len(BUDGET), 1)
    assert tally.runs == len(BUDGET) * len(CONFIGURATIONS)
    assert tally.runs > tally.evaluated > 3 * len(BUDGET)
    assert min(tally.allocations, tally.copies) > len(BUDGET)


def kernels(seeds: range, *, jit_every: int = 0) -> Campaign:
    """A campaign with dispatch functions."""
    return Campaign(seeds, KERNEL_CONFIGURATIONS, kernels=True, jit_every=jit_every)


@pytest.mark.full
def test_budgeted_run_of_kernels() -> None:
    """More: inplace-fuzz --kernels --seeds 0..5000 --jobs 2."""
    seeds = range(7004, 7004 + scaled(12))
    tally = kernels(seeds, jit_every=7005).run()
    assert list(tally.failures) == []
    assert tally.others == {}
    assert (tally.programs, tally.executed, tally.runs) == (len(seeds), 1, len(seeds) * len(KERNEL_CONFIGURATIONS))
    assert min(tally.evaluated, tally.copies) > 2 * len(seeds)


@pytest.mark.full
def test_budgeted_run_of_optimization() -> None:
    """More: inplace-fuzz --optimize --seeds 0..5000 --jobs 2."""
    seeds = range(7004 - scaled(3), 7004)
    campaign = Campaign(seeds, OPTIMIZE_CONFIGURATIONS, optimize=True, jit_every=7003)
    trials = [campaign.attempt(seed) for seed in campaign.seeds]
    assert [finding for found in trials for finding in found.findings] == []
    assert sum(found.executed for found in trials) == 1
    assert sum(found.runs for found in trials) == len(seeds) * len(OPTIMIZE_CONFIGURATIONS)
    assert sum(found.evaluated for found in trials) > 5 * len(seeds)


@pytest.mark.full
def test_kernels_and_tables_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """In compiled programs, also where nothing is repeated often enough for it to be worth it."""
    kernels: list[int] = []
    tables: list[int] = []

    def taken(module: ir.Operation, *, open_sizes: bool) -> Kernels | None:
        made = take_kernels(module, open_sizes=open_sizes)
        kernels.append(len(list(made.module.body.operations)) if made else 0)
        return made

    def counted(self: tabulate_calls.TabulateCallsPass, op: ir.Operation) -> None:
        run(self, op)
        tables.append(str(op).count(f" @{tabulate_calls.TABLE}"))

    run = tabulate_calls.TabulateCallsPass.run
    monkeypatch.setattr(steps, "take_kernels", taken)
    monkeypatch.setattr(tabulate_calls.TabulateCallsPass, "run", counted)
    configurations = find_configurations(["kernels", "kernels-128"], OPTIMIZE_CONFIGURATIONS)
    campaign = Campaign(range(7005, 7012, 6), configurations, optimize=True, engine="jit")
    assert [finding for seed in campaign.seeds for finding in campaign.attempt(seed).findings] == []
    assert kernels == [3, 3, 5, 5]
    assert min(tables) > 0


def test_wrong_kernels_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that are made, but not called."""

    def never(self: Outlining, bodies: Sequence[Body]) -> str:
        function = bodies[0].op.parent
        name = call(self, bodies)
        assert function is not None
        for view in list(function.regions[0].blocks[0].operations):
            if view.operation.name == "func.call":
                view.operation.erase()
        return name

    call = Outlining.call
    monkeypatch.setattr(Outlining, "call", never)
    configurations = find_configurations(["kernels"], OPTIMIZE_CONFIGURATIONS)
    findings = Campaign(range(7005, 7006), configurations, optimize=True, engine="jit").attempt(7005).findings
    assert [finding.kind for finding in findings] == [FindingKind.VALUE]


def test_wrong_optimization_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps that run over rows which the sweep before has not computed yet."""
    monkeypatch.setattr(skew_time, "plan_skew", lambda *how: replace(plan_skew(*how), shift=0))
    campaign = Campaign(range(25, 40, 2), find_configurations(["skew-time"], OPTIMIZE_CONFIGURATIONS), optimize=True)
    found = {finding.kind for seed in campaign.seeds for finding in campaign.attempt(seed).findings}
    assert found == {FindingKind.VALUE}


@pytest.mark.full
def test_wrong_models_of_kernels_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StructuredOpModel, "bufferizes_to_memory_write", lambda self, op, operand: False)
    campaign = kernels(range(6))
    found = {finding.kind for seed in campaign.seeds for finding in campaign.attempt(seed).findings}
    assert FindingKind.ARGUMENT in found


def broken(monkeypatch: pytest.MonkeyPatch, *models: type, configuration: str = "bottom-up") -> set[FindingKind]:
    """What is found in a few programs if models say that their ops write nothing."""
    for model in models:
        monkeypatch.setattr(model, "bufferizes_to_memory_write", lambda self, op, operand: False)
    campaign = Campaign(range(40), find_configurations([configuration]), features=["slices", "generic", "creation"])
    found = (finding.kind for seed in campaign.seeds for finding in campaign.attempt(seed).findings)
    return {kind for kind in found if kind.is_failure}


def test_nothing_is_found_where_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken(monkeypatch) == set()


def test_wrong_models_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FindingKind.VALUE in broken(monkeypatch, InsertModel, InsertSliceModel)


def test_leaks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "free_buffers", lambda source, module: None)
    assert broken(monkeypatch) == {FindingKind.LEAK}


def test_exceptions_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(trial, "free_buffers", fail)
    assert broken(monkeypatch) == {FindingKind.BUG}


@dataclass(frozen=True)
class Rough(Campaign):
    """Programs that end the process, or never end, for which nobody waits long."""

    patience: float = 1.0

    def attempt(self, seed: int, begin: Callable[[int], None] = lambda number: None) -> Trial:
        begin(1)
        if seed == 1:
            os._exit(9)
        if seed == 2:
            while True:  # It runs; one that only waits has twenty times as long.
                pass
        return Trial(bufferized=Counter([CONFIGURATIONS[1].name]))


def test_crashes_and_hangs_end_no_campaign() -> None:
    tally = Rough(range(5), jobs=2).run()
    found = {(f.seed, f.configuration, f.kind, f.text) for f in tally.failures}
    name = CONFIGURATIONS[1].name
    assert found == {(1, name, FindingKind.CRASH, "exit code 9"), (2, name, FindingKind.TIME, "more than 1 s")}
    assert (tally.programs, tally.runs) == (5, 3)


@dataclass(frozen=True)
class Waiting(Campaign):
    """Programs that wait, for a while or for ever."""

    def attempt(self, seed: int, begin: Callable[[int], None] = lambda number: None) -> Trial:
        begin(1)
        time.sleep(0.5 if seed == 1 else 1000)
        return Trial()


def test_waiting_is_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that does not run, as on a busy machine, has longer than one that does; but not for ever."""
    monkeypatch.setattr("mlir_inplace.checking.fuzzing.campaign._STARTING", 0.0)
    tally = Waiting(range(1, 3), patience=0.2).run()
    assert [(finding.seed, finding.kind) for finding in tally.failures] == [(2, FindingKind.TIME)]


def test_a_time_limit_ends_the_campaign() -> None:
    assert Campaign(range(10**6), find_configurations(["bottom-up"])).run(seconds=0.0).programs == 1


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "3..5", "--configurations", "bottom-up,top-down", "--features", "slices"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        r"2 programs in \d+ s: 4 bufferizations, [234] different programs evaluated, 0 compiled and run", lines[0]
    )
    assert lines[-1] == "failures: none"


def test_each_program_goes_through_a_part_of_the_configurations(capsys: pytest.CaptureFixture[str]) -> None:
    """Evenly: of as many programs as there are configurations, each configuration has as many; drawn, not in turn."""
    campaign = Campaign(range(10 * len(CONFIGURATIONS)), part=2)
    drawn = [campaign.drawn(seed) for seed in campaign.seeds]
    assert {len(set(numbers)) for numbers in drawn} == {2}
    assert Counter(number for numbers in drawn for number in numbers) == dict.fromkeys(range(len(CONFIGURATIONS)), 20)
    assert len({tuple(numbers) for numbers in drawn}) > len(CONFIGURATIONS)
    assert main(["--seeds", "6..10", "--configurations", "bottom-up,top-down", "--part", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] in ("bufferizations: bottom-up 2, top-down 2", "bufferizations: top-down 2, bottom-up 2")


def test_a_campaign_goes_on_from_its_state(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def run(seeds: str, *more: str) -> tuple[int, list[str]]:
        given = ["--seeds", seeds, "--configurations", "bottom-up", "--state", str(tmp_path / "state.json"), *more]
        code = main(given)
        found = capsys.readouterr()
        return code, (found.out or found.err).splitlines()

    _, once = run("3..5")
    _, twice = run("3..8")
    tally = Campaign(range(3, 8), find_configurations(["bottom-up"])).run()
    assert once[0].startswith("2 programs in ")
    assert twice[0].startswith(f"5 programs in {twice[0].split()[3]} s: 5 bufferizations, {tally.evaluated} different")
    assert (
        twice[1]
        == f"{tally.allocations} allocations and {tally.copies} copies, {tally.rounded} results differ by rounding"
    )
    code, refused = run("3..8", "--size", "7")
    assert code == 2
    assert "is the state of a run with other settings" in refused[0]
    (tmp_path / "state.json").write_text("{}")
    code, refused = run("3..8")
    assert code == 2
    assert "is not a state of inplace-fuzz" in refused[0]


def test_failures_stay_in_the_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("mlir_inplace.tools.inplace_fuzz.Campaign", Rough)
    given = ["--state", str(tmp_path / "state.json"), "--seeds"]
    assert [main([*given, "0..2"]), main([*given, "0..3", "--time-limit", "0.001"]), main([*given, "0..2"])] == [
        1,
        1,
        1,
    ]


def test_random_orders_share_an_analysis() -> None:
    """Each outcome that differs is a copy of the main function; a wrong model shows in some of them."""
    campaign = Campaign(range(8), find_configurations(["orders"]))
    trials = [campaign.attempt(seed) for seed in campaign.seeds]
    assert [finding for found in trials for finding in found.findings] == []
    assert all(found.evaluated == found.runs > 0 for found in trials)
    assert sum(found.runs for found in trials) > len(trials)


def test_wrong_models_are_found_by_random_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FindingKind.VALUE in broken(monkeypatch, InsertModel, InsertSliceModel, configuration="orders")


def test_failures_are_saved(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("mlir_inplace.tools.inplace_fuzz.Campaign", Rough)
    assert main(["--seeds", "0..2", "--save", str(tmp_path / "new")]) == 1
    (path,) = (tmp_path / "new").iterdir()
    text = path.read_text()
    assert path.name == "seed-1-bottom-up.mlir"
    assert text.startswith("// crash: exit code 9\n// inplace-fuzz --seeds 1..2 --size 6 --configurations bottom-up\n")
    with ir.Context():
        assert ir.Module.parse(text).operation.verify()
    assert "seed 1, bottom-up: crash: exit code 9\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seeds", "5"], "--seeds must be A..B with A smaller than B, as in 0..200, got '5'"),
        (["--seeds", "5..5"], "--seeds must be A..B with A smaller than B, as in 0..200, got '5..5'"),
        (["--seeds", "²..3"], "--seeds must be A..B with A smaller than B, as in 0..200, got '²..3'"),
        (["--seeds", f"0..{10**20}"], "--seeds has numbers of more than 18 digits: '0..100000000000000000000'\n"),
        (["--size", "x"], "argument --size: invalid int value: 'x'\n"),
        (["--jobs", "257"], "--jobs must be at most 256, got 257\n"),
        (["--time-limit", "nan"], "--time-limit must be at least 0.001, got nan\n"),
        (["--save", ""], "--save needs a folder, got ''\n"),
        (["no-file"], "unrecognized arguments: no-file\n"),
        (
            ["--kernels", "--optimize"],
            "--kernels and --optimize exclude each other; leave one of them out",
        ),
        (["--optimize", "--features", "slices"], "--features does not apply to --optimize; leave one of them out"),
        (["--jobs", "0"], "--jobs must be at least 1, got 0"),
        (["--jit-every", "-1"], "--jit-every must be at least 0, got -1"),
        (["--configurations", "none"], "--configurations: unknown configuration 'none'; known are cheapest, "),
        (["--features", "none"], "--features: unknown feature 'none'; known are slices, "),
    ],
)
def test_wrong_command_lines(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"inplace-fuzz: error: {message}")


def test_an_output_that_is_closed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    assert main(["--seeds", "0..1"]) == 1
    assert capsys.readouterr().err == "inplace-fuzz: error: standard output is closed\n"


def test_a_folder_that_cannot_be(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert main(["--seeds", "0..1", "--save", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err == f"inplace-fuzz: error: cannot write '{tmp_path / 'file'}': File exists\n"


def test_comparison() -> None:
    values = np.array([[1.0, np.nan], [3.0, 4.0]], np.float32)
    assert compare(values, values.copy()) is Agreement.SAME
    assert compare(values * np.float32(1.0001), values) is Agreement.ROUNDED
    assert compare(values + 1, values) is Agreement.DIFFERENT
    assert compare(values[:1], values) is Agreement.DIFFERENT
    assert compare(np.array([1, 2]), np.array([1, 3])) is Agreement.DIFFERENT
    assert describe(values + np.array([0, 1], np.float32), values) == "has [1, 1] 5.0 instead of 4.0"
    assert describe(values[:1], values) == "has the shape (1, 2), not (2, 2)"


def regression(path: Path) -> GeneratedProgram:
    """A program that failed once. A line `// ARGUMENTS: …` for each set has its arguments as inplace-run has them."""
    text = path.read_text()
    if path in KERNELS:
        signature = mi.compile(text).main.signature
    else:
        with ir.Context():
            module = ir.Module.parse(text)
            signature = read_signature(next(op for op in module.body.operations if op.name.value == "main"))
    sets = [
        line.removeprefix("// ARGUMENTS:").split() for line in text.splitlines() if line.startswith("// ARGUMENTS:")
    ]
    assert sets, path
    random = np.random.default_rng(0)
    given = [
        tuple(
            make_argument(word, parameter, random) for word, parameter in zip(words, signature.parameters, strict=True)
        )
        for words in sets
    ]
    written = tuple(p.index for p in signature.parameters if p.writable) if path in KERNELS else ()
    return GeneratedProgram(0, text, "main", (), (), tuple(given), written)


@pytest.mark.parametrize("path", sample(REGRESSIONS, least=8), ids=lambda path: path.stem)
def test_programs_that_failed_once(path: Path) -> None:
    program = regression(path)
    configurations = KERNEL_CONFIGURATIONS if path in KERNELS else CONFIGURATIONS
    compiled = [n for n, c in enumerate(configurations) if c.name in ("cheapest", "destinations", "kernel-plan")]
    found = try_program(program, configurations, compiled=compiled)
    assert [finding for finding in found.findings if finding.kind is not FindingKind.REFUSED] == []
    assert found.runs > 0


@pytest.mark.parametrize("path", sample(ON_TENSORS, least=8), ids=lambda path: path.stem)
def test_programs_that_failed_once_optimized(path: Path) -> None:
    found = try_program(regression(path), OPTIMIZE_CONFIGURATIONS, compiled=[0])
    assert list(found.findings) == []
    assert found.runs > 0
