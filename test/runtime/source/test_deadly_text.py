"""Text of single ops that MLIR's parser dies of: refused by us, with its place, and still deadly there."""

from __future__ import annotations

import sys

import pytest
from fork_server import ForkServer
from forked_python import run_program
from mlir import ir

from mlir_inplace.dialects.support.text_error import TextError
from mlir_inplace.runtime.source.text_checks import check_text

HEAD = "func.func @f(%t: tensor<2x3xf32>, %u: tensor<3x2xf32>, %x: f32, %s: tensor<f32>, %m: memref<f32>) {\n"
INTEGERS = "expected integers of 64 bits between brackets, as in 'permutation = [1, 0]'"
SHORT = "the short form of this op needs tensors and memrefs, found "

# The smallest programs: the op's line, where the mistake is in it, and what is said.
DEADLY = [
    ("linalg.transpose ins(%t : tensor<2x3xf32>) outs(%u : tensor<3x2xf32>) permutation = 3", 85, INTEGERS),
    ("linalg.transpose ins(%t : tensor<2x3xf32>) outs(%u : tensor<3x2xf32>) permutation = [1 0]", 85, INTEGERS),
    (
        "linalg.transpose ins(%t : tensor<2x3xf32>) outs(%u : tensor<3x2xf32>) permutation = array<i64: 1, 0>",
        85,
        INTEGERS,
    ),
    (
        "linalg.transpose ins(%t : tensor<2x3xf32>) outs(%u : tensor<3x2xf32>) permutation = [9223372036854775808, 0]",
        85,
        INTEGERS,
    ),
    ("linalg.broadcast ins(%t : tensor<2x3xf32>) outs(%u : tensor<3x2xf32>) dimensions = 3", 84, INTEGERS),
    (
        "linalg.reduce {arith.addf} ins(%t : tensor<2x3xf32>) outs(%u : tensor<3x2xf32>) dimensions = {}",
        94,
        INTEGERS,
    ),
    ("linalg.reduce {arith.addf} ins(%t : tensor<2x3xf32>) outs(%x : f32) dimensions = [0]", 64, f"{SHORT}'f32'"),
    ("linalg.map {arith.negf} ins(%x : f32) outs(%t : tensor<2x3xf32>)", 34, f"{SHORT}'f32'"),
    ("linalg.map {arith.negf} ins(%t : tensor<2x3xf32>) outs(%x : f32)", 61, f"{SHORT}'f32'"),
    (
        "tensor.from_elements %x : tensor<4611686018427387904xf32>",
        34,
        "4611686018427387904 elements would have to be listed here; fill a tensor instead",
    ),
    (
        "arith.addf %v, %v : vector<[65536]x65536xf32>",
        28,
        "a vector of 4294967296 elements fits no machine; use a tensor instead",
    ),
    (
        "linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} "
        "outs(%m, %s : memref<f32>, tensor<f32>) {\n^bb0(%a: f32, %b: f32):\nlinalg.yield %x, %x : f32, f32\n} "
        "-> tensor<f32>",
        126,
        "tensors and memrefs are mixed among the outs; an op writes either the one or the other",
    ),
]


@pytest.mark.parametrize(("line", "column", "message"), DEADLY)
def test_it_is_refused(line: str, column: int, message: str) -> None:
    with pytest.raises(TextError) as caught:
        check_text(f"{HEAD}{line}\nreturn\n}}", "f.mlir")
    assert str(caught.value) == f"f.mlir:2:{column}: error: {message}"


@pytest.mark.parametrize("line", [DEADLY[0][0], DEADLY[6][0], DEADLY[7][0], DEADLY[9][0], DEADLY[11][0]])
def test_mlir_does_not_survive_it(fork_server: ForkServer, line: str) -> None:
    """The reason for the rule: the day this fails, the rule can go."""
    code = "import sys, mlir_inplace; from mlir import ir; ir.Module.parse(sys.stdin.read(), ir.Context())"
    command = [sys.executable, "-c", f"import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); {code}"]
    text = f"{HEAD}%r = {line}\nreturn\n}}"
    assert fork_server.call(run_program, command, input=text.encode()).returncode < 0


@pytest.mark.parametrize(
    "line",
    [
        "%r = linalg.transpose ins(%t : tensor<2x3xf32>) outs(%u : tensor<3x2xf32>) permutation = [ 1 , 0x0 ]",
        '%r = "linalg.transpose"(%t, %u) <{permutation = array<i64: 1, 0>}> ({\n^bb0(%a: f32, %b: f32):\n'
        "linalg.yield %a : f32\n}) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>",
        "%r = linalg.map { arith.addf } ins(%t, %t : tensor<2x3xf32>, !t) outs(%t : tensor<2x3xf32>)",
        "%r = linalg.map ins(%t : tensor<2x3xf32>) outs(%t : !t) (%a: f32, %o: f32) { linalg.yield %a : f32 }",
        "%r = tensor.from_elements %x, %x : tensor<2xf32>",
        "linalg.fill ins(%x : f32) outs(%m : memref<f32>)\n%r = linalg.fill ins(%x : f32) outs(%s : tensor<f32>) -> "
        "tensor<f32>",
        '// permutation = 3\n"permutation.x"() {permutation = 3} : () -> ()',
    ],
)
def test_what_mlir_takes_passes(line: str) -> None:
    text = f"!t = tensor<2x3xf32>\n{HEAD}{line}\nreturn\n}}"
    check_text(text)
    context = ir.Context()
    context.allow_unregistered_dialects = True
    assert ir.Module.parse(text, context).operation.verify()
