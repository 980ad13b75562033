"""A pass's argument, file, class and lit test have one name, so that a reader who knows one finds the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlir_inplace.passes.pipeline.registry import BUILT_IN, FAMILIES

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("argument", BUILT_IN)
def test_one_name(argument: str) -> None:
    path, class_name = BUILT_IN[argument]
    family, _, module = path.partition(".")
    assert f"class {class_name}(" in (ROOT / "passes" / family / f"{module}.py").read_text()
    assert (ROOT / "test" / "passes" / family / f"{argument.removeprefix('inplace-')}.mlir").is_file()


def test_every_pass_file_is_registered() -> None:
    found = (path for path in (ROOT / "passes").glob("*/*.py") if "\n    argument = " in path.read_text())
    passes = {f"{path.parent.name}.{path.stem}" for path in found}
    assert passes == {module for module, _ in BUILT_IN.values()}


@pytest.mark.parametrize("names", FAMILIES.values(), ids=FAMILIES)
def test_passes_are_listed_in_alphabetical_order(names: str) -> None:
    assert names.split() == sorted(names.split())
