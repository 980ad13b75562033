"""`inplace-explain`, in process: text, JSON and the page, which is parsed, and compared with the report."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.explanations.records import together
from mlir_inplace.tools import generate_screens
from mlir_inplace.tools.inplace_explain import main

ROOT = Path(__file__).parents[3]
BUFFERIZE = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"

READS = """func.func @main(%t: tensor<8xf32>, %n: index, %x: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> f32 {
    %w = tensor.insert %a into %t[%i] : tensor<8xf32>
    %r = tensor.extract %w[%n] : tensor<8xf32>
    scf.yield %r : f32
  }
  return %t, %s : tensor<8xf32>, f32
}
func.func @other(%t: tensor<2xi8>, %x: i8, %i: index) -> tensor<2xi8> {
  %w = tensor.insert %x into %t[%i] : tensor<2xi8>
  return %w : tensor<2xi8>
}
"""

EXPS = """func.func @main(%a: tensor<16xf32>) -> tensor<16xf32> {
  %e0 = tensor.empty() : tensor<16xf32>
  %0 = linalg.exp ins(%a : tensor<16xf32>) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %1 = linalg.add ins(%a, %0 : tensor<16xf32>, tensor<16xf32>) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  %e2 = tensor.empty() : tensor<16xf32>
  %2 = linalg.mul ins(%0, %1 : tensor<16xf32>, tensor<16xf32>) outs(%e2 : tensor<16xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
"""

ONE_RESULT = "func.func @main(%x: f32) -> tensor<4xf32> {\n  %s = tensor.splat %x : tensor<4xf32>\n" + (
    "  return %s : tensor<4xf32>\n}\n"
)


class Node:
    """An element: its tag, attributes, and children, which are elements and text."""

    def __init__(self, tag: str, attributes: dict[str, str | None]) -> None:
        self.tag, self.attributes = tag, attributes
        self.children: list[Node | str] = []

    def all(self, tag: str, class_: str = "") -> list[Node]:
        found = [node for node in self.walk() if node.tag == tag]
        return [node for node in found if class_ in (node.attributes.get("class") or "").split()] if class_ else found

    def walk(self) -> Iterator[Node]:
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.walk()

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def section(self, name: str) -> Node:
        return next(node for node in self.all("section") if node.attributes.get("id") == name)


class Page(HTMLParser):
    """Parses a page, in which each element that is opened must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.root = Node("", {})
        self._open = [self.root]
        self.feed(text)
        self.close()
        assert self._open == [self.root]

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        node = Node(tag, dict(attrs))
        self._open[-1].children.append(node)
        if tag not in ("meta", "input"):
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self._open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def page_of(text: str, *flags: str, name: str = "program.mlir") -> Node:
    Path(name).write_text(text)
    assert main([name, "-o", "report.html", *flags]) == 0
    return Page(Path("report.html").read_text()).root


def report_of(name: str = "program.mlir") -> mi.BufferizationReport:
    with ir.Context():
        return mi.bufferize(ir.Module.parseFile(name), warn_written_arguments=False)


def numbers(nodes: list[Node]) -> list[int]:
    return [int(found) for node in nodes for found in re.findall(r"\d+", node.text)]


# --- forms -----------------------------------------------------------------------------------------------------------


def test_text_and_json_are_those_of_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    Path("program.mlir").write_text(READS)
    report = report_of()
    assert len(report.records) == 2
    assert main(["program.mlir"]) == 0
    assert capsys.readouterr().out == f"{report}\n"
    assert main(["program.mlir", "--format=json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {key: found[key] for key in found if key != "arenas"} == report.to_json()


def test_json_has_the_arenas(capsys: pytest.CaptureFixture[str]) -> None:
    described = json.loads((ROOT / "docs" / "explanation.schema.json").read_text())["$defs"]
    Path("program.mlir").write_text(EXPS)
    assert main(["program.mlir", "--format=json"]) == 0
    (arena,) = json.loads(capsys.readouterr().out)["arenas"]
    (section,) = arena["sections"]
    assert (section["unit"] * section["peak"], section["unit"] * section["max_live"]) == (128, 128)
    assert len(section["buffers"]) == 2
    for name, objects in (
        ("arena", [arena]),
        ("section", [section]),
        ("placed_buffer", section["buffers"]),
        ("outside_buffer", arena["outside"]),
    ):
        assert objects
        assert all(one.keys() == described[name]["properties"].keys() for one in objects)


@pytest.mark.parametrize(
    ("flags", "begins"),
    [
        (["-o", "r.html"], "<!DOCTYPE html>"),
        (["-o", "r.htm"], "<!DOCTYPE html>"),
        (["-o", "r.json"], "{"),
        (["-o", "r.txt"], "0 of 1 operands"),
        (["-o", "html"], "0 of 1 operands"),
        (["-o", "r.json", "--format=html"], "<!DOCTYPE html>"),
        (["-format", "text", "-o", "r.html"], "0 of 1 operands"),
    ],
)
def test_the_form_is_the_flags_or_that_of_the_name(flags: list[str], begins: str) -> None:
    Path("program.mlir").write_text(READS.partition("func.func @other")[0])
    assert main(["program.mlir", *flags]) == 0
    assert Path(flags[flags.index("-o") + 1]).read_text().startswith(begins)


# --- the page --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", [READS, EXPS, ONE_RESULT, "module {}", *((ROOT / "examples" / f"{name}.mlir").read_text()
                                                     for name in ("jacobi", "call", "branch", "dynamic"))]
)  # fmt: skip
def test_the_page_says_what_the_report_says(text: str) -> None:
    root = page_of(text)
    report = report_of()
    groups = together(report.records)
    records = root.section("records")
    shown = [article.text for article in records.all("article")]
    assert len(shown) == len(groups)
    for group, article in zip(groups, shown, strict=True):
        first = group[0]
        for said in (first.type, first.location, first.op, first.snippet, first.cost, first.phrase, first.rule):
            assert said in article
        for said in (first.reason.value, first.advice, *(note.text for note in first.notes)):
            assert said in article
        for record in group:
            assert record.kind.value in article
    marks = root.section("source").all("a", "mark")
    assert len([mark for mark in marks if "read" not in mark.attributes["class"]]) == len(groups)
    totals = [int(node.text) for node in root.all("ul", "totals")[0].all("b") if node.text.isdigit()]
    assert totals == [len(report.allocations), len(report.copies), len(report.out_of_place)]
    decisions = [row.text for row in root.section("decisions").all("tr")]
    assert len(decisions) == len(report.decisions)
    assert Counter(any(decision.text in row for row in decisions) for decision in report.decisions) == (
        {True: len(decisions)} if decisions else {}
    )
    sets = root.section("lifetimes").all("div", "lifetime")
    assert [len(shown.all("tr")) for shown in sets] == [len(part.values) for part in report.alias_sets]
    for alias_set, shown_set in zip(report.alias_sets, sets, strict=True):
        assert all(value.name in shown_set.text and value.type in shown_set.text for value in alias_set.values)
        assert f"line {alias_set.first} to line {alias_set.last}" in shown_set.all("title")[0].text
    assert report.summary in root.all("header")[0].text


def test_the_source_is_shown_with_marks_at_copies_and_reads() -> None:
    root = page_of(READS)
    lines = root.section("source").all("div", "line")
    assert [line.all("code")[0].text for line in lines] == READS.splitlines()
    marked = {numbers([line.all("a", "number")[0]])[0]: [m.text for m in line.all("a", "mark")] for line in lines}
    assert {line: marks for line, marks in marked.items() if marks} == {6: ["allocates and copies 32 B, 3 times"]}
    assert [line.attributes["class"] for line in lines].count("line copy") == 1
    root = page_of((ROOT / "examples" / "old_value.mlir").read_text())
    marks = [mark.text for mark in root.section("source").all("a", "mark")]
    assert marks == ["allocates and copies 32 B", "read: line 11 allocates and copies"]


def test_links_lead_to_what_is_there_and_nothing_is_fetched() -> None:
    root = page_of((ROOT / "examples" / "jacobi.mlir").read_text())
    anchors = [node.attributes["id"] for node in root.walk() if "id" in node.attributes]
    assert len(anchors) == len(set(anchors))
    links = [node.attributes["href"] for node in root.all("a")]
    assert len(links) > 40
    assert {link for link in links if link is None or link[:1] != "#" or link[1:] not in anchors} == set()
    assert not [node for node in root.walk() if {"src", "srcset", "action", "style"} & set(node.attributes)]
    assert not root.all("link") and not root.all("img") and "url(" not in root.all("style")[0].text


def test_the_script_is_the_only_one_that_a_browser_runs() -> None:
    root = page_of(ONE_RESULT)
    (script,) = root.all("script")
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    policy = next(m.attributes for m in root.all("meta") if m.attributes.get("http-equiv"))["content"]
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    search = next(node for node in root.all("p") if node.attributes.get("id") == "search")
    assert "hidden" in search.attributes  # until the script works
    assert {node.attributes.get("hidden", "shown") for node in root.section("records").walk()} == {"shown"}


def test_where_nothing_is_left_it_says_so() -> None:
    root = page_of(ONE_RESULT)
    assert root.all("p", "summary")[0].text == "0 of 0 operands in-place, no copies, 1 allocation: the result"
    assert len(root.all("p", "nothing")) == 1
    assert not page_of(READS).all("p", "nothing")
    assert not page_of(EXPS).all("p", "nothing")


def test_the_arena_is_that_of_the_plan() -> None:
    """The first two of three buffers of 64 bytes are live at once, and that of the result is outside."""
    arena = page_of(EXPS).section("arena")
    assert "2 buffers in 128 bytes, of which at most 128 bytes are live at once" in arena.text
    assert [[cell.text for cell in row.all("td")] for row in arena.all("tr")[1:]] == [
        ["memref<16xf32>", "0 bytes", "64 bytes", "line 2", "line 8"],
        ["memref<16xf32>", "64 bytes", "64 bytes", "line 4", "line 8"],
    ]
    (chart,) = arena.all("svg")
    bars = [(bar.attributes["y"], bar.attributes["height"]) for bar in chart.all("rect")]
    assert bars == [("0", "24"), ("24", "24")]
    assert [label.text for label in chart.all("text")] == ["1", "2"]
    (outside,) = arena.all("li")
    assert outside.text == "memref<16xf32>, line 6: it is not freed exactly once, at the end of its block"


def test_where_buffers_cannot_be_freed_there_is_no_plan() -> None:
    """Deallocation refuses memrefs of memrefs; the rest of the page is as ever."""
    holds = """func.func @holds(%m: memref<memref<4xf32>>) -> memref<4xf32> {
  %c = memref.load %m[] : memref<memref<4xf32>>
  return %c : memref<4xf32>
}
"""
    root = page_of(READS + holds)
    assert len(root.section("records").all("article")) == 1
    refused = "program.mlir:17:8: error: cannot tell which memory the result of 'memref.load' lies in"
    assert root.section("arena").all("p")[-1].text == f"There is no plan: {refused}"


# --- text that is not ours -------------------------------------------------------------------------------------------

EVIL = """func.func @"<script>alert(1)</script>"(%t: tensor<4xf32> loc("<img src=x onerror=alert(2)>"), %x: f32,
    %i: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tensor.insert %x into %t[%i] : tensor<4xf32> loc("\\"></title><script>alert(3)</script>":3:4)
  return %0, %t : tensor<4xf32>, tensor<4xf32> // </code><script>alert(4)</script> \x01 \u202e &amp; ]]>
}
"""


def test_text_of_the_program_is_only_text() -> None:
    root = page_of(EVIL, name='"<b onclick=alert(5)>&.mlir')
    assert [script.text.count("alert") for script in root.all("script")] == [0]
    assert not root.all("img") and not root.all("b", "onclick")
    assert {name for node in root.walk() for name in node.attributes if name.startswith("on")} == set()
    shown = root.text
    for said in (
        "@<script>alert(1)</script>",
        "%<img src=x onerror=alert(2)>",
        "</title><script>alert(3)</script>:3:4",
    ):
        assert said in shown
    last = next(line for line in root.all("div", "line") if "alert(4)" in line.text)
    assert last.all("code")[0].text.endswith(r"// </code><script>alert(4)</script> \x01 \u202e &amp; ]]>")
    assert root.all("title")[0].text == 'Allocations and copies of "<b onclick=alert(5)>&.mlir'


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("func.func @f(%t: tensor<4xf32> -> f32", "program.mlir:1:31: error: expected ')'"),
        (
            "func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = tensor.collapse_shape %t [[0, 1]] : "
            "tensor<4xf32> into tensor<4xf32>\n  return %0 : tensor<4xf32>\n}",
            "program.mlir:2:8: error: ",
        ),
        (
            "func.func @f(%m: memref<4xf32>) -> tensor<4xf32> {\n  %0 = bufferization.to_tensor %m : "
            "memref<4xf32> to tensor<4xf32>\n  return %0 : tensor<4xf32>\n}",
            "program.mlir:2:8: error: 'bufferization.to_tensor' without restrict",
        ),
        (" \n", "inplace-explain: error: 'program.mlir' is empty; expected MLIR text"),
    ],
)
def test_broken_input_is_one_diagnostic_and_no_file(text: str, error: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("program.mlir").write_text(text)
    Path("old.html").write_text("old")
    for name in ("new.html", "old.html"):
        assert main(["program.mlir", "-o", name]) == 1
        captured = capsys.readouterr()
        assert captured.err.startswith(error) and captured.err.count("error: ") == 1
        assert captured.out == ""
    assert sorted(path.name for path in Path().iterdir()) == ["old.html", "program.mlir"]
    assert Path("old.html").read_text() == "old"


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        (["--format=pdf"], "argument --format: invalid choice: 'pdf'"),
        (["--pass-pipeline=builtin.module(cse)"], "--pass-pipeline needs inplace-one-shot-bufferize, whose decisions"),
        (["--pass-pipeline=builtin.module(ces)"], "pipeline:1:16: error: unknown pass 'ces'"),
    ],
)
def test_a_wrong_command_line(flags: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("program.mlir").write_text(READS)
    assert main(["program.mlir", *flags]) == 2
    assert error in capsys.readouterr().err


def test_other_passes_run_before(capsys: pytest.CaptureFixture[str]) -> None:
    """With a copy before each write there are more copies to explain."""
    Path("program.mlir").write_text(READS)
    assert main(["program.mlir", f"--pass-pipeline=builtin.module({BUFFERIZE[:-1]} copy-before-write=true}})"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("0 of 2 operands in-place, 2 allocations (34 bytes), 2 copies (34 bytes)")
    assert "warning" in capsys.readouterr().err or out


# --- what is not a text of MLIR, and what is long --------------------------------------------------------------------


def test_bytecode_is_shown_as_it_prints() -> None:
    Path("program.mlir").write_text(READS)
    with ir.Context(), Path("program.mlirbc").open("wb") as file:
        ir.Module.parse(READS.replace("  return %t", "  func.return %t")).operation.write_bytecode(file)
    assert main(["program.mlirbc", "-o", "report.html"]) == 0
    root = Page(Path("report.html").read_text()).root
    assert "The program is not text." in root.section("source").text
    assert "not text" not in page_of(READS).section("source").text
    lines = [line for line in root.section("source").all("div", "line") if "copy" in line.attributes["class"]]
    assert [line.all("code")[0].text.strip() for line in lines] == [
        "%inserted = tensor.insert %arg4 into %arg0[%arg3] : tensor<8xf32>"
    ]


def test_of_another_file_the_lines_around_are_shown() -> None:
    Path("model.py").write_text("".join(f"line{number} = <{number}>\n" for number in range(1, 101)))
    insert = "into %t[%i] : tensor<8xf32>"
    root = page_of(READS.replace(insert, f'{insert} loc("model.py":50:3)', 1))
    other = root.section("source").all("div", "listing")[1]
    shown = [line.all("code")[0].text for line in other.all("div", "line")]
    assert shown == [f"line{number} = <{number}>" for number in range(47, 54)]
    (mark,) = other.all("a", "mark")
    assert mark.text == "allocates and copies 32 B, 3 times"
    assert root.section("records").all("p", "place")[0].all("a")[0].attributes["href"] == "#F1L50"


def updates(count: int) -> str:
    """A program of `count` insertions, each of which copies the tensor, whose old content is read behind it."""
    lines = ["func.func @main(%w0: tensor<64xf32>, %i: index, %s0: f32) -> f32 {"]
    for k in range(count):
        lines.append(f"  %w{k + 1} = tensor.insert %s{k} into %w{k}[%i] : tensor<64xf32>")
        lines.append(f"  %s{k + 1} = tensor.extract %w{k}[%i] : tensor<64xf32>")
    lines += [f"  %o = tensor.extract %w{count}[%i] : tensor<64xf32>", f"  %r = arith.addf %o, %s{count} : f32"]
    return "\n".join([*lines, "  return %r : f32", "}"])


@pytest.mark.full
def test_a_page_grows_with_the_program() -> None:
    """1,000 ops are 500 copies here, and less than 2 MB."""
    sizes: list[int] = []
    for count in (250, 500):
        root = page_of(updates(count))
        assert len(root.section("records").all("article")) == count
        assert len(root.section("arena").all("svg")[0].all("rect")) == count
        assert len(root.all("header")[0].all("ol")[0].all("li")) == 5
        sizes.append(Path("report.html").stat().st_size)
    assert sizes[1] < 2_000_000
    assert sizes[1] < 2.1 * sizes[0]


def test_long_sources_and_lines_are_cut() -> None:
    """Of 10,000 lines those around what is explained; of a line its beginning."""
    text = READS.replace("  %c0 =", "  // x\n" * 10_000 + "  %c0 =", 1)
    text = text.replace("into %t[%i]", f"into %t[%i] /* {'y' * 1000} */", 1).replace("/*", "//").replace("*/", "\n")
    root = page_of(text)
    shown = numbers([line.all("a", "number")[0] for line in root.section("source").all("div", "line")])
    assert shown[0] == 1 and 10 < len(shown) < 40 and 10_006 in shown
    assert len(root.all("p", "gap")) == 2
    assert re.search(r"… \(10\d\d characters\)", root.section("source").text)
    assert "y" * 401 not in root.section("source").text


def test_screens_need_a_browser(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    assert generate_screens.main(["screens"]) == 1
    assert capsys.readouterr().err.startswith("generate_screens: error: there is none of chromium,")
    assert not Path("screens").exists()
