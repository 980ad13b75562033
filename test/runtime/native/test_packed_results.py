"""What an entry point returns is in the caller's memory, however many results there are."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi

# isort: split
# Only now is `mlir` there.
from mlir import ir

from mlir_inplace.runtime.native.packed_entries import ENTRY_PREFIX, pack_entry


def test_many_results_are_stored_where_they_are_computed() -> None:
    """LLVM's time is the cube of the words that are live until the return."""
    count = 40
    struct = f"!llvm.struct<({', '.join(['i64'] * count)})>"
    lines = [f"%w{i} = llvm.add %a, %{f'w{i - 1}' if i else 'a'} : i64" for i in range(count)]
    lines += [f"%s0 = llvm.mlir.poison : {struct}"]
    lines += [f"%s{i + 1} = llvm.insertvalue %w{i}, %s{i}[{i}] : {struct}" for i in range(count)]
    body = "\n".join(lines)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(f"llvm.func @f(%a: i64) -> {struct} {{\n{body}\nllvm.return %s{count} : {struct}\n}}")
        pack_entry(module.operation, "f")
        assert module.operation.verify()
        function = ir.SymbolTable(module.operation)[ENTRY_PREFIX + "f"].operation
        names = [op.operation.name for op in function.regions[0].blocks[0].operations]
    sums = [place for place, name in enumerate(names) if name == "llvm.add"]
    assert [names[place + 1 : place + 3] for place in sums] == [["llvm.getelementptr", "llvm.store"]] * count
    assert "llvm.insertvalue" not in names  # LLVM's time to erase them would be the square of them


@pytest.mark.parametrize("count", [3, 100])
def test_results_of_dynamic_sizes_and_numbers(count: int) -> None:
    tensor = "tensor<?xf32>"
    types = ", ".join(f"{tensor}, f32" for _ in range(count))
    lines = ["%s0 = arith.addf %f, %f : f32"]
    for i in range(count):
        lines.append(f"%s{i + 1} = arith.addf %s{i}, %f : f32")
        lines.append(f"%t{i} = tensor.insert %s{i + 1} into %t[%c1] : {tensor}")
    values = ", ".join(f"%t{i}, %s{i + 1}" for i in range(count))
    body = "\n".join(lines)
    program = mi.compile(
        f"""func.func @main(%t: {tensor}, %f: f32) -> ({types}) {{
          %c1 = arith.constant 1 : index
          {body}
          return {values} : {types}
        }}""",
        memory_stats=True,
    )
    found = program.main(np.array([7, 8, 9], np.float32), np.float32(2))
    for i in range(count):
        np.testing.assert_array_equal(found[2 * i], [7, 2 * i + 6, 9])
        assert found[2 * i + 1] == 2 * i + 6
    assert program.memory_stats.leaked_bytes == 0
