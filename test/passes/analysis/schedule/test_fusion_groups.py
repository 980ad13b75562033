"""Chains that are computed tile by tile: long ones are found in linear time."""

from __future__ import annotations

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.schedule import fusion_groups
from mlir_inplace.passes.analysis.schedule.fusion_groups import find_groups
from mlir_inplace.passes.analysis.schedule.machine import detect_machine
from mlir_inplace.passes.scheduling.rewriting.linalg_ops import find_linalg_ops

ROWS, ROW = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"
PARALLEL = '["parallel", "parallel"]'


def normalizations(rounds: int, columns: int) -> str:
    """Rounds of a sum of each row and what subtracts it: no round ends in an op that the next could go inside of."""
    t, r = f"tensor<64x{columns}xf32>", "tensor<64xf32>"
    lines = [f"func.func @main(%x0: {t}) -> {t} {{", "%z = arith.constant 0.0 : f32"]
    lines += [
        f"""
          %e{n} = tensor.empty() : {r}
          %f{n} = linalg.fill ins(%z : f32) outs(%e{n} : {r}) -> {r}
          %s{n} = linalg.generic {{indexing_maps = [{ROWS}, {ROW}], iterator_types = ["parallel", "reduction"]}}
              ins(%x{n} : {t}) outs(%f{n} : {r}) {{
            ^bb0(%a: f32, %b: f32):
              %y = arith.addf %a, %b : f32
              linalg.yield %y : f32
          }} -> {r}
          %d{n} = tensor.empty() : {t}
          %x{n + 1} = linalg.generic {{indexing_maps = [{ROWS}, {ROW}, {ROWS}], iterator_types = {PARALLEL}}}
              ins(%x{n}, %s{n} : {t}, {r}) outs(%d{n} : {t}) {{
            ^bb0(%a: f32, %b: f32, %c: f32):
              %y = arith.subf %a, %b : f32
              linalg.yield %y : f32
          }} -> {t}"""
        for n in range(rounds)
    ]
    return "\n".join([*lines, f"return %x{rounds} : {t}", "}"])


def groups(text: str) -> list[tuple[str, int]]:
    """The root of each group, by its name, and how many producers it has."""
    with ir.Context():
        module = ir.Module.parse(text)
        found = find_groups(find_linalg_ops(module.operation), detect_machine().override("l1=32768 l2=1048576"))
        return [(group.root.op.name, len(group.producers)) for group in found]


def test_a_chain_is_one_group_up_to_64_producers() -> None:
    # A round has three ops, fills among them, and the root is one of them. The fill of the round that is cut is alone.
    assert groups(normalizations(2, 4096)) == [("linalg.generic", 5)]
    assert groups(normalizations(25, 4096)) == [("linalg.generic", 64), ("linalg.generic", 8)]


@pytest.mark.parametrize("rows", [64, 1])
def test_a_single_row_is_no_tile(rows: int, capsys: pytest.CaptureFixture[str]) -> None:
    text = normalizations(2, 8192).replace("<64x", f"<{rows}x")
    machine = 'elementwise=false print-groups machine="l1=32768 l2=1048576"'
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module(func.func(inplace-fuse{{{machine}}}))")
        assert str(module).count("scf.for") == (rows > 1)
    assert capsys.readouterr().err.count("is computed in tiles") == (rows > 1)


def columns_of(rows: int, columns: int) -> list[tuple[int, int]]:
    """The tiles of two rounds of a sum of each column and what subtracts it: the loop and the size of each."""
    text = normalizations(2, columns).replace("tensor<64xf32>", f"tensor<{columns}xf32>")
    text = text.replace("<64x", f"<{rows}x").replace("(i, j) -> (i)", "(i, j) -> (j)")
    text = text.replace('["parallel", "reduction"]', '["reduction", "parallel"]')
    return tiles(text)


def tiles(text: str) -> list[tuple[int, int]]:
    """The tiled loops of all groups and the sizes of the tiles."""
    with ir.Context():
        module = ir.Module.parse(text)
        found = find_groups(find_linalg_ops(module.operation), detect_machine().override("l1=32768 l2=1048576"))
        return [(tile.loop, tile.size) for group in found for tile in group.loops]


def test_rows_that_become_a_number_each_are_tiled_like_others() -> None:
    """The root has one dimension, along which it is contiguous; what the tiles hold are whole rows."""
    text = normalizations(2, 1 << 16)
    whole = text[: text.index("%d1")] + "return %s1 : tensor<64xf32>\n}"
    head, _, tail = whole.partition(") -> ")
    assert tiles(head + ") -> tensor<64xf32>" + tail[tail.index(" {") :]) == [(0, 1)]


def test_parts_of_rows_are_whole_cache_lines() -> None:
    ((loop, size),) = columns_of(512, 1000)
    assert loop == 1
    assert size % 16 == 0
    assert size >= 64
    # What one line of each row takes is more than the second cache holds: columns are not computed together.
    assert columns_of(1 << 17, 1000) == []


def test_a_chain_that_is_no_group_is_not_looked_at_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[object] = []

    class Counting(fusion_groups._Finder):
        def take(self, op: fusion_groups.Structured | None) -> bool:
            taken.append(op)
            return super().take(op)

    monkeypatch.setattr(fusion_groups, "_Finder", Counting)
    rounds = 100
    assert groups(normalizations(rounds, 8)) == []
    assert len(taken) <= 65 * 3 * rounds
