"""The command line of `inplace-opt`: flags, and passes as flags in their order.

It follows LLVM's conventions: one dash or two, `--flag value` or `--flag=value`, a boolean without a value is true. Any
flag that is not in the table must be a pass, ours or upstream's; its value is the text of its options.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ...passes.framework.errors import nearest
from ...passes.framework.upstream import close_passes, find_problem, is_known
from ...passes.pipeline.pipeline import DEFAULT_ANCHOR, Pipeline
from ...passes.pipeline.registry import Registry
from ..shared.command_line import Parser, StoreOnce, UsageError
from .flag import Flag, boolean
from .flags import BY_NAME, FLAGS
from .unsupported import UNSUPPORTED

__all__ = ["PROGRAM", "CommandLine", "PassFlag", "make_pipeline", "parse_command_line"]

PROGRAM = "inplace-opt"

_PASS_NAME = re.compile(r"[A-Za-z][\w-]*")


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

    def options_text(self, *, every: bool) -> str:
        """The flags that are not at their defaults, or every flag, one each line, as `--print-options` does."""
        lines: list[str] = []
        for flag in FLAGS:
            value, default = (_shown(found) for found in (getattr(self.settings, flag.attribute), _default(flag)))
            if every or value != default:
                lines.append(f"  {flag.spelling:<40} = {value}  (default: {default})\n")
        lines += [f"  --{found.argument:<38} = {found.options or 'true'}\n" for found in self.passes]
        return "".join(lines)


def parse_command_line(arguments: Sequence[str], passes: Registry) -> CommandLine:
    """Reads the arguments; raises `UsageError`."""
    normal, pass_flags = _sort_out(arguments, passes)
    settings = _make_parser().parse_args(normal)
    if settings.pass_pipeline is not None and pass_flags:
        raise UsageError(f"--pass-pipeline cannot be combined with passes as flags (--{pass_flags[0].argument})")
    if settings.run_reproducer and (pass_flags or settings.pass_pipeline is not None):
        raise UsageError("--run-reproducer takes the pipeline from the input; it cannot be combined with other passes")
    if settings.pass_pipeline_local_reproducer and settings.pass_pipeline_crash_reproducer is None:
        raise UsageError("--mlir-pass-pipeline-local-reproducer needs --mlir-pass-pipeline-crash-reproducer=FILE")
    if settings.emit_bytecode_version is not None and not settings.emit_bytecode:
        raise UsageError("--emit-bytecode-version needs --emit-bytecode")
    _check_pass_names(settings, passes)
    return CommandLine(settings, settings.input, tuple(pass_flags))


def _check_pass_names(settings: argparse.Namespace, passes: Registry) -> None:
    """Raises `UsageError` for a list of passes with a name that is none; debug types of MLIR are not known here."""
    for flag in map(BY_NAME.__getitem__, ("mlir-print-ir-before", "mlir-print-ir-after", "debug-only")):
        for name in getattr(settings, flag.attribute):
            may_be_type = flag.name == "debug-only" and not name.startswith("inplace-")
            if not (may_be_type or name in passes or is_known(name)):
                raise UsageError(f"{flag.spelling}: unknown pass '{name}'{_suggestion(name, passes)}")


def make_pipeline(command: CommandLine, passes: Registry, root: str = DEFAULT_ANCHOR) -> Pipeline | None:
    """The pipeline of the command line on a `root` operation, or None when it names none.

    Raises `PipelineError` and `RegistryError`.
    """
    if command.settings.pass_pipeline is not None:
        return Pipeline.parse(command.settings.pass_pipeline, passes)
    if not command.passes:
        return None
    anchored = [(_anchor(flag, passes, root), _text(flag)) for flag in command.passes]
    parts = []
    for anchor, group in groupby(anchored, key=lambda item: item[0]):
        text = ",".join(text for _, text in group)
        parts.append(text if anchor == root else f"{anchor}({text})")
    return Pipeline.parse(f"{root}({','.join(parts)})", passes)


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
        flag = BY_NAME.get(name)
        if flag is None:
            pass_flags.append(_pass_flag(argument, name, value, passes))
        elif flag.value and not has_value and flag.optional is None:
            if not waiting:
                raise UsageError(f"{flag.spelling} needs a value: {flag.value_text.lstrip('=')}")
            normal.append(f"--{flag.name}={waiting.pop()}")
        elif flag.value == "FILE" and has_value and not value:
            raise UsageError(f"{flag.spelling}= needs a value: FILE")
        elif flag.optional and has_value and not value:
            raise UsageError(f"{flag.spelling}= needs a value; without '=' it is '{flag.optional}'")
        elif flag.optional is not None:
            normal.append(f"--{flag.name}={value if has_value else flag.optional}")
        else:
            normal.append(f"--{flag.name}={value if has_value else 'true'}")
    return normal, pass_flags


def _pass_flag(written: str, name: str, value: str, passes: Registry) -> PassFlag:
    """The pass that a flag names; raises `UsageError` with the nearest name when there is none."""
    if name in passes:
        return PassFlag(name, value)
    if name in UNSUPPORTED:
        raise UsageError(f"mlir-opt's {written.partition('=')[0]} is not supported: {UNSUPPORTED[name]}")
    if _PASS_NAME.fullmatch(name) and is_known(name):
        return PassFlag(name, value)
    suggestion = _suggestion(name, passes, BY_NAME).replace("'", "'--", 1)
    raise UsageError(f"unknown flag '{written}'{suggestion} (--help lists the flags)")


def _suggestion(name: str, passes: Registry, flags: Sequence[str] | dict[str, Flag] = ()) -> str:
    return nearest(name, [*flags, *passes.arguments(), *close_passes(name)])


def _make_parser() -> argparse.ArgumentParser:
    parser = Parser(prog=PROGRAM, add_help=False)
    parser.add_argument("input", nargs="?", default="-")
    for flag in FLAGS:
        parser.add_argument(
            f"--{flag.name}",
            dest=flag.attribute,
            action="extend" if flag.many else StoreOnce,
            type=_names if flag.many else flag.type if flag.value else boolean,
            default=_default(flag),
            choices=flag.choices or None,
        )
    return parser


def _default(flag: Flag) -> object:
    return [] if flag.many else flag.default if flag.value else bool(flag.default)


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"needs names between commas, got '{text}'")
    return names


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else "" if value is None else str(value)


def _anchor(flag: PassFlag, passes: Registry, root: str) -> str:
    """The op that a pass on the command line is nested on, as in mlir-opt: the anchor of the pass."""
    if flag.argument in passes:
        return passes.get(flag.argument).anchor or root
    problem = find_problem(root, flag.argument, flag.options)
    return (problem.needed_anchor if problem else None) or root


def _text(flag: PassFlag) -> str:
    return f"{flag.argument}{{{flag.options}}}" if flag.options else flag.argument
