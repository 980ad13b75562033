"""`inplace-lsp`: what is known of a text while it is edited, what an editor shows of it, and the protocol."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlir_inplace.tools import inplace_lsp
from mlir_inplace.tools.lsp.actions import actions
from mlir_inplace.tools.lsp.document import Document
from mlir_inplace.tools.lsp.features import Place, hints, hover, lenses, problems, targets

ROOT = Path(__file__).parents[2]
FILE = "/folder/program.mlir"

READ = """func.func @{name}(%t: tensor<8xf32>, %x: f32, %i: index) -> (tensor<8xf32>, f32) {{
  %w = tensor.insert %x into %t[%i] : tensor<8xf32>
  %r = tensor.extract %t[%i] : tensor<8xf32>
  return %w, %r : tensor<8xf32>, f32
}}
"""
CALLS = """func.func private @set(%t: tensor<8xf32>, %x: f32, %i: index) -> tensor<8xf32> {
  %w = tensor.insert %x into %t[%i] : tensor<8xf32>
  return %w : tensor<8xf32>
}
func.func @calls(%t: tensor<8xf32>, %x: f32, %i: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %w = call @set(%t, %x, %i) : (tensor<8xf32>, f32, index) -> tensor<8xf32>
  return %t, %w : tensor<8xf32>, tensor<8xf32>
}
"""
TWO = READ.format(name="a") + READ.format(name="b")


def opened(text: str, encoding: str = "utf-16") -> Document:
    document = Document(FILE, encoding)
    document.update(text)
    return document


def shown(document: Document) -> list[tuple[int, str]]:
    """The lines, from 1, and the texts of all hints."""
    return [(hint.place.line + 1, hint.text) for hint in hints(document, 0, len(document.lines))]


# --- what is analysed again ------------------------------------------------------------------------------------------


def edits() -> Iterator[tuple[str, int]]:
    """Texts, each an edit of the one before, and how many functions must be analysed."""
    text = TWO + CALLS
    yield text, 4
    yield text, 0
    text = text.replace("func.func @b", "\n// moved down\n\nfunc.func @b")
    yield text, 0
    text = text.replace("%r = tensor.extract %t[%i]", "%r = tensor.extract %w[%i]", 1)
    yield text, 1
    text = text.replace("return %w : tensor", "// unchanged but for a comment\n  return %w : tensor")
    yield text, 2
    text = "#map = affine_map<(i) -> (i)>\n" + text
    yield text, 4
    text = text.replace("@b(", "@renamed(")
    yield text, 1
    yield CALLS + READ.format(name="b"), 3
    yield READ.format(name="b") + CALLS, 0
    yield READ.format(name="only"), 1


def test_only_what_changed_is_analysed_and_the_result_is_as_if_all_was() -> None:
    document = Document(FILE)
    for text, analysed in edits():
        document.update(text)
        fresh = opened(text)
        assert document.functions == fresh.functions
        assert document.diagnostics == fresh.diagnostics == ()
        assert shown(document) == shown(fresh) and shown(fresh)
        assert document.analysed == analysed


def test_a_function_of_a_long_text_is_analysed_alone() -> None:
    """In 1,000 lines one of 200 functions changes."""
    text = "".join(READ.format(name=f"f{number}") for number in range(200))
    document = opened(text)
    assert document.analysed == 200
    document.update(text.replace("@f100(", "@changed("))
    assert document.analysed == 1
    assert len(shown(document)) == 200


def test_a_refusal_moves_with_its_function() -> None:
    refused = """func.func @refused(%m: memref<4xf32>) -> tensor<4xf32> {
  %0 = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
    document = opened(READ.format(name="a") + refused)
    (before,) = problems(document)
    assert before.severity == "error" and before.place == Place(6, 7, 23)
    assert "without restrict may alias any other memref" in before.message
    assert shown(document) == [(2, "allocates and copies 32 B: read again at line 3")]
    document.update("\n\n" + READ.format(name="a") + refused)
    assert document.analysed == 0
    assert problems(document)[0].place == Place(8, 7, 23)


# --- broken text -----------------------------------------------------------------------------------------------------


def test_while_the_text_is_broken_the_rest_is_shown() -> None:
    """A line is added in the middle of `@a`: the hint of line 2 stays, that of `@b` moves."""
    document = opened(TWO)
    assert [line for line, _ in shown(document)] == [2, 7]
    document.update(TWO.replace("  return", "  %broken =\n  return", 1))
    assert [problem.place.line for problem in problems(document)] == [3]
    assert shown(document) == [
        (2, "allocates and copies 32 B: read again at line 3"),
        (8, "allocates and copies 32 B: read again at line 9"),
    ]
    assert [lens.line for lens in lenses(document)] == [0, 6]
    document.update(TWO.replace("%w = tensor.insert %x", "%w = tensor.insert", 1))
    assert [line for line, _ in shown(document)] == [7]
    document.update(TWO)
    assert document.analysed == 0 and [line for line, _ in shown(document)] == [2, 7]


@pytest.mark.parametrize("text", [TWO + CALLS, (ROOT / "examples" / "branch.mlir").read_text()])
def test_as_it_is_typed(text: str) -> None:
    """Of a text up to any character something is said, and hints are in its lines."""
    document = Document(FILE)
    for length in range(0, len(text), 23):
        document.update(text[:length])
        lines = len(document.lines)
        for problem in problems(document):
            assert 0 <= problem.place.line < lines and problem.message
        assert all(0 < line <= lines for line, _ in shown(document))
        assert all(lens.line < lines for lens in lenses(document))
        hover(document, lines - 1, 3)
        targets(document, lines - 1)
    document.update(text)
    assert document.functions == opened(text).functions


@pytest.mark.parametrize("text", ["", "\n", "module {", "\x00", "func.func @f(", "{-#", '"', "// ü\n" * 3])
def test_texts_that_are_none(text: str) -> None:
    document = opened(text)
    assert shown(document) == [] and lenses(document) == []
    assert all(problem.place.line < len(document.lines) for problem in problems(document))


# --- what is shown ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("encoding", "width"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_columns_are_those_of_the_editor(encoding: str, width: int) -> None:
    """A comment with a letter outside of the basic plane stands in front of the read."""
    text = READ.format(name="a").replace("  %r = tensor", '  %n = arith.constant {a = "😀"} 0 : index %r = tensor')
    document = opened(text, encoding)
    (hint,) = hints(document, 0, 9)
    before = text.splitlines()[2].index("tensor.extract")
    assert hint.target == Place(2, before + width - 1, len("tensor.extract"))
    column = text.splitlines()[2].index("%t[") + width - 1
    assert hover(document, 2, column).startswith("%t shares memory with no other tensor (argument, lines 1 to 3)")
    assert hover(document, 2, column - 2) == ""


def test_hints_are_those_of_the_range() -> None:
    document = opened(TWO)
    assert [hint.place for hint in hints(document, 0, 5)] == [Place(1, 51)]
    assert [hint.place for hint in hints(document, 2, 6)] == [Place(6, 51)]
    assert hints(document, 2, 5) == []
    assert hints(opened(TWO.replace("\n", "\r\n")), 0, 5) == hints(document, 0, 5)
    (hint,) = hints(document, 1, 1)
    assert "change: move the read by 'tensor.extract' in line 3" in hint.tooltip


def test_hover_explains_and_says_what_shares_memory() -> None:
    document = opened(CALLS)
    text = hover(document, 5, 3)
    assert text.startswith(f"{FILE}:6:8: allocation and copy of memref<8xf32>, 32 bytes: the function also returns")
    assert text.endswith("%w shares memory with no other tensor (allocation, lines 6 to 7)")
    assert hover(document, 1, 30) == "%t may share memory with %w (argument, lines 1 to 3)"
    assert hover(document, 3, 0) == ""


def test_totals_of_functions() -> None:
    assert [(lens.line, lens.text) for lens in lenses(opened(READ.format(name="a") + CALLS))] == [
        (0, "0 of 1 operands in-place, 1 allocation (32 bytes), 1 copy (32 bytes)"),
        (5, "1 of 1 operands in-place, no copies, no allocations"),
        (9, "0 of 1 operands in-place, 1 allocation (32 bytes), 1 copy (32 bytes)"),
    ]


def test_a_copy_leads_to_the_read_and_a_read_to_the_copy() -> None:
    document = opened(TWO)
    assert targets(document, 6) == [Place(7, 7, 14)]
    assert targets(document, 7) == [Place(6, 7, 13)]
    assert targets(document, 0) == targets(document, 3) == []


# --- changes ---------------------------------------------------------------------------------------------------------


def changed(document: Document, line: int) -> list[str]:
    """The texts after each change that is offered at a line, which counts from 1."""
    found: list[str] = []
    for action in actions(document, line - 1):
        lines = [f"{text}\n" for text in document.lines]
        found.append("".join([*lines[: action.first], action.text, *lines[action.last :]])[:-1])
    return found


def test_a_read_is_moved_in_front_of_the_write() -> None:
    document = opened(TWO)
    (text,) = changed(document, 7)
    lines = TWO.split("\n")
    lines[6], lines[7] = lines[7], lines[6]
    assert text == "\n".join(lines)
    assert [line for line, _ in shown(opened(text))] == [2]
    assert actions(document, 7)[0:] == [] and changed(document, 3) == []


def test_a_read_that_needs_the_write_is_not_moved() -> None:
    """Neither one that uses what the write makes, nor one in another region, nor an op that may have effects."""
    needs = READ.format(name="a").replace(
        "  %r = tensor.extract %t[%i]",
        "  %e = tensor.extract %w[%i] : tensor<8xf32>\n  %k = arith.fptosi %e : f32 to i64\n"
        "  %n = arith.index_cast %k : i64 to index\n  %r = tensor.extract %t[%n]",
    )
    assert len(shown(opened(needs))) == 1 and changed(opened(needs), 2) == []
    inside = """func.func @a(%t: tensor<8xf32>, %c: i1, %x: f32, %i: index) -> (tensor<8xf32>, f32) {
  %w = tensor.insert %x into %t[%i] : tensor<8xf32>
  %o = scf.if %c -> f32 {
    %r = tensor.extract %t[%i] : tensor<8xf32>
    scf.yield %r : f32
  } else {
    scf.yield %x : f32
  }
  return %w, %o : tensor<8xf32>, f32
}
"""
    assert len(shown(opened(inside))) == 1 and changed(opened(inside), 2) == []


def test_an_argument_is_marked_writable() -> None:
    text = """func.func @a(%s: tensor<8xf32> {bufferization.writable = false},
    %t: tensor<8xf32> {bufferization.writable = false}, %x: f32, %i: index) -> tensor<8xf32> {
  %w = tensor.insert %x into %t[%i] : tensor<8xf32>
  return %w : tensor<8xf32>
}
"""
    document = opened(text)
    head, middle, tail = text.partition("    %t: tensor<8xf32> {bufferization.writable = ")
    assert changed(document, 3) == [head + middle + tail.replace("false", "true", 1)]


def test_a_function_is_rewritten_by_a_pass() -> None:
    """It keeps its names and its place, and the others are as they were; not in the text of a frontend."""
    text = """module {
  func.func @rows(%t: tensor<8x8xf32>, %a: tensor<8xf32>, %i: index) -> tensor<8x8xf32> {
    %e = tensor.empty() : tensor<8xf32>  // lost
    %row = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %r = tensor.insert_slice %row into %t[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<8x8xf32>
    return %r : tensor<8x8xf32>
  }

  // kept
  func.func @other() { return }
}
"""
    document = opened(text)
    assert [line for line, _ in shown(document)] == [3, 5]
    (changed_text,) = changed(document, 5)
    assert shown(opened(changed_text)) == [] and opened(changed_text).diagnostics == ()
    lines = changed_text.splitlines()
    assert lines[:2] == text.splitlines()[:2] and lines[-5:] == text.splitlines()[-5:]
    (exp,) = [line for line in lines if "linalg.exp" in line]
    assert exp.startswith("    %row = linalg.exp ins(%a : tensor<8xf32>)")
    lowered = opened(text.replace("linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>",
                                  "stablehlo.exponential %a : tensor<8xf32>"))  # fmt: skip
    assert [line for line, _ in shown(lowered)] == [4, 5] and changed(lowered, 5) == []


# --- the protocol ----------------------------------------------------------------------------------------------------


def test_without_pygls_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])

    monkeypatch.setattr(importlib, "import_module", missing)
    assert inplace_lsp.main([]) == 1
    error = "inplace-lsp needs lsprotocol; install it: pip install 'mlir-inplace[lsp]'"
    assert capsys.readouterr().err == f"inplace-lsp: error: {error}\n"
    assert inplace_lsp.main(["file"]) == 2


def test_a_client_over_standard_input() -> None:
    pytest.importorskip("pygls", reason="the extra lsp, which the test extra brings, is not installed")
    asyncio.run(asyncio.wait_for(_session(), 60))


URI = "file:///folder/a%20b.mlir"


async def _session() -> None:
    from lsprotocol import types as t
    from pygls.lsp.client import LanguageClient

    client, said = LanguageClient("test", "1"), asyncio.Queue[Any]()

    @client.feature(t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(parameters: Any) -> None:
        said.put_nowait(parameters.diagnostics)

    await client.start_io(sys.executable, "-m", "mlir_inplace.tools.inplace_lsp", "--stdio")
    general = t.GeneralClientCapabilities(position_encodings=[t.PositionEncodingKind.Utf8])
    started = await client.initialize_async(t.InitializeParams(t.ClientCapabilities(general=general)))
    assert started.capabilities.position_encoding == t.PositionEncodingKind.Utf8
    client.initialized(t.InitializedParams())
    client.text_document_did_open(t.DidOpenTextDocumentParams(t.TextDocumentItem(URI, "mlir", 1, TWO)))
    assert await said.get() == ()
    await _requests(client, t)

    version = t.VersionedTextDocumentIdentifier(2, URI)
    change = t.TextDocumentContentChangePartial(t.Range(t.Position(3, 9), t.Position(3, 11)), "%z")
    client.text_document_did_change(t.DidChangeTextDocumentParams(version, [change]))
    (problem,) = await said.get()
    assert problem.range == t.Range(t.Position(3, 9), t.Position(3, 11))
    assert problem.message == "use of undeclared SSA value name"
    client.text_document_did_close(t.DidCloseTextDocumentParams(t.TextDocumentIdentifier(URI)))
    assert await said.get() == ()
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


async def _requests(client: Any, t: Any) -> None:
    """What an editor asks of a text that is open."""
    document, at = t.TextDocumentIdentifier(URI), t.Position(1, 8)
    everything = t.Range(t.Position(0, 0), t.Position(100, 0))
    found = await client.text_document_inlay_hint_async(t.InlayHintParams(document, everything))
    assert [(hint.position.line, hint.label[0].value) for hint in found] == [
        (1, "allocates and copies 32 B: read again at line 3"),
        (6, "allocates and copies 32 B: read again at line 8"),
    ]
    assert found[0].label[0].location.range.start == t.Position(2, 7)
    hovered = await client.text_document_hover_async(t.HoverParams(document, at))
    assert hovered.contents.value.startswith("/folder/a b.mlir:2:8: allocation and copy")
    totals = await client.text_document_code_lens_async(t.CodeLensParams(document))
    assert [lens.range.start.line for lens in totals] == [0, 5]
    (place,) = await client.text_document_definition_async(t.DefinitionParams(document, at))
    assert (place.uri, place.range.start) == (URI, t.Position(2, 7))
    parameters = t.CodeActionParams(document, t.Range(at, at), t.CodeActionContext([]))
    (action,) = await client.text_document_code_action_async(parameters)
    (edit,) = action.edit.changes[URI]
    assert edit.range == t.Range(t.Position(1, 0), t.Position(3, 0))
    assert [line.split()[2] for line in edit.new_text.splitlines()] == ["tensor.extract", "tensor.insert"]
