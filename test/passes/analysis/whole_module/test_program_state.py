"""Which loads of a global use its memory, and which copy it."""

from __future__ import annotations

import pytest
from analysed import Analysed, analyse_module, analyse_with

from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions

GLOBALS = """
ml_program.global private mutable @g(dense<1.0> : !v) : !v
ml_program.global private mutable @h(dense<2.0> : !v) : !v
ml_program.global public mutable @shared(dense<3.0> : !v) : !v
ml_program.global private @fixed(dense<4.0> : !v) : !v
func.func private @unknown()
func.func private @set_g(%t: !v) {
  ml_program.global_store @g = %t : !v
  return
}
func.func private @set_g_twice(%t: !v, %n: index) {
  call @set_g(%t) : (!v) -> ()
  call @set_g_twice(%t, %n) : (!v, index) -> ()
  return
}
func.func private @read(%t: !v, %i: index) -> f32 {
  %x = tensor.extract %t[%i] : !v
  return %x : f32
}
"""


def module(body: str, results: str = "", *, text: str = GLOBALS) -> str:
    return f"""{text}
    func.func @f(%t: !v, %i: index, %f: f32, %p: i1, %m: memref<8xf32>) {"-> (" + results + ")" if results else ""} {{
      %c4 = arith.constant 4 : index
      {body}
    }}"""


def copied(a: Analysed) -> set[str]:
    """The loads that copy, by name."""
    return {a.op_label(op) for op in a.analysis.state.copied}


LOAD = '%x = ml_program.global_load @g : !v loc("load")\n'
READ = "%r = tensor.extract %x[%i] : !v\n"
STORE = "ml_program.global_store @g = %t : !v\n"


@pytest.mark.parametrize(
    "body",
    {
        "read": LOAD + READ + "return",
        "read, then stored": LOAD + READ + STORE + "return",
        "stored, then loaded": STORE + LOAD + READ + "return",
        "another one is stored": LOAD + "ml_program.global_store @h = %t : !v\n" + READ + "return",
        "view": LOAD
        + "%y = tensor.extract_slice %x[%i] [2] [1] : !v to tensor<2xf32>\n"
        + "%r = tensor.extract %y[%i] : tensor<2xf32>\n"
        + STORE
        + "return",
        "read in a loop": LOAD
        + "scf.for %k = %i to %c4 step %c4 {\n %y = tensor.extract %x[%k] : !v\n }\n"
        + STORE
        + "return",
        "loaded and stored in a loop": "scf.for %k = %i to %c4 step %c4 {\n" + LOAD + READ + STORE + "}\nreturn",
        "stored back": LOAD + "ml_program.global_store @g = %x : !v\nreturn",
        "not used": LOAD + STORE + "return",
        "updated, which copies anyway": LOAD
        + "%y = tensor.insert %f into %x[%i] : !v\nml_program.global_store @g = %y : !v\nreturn",
        "passed to a function that only reads": LOAD
        + "%r = func.call @read(%x, %i) : (!v, index) -> f32\n"
        + STORE
        + "return",
        "unknown function later": LOAD + READ + "func.call @unknown() : () -> ()\nreturn",
    }.items(),
    ids=lambda item: item[0],
)
def test_loads_that_use_the_memory(body: tuple[str, str]) -> None:
    a = analyse_module(module(body[1]))
    assert a.refused == []
    assert copied(a) == set()
    assert a.analysis.effects.readonly[a.value("load")] == "the memory of @g, which only stores may write"


@pytest.mark.parametrize(
    "body",
    {
        "stored before it is read": LOAD + STORE + READ + "return",
        "stored in a branch": LOAD + "scf.if %p {\n" + STORE + "}\n" + READ + "return",
        "stored in the loop that reads": LOAD + "scf.for %k = %i to %c4 step %c4 {\n" + READ + STORE + "}\nreturn",
        "stored by a callee": LOAD + "func.call @set_g(%t) : (!v) -> ()\n" + READ + "return",
        "stored by a callee's callee": LOAD + "func.call @set_g_twice(%t, %i) : (!v, index) -> ()\n" + READ + "return",
        "unknown function in between": LOAD + "func.call @unknown() : () -> ()\n" + READ + "return",
        "passed to a function that stores": LOAD + "func.call @set_g(%x) : (!v) -> ()\nreturn",
        "view, read later": LOAD
        + "%y = tensor.extract_slice %x[%i] [2] [1] : !v to tensor<2xf32>\n"
        + STORE
        + "%r = tensor.extract %y[%i] : tensor<2xf32>\nreturn",
        "view, stored": LOAD
        + "%y = tensor.cast %x : !v to !d\n%z = tensor.cast %y : !d to !v\n"
        + "ml_program.global_store @g = %z : !v\nreturn",
        "carried by a loop": LOAD
        + """%y = scf.for %k = %i to %c4 step %c4 iter_args(%a = %x) -> !v {
               %z = tensor.insert %f into %a[%k] : !v
               scf.yield %z : !v
             }
             return""",
        "yielded": "%y = scf.if %p -> !v {\n" + LOAD + "scf.yield %x : !v\n} else {\nscf.yield %t : !v\n}\nreturn",
        "handed to memref code": LOAD + "%y = bufferization.to_buffer %x : !v to memref<8xf32>\nreturn",
    }.items(),
    ids=lambda item: item[0],
)
def test_loads_that_copy(body: tuple[str, str]) -> None:
    a = analyse_module(module(body[1]))
    assert a.refused == []
    assert copied(a) == {"load"}


def test_what_is_returned() -> None:
    """Callers may store later, unless nobody can."""
    text = "return %x : !v"
    for symbol, copies in (("g", {"load"}), ("h", set()), ("shared", {"load"}), ("fixed", set())):
        a = analyse_module(module(LOAD.replace("@g", f"@{symbol}") + text, "!v"))
        assert a.refused == []
        assert copied(a) == copies


def test_a_public_global_may_be_stored_to_by_others() -> None:
    load = LOAD.replace("@g", "@shared")
    a = analyse_module(module(load + "func.call @unknown() : () -> ()\n" + READ + "return"))
    assert copied(a) == {"load"}
    a = analyse_module(module(load.replace("@shared", "@h") + "func.call @unknown() : () -> ()\n" + READ + "return"))
    assert copied(a) == set()


def test_an_op_that_nobody_described_may_store() -> None:
    body = LOAD + '"test.op"(%t) : (!v) -> ()\n' + READ + "return"
    a = analyse_module(module(body), allow_unknown=True)
    assert copied(a) == {"load"}


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "ml_program.global private mutable @g(dense<1.0> : !v) : !d",
            "'ml_program.global' has type tensor<?xf32>, but only a tensor of static sizes becomes a memref; "
            "give it sizes",
        ),
        (
            "ml_program.global private mutable @g(#ml_program.extern : !v) : !v",
            "'ml_program.global' has the value #ml_program.extern : tensor<8xf32>, but needs dense elements or none; "
            "define it in this module",
        ),
    ],
)
def test_globals_that_are_no_memrefs(text: str, message: str) -> None:
    type_ = text.rpartition(" ")[2]
    body = f"%x = ml_program.global_load @g : {type_}\n%r = tensor.extract %x[%i] : {type_}\nreturn"
    assert analyse_module(module(body, text=text)).refused == [message]


def test_a_global_that_others_use_too() -> None:
    graph = """
    ml_program.subgraph @other() -> !v {
      %token = ml_program.token
      %x, %after = ml_program.global_load_graph @g ordering (%token -> !ml_program.token) : !v
      ml_program.output %x : !v
    }"""
    a = analyse_module(module(LOAD + READ + "return", text=GLOBALS + graph))
    assert a.refused == [
        "'ml_program.global_load_graph' uses @g, which becomes a memref, but stands in no func.func that is "
        "bufferized; put the access into one"
    ]
    a = analyse_module(module("return", text=GLOBALS.replace("@g = %t", "@h = %t") + graph))
    assert a.refused == []
    kept = [a.analysis.snapshot.ops[op].attributes["sym_name"].value for op in a.analysis.state.declarations]
    assert kept == ["h", "shared", "fixed"]


def test_a_filtered_dialect_keeps_its_tensors() -> None:
    text = module(LOAD + READ + STORE + "return")
    a = analyse_with(text, AnalysisOptions(boundaries=True, allow_unknown=True, dialects=("tensor", "func")))
    assert a.refused == []
    assert a.analysis.state.declarations == []
    assert copied(a) == set()
