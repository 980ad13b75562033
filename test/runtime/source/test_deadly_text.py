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

STRINGS = "expected strings between brackets, as in 'iterator_types = [\"parallel\"]'"
GENERIC = (
    "linalg.generic {{indexing_maps = [affine_map<() -> ()>], iterator_types = {}}} outs(%s : tensor<f32>) {{\n"
    "^bb0(%a: f32):\nlinalg.yield %x : f32\n}} -> tensor<f32>"
)

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
    (GENERIC.format("[1]"), 75, STRINGS),
    (GENERIC.format("[[[]]]"), 75, STRINGS),
    (GENERIC.format('["parallel", #linalg.iterator_type<parallel>]'), 87, STRINGS),
    (
        "vector.contract {indexing_maps = [], iterator_types = [unit], kind = #vector.kind<add>} %x, %x, %x : f32",
        56,
        STRINGS,
    ),
]


@pytest.mark.parametrize("trait", ["{iterator_types = [1]}", "{iterator_types = #kinds}", "{iterator_types = [#kind]}"])
def test_aliases_of_iterators(trait: str) -> None:
    text = f"#kind = 1\n#kinds = [1]\n#trait = {trait}\n{HEAD}linalg.generic #trait outs(%s : tensor<f32>) {{ }}\n}}"
    with pytest.raises(TextError, match=STRINGS.replace("[", r"\[")):
        check_text(text)


@pytest.mark.parametrize(("line", "column", "message"), DEADLY)
def test_it_is_refused(line: str, column: int, message: str) -> None:
    with pytest.raises(TextError) as caught:
        check_text(f"{HEAD}{line}\nreturn\n}}", "f.mlir")
    assert str(caught.value) == f"f.mlir:2:{column}: error: {message}"


@pytest.mark.parametrize("line", [DEADLY[n][0] for n in (0, 6, 7, 9, 11, 12)])
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
        "%r = " + GENERIC.format("[ ]"),
        '"linalg.generic"(%s) <{indexing_maps = [affine_map<() -> ()>], iterator_types = [], operandSegmentSizes = '
        "array<i32: 0, 1>}> ({\n^bb0(%a: f32):\nlinalg.yield %x : f32\n}) {iterator_types = [1]} "
        ": (tensor<f32>) -> tensor<f32>",
        "%r = linalg.generic #trait outs(%t : tensor<2x3xf32>) {\n^bb0(%a: f32):\nlinalg.yield %x : f32\n} "
        "-> tensor<2x3xf32>",
    ],
)
def test_what_mlir_takes_passes(line: str) -> None:
    trait = "{indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = #kinds}"
    aliases = f'!t = tensor<2x3xf32>\n#rows = "parallel"\n#kinds = [#rows, "parallel"]\n#trait = {trait}'
    text = f"{aliases}\n{HEAD}{line}\nreturn\n}}"
    check_text(text)
    context = ir.Context()
    context.allow_unregistered_dialects = True
    assert ir.Module.parse(text, context).operation.verify()
