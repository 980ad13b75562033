"""Nests of branches: every write is compared with a few reads, not with each that runs instead."""

from __future__ import annotations

import pytest

import mlir_inplace as mi

# isort: split
# Only now is `mlir` there.
from mlir import ir

from mlir_inplace.passes.analysis.conflicts.interference import Interference

TENSOR = "tensor<64xf32>"


def nested_ifs(depth: int) -> str:
    """A read before each if, and an update inside of it."""
    lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
    for i in range(depth):
        lines += [
            f"%x{i} = tensor.extract %t{i}[%c0] : {TENSOR}",
            f"%r{i} = scf.if %p -> ({TENSOR}) {{",
            f"%t{i + 1} = tensor.insert %x{i} into %t{i}[%c1] : {TENSOR}",
        ]
    value = f"%t{depth}"
    for i in reversed(range(depth)):
        lines.append(f"scf.yield {value} : {TENSOR}\n}} else {{\nscf.yield %t{i} : {TENSOR}\n}}")
        value = f"%r{i}"
    body = "\n".join(lines)
    return f"func.func @main(%t0: {TENSOR} WRITABLE, %p: i1) -> {TENSOR} {{\n{body}\nreturn %r0 : {TENSOR}\n}}"


@pytest.mark.parametrize("writable", ["true", "false"])
def test_questions_grow_with_the_depth(writable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [0]
    original = Interference._ask

    def counted(self: Interference, *arguments: object) -> object:
        asked[0] += 1
        return original(self, *arguments)

    monkeypatch.setattr(Interference, "_ask", counted)
    counts: list[int] = []
    for depth in (60, 120, 240):
        asked[0] = 0
        with ir.Context():
            text = nested_ifs(depth).replace("WRITABLE", f"{{bufferization.writable = {writable}}}")
            module = ir.Module.parse(text)
            mi.run_pipeline(module, "inplace-one-shot-bufferize{bufferize-function-boundaries=true}")
            assert str(module).count("memref.copy") == (0 if writable == "true" else 1)
        counts.append(asked[0])
    assert counts[0]
    assert counts[1] <= 2.5 * counts[0]
    assert counts[2] <= 2.5 * counts[1]
