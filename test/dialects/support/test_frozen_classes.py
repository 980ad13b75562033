"""Classes that `frozen` makes against those that `dataclass(frozen=True)` makes of the same text."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any

import pytest

from mlir_inplace.dialects.support.frozen_classes import frozen, frozen_slots, record


def classes(decorate: Callable[[type[Any]], type[Any]]) -> dict[str, type[Any]]:
    """A few classes, decorated."""

    class Nothing:
        """No field."""

    class One:
        """One field, and a method."""

        only: tuple[int, ...]

        def total(self) -> int:
            return sum(self.only)

    class Some:
        """Fields of all kinds."""

        number: int
        word: str = "two"
        names: list[str] = field(default_factory=list, compare=False)
        hidden: int = field(default=3, repr=False)

        def __post_init__(self) -> None:
            if self.number < 0:
                raise ValueError("negative")

    class More(Some):
        """A field more, and texts of its own."""

        last: bool = True

        def __repr__(self) -> str:
            return f"more than {self.number}"

    made = {"Nothing": decorate(Nothing), "One": decorate(One), "Some": decorate(Some)}
    More.__bases__ = (made["Some"],)
    return {**made, "More": decorate(More)}


FROZEN, DATACLASSES = classes(frozen), classes(dataclass(frozen=True))

CALLS = [
    ("Nothing", (), {}),
    ("One", ((1, 2),), {}),
    ("Some", (1,), {}),
    ("Some", (1, "x"), {"names": ["a"], "hidden": 5}),
    ("More", (2,), {"last": False}),
    ("More", (2, "x", ["a"], 4, True), {}),
]


def pair(name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
    return FROZEN[name](*positional, **named), DATACLASSES[name](*positional, **named)


@pytest.mark.parametrize(("name", "positional", "named"), CALLS)
def test_values_and_texts_are_the_same(name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> None:
    mine, other = pair(name, positional, named)
    assert asdict(mine) == asdict(other) and repr(mine) == repr(other) and hash(mine) == hash(other)
    assert [one.name for one in fields(mine)] == [one.name for one in fields(other)]
    assert inspect.signature(type(mine)).parameters.keys() == inspect.signature(type(other)).parameters.keys()
    assert type(mine).__match_args__ == type(other).__match_args__ and type(mine).__doc__ == type(other).__doc__


def test_equal_are_those_of_one_class_with_equal_compared_fields() -> None:
    some, more = FROZEN["Some"], FROZEN["More"]
    assert some(1) == some(1) and some(1) != some(2) and some(1) != some(1, "x") and some(1) != some(1, hidden=4)
    assert some(1, names=["a"]) == some(1, names=["b"]) and some(1) != more(1) and some(1) != 1
    assert FROZEN["Nothing"]() == FROZEN["Nothing"]() and len({some(1), some(1), some(2)}) == 2


def test_nothing_can_be_assigned_or_deleted() -> None:
    for name in ("Some", "More"):
        mine = FROZEN[name](1)
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'number'"):
            mine.number = 2
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'word'"):
            del mine.word
        assert (mine.number, mine.word) == (1, "two")


def test_factories_make_a_new_value_each_time() -> None:
    first, second = FROZEN["Some"](1), FROZEN["Some"](1)
    first.names.append("a")
    assert second.names == [] and FROZEN["Some"](1, names=first.names).names is first.names


def test_a_changed_copy_is_checked() -> None:
    mine = FROZEN["More"](1, "x", last=False)
    changed = replace(mine, number=4)
    assert (changed.number, changed.word, changed.last) == (4, "x", False) and type(changed) is FROZEN["More"]
    with pytest.raises(ValueError, match="negative"):
        replace(mine, number=-1)


@pytest.mark.parametrize("name", ["Some", "One"])
def test_wrong_arguments_are_refused_as_by_dataclasses(name: str) -> None:
    for positional, named in (((), {}), ((1,), {"nothing": 2}), (tuple(range(9)), {})):
        messages: list[str] = []
        for cls in (FROZEN[name], DATACLASSES[name]):
            with pytest.raises(TypeError) as error:
                cls(*positional, **named)
            messages.append(str(error.value))
        assert messages[0] == messages[1]


def test_frozen_dataclasses_and_ours_derive_from_each_other() -> None:
    @dataclass(frozen=True)
    class Below(FROZEN["Some"]):  # type: ignore[misc]
        deep: int = 0

    @frozen
    class Lowest(Below):
        deepest: int = 1

    mine = Lowest(1, deep=4)
    assert (mine.number, mine.deep, mine.deepest) == (1, 4, 1) and mine == Lowest(1, deep=4) != Lowest(1)
    with pytest.raises(FrozenInstanceError):
        mine.deepest = 2  # type: ignore[misc]


@frozen
class Kept:
    """A class that pickle finds by name."""

    number: int
    text: str = ""


def test_instances_are_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(3, "a"))) == Kept(3, "a")


@frozen_slots
class KeptInSlots:
    """Another one."""

    number: int
    text: str = ""
    names: tuple[str, ...] = field(default=(), compare=False)


@record
class Counted:
    """One whose fields are assigned to."""

    number: int
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SlotsOfPython:
    """What `KeptInSlots` is compared with."""

    number: int
    text: str = ""
    names: tuple[str, ...] = field(default=(), compare=False)


@dataclass
class CountedByPython:
    """What `Counted` is compared with."""

    number: int
    names: list[str] = field(default_factory=list)


def shown(value: object) -> str:
    return repr(value).partition("(")[2]


@frozen_slots
class Doubled:
    """One with a field that follows from another."""

    number: int
    double: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "double", 2 * self.number)


def test_a_field_that_follows_is_no_argument() -> None:
    assert Doubled(3).double == 6 and replace(Doubled(3), number=4).double == 8
    with pytest.raises(TypeError, match="2 positional arguments but 3 were given"):
        Doubled(3, 5)  # type: ignore[call-arg]
    assert pickle.loads(pickle.dumps(Doubled(3))).double == 6


def test_slots_hold_what_is_frozen() -> None:
    mine, other = KeptInSlots(3, names=("a",)), SlotsOfPython(3, names=("a",))
    assert asdict(mine) == asdict(other) and shown(mine) == shown(other) and hash(mine) == hash(other)
    assert mine == KeptInSlots(3) != KeptInSlots(4) and not hasattr(mine, "__dict__")
    assert KeptInSlots.__slots__ == SlotsOfPython.__slots__ and KeptInSlots.__match_args__ == (
        "number",
        "text",
        "names",
    )
    for change in (lambda: setattr(mine, "number", 4), lambda: delattr(mine, "number")):
        with pytest.raises(FrozenInstanceError):
            change()
    read = pickle.loads(pickle.dumps(mine))
    assert (read.number, read.text, read.names) == (3, "", ("a",))
    assert replace(mine, text="b").text == "b"


def test_records_are_assigned_to() -> None:
    mine, other = Counted(3), CountedByPython(3)
    assert asdict(mine) == asdict(other) and shown(mine) == shown(other) and mine == Counted(3)
    mine.number = 4
    mine.names.append("a")
    assert mine == Counted(4, ["a"]) != Counted(4) and Counted(1).names == []
    for one in (mine, other):
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)


def test_signatures_are_known_before_and_after_the_first_instance() -> None:
    for decorate, python in (
        (frozen, dataclass(frozen=True)),
        (frozen_slots, dataclass(frozen=True, slots=True)),
        (record, dataclass),
    ):

        def made(decorator: Callable[[type[Any]], type[Any]]) -> type[Any]:
            class Named:
                """A class."""

                number: int
                text: str = "a"

            return decorator(Named)

        mine, other = made(decorate), made(python)
        before = inspect.signature(mine)
        assert str(before) == str(inspect.signature(other))
        assert mine(1).number == 1 and inspect.signature(mine) == before

        class Other(mine):  # type: ignore[misc, valid-type]
            """A class with an `__init__` of its own."""

            def __init__(self, only: int) -> None:
                super().__init__(only, "b")

        assert list(inspect.signature(Other).parameters) == ["only"] and Other(3).text == "b"
