"""The command line of `inplace-opt`: a table of flags, and passes as flags in their order.

It follows LLVM's conventions: one dash or two, `--flag value` or `--flag=value`, a boolean without a value is true. Any
other flag must be a pass, ours or upstream's; its value is the text of its options.
"""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ...passes.framework.errors import RegistryError, close_names, nearest
from ...passes.framework.upstream import FAMILIAR_PASSES, find_problem
from ...passes.pipeline.pipeline import DEFAULT_ANCHOR, Pipeline
from ...passes.pipeline.registry import Registry
from ..shared.command_line import Parser, UsageError

PROGRAM = "inplace-opt"
DEFAULT_SPLIT_MARKER = "// -----"

_PASS_NAME = re.compile(r"[A-Za-z][\w-]*")


@dataclass(frozen=True)
class Flag:
    """One flag. `value` names its value for the help; None marks a boolean, which is false unless `default` says so.

    `optional` is the value of a flag that is given without one.
    """

    name: str
    help: str
    value: str | None = None
    default: Any = None
    type: Callable[[str], Any] = str
    optional: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def spelling(self) -> str:
        """The flag as written on the command line."""
        return f"-{self.name}" if len(self.name) == 1 else f"--{self.name}"

    @property
    def attribute(self) -> str:
        """The name of its value among the parsed settings."""
        return self.name.removeprefix("mlir-").replace("-", "_")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"must be an integer of at least 0, got '{text}'")
    return int(text)


FLAGS = (
    Flag("help", "print this help and exit"),
    Flag("version", "print the version, the bindings in use and their LLVM version, and exit"),
    Flag("list-passes", "list our passes and exit"),
    Flag("show-dialects", "list the available dialects and exit"),
    Flag("o", "write the result to a file, only on success (default: standard output)", "FILE"),
    Flag("pass-pipeline", "a textual pipeline of passes, ours and upstream's", "PIPELINE"),
    Flag("dump-pass-pipeline", "print the pipeline before it runs"),
    Flag("run-reproducer", "run the pipeline of the input, a reproducer"),
    Flag(
        "split-input-file",
        "split the input at lines with a marker; each part is processed in a context of its own",
        "MARKER",
        optional=DEFAULT_SPLIT_MARKER,
    ),
    Flag(
        "verify-diagnostics",
        "check the diagnostics against the expected-error, -warning, -remark and -note comments of the input;"
        " `only-expected` allows others",
        "MODE",
        optional="all",
        choices=("all", "only-expected"),
    ),
    Flag("verify-each", "verify the IR after each pass", default=True),
    Flag("allow-unregistered-dialect", "allow operations of unregistered dialects"),
    Flag("mlir-print-ir-before-all", "print the IR before each pass"),
    Flag("mlir-print-ir-after-all", "print the IR after each pass"),
    Flag("mlir-print-ir-after-change", "print the IR after each pass that changed it"),
    Flag("mlir-print-ir-after-failure", "print the IR after a pass only if it failed"),
    Flag("mlir-print-ir-tree-dir", "write the IR to files in a folder instead of printing it", "FOLDER"),
    Flag("mlir-print-debuginfo", "print locations"),
    Flag("mlir-print-op-generic", "print every operation in generic form"),
    Flag(
        "mlir-elide-elementsattrs-if-larger",
        "elide the elements of attributes with more than this many",
        "COUNT",
        type=_count,
    ),
    Flag("mlir-timing", "report the wall time of each pass"),
    Flag("mlir-pass-statistics", "report the statistics of passes"),
    Flag(
        "mlir-pass-pipeline-crash-reproducer",
        "write the input and the pipeline to a file if a pass fails (it stays as FILE.pending if the process dies)",
        "FILE",
    ),
)

_BY_NAME = {flag.name: flag for flag in FLAGS} | {"h": FLAGS[0]}


@dataclass(frozen=True)
class PassFlag:
    """A pass on the command line: `--argument=options`."""

    argument: str
    options: str


@dataclass(frozen=True)
class CommandLine:
    """The parsed command line: settings by flag attribute, the input, and the passes in their order."""

    settings: argparse.Namespace
    input: str
    passes: tuple[PassFlag, ...]


def parse_command_line(arguments: Sequence[str], passes: Registry) -> CommandLine:
    """Reads the arguments; raises `UsageError`."""
    normal, pass_flags = _sort_out(arguments, passes)
    settings = _make_parser().parse_args(normal)
    if settings.pass_pipeline is not None and pass_flags:
        raise UsageError(f"--pass-pipeline cannot be combined with passes as flags (--{pass_flags[0].argument})")
    if settings.run_reproducer and (pass_flags or settings.pass_pipeline is not None):
        raise UsageError("--run-reproducer takes the pipeline from the input; it cannot be combined with other passes")
    return CommandLine(settings, settings.input, tuple(pass_flags))


def make_pipeline(command: CommandLine, passes: Registry) -> Pipeline | None:
    """The pipeline of the command line, or None when it names none; raises `PipelineError` and `RegistryError`."""
    if command.settings.pass_pipeline is not None:
        return Pipeline.parse(command.settings.pass_pipeline, passes)
    if not command.passes:
        return None
    anchored = [(_anchor(flag, passes), _text(flag)) for flag in command.passes]
    parts = []
    for anchor, group in groupby(anchored, key=lambda item: item[0]):
        text = ",".join(text for _, text in group)
        parts.append(text if anchor == DEFAULT_ANCHOR else f"{anchor}({text})")
    return Pipeline.parse(f"{DEFAULT_ANCHOR}({','.join(parts)})", passes)


def help_text(passes: Registry) -> str:
    """Every flag, and every pass of ours with its options, their types and defaults."""
    width = min(shutil.get_terminal_size((120, 24)).columns, 120)
    lines = [f"usage: {PROGRAM} [file|-] [flags] [passes]", ""]
    lines += _wrap("Run passes of mlir-inplace and of upstream MLIR on a program, in the order given, and print the"
                   " result.", "", width)  # fmt: skip
    lines += ["", "flags (one dash or two):"]
    for flag in FLAGS:
        lines += [f"  {flag.spelling}{_value_text(flag)}", *_wrap(flag.help, "      ", width)]
    lines += ["", "passes (--NAME, or --NAME='option=value ...'; upstream's passes have flags of the same form):"]
    broken: list[RegistryError] = []
    for cls in passes.loadable():
        if isinstance(cls, RegistryError):
            broken.append(cls)
            continue
        lines += [f"  --{cls.argument}", *_wrap(cls.summary, "      ", width)]
        for spec in cls.Options.specs():
            lines.append(f"      {spec.name}=<{spec.type_text}>  (default: {spec.default_text})")
            lines += _wrap(spec.help, "          ", width)
    lines += _broken_lines(broken)
    lines += ["", "exit codes: 0 success, 1 errors were reported, 2 the command line is wrong, 130 interrupted"]
    return "\n".join(lines) + "\n"


def list_text(passes: Registry) -> str:
    """Our passes, one line each."""
    loadable = list(passes.loadable())
    found = [cls for cls in loadable if not isinstance(cls, RegistryError)]
    width = max((len(cls.argument) for cls in found), default=0)
    lines = [f"  --{cls.argument:<{width}}  {cls.summary}" for cls in found]
    lines += _broken_lines([error for error in loadable if isinstance(error, RegistryError)])
    return "\n".join(["passes of mlir-inplace (upstream's can be used too, but are not listed):", *lines]) + "\n"


def _broken_lines(broken: Sequence[RegistryError]) -> list[str]:
    """The help text for passes that installed packages declare but do not define."""
    return ["", "broken packages:", *(f"  {error}; repair or uninstall it" for error in broken)] if broken else []


def _sort_out(arguments: Sequence[str], passes: Registry) -> tuple[list[str], list[PassFlag]]:
    """Separate flags, normalized for argparse (`--name=value`), from passes."""
    normal: list[str] = []
    pass_flags: list[PassFlag] = []
    waiting = list(arguments)[::-1]
    while waiting:
        argument = waiting.pop()
        if argument == "--":
            normal += ["--", *waiting[::-1]]
            break
        if argument == "-" or not argument.startswith("-"):
            normal.append(argument)
            continue
        name, has_value, value = argument.lstrip("-").partition("=")
        flag = _BY_NAME.get(name)
        if flag is None:
            pass_flags.append(_pass_flag(argument, name, value, passes))
        elif flag.value and not has_value and flag.optional is None:
            if not waiting:
                raise UsageError(f"{flag.spelling} needs a value: {flag.value}")
            normal.append(f"--{flag.name}={waiting.pop()}")
        elif flag.optional is not None and has_value and not value:
            raise UsageError(f"{flag.spelling}= needs a value; without '=' it is '{flag.optional}'")
        else:
            normal.append(f"--{flag.name}={value if has_value else flag.optional or 'true'}")
    return normal, pass_flags


def _pass_flag(written: str, name: str, value: str, passes: Registry) -> PassFlag:
    """The pass that a flag names; raises `UsageError` with the nearest name when there is none."""
    if name in passes:
        return PassFlag(name, value)
    if _PASS_NAME.fullmatch(name):
        problem = find_problem("any", name)
        if problem is None or not problem.unknown:
            return PassFlag(name, value)
    upstream = [known for known in close_names(name, FAMILIAR_PASSES) if find_problem("any", known) is None]
    known = [*_BY_NAME, *passes.arguments(), *upstream]
    suggestion = nearest(name, known).replace("'", "'--", 1)
    raise UsageError(f"unknown flag '{written}'{suggestion} (--help lists the flags)")


def _make_parser() -> argparse.ArgumentParser:
    parser = Parser(prog=PROGRAM, add_help=False)
    parser.add_argument("input", nargs="?", default="-")
    for flag in FLAGS:
        parser.add_argument(
            f"--{flag.name}",
            dest=flag.attribute,
            type=flag.type if flag.value else _boolean,
            default=flag.default if flag.value else bool(flag.default),
            choices=flag.choices or None,
        )
    return parser


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "1", "false", "0"):
        raise argparse.ArgumentTypeError(f"expected true or false, found '{text}'")
    return text.lower() in ("true", "1")


def _anchor(flag: PassFlag, passes: Registry) -> str:
    """The op that a pass on the command line is nested on, as in mlir-opt: the anchor of the pass."""
    if flag.argument in passes:
        return passes.get(flag.argument).anchor or DEFAULT_ANCHOR
    problem = find_problem(DEFAULT_ANCHOR, flag.argument, flag.options)
    return (problem.needed_anchor if problem else None) or DEFAULT_ANCHOR


def _text(flag: PassFlag) -> str:
    return f"{flag.argument}{{{flag.options}}}" if flag.options else flag.argument


def _value_text(flag: Flag) -> str:
    if flag.value is None:
        return "[=true|false]  (default: true)" if flag.default else ""
    text = "|".join(flag.choices) or flag.value
    return f"[={text}]" if flag.optional is not None else f"={text}"


def _wrap(text: str, indent: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent)
