"""`inplace-compile` on command lines and programs that make no sense; what it writes, and when."""

from __future__ import annotations

import ctypes
import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from c_libraries import CLibrary, compiled, needs_compiler

import mlir_inplace as mi
from mlir_inplace.runtime.native.openmp import find_openmp
from mlir_inplace.tools import inplace_compile
from mlir_inplace.tools.inplace_compile import main

TEXT = """
func.func @double(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @square(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.mlir").write_text(TEXT)
    return tmp_path


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "nothing is to be written; name a library with -o, or a package with --python"),
        (["--header", "p.h"], "nothing is to be written; name a library with -o, or a package with --python"),
        (["-o", "p.dll"], "-o needs a name that ends in .so, .a, .o, got 'p.dll'"),
        (["-o", "-"], "-o needs a name that ends in .so, .a, .o, got '-'"),
        (["-o", "p.so", "--static"], "--static makes an archive, but -o names 'p.so'; end the name in .a, or leave"),
        (["-o", "p.o", "--static"], "--static makes an archive, but -o names 'p.o'; end the name in .a, or leave"),
        (["-o", "p", "--static"], "-o needs a name that ends in .so, .a, .o, got 'p'"),
        (["--python", "p", "--static"], "--static, but packages hold a shared library; name an archive with -o"),
        (["-o", "p.o", "--target-cpu", "x86-64-v9"], "--target-cpu: there is no 'x86-64-v9'"),
        (["-o", "p.o", "--machine", "l9=1"], "--machine: unknown property 'l9' of a machine"),
        (["-o", "p.o", "--grid", "2y2"], "--grid needs extents of a grid of ranks, such as 4 or 2x2, got '2y2'"),
        (["-o", "p.o", "--threads", "0"], "--threads must be at least 1, got 0"),
        (["-o", "p.o", "--prefix", "3d"], "'3d' cannot begin names of C; give a name with --prefix"),
        (["-o", "3d.o"], "'3d' cannot begin names of C; give a name with --prefix"),
        (["-o", "p.o", "--python", "a-b"], "--python needs a folder whose name Python can import, got 'a-b'"),
        (["-o", "p.o", "--python", "import"], "--python needs a folder whose name Python can import, got 'import'"),
    ],
)
def test_command_lines_that_make_no_sense(
    program: Path, capsys: pytest.CaptureFixture[str], flags: list[str], message: str
) -> None:
    assert main(["p.mlir", *flags]) == 2
    assert capsys.readouterr().err.startswith(f"inplace-compile: error: {message}")
    assert left(program) == ["p.mlir"]


@pytest.mark.parametrize(
    ("text", "flags", "message"),
    [
        ("func.func @f(", [], "p.mlir:1:13: error: expected"),
        (TEXT, ["-e", "triple"], "inplace-compile: error: the program has no entry point 'triple'; it has: double, sq"),
        ("func.func private @f() { return }", [], "inplace-compile: error: the program has no entry points; make a"),
        (
            "func.func @f(%a: i5) { return }",
            [],
            "inplace-compile: error: argument 0 of 'f': type i5 cannot cross the NumPy boundary",
        ),
        (
            'func.func @"a b"() { return }\nfunc.func @a_b() { return }',
            [],
            "inplace-compile: error: 'a_b' and 'a b' would both be 'p_a_b' in C; rename one of them",
        ),
        (
            "func.func private @nowhere()\nfunc.func @f() { call @nowhere() : () -> () return }",
            [],
            "inplace-compile: error: function 'nowhere' is declared but defined nowhere",
        ),
        (TEXT, ["--shared-libs", "./none.so"], "inplace-compile: error: shared library './none.so' does not exist"),
        (TEXT, ["--header", "none/p.h"], "inplace-compile: error: cannot open output file 'none/p.h': No such file"),
        (TEXT, ["--python", "none/p"], "inplace-compile: error: cannot write to the folder"),
    ],
)
def test_nothing_is_written_after_an_error(
    program: Path, capsys: pytest.CaptureFixture[str], text: str, flags: list[str], message: str
) -> None:
    (program / "p.mlir").write_text(text)
    assert main(["p.mlir", "-o", "libp.o", "--prefix", "p", *flags]) == 1
    error = capsys.readouterr().err
    assert error.startswith(message)
    assert "Traceback" not in error
    assert left(program) == ["p.mlir"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["-o", "p.o", "--any-strides"], "the program sends messages to other ranks, which must all run the same code"),
        (["-o", "p.o", "--grid", "2x2"], "--grid 2x2, but the program is for a grid of 3; give --grid 3"),
        (["--python", "p", "--any-strides"], "the program sends messages to other ranks, which must all run the same"),
    ],
)
def test_what_is_not_for_several_ranks(
    program: Path, capsys: pytest.CaptureFixture[str], flags: list[str], message: str
) -> None:
    shutil.copy(Path(__file__).parents[2] / "examples" / "sharded" / "data_parallel.mlir", program / "p.mlir")
    assert main(["p.mlir", *flags]) == 1
    assert message in capsys.readouterr().err
    assert left(program) == ["p.mlir"]


def test_a_grid_for_a_program_that_is_not_split(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.mlir", "-o", "p.o", "--grid", "2"]) == 1
    assert "--grid, but the program is not split: annotate it by shard.shard" in capsys.readouterr().err
    assert left(program) == ["p.mlir"]


def test_a_folder_of_somebody_else_is_not_replaced(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (program / "mine").mkdir()
    (program / "mine" / "notes").write_text("mine")
    assert main(["p.mlir", "--python", "mine"]) == 1
    assert "'mine' exists and is no package that inplace-compile wrote; name another folder" in capsys.readouterr().err
    assert left(program) == ["mine", "p.mlir"]
    assert left(program / "mine") == ["notes"]


def without_linkers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")


def test_without_a_compiler_there_are_objects_and_archives(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_linkers(monkeypatch)
    assert main(["p.mlir", "-o", "p.so", "--header", "p.h"]) == 1
    assert "there is no C compiler or linker to make a shared library: install one" in capsys.readouterr().err
    assert left(program) == ["p.mlir"]
    assert main(["p.mlir", "-o", "p.o", "--header", "p.h"]) == 0
    assert main(["p.mlir", "-o", "libp.a"]) == 0
    assert left(program) == ["libp.a", "p.h", "p.mlir", "p.o"]


def test_a_static_library_is_an_archive(program: Path) -> None:
    assert main(["p.mlir", "--static", "-o", "libp.a"]) == 0
    made = (program / "libp.a").read_bytes()
    assert made.startswith(b"!<arch>\n")
    assert main(["p.mlir", "-o", "libp.a"]) == 0
    assert (program / "libp.a").read_bytes() == made


def test_a_linker_that_fails_is_quoted(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (program / "failing").write_text("#!/bin/sh\necho it is broken >&2\nexit 1\n")
    (program / "failing").chmod(0o755)
    monkeypatch.setenv("CC", f"{program}/failing --flag")
    assert main(["p.mlir", "-o", "p.so"]) == 1
    assert f"'{program}/failing' cannot link the library: it is broken" in capsys.readouterr().err
    monkeypatch.setenv("CC", "no-such-compiler")
    assert main(["p.mlir", "-o", "p.so"]) == 1
    assert "cannot run 'no-such-compiler' to link the library: No such file" in capsys.readouterr().err
    assert left(program) == ["failing", "p.mlir"]


@pytest.mark.skipif(shutil.which("ld") is None, reason="there is no linker")
def test_a_linker_alone_is_enough(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = program / "bin"
    folder.mkdir()
    (folder / "ld").symlink_to(shutil.which("ld") or "")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(folder))
    assert main(["p.mlir", "-o", "libp.so", "--header", "p.h"]) == 0
    out = np.zeros(4, np.float32)
    assert CLibrary(program, "p").call("double", np.arange(4, dtype=np.float32), out) == "OK"
    assert out.tolist() == [0, 2, 4, 6]


@needs_compiler
def test_only_the_functions_that_are_asked_for(program: Path) -> None:
    library = compiled(program, TEXT, "-e", "square")
    assert "lib1_square(" in library.header
    assert "double" not in library.header
    with pytest.raises(AttributeError):
        library.function("double")


@needs_compiler
def test_a_package_is_replaced_as_a_whole(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["p.mlir", "--python", "replaced", "-e", "double"]) == 0
    (program / "replaced" / "old").write_text("old")
    assert main(["p.mlir", "--python", "replaced", "-e", "square"]) == 0
    assert left(program) == ["p.mlir", "replaced"]
    assert "old" not in left(program / "replaced")
    monkeypatch.syspath_prepend(str(program))
    package = importlib.import_module("replaced")
    assert package.__all__ == ["square"]
    assert package.square(np.arange(4, dtype=np.float32)).tolist() == [0, 1, 4, 9]


@needs_compiler
def test_output_that_cannot_be_replaced_leaves_the_old_one(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.mlir", "-o", "libp.so"]) == 0
    before = (program / "libp.so").read_bytes()
    (program / "p.mlir").write_text(TEXT.replace("addf", "addi"))
    assert main(["p.mlir", "-o", "libp.so"]) == 1
    assert capsys.readouterr().err.startswith("p.mlir:3:8: error: 'arith.addi' op operand #0 must be")
    assert (program / "libp.so").read_bytes() == before


@needs_compiler
@pytest.mark.skipif(find_openmp() is None, reason="there is no OpenMP runtime")
def test_threads(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        func.func @main(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>, %c: tensor<256x256xf32>)
            -> tensor<256x256xf32> {
          %0 = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%c : tensor<256x256xf32>)
              -> tensor<256x256xf32>
          return %0 : tensor<256x256xf32>
        }"""
    (program / "p.mlir").write_text(text)
    assert main(["p.mlir", "--python", "threaded", "--optimize", "--threads", "2"]) == 0
    monkeypatch.syspath_prepend(str(program))
    package = importlib.import_module("threaded")
    a, b, c = np.random.default_rng(1).random((3, 256, 256), np.float32)
    expected = mi.compile(text, optimize=True, threads=2).main(a, b, c)
    np.testing.assert_array_equal(package.main(a, b, c), expected)
    symbols = subprocess.run(["nm", "-D", "threaded/libthreaded.so"], capture_output=True, text=True, check=True)
    assert "__kmpc_fork_call" in symbols.stdout


def test_threads_need_an_openmp_runtime(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(inplace_compile, "find_openmp", lambda: None)
    assert main(["p.mlir", "-o", "p.o", "--threads", "2"]) == 1
    assert capsys.readouterr().err.startswith("inplace-compile: error: there is no OpenMP runtime")
    assert left(program) == ["p.mlir"]


@needs_compiler
def test_programs_of_frontends_and_functions_of_other_libraries(program: Path) -> None:
    library = compiled(
        program,
        "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}",
        name="hlo",
    )
    out = np.zeros(4, np.float32)
    assert library.call("f", np.ones(4, np.float32), out) == "OK"
    assert out.tolist() == [2] * 4
    (program / "twice.c").write_text("double twice(double x) { return 2 * x; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "twice.c", "-o", "libtwice.so"], check=True)
    text = "func.func private @twice(f64) -> f64\nfunc.func @f(%x: f64) -> f64 {\n"
    text += "  %0 = call @twice(%x) : (f64) -> f64\n  return %0 : f64\n}"
    library = compiled(program, text, "--shared-libs", "./libtwice.so", name="calling")
    found = ctypes.c_double()
    assert library.call("f", ctypes.c_double(1.5), ctypes.byref(found)) == "OK"
    assert found.value == 3


def test_the_installed_command(program: Path) -> None:
    command = [sys.executable, "-c", "from mlir_inplace.tools.launch import inplace_compile; exit(inplace_compile())"]
    done = subprocess.run(
        [*command, "p.mlir", "-o", "p.o"], capture_output=True, text=True, check=False, env=os.environ
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert left(program) == ["p.mlir", "p.o"]
