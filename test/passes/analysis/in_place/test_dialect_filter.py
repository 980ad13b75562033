"""Ops that stay on tensors, among ops that do not: whatever is filtered, values are the same.

Programs are bufferized by us with a filter, and what is left by upstream with a copy before every write. Ops that are
left read what our buffers hold when they run, and views of them may live in our buffers: all that a filter allows.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from analysed import context, operations
from fast_run import seeds
from mlir import ir
from mlir.passmanager import PassManager
from test_soundness import COPY_EVERYTHING, UPSTREAM, assert_same, by_upstream, meanings

import mlir_inplace as mi
from mlir_inplace.checking.fuzzing.outcomes import copies_of
from mlir_inplace.checking.generator import generate

DIALECTS = ["arith", "func", "linalg", "scf", "tensor"]


COPY_IN_FUNCTIONS = COPY_EVERYTHING.replace(" bufferize-function-boundaries", "")


def filtered(text: str, options: str, rest: str) -> ir.Module:
    """`text` with buffers where the filter wants them, then everywhere."""
    with context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module(inplace-one-shot-bufferize{{{options}}})")
        # Upstream refuses tensors of buffers that others may know: its analysis could not see those. None is made.
        for op in operations(module):
            if op.name == "bufferization.to_tensor":
                op.attributes["restrict"] = ir.UnitAttr.get()
        PassManager.parse(rest).run(module.operation)
    return module


@pytest.mark.parametrize("seed", seeds(40, least=4))
def test_random_programs(seed: int) -> None:
    made, draw = generate(seed, size=6, features=UPSTREAM), random.Random(seed)
    dialects = ",".join(draw.sample(DIALECTS, draw.randrange(1, len(DIALECTS))))
    heuristic = draw.choice(["cheapest", "top-down", "bottom-up", "fuzzer"])
    options = f"dialect-filter={dialects} analysis-heuristic={heuristic} analysis-fuzzer-seed={seed}"
    if draw.random() < 0.5:
        options += " bufferize-function-boundaries"
    converted = "func" in dialects and "boundaries" in options
    ours = mi.compile(filtered(made.text, options, COPY_IN_FUNCTIONS if converted else COPY_EVERYTHING), opt_level=0)
    for expected, given in zip(meanings(made), made.argument_sets, strict=True):
        assert_same(ours.main(*copies_of(given)), expected, f"{options}\n{made.text}")


KEPT_VIEWS = {
    "a view of what is written later": """
      %s = tensor.extract_slice %a[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %w = linalg.fill ins(%f : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
      %r = tensor.insert_slice %s into %w[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
      return %r : tensor<8xf32>""",
    "a branch hands it out": """
      %s = scf.if %p -> tensor<8xf32> {
        scf.yield %a : tensor<8xf32>
      } else {
        scf.yield %b : tensor<8xf32>
      }
      %w = linalg.fill ins(%f : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
      %r = linalg.add ins(%s, %w : tensor<8xf32>, tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>""",
    "a loop carries it": """
      %s:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %b, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
        scf.yield %a, %x : tensor<8xf32>, tensor<8xf32>
      }
      %w = linalg.fill ins(%f : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
      %r = linalg.add ins(%s#1, %w : tensor<8xf32>, tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>""",
}


@pytest.mark.parametrize("heuristic", ["cheapest", "top-down", "bottom-up"])
@pytest.mark.parametrize("name", KEPT_VIEWS)
def test_ops_that_stay_may_hand_out_our_buffers(name: str, heuristic: str) -> None:
    text = f"""func.func @main(
        %a: tensor<8xf32> {{bufferization.writable = true}}, %b: tensor<8xf32> {{bufferization.writable = true}},
        %f: f32, %p: i1) -> tensor<8xf32> {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index{KEPT_VIEWS[name]}
    }}"""
    options = f"dialect-filter=linalg,func bufferize-function-boundaries analysis-heuristic={heuristic}"
    ours = mi.compile(filtered(text, options, COPY_IN_FUNCTIONS), opt_level=0)
    oracle = mi.compile(by_upstream(text), opt_level=0)
    a, b = np.arange(1, 9, dtype=np.float32), np.arange(11, 19, dtype=np.float32)
    expected = oracle.main(a.copy(), b.copy(), 100.0, True)
    np.testing.assert_array_equal(ours.main(a.copy(), b.copy(), 100.0, True), expected)


@pytest.mark.parametrize("dialects", ["tensor,bufferization", "tensor,func,arith", "linalg,tensor", "func,linalg"])
def test_what_threads_insert_stays_with_their_loop(dialects: str) -> None:
    """The slice that is inserted may be in a buffer; it is converted in front of the insertions."""
    text = """func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %r = scf.forall (%i) = (0) to (8) step (2) shared_outs(%o = %b) -> tensor<8xf32> {
        %s = tensor.extract_slice %a[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
        %w = tensor.insert %f into %s[%c0] : tensor<2xf32>
        %x = linalg.add ins(%w, %w : tensor<2xf32>, tensor<2xf32>) outs(%s : tensor<2xf32>) -> tensor<2xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %x into %o[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
        }
      }
      return %r : tensor<8xf32>
    }"""
    options = f"dialect-filter={dialects} bufferize-function-boundaries"
    rest = COPY_IN_FUNCTIONS if "func" in dialects else COPY_EVERYTHING
    ours = mi.compile(filtered(text, options, rest), opt_level=0)
    a, b = np.arange(1, 9, dtype=np.float32), np.arange(11, 19, dtype=np.float32)
    expected = 2 * a
    expected[::2] = 200
    np.testing.assert_array_equal(ours.main(a.copy(), b.copy(), 100.0), expected)
    np.testing.assert_array_equal(mi.compile(by_upstream(text), opt_level=0).main(a, b, 100.0), expected)


def test_insertions_of_a_loop_on_buffers_cannot_stay() -> None:
    text = """func.func @main(%a: tensor<2xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %r = scf.forall (%i) = (0) to (8) step (2) shared_outs(%o = %b) -> tensor<8xf32> {
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %a into %o[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
        }
      }
      return %r : tensor<8xf32>
    }"""
    with pytest.raises(mi.PassError, match="leaves 'tensor.parallel_insert_slice' on tensors"):
        filtered(text, "dialect-filter=scf", COPY_EVERYTHING)
