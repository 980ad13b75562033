"""The examples of docs/DISPATCH.md are valid programs, and the page has one of each operation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mlir import ir

from mlir_inplace.dialects import dispatch

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "DISPATCH.md").read_text()
EXAMPLES = re.findall(r"^```mlir\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
OPERATIONS = (
    *("binding", "tie_shape", "load", "store", "push_constant"),
    *("workgroup_id", "workgroup_size", "workgroup_count", "contents", "commit"),
)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_valid(example: str) -> None:
    with ir.Context() as context:
        module = dispatch.parse(example, context)
        assert module.operation.verify()
        names = {op.operation.name for function in module.body.operations for op in function.regions[0].blocks[0]}
    # A mistake in the form could leave an operation unread; each must have become one.
    written = set(re.findall(r"^\s*(?:%\w+ = )?(dispatch\.\w+)", example, re.MULTILINE))
    assert written
    assert written <= names


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_operation_has_a_section_and_an_example(operation: str) -> None:
    (heading,) = re.findall(rf"^### .*\bdispatch\.{operation}\b.*$", PAGE, re.MULTILINE)
    section = PAGE.partition(heading)[2].partition("\n## ")[0].partition("\n### ")[0]
    assert re.search(rf"dispatch\.{operation}\b", "".join(re.findall(r"```mlir\n(.*?)```", section, re.DOTALL)))
    assert f"'dispatch.{operation}'" in PAGE or operation.startswith("workgroup_")


def test_the_builders_print_what_the_page_says() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT.parent)}
    process = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == EXAMPLES[-1].strip()
