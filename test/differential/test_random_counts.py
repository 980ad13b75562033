"""Random programs by our bufferization and by upstream's: what is compared, and that ours hardly ever has more."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter

import numpy as np
import oracle
import pytest
import random_counts
from fast_run import seeds
from mlir import ir
from random_counts import (
    KINDS,
    Costs,
    attempt,
    counted,
    functions,
    is_wrong,
    refuted,
    refuted_by_a_caller,
    refuted_by_siblings,
    run,
    upstream,
    variations,
    with_any_conditions,
    with_other_fills,
)

from mlir_inplace.checking.evaluator import Evaluator
from mlir_inplace.checking.generator import GeneratedProgram

KIND = list(KINDS)


@pytest.mark.full
def test_ours_hardly_ever_has_more() -> None:
    """Nor is it wrong or refused; upstream has less in a few of a thousand."""
    tried = seeds(60, least=6)
    found = [attempt(KIND[seed % len(KIND)], seed, first="canonicalize,cse").outcome for seed in tried]
    assert not [outcome for outcome in found if outcome.startswith(("wrong in ours", "refused by ours"))]
    outcomes = Counter(found)
    assert outcomes["same"] + outcomes["fewer"] >= len(found) * 3 / 4
    assert outcomes["more"] <= 1


def test_what_is_not_used_costs_nothing() -> None:
    """As they are generated, the programs compute much that is not used."""
    found = [attempt(KIND[seed % len(KIND)], seed) for seed in seeds(24, least=8)]
    assert 2 * sum(c.ours.allocations for c in found) < sum(c.upstream.allocations for c in found)


def test_a_crash_says_whose_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of upstream's bufferization are none of ours."""

    def crash(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    monkeypatch.setattr(random_counts, "counted", crash)
    assert attempt(KIND[0], 0).outcome == "crash or hang in the clean-up after ours: SIGSEGV"
    monkeypatch.setattr(random_counts, "upstream", crash)
    assert attempt(KIND[0], 0).outcome == "crash or hang in upstream's bufferization: SIGSEGV"


def test_what_upstream_cannot_clean_up_is_counted() -> None:
    """It makes a cast of no elements to six where nothing ever runs, and refuses that."""
    text = """func.func @main(%m: memref<6xf32>) -> memref<6xf32> {
      %zero = arith.constant 0 : index
      %a = memref.alloc() : memref<6xf32>
      memref.copy %m, %a : memref<6xf32> to memref<6xf32>
      %v = memref.subview %a[0] [%zero] [1] : memref<6xf32> to memref<?xf32, strided<[1]>>
      %w = memref.cast %v : memref<?xf32, strided<[1]>> to memref<6xf32>
      return %w : memref<6xf32>
    }"""
    with pytest.raises(ir.MLIRError, match="are cast incompatible"):
        oracle.count_memory_ops(oracle.parse(text))
    assert counted(oracle.parse(text)) == Costs(1, 1)


def test_fills_get_other_numbers() -> None:
    """So that one fill that overwrites another does not go unnoticed; what decisions depend on stays."""
    text = "\n".join(f"  %{n} = linalg.fill ins(%x : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>" for n in range(40))
    found = with_other_fills(text + "\n  %y = linalg.copy ins(%x : f32)", random.Random(0)).splitlines()
    constants = [line for line in found if "arith.constant" in line]
    assert 10 < len(constants) < 30
    assert len(found) == 41 + len(constants)
    assert len({line.partition("=")[2] for line in constants}) > 3
    assert found[-1].endswith("linalg.copy ins(%x : f32)")


def test_each_number_is_compared() -> None:
    assert Costs(2, 1, 6, 3, 48).exceeds(Costs(1, 1, 6, 2, 64)) == ["allocations", "copied"]


@pytest.mark.parametrize(("returned", "wrong"), [("%t", "upstream, with other arguments"), ("%0", "")])
def test_upstream_may_be_wrong_for_arguments_that_were_not_tried(returned: str, wrong: str) -> None:
    """It does not follow tensors through branches: it writes what is still read, here what is there already."""
    text = f"""
      func.func @main(%t: tensor<?xf32>, %f: f32) -> tensor<?xf32> {{
        %c0 = arith.constant 0 : index
        cf.br ^next(%t : tensor<?xf32>)
      ^next(%x: tensor<?xf32>):
        %0 = tensor.insert %f into %x[%c0] : tensor<?xf32>
        return {returned} : tensor<?xf32>
      }}
    """
    program = GeneratedProgram(0, text, "main", (), (), ((np.array([1, 2], np.float32), 1.0),), kept=())
    module = oracle.parse(text)
    _, made = upstream(module)
    assert not is_wrong(program, run(made, program)[0], run(module, program)[0])
    assert refuted(program, module, {"upstream": made}) == wrong


def test_other_arguments_are_of_the_same_types() -> None:
    text = "func.func @main(%n: index, %p: i1, %t: tensor<2x?xi8>, %u: tensor<?xf32>) { return }"
    given = (3, True, np.arange(6, dtype=np.int8).reshape(2, 3), np.arange(3, dtype=np.float32))
    program = GeneratedProgram(0, text, "main", (), (), (given,))
    found = list(variations(program, oracle.parse(text)))
    assert ({n for n, *_ in found}, {p for _, p, *_ in found}) == (set(range(6)), {False, True})
    for n, _, t, u in found:
        assert (t.shape, u.shape) == ((2, n), (n,))
        assert (t.dtype, u.dtype) == (np.int8, np.float32)
    assert any(np.array_equal(u, [2, 1, 0]) for *_, u in found)


@pytest.mark.parametrize(
    ("read", "wrong"), [("%t", "upstream, with other arguments and "), pytest.param("%x", "", marks=pytest.mark.full)]
)
def test_upstream_may_be_right_by_chance(read: str, wrong: str) -> None:
    """It does not see that blocks are run again. What is computed from what was overwritten is 0 in any case here."""
    text = f"""
      func.func @main(%t: tensor<4xi8>) -> tensor<4xi8> {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        cf.br ^next(%c0, %t : index, tensor<4xi8>)
      ^next(%i: index, %x: tensor<4xi8>):
        %0 = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
            outs({read} : tensor<4xi8>) {{
          ^bb0(%out: i8):
            %1 = arith.xori %out, %out : i8
            linalg.yield %1 : i8
        }} -> tensor<4xi8>
        %j = arith.addi %i, %c1 : index
        %more = arith.cmpi slt, %j, %c3 : index
        cf.cond_br %more, ^next(%j, %0 : index, tensor<4xi8>), ^last
      ^last:
        return %0 : tensor<4xi8>
      }}
    """
    program = GeneratedProgram(0, text, "main", (), (), ((np.arange(4, dtype=np.int8),),))
    module = oracle.parse(text)
    _, made = upstream(module)
    assert not refuted(program, module, {"upstream": made})
    found = refuted_by_siblings(program, module, counted(made))
    assert found.startswith(wrong)
    assert bool(found) == bool(wrong)


@pytest.mark.parametrize(("returned", "wrong"), [("%t", "upstream, with other arguments"), ("%0", "")])
def test_upstream_may_be_wrong_in_a_function_whose_results_are_not_used(returned: str, wrong: str) -> None:
    text = f"""
      func.func private @called(%t: tensor<?xf32>, %n: index, %f: f32) -> tensor<?xf32> {{
        %c0 = arith.constant 0 : index
        cf.br ^next(%t : tensor<?xf32>)
      ^next(%x: tensor<?xf32>):
        %0 = tensor.insert %f into %x[%c0] : tensor<?xf32>
        return {returned} : tensor<?xf32>
      }}
      func.func @main(%t: tensor<?xf32>, %n: index, %f: f32) -> f32 {{
        %0 = func.call @called(%t, %n, %f) : (tensor<?xf32>, index, f32) -> tensor<?xf32>
        return %f : f32
      }}
    """
    program = GeneratedProgram(0, text, "main", (), (), ((np.array([1, 2], np.float32), 2, 1.0),), kept=())
    module = oracle.parse(text)
    _, made = upstream(module)
    assert refuted(program, module, {"upstream": made}) == wrong


@pytest.mark.parametrize("stored", [True, False])
def test_upstream_may_be_wrong_for_a_second_call(stored: bool) -> None:
    """It returns the memory of the global, which the caller may overwrite, and the next call does."""
    loaded = "%g = ml_program.global_load @g : tensor<2xf32>"
    text = f"""
      ml_program.global private mutable @g(dense<1.0> : tensor<2xf32>) : tensor<2xf32>
      func.func @main(%f: f32) -> tensor<2xf32> {{
        %0 = tensor.splat %f : tensor<2xf32>
        {"ml_program.global_store @g = %0 : tensor<2xf32>" if stored else ""}
        {loaded if stored else "%g = tensor.insert %f into %0[%c0] : tensor<2xf32>"}
        return %g : tensor<2xf32>
      }}
    """.replace("%0 = tensor.splat", "%c0 = arith.constant 0 : index\n%0 = tensor.splat")
    program = GeneratedProgram(0, text, "main", (), (), ((1.0,),), kept=())
    module = oracle.parse(text)
    texts = functions(upstream(module)[1])
    wrong = refuted_by_a_caller(program, module, texts, float("inf"))
    assert wrong == ("upstream, with other arguments and called twice" if stored else "")
    assert not refuted_by_a_caller(program, module, {**texts, "main": "changed by the caller"}, float("inf"))


def test_any_condition_is_drawn_anew() -> None:
    """Both ways are taken, whatever the program's own condition is."""
    text = """
      func.func @main(%p: i1, %n: i32, %i: index) -> (i32, i32, i32) {
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %0 = scf.if %p -> (i32) {
          scf.yield %c1 : i32
        } else {
          scf.yield %c2 : i32
        }
        %1 = scf.index_switch %i -> i32
        case 1 {
          scf.yield %c1 : i32
        }
        default {
          scf.yield %c2 : i32
        }
        cf.cond_br %p, ^one(%0 : i32), ^two(%c2 : i32)
      ^one(%a: i32):
        return %0, %1, %a : i32, i32, i32
      ^two(%b: i32):
        cf.switch %n : i32, [
          default: ^one(%b : i32),
          1: ^one(%c1 : i32)
        ]
      }
    """
    draws = []
    for seed in range(60):
        opened = with_any_conditions(str(oracle.parse(text)), random.Random(seed)).replace("<0>", f"<{seed * 7919**2}>")
        draws.append(Evaluator(oracle.parse(opened)).run("main", [True, 1, 1]).results)
    assert [{int(value) for value in values} for values in zip(*draws, strict=True)] == [{1, 2}] * 3
