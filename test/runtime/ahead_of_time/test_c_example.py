"""The example in C: built with each kind of output, run, and run under valgrind; headers for C and C++."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from c_libraries import compiled, needs_compiler, run_c

from mlir_inplace.runtime.ahead_of_time.archive import archive_of
from mlir_inplace.runtime.ahead_of_time.shared_library import linked
from mlir_inplace.runtime.ahead_of_time.symbols import defined_symbols
from mlir_inplace.tools.inplace_compile import main

pytestmark = needs_compiler

EXAMPLE = Path(__file__).parents[3] / "examples" / "ahead_of_time"
PRINTED = """\
trace: 8.00 = 1.00 + 4.00 + 3.00
centered:
   -2.00   -1.00    3.00
    0.00    0.00    0.00
    5.00   -4.00   -1.00
products of rows:
   14.00    0.00   -9.00
    0.00    0.00    0.00
   -9.00    0.00   42.00
no columns: rows.mlir:18:3: rows without elements have no mean
3x2: trace: argument 0 ('a'): expected sizes 3x3 for tensor<3x3xf32>
"""
LINKED = ["-lm", "-lpthread", "-Wl,-rpath,."]
LEVELS = ["--optimize", "--target-cpu", "x86-64-v2,x86-64-v3,x86-64-v4"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example as an object file, an archive and a shared library, and the header."""
    folder = tmp_path_factory.mktemp("rows")
    shutil.copy(EXAMPLE / "rows.mlir", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["rows.mlir", "-o", "rows.o", "--header", "rows.h", *LEVELS]) == 0
    code = (folder / "rows.o").read_bytes()
    (folder / "librows.a").write_bytes(archive_of(code, "code.o"))
    (folder / "librows.so").write_bytes(linked(code, "librows.so", []))
    return folder


@pytest.mark.parametrize("output", ["librows.so", "librows.a", "rows.o"])
def test_the_example_runs(built: Path, output: str) -> None:
    assert run_c(built, EXAMPLE / "main.c", [output, *LINKED]) == PRINTED


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind")
def test_valgrind_finds_nothing(built: Path) -> None:
    # Valgrind has no processor with vectors of 512 bits, so this may run another version than the processor would.
    valgrind = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full"]
    assert run_c(built, EXAMPLE / "main.c", ["librows.so", *LINKED], wrapper=valgrind) == PRINTED


def test_a_library_needs_the_c_library_alone_and_shows_its_own_functions(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(built)
    headers = subprocess.run(["objdump", "-p", "librows.so"], capture_output=True, text=True, check=True).stdout
    needed = {line.split()[1] for line in headers.splitlines() if "NEEDED" in line}
    assert needed <= {"libc.so.6", "libm.so.6", "libpthread.so.0"}
    assert "TEXTREL" not in headers
    shown = subprocess.run(["nm", "-D", "--defined-only", "librows.so"], capture_output=True, text=True, check=True)
    assert {line.split()[2].partition(".")[0] for line in shown.stdout.splitlines()} == {
        f"rows_{name}" for name in ("message", "cpu", "refused_bytes", "release_memory", "center", "gram", "trace")
    }


def test_ar_reads_our_archives(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(built)
    code = (built / "rows.o").read_bytes()
    listed = subprocess.run(["ar", "t", "librows.a"], capture_output=True, text=True, check=True).stdout
    assert listed.split() == ["code.o"]
    index = subprocess.run(["nm", "--print-armap", "librows.a"], capture_output=True, text=True, check=True).stdout
    assert [line for line in index.splitlines() if line.endswith(" in code.o")] == [
        f"{name} in code.o" for name in defined_symbols(code)
    ]
    subprocess.run(["ar", "x", "librows.a", "code.o"], check=True)
    assert (built / "code.o").read_bytes() == code


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_headers_are_for_c_and_cpp(tmp_path: Path) -> None:
    text = """
        func.func @class(%new: tensor<?x2xcomplex<f64>>, %z: complex<f32>, %0: f8E5M2, %b: i1, %double: ui16, %x: si64)
            -> (tensor<?x2xcomplex<f64>>, complex<f32>, f8E5M2, i1) {
          return %new, %z, %0, %b : tensor<?x2xcomplex<f64>>, complex<f32>, f8E5M2, i1
        }
        func.func @"odd name"(%a: tensor<i4>) { return }
        func.func @message() { return }
    """
    library = compiled(tmp_path, text)
    assert "int lib1_odd_name(const lib1_i4_0d *a);" in library.header
    assert "int lib1_message_(void);" in library.header
    (tmp_path / "both.c").write_text('#include "lib1.h"\nint main(void) { return lib1_message_(); }\n')
    for command in (["cc", "-std=c99"], ["g++", "-std=c++11", "-x", "c++"]):
        strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-function"]
        done = subprocess.run(
            [*command, *strict, "-fsyntax-only", "both.c"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
