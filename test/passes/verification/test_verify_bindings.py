"""`inplace-verify-bufferization` on dispatch functions: what bindings hold on entry, and in the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mlir import ir
from verification_runs import only_when_asked, run  # noqa: F401 - the fixture is for all tests here

from mlir_inplace.dialects import dispatch
from mlir_inplace.passes.bufferization.rewriting.rewriter import BufferRewriter
from mlir_inplace.passes.framework.errors import PassError

PROMOTE = "inplace-promote-bindings,inplace-convert-to-destination-style,inplace-verify-bufferization{record=true}"
VERIFY = "inplace-verify-bufferization{report=true}"
PASSES = ("inplace-one-shot-bufferize", "inplace-plan-bufferize")

KERNEL = """func.func @main(%x: f32, %p: i1, %byte: index) {
  %i = dispatch.workgroup_id 0 : index
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %c = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<8xf32>>
  %t = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %u = dispatch.load %b : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %r = tensor.insert %x into %u[%i] : tensor<8xf32>
  dispatch.store %r, %b : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  dispatch.store %t, %c : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}"""

KEPT = "operand 0 of 'dispatch.contents' must be result 0 of 'dispatch.contents', but the memory holds "
COPIED = "operand 0 of 'dispatch.commit' must be result 0 of 'dispatch.contents', but the memory holds "


def first(module: ir.Module, name: str) -> ir.Operation:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[0]


def memory(module: ir.Module, binding: int) -> ir.Value:
    """The memory of a binding of set 0."""
    found: list[ir.Value] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "dispatch.binding" and ir.IntegerAttr(op.attributes["binding"]).value == binding:
            found.append(op.results[0])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    (value,) = found
    return value


@pytest.mark.parametrize("name", PASSES)
def test_a_kernel_that_is_right(name: str) -> None:
    """What is committed twice, what stays, and the value that is copied."""
    with ir.Context() as context:
        module = dispatch.parse(KERNEL, context)
        assert "3 reads are right, 0 were not checked" in run(module, PROMOTE, name, VERIFY)


def no_copy(module: ir.Module) -> None:
    first(module, "memref.copy").erase()


def copy_of_another_binding(module: ir.Module) -> None:
    first(module, "memref.copy").operands[0] = memory(module, 1)


def store_to_what_is_only_read(module: ir.Module) -> None:
    first(module, "memref.store").operands[1] = memory(module, 0)


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (no_copy, COPIED + "result 0 of 'dispatch.contents'"),
        (copy_of_another_binding, COPIED + "an update of result 0 of 'dispatch.contents'"),
        (
            store_to_what_is_only_read,
            COPIED.replace("commit", "contents", 1) + "an update of result 0 of 'dispatch.contents'",
        ),
    ],
)
def test_a_kernel_that_is_wrong(name: str, change: Callable[[ir.Module], None], message: str) -> None:
    with ir.Context() as context:
        module = dispatch.parse(KERNEL, context)
        run(module, PROMOTE, name)
        change(module)
        with pytest.raises(PassError) as error:
            run(module, VERIFY)
        assert str(error.value.diagnostics[0].message) == f"wrong bufferization: {message}"


def test_what_nobody_stores_must_stay() -> None:
    text = KERNEL.replace("  dispatch.store %t, %c : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>\n", "")
    text = text.replace("  %r =", "  %y = tensor.extract %t[%i] : tensor<8xf32>\n  %r =").replace(
        "insert %x", "insert %y"
    )
    with ir.Context() as context:
        module = dispatch.parse(text, context)
        run(module, PROMOTE, PASSES[0])
        store_to_what_is_only_read(module)
        with pytest.raises(PassError, match=KEPT + "an update"):
            run(module, VERIFY)


@pytest.mark.parametrize("name", PASSES)
def test_the_option_covers_kernels(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bufferizer that forgets copies is found out; promotion is done by the pass itself."""
    monkeypatch.setattr(BufferRewriter, "copy", lambda *_: None)
    with ir.Context() as context:
        module = dispatch.parse(KERNEL, context)
        before = str(module)
        with pytest.raises(PassError, match="wrong bufferization: operand 0 of 'dispatch.commit'"):
            run(module, f"{name}{{verify-bufferization=true}}")
        assert str(module) == before
