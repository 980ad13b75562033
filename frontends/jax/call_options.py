"""Which arguments of a JAX function are static and which are donated, said as for `jax.jit`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Numbers = int | Iterable[int] | None
Names = str | Iterable[str] | None


class CallOptions:
    """Separates the static arguments of each call, and knows which others are donated.

    An argument that can be given by position and by name is meant in both forms, as in JAX.

    Raises `ValueError` for an argument that the function does not have, or that is both static and donated, and
    `TypeError` for what is no number or name.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        static_argnums: Numbers = None,
        static_argnames: Names = None,
        donate_argnums: Numbers = None,
        donate_argnames: Names = None,
    ) -> None:
        if not callable(function):
            raise TypeError(f"expected a function, got {type(function).__name__}")
        self.function = function
        self._places = _Places(function)
        self.static = self._places.meant("static", static_argnums, static_argnames)
        self.donated = self._places.meant("donate", donate_argnums, donate_argnames)
        both = sorted(map(str, self.static & self.donated))
        if both:
            raise ValueError(f"argument {both[0]} is both static and donated")

    def separate(
        self, arguments: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...], Mapping[str, Any]]:
        """The static arguments of a call as pairs of place and value, and its other arguments."""
        if not self.static:
            return (), arguments, named
        static: list[tuple[Any, Any]] = []
        others: list[Any] = []
        for place, value in enumerate(arguments):
            if place in self.static or place - len(arguments) in self.static:
                static.append((place, value))
            else:
                others.append(value)
        static += [(name, named[name]) for name in sorted(named) if name in self.static]
        for place, value in static:
            try:
                hash(value)
            except TypeError:
                raise ValueError(
                    f"static argument {place} has the value {value!r:.40} of type {type(value).__name__}, which cannot "
                    "be hashed; pass one that can, such as a tuple for a list"
                ) from None
        return tuple(static), tuple(others), {name: named[name] for name in named if name not in self.static}

    def with_static(self, static: tuple[Any, ...]) -> Callable[..., Any]:
        """The function of the other arguments."""
        if not static:
            return self.function
        function, values = self.function, dict(static)
        names = {name: value for name, value in values.items() if isinstance(name, str)}

        @functools.wraps(function)
        def rest(*arguments: Any, **named: Any) -> Any:
            remaining = iter(arguments)
            count = len(arguments) + len(values) - len(names)
            merged = [values[place] if place in values else next(remaining) for place in range(count)]
            return function(*merged, **named, **names)

        del rest.__wrapped__  # Its signature is another one.
        return rest

    def donated_places(self, static: tuple[Any, ...], arguments: int) -> set[int | str]:
        """The donated places among the `arguments` positional ones that are not static, and all donated names."""
        taken = {place for place, _ in static if isinstance(place, int)}
        total = arguments + len(taken)
        places = [place for place in range(total) if place not in taken]
        meant = {place for place in range(total) if place in self.donated or place - total in self.donated}
        return {places.index(place) for place in meant} | {name for name in self.donated if isinstance(name, str)}


class _Places:
    """The parameters of a function by position and by name; unknown ones if it has no signature."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            parameters = [inspect.Parameter("arguments", inspect.Parameter.VAR_POSITIONAL)]
        kinds = [parameter.kind for parameter in parameters]
        self._positional = [
            parameter.name
            for parameter in parameters
            if parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        ]
        both = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self._in_both_forms = {parameter.name for parameter in parameters if parameter.kind is both}
        self._names = self._in_both_forms | {
            parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
        self._any_number = inspect.Parameter.VAR_POSITIONAL in kinds
        self._any_name = inspect.Parameter.VAR_KEYWORD in kinds or (self._any_number and not self._names)

    def meant(self, what: str, numbers: Numbers, names: Names) -> frozenset[int | str]:
        """The positions and names of arguments that `WHAT_argnums` and `WHAT_argnames` mean."""
        found: set[int | str] = set()
        for number in (numbers,) if isinstance(numbers, int) else tuple(numbers or ()):
            found |= self._by_number(what, number)
        for name in (names,) if isinstance(names, str) else tuple(names or ()):
            found |= self._by_name(what, name)
        return frozenset(found)

    def _by_number(self, what: str, number: object) -> set[int | str]:
        if type(number) is not int:
            raise TypeError(f"{what}_argnums must be integers, got {number!r}")
        count = len(self._positional)
        if not self._any_number and not -count <= number < count:
            raise ValueError(f"{what}_argnums has {number}, but the function has {count} positional arguments")
        if self._any_number and not 0 <= number < count:
            return {number}
        number %= count
        name = self._positional[number]
        return {number, name} if name in self._in_both_forms else {number}

    def _by_name(self, what: str, name: object) -> set[int | str]:
        if not isinstance(name, str):
            raise TypeError(f"{what}_argnames must be strings, got {name!r}")
        if name not in self._names and not self._any_name:
            raise ValueError(f"{what}_argnames has {name!r}, but the function has no such argument")
        return {name, self._positional.index(name)} if name in self._in_both_forms else {name}
