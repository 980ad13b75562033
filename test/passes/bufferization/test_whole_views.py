"""What is left of bindings after bufferization: memory, also where nothing uses it, and no views of all of it."""

from __future__ import annotations

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects.dispatch import register
from mlir_inplace.dialects.dispatch.parsing import import_text

PASSES = ["inplace-one-shot-bufferize", "inplace-plan-bufferize"]


def bufferized(text: str, argument: str) -> str:
    with ir.Context() as context:
        register(context)
        module = ir.Module.parse(import_text(text))
        mi.run_pipeline(module, f"builtin.module({argument})")
        return str(module)


@pytest.mark.parametrize("argument", PASSES)
def test_bindings_without_uses_are_memory(argument: str) -> None:
    text = bufferized(
        """func.func @f(%n: index) {
          %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xi32>>
          %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<?xi32>>
          %t = dispatch.tie_shape %b, [%n] : !dispatch.readonly<tensor<?xi32>>
          return
        }""",
        argument,
    )
    assert "!dispatch." not in text
    assert text.count("-> memref<8xi32>") == 1
    assert text.count("-> memref<?xi32>") == 2


@pytest.mark.parametrize("argument", PASSES)
@pytest.mark.parametrize("tensor", ["?x4xi32", "0x4xi32", "3x4xi32"])
def test_all_of_a_binding_is_no_view(argument: str, tensor: str) -> None:
    text = bufferized(
        f"""func.func @f() {{
          %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<{tensor}>>
          %r = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<{tensor}>>
          %v = dispatch.load %a : !dispatch.readonly<tensor<{tensor}>> -> tensor<{tensor}>
          dispatch.store %v, %r : tensor<{tensor}> -> !dispatch.writeonly<tensor<{tensor}>>
          return
        }}""",
        argument,
    )
    assert "memref.subview" not in text
    assert text.count("-> memref<") == 2


@pytest.mark.parametrize("argument", PASSES)
def test_part_of_a_binding_is_a_view(argument: str) -> None:
    text = bufferized(
        """func.func @f() {
          %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xi32>>
          %r = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<4xi32>>
          %v = dispatch.load %a[0] [4] [1] : !dispatch.readonly<tensor<8xi32>> -> tensor<4xi32>
          dispatch.store %v, %r : tensor<4xi32> -> !dispatch.writeonly<tensor<4xi32>>
          return
        }""",
        argument,
    )
    assert text.count("memref.subview") == 1
