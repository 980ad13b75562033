"""Text that would kill MLIR's parser, or that is none, is refused with its place before the parser sees it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from fork_server import ForkServer
from forked_python import run_program
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects.support.text_error import TextError
from mlir_inplace.runtime.source.text_checks import MAX_NESTING, check_text, decode_text
from mlir_inplace.tools.inplace_opt import main

DEEP = 20_000

# Each of these ends the process when MLIR's parser, or its printer, is given it.
DEADLY = {
    "regions": '"a.b"() ({' * DEEP + "}) : () -> ()" * DEEP,
    "modules": "module {" * DEEP + "}" * DEEP,
    "open modules": "module {" * DEEP,
    "arrays": f"module attributes {{a = {'[' * DEEP}{']' * DEEP}}} {{}}",
    "dictionaries": f"module attributes {{a = {'{a = ' * DEEP}",
    "function types": f"func.func private @f({'() -> (' * DEEP}",
    "tuples": f"func.func private @f({'tuple<' * DEEP}i32{'>' * DEEP})",
    "tensors": f"func.func private @f({'tensor<' * DEEP}",
    "elements": f"module attributes {{a = dense<{'[' * DEEP}1{']' * DEEP}> : tensor<1xi32>}} {{}}",
    "affine expressions": f"#m = affine_map<(d0) -> ({'(' * DEEP}d0{')' * DEEP})>",
    "structures": f"func.func private @f({'!llvm.struct<(' * DEEP}i32{')>' * DEEP})",
    "aliases": "!t0 = tuple<i32>\n"
    + "".join(f"!t{n} = tuple<!t{n - 1}>\n" for n in range(1, DEEP))
    + f"func.func private @f(!t{DEEP - 1})",
    "a shape": f"func.func private @f(tensor<{'1x' * (20 * DEEP)}f32>)",
    "behind arrows": "-> " * DEEP + "[" * DEEP,
    "behind closing brackets": ")]}>" * DEEP + "[" * DEEP,
    "behind comparisons": "d0 >= 0, d0 <= 1," * DEEP + "[" * DEEP,
    "behind strings and comments": '"}}]]\\")" // )))\n' * DEEP + "[" * DEEP,
}


@pytest.mark.parametrize("name", DEADLY)
def test_what_overflows_the_stack_is_refused(name: str) -> None:
    with pytest.raises(TextError, match=rf"^-:\d+:\d+: error: .*(deeper|more) than {MAX_NESTING} (levels|sizes) here"):
        check_text(DEADLY[name])


@pytest.mark.parametrize("name", ["modules", "arrays", "affine expressions"])
def test_mlir_does_not_survive_it(fork_server: ForkServer, name: str) -> None:
    """The reason for the limit: the day this fails, the limit can be raised."""
    code = "import sys, mlir_inplace; from mlir import ir; str(ir.Module.parse(sys.stdin.read(), ir.Context()))"
    command = [sys.executable, "-c", f"import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); {code}"]
    assert fork_server.call(run_program, command, input=DEADLY[name].encode()).returncode < 0


@pytest.mark.parametrize(
    "text",
    [
        "module {" * (MAX_NESTING - 1) + "}" * (MAX_NESTING - 1),
        "module {\n}\n" * (3 * MAX_NESTING),
        'module attributes {a = "' + "[" * DEEP + '"} {} // ' + "(" * DEEP,
        "func.func private @f()\n// >>>\n" + "// ((((\n" * DEEP,
        "#s = affine_set<(d0) : (d0 >= 0)>\n" + "func.func private @f(index) -> index\n" * DEEP,
        "".join(f'#l{n} = loc("a":{n}:1)\n' for n in range(DEEP)) + "module {}",
        f"func.func private @f(tensor<{'1x' * (MAX_NESTING - 1)}f32>)",
    ],
)
def test_other_text_passes(text: str) -> None:
    check_text(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module {\n  %\0}", "f:2:4: error: byte 0x00 is no text; expected MLIR text"),
        ("a\n\ud800", "f:2:1: error: U+D800 is half a character; MLIR text is UTF-8"),
        (" \n\t", "f:1:1: error: the text is empty; expected MLIR"),
        ("module {\n" * 501, "f:501:8: error: brackets are nested deeper than 500 levels here; divide the program"),
    ],
)
def test_the_place_is_told(text: str, expected: str) -> None:
    with pytest.raises(TextError) as caught:
        check_text(text, "f")
    assert str(caught.value).startswith(expected)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(TextError, match=r"^f:2:2: error: byte 0xff is not UTF-8; MLIR text has to be$"):
        decode_text(b"\n \xff", "f")


def test_the_command_line_tells_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep.mlir"
    path.write_text("module {\n" * 600)
    assert main([str(path)]) == 1
    assert capsys.readouterr().err == (
        f"{path}:501:8: error: brackets are nested deeper than 500 levels here; divide the program into functions\n"
        "module {\n       ^\n"
    )


def test_a_device_that_never_ends(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for module in ("tools.shared.input", "runtime.source.parsing"):
        monkeypatch.setattr(f"mlir_inplace.{module}.MAX_BYTES", 1 << 20)
    assert main(["/dev/zero"]) == 1
    assert capsys.readouterr().err == "inplace-opt: error: '/dev/zero' is larger than 1 MiB; divide the program\n"
    with pytest.raises(OSError, match=r"larger than 1 MiB: '/dev/zero'"):
        mi.compile("/dev/zero")


@pytest.mark.parametrize("source", ["", b"", "\n", "\0", b"\0", "x\0y.mlir", b"\xff", "module {" * 9999])
def test_compile_refuses_it(source: str | bytes) -> None:
    with pytest.raises(TextError, match=r"^-:1:\d+: error: "):
        mi.compile(source)


ADDITION = "func.func @f(%a: i32) -> i32 { %r = arith.addi %a, %a : i32 return %r : i32 }"


def bytecode(text: str) -> bytes:
    buffer = io.BytesIO()
    ir.Module.parse(text, ir.Context()).operation.write_bytecode(buffer)
    return buffer.getvalue()


def test_bytecode_that_kills_its_reader() -> None:
    """Its nesting cannot be counted beforehand, so another process reads it first."""
    broken = bytearray(bytecode(ADDITION))
    broken[38] = 32
    with pytest.raises(TextError, match=r"^-:1:1: error: broken bytecode: MLIR dies of SIG[A-Z]+ when it reads it"):
        mi.compile(bytes(broken))


def test_bytecode_that_is_refused() -> None:
    with pytest.raises(ir.MLIRError, match="bytecode"):
        mi.compile(bytecode("module {}")[:20])


def test_bytecode_that_is_fine() -> None:
    assert mi.compile(bytecode(ADDITION)).f(3) == 6
