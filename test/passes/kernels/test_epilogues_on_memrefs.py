"""Which marked ops on memrefs become one function with the fill before them and the epilogue behind them."""

from __future__ import annotations

import pytest
from mlir import ir

from mlir_inplace.passes.kernels.rewriting.optimized_kernels import take_kernels

M = "memref<8x8xf32>"
FILL = f"linalg.fill {{inplace.kernel}} ins(%z : f32) outs(%o : {M})"
PRODUCT = f"linalg.matmul {{inplace.kernel}} ins(%a, %b : {M}, {M}) outs(%o : {M})"
WHOLE = ["linalg.fill", "linalg.matmul", "linalg.add"]
EPILOGUE = f'linalg.add {{inplace.kernel = "epilogue"}} ins(%o, %b : {M}, {M}) outs(%o : {M})'


def twins(*lines: str) -> list[list[str]]:
    """The linalg ops of each function that the marked ops of a function of `lines` become."""
    return split(*lines)[0]


def split(*lines: str) -> tuple[list[list[str]], list[str]]:
    """The linalg ops of each of these functions, and the ops that are left, by name."""
    begin = f"func.func @main(%a: {M}, %b: {M}, %z: f32, %i: index) {{ %o = memref.alloc() : {M}"
    text = "\n".join([begin, *lines, "return", "}"])
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        kernels = take_kernels(module.operation, repeats=1)
        assert kernels is not None
        bodies = [names(twin.operation) for twin in kernels.module.body.operations]
        left = next(one.operation for one in module.body.operations if len(one.operation.regions[0].blocks))
        return [[name for name in body if name.startswith("linalg.")] for body in bodies], names(left)


def names(function: ir.Operation) -> list[str]:
    return [op.operation.name for op in function.regions[0].blocks[0]]


def test_a_fill_a_product_and_its_epilogue_are_one_function() -> None:
    assert twins(FILL, PRODUCT, EPILOGUE) == [WHOLE]


@pytest.mark.parametrize(
    "between",
    [
        "%c = arith.constant 1.0 : f32",
        f"%new = memref.alloc() : {M}",
        f"%view = memref.subview %a[0, 0] [4, 4] [1, 1] : {M} to memref<4x4xf32, strided<[8, 1]>>",
        f"%size = memref.dim %a, %i : {M}",
    ],
    ids=["constant", "allocation", "view", "size"],
)
def test_what_accesses_no_memory_may_stand_between(between: str) -> None:
    assert twins(FILL, between, PRODUCT, EPILOGUE) == [WHOLE]
    assert twins(FILL, PRODUCT, between, EPILOGUE) == [WHOLE]


@pytest.mark.parametrize(
    "between",
    [
        f"memref.store %z, %b[%i, %i] : {M}",
        f"%read = memref.load %o[%i, %i] : {M}",
        f"memref.copy %a, %b : {M} to {M}",
        "%size = memref.alloc() : memref<2xindex>\n"
        f"%shaped = memref.reshape %a(%size) : ({M}, memref<2xindex>) -> memref<?x?xf32>",
    ],
    ids=["store", "load", "copy", "reshape"],
)
def test_what_accesses_memory_keeps_them_apart(between: str) -> None:
    """An op in front of it does not move behind it, nor the other way round."""
    assert twins(FILL, between, PRODUCT, EPILOGUE) == [WHOLE[1:2], WHOLE[2:]]
    assert twins(FILL, PRODUCT, between, EPILOGUE) == [WHOLE[:2], WHOLE[2:]]


def test_a_product_without_a_fill_has_no_epilogue() -> None:
    assert twins(PRODUCT, EPILOGUE) == [WHOLE[1:2], WHOLE[2:]]


def test_an_epilogue_writes_where_the_product_is() -> None:
    assert twins(FILL, PRODUCT, EPILOGUE.replace("outs(%o", "outs(%a")) == [WHOLE[:2], WHOLE[2:]]


def test_an_epilogue_reads_the_product_by_its_own_name_only() -> None:
    """By another name it would be another argument of the function, of which it is assumed that nothing writes it."""
    other = f"%any = memref.cast %o : {M} to memref<?x?xf32>\n%same = memref.cast %any : memref<?x?xf32> to {M}"
    assert twins(FILL, PRODUCT, other, EPILOGUE.replace("%o, %b", "%o, %same")) == [WHOLE[:2], WHOLE[2:]]
    assert twins(FILL, PRODUCT, other, EPILOGUE.replace("%o, %b", "%o, %a")) == [WHOLE]


def test_a_fill_of_another_view_of_an_input_comes_first() -> None:
    other = f"%any = memref.cast %o : {M} to memref<?x?xf32>\n%same = memref.cast %any : memref<?x?xf32> to {M}"
    assert twins(other, FILL, PRODUCT.replace("%a, %b", "%a, %same")) == [WHOLE[1:2]]


def test_what_is_freed_between_is_freed_behind() -> None:
    """The product reads it, and the function is called where the epilogue was."""
    new = f"%n = memref.alloc() : {M}"
    text = (new, FILL, PRODUCT.replace("%a, %b", "%n, %b"), f"memref.dealloc %n : {M}", EPILOGUE)
    functions, left = split(*text)
    assert functions == [WHOLE]
    assert left[-3:] == ["func.call", "memref.dealloc", "func.return"]
