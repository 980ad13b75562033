"""Diagnostics as data: places in every kind of location, notes, nesting of collectors, rendering."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

from mlir_inplace.passes.framework.diagnostics import (
    Diagnostic,
    DiagnosticCollector,
    emit,
    file_location,
    make_diagnostic,
    name_at,
    place_text,
)
from mlir_inplace.tools.shared.diagnostic_printer import render
from mlir_inplace.tools.shared.input import Source


@pytest.fixture(autouse=True)
def context() -> Iterator[ir.Context]:
    with ir.Context() as context:
        yield context


def test_the_place_is_found_through_every_kind_of_location() -> None:
    place = ir.Location.file("f.mlir", 3, 4)
    caller = ir.Location.file("f.mlir", 9, 1)
    named = ir.Location.name("x", place)
    for location in (
        place,
        named,
        ir.Location.fused([ir.Location.unknown(), named]),
        ir.Location.callsite(named, [caller]),
    ):
        diagnostic = make_diagnostic("error", location, "wrong")
        assert diagnostic.header == "f.mlir:3:4: error: wrong"
    assert file_location(ir.Location.name("x")) is None
    assert make_diagnostic("warning", ir.Location.unknown(), "wrong").header == "warning: wrong"


def test_a_place_without_a_file_is_told_by_its_name() -> None:
    named = ir.Location.name("/head/add")
    for location in (
        named,
        ir.Location.name("/head/add", ir.Location.name("Add")),
        ir.Location.fused([ir.Location.unknown(), named]),
        ir.Location.callsite(named, [ir.Location.unknown()]),
    ):
        assert make_diagnostic("error", location, "wrong").header == 'error: loc("/head/add"): wrong'
        assert name_at(location) == "/head/add"
        assert place_text(location) == 'loc("/head/add")'
    assert name_at(ir.Location.name("tanh", ir.Location.file("f.py", 3, 4))) == "tanh"
    assert (name_at(ir.Location.unknown()), place_text(ir.Location.unknown())) == ("", "unknown")


def test_an_inlined_place_names_its_callers() -> None:
    places = [ir.Location.file("f.mlir", line, 1) for line in (1, 2, 3)]
    location = ir.Location.name("inlined", ir.Location.callsite(places[0], places[1:]))
    assert str(make_diagnostic("error", location, "wrong")) == (
        "f.mlir:1:1: error: wrong\nf.mlir:2:1: note: called from\nf.mlir:3:1: note: called from"
    )


def test_endless_call_chains_are_cut() -> None:
    places = [ir.Location.file("f.mlir", line, 1) for line in range(1, 100)]
    assert len(make_diagnostic("error", ir.Location.callsite(places[0], places[1:]), "deep").notes) == 10


def test_errors_go_through_mlir_and_keep_their_notes(context: ir.Context) -> None:
    place, other = ir.Location.file("f.mlir", 3, 4), ir.Location.file("f.mlir", 1, 1)
    with DiagnosticCollector(context) as collector:
        emit("error", place, "wrong", [("because of this", other)])
        emit("error", place, "wrong again")
    note = Diagnostic("note", "f.mlir", 1, 1, "because of this")
    assert collector.diagnostics == [
        Diagnostic("error", "f.mlir", 3, 4, "wrong", (note,)),
        Diagnostic("error", "f.mlir", 3, 4, "wrong again"),
    ]
    assert collector.errors == tuple(collector.diagnostics)


def test_an_inner_collector_lets_everything_travel_on(context: ir.Context) -> None:
    place = ir.Location.file("f.mlir", 3, 4)
    with DiagnosticCollector(context, consume_all=True) as outer:
        with DiagnosticCollector(context) as inner:
            emit("error", place, "an error")
            emit("remark", place, "a remark")
        emit("warning", place, "a warning")
    assert [d.message for d in inner.diagnostics] == ["an error", "a remark"]
    assert [d.message for d in outer.diagnostics] == ["an error", "a remark", "a warning"]


def test_contexts_do_not_hear_each_other(capfd: pytest.CaptureFixture[str]) -> None:
    with DiagnosticCollector(ir.Context(), consume_all=True) as elsewhere:
        emit("remark", ir.Location.file("f.mlir", 3, 4), "a remark")
    assert elsewhere.diagnostics == []
    assert capfd.readouterr().err == "f.mlir:3:4: remark: a remark\n"


def test_what_cpp_reports_is_copied_with_its_notes(context: ir.Context) -> None:
    with DiagnosticCollector(context) as collector, pytest.raises(ir.MLIRError):
        ir.Module.parse("func.func @f() { return }\nfunc.func @f() { return }")
    (diagnostic,) = collector.diagnostics
    assert (diagnostic.severity, diagnostic.line) == ("error", 2)
    assert [note.line for note in diagnostic.notes] == [2, 1]


def test_a_message_that_is_no_text_is_still_an_error(context: ir.Context) -> None:
    with DiagnosticCollector(context) as collector, pytest.raises(ir.MLIRError):
        ir.Module.parse('func.func @"\\FF"() { return }\nfunc.func @"\\FF"() { return }')
    assert collector.diagnostics[0].header == "-:2:1: error: (a message that quotes bytes which are not UTF-8)"


def test_the_caret_counts_characters_where_mlir_counts_bytes() -> None:
    diagnostic = Diagnostic("error", "f.mlir", 1, len("äöü ".encode()) + 1, "wrong")
    assert render(diagnostic, Source("f.mlir", "äöü x")).endswith("\näöü x\n    ^")


def test_long_lines_are_clipped_around_the_caret() -> None:
    text = "a" * 5000 + "!" + "b" * 5000
    diagnostic = Diagnostic("error", "f.mlir", 1, 5001, f"first\nwrong '{'c' * 5000}'")
    first, message, line, caret = render(diagnostic, Source("f.mlir", text)).split("\n")
    assert first == "f.mlir:1:5001: error: first"
    assert message == "wrong '" + "c" * 993 + "…"
    assert line == "a" * 500 + "!" + "b" * 499 + "…"
    assert line[caret.index("^")] == "!"


def test_rendering_shows_the_line_and_a_caret() -> None:
    source = Source("f.mlir", "first\n\tsecond line\n")
    here = Diagnostic("note", "f.mlir", 2, 2, "the same place")
    there = Diagnostic("note", "f.mlir", 1, 1, "another place")
    elsewhere = Diagnostic("note", "g.mlir", 1, 1, "another file")
    beyond = Diagnostic("note", "f.mlir", 9, 1, "no such line")
    rendered = render(Diagnostic("error", "f.mlir", 2, 2, "wrong", (here, there, elsewhere, beyond)), source)
    assert rendered.split("\n") == [
        "f.mlir:2:2: error: wrong",
        "\tsecond line",
        "\t^",
        "f.mlir:2:2: note: the same place",
        "f.mlir:1:1: note: another place",
        "first",
        "^",
        "g.mlir:1:1: note: another file",
        "f.mlir:9:1: note: no such line",
    ]
