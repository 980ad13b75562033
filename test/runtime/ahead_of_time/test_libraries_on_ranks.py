"""Libraries that send messages: one for each MPI that is there, with the numbers of `mi.compile`, bit for bit."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from c_libraries import compiled
from fast_run import chosen
from mpi_ranks import FOUND, Mpi, can_start, every_mpi, first_mpi, needs_mpi, on_ranks, run_on_ranks

from mlir_inplace.runtime.native.openmp import find_openmp
from mlir_inplace.tools.inplace_compile import main

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "sharded"
REFERENCE = ROOT / "test" / "runtime" / "message_passing" / "programs" / "given_arrays.py"
PACKAGE = REFERENCE.with_name("package.py")

COMMON = """
#include <stdio.h>
#include <stdlib.h>
#include "lib.h"

static int rank;

static void check(int error) {
  if (!error)
    return;
  fprintf(stderr, "%s\\n", lib_message(error));
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static FILE *opened(const char *name, int number, const char *mode) {
  char path[64];
  snprintf(path, sizeof path, "%s.%d", name, number);
  FILE *file = fopen(path, mode);
  if (!file)
    exit(2);
  return file;
}

static lib_f32_2d taken(const char *name, int64_t columns) {
  FILE *file = opened(name, rank, "rb");
  fseek(file, 0, SEEK_END);
  long bytes = ftell(file);
  rewind(file);
  float *data = malloc(bytes);
  if (fread(data, 1, bytes, file) != (size_t)bytes)
    exit(2);
  fclose(file);
  return lib_f32_2d_of(data, bytes / (4 * columns), columns);
}

static void given(const char *name, const lib_f32_2d *array) {
  FILE *file = opened(name, rank, "wb");
  fwrite(array->data, sizeof(float), array->sizes[0] * array->sizes[1], file);
  fclose(file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  check(lib_use_mpi(MPI_COMM_WORLD));
  CALLS
  MPI_Finalize();
  return 0;
}
"""

CALLS = {
    "data_parallel": """
        lib_f32_2d x = taken("argument0", 8), y = taken("argument1", 4), w = taken("argument2", 4);
        check(lib_main(&x, &y, &w));
        given("result0", &w);
        free(x.data), free(y.data), free(w.data);""",
    "stencil": """
        lib_f32_2d u = taken("argument0", 12), w = taken("argument1", 12), result0, result1;
        check(lib_main(&u, &w, 3, &result0, &result1));
        given("result0", &result0), given("result1", &result1);
        free(u.data), free(w.data);""",
    "summa": """
        lib_f32_2d a = taken("argument0", 30), b = taken("argument1", rank % 2 ? 18 : 19),
                    c = taken("argument2", rank % 2 ? 18 : 19);
        check(lib_main(&a, &b, &c));
        given("result0", &c);
        free(a.data), free(b.data), free(c.data);""",
    "attention": """
        lib_f32_2d q = taken("argument0", 8), k = taken("argument1", 8), v = taken("argument2", 8), result;
        check(lib_main(&q, &k, &v, &result));
        given("result0", &result);
        free(result.memory), free(q.data), free(k.data), free(v.data);""",
}
RANKS = {"data_parallel": 3, "stencil": 2, "summa": 4, "attention": 3}
LEVELS = ("--target-cpu", "x86-64-v2,x86-64-v3")

needs_mpicc = pytest.mark.skipif(
    shutil.which("cc") is None or any(not (one.folder / "bin" / "mpicc").exists() for one in FOUND),
    reason="there is no C compiler, or no mpicc",
)
pytestmark = [pytest.mark.long, needs_mpi, needs_mpicc]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of each example, each in its own, which knows no MPI."""
    folder = tmp_path_factory.mktemp("libraries")
    for name in CALLS:
        (folder / name).mkdir()
        output = ["-o", str(folder / name / "liblib.so"), "--header", str(folder / name / "lib.h")]
        assert main([str(EXAMPLES / f"{name}.mlir"), *output, "--optimize"]) == 0
    return folder


def built(mpi: Mpi, folder: Path, source: str) -> Path:
    """A program in C with the library in the folder, for one MPI."""
    (folder / "program.c").write_text(source)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-function"]
    command = [str(mpi.folder / "bin" / "mpicc"), *strict, "program.c", "-I.", "-L.", "-llib", "-Wl,-rpath,."]
    done = subprocess.run([*command, "-o", "program"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "program"


def runs(
    mpi: Mpi, folder: Path, ranks: int, monkeypatch: pytest.MonkeyPatch, *, wrapper: Sequence[str] = ()
) -> tuple[str, str]:
    """Run the program in the folder there; what it prints."""
    if not can_start(mpi):
        pytest.skip(f"mpiexec of {mpi.name} starts no ranks here")
    monkeypatch.chdir(folder)
    ran = run_on_ranks(mpi, ranks, [*wrapper, "./program"])
    assert ran.code == 0, ran
    return ran.stdout, ran.stderr


@every_mpi
@pytest.mark.parametrize("name", chosen(CALLS, "data_parallel", "summa"))
def test_the_numbers_are_those_of_the_jit(
    library: Path, mpi: Mpi, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in ("liblib.so", "lib.h"):
        shutil.copy(library / name / file, tmp_path)
    built(mpi, tmp_path, COMMON.replace("CALLS", CALLS[name]))
    ran = on_ranks(mpi, RANKS[name], ["-m", "mpi4py", REFERENCE, EXAMPLES / f"{name}.mlir", tmp_path, "3"])
    assert ran.code == 0, ran
    runs(mpi, tmp_path, RANKS[name], monkeypatch)
    expected = sorted(tmp_path.glob("expected*"))
    assert len(expected) == RANKS[name] * (2 if name == "stencil" else 1)
    for one in expected:
        found = one.with_name(one.name.replace("expected", "result"))
        assert found.read_bytes() == one.read_bytes() != b"", one.name


@every_mpi
@pytest.mark.parametrize("name", chosen(CALLS, "stencil", "attention"))
def test_packages_call_as_the_jit_does(mpi: Mpi, name: str, tmp_path: Path) -> None:
    ranks = RANKS[name]
    assert main([str(EXAMPLES / f"{name}.mlir"), "--python", str(tmp_path / "split"), "--optimize"]) == 0
    for program in (REFERENCE, PACKAGE):
        ran = on_ranks(mpi, ranks, ["-m", "mpi4py", program, EXAMPLES / f"{name}.mlir", tmp_path, "3"])
        assert ran.code == 0, ran
    assert sorted(re.findall(r"rank \d is right", ran.stdout)) == [f"rank {rank} is right" for rank in range(ranks)]


@first_mpi
@pytest.mark.skipif(find_openmp() is None, reason="there is no OpenMP runtime")
def test_threads_in_each_rank(mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads on each rank add up in the order of one, which the JIT runs on."""
    text = (EXAMPLES / "data_parallel.mlir").read_text()
    for old, new in {"100x8xf32": "3001x64xf32", "100x4xf32": "3001x32xf32", "<8x4xf32": "<64x32xf32"}.items():
        text = text.replace(old, new)
    compiled(tmp_path, text, "--optimize", "--threads", "2", name="lib")
    symbols = subprocess.run(["nm", "-D", tmp_path / "liblib.so"], capture_output=True, text=True, check=True).stdout
    assert "__kmpc_fork_call" in symbols
    calls = CALLS["data_parallel"].replace(", 4)", ", 32)").replace(", 8)", ", 64)")
    built(mpi, tmp_path, COMMON.replace("CALLS", calls))
    ran = on_ranks(mpi, 3, ["-m", "mpi4py", REFERENCE, tmp_path / "program.mlir", tmp_path])
    assert ran.code == 0, ran
    runs(mpi, tmp_path, 3, monkeypatch)
    for expected in tmp_path.glob("expected*"):
        found = expected.with_name(expected.name.replace("expected", "result"))
        assert found.read_bytes() == expected.read_bytes() != b"", expected.name


@first_mpi
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind")
@pytest.mark.parametrize("name", chosen(CALLS, "stencil"))
def test_valgrind_finds_nothing(mpi: Mpi, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(tmp_path, (EXAMPLES / f"{name}.mlir").read_text(), *LEVELS, name="lib")
    built(mpi, tmp_path, COMMON.replace("CALLS", CALLS[name]))
    ran = on_ranks(mpi, RANKS[name], ["-m", "mpi4py", REFERENCE, EXAMPLES / f"{name}.mlir", tmp_path, "3"])
    assert ran.code == 0, ran
    flags = ["-q", "--num-callers=60", "--leak-check=full", "--log-file=valgrind.%p"]
    runs(mpi, tmp_path, RANKS[name], monkeypatch, wrapper=["valgrind", *flags])
    logs = list(tmp_path.glob("valgrind.*"))
    assert len(logs) >= RANKS[name]
    assert not [report for log in logs for report in reports(log.read_text()) if is_of_the_library(report)]


def reports(log: str) -> list[str]:
    """What valgrind has found, with the calls."""
    return re.split(r"^==\d+== *\n", log, flags=re.MULTILINE)


def is_of_the_library(report: str) -> bool:
    """Whether the library is at fault. MPI decides by values that were not written, in calls of ours, too."""
    frames = re.findall(r"(?:at|by) 0x.*", report)
    inside = frames[:1] if re.search("uninitialised", report) else frames
    return any("liblib.so" in frame for frame in inside)


@every_mpi
def test_the_example_trains(mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(tmp_path, (EXAMPLES / "data_parallel.mlir").read_text(), "--grid", "3", name="train")
    (tmp_path / "liblib.so").symlink_to("libtrain.so")
    built(mpi, tmp_path, (EXAMPLES / "main.c").read_text())
    assert runs(mpi, tmp_path, 3, monkeypatch)[0].splitlines() == [
        "output 0:  0.740  0.707",
        "output 1:  0.815  0.776",
        "output 2:  0.650  0.778",
        "output 3:  0.622  0.677",
    ]


MISTAKES = """
#include <stdio.h>
#include "lib.h"

static int rank;

static void say(int error) {
  if (rank == 1)
    printf("%s\\n", lib_message(error));
}

static int called(int64_t x_rows, int64_t w_rows) {
  float data[64] = {0}, number;
  lib_f32_2d x = lib_f32_2d_of(data, x_rows, 8), w = lib_f32_2d_of(data + 32, w_rows, 8);
  return lib_main(&x, &w, &number);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int64_t x_rows = lib_part_size(5, 2, rank);
  say(called(x_rows, 3));
  say(lib_use_mpi(MPI_COMM_SELF));
  say(lib_use_mpi(MPI_COMM_WORLD));
  say(lib_use_mpi(MPI_COMM_WORLD));
  say(called(3, 3));
  say(called(2, rank ? 4 : 3));
  say(called(x_rows, 3));
  if (lib_part_start(5, 2, rank) != rank * 3)
    return 1;
  MPI_Finalize();
  return 0;
}
"""
HALVES = """
module attributes {inplace.grid = array<i64: 2>} {
  func.func @main(%x: tensor<?x8xf32> {inplace.sharding = [[0], []], inplace.whole_type = tensor<5x8xf32>},
      %w: tensor<?x8xf32> {inplace.sharding = [[0], []], inplace.whole_type = tensor<2x8xf32>,
        inplace.halo = array<i64: 1, 1, 0, 0>}) -> f32 {
    %c0 = arith.constant 0 : index
    %0 = tensor.extract %x[%c0, %c0] : tensor<?x8xf32>
    return %0 : f32
  }
}
"""


@every_mpi
def test_mistakes_are_errors(mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(tmp_path, HALVES, name="lib")
    built(mpi, tmp_path, MISTAKES)
    part = "expected sizes ?x8 for tensor<?x8xf32>, this rank's shard of"
    assert runs(mpi, tmp_path, 2, monkeypatch)[0].splitlines() == [
        "the ranks are not known: call lib_use_mpi() first",
        "the program is for a grid of 2, which is 2 ranks, and the communicator has another number",
        "success",
        "lib_use_mpi() was called before",
        f"main: argument 0 ('x'): {part} tensor<5x8xf32>",
        f"main: argument 1 ('w'): {part} tensor<2x8xf32>",
        "success",
    ]
