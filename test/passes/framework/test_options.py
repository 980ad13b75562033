"""Pass options: what a field may be, how text is read, and that every options object survives the way through text."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlir_inplace.passes.framework.errors import OptionError
from mlir_inplace.passes.framework.option_scanner import scan_options
from mlir_inplace.passes.framework.options import PassOptions, option


class Mode(enum.Enum):
    FAST = "fast"
    SAFE_AND_SLOW = "safe-and-slow"


@dataclass(frozen=True)
class Everything(PassOptions):
    flag: bool = option(False, help="a flag")
    on_by_default: bool = option(True, help="a flag that is on")
    count: int = option(3, help="a number", aliases=("number",))
    ratio: float = option(0.5, help="a ratio")
    label: str = option("", help="any text")
    colour: str = option("red", help="a choice", choices=("red", "green"))
    mode: Mode = option(Mode.FAST, help="an enumeration")
    tile_sizes: tuple[int, ...] = option((), help="a list")
    names: tuple[str, ...] = option(("x",), help="a list of text")
    modes: tuple[Mode, ...] = option((), help="a list of an enumeration")
    limit: int | None = option(None, help="a number that may be missing")


any_options = st.builds(
    Everything,
    flag=st.booleans(),
    on_by_default=st.booleans(),
    count=st.integers(),
    ratio=st.floats(allow_nan=False),
    label=st.text(),
    colour=st.sampled_from(["red", "green"]),
    mode=st.sampled_from(Mode),
    tile_sizes=st.lists(st.integers()),
    names=st.lists(st.text()),
    modes=st.lists(st.sampled_from(Mode)),
    limit=st.none() | st.integers(),
)


@given(any_options)
def test_options_survive_the_way_through_text(options: Everything) -> None:
    assert Everything.parse(str(options)) == options


@given(st.text())
def test_any_text_is_read_or_refused_with_a_place_inside_it(text: str) -> None:
    try:
        Everything.parse(text)
    except OptionError as error:
        assert error.offset is not None
        assert 0 <= error.offset <= len(text)


def test_only_what_differs_from_the_default_is_printed() -> None:
    assert str(Everything()) == ""
    assert str(Everything(flag=True, tile_sizes=(4, 8), label="a b")) == 'flag=true label="a b" tile-sizes=4,8'
    assert str(Everything(names=())) == "names="


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flag", Everything(flag=True)),
        ("flag=1 on-by-default=False", Everything(flag=True, on_by_default=False)),
        ("count=-0x10", Everything(count=-16)),
        ("number=7", Everything(count=7)),
        ("ratio=1e-3", Everything(ratio=0.001)),
        ("mode=safe-and-slow", Everything(mode=Mode.SAFE_AND_SLOW)),
        ("tile-sizes=1,2", Everything(tile_sizes=(1, 2))),
        ("tile-sizes={1, 2}", Everything(tile_sizes=(1, 2))),
        ("names=a,'b c',\"d,e\"", Everything(names=("a", "b c", "d,e"))),
        ("label={a {b} c}", Everything(label="a {b} c")),
        ("label=it's", Everything(label="it's")),
        ('label="say \\"hi\\""', Everything(label='say "hi"')),
        ("  count=1\n\tflag  ", Everything(count=1, flag=True)),
    ],
)
def test_spellings(text: str, expected: Everything) -> None:
    assert Everything.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("flag cuont=1", 5, "unknown option 'cuont'; did you mean 'count'?"),
        ("count=x", 0, "option 'count' needs int, found 'x'"),
        ("count", 0, "option 'count' needs int, found ''"),
        ("count=1_0", 0, "option 'count' needs int, found '1_0'"),
        ("flag=maybe", 0, "option 'flag' needs bool, found 'maybe'"),
        ("ratio=nan", 0, "option 'ratio' needs float, found nan"),
        ("colour=blue", 0, "option 'colour' needs one of: red, green, found 'blue'"),
        ("mode=slow", 0, "option 'mode' needs one of: fast, safe-and-slow, found 'slow'"),
        ("tile-sizes=1,x", 0, "option 'tile-sizes' needs list of int, found 'x'"),
        ("count=1 number=2", 8, "option 'count' is given twice"),
        ("=1", 0, "expected an option's name, found '='"),
        ("label={a", 6, "this '{' is never closed"),
        ('label="a', 6, 'this " is never closed'),
        ("label=a}", 7, "unbalanced '}'"),
    ],
)
def test_mistakes_are_named_with_their_place(text: str, offset: int, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        Everything.parse(text)
    assert caught.value.message.startswith(message)
    assert caught.value.offset == offset


def test_deep_nesting_is_no_recursion() -> None:
    depth = 100_000
    options = Everything.parse("label=" + "{" * depth + "}" * depth)
    assert options.label == "{" * (depth - 1) + "}" * (depth - 1)


def test_values_given_in_python_are_checked_and_made_exact() -> None:
    options = Everything(tile_sizes=[1, 2], ratio=2, mode="fast")  # type: ignore[arg-type]
    assert options == Everything(tile_sizes=(1, 2), ratio=2.0, mode=Mode.FAST)
    with pytest.raises(OptionError, match="option 'count' needs int, found True"):
        Everything(count=True)
    with pytest.raises(OptionError, match="option 'tile-sizes' needs list of int, found 'ab'"):
        Everything(tile_sizes="ab")  # type: ignore[arg-type]


def test_a_badly_declared_field_is_told_to_its_author() -> None:
    with pytest.raises(TypeError, match="None must be its default"):
        Wrong()
    with pytest.raises(TypeError, match=r"must be declared with option\(default, help=...\)"):
        Bare()


@dataclass(frozen=True)
class Wrong(PassOptions):
    limit: int | None = option(4, help="a limit")


@dataclass(frozen=True)
class Bare(PassOptions):
    limit: int = 4


def test_specs_describe_themselves() -> None:
    described = {spec.name: (spec.type_text, spec.default_text) for spec in Everything.specs()}
    assert described["flag"] == ("bool", "false")
    assert described["tile-sizes"] == ("list of int", "empty")
    assert described["limit"] == ("int", "none")
    assert described["mode"] == ("one of: fast, safe-and-slow", "fast")
    assert described["names"] == ("list of str", "x")


def test_scanning_keeps_places() -> None:
    scanned = [(item.name, item.value, item.offset, item.length) for item in scan_options(" a b={x y} c=")]
    assert scanned == [("a", None, 1, 1), ("b", "{x y}", 3, 7), ("c", "", 11, 2)]
