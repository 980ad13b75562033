"""The examples of docs/DISPATCH.md have all operations that they write, and the page has an example of each."""

from __future__ import annotations

import re
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
def test_examples_have_the_operations_that_they_write(example: str) -> None:
    with ir.Context() as context:
        module = dispatch.parse(example, context)
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
