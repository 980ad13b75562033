"""Compiled programs on disk: what is found again, what is not, and that nothing broken is ever run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.runtime.compilation import disk_cache, shared_trampolines
from mlir_inplace.runtime.memory.pool import memory_pool
from mlir_inplace.runtime.native.engine import Engine
from mlir_inplace.runtime.native.loaded_object import LoadedObject, UnsupportedObjectError
from mlir_inplace.runtime.native.thread_team import thread_symbols

T = "tensor<?x8xf32>"
PROGRAM = f"""
func.func @main(%a: {T}, %b: tensor<8x8xf32>, %x: f32) -> ({T}, f32) {{
  %c0 = arith.constant 0 : index
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %n = tensor.dim %a, %c0 : {T}
  %e = tensor.empty(%n) : {T}
  %z = linalg.broadcast ins(%k : tensor<8xf32>) outs(%e : {T}) dimensions = [0]
  %m = linalg.matmul ins(%a, %b : {T}, tensor<8x8xf32>) outs(%z : {T}) -> {T}
  %l = linalg.log ins(%m : {T}) outs(%e : {T}) -> {T}
  %y = math.atan2 %x, %x : f32
  return %l, %y : {T}, f32
}}
func.func @update(%a: tensor<4xf32> {{bufferization.writable = true}}) -> tensor<4xf32> {{
  %r = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}}
"""


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """One item for each time that LLVM compiled something that belongs to a program."""
    # What a process compiles once, at its first call or its 2048th, is not counted, whichever tests came before.
    memory_pool()
    thread_symbols(2, [])
    monkeypatch.setattr(shared_trampolines, "_COMPILED_AFTER", None)
    made: list[str] = []
    start = Engine.__init__

    def counted(*arguments: Any, **options: Any) -> None:
        made.append("compiled")
        start(*arguments, **options)

    with mock.patch.object(Engine, "__init__", counted):
        yield made


def run(program: mi.Program) -> None:
    a = np.arange(24, dtype=np.float32).reshape(3, 8)
    b = np.arange(64, dtype=np.float32).reshape(8, 8) / 64
    result, angle = program.main(a, b, 0.5)
    np.testing.assert_allclose(result, np.log(a.astype(float) @ b + np.arange(1, 9)), rtol=1e-5)
    assert angle == np.float32(np.pi / 4)
    vector = np.arange(4, dtype=np.float32)
    assert program.update(vector) is vector
    np.testing.assert_array_equal(vector, [0, 2, 4, 6])
    np.testing.assert_allclose(program.main(np.asfortranarray(a), b, 0.5)[0], result)


@pytest.mark.parametrize("options", [{}, {"optimize": True}, {"memory_stats": True}, {"threads": 2, "optimize": True}])
def test_a_program_is_compiled_once(tmp_path: Path, engines: list[str], options: dict[str, Any]) -> None:
    folder = tmp_path / "new" / "folder"
    run(mi.compile(PROGRAM, cache=folder, **options))
    compiled = len(engines)
    assert compiled == len(list(folder.iterdir())) == 2  # with contiguous tensors, and with others
    assert folder.stat().st_mode & 0o777 == 0o700
    again = mi.compile(PROGRAM, cache=folder, **options)
    run(again)
    assert len(engines) == compiled
    if "memory_stats" in options:
        assert (again.memory_stats.leaked_bytes, again.memory_stats.bad_frees) == (0, 0)
        assert again.memory_stats.allocations >= 1


def test_another_process_finds_it(tmp_path: Path, engines: list[str]) -> None:
    (tmp_path / "program.mlir").write_text(PROGRAM)
    code = "import sys, mlir_inplace as mi; mi.compile(sys.argv[1])"
    environment = {**os.environ, disk_cache.VARIABLE: str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "program.mlir")], check=True, env=environment)
    mi.compile(PROGRAM, cache=tmp_path / "cache")
    assert engines == []


def test_a_program_from_the_cache_needs_no_compiler(tmp_path: Path) -> None:
    """Neither our analyses nor the classes of ops, which take most of the time of a start."""
    text = PROGRAM[PROGRAM.index("func.func @update") :]  # no pool of memory, whose functions are compiled
    mi.compile(text, cache=tmp_path / "cache")
    (tmp_path / "program.mlir").write_text(text)
    code = (
        "import sys, mlir_inplace as mi; mi.compile(sys.argv[1], cache=sys.argv[2])\n"
        "parts = ('dialects.linalg', 'dialects.llvm', 'dialects.tensor', 'dialects.vector', 'compilation.steps',"
        " 'compilation.dispatch_functions', 'analysis.conflicts.alias_sets')\n"
        "print(*(name for name in sys.modules if name.endswith(parts)))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "program.mlir"), str(tmp_path / "cache")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


def test_whatever_decides_what_is_compiled_is_in_the_key(tmp_path: Path, engines: list[str]) -> None:
    def compile_with(**options: object) -> None:
        mi.compile(options.pop("text", PROGRAM), cache=tmp_path, **options)  # type: ignore[arg-type, call-overload]

    compile_with()
    others: list[dict[str, object]] = [
        {"text": PROGRAM.replace("8.0]", "8.5]")},
        {"opt_level": 1},
        {"optimize": True},
        {"optimize": True, "machine": "vector-bits=128"},
        {"memory_stats": True},
        {"pipeline": "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"},
    ]
    for count, options in enumerate(others, 2):
        compile_with(**options)
        assert len(engines) == count, options
    with mock.patch.object(disk_cache, "_environment", lambda: "another version"):
        compile_with()
    assert len(engines) == len(others) + 2
    compile_with()
    assert len(engines) == len(others) + 2


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text", "folder"])
def test_a_broken_entry_is_compiled_again_and_replaced(tmp_path: Path, engines: list[str], damage: str) -> None:
    mi.compile(PROGRAM, cache=tmp_path)
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    flipped = bytearray(data)
    flipped[-1000] ^= 1
    contents = {"cut": data[:-1], "flipped": bytes(flipped), "empty": b"", "text": b"no object"}
    path.unlink()
    if damage == "folder":
        path.mkdir()
        with pytest.warns(RuntimeWarning, match="^cannot write to the cache of compiled programs: "):
            run(mi.compile(PROGRAM, cache=tmp_path))
        return
    path.write_bytes(contents[damage])
    program = mi.compile(PROGRAM, cache=tmp_path)
    assert len(engines) == 2
    assert path.read_bytes() == data
    run(program)


@pytest.mark.parametrize("why", ["group", "others", "owner"])
def test_what_others_may_have_written_is_refused(
    tmp_path: Path, engines: list[str], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    mi.compile(PROGRAM, cache=tmp_path)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    if why == "owner":
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        monkeypatch.setattr(disk_cache, "_SUPERUSER", os.getuid() + 2)
    else:
        path.chmod({"group": 0o620, "others": 0o602}[why])
    engines.clear()
    with pytest.warns(RuntimeWarning, match="is not used: the program belongs to another user, or others may"):
        mi.compile(PROGRAM, cache=tmp_path)
    assert engines
    if why != "owner":
        assert path.stat().st_mode & 0o777 == 0o600
        engines.clear()
        mi.compile(PROGRAM, cache=tmp_path)
        assert not engines


def test_an_entry_under_the_name_of_another_one_is_broken(tmp_path: Path, engines: list[str]) -> None:
    """It is ours and whole, but another program."""
    mi.compile(PROGRAM, cache=tmp_path)
    (first,) = tmp_path.iterdir()
    mi.compile(PROGRAM, cache=tmp_path, opt_level=0)
    (second,) = set(tmp_path.iterdir()) - {first}
    data = second.read_bytes()
    second.write_bytes(first.read_bytes())
    second.chmod(0o600)
    engines.clear()
    run(mi.compile(PROGRAM, cache=tmp_path, opt_level=0))
    assert engines
    assert second.read_bytes() == data


def test_a_folder_that_cannot_be_written_is_told_and_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(RuntimeWarning, match="^cannot write to the cache of compiled programs: "):
        program = mi.compile(PROGRAM, cache=tmp_path / "file" / "folder")
    with pytest.warns(RuntimeWarning, match="^cannot write"):
        run(program)
    full = mock.patch("os.replace", side_effect=OSError(28, "No space left on device"))
    with full, pytest.warns(RuntimeWarning, match="No space left on device"):
        mi.compile(PROGRAM, cache=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_folder_stays_small(tmp_path: Path, engines: list[str]) -> None:
    programs = [PROGRAM.replace("8.0]", f"{n}.5]") for n in range(3)]
    mi.compile(programs[0], cache=tmp_path)
    mi.compile(programs[1], cache=tmp_path)
    size = max(path.stat().st_size for path in tmp_path.iterdir())
    for path in tmp_path.iterdir():
        os.utime(path, (1, 1))
    mi.compile(programs[0], cache=tmp_path)  # the other one was not used for longer
    assert len(engines) == 2
    with mock.patch.object(disk_cache, "MOST_BYTES", size * 5 // 2):
        mi.compile(programs[2], cache=tmp_path)
    mi.compile(programs[0], cache=tmp_path)
    mi.compile(programs[2], cache=tmp_path)
    assert len(engines) == 3
    assert len(list(tmp_path.iterdir())) == 2


def test_what_killed_writers_leave_is_removed(tmp_path: Path) -> None:
    """A file that is being written stays."""
    for name, age in ((".key.object.a1", 4000), (".key.object.b2", 10), ("notes.txt", 4000)):
        (tmp_path / name).write_bytes(b"")
        changed = time.time() - age
        os.utime(tmp_path / name, (changed, changed))
    disk_cache.DiskCache(disk_cache.CachePlace(tmp_path)).store("new", disk_cache.Entry((b"",), {}, False))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".key.object.b2", "new.object", "notes.txt"]


def test_where_the_folder_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, users = disk_cache.cache_place, tmp_path / "mlir-inplace"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert place(True) == disk_cache.CachePlace(users)
    assert place(False) is None
    assert place(str(tmp_path)) == disk_cache.CachePlace(tmp_path)
    monkeypatch.delenv(disk_cache.VARIABLE, raising=False)
    assert place(None) == disk_cache.CachePlace(users, asked=False)
    monkeypatch.setenv(disk_cache.VARIABLE, "0")
    assert place(None) is None
    assert place(True) == disk_cache.CachePlace(users)
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    assert place(None) == disk_cache.CachePlace(tmp_path)
    assert place(False) is None
    for wrong in (3, ""):
        with pytest.raises(TypeError, match="^cache must be None, a bool or the path of a folder, got "):
            mi.compile(PROGRAM, cache=wrong)  # type: ignore[arg-type]


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(disk_cache.VARIABLE, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    with mock.patch.object(Path, "home", side_effect=RuntimeError("Could not determine home directory.")):
        assert disk_cache.cache_place(None) is None
        with pytest.raises(TypeError, match="^cache=True needs a home folder, .* give a folder instead$"):
            disk_cache.cache_place(True)


class TestWithoutBeingAsked:
    """What nobody asked to be kept."""

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.delenv(disk_cache.VARIABLE)
        return tmp_path / "mlir-inplace"

    @pytest.fixture
    def slow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(disk_cache, "SLOW", 0.0)

    def test_what_is_compiled_quickly_is_not_kept(
        self, folder: Path, engines: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(disk_cache, "SLOW", 1e6)
        mi.compile(PROGRAM)
        assert (len(engines), folder.exists()) == (1, False)

    def test_what_takes_long_is_kept(self, folder: Path, engines: list[str], slow: None) -> None:
        run(mi.compile(PROGRAM))
        run(mi.compile(PROGRAM))
        assert len(engines) == len(list(folder.iterdir())) == 2

    def test_a_pipeline_is_run_each_time(self, folder: Path, engines: list[str], slow: None) -> None:
        for _ in range(2):
            mi.compile(PROGRAM, pipeline="inplace-one-shot-bufferize{bufferize-function-boundaries=true}")
        assert (len(engines), folder.exists()) == (2, False)

    def test_packages_with_op_models_are_asked_each_time(self, folder: Path, engines: list[str], slow: None) -> None:
        found = (("mlir_inplace.op_models", "theirs", "their.models", "theirs", "1.0"),)
        with mock.patch("mlir_inplace.runtime.compilation.build.plugins", lambda: found):
            mi.compile(PROGRAM)
            assert not folder.exists()
            mi.compile(PROGRAM, cache=True)  # Asked for: the key has the version of the package.
        assert (len(engines), len(list(folder.iterdir()))) == (2, 1)

    def test_a_folder_that_cannot_be_written_is_no_matter(self, folder: Path, slow: None) -> None:
        folder.write_text("")
        run(mi.compile(PROGRAM))  # a warning would be an error here


def test_models_of_this_process_are_in_no_key(tmp_path: Path, engines: list[str]) -> None:
    with mock.patch("mlir_inplace.runtime.compilation.build.has_process_models", lambda: True):
        mi.compile(PROGRAM, cache=tmp_path)
    assert (len(engines), list(tmp_path.iterdir())) == (1, [])


@pytest.mark.parametrize("data", [b"", b"\x7fELF\x02\x01" + bytes(200), b"\x7fELF" + b"\xff" * 100])
def test_what_is_no_object_file_is_not_loaded(data: bytes) -> None:
    with pytest.raises(UnsupportedObjectError):
        LoadedObject([data], [])
