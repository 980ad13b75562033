"""Calls by name, and what `inspect.signature`, `help` and `repr` say of a program."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.interface.names import python_names

TEXT = """
// A comment with %nothing: f32
func.func private @helper(%nothing: f32) -> f32 { return %nothing : f32 }
func.func @minus(%lhs: tensor<3xf64> {bufferization.writable = false}, // %comment: f64
                 %rhs : tensor<3xf64>) -> tensor<3xf64> {
  %e = tensor.empty() : tensor<3xf64>
  %0 = linalg.sub ins(%lhs, %rhs : tensor<3xf64>, tensor<3xf64>) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @odd(%in: i64, %out: i64, %0: i64, %a.b: i64, %a_b: i64, %"quoted": i64) -> i64 { return %in : i64 }
func.func @located(%x: f64 loc("theirs"), %y: f64) -> (f64, f64) { return %y, %x : f64, f64 }
func.func @many(%a: i8, %b: i8, %c: i8, %d: i8, %e: i8) -> () { return }
""".replace(', %"quoted": i64', "")

LEFT, RIGHT = np.array([10.0, 20.0, 30.0]), np.array([1.0, 2.0, 3.0])


@pytest.fixture(scope="module")
def program() -> mi.Program:
    return mi.compile(TEXT)


def test_arguments_by_name_go_where_the_source_says(program: mi.Program) -> None:
    expected = LEFT - RIGHT
    for call in (
        program.minus(LEFT, RIGHT),
        program.minus(LEFT, rhs=RIGHT),
        program.minus(rhs=RIGHT, lhs=LEFT),
        program["minus"](rhs=RIGHT, lhs=LEFT),
        program.bind(function="minus", rhs=RIGHT, lhs=LEFT)(),
        program.minus.bind(LEFT, rhs=RIGHT)(),
    ):
        np.testing.assert_array_equal(call, expected)
    out = np.zeros(3)
    assert program.minus(rhs=RIGHT, lhs=LEFT, out=out) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        (
            (LEFT,),
            {"rsh": RIGHT},
            r"^minus has no argument 'rsh'; did you mean 'rhs'\?; it is minus\(lhs: tensor<3xf64>, ",
        ),
        ((LEFT,), {"lhs": RIGHT}, r"^argument 0 \('lhs'\) of minus is given twice$"),
        ((LEFT, RIGHT), {"lhs": RIGHT}, r"^argument 0 \('lhs'\) of minus is given twice$"),
        ((), {"rhs": RIGHT}, r"^minus takes 2 arguments, lhs missing: minus\(lhs: "),
        ((LEFT, RIGHT, LEFT), {"zzz": RIGHT}, r"^minus has no argument 'zzz'; it is minus"),
        ((LEFT,), {"rhs": RIGHT[:2]}, r"^argument 1 \('rhs'\): expected shape 3 for tensor<3xf64>, got 2"),
    ],
)
def test_wrong_names(program: mi.Program, arguments: tuple[Any, ...], named: dict[str, Any], message: str) -> None:
    for call in (program.minus, program.minus.bind):
        with pytest.raises((TypeError, ValueError), match=message):
            call(*arguments, **named)


def test_too_many_by_position_beside_one_by_name(program: mi.Program) -> None:
    with pytest.raises(TypeError, match="^located takes 2 arguments, got 3: located"):
        program.located(1.0, 2.0, 3.0)
    with pytest.raises(TypeError, match=r"^argument 1 \('y'\) of located is given twice"):
        program.located(1.0, 2.0, 3.0, y=2.0)


def test_names_that_python_cannot_use(program: mi.Program) -> None:
    assert program.odd.signature.names == ("in_", "out_", "arg2", "a_b_", "a_b")
    assert program.odd(in_=1, out_=2, arg2=3, a_b=5, a_b_=4) == 1
    assert program.odd(**{"in": 7, "out_": 2, "0": 3, "a.b": 4, "a_b": 5}) == 7
    with pytest.raises(ValueError, match=r"^argument 3 \('a\.b'\): "):
        program.odd(1, 2, 3, 1 << 70, 5)


def test_names_of_locations(program: mi.Program) -> None:
    assert program.located.signature.names == ("theirs", "y")
    assert program.located(y=1.0, theirs=2.0) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("spellings", "names"),
    [
        (("lhs", "rhs"), ("lhs", "rhs")),
        ((None, "3"), ("arg0", "arg1")),
        (("arg1", None), ("arg1", "arg1_")),
        (("a-b", "a.b", "a_b"), ("a_b_", "a_b__", "a_b")),
        (("lambda", "lambda_"), ("lambda__", "lambda_")),
        (("function", "self", "None", "match"), ("function_", "self", "None_", "match")),
        (("set 0 binding 1", "1x", "x", "x"), ("set_0_binding_1", "_1x", "x", "x_")),
    ],
)
def test_python_names(spellings: tuple[str | None, ...], names: tuple[str, ...]) -> None:
    assert python_names(spellings) == names


def test_an_argument_called_self_or_function() -> None:
    program = mi.compile("func.func @main(%self: i64, %function: i64) -> i64 { return %function : i64 }")
    assert program.main(self=1, function_=2) == 2
    assert program.bind(self=1, function_=2)() == 2


class TestSources:
    """Where the names come from."""

    def test_file(self, tmp_path: Path) -> None:
        path = tmp_path / "program.mlir"
        path.write_text("\n" + TEXT)
        assert mi.compile(path).minus.signature.names == ("lhs", "rhs")
        assert mi.compile(str(path)).minus.signature.names == ("lhs", "rhs")

    def test_bytes_and_characters_of_several_bytes(self) -> None:
        text = TEXT.replace("// %comment: f64", "/" * 2).replace("func.func @minus(", "/// ü\nfunc.func @minus(")
        assert mi.compile(text.encode()).minus.signature.names == ("lhs", "rhs")
        attributes = 'func.func @f(%a: f64 {x.y = "üü%b: ,"}, %c: f64) -> f64 { return %c : f64 }'
        assert mi.compile(attributes).f.signature.names == ("a", "c")

    def test_a_module_has_the_names_that_it_prints(self) -> None:
        with ir.Context():
            module = ir.Module.parse(TEXT)
            assert mi.compile(module).minus.signature.names == ("arg0", "arg1")
            assert mi.compile(module).located.signature.names == ("theirs", "arg1")
            assert mi.compile(str(module)).minus.signature.names == ("arg0", "arg1")

    def test_a_location_that_names_another_place(self) -> None:
        """Only the text's own places count; one that is no argument gives no name."""
        lines = 'func.func @f(%a: f64 loc("other.mlir":1:14), %b: f64 loc("-":1:1), %c: f64 loc("-":99:1)) { return }'
        assert mi.compile(lines).f.signature.names == ("arg0", "arg1", "arg2")

    def test_the_same_program_from_the_cache(self, tmp_path: Path) -> None:
        for _ in range(2):
            assert mi.compile(TEXT, cache=tmp_path).minus.signature.names == ("lhs", "rhs")


class TestShown:
    """What a person sees."""

    def test_signature(self, program: mi.Program) -> None:
        signature = inspect.signature(program.minus)
        assert str(signature) == "(lhs: tensor<3xf64>, rhs: tensor<3xf64>, *, out=None) -> tensor<3xf64>"
        assert signature.parameters["lhs"].default is inspect.Parameter.empty
        assert signature.bind(LEFT, rhs=RIGHT).arguments == {"lhs": LEFT, "rhs": RIGHT}
        assert str(inspect.signature(program.located)) == "(theirs: f64, y: f64, *, out=None) -> (f64, f64)"
        assert inspect.signature(program.many).return_annotation is None
        assert inspect.signature(mi.Program.bind)  # the classes have the signatures that they had
        assert inspect.signature(type(program.minus))

    def test_help(self, program: mi.Program) -> None:
        said = pydoc.plain(pydoc.render_doc(program.minus))
        assert "minus(lhs: tensor<3xf64>, rhs: tensor<3xf64>, *, out=None) -> tensor<3xf64>" in said
        assert "lhs: tensor<3xf64>, array of float64 (3)" in said
        assert "result: tensor<3xf64>, array of float64 (3)" in said

    def test_help_tells_what_is_written(self) -> None:
        text = "func.func @f(%a: tensor<?xf32> {bufferization.writable = true}, %n: index) { return }"
        said = pydoc.plain(pydoc.render_doc(mi.compile(text).f))
        assert "a: tensor<?xf32>, array of float32 (?), written in place\n" in said
        assert "n: index, int64" in said and "out: an array" not in said

    def test_repr(self, program: mi.Program) -> None:
        assert (
            repr(program)
            == "<Program with minus(lhs, rhs), odd(in_, out_, arg2, a_b_, …), located(theirs, y), many(a, b, c, d, …)>"
        )
        assert repr(program.minus) == "<entry point minus(lhs, rhs)>"
        assert repr(program.minus.bind(LEFT, RIGHT)) == "<bound call of minus(lhs, rhs)>"
        assert repr(program.minus.signature) == "<Signature minus(lhs, rhs)>"
        assert repr(program.minus.signature.parameters[0].type) == "tensor<3xf64>"
        many = mi.compile("\n".join(f"func.func @f{n}() {{ return }}" for n in range(9)))
        assert repr(many) == "<Program with f0(), f1(), f2(), f3(), 5 more>"

    def test_native_code_is_not_pickled(self, program: mi.Program) -> None:
        for one in (program, program.minus, program.minus.bind(LEFT, RIGHT)):
            assert copy.copy(one) is copy.deepcopy(one) is one
            with pytest.raises(TypeError, match=r"minus.* cannot be pickled; call mi\.compile in each process"):
                pickle.dumps(one)
