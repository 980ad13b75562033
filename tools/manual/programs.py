"""The flags of all programs, from where their help comes from."""

from __future__ import annotations

import argparse
import importlib
from dataclasses import dataclass

from ...passes.framework.errors import RegistryError
from ...passes.framework.upstream import known_passes
from ...passes.pipeline.registry import BUILT_IN, Registry
from ..opt.command_line import PROGRAM
from ..opt.flag import Flag
from ..opt.flags import ALIASES, GROUPS
from ..opt.help_text import DESCRIPTION, EXIT_CODES
from ..opt.upstream_summaries import upstream_summary

__all__ = ["PROGRAMS", "FlagHelp", "ProgramHelp"]


@dataclass(frozen=True)
class FlagHelp:
    """A flag: its spellings, what stands for its value (nothing for none), and the values, if they are known."""

    names: tuple[str, ...]
    help: str
    value: str = ""
    choices: tuple[str, ...] = ()
    optional: bool = False


@dataclass(frozen=True)
class ProgramHelp:
    """A command-line program: what it does, its flags by section, and what is said at the end."""

    name: str
    description: str
    synopsis: str
    sections: dict[str, tuple[FlagHelp, ...]]
    epilog: str

    @property
    def entries(self) -> tuple[FlagHelp, ...]:
        """The flags of all sections."""
        return tuple(entry for section in self.sections.values() for entry in section)


def _inplace_opt() -> ProgramHelp:
    passes = Registry(BUILT_IN, group=None)
    ours = [cls for cls in passes.loadable() if not isinstance(cls, RegistryError)]
    upstream = known_passes()
    names = (*(cls.argument for cls in ours), *upstream)
    sections = {f"flags, {group}": tuple(_entry(flag, names) for flag in flags) for group, flags in GROUPS.items()}
    sections["passes of mlir-inplace"] = tuple(
        FlagHelp((f"--{cls.argument}",), cls.summary, "OPTIONS", optional=True) for cls in ours
    )
    sections["passes of upstream"] = tuple(
        FlagHelp((f"--{name}",), upstream_summary(name), "OPTIONS", optional=True) for name in upstream
    )
    return ProgramHelp(PROGRAM, DESCRIPTION, "[file|-] [flags] [passes]", sections, EXIT_CODES)


def _entry(flag: Flag, passes: tuple[str, ...]) -> FlagHelp:
    aliases = tuple(f"-{alias}" for alias, name in ALIASES.items() if name == flag.name)
    if flag.value is None:
        return FlagHelp((flag.spelling, *aliases), flag.help, "true|false", ("true", "false"), optional=True)
    named = flag.name == "help" or (flag.many and flag.value in ("PASSES", "NAMES"))
    choices = passes if named else flag.choices
    return FlagHelp((flag.spelling, *aliases), flag.help, flag.value, choices, optional=flag.optional is not None)


def _described(name: str) -> ProgramHelp:
    """A program whose command line `argparse` reads."""
    module = importlib.import_module(f"..{name.replace('-', '_')}", __package__)
    parser: argparse.ArgumentParser = module._make_parser()
    actions = parser._actions
    flags = tuple(_from_argparse(action, name) for action in actions if action.option_strings)
    synopsis = "[flags]" if all(action.option_strings for action in actions) else "[file|-] [flags]"
    return ProgramHelp(name, parser.description or "", synopsis, {"flags": flags}, parser.epilog or "")


def _from_argparse(action: argparse.Action, program: str) -> FlagHelp:
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    text = (action.help or "") % {**vars(action), "prog": program}
    return FlagHelp(tuple(action.option_strings), text, value, tuple(map(str, action.choices or ())))


PROGRAMS = {
    PROGRAM: _inplace_opt,
    **{
        name: (lambda name=name: _described(name))
        for name in (
            "inplace-run",
            "inplace-compile",
            "inplace-check",
            "inplace-exhaust",
            "inplace-explain",
            "inplace-fuzz",
            "inplace-lsp",
        )
    },
}
"""Name -> what makes its description, which imports the program."""
