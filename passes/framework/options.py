"""Pass options: a frozen dataclass whose fields ARE the options.

    @frozen
    class TileOptions(PassOptions):
        tile_sizes: tuple[int, ...] = option((), help="one size for each loop; 0 leaves a loop alone")
        keep_going: bool = option(False, help="carry on after the first refusal")

    TileOptions.parse("tile-sizes=8,8 keep-going")   # TileOptions(tile_sizes=(8, 8), keep_going=True)
    str(TileOptions(tile_sizes=(8, 8)))              # "tile-sizes=8,8"

`parse(str(options)) == options` for every options object. The text is MLIR's: `name=value` separated by spaces, lists
with commas, values with spaces in quotes or braces, a boolean without a value is true. Field types: bool, int, float,
str (with or without `choices`), an Enum with string values, `tuple[T, ...]` of one of these, and `T | None` with None
as the default. Inside double quotes a backslash escapes a quote or a backslash.
"""

from __future__ import annotations

import enum
import math
import re
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, field, fields
from functools import cache
from typing import Any, TypeVar

from ...dialects.support.frozen_classes import frozen
from .errors import OptionError, nearest
from .option_scanner import scan_options, skip_braces, skip_spaces, skip_value

T = TypeVar("T")
OptionsT = TypeVar("OptionsT", bound="PassOptions")

_PLAIN = re.compile(r"[\w./:@%+*<>!?$^&~|;-]+")
_INTEGER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|[0-9]+)")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def option(default: T, *, help: str, choices: Sequence[str] = (), aliases: Sequence[str] = ()) -> T:  # noqa: A002
    """A field of an options class.

    Args:
        default: the value when the option is not given; it must fit the field's type.
        help: one line for `--help` and PASSES.md.
        choices: the values a str option may have; empty means any.
        aliases: further spellings that `parse` accepts, as they stand in the text (`function-boundaries`).
    """
    metadata = {"help": help, "choices": tuple(choices), "aliases": tuple(aliases)}
    # Typed as its default, so that type checkers read `name: T = option(...)` as an ordinary default.
    return field(default=default, metadata=metadata)


@frozen
class OptionSpec:
    """What is known about one option: its names, type, default and help."""

    attribute: str
    name: str
    type: Any
    default: Any
    help: str
    choices: tuple[str, ...]
    aliases: tuple[str, ...]

    @property
    def type_text(self) -> str:
        """The type as people read it: `bool`, `list of int`, `one of: a, b`."""
        return _describe_type(self.type, self.choices)

    @property
    def default_text(self) -> str:
        """The default as it would be written in a pipeline; `none` for None, `empty` for an empty list or string."""
        if self.default is None:
            return "none"
        return "empty" if self.default in ((), "") else _print_value(self.default)

    def read(self, text: str) -> Any:
        """Parse `text` (as scanned, quotes and braces included) into a value; raises OptionError."""
        return _read_value(self, _strip_optional(self.type), text)

    def check(self, value: Any) -> Any:
        """`value` in the field's exact type (a list becomes a tuple, an int a float); raises OptionError."""
        if value is None and self.default is None:
            return None
        return _check_value(self, _strip_optional(self.type), value)


@frozen
class PassOptions:
    """Base of all option classes; itself the options of a pass that has none."""

    def __post_init__(self) -> None:
        """Checks every value against its field, so that an options object that exists is valid."""
        for spec in self.specs():
            # The dataclass is frozen for its users; this is still its construction.
            object.__setattr__(self, spec.attribute, spec.check(getattr(self, spec.attribute)))

    @classmethod
    def specs(cls) -> tuple[OptionSpec, ...]:
        """The options in the order of the fields."""
        return _specs(cls)

    @classmethod
    def parse(cls: type[OptionsT], text: str) -> OptionsT:
        """Reads `name=value ...`; raises OptionError with the place of the first mistake."""
        values: dict[str, Any] = {}
        for item in scan_options(text):
            spec = cls._find(item.name, item.offset)
            if spec.attribute in values:
                raise OptionError(f"option '{spec.name}' is given twice", item.offset, len(item.name))
            # `flag` alone means `flag=true`; for other types a missing value is as wrong as an empty one.
            given = "true" if item.value is None and spec.type is bool else item.value or ""
            try:
                values[spec.attribute] = spec.read(given)
            except OptionError as error:
                raise OptionError(error.message, item.offset, item.length) from None
        return cls(**values)

    @classmethod
    def _find(cls, name: str, offset: int) -> OptionSpec:
        for spec in cls.specs():
            if name in (spec.name, *spec.aliases):
                return spec
        known = [spec.name for spec in cls.specs()]
        listed = ", ".join(known) or "it has no options"
        raise OptionError(f"unknown option '{name}'{nearest(name, known)} (options: {listed})", offset, len(name))

    def __str__(self) -> str:
        """The options that differ from their defaults, as `parse` reads them."""
        return " ".join(
            f"{spec.name}={_print_value(value)}"
            for spec in self.specs()
            if (value := getattr(self, spec.attribute)) != spec.default
        )


@cache
def _specs(cls: type[PassOptions]) -> tuple[OptionSpec, ...]:
    hints = typing.get_type_hints(cls)
    return tuple(_make_spec(cls, item, hints[item.name]) for item in fields(cls))


def _make_spec(cls: type[PassOptions], item: Field[Any], annotation: Any) -> OptionSpec:
    """The spec of one dataclass field; a field that breaks the rules is a programming error, told as TypeError."""
    where = f"{cls.__qualname__}.{item.name}"
    if item.default is MISSING or "help" not in item.metadata:
        raise TypeError(f"{where} must be declared with option(default, help=...)")
    spec = OptionSpec(item.name, item.name.replace("_", "-"), annotation, item.default, **item.metadata)
    element = _element_type(_strip_optional(annotation)) or _strip_optional(annotation)
    if element not in (bool, int, float, str) and not (isinstance(element, type) and issubclass(element, enum.Enum)):
        raise TypeError(
            f"{where} has a type that options cannot have: {annotation}; use bool, int, float, str, an Enum, a tuple "
            "such as tuple[int, ...], or one of these with None"
        )
    if _strip_optional(annotation) is not annotation and item.default is not None:
        raise TypeError(f"{where} may be None, so None must be its default: no text is parsed as None")
    try:
        spec.check(item.default)
    except OptionError as error:
        raise TypeError(f"{where}: its default does not fit: {error.message}") from None
    return spec


def _strip_optional(annotation: Any) -> Any:
    """`T` for `T | None` and for `T`."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        rest = [arg for arg in typing.get_args(annotation) if arg is not types.NoneType]
        return rest[0] if len(rest) == 1 else annotation
    return annotation


def _element_type(annotation: Any) -> Any:
    """`T` for `tuple[T, ...]`, else None."""
    arguments = typing.get_args(annotation)
    is_list = typing.get_origin(annotation) is tuple and len(arguments) == 2 and arguments[1] is Ellipsis
    return arguments[0] if is_list else None


def _describe_type(annotation: Any, choices: tuple[str, ...]) -> str:
    annotation = _strip_optional(annotation)
    if element := _element_type(annotation):
        return f"list of {_describe_type(element, choices)}"
    names = choices or (tuple(str(e.value) for e in annotation) if issubclass(annotation, enum.Enum) else ())
    return f"one of: {', '.join(names)}" if names else annotation.__name__


def _read_value(spec: OptionSpec, annotation: Any, text: str) -> Any:
    """`text` as a value of `annotation`: a list is split at its commas, anything else is unquoted and converted."""
    if element := _element_type(annotation):
        return tuple(_read_value(spec, element, part) for part in _split_list(text))
    plain = _unquote(text)
    try:
        value = _converter(annotation)(plain)
    except (ValueError, KeyError):
        raise OptionError(_unfit(spec, repr(plain))) from None
    return _check_value(spec, annotation, value)


def _check_value(spec: OptionSpec, annotation: Any, value: Any) -> Any:
    """`value` in the exact type of `annotation`; raises OptionError when it is of another kind."""
    if element := _element_type(annotation):
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise OptionError(_unfit(spec, repr(value)))
        return tuple(_check_value(spec, element, item) for item in value)
    if issubclass(annotation, enum.Enum) and isinstance(value, str):
        value = next((member for member in annotation if member.value == value), value)
    if annotation is float and type(value) is int:
        value = float(value)
    fits = isinstance(value, annotation) and (annotation is bool or not isinstance(value, bool))
    # A NaN equals nothing, itself included, so it would not survive the way to text and back.
    if not fits or (annotation is float and math.isnan(value)) or (spec.choices and value not in spec.choices):
        raise OptionError(_unfit(spec, repr(value)))
    return value


def _unfit(spec: OptionSpec, found: str) -> str:
    return f"option '{spec.name}' needs {spec.type_text}, found {found}"


def _converter(annotation: Any) -> Callable[[str], Any]:
    """From unquoted text to a value; raises ValueError or KeyError when the text does not fit."""
    if annotation is bool:
        return lambda text: _BOOLEANS[text.lower()]
    if annotation is int:
        return _read_integer
    return annotation


def _read_integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text, 16 if "x" in text.lower() else 10)


def _split_list(text: str) -> list[str]:
    """The elements of `1,2`, `{1,2}` or nothing, each as written."""
    if text.startswith("{") and skip_braces(text, 0) == len(text):
        text = text[1:-1]
    if not text.strip():
        return []
    parts, start = [], 0
    while True:
        end = skip_value(text, start, stop=",")
        parts.append(text[start:end].strip())
        if end == len(text):
            return parts
        start = skip_spaces(text, end + 1)


def _unquote(text: str) -> str:
    """What stands inside the quotes or the outer braces, or the text itself."""
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r'\\(["\\])', r"\1", text[1:-1])
    quoted = len(text) >= 2 and text[0] == text[-1] == "'"
    braced = text.startswith("{") and skip_braces(text, 0) == len(text)
    return text[1:-1] if quoted or braced else text


def _print_value(value: Any) -> str:
    """`value` as `parse` reads it back; a string is quoted only when it has to be."""
    if isinstance(value, tuple):
        return ",".join(map(_print_value, value))
    if isinstance(value, enum.Enum):
        return _print_value(value.value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and not _PLAIN.fullmatch(value):
        return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
    return str(value)
