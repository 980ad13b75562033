"""What `inplace-opt` says about itself: `--help`, `--help-hidden`, `--help=NAME`, `--list-passes`."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

from ...passes.framework.base import Pass
from ...passes.framework.errors import RegistryError, nearest
from ...passes.framework.upstream import find_problem, full_text, is_known, known_passes
from ...passes.framework.upstream_names import pass_classes
from ...passes.pipeline.pipeline import DEFAULT_ANCHOR
from ...passes.pipeline.registry import Registry
from ..shared.command_line import UsageError
from .command_line import PROGRAM
from .flag import Flag
from .flags import BY_NAME, GROUPS
from .unsupported import UNSUPPORTED
from .upstream_summaries import upstream_summary

__all__ = ["DESCRIPTION", "EXIT_CODES", "help_about", "help_text", "list_text", "upstream_options"]

DESCRIPTION = "Run passes of mlir-inplace and of upstream MLIR on a program, in the order given, and print the result."
EXIT_CODES = "exit codes: 0 success, 1 errors were reported, 2 the command line is wrong, 130 interrupted"

_OPTION = re.compile(r"([\w-]+)=(\{[^{}]*\}|\S*)")


def help_text(passes: Registry, *, hidden: bool = False) -> str:
    """Every flag, and every pass, ours and upstream's, with its options and their defaults."""
    lines = [f"usage: {PROGRAM} [file|-] [flags] [passes]", "", *_wrap(DESCRIPTION, "")]
    for group, flags in GROUPS.items():
        shown = [flag for flag in flags if hidden or not flag.hidden]
        lines += ["", f"flags, {group}:", *(line for flag in shown for line in _flag_lines(flag))]
    if not hidden:
        lines += ["", "--help-hidden shows flags that are seldom needed too, --help=NAME all about one pass or flag."]
    lines += ["", "passes of mlir-inplace (--NAME, or --NAME='option=value ...'):"]
    found, broken = _load(passes)
    for cls in found:
        lines += [f"  --{cls.argument}", *_wrap(cls.summary, "      "), *_option_lines(cls, "      ")]
    lines += ["", "passes of upstream:"]
    for name in known_passes():
        lines += [f"  --{name}", *_wrap(upstream_summary(name), "      "), *_upstream_lines(name)]
    return "\n".join([*lines, *_broken_lines(broken), "", EXIT_CODES]) + "\n"


def help_about(name: str, passes: Registry) -> str:
    """All about one pass or flag; raises `UsageError` when there is none of that name."""
    name = name.lstrip("-")
    if name in passes:
        return _about_ours(passes.get(name))
    if name in BY_NAME:
        flag = BY_NAME[name]
        lines = [*_flag_lines(flag)]
        lines += _wrap(f"other than in mlir-opt: {flag.differs}", "      ") if flag.differs else []
        return "\n".join(lines) + "\n"
    if name in UNSUPPORTED:
        return f"  --{name}\n      not supported: {UNSUPPORTED[name]}\n"
    if not is_known(name):
        known = [*BY_NAME, *passes.arguments(), *known_passes()]
        raise UsageError(f"--help={name}: there is no pass or flag of that name{nearest(name, known)}")
    runs_on = _anchor(name) or "any operation that it can"
    lines = [f"  --{name}", *_wrap(f"{upstream_summary(name)}; runs on {runs_on}", "      ")]
    return "\n".join([*lines, *_upstream_lines(name)]) + "\n"


def list_text(passes: Registry) -> str:
    """The passes, one line each."""
    found, broken = _load(passes)
    upstream = known_passes()
    width = max(map(len, [*(cls.argument for cls in found), *upstream]), default=0)
    lines = ["passes of mlir-inplace:", *(f"  --{cls.argument:<{width}}  {cls.summary}" for cls in found)]
    lines += ["", "passes of upstream:"]
    lines += [f"  --{name:<{width}}  {upstream_summary(name)}" for name in upstream]
    return "\n".join([*lines, *_broken_lines(broken)]) + "\n"


def upstream_options(name: str) -> dict[str, str]:
    """The options of a pass of upstream's with their defaults; of lists that are empty by default nothing is known."""
    if name not in pass_classes():
        return {}
    text = full_text(_anchor(name) or "any", name).partition("{")[2].removesuffix("}")
    return dict(_OPTION.findall(text))


def _about_ours(cls: type[Pass[Any]]) -> str:
    runs_on = cls.anchor or "any operation that is isolated from above"
    lines = [
        f"  --{cls.argument}",
        *_wrap(f"{cls.summary}; runs on {runs_on}", "      "),
        *_option_lines(cls, "      "),
    ]
    lines += [f"      counts {found.name}: {found.description}" for found in cls.statistics]
    return "\n".join([*lines, "", cls.description]).rstrip() + "\n"


def _anchor(name: str) -> str | None:
    """The operation that a pass of upstream's runs on, if it is not a module or any."""
    problem = find_problem(DEFAULT_ANCHOR, name)
    return problem.needed_anchor if problem else None


def _upstream_lines(name: str) -> list[str]:
    if name in pass_classes():
        return [f"      {option}  (default: {value or 'empty'})" for option, value in upstream_options(name).items()]
    return _wrap(f"runs {full_text('any', name)}", "      ")


def _option_lines(cls: type[Pass[Any]], indent: str) -> list[str]:
    lines: list[str] = []
    for spec in cls.Options.specs():
        lines.append(f"{indent}{spec.name}=<{spec.type_text}>  (default: {spec.default_text})")
        lines += _wrap(spec.help, f"{indent}    ")
    return lines


def _flag_lines(flag: Flag) -> list[str]:
    default = f"  (default: {flag.default})" if flag.value and flag.default else ""
    return [f"  {flag.spelling}{flag.value_text}{default}", *_wrap(flag.help, "      ")]


def _load(passes: Registry) -> tuple[list[type[Pass[Any]]], list[RegistryError]]:
    loadable = list(passes.loadable())
    broken = [found for found in loadable if isinstance(found, RegistryError)]
    return [found for found in loadable if not isinstance(found, RegistryError)], broken


def _broken_lines(broken: Sequence[RegistryError]) -> list[str]:
    """The help text for passes that installed packages declare but do not define."""
    return ["", "broken packages:", *(f"  {error}; repair or uninstall it" for error in broken)] if broken else []


def _wrap(text: str, indent: str) -> list[str]:
    width = min(shutil.get_terminal_size((120, 24)).columns, 120)
    wrapper = textwrap.TextWrapper(
        width, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return wrapper.wrap(text)
