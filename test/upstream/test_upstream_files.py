"""The script that runs upstream's test files finds what it is to find, and what was found is explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from file_record import CATEGORIES, EXPLAINED, WORSE, section, table
from upstream_cases import read_cases
from upstream_files import DEFAULT, Chunk, Worker, chunks, read_runs

BOUNDARIES = "// RUN: mlir-opt %s -one-shot-bufferize=bufferize-function-boundaries"
READ = """
func.func @f(%t: tensor<2xf32>, %f: f32, %i: index) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = tensor.insert %f into %t[%i] : tensor<2xf32>
  return %0, %t : tensor<2xf32>, tensor<2xf32>
}
"""
CAST = """
func.func @f(%t: tensor<2xi32>) -> tensor<2xindex> {
  %0 = arith.index_cast %t : tensor<2xi32> to tensor<2xindex>
  return %0 : tensor<2xindex>
}
"""
BITCAST = """
func.func @f(%t: tensor<2xi32>) -> tensor<2xf32> {
  %0 = tensor.bitcast %t : tensor<2xi32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
REGION = """
func.func @f(%t: tensor<2xf32>, %u: tensor<2xf32>, %p: i1) -> tensor<2xf32> {
  %x = scf.execute_region -> tensor<2xf32> {
    cf.cond_br %p, ^a, ^b
  ^a:
    scf.yield %t : tensor<2xf32>
  ^b:
    scf.yield %u : tensor<2xf32>
  }
  return %x : tensor<2xf32>
}
"""
UNKNOWN = """
func.func @f(%t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "some.op"(%t) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
UNRANKED = """
func.func @f(%t: tensor<*xf32>) -> memref<*xf32> {
  %0 = bufferization.to_buffer %t : tensor<*xf32> to memref<*xf32>
  return %0 : memref<*xf32>
}
"""
FOUND = {
    "same": READ,
    "more, upstream wrong": CAST,
    "refused by upstream alone": BITCAST,
    "crash of upstream": REGION,
    "refused by both": UNKNOWN,
    "refused by ours alone": UNRANKED,
    "not parsed": READ.replace("tensor.insert", "tensor.no_such_op"),
    "no tensors": "func.func private @f(i32)",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one file that has each program but one, and files that are not taken."""
    folder = tmp_path_factory.mktemp("test")
    texts = [text for category, text in FOUND.items() if category != "crash of upstream"]
    copied = BOUNDARIES.replace("=bufferize", '="copy-before-write bufferize') + '"'
    contents = {
        "all.mlir": "\n// -----\n".join([BOUNDARIES, *texts]),
        "copied.mlir": f"{copied}\n{REGION}",
        "other.mlir": READ,
        "mentions.mlir": f"// bufferization\n{READ}",
        "SparseTensor/bufferize.mlir": READ,
    }
    for name, text in contents.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


def test_each_program_is_in_its_category(files: Path) -> None:
    worker = Worker()
    found = [worker.judge(chunk).category for chunk in chunks(files)]
    expected = [category for category in FOUND if category != "crash of upstream"]
    assert found == ["no tensors", *expected, "crash of upstream"]


def test_which_files_are_taken(files: Path) -> None:
    assert {chunk.file for chunk in chunks(files)} == {"all.mlir", "copied.mlir"}
    assert {chunk.file for chunk in chunks(files, everything=True)} == {"all.mlir", "copied.mlir", "mentions.mlir"}
    second = list(chunks(files))[1]
    assert second.name == "all.mlir:3"
    assert second.text.strip() == READ.strip()


def test_options_are_those_of_the_run_lines() -> None:
    text = """
        // RUN: mlir-opt %s -eliminate-empty-tensors \\
        // RUN:   -one-shot-bufferize="allow-unknown-ops test-analysis-only" | FileCheck %s
        // RUN: mlir-opt %s -one-shot-bufferize="allow-unknown-ops analysis-heuristic=fuzzer analysis-fuzzer-seed=3"
        // RUN: mlir-opt %s -pass-pipeline="builtin.module(one-shot-bufferize{copy-before-write})"
        // RUN: mlir-opt %s -test-tensor-copy-insertion
    """
    expected = [("eliminate-empty-tensors", "allow-unknown-ops"), ("", "allow-unknown-ops"), ("", "copy-before-write")]
    assert read_runs(text) == [*expected, ("", "")]
    assert read_runs("// RUN: mlir-opt %s -canonicalize") == [("", DEFAULT)]


def test_what_is_worse_is_explained() -> None:
    """A chunk may be worse for us only where a program of this folder shows that upstream is wrong."""
    cases = {case.name for case in read_cases() if case.finding in ("wrong value", "crash")}
    assert set(EXPLAINED.values()) <= cases
    assert tuple(CATEGORIES)[:5] == WORSE
    text = section()
    assert "| crash of ours | 0 |" in text
    assert "| wrong by ours | 0 |" in text
    assert all(f"(#{case})" in text for case in EXPLAINED.values())


def test_the_table_has_every_category() -> None:
    assert table({"more": 3}).count("\n| ") == len(CATEGORIES)
    assert "| more | 3 |" in table({"more": 3})


def test_made_up_sizes_do_not_take_all_memory() -> None:
    """Sizes of some sixty in each of five directions are 900 million elements."""
    lines = [f"%c{d} = arith.constant {d} : index" for d in range(5)]
    lines += [f"%e{d} = tensor.extract %sizes[%c{d}] : tensor<5xi64>" for d in range(5)]
    lines += [f"%s{d} = arith.index_cast %e{d} : i64 to index" for d in range(5)]
    body = "\n".join(lines)
    text = f"""
    func.func @main(%sizes: tensor<5xi64>, %x: f32) -> tensor<?x?x?x?x?xf32> {{
      {body}
      %0 = tensor.empty(%s0, %s1, %s2, %s3, %s4) : tensor<?x?x?x?x?xf32>
      %1 = linalg.fill ins(%x : f32) outs(%0 : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
      return %1 : tensor<?x?x?x?x?xf32>
    }}"""
    assert Worker().judge(Chunk("", 1, text, (("", DEFAULT),))).category == "same"
