"""Eliminating empty tensors: random programs keep their values and never cost more; chains of any length work."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir
from random_insertions import RandomProgram, random_program
from transformed import counts, transformed

import mlir_inplace as mi

ELIMINATE = "inplace-eliminate-empty-tensors"


def run(program: RandomProgram, compiled: mi.Program, place: int, flag: bool) -> None:
    a, b = np.arange(12.0) + 1, np.arange(12.0) * 3 + 100
    wanted = program.run(a, b, place, flag)
    found = compiled.main(a, b, place, flag)
    for value, right in zip(found, wanted, strict=True):
        known = ~np.isnan(right)
        np.testing.assert_array_equal(value[known], right[known], program.text)
    np.testing.assert_array_equal(a, np.arange(12.0) + 1)
    np.testing.assert_array_equal(b, np.arange(12.0) * 3 + 100)
    assert compiled.memory_stats.leaked_bytes == 0


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    before, after = counts(program.text), counts(program.text, ELIMINATE)
    assert after[0] <= before[0] and after[1] <= before[1], program.text
    compiled = mi.compile(program.text, memory_stats=True, opt_level=0)
    for place in (0, 1):
        for flag in (False, True):
            run(program, compiled, place, flag)


def test_most_of_the_random_programs_gain() -> None:
    texts = [random_program(seed).text for seed in range(60)]
    gains = [counts(text, ELIMINATE) < counts(text) for text in texts]
    assert sum(gains) > 30


def concatenation(count: int) -> str:
    lines = [
        f"%f{i} = linalg.negf ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>" for i in range(count)
    ]
    lines += ["%i0 = tensor.empty() : !t"]
    lines += [
        f"%i{i + 1} = tensor.insert_slice %f{i} into %i{i}[{2 * i}] [2] [1] : tensor<2xf32> into !t"
        for i in range(count)
    ]
    body = "\n".join(lines)
    text = f"""func.func @main(%a: tensor<2xf32>) -> !t {{
      %e = tensor.empty() : tensor<2xf32>
      {body}
      return %i{count} : !t
    }}"""
    return text.replace("!t", f"tensor<{2 * count}xf32>")


def test_a_long_concatenation_needs_one_buffer() -> None:
    assert counts(concatenation(300), ELIMINATE) == (1, 0)


def test_a_program_without_empty_tensors_is_left_alone() -> None:
    text = """func.func @main(%t: tensor<8xf32>, %a: tensor<4xf32>) -> tensor<8xf32> {
      %0 = tensor.insert_slice %a into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
      return %0 : tensor<8xf32>
    }"""
    assert transformed(text, ELIMINATE) == transformed(text, "")


def test_new_ops_have_the_location_of_the_insertion() -> None:
    text = """func.func @main(%t: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<4xf32> loc("empty")
      %0 = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("fill")
      %1 = tensor.insert_slice %0 into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32> loc("insert")
      return %1 : tensor<8xf32> loc("return")
    }"""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module({ELIMINATE})")
        ops = list(module.body.operations[0].regions[0].blocks[0].operations)
        found = [(op.operation.name, str(op.location)) for op in ops]
    assert found[0] == ("tensor.extract_slice", 'loc("insert")')
    assert [name for name, _ in found[1:]] == ["linalg.fill", "tensor.insert_slice", "func.return"]
