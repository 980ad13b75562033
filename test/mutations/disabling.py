"""Switches one rule off: an expression of one function becomes another one while a context is open.

The function keeps its identity and gets the code of its changed source, so whoever imported it by name runs that too.
A rule whose text is not found exactly once in its function is an error: rules and catalogue cannot drift apart.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

PACKAGE = "mlir_inplace"


@dataclass(frozen=True)
class Rule:
    """One rule, the section of docs/theory/ that argues for it, and the change after which it is not kept any more.

    `target` is `module:function`, `module:Class.method` or `module:_CONSTANT` below the package. `old` is text of the
    function that `new` takes the place of; without `old`, `new` is the whole body, or the constant's value.
    """

    name: str
    anchor: str
    target: str
    new: str
    old: str = ""


def resolve(target: str) -> tuple[Any, str, Any]:
    """The module or class that holds `target`, the name there, and what is there."""
    module, _, path = target.partition(":")
    owner: Any = importlib.import_module(f"{PACKAGE}.{module}")
    *classes, name = path.split(".")
    for step in classes:
        owner = getattr(owner, step)
    return owner, name, inspect.getattr_static(owner, name)


def plain_function(found: Any) -> FunctionType | None:
    """The function behind a method, a static method or a property; None for anything else."""
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    if isinstance(found, property):
        found = found.fget
    return found if isinstance(found, FunctionType) else None


def changed_code(rules: Sequence[Rule], function: FunctionType) -> CodeType:
    """The code of `function` without these rules, which are all its own."""
    return compiled(_changed_source(function, tuple((rule.old, rule.new) for rule in rules)), function)


def compiled(source: str, function: FunctionType) -> CodeType:
    """The code of a definition that takes the place of `function`."""
    names = function.__code__.co_freevars
    head, body = source.split("\n", 1)
    # A name that is not used any more has to stay one that the function closes over.
    kept = "".join(f"    if 0: {name}\n" for name in names)
    definition = textwrap.indent(f"{head}\n{kept}{body}", "    ")
    # What a method closes over, such as the class that super() asks for, must be there under the same names.
    wrapped = f"def _around({', '.join(names)}):\n{definition}"
    module = compile(wrapped, function.__code__.co_filename, "exec", flags=_FUTURE)
    return _find(_find(module, "_around"), function.__name__)


_FUTURE = __import__("__future__").annotations.compiler_flag


@functools.cache
def _changed_source(function: FunctionType, changes: tuple[tuple[str, str], ...]) -> str:
    source = textwrap.dedent(inspect.getsource(function))
    bodies = [new for old, new in changes if not old]
    for old, new in changes:
        if not old:
            continue
        count = source.count(old)
        if count != 1:
            raise LookupError(f"{function.__qualname__} has {count} times {old!r}, which has to be there once")
        source = source.replace(old, new)
    tree = ast.parse(source)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    if bodies:
        definition.body = ast.parse(bodies[0]).body
    return ast.unparse(tree)


def _find(code: CodeType, name: str) -> CodeType:
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


@contextmanager
def disabled(*rules: Rule) -> Iterator[None]:
    """Within this context the package does not keep any of `rules`."""
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.target, []).append(rule)
    with ExitStack() as stack:
        for target, group in groups.items():
            owner, name, found = resolve(target)
            function = plain_function(found)
            if function is not None:
                stack.enter_context(exchanged(target, changed_code(group, function)))
            else:
                value = eval(group[0].new, vars(inspect.getmodule(owner) or owner))
                stack.enter_context(_bound(owner, name, value))
        yield


@contextmanager
def exchanged(target: str, code: CodeType) -> Iterator[None]:
    """Within this context the function `target` runs `code`."""
    owner, name, found = resolve(target)
    function = plain_function(found)
    assert function is not None
    if inspect.isclass(owner) and name not in vars(owner):
        # The method is inherited: the others that inherit it keep it as it is.
        with _bound(owner, name, FunctionType(code, function.__globals__, name, function.__defaults__)):
            yield
        return
    before = function.__code__
    function.__code__ = code
    try:
        yield
    finally:
        function.__code__ = before


@contextmanager
def _bound(owner: Any, name: str, value: Any) -> Iterator[None]:
    own = vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)
