"""Which rules a program can say anything about: those whose text comes to something else when the rule is gone.

Each function with rules is run as it is, and beside it what would run without them. As long as all values are the
same, the program comes out the same without the rule, so nothing has to be run again for that rule.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import CodeType, FunctionType
from typing import Any

from disabling import Rule, compiled, exchanged, plain_function, resolve

_DECIDES = "joiner.decide"
"""A call of this counts, whatever it returns: it joins sets."""
_PROBE, _KEPT, _OTHER = "_probe_of_rules", "_kept", "_other"


class Reach:
    """Tells which of some rules a program can show; that takes about as long as bufferizing it twice."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        groups: defaultdict[str, list[Rule]] = defaultdict(list)
        self._always: set[str] = set()
        for rule in rules:
            function = plain_function(resolve(rule.target)[2])
            if function is None:
                self._always.add(rule.name)
            else:
                groups[rule.target].append(rule)
        self._codes = {target: _probed(target, group) for target, group in groups.items()}
        self._seen: set[str] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note what comes to something else meanwhile."""
        self._seen = set()
        with ExitStack() as stack:
            for target, code in self._codes.items():
                stack.enter_context(exchanged(target, code))
            vars(builtins)[_PROBE] = self._probe
            try:
                yield
            finally:
                del vars(builtins)[_PROBE]

    def reached(self, rule: Rule) -> bool:
        """Whether the program may come out another one without `rule`; always, where that is not known."""
        return rule.name in self._always or rule.name in self._seen

    def _probe(self, name: str, kept: Any, other: Callable[[], Any], is_test: bool) -> Any:
        if name not in self._seen:
            try:
                same = _is_same(kept, other(), is_test)
            except Exception:  # noqa: BLE001 - whatever a function does without one of its rules
                same = False
            if not same:
                self._seen.add(name)
        return kept


def _is_same(first: Any, second: Any, is_test: bool) -> bool:
    if is_test:
        return bool(first) == bool(second)
    return first is second or (type(first) is type(second) and bool(first == second))


def _probed(target: str, rules: list[Rule]) -> CodeType:
    """The function `target` with a probe at each of its rules."""
    function = plain_function(resolve(target)[2])
    assert function is not None
    kept = _definition(function)
    pairs = [(rule, _pair(function, kept, rule)) for rule in rules if rule.old]
    # What takes the place of an expression must not be probed itself: copies are made first.
    for rule, (node, other, is_test) in sorted(pairs, key=lambda pair: _size(pair[1][0])):
        _insert(kept, node, _call(rule, node, other, is_test))
    for rule in rules:
        if rule.old:
            continue
        if inspect.isgeneratorfunction(function):
            kept.body.insert(0, ast.Expr(_call(rule, kept.body[0], None, is_test=False)))
        else:
            _wrap(kept, rule)
    return compiled(ast.unparse(ast.fix_missing_locations(kept)), function)


def _definition(function: FunctionType, old: str = "", new: str = "") -> ast.FunctionDef:
    source = textwrap.dedent(inspect.getsource(function))
    (definition,) = ast.parse(source.replace(old, new) if old else source).body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    return definition


Pair = tuple[ast.expr | ast.stmt, "ast.expr | None", bool]


def _pair(function: FunctionType, kept: ast.FunctionDef, rule: Rule) -> Pair:
    """What differs without `rule`: an expression and the other one, or a statement; and whether it is a condition."""
    other = _definition(function, rule.old, rule.new)
    found: Pair = (kept.body[0], None, False)
    one, two, is_test = kept, other, False
    while True:
        differing = _differing(one, two)
        if differing is None:
            node, compared, condition = found
            has_effect = isinstance(node, ast.expr) and _DECIDES in ast.unparse(node)
            return (node, _failing(), False) if has_effect else (node, compared, condition)
        field, one, two = differing
        is_test = field in ("test", "ifs") or (field == "operand" and is_test)
        if field == "value" and isinstance(found[0], ast.Expr):
            return found
        if isinstance(one, ast.expr) and isinstance(two, ast.expr):
            found = (one, copy.deepcopy(two), is_test)
        elif isinstance(one, ast.stmt):
            found = (one, None, False)


def _differing(one: ast.AST, two: ast.AST) -> tuple[str, Any, Any] | None:
    """The only part that differs; None if there are several or the nodes are of two kinds."""
    if type(one) is not type(two):
        return None
    differing: list[tuple[str, Any, Any]] = []
    for field in one._fields:
        a, b = getattr(one, field), getattr(two, field)
        if not (isinstance(a, list) and isinstance(b, list)):
            a, b = [a], [b]
        if len(a) != len(b):
            return None
        differing += [(field, x, y) for x, y in zip(a, b, strict=True) if _dump(x) != _dump(y)]
    if len(differing) != 1 or not all(isinstance(node, ast.AST) for node in differing[0][1:]):
        return None
    return differing[0]


def _failing() -> ast.expr:
    return ast.parse("1 // 0", mode="eval").body


def _dump(node: Any) -> str:
    return ast.dump(node) if isinstance(node, ast.AST) else repr(node)


def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def _call(rule: Rule, node: ast.expr | ast.stmt, other: ast.expr | None, is_test: bool) -> ast.expr:
    if other is None:
        return ast.parse(f"{_PROBE}({rule.name!r}, 0, lambda: 1, False)", mode="eval").body
    call = ast.parse(f"{_PROBE}({rule.name!r}, 0, lambda: 0, {is_test})", mode="eval").body
    assert isinstance(call, ast.Call) and isinstance(call.args[2], ast.Lambda)
    call.args[1], call.args[2].body = node, other  # pyright: ignore[reportAttributeAccessIssue]
    return call


def _insert(kept: ast.FunctionDef, node: ast.expr | ast.stmt, call: ast.expr) -> None:
    """Put the probe where the expression stands, or before the statement."""
    for parent in ast.walk(kept):
        for field, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, field, call)
                return
            if isinstance(value, list) and any(entry is node for entry in value):
                place = next(n for n, entry in enumerate(value) if entry is node)
                value[place : place + 1] = [call] if isinstance(node, ast.expr) else [ast.Expr(call), node]
                return
    raise LookupError(ast.unparse(node))


def _wrap(kept: ast.FunctionDef, rule: Rule) -> None:
    """Run both bodies."""
    arguments = copy.deepcopy(kept.args)
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    names = [
        *(a.arg for a in (*arguments.posonlyargs, *arguments.args)),
        *(f"{a.arg}={a.arg}" for a in arguments.kwonlyargs),
    ]
    given = ", ".join([*names, *([f"*{arguments.vararg.arg}"] if arguments.vararg else [])])
    call = f"return {_PROBE}({rule.name!r}, {_KEPT}({given}), lambda: {_OTHER}({given}), False)"
    inner = [copy.deepcopy(ast.parse(f"def {name}(): pass").body[0]) for name in (_KEPT, _OTHER)]
    for definition, body in zip(inner, (kept.body, ast.parse(rule.new).body), strict=True):
        assert isinstance(definition, ast.FunctionDef)
        definition.args, definition.body = arguments, body
    kept.body = [*inner, *ast.parse(call).body]
