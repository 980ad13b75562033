"""Frozen dataclasses that cost a third of what `dataclass(frozen=True)` does to define.

Python 3.12 and older compile the text of six methods for each such class; a compilation loads two hundred of them, and
few of these methods are ever called. Here only `__init__` is compiled, and the others are shared. For type checkers,
`fields`, `replace` and `asdict` it is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        """Nothing: at run time nobody asks."""
        return lambda decorator: decorator


__all__ = ["frozen"]

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """A class decorator: `dataclass(frozen=True)`, of classes that only derive from such, and define no equality."""
    derived = any(hasattr(base, "__dataclass_params__") and base.__dataclass_params__.frozen for base in cls.__mro__)
    made = dataclass(init=False, repr=False, eq=False, frozen=derived)(cls)
    own = fields(made)  # pyright: ignore[reportArgumentType]
    methods = {
        "__init__": _initializer(made, own),
        "__repr__": _shown(tuple(one.name for one in own if one.repr)),
        **_compared(tuple(one.name for one in own if one.compare)),
        **({} if derived else {"__setattr__": _refuse_assignment, "__delattr__": _refuse_deletion}),
    }
    for name, method in methods.items():
        if name not in vars(made) or (name == "__hash__" and made.__hash__ is None):
            setattr(made, name, method)
    made.__dataclass_params__.frozen = True  # pyright: ignore[reportAttributeAccessIssue]
    return made


def _initializer(cls: type[Any], own: tuple[Field[Any], ...]) -> Callable[..., None]:
    """The `__init__` that a dataclass has: a parameter for each field, then `__post_init__` if there is one."""
    scope: dict[str, Any] = {"__name__": cls.__module__, "_set": object.__setattr__, "_missing": MISSING}
    parameters, body = ["self"], ["pass"]
    for one in own:
        value = name = one.name
        if one.default_factory is not MISSING:
            scope[f"_make_{name}"] = one.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif one.default is not MISSING:
            scope[f"_default_{name}"] = one.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        body.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}): {'; '.join(body)}", scope)
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {**{one.name: one.type for one in own}, "return": None}
    return made


def _compared(names: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    """`__eq__` and `__hash__` by the values of these fields."""
    values = _getter(names)

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _shown(names: tuple[str, ...]) -> Callable[[Any], str]:
    """`__repr__` with the values of these fields."""

    def __repr__(self: Any) -> str:  # noqa: N807
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """What returns the values of these fields, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda one: (getattr(one, names[0]),)) if names else (lambda _: ())


def _refuse_assignment(_: Any, name: str, __: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(_: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
