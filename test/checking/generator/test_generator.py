"""Random programs: valid, repeatable, with every op that has a model, and with the features that are asked for."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from mlir import ir

from mlir_inplace.checking.evaluator import evaluate
from mlir_inplace.checking.fuzzing.outcomes import copies_of
from mlir_inplace.checking.generator import (
    FEATURES,
    GeneratedProgram,
    generate,
    generate_kernel,
    generate_structured,
    with_repeated_body,
    with_reversed_slices,
)
from mlir_inplace.checking.generator.rules.features import PRODUCTIONS
from mlir_inplace.dialects import dispatch
from mlir_inplace.dialects.registry import described_ops
from mlir_inplace.dialects.shard import MODELS as SHARD_MODELS
from mlir_inplace.passes.framework.entered_context import new_context

SEEDS = range(300)
LEAST = 8

NOT_GENERATED = {
    "dispatch.contents": "made by inplace-promote-bindings, never written by hand",
    "dispatch.commit": "made by inplace-promote-bindings, never written by hand",
    "ml_program.global_load_graph": "its model refuses it",
    "ml_program.global_store_graph": "its model refuses it",
} | dict.fromkeys(
    (op for model in SHARD_MODELS for op in model.op_names), "on several ranks: test/dialects/shard generates them"
)


@functools.cache
def programs() -> list[tuple[GeneratedProgram, Counter[str]]]:
    """The programs of all seeds, each verified, with how often each op occurs."""
    found = []
    with ir.Context():
        for seed in SEEDS:
            program = generate(seed, size=6)
            module = ir.Module.parse(program.text)
            assert module.operation.verify(), program.text
            found.append((program, ops(module.operation)))
    return found


@functools.cache
def kernels() -> list[tuple[GeneratedProgram, Counter[str]]]:
    """The dispatch functions of all seeds, in the same way."""
    found = []
    with ir.Context() as context:
        for seed in SEEDS:
            program = generate_kernel(seed, size=6)
            module = dispatch.parse(program.text, context)
            assert module.operation.verify(), program.text
            found.append((program, ops(module.operation)))
    return found


def ops(root: ir.Operation) -> Counter[str]:
    """How often each op occurs; elementwise ones on tensors are counted for their dialect."""
    count: Counter[str] = Counter()

    def note(op: ir.Operation) -> ir.WalkResult:
        count[op.name] += 1
        dialect = op.name.partition(".")[0]
        if dialect == "linalg" or any(isinstance(result.type, ir.RankedTensorType) for result in op.results):
            count[f"{dialect}.*"] += 1
        return ir.WalkResult.ADVANCE

    root.walk(note)
    return count


def test_all_ops_with_a_model_are_generated() -> None:
    total: Counter[str] = Counter()
    for _, count in (*programs(), *kernels()):
        total.update(count)
    assert {name: total[name] for name in described_ops() if total[name] < LEAST} == dict.fromkeys(NOT_GENERATED, 0)


def test_all_features_and_rules_are_used() -> None:
    features = Counter(feature for program, _ in programs() for feature in program.features)
    assert {name: features[name] for name in FEATURES if features[name] < LEAST} == {}
    assert set(features) == set(FEATURES)


def test_all_productions_are_used() -> None:
    used: Counter[str] = Counter()
    for program, _ in programs():
        used.update(dict(program.productions))
    names = [f"{production.feature}.{production.name}" for production in PRODUCTIONS]
    assert {name: used[name] for name in names if used[name] < LEAST} == {}


def test_all_linalg_ops_are_generated() -> None:
    """One model describes them all, so that they are counted one by one."""
    total: Counter[str] = Counter()
    for _, count in programs():
        total.update(count)
    named = "add sub max min copy transpose broadcast reduce matmul matvec dot pooling_nhwc_max map"
    others = "fill generic index pack unpack softmax"
    names = [f"linalg.{name}" for name in f"{named} {others}".split()]
    assert {name: total[name] for name in names if total[name] < LEAST} == {}


def test_kernels() -> None:
    """All rules are used, all kinds of bindings occur, and rows are empty in some calls; grids differ."""
    rules = Counter(rule for program, _ in kernels() for rule, count in program.productions for _ in range(count))
    assert len(rules) == 10
    assert min(rules.values()) > LEAST
    text = "".join(program.text for program, _ in kernels())
    for part in ("readonly", "writeonly", "readwrite", "tensor<?x?x", "x2x?x", "workgroup_id 1", "step %count"):
        assert text.count(part) > LEAST, part
    shapes = [program.argument_sets[n][0].shape for program, _ in kernels() for n in range(3)]
    assert len({shape[0] for shape in shapes}) == 4
    assert sum(shape[-1] == 0 for shape in shapes) > LEAST


def test_structured_programs() -> None:
    """They are valid and repeatable, all rules are used, with several element types, and sizes are 0 and 1 in some."""
    found = [generate_structured(seed) for seed in range(60)]
    with ir.Context():
        assert all(ir.Module.parse(program.text).operation.verify() for program in found)
    assert found[7].text == generate_structured(7).text
    rules = Counter(rule for program in found for rule, count in program.productions for _ in range(count))
    assert len(rules) == 16
    assert min(rules.values()) >= 3
    arrays = [v for p in found for given in p.argument_sets for v in given if isinstance(v, np.ndarray)]
    assert len({array.dtype for array in arrays}) == 7
    sizes = Counter(size for array in arrays for size in array.shape)
    assert min(sizes[0], sizes[1], sizes[17]) > LEAST


def test_sizes_and_ranks() -> None:
    """Arguments have all ranks and element types; sizes are 0 and 1 in some sets."""
    arrays = [v for p, _ in programs() for given in p.argument_sets for v in given if isinstance(v, np.ndarray)]
    assert {array.ndim for array in arrays} == {0, 1, 2, 3, 4}
    assert len({array.dtype for array in arrays}) == 8  # index and i64 are one.
    sizes = Counter(size for array in arrays for size in array.shape)
    assert min(sizes[0], sizes[1], sizes[5]) > 50


def test_slices_backwards() -> None:
    """They are valid, in bounds, and many, by numbers and by values; nothing else changes."""
    changed = Counter[str]()
    with ir.Context():
        for program, _ in programs()[:60]:
            backwards = with_reversed_slices(program)
            assert backwards.argument_sets is program.argument_sets
            if backwards.text == program.text:
                continue
            added = Counter(backwards.text.split("\n")) - Counter(program.text.split("\n"))
            for line in added:
                assert re.search(r"%back\d+ = arith|%back\d+[^\]]*\] \[|\[[^\]]*-\d[^\]]*\] :", line)
            changed["programs"] += 1
            changed["offsets"] += any(re.search(r"\[[^\]]*%back\d+[^\]]*\] \[", line) for line in added)
            changed["strides"] += any(re.search(r"\[[^\]]*%back\d+[^\]]*\] :", line) for line in added)
            changed["sizes"] += any("arith.minsi" in line for line in added)
            module = ir.Module.parse(backwards.text)
            assert module.operation.verify(), backwards.text
            for given in backwards.argument_sets[:1]:
                evaluate(module, backwards.function, copies_of(given))
    assert changed["programs"] > 30
    assert min(changed.values()) > 5


def test_slices_of_kernels_backwards() -> None:
    """Also those of memory, whose strides are values."""
    changed = Counter[str]()
    for seed in range(40):
        program = with_reversed_slices(generate_kernel(seed))
        module = dispatch.parse(program.text, new_context())
        for given in program.argument_sets:
            evaluate(module, program.function, copies_of(given))
        changed.update(found[1] for found in re.finditer(r"((?:dispatch|tensor)\.\w+) [^=]*\[[^=]*%back", program.text))
    assert min(changed[name] for name in ("dispatch.load", "dispatch.store", "tensor.extract_slice")) > 5


def test_bodies_several_times() -> None:
    """Each round computes on other values; the first gives what the program itself gives."""
    rounds = Counter[int]()
    for seed in range(24):
        program = generate_structured(seed)
        given = program.argument_sets[0]
        with ir.Context():
            once = ir.Module.parse(program.text)
            thrice = ir.Module.parse(with_repeated_body(program).text)
            assert thrice.operation.verify()
            expected = evaluate(once, program.function, copies_of(given)).results
            found = evaluate(thrice, program.function, copies_of(given)).results
        assert len(found) == 3 * len(expected)
        for number, value in enumerate(expected):
            np.testing.assert_array_equal(found[number], value)
            rounds[number] += not np.array_equal(found[number + len(expected)], value)
    assert rounds[0] > 8


def test_what_may_change_is_told() -> None:
    """An argument is kept, changed, or its memory may be used, as its type and attribute say."""
    for program, _ in programs():
        head = re.search(r"@main\((.*)\) -> ", program.text)
        assert head is not None
        parts = re.split(r", (?=%)", head[1])
        for number, part in enumerate(parts):
            is_input = f"to_tensor {part.split(':')[0]} " in program.text
            is_writable = f"to_tensor {part.split(':')[0]} restrict writable" in program.text
            kept = "= false" in part or ("memref" in part and not (is_input and is_writable))
            assert (number in program.kept, number in program.unspecified) == (kept, "= true" in part or is_writable)


def test_elements_differ() -> None:
    for program, _ in programs():
        for array in (v for given in program.argument_sets for v in given if isinstance(v, np.ndarray)):
            assert array.dtype == np.bool_ or len(np.unique(array.astype(np.float64))) >= min(array.size, 127)


def test_a_while_hands_on_sizes_that_are_known_outside() -> None:
    """What the loop of seed 2398 hands on has a size from inside of it, which the program once asked for behind it."""
    with ir.Context():
        module = ir.Module.parse(generate(2398, size=6, features=["slices", "loops", "reshapes"]).text)
        assert ops(module.operation)["scf.while"] > 0
        assert module.operation.verify()


def test_many_bytes_count_from_0_again() -> None:
    """Seed 2831 has a constant of more bytes than there are numbers for."""
    with ir.Context():
        text = generate_structured(2831, size=6).text
        assert "253, 254, 255, 0, 1, 2" in text
        module = ir.Module.parse(text)
        assert module.operation.verify()


@pytest.mark.parametrize("feature", FEATURES)
def test_features_can_be_left_out(feature: str) -> None:
    rest = [name for name in FEATURES if name != feature]
    assert all(feature not in generate(seed, features=rest).features for seed in range(20))


def test_only_one_feature() -> None:
    assert {name for seed in range(20) for name in generate(seed, features=["slices"]).features} == {"slices"}


def test_unknown_feature() -> None:
    with pytest.raises(ValueError, match="unknown feature 'slicing'; known are slices, generic, named"):
        generate(0, features=["slicing"])


def test_the_same_in_every_process() -> None:
    """Nothing depends on the order of a set or on addresses."""
    code = (
        "import hashlib; from mlir_inplace.checking.generator import generate\n"
        "print(hashlib.sha256(''.join(repr(generate(seed, size=6)) for seed in range(30)).encode()).hexdigest())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for number in ("1", "2")
    ]
    here = hashlib.sha256("".join(repr(program) for program, _ in programs()[:30]).encode()).hexdigest()
    assert runs == [here, here]
