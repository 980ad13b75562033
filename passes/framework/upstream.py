"""Upstream's passes through the bindings: pipeline text to a `PassManager` or one clear error.

`PassManager.parse` is the only way to learn whether upstream knows a pass or an option: there is no list but that of
`upstream_names.py`. What it says when it refuses comes partly as a ValueError, partly on the process's standard error;
`find_problem` reads both.
"""

from __future__ import annotations

import re
from functools import cache

from mlir import ir
from mlir.passmanager import PassManager

from ...dialects.support.frozen_classes import frozen
from .entered_context import scratch_context
from .errors import close_names, nearest
from .native_stderr import captured_native_stderr
from .upstream_names import PIPELINES, pass_classes


@frozen
class UpstreamProblem:
    """Why upstream refuses a pass.

    Attributes:
        message: one line.
        unknown: there is no pass or pipeline of that name.
        needed_anchor: the operation the pass would have to be nested on, if that is what is wrong.
        option: the option at fault, if one is.
    """

    message: str
    unknown: bool = False
    needed_anchor: str | None = None
    option: str | None = None


@cache
def find_problem(anchor: str, argument: str, options: str = "") -> UpstreamProblem | None:
    """Why upstream cannot run `argument{options}` on `anchor` operations, or None when it can.

    The answer depends on the bindings alone, so it is found once per process.
    """
    text = f"{anchor}({argument}{{{options}}})" if options else f"{anchor}({argument})"
    with captured_native_stderr() as printed:
        error = _parse_error(text)
    return None if error is None else _explain(anchor, argument, options, f"{error}\n{printed.text}")


def suggest(argument: str, ours: tuple[str, ...]) -> str:
    """`; did you mean 'x'?` with the nearest of our passes and of upstream's."""
    return nearest(argument, [*ours, *close_passes(argument)])


def close_passes(argument: str) -> list[str]:
    """The passes of upstream's, known to the bindings, that `argument` may be a misspelling of."""
    return [name for name in close_names(argument, [*pass_classes(), *PIPELINES]) if is_known(name)]


def known_passes() -> list[str]:
    """Upstream's passes and named pipelines that the bindings know, in alphabetical order."""
    return sorted(name for name in [*pass_classes(), *PIPELINES] if is_known(name))


def is_known(argument: str) -> bool:
    """Whether upstream has a pass or a named pipeline `argument`, wherever it can run."""
    problem = find_problem("any", argument)
    return problem is None or not problem.unknown


def full_text(anchor: str, text: str) -> str:
    """A pass that upstream has accepted on `anchor`, with all its options; of a named pipeline the passes, in order."""
    return str(PassManager.parse(f"{anchor}({text})", scratch_context())).partition("(")[2].removesuffix(")")


def parse_group(anchor: str, text: str, context: ir.Context) -> PassManager:
    """A pass manager for upstream passes that `find_problem` has already accepted one by one."""
    return PassManager.parse(f"{anchor}({text})", context)


def _parse_error(text: str) -> str | None:
    """What `PassManager.parse` says against `text`."""
    try:
        PassManager.parse(text, scratch_context())
    except ValueError as error:
        return str(error)
    return None


def _explain(anchor: str, argument: str, options: str, said: str) -> UpstreamProblem:
    """Upstream's words, in the form our own messages have."""
    if "does not refer to a registered pass or pass pipeline" in said:
        return UpstreamProblem(f"unknown pass '{argument}'", unknown=True)
    if match := re.search(r"restricted to '([^']+)'", said):
        needed = match.group(1)
        return UpstreamProblem(
            f"pass '{argument}' runs on '{needed}', not on '{anchor}'; write {needed}({argument}) inside it",
            needed_anchor=needed,
        )
    if match := re.search(r"no such option (\S+)", said):
        option = match.group(1)
        known = _known_options(anchor, argument)
        return UpstreamProblem(f"pass '{argument}' has no option '{option}'{nearest(option, known)}", option=option)
    if match := re.search(r"for the -+(\S+) option: (.*?)!?$", said, re.MULTILINE):
        option, reason = match.groups()
        return UpstreamProblem(f"option '{option}' of pass '{argument}': {reason}", option=option)
    if not options:
        first = next((line for line in said.splitlines() if line.strip()), "upstream gives no reason")
        return UpstreamProblem(f"pass '{argument}' cannot run on '{anchor}': {first}")
    return UpstreamProblem(f"pass '{argument}' does not take the options '{options}'")


def _known_options(anchor: str, argument: str) -> list[str]:
    """The option names upstream prints for the pass; lists that are empty by default are not among them."""
    return re.findall(r"([\w-]+)=", str(PassManager.parse(f"{anchor}({argument})", scratch_context())))
