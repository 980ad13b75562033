"""Dispatch functions through the evaluator: on tensors, and as the memrefs that both routes make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
from dispatch_cases.case import Case
from dispatch_execution import LOWERING, ROUTES, as_arguments, grid_arguments, parse
from mlir import ir
from test_dispatch_routes import ALL, EXECUTED, split

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluation, EvaluationError, Evaluator

KERNEL = """
func.func @main() {
  %n = dispatch.push_constant 0 : index
  %id = dispatch.workgroup_id 1 : index
  %size = dispatch.workgroup_size 1 : index
  %a = dispatch.binding set(0) binding(0) sizes(%n) : !dispatch.readonly<tensor<?xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<4xf32>>
  %t = dispatch.load %a[%id] [%size] [1] : !dispatch.readonly<tensor<?xf32>> -> tensor<?xf32>
  dispatch.store %t, %b[%id] [%size] [1] : tensor<?xf32> -> !dispatch.writeonly<tensor<4xf32>>
  return
}"""


def entry(module: ir.Module) -> str:
    """The name of the only public function."""
    (name,) = [
        ir.StringAttr(op.attributes["sym_name"]).value
        for op in module.body.operations
        if op.operation.name == "func.func" and "sym_visibility" not in op.attributes
    ]
    return name


def run(evaluator: Evaluator, name: str, case: Case, number: int, count: Any, size: Any) -> Evaluation:
    """One run, whose bindings must hold what NumPy says."""
    expected, constants = split(case.runs[number])
    case.numpy(*expected, *constants)
    bindings, _ = split(case.runs[number])
    given = [*as_arguments(case.text, bindings), *constants, *grid_arguments(case.text, count, size)]
    result = evaluator.run(name, given)
    for found, wanted in zip(bindings, expected, strict=True):
        np.testing.assert_allclose(found, wanted, case.rtol, case.rtol)
    return result


@EXECUTED
def test_values_of_tensors(case: Case) -> None:
    module = parse(case.text)
    evaluator, name = Evaluator(module), entry(module)
    for number in range(len(case.runs)):
        for count in case.grids:
            for size in case.sizes:
                found = run(evaluator, name, case, number, count, size)
                assert (found.allocations, found.copies) == (0, 0)


@ALL
@pytest.mark.parametrize("route", ROUTES)
def test_values_of_memrefs(case: Case, route: str) -> None:
    """The workgroups are loops now, and what they allocate they free."""
    module = parse(case.text)
    with oracle.context():
        mi.run_pipeline(module, f"builtin.module({ROUTES[route]},{LOWERING},inplace-deallocate)")
    evaluator, name = Evaluator(module), entry(module)
    for number in range(len(case.runs)):
        found = run(evaluator, name, case, number, case.grids[-1], case.sizes[-1])
        assert found.leaked == 0


WRONG = {
    "too few arguments": ((np.zeros(3, np.float32),), "1 arguments were given, the kernel needs 5 and its own"),
    "another size": (
        (np.zeros(3, np.float32), np.zeros(4, np.float32), 4, 1, 1),
        "'dispatch.binding': a binding has sizes [4], its array has [3]",
    ),
    "a tile that is outside": (
        (np.zeros(3, np.float32), np.zeros(4, np.float32), 3, 4, 1),
        "'dispatch.load': a slice of offset 0, size 4 and stride 1 is out of bounds in dimension 0, whose size is 3",
    ),
    "no size": (
        (np.zeros(3, np.float32), np.zeros(4, np.float32), 3, 0, 1),
        "'func.func': the workgroup size in dimension 1 is 0, it must be at least 1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name: str) -> None:
    given, message = WRONG[name]
    evaluator = Evaluator(parse(KERNEL))
    with pytest.raises(EvaluationError) as caught:
        evaluator.run("main", given)
    assert str(caught.value).endswith(message)


def test_workgroups_that_are_not_there_do_nothing() -> None:
    target = np.arange(4, dtype=np.float32)
    Evaluator(parse(KERNEL)).run("main", (np.ones(3, np.float32), target, 3, 1, 0))
    np.testing.assert_array_equal(target, [0, 1, 2, 3])
    Evaluator(parse(KERNEL)).run("main", (np.ones(3, np.float32), target, 3, 1, 2))
    np.testing.assert_array_equal(target, [1, 1, 2, 3])
