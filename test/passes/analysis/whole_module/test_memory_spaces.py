"""Memory spaces: encodings that are some, and buffers whose space nobody stated."""

from __future__ import annotations

import pytest
from analysed import analyse_with, context, function, parse

import mlir_inplace as mi
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions

ENCODED = AnalysisOptions(boundaries=True, encodings=True)
INFERRED = AnalysisOptions(boundaries=True, must_infer_space=True)
NO_TENSORS = "%f: f32, %i: index, %j: index, %n: index, %p: i1"


@pytest.mark.parametrize("encoding", ["1", '"shared"', "#gpu.address_space<workgroup>", "{space = 1}"])
def test_encodings_that_are_memory_spaces(encoding: str) -> None:
    text = function(f"%e = tensor.splat %f : tensor<4xf32, {encoding}>", NO_TENSORS)
    assert analyse_with(text, ENCODED).refused == []
    assert len(analyse_with(text, AnalysisOptions(boundaries=True)).refused) == 1


@pytest.mark.parametrize(
    "encoding", ["dense<0> : vector<2xi32>", "#sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>"]
)
def test_encodings_that_are_not(encoding: str) -> None:
    text = function(f"%e = tensor.splat %f : tensor<4xf32, {encoding}>", NO_TENSORS)
    refused = analyse_with(text, ENCODED).refused
    assert len(refused) == 1
    assert refused[0].startswith("tensor<4xf32, ")
    assert refused[0].endswith(" has an encoding that is no memory space; lower or remove the encoding")


UNKNOWN = AnalysisOptions(boundaries=True, allow_unknown=True)
ENCODING = '!e = tensor<8xf32, "packed">\n'
PACKED = ENCODING + function("""
  %e = "test.pack"(%t) : (!v) -> !e loc("pack")
  %x = scf.if %p -> !e {
    %g = linalg.fill ins(%f : f32) outs(%e : !e) -> !e loc("fill")
    scf.yield %g : !e
  } else {
    scf.yield %e : !e
  } loc("if")
  %w = tensor.insert %f into %t[%i] : !v loc("w")
  %v = "test.unpack"(%x) : (!e) -> !v loc("unpack")
  %r = tensor.extract %v[%j] : !v loc("r")
  return %w, %r : !v, f32
""")


def test_tensors_with_encodings_stay_where_unknown_ops_may() -> None:
    """Also with ops that have a model. What was packed may still be the memory of %t when it is unpacked."""
    a = analyse_with(PACKED, UNKNOWN)
    assert a.refused == []
    assert {a.op_label(op) for op in a.analysis.effects.unknown_ops} == {"pack", "if", "fill", "unpack", "scf.yield"}
    assert len(a.not_in_place) == 1
    (refused,) = analyse_with(PACKED, AnalysisOptions(boundaries=True)).refused[:1]
    assert "'test.pack' works on tensors but has no bufferization model" in refused


def test_no_buffer_is_made_of_tensors_with_encodings() -> None:
    module = parse(PACKED)
    with context():
        mi.run_pipeline(
            module,
            "builtin.module(inplace-one-shot-bufferize{allow-unknown-ops bufferize-function-boundaries "
            "warn-written-arguments=false})",
        )
    lines = [line for line in str(module).splitlines() if "packed" in line]
    assert len(lines) == 6
    assert not any("memref" in line or "bufferization" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "boundaries"),
    [
        ("func.func @f(%e: !e) {\n  return\n}", True),
        ('func.func @f() -> !e {\n  %e = "test.make"() : () -> !e\n  return %e : !e\n}', True),
        ("func.func @f(%e: !e) {\n  cf.br ^a(%e : !e)\n^a(%x: !e):\n  return\n}", False),
    ],
)
def test_tensors_with_encodings_have_no_buffers_to_hand_on(text: str, boundaries: bool) -> None:
    """To callers, as they are, and to other blocks."""
    refused = analyse_with(ENCODING + text, AnalysisOptions(boundaries=boundaries, allow_unknown=True)).refused
    assert [message.partition(",")[0] for message in refused] == ["tensor<8xf32"]
    if boundaries:
        assert analyse_with(ENCODING + text, AnalysisOptions(boundaries=False, allow_unknown=True)).refused == []


def assumed(what: str) -> str:
    return (
        f"the memory space of {what} cannot be inferred, and must-infer-memory-space does not allow to assume the "
        "default one; make the tensor with bufferization.alloc_tensor and its memory_space"
    )


READ = "%r = tensor.extract %x[%i] : !v"


@pytest.mark.parametrize(
    "op",
    [
        "tensor.splat %f : !v",
        "tensor.empty() : !v",
        "bufferization.alloc_tensor() : !v",
        "arith.constant dense<1.0> : !v",
        "tensor.generate { ^bb0(%b: index): tensor.yield %f : f32 } : !v",
    ],
)
def test_new_buffers_in_a_space_that_nobody_states(op: str) -> None:
    text = function(f"%x = {op}\n{READ}", NO_TENSORS)
    assert analyse_with(text, INFERRED).refused == [assumed("result #0")]
    assert analyse_with(text, AnalysisOptions(boundaries=True)).refused == []


def test_what_nobody_uses_needs_no_space() -> None:
    assert analyse_with(function("%x = tensor.splat %f : !v", NO_TENSORS), INFERRED).refused == []


def test_arguments_have_no_space() -> None:
    assert analyse_with(function("", "%t: !v, %i: index"), INFERRED).refused == [assumed("argument #0")]
    unused = AnalysisOptions(must_infer_space=True)
    assert analyse_with(function("", "%t: !v"), unused).refused == []
    read = "%r = tensor.extract %t[%i] : !v"
    assert analyse_with(function(read, "%t: !v, %i: index"), unused).refused == [assumed("argument #0")]


def test_spaces_are_inferred_along_ties() -> None:
    body = """
      %x = bufferization.alloc_tensor() {memory_space = 1 : i64} : !v
      %a = linalg.fill ins(%f : f32) outs(%x : !v) -> !v
      %s = tensor.extract_slice %a[0] [4] [1] : !v to !h
      %l = scf.for %k = %c0 to %n step %c1 iter_args(%o = %a) -> !v {
        %b = tensor.insert_slice %s into %o[4] [4] [1] : !h into !v
        scf.yield %b : !v
      }
      %r = tensor.extract %l[%i] : !v
    """
    assert analyse_with(function(body, NO_TENSORS), INFERRED).refused == []


@pytest.mark.parametrize(("space", "refusals"), [("2", 0), ("3", 1)])
def test_memrefs_state_their_space(space: str, refusals: int) -> None:
    body = f"""
      %x = bufferization.to_tensor %m restrict : memref<8xf32, {space}> to !v
      %y = bufferization.alloc_tensor() {{memory_space = 2 : i64}} : !v
      %z = linalg.fill ins(%f : f32) outs(%y : !v) -> !v
      %s = arith.select %p, %x, %z : !v
      %r = tensor.extract %s[%i] : !v
    """
    text = function(body, f"{NO_TENSORS}, %m: memref<8xf32, {space}>")
    assert len(analyse_with(text, INFERRED).refused) == refusals


def test_buffers_of_two_spaces_do_not_flow_together() -> None:
    body = """
      %x = bufferization.alloc_tensor() {memory_space = 1 : i64} : !v
      %a = linalg.fill ins(%f : f32) outs(%x : !v) -> !v
      %y = bufferization.alloc_tensor() {memory_space = 2 : i64} : !v
      %b = linalg.fill ins(%f : f32) outs(%y : !v) -> !v
    """
    assert analyse_with(function(body, NO_TENSORS), INFERRED).refused == []
    body += "%s = arith.select %p, %a, %b : !v\n%r = tensor.extract %s[%i] : !v"
    assert analyse_with(function(body, NO_TENSORS), INFERRED).refused == [
        "the buffer is in memory space 2 : i64, but flows together with one in memory space 1 : i64; "
        "use one memory space"
    ]


def test_unknown_ops_state_no_space() -> None:
    body = f'%x = "test.op"() : () -> !v\n{READ}'
    options = AnalysisOptions(boundaries=True, must_infer_space=True, allow_unknown=True)
    assert analyse_with(function(body, NO_TENSORS), options).refused == [assumed("result #0")]
