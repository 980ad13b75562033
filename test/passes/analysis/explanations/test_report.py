"""The report as text, JSON and HTML, and the page that lists the reasons."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.explanations.reasons import GUIDE

ROOT = Path(__file__).parents[4]
SCHEMA = json.loads((ROOT / "docs" / "explanation.schema.json").read_text())
TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict, "null": type(None)}

BUFFERIZE = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})"

LOOP = """
func.func @main(%t: tensor<?xf32>, %n: index, %x: f32) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> f32 {
    %b = scf.for %j = %c0 to %n step %c1 iter_args(%c = %a) -> f32 {
      %w = tensor.insert %c into %t[%j] : tensor<?xf32>
      %r = tensor.extract %w[%i] : tensor<?xf32>
      scf.yield %r : f32
    }
    scf.yield %b : f32
  }
  return %t, %s : tensor<?xf32>, f32
}
func.func @other(%t: tensor<2xi8>, %x: i8, %i: index) -> tensor<2xi8> {
  %w = tensor.insert %x into %t[%i] : tensor<2xi8>
  return %w : tensor<2xi8>
}
"""


def report_of(text: str) -> mi.BufferizationReport:
    with ir.Context():
        return mi.bufferize(ir.Module.parse(text), warn_written_arguments=False)


def mistakes(value: Any, schema: dict[str, Any], place: str = "$") -> list[str]:
    """What `value` has against a schema of the kinds that ours uses."""
    schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    types = schema.get("type", list(TYPES))
    if not any(type(value) is TYPES[name] for name in ([types] if isinstance(types, str) else types)):
        return [f"{place} is {value!r}, no {types}"]
    found = [] if value in schema.get("enum", [value]) else [f"{place} is {value!r}"]
    found += [] if schema.get("const", value) == value else [f"{place} is {value!r}"]
    if isinstance(value, list):
        for number, item in enumerate(value):
            found += mistakes(item, schema["items"], f"{place}[{number}]")
    if isinstance(value, dict):
        assert schema["additionalProperties"] is False
        found += [f"{place} has no {name}" for name in schema["required"] if name not in value]
        for name, item in value.items():
            known = schema["properties"].get(name)
            found += [f"{place} has {name}"] if known is None else mistakes(item, known, f"{place}.{name}")
    return found


@pytest.mark.parametrize("text", [LOOP, (ROOT / "examples" / "mlp.mlir").read_text(), "module {}"])
def test_json_is_as_the_schema_says(text: str) -> None:
    found = report_of(text).to_json()
    assert json.loads(json.dumps(found)) == found
    assert mistakes(found, SCHEMA) == []


def test_the_schema_refuses_what_is_none() -> None:
    found = report_of(LOOP).to_json()
    del found["records"][0]["reason"]
    found["records"][1]["kind"] = "view"
    found["records"][1]["bytes"] = "4"
    found["decisions"] = None
    assert len(mistakes(found, SCHEMA)) == 4


def test_the_schema_has_the_reasons_and_the_changes() -> None:
    record = SCHEMA["$defs"]["record"]["properties"]
    assert record["reason"]["enum"] == [reason.value for reason in mi.Reason]
    assert record["change"]["enum"] == [change.value for change in mi.Change]
    assert record["kind"]["enum"] == [kind.value for kind in mi.EventKind]


def test_the_page_lists_every_reason_with_its_change() -> None:
    page = (ROOT / "docs" / "EXPLAINING.md").read_text()
    rows = [f"| `{reason.value}` | {advice.phrase} | {advice.text} |" for reason, advice in GUIDE.items()]
    assert "\n".join(["|---|---|---|", *rows, "\n"]) in page


def test_costs_in_loops() -> None:
    """One loop has three iterations, the other an unknown number; the size is an argument's."""
    allocation, copy = report_of(LOOP).records
    assert (allocation.kind, copy.kind) == (mi.EventKind.ALLOCATION, mi.EventKind.COPY)
    assert (copy.bytes, copy.size) == (None, "4 * dim(%arg0, 0)")
    assert [loop.trips for loop in copy.loops] == [3, None]
    assert copy.runs == 30
    assert copy.cost == "4 * dim(%arg0, 0) bytes, about 30 times, if loops of unknown bounds run 10 times"
    assert copy.rule == "read-after-write"


def test_a_report_has_a_part_for_each_function() -> None:
    parts = report_of(LOOP).by_function()
    assert list(parts) == ["main", "other"]
    assert [len(part.records) for part in parts.values()] == [2, 0]
    assert parts["other"].summary == "1 of 1 operands in-place, no copies, no allocations"
    assert parts["main"].summary.endswith("1 allocation (1 of dynamic size), 1 copy (1 of dynamic size)")


def test_nothing_is_left_but_the_result() -> None:
    splat = "func.func @main(%x: f32) -> tensor<4xf32> {{ %s = tensor.splat %x : tensor<4xf32> {} }}"
    one = report_of(splat.format("return %s : tensor<4xf32>"))
    assert one.summary.endswith("no copies, 1 allocation: the result")
    text = splat.format("%r = tensor.splat %x : tensor<4xf32> return %s, %r : tensor<4xf32>, tensor<4xf32>")
    two = report_of(text.replace("-> tensor<4xf32>", "-> (tensor<4xf32>, tensor<4xf32>)"))
    assert two.summary.endswith("no copies, 2 allocations: the results")


class _Tags(HTMLParser):
    """Checks that tags nest, and collects the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_nests_and_says_the_same() -> None:
    report = report_of(LOOP)
    html = report._repr_html_()
    parser = _Tags()
    parser.feed(html)
    assert not parser.open
    copy = report.copies[0]
    for said in (report.summary, copy.phrase, copy.advice, copy.cost, copy.notes[1].text):
        assert said in parser.text
    assert "<script" not in html


def test_source_lines_come_from_files(tmp_path: Path) -> None:
    file = tmp_path / "program.mlir"
    file.write_text(LOOP)
    with ir.Context():
        module = ir.Module.parseFile(str(file))
        file_report = mi.bufferize(module, warn_written_arguments=False)
    assert {record.snippet for record in file_report.records} == {"%w = tensor.insert %c into %t[%j] : tensor<?xf32>"}
    assert {record.snippet for record in report_of(LOOP).records} == {""}


def test_sizes_have_the_names_of_the_source(tmp_path: Path) -> None:
    """Of an argument, of one of several results, of a result of several numbers; else of the printed module."""
    call = "func.func private @two() -> (tensor<?xf32>, tensor<?xf32>)\nfunc.func @main(%x: f32, %i: index) -> f32 {\n"
    body = (
        "  %w = tensor.insert %x into {0}[%i] : tensor<?xf32>\n  %e = tensor.extract {0}[%i] : tensor<?xf32>\n"
        "  %f = tensor.extract %w[%i] : tensor<?xf32>\n  %g = arith.addf %e, %f : f32\n  return %g : f32\n}}\n"
    )
    texts = {
        LOOP: "%t",
        call + "  %a, %b = call @two() : () -> (tensor<?xf32>, tensor<?xf32>)\n" + body.format("%b"): "%b",
        call + "  %a:2 = call @two() : () -> (tensor<?xf32>, tensor<?xf32>)\n" + body.format("%a#1"): "%a#1",
    }
    file = tmp_path / "program.mlir"
    for text, name in texts.items():
        file.write_text(text)
        with ir.Context():
            copies = mi.bufferize(ir.Module.parseFile(str(file)), warn_written_arguments=False).copies
        assert [copy.size for copy in copies] == [f"4 * dim({name}, 0)"]
    with ir.Context():
        named = ir.Module.parse(LOOP.replace("%t: tensor<?xf32>,", '%t: tensor<?xf32> loc("rows"),', 1))
        copies = mi.bufferize(named, warn_written_arguments=False).copies
    assert [copy.size for copy in copies] == ["4 * dim(%rows, 0)"]


@pytest.mark.parametrize("options", [{}, {"optimize": True}, {"pipeline": BUFFERIZE}])
def test_a_compiled_program_explains_its_copies(options: dict[str, Any]) -> None:
    source = """
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32> {bufferization.writable = true}, %x: f32)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %0 = tensor.insert %x into %t[%c0] : tensor<4xf32>
  %1 = tensor.insert %x into %u[%c0] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""
    program = mi.compile(source, **options)
    reasons = [record.reason for record in program.explain().copies]
    assert reasons == [mi.Reason.ARGUMENT_NOT_WRITABLE]
