"""What moves in front of a write gives the values that it gave behind it, on arrays whose elements are all distinct."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.in_place.decision_order import Heuristic
from mlir_inplace.passes.destinations.rewriting import read_moves

W = "{bufferization.writable = true}"


def run(body: str, *results: str) -> tuple[list[np.ndarray], int]:
    """The results of a function of `%t`, an array of 16 numbers from 1 on, and the bytes that it copied."""
    types = ", ".join("f32" if name.startswith("%f") else "tensor<16xf32>" for name in results)
    program = mi.compile(
        f"""
        func.func @main(%t: tensor<16xf32> {W}, %x: f32, %i: index, %j: index) -> ({types}) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          {body}
          return {", ".join(results)} : {types}
        }}""",
        memory_stats=True,
    )
    found = program.main(np.arange(1, 17, dtype=np.float32), 99.0, 3, 3)
    return list(found), program.memory_stats.copied_bytes


def written(*places: int, value: float = 99) -> np.ndarray:
    array = np.arange(1, 17, dtype=np.float32)
    array[list(places)] = value
    return array


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        pytest.param(
            "%r = tensor.insert %x into %t[%i] : {T}\n%f = tensor.extract %t[%j] : {T}", 4, (3,), id="element"
        ),
        pytest.param(
            "%r = tensor.insert %x into %t[%i] : {T}\n%k = arith.addi %j, %c1 : index\n%y = arith.addf %x, %x : f32\n"
            "%q = tensor.insert %y into %r[%k] : {T}\n%f0 = tensor.extract %t[%j] : {T}\n"
            "%f1 = tensor.extract %r[%k] : {T}\n%f = arith.addf %f0, %f1 : f32",
            4 + 5,
            (3,),
            id="versions",
        ),
        pytest.param(
            "%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %t) -> ({T}) {{\n"
            "%b = tensor.insert %x into %a[%k] : {T}\nscf.yield %b : {T}\n}}\n"
            "%f = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %x) -> (f32) {{\n"
            "%o = tensor.extract %t[%k] : {T}\n%s1 = arith.addf %s, %o : f32\nscf.yield %s1 : f32\n}}",
            99 + 1 + 2 + 3 + 4,
            (0, 1, 2, 3),
            id="loops",
        ),
    ],
)
def test_old_values(body: str, old: float, new: tuple[int, ...]) -> None:
    (result, value), copied = run(body.format(T="tensor<16xf32>"), "%r", "%f")
    np.testing.assert_array_equal(result, written(*new))
    assert value == old
    assert copied == 0


FOUR_SLICES = f"""
func.func @main(%t: tensor<16xf32> {W})
    -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<16xf32>) {{
  %a = tensor.extract_slice %t[0] [1] [1] : tensor<16xf32> to tensor<1xf32>
  %r = tensor.insert_slice %a into %t[0] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %s = tensor.extract_slice %t[0] [1] [1] : tensor<16xf32> to tensor<1xf32>
  %o = tensor.extract_slice %t[2] [1] [1] : tensor<16xf32> to tensor<1xf32>
  %m = tensor.extract_slice %t[4] [1] [1] : tensor<16xf32> to tensor<1xf32>
  %n = tensor.extract_slice %t[6] [1] [1] : tensor<16xf32> to tensor<1xf32>
  %u = linalg.generic {{
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
    }} ins(%r : tensor<16xf32>) outs(%t : tensor<16xf32>) {{
  ^bb0(%p: f32, %q: f32):
    %z = arith.addf %p, %q : f32
    linalg.yield %z : f32
  }} -> tensor<16xf32>
  return %s, %o, %m, %n, %u : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<16xf32>
}}"""


def test_slices_are_copied_where_decisions_keep_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default decisions copy the slices by themselves; those of one order, top-down, do not."""
    one_order = replace(read_moves.LIVE_OPTIONS, heuristic=Heuristic.TOP_DOWN)
    monkeypatch.setattr(read_moves, "LIVE_OPTIONS", one_order)
    with ir.Context():
        module = ir.Module.parse(FOUR_SLICES)
        moved, _ = read_moves.move_reads(module.operation, None)
        module.operation.verify()
        program = mi.compile(module)
    what = "the result of 'tensor.extract_slice' is copied in front of it"
    assert [one.message for one in moved] == [f"operand #1 of 'linalg.generic' is not kept as a whole: {what}"] * 4
    assert str(module).count("bufferization.alloc_tensor() copy(") == 4
    *slices, doubled = program.main(np.arange(1, 17, dtype=np.float32))
    assert [float(one[0]) for one in slices] == [1, 3, 5, 7]
    np.testing.assert_array_equal(doubled, 2 * np.arange(1, 17))


def test_new_values_are_read_behind_the_write() -> None:
    """The read names the new tensor, so it stays; the old one is returned as well, which needs the copy."""
    body = "%r = tensor.insert %x into %t[%i] : tensor<16xf32>\n%f = tensor.extract %r[%j] : tensor<16xf32>"
    (result, value, old), copied = run(body, "%r", "%f", "%t")
    np.testing.assert_array_equal(result, written(3))
    np.testing.assert_array_equal(old, written())
    assert value == 99
    assert copied == 64


def test_assertion_keeps_its_read_behind_it() -> None:
    """The read is out of bounds where the assertion, which reads the new content, fails."""
    program = mi.compile(
        f"""
        func.func @main(%t: tensor<4xindex> {W}, %i: index, %j: index) -> (tensor<4xindex>, index) {{
          %c4 = arith.constant 4 : index
          %r = tensor.insert %j into %t[%i] : tensor<4xindex>
          %new = tensor.extract %r[%i] : tensor<4xindex>
          %ok = arith.cmpi slt, %new, %c4 : index
          cf.assert %ok, "out of bounds"
          %o = tensor.extract %t[%j] : tensor<4xindex>
          return %r, %o : tensor<4xindex>, index
        }}"""
    )
    with pytest.raises(AssertionError, match="out of bounds"):
        program.main(np.arange(4), 1, 1 << 40)
    result, old = program.main(np.arange(4) + 10, 1, 1)
    assert (list(result), old) == ([10, 1, 12, 13], 11)


def analyses_of(writable: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often moving the reads of a function analyses it, whose argument is `writable`, and read after a write."""
    text = f"""
    func.func @main(%t: tensor<16xf32> {writable}, %x: f32, %i: index) -> (tensor<16xf32>, f32) {{
      %r = tensor.insert %x into %t[%i] : tensor<16xf32>
      %o = tensor.extract %t[%i] : tensor<16xf32>
      return %r, %o : tensor<16xf32>, f32
    }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        made: list[object] = []
        with monkeypatch.context() as patch:
            analyse = read_moves.analyze_module
            patch.setattr(read_moves, "analyze_module", lambda *given: made.append(given) or analyse(*given))
            moved, _ = read_moves.move_reads(module.operation, None)
        assert bool(moved) == (writable == W)
    return len(made)


def test_copies_of_what_must_not_be_written_are_no_reason_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    assert analyses_of("{bufferization.writable = false}", monkeypatch) == 1
    assert analyses_of(W, monkeypatch) == 2
