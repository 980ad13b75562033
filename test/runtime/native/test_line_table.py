"""Line numbers in object files: those of the JIT are read whole, anything else is refused."""

from __future__ import annotations

import functools

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.pipeline.pipeline import run_pipeline
from mlir_inplace.runtime.compilation.program import native_code
from mlir_inplace.runtime.compilation.stages import STAGES, watched_stages
from mlir_inplace.runtime.native.engine import Engine
from mlir_inplace.runtime.native.line_table import CodeLines
from mlir_inplace.runtime.native.loaded_object import ObjectFile, UnsupportedObjectError

PROGRAM = """
func.func @main(%a: i32, %b: i32, %m: memref<?xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %0 = llvm.sdiv %a, %b : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%i] : memref<?xi32>
    %y = llvm.srem %x, %0 : i32
    memref.store %y, %m[%i] : memref<?xi32>
  }
  return %0 : i32
}
"""
ADD_LINES = "builtin.module(ensure-debug-info-scope-on-llvm-func)"
DIVISION = 0xF7
"""The opcode of divisions of 32 bits, with or without a REX prefix before it, which tells 64 bits."""


@functools.cache
def code(lines: bool, opt_level: int = 0) -> tuple[bytes, int]:
    """An object file, and the number of its lines: line 1000 is that of divisions, and others count from 1."""
    count = 0

    def number(op: ir.Operation) -> ir.WalkResult:
        nonlocal count
        count += 1
        line = 1000 if op.name in ("llvm.sdiv", "llvm.srem") else count
        op.location = ir.Location.file("lines", line, 1, context=op.context)
        return ir.WalkResult.ADVANCE

    def watch(stage: str, module: ir.Module) -> None:
        if lines and stage == STAGES[-1]:
            module.operation.walk(number)
            run_pipeline(module, ADD_LINES)

    with watched_stages(watch):
        engine = native_code(mi.compile(PROGRAM, opt_level=opt_level), contiguous=True).engine
    assert isinstance(engine, Engine)
    data = engine.object_code()
    assert data is not None
    return data, count


@pytest.mark.parametrize("opt_level", [0, 2])
def test_lines_of_instructions(opt_level: int) -> None:
    data, count = code(True, opt_level)
    table = CodeLines(data, "_mlir_main")
    found = [table.line(offset) for offset in range(table.start, len(table.code))]
    assert set(found) <= {0, 1000, *range(1, count + 1)} and len(set(found)) > 5
    divisions = [offset for offset in range(1, len(table.code)) if table.line(offset) == 1000]
    assert divisions and any(table.code[offset] == DIVISION for offset in divisions)
    assert table.line(len(table.code)) == 0 and table.line(1 << 40) == 0


@pytest.mark.parametrize("opt_level", [0, 2])
def test_code_is_the_same_with_and_without(opt_level: int) -> None:
    """What `inplace-run` relies on, and checks each time."""
    with_lines, without = (CodeLines(code(lines, opt_level)[0], "_mlir_main") for lines in (True, False))
    assert (with_lines.code, with_lines.start) == (without.code, without.start)
    assert without.line(without.start) == 0


def test_what_is_not_known_is_refused() -> None:
    data, _ = code(True)
    with pytest.raises(UnsupportedObjectError, match="0 functions nowhere"):
        CodeLines(data, "nowhere")
    with pytest.raises(UnsupportedObjectError, match="no object file"):
        CodeLines(data[:100], "_mlir_main")
    with pytest.raises(UnsupportedObjectError, match=r"no .*object"):
        CodeLines(b"", "_mlir_main")
    (table,) = (section for section in ObjectFile(data).sections if section.name == ".debug_line")
    version = table.offset + 4
    for changed, message in (
        (data[:version] + b"\5" + data[version + 1 :], "line numbers of version 5"),
        (data[: table.offset] + b"\1" + data[table.offset + 1 :], "line numbers of version 4"),
    ):
        with pytest.raises(UnsupportedObjectError, match=message):
            CodeLines(changed, "_mlir_main")


def test_code_in_several_sections() -> None:
    """What gives a call up seldom runs, so LLVM puts it into another section; lines are those of the first one."""
    lines: dict[int, str] = {}

    def watch(stage: str, module: ir.Module) -> None:
        def number(op: ir.Operation) -> ir.WalkResult:
            lines[len(lines) + 1] = op.name
            op.location = ir.Location.file("lines", len(lines), 1, context=op.context)
            return ir.WalkResult.ADVANCE

        if stage == STAGES[-1]:
            module.operation.walk(number)
            run_pipeline(module, ADD_LINES)

    text = PROGRAM.replace("llvm.sdiv", "arith.divsi").replace("llvm.srem", "arith.remsi")
    with watched_stages(watch):
        engine = native_code(mi.compile(text), contiguous=True).engine
    assert isinstance(engine, Engine)
    data = engine.object_code() or b""
    file = ObjectFile(data)
    code_of = {symbol.name: symbol.section for symbol in file.symbols}
    assert sum(section.name.startswith(".ltext") for section in file.sections) > 1
    table = CodeLines(data, "_mlir_main")
    assert table.code == data[file.sections[code_of["_mlir_main"]].offset :][: len(table.code)]
    named = [lines[table.line(at)] for at in range(1, len(table.code)) if table.line(at) and table.code[at] == DIVISION]
    assert {"llvm.sdiv", "llvm.srem"} <= set(named)
