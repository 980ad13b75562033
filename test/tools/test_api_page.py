"""docs/API.md describes everything that the package exports; `test_generate_docs.py` checks that it is fresh."""

from __future__ import annotations

import inspect
import re

import pytest

import mlir_inplace as mi
from mlir_inplace.tools.api_page import SECTIONS, api_page

PUBLIC = sorted(set(mi.__all__) - {"__version__"})


def section(name: str) -> str:
    (found,) = re.findall(rf"^### {name}\n\n(.*?)(?=^###? |\Z)", api_page(), re.MULTILINE | re.DOTALL)
    return found


def test_every_public_name_has_one_place() -> None:
    assert sorted(" ".join(SECTIONS.values()).split()) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_name_has_a_docstring_of_its_own_and_full_types(name: str) -> None:
    value = getattr(mi, name)
    assert inspect.getdoc(value) and section(name).count("\n") > 3
    functions = [value] if inspect.isfunction(value) else [f for n, f in vars(value).items() if inspect.isfunction(f)]
    for function in functions:
        if function.__module__.startswith("mlir_inplace") and not function.__name__.startswith("__"):
            signature = inspect.signature(function)
            assert signature.return_annotation is not signature.empty, function
            untyped = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name != "self"]
            assert untyped == ([] if function.__name__ != "__init_subclass__" else ["cls"]), function


def test_functions_show_their_parameters_and_lists() -> None:
    text = section("bufferize")
    assert "    move_reads: bool = False,\n    **options: Any,\n) -> BufferizationReport\n```" in section("bufferize")
    assert "Args:\n\n* `module`: a module of tensor functions; it is changed.\n" in text
    assert "Raises:\n\n* `PassError`: " in text
    assert "    threads: int = 1,\n    machine: str = ''," in section("compile")
    assert "\n    *,\n    pipeline: str | Pipeline | None = None,\n" in section("compile")


def test_classes_show_constructors_fields_properties_and_methods() -> None:
    assert "class Pipeline\n" in section("Pipeline") and "class Program\n" in section("Program"), "no hidden bases"
    assert "class ModelClashError(Exception)\n" in section("ModelClashError"), "the bases of a hidden base"
    assert "class PassFailure(Exception)\nPassFailure(" in section("PassFailure")
    assert "* `decisions: tuple[ReportedDecision, ...]`\n" in section("BufferizationReport")
    assert "* `names: tuple[str, ...]`: The names of the parameters in calls" in section("Signature")
    assert "* `Pipeline.parse(text: str, passes: Registry | None = None) -> Pipeline`: Reads" in section("Pipeline")
    assert "* `run(op: ir.Operation) -> None`: Transforms `op`" in section("Pass")
    assert "* `VIEW`: `'view'`" in section("Relation")
    assert "_positions" not in api_page() and ":class:" not in api_page()
