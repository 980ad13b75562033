"""`mi.bufferize` with `move_reads`: what is read of an old content is read before the write."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluator

TEXT = """
func.func @main(%t: tensor<16xf32> {bufferization.writable = true}, %x: f32, %i: index, %j: index)
    -> (tensor<16xf32>, f32) {
  %r = tensor.insert %x into %t[%i] : tensor<16xf32>
  %o = tensor.extract SOURCE[%j] : tensor<16xf32>
  return %r, %o : tensor<16xf32>, f32
}"""
OLD, NEW = (TEXT.replace("SOURCE", name) for name in ("%t", "%r"))


def copies(module: ir.Module) -> int:
    return str(module).count("memref.copy")


@pytest.mark.parametrize("j", [3, 7])
@pytest.mark.parametrize(("text", "move_reads", "expected"), [(OLD, True, 0), (OLD, False, 1), (NEW, True, 0)])
def test_values_and_copies(text: str, move_reads: bool, expected: int, j: int) -> None:
    """The element at 3 is overwritten: a read of the old content still finds it, one of the new content does not."""
    array = np.arange(16, dtype=np.float32)
    with ir.Context():
        module = ir.Module.parse(text)
        report = mi.bufferize(module, move_reads=move_reads)
        assert copies(module) == expected == sum(record.kind is mi.EventKind.COPY for record in report.records)
        found = Evaluator(module).run("main", [array.copy(), np.float32(99), 3, j])
    result = array.copy()
    result[3] = 99
    np.testing.assert_array_equal(found.results[0], result)
    assert found.results[1] == (array if text is OLD else result)[j]


def test_a_module_that_is_refused_stays_as_it_was() -> None:
    """The read would have moved; the op behind it has no model."""
    text = OLD.replace("return", '"test.unknown"(%r) : (tensor<16xf32>) -> ()\n  return')
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        before = str(module)
        with pytest.raises(mi.PassError, match=r"test\.unknown"):
            mi.bufferize(module, move_reads=True)
        assert str(module) == before


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(TypeError):
        mi.bufferize("module {}", move_reads=True)  # type: ignore[arg-type]
