"""Lowered modules on disk: what is lowered again, and that a kept one computes and says the same."""

from __future__ import annotations

import subprocess
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.frontends.kept_modules import compile_lowered
from mlir_inplace.runtime.compilation import disk_cache
from mlir_inplace.runtime.compilation.stages import watched_stages

X = np.arange(4, dtype=np.float32)


class Lowering:
    """A frontend that adds `number` to each element, and counts how often it is asked."""

    def __init__(self, number: float = 1) -> None:
        self.count = 0
        self.number = number

    def __call__(self) -> ir.Module:
        self.count += 1
        with ir.Context():
            return ir.Module.parse(f"""
              func.func @main(%x: tensor<4xf32> loc("input"), %i: index loc("place")) -> tensor<4xf32> {{
                %k = arith.constant dense<{self.number:.1f}> : tensor<4xf32>
                %c4 = arith.constant 4 : index
                %in = arith.cmpi ult, %i, %c4 : index
                cf.assert %in, "no such place" loc("user.py":7:2)
                %r = arith.addf %x, %k : tensor<4xf32>
                return %r : tensor<4xf32>
              }}""")


def result(lowering: Lowering, *made_from: object, **options: object) -> mi.Program:
    program = compile_lowered(lowering, *made_from, **options)
    np.testing.assert_array_equal(program.main(X, 0), X + np.float32(lowering.number))
    return program


@pytest.fixture
def lowering() -> Lowering:
    return Lowering()


@pytest.mark.parametrize("optimize", [False, True])
def test_a_module_is_lowered_once(tmp_path: Path, lowering: Lowering, *, optimize: bool) -> None:
    first, second = (result(lowering, "digest", optimize=optimize, cache=tmp_path) for _ in range(2))
    assert lowering.count == 1
    assert len(list(tmp_path.iterdir())) == 2  # The module, and its machine code.
    assert str(first["main"].signature) == str(second["main"].signature)
    assert [each.name for each in second["main"].signature.parameters] == ["input", "place"]
    with pytest.raises(AssertionError, match=r'"?user.py"?:7:2.*no such place'):
        second.main(X, 4)


def test_a_kept_module_is_parsed_in_this_process(tmp_path: Path, lowering: Lowering) -> None:
    result(lowering, "digest", cache=tmp_path)
    with mock.patch.object(subprocess, "run", side_effect=AssertionError):
        result(lowering, "digest", cache=tmp_path)
    assert lowering.count == 1


def test_one_module_serves_all_options(tmp_path: Path, lowering: Lowering) -> None:
    result(lowering, "digest", cache=tmp_path)
    result(lowering, "digest", cache=tmp_path, optimize=True)
    assert lowering.count == 1
    assert len(list(tmp_path.iterdir())) == 3


def test_what_it_is_made_from_decides(tmp_path: Path, lowering: Lowering) -> None:
    other = Lowering(2)
    for _ in range(2):
        result(lowering, "digest", (True,), cache=tmp_path)
        result(other, "digest", (False,), cache=tmp_path)
    assert (lowering.count, other.count) == (1, 1)
    with mock.patch.object(disk_cache, "_environment", lambda: "another version"):
        result(lowering, "digest", (True,), cache=tmp_path)
    assert lowering.count == 2


def test_a_broken_entry_is_lowered_again_and_replaced(tmp_path: Path, lowering: Lowering) -> None:
    for count in (1, 2, 2):
        result(lowering, "digest", cache=tmp_path)
        assert lowering.count == count
        if count == 1:
            for path in tmp_path.iterdir():
                path.write_bytes(path.read_bytes()[:-1])


def test_nothing_is_kept_without_a_cache(tmp_path: Path, lowering: Lowering, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for cache in (False, False):
        result(lowering, "digest", cache=cache)
    assert lowering.count == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("slow", "lowered"), [(0.0, 1), (1e9, 2)])
def test_what_nobody_asked_for_is_kept_if_it_is_slow(
    tmp_path: Path, lowering: Lowering, monkeypatch: pytest.MonkeyPatch, slow: float, lowered: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(disk_cache.VARIABLE, raising=False)
    monkeypatch.setattr(disk_cache, "SLOW", slow)
    for _ in range(2):
        result(lowering, "digest")
    assert lowering.count == lowered


def test_who_watches_sees_each_lowering(tmp_path: Path, lowering: Lowering) -> None:
    result(lowering, "digest", cache=tmp_path)
    seen: list[str] = []
    with watched_stages(lambda stage, _: seen.append(stage)):
        result(lowering, "digest", cache=tmp_path)
    assert lowering.count == 2
    assert seen[0] == "tensors"


def test_what_is_refused_is_not_kept(tmp_path: Path) -> None:
    def lower() -> ir.Module:
        raise mi.PassError("no lowering")

    with pytest.raises(mi.PassError, match="no lowering"):
        compile_lowered(lower, "digest", cache=tmp_path)
    assert not list(tmp_path.iterdir())
