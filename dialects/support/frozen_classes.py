"""Dataclasses that cost a fifth of what `dataclass` does to define.

Python 3.12 and older compile the text of up to six methods for each such class; a compilation loads two hundred of
them, and few of these methods are ever called. Here only `__init__` is compiled, when the first instance is made, and
the others are shared. For type checkers, `fields`, `replace` and `asdict` it is the same.
"""

from __future__ import annotations

import inspect
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


__all__ = ["frozen", "frozen_slots", "record"]

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """A class decorator: `dataclass(frozen=True)`, of classes that only derive from such, and define no equality."""
    return _finished(dataclass(init=False, repr=False, eq=False, frozen=_derives(cls))(cls), frozen=not _derives(cls))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_slots(cls: type[_T]) -> type[_T]:
    """As `dataclass(frozen=True, slots=True)`, for classes with many instances that derive from nothing.

    Arguments of the initializer are in the order of the fields: `kw_only` is not asked.
    """
    made = _finished(dataclass(init=False, repr=False, eq=False, slots=True)(cls), frozen=True)
    names = tuple(one.name for one in fields(made))  # pyright: ignore[reportArgumentType]
    for name, method in _pickled(names).items():
        setattr(made, name, method)
    return made


@dataclass_transform(field_specifiers=(field,))
def record(cls: type[_T]) -> type[_T]:
    """A class decorator: `dataclass`, whose fields are assigned to; the class defines no equality."""
    made = dataclass(init=False, repr=False, eq=False)(cls)
    made.__hash__ = None  # pyright: ignore[reportAttributeAccessIssue]
    return _finished(made, frozen=False, is_mutable=True)


def _derives(cls: type[Any]) -> bool:
    return any(hasattr(base, "__dataclass_params__") and base.__dataclass_params__.frozen for base in cls.__mro__)


def _finished(made: type[_T], *, frozen: bool, is_mutable: bool = False) -> type[_T]:
    """The class with the methods of a dataclass, but for those that it has; with `frozen` it refuses assignments."""
    own = fields(made)  # pyright: ignore[reportArgumentType]
    methods: dict[str, Any] = {
        "__init__": _initializer(made, own),
        "__repr__": _shown(tuple(one.name for one in own if one.repr)),
        **_compared(tuple(one.name for one in own if one.compare)),
        **({"__setattr__": _refuse_assignment, "__delattr__": _refuse_deletion} if frozen else {}),
    }
    if is_mutable:
        del methods["__hash__"]
    for name, method in methods.items():
        if name not in vars(made) or (name == "__hash__" and made.__hash__ is None):
            setattr(made, name, method)
    if "__signature__" not in vars(made):
        made.__signature__ = _Signature(methods["__init__"])  # pyright: ignore[reportAttributeAccessIssue]
    made.__dataclass_params__.frozen = not is_mutable  # pyright: ignore[reportAttributeAccessIssue]
    return made


def _initializer(cls: type[Any], own: tuple[Field[Any], ...]) -> Callable[..., None]:
    """An `__init__` that is compiled when it is called first; the class has the compiled one then."""

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        compiled = _compiled(cls, own)
        if vars(cls).get("__init__") is __init__:
            cls.__init__ = compiled
        compiled(self, *arguments, **named)

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    __init__.__module__ = cls.__module__
    return __init__


class _Signature:
    """What `inspect.signature` says of a class whose `__init__` is not compiled."""

    def __init__(self, initializer: Callable[..., None]) -> None:
        self._initializer = initializer

    def __get__(self, instance: object, cls: type[Any]) -> inspect.Signature:
        """That of the class, unless a class below has an `__init__` of its own, or it is compiled."""
        if cls.__init__ is not self._initializer:
            raise AttributeError("__signature__")
        owner = next(base for base in cls.__mro__ if vars(base).get("__init__") is self._initializer)
        whole = inspect.signature(_compiled(owner, fields(owner)))
        return whole.replace(parameters=list(whole.parameters.values())[1:])


def _compiled(cls: type[Any], own: tuple[Field[Any], ...]) -> Callable[..., None]:
    """The `__init__` that a dataclass has: a parameter for each field, then `__post_init__` if there is one."""
    scope: dict[str, Any] = {"__name__": cls.__module__, "_set": object.__setattr__, "_missing": MISSING}
    parameters, body = ["self"], ["pass"]
    is_frozen = cls.__dataclass_params__.frozen
    for one in own:
        value = name = one.name
        if not one.init:
            continue  # `__post_init__` sets it.
        if one.default_factory is not MISSING:
            scope[f"_make_{name}"] = one.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif one.default is not MISSING:
            scope[f"_default_{name}"] = one.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        body.append(f"_set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
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


def _pickled(names: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    """How pickle reads and writes the fields of an instance that refuses assignments and has no `__dict__`."""
    values = _getter(names)

    def __setstate__(self: Any, state: tuple[Any, ...]) -> None:  # noqa: N807
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    def __getstate__(self: Any) -> tuple[Any, ...]:  # noqa: N807
        return values(self)

    return {"__getstate__": __getstate__, "__setstate__": __setstate__}


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
