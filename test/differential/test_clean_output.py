"""What one-shot bufferization leaves behind is clean: nothing dead, no chains of casts, no lost locations."""

from __future__ import annotations

import pytest
from fast_run import sample
from mlir import ir
from oracle import operations
from programs import PROGRAMS

import mlir_inplace as mi

OPTIONS = ("bufferize-function-boundaries=true warn-written-arguments=false", "", "allow-unknown-ops=true")
WITHOUT_EFFECTS = (
    "bufferization.to_buffer",
    "bufferization.to_tensor",
    "memref.alloc",
    "memref.cast",
    "memref.collapse_shape",
    "memref.dim",
    "memref.expand_shape",
    "memref.get_global",
    "memref.subview",
)


def converted(text: str, options: str) -> tuple[ir.Module, set[str]] | None:
    """The program after bufferization, and the locations that its ops and block arguments had before, all distinct."""
    module = ir.Module.parse(text)
    locations: set[str] = set()
    for number, op in enumerate(operations(module)):
        op.location = ir.Location.name(f"op {number}")
        locations.add(str(op.location))
        locations |= {str(a.location) for region in op.regions for block in region for a in block.arguments}
    try:
        mi.run_pipeline(module, f"builtin.module(inplace-one-shot-bufferize{{{options}}})")
    except mi.PassError:
        return None
    return module, locations


def maker(value: ir.Value) -> str:
    return "" if isinstance(value, ir.BlockArgument) else ir.OpResult(value).owner.operation.name


def mistakes(module: ir.Module, locations: set[str]) -> list[str]:
    found: list[str] = []
    for op in operations(module):
        name, text = op.name, str(op).partition("\n")[0]
        if name in WITHOUT_EFFECTS and all(next(iter(result.uses), None) is None for result in op.results):
            found.append(f"dead: {text}")
        if name == "memref.cast" and op.operands[0].type == op.results[0].type:
            found.append(f"no cast: {text}")
        if (name, maker(op.operands[0]) if len(op.operands) else "") in (
            ("memref.cast", "memref.cast"),
            ("bufferization.to_buffer", "bufferization.to_tensor"),
            ("bufferization.to_tensor", "bufferization.to_buffer"),
        ):
            found.append(f"there and back: {text}")
        if str(op.location) not in locations:
            found.append(f"foreign location {op.location}: {text}")
        arguments = [a for region in op.regions for block in region for a in block.arguments]
        found += [f"foreign location of an argument: {text}" for a in arguments if str(a.location) not in locations]
    return found


@pytest.mark.parametrize("options", OPTIONS)
def test_every_program(options: str) -> None:
    count, sampled = 0, sample(PROGRAMS, least=80)
    with ir.Context():
        for program in sampled:
            outcome = converted(program.text, options)
            if outcome is not None:
                count += 1
                assert not mistakes(*outcome), program.name
    assert count > 0.8 * len(sampled)


ROUND_TRIP = """
func.func private @unknown(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
  %b = bufferization.to_buffer %t read_only : tensor<4xf32> to memref<4xf32, strided<[?], offset: ?>>
  %u = bufferization.to_tensor %b restrict : memref<4xf32, strided<[?], offset: ?>> to tensor<4xf32>
  %r = call @unknown(%u) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}"""


def test_a_tensor_of_the_read_only_buffer_of_a_tensor_is_that_tensor() -> None:
    with ir.Context():
        outcome = converted(ROUND_TRIP, "")
        assert outcome is not None
        names = [op.name for op in operations(outcome[0])]
    assert names == ["func.func", "func.call", "func.return", "func.func", "builtin.module"]


def test_a_buffer_that_may_be_written_is_no_longer_the_tensor() -> None:
    text = ROUND_TRIP.replace(" read_only", "")
    with ir.Context():
        outcome = converted(text, "")
        assert outcome is not None
        names = [op.name for op in operations(outcome[0])]
    assert "memref.copy" in names and "bufferization.to_tensor" in names


def test_a_constant_that_nobody_reads_leaves_no_global() -> None:
    text = """func.func @main(%f: f32) -> tensor<4xf32> {
      %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }"""
    with ir.Context():
        outcome = converted(text, "bufferize-function-boundaries=true")
        assert outcome is not None
        names = [op.name for op in operations(outcome[0])]
    assert "memref.global" not in names and "memref.get_global" not in names
