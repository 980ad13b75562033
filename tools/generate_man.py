"""Writes a manual page for each program: `python -m mlir_inplace.tools.generate_man FOLDER`.

The pages say what `--help` says; `man -l FOLDER/inplace-opt.1` shows one.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from .manual.programs import PROGRAMS, FlagHelp, ProgramHelp

__all__ = ["main", "manual_page"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    parser = argparse.ArgumentParser(prog="generate_man", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the pages go; it is made if need be")
    folder: Path = parser.parse_args(arguments).folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, make in PROGRAMS.items():
            (folder / f"{name}.1").write_text(manual_page(make()), encoding="utf-8")
    except OSError as error:
        print(f"generate_man: error: cannot write '{error.filename}': {error.strerror}", file=sys.stderr)
        return 1
    return 0


def manual_page(program: ProgramHelp) -> str:
    """The page in troff's `man` macros."""
    first = program.description.partition(".")[0]
    lines = [
        f'.TH {_escaped(program.name.upper())} 1 "" "mlir-inplace {__version__}"',
        ".SH NAME",
        f"{_escaped(program.name)} \\- {_escaped(first[:1].lower() + first[1:])}",
        ".SH SYNOPSIS",
        f".B {_escaped(program.name)}",
        _escaped(program.synopsis),
        ".SH DESCRIPTION",
        _escaped(program.description),
    ]
    for title, entries in program.sections.items():
        lines += [f'.SH "{_escaped(title.upper())}"', *(line for entry in entries for line in _flag(entry))]
    lines += [".SH NOTES", ".nf", *map(_escaped, program.epilog.splitlines()), ".fi"]
    return "\n".join(lines) + "\n"


def _flag(entry: FlagHelp) -> list[str]:
    value = f"=\\fI{_escaped(entry.value)}\\fR" if entry.value else ""
    if entry.optional:
        value = f"[{value}]"
    names = ", ".join(f"\\fB{_escaped(name)}\\fR" for name in entry.names)
    return [".TP", f"{names}{value}", _escaped(entry.help)]


def _escaped(text: str) -> str:
    """Text that troff takes for nothing else."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"[^\x00-\x7f]", lambda match: f"\\[u{ord(match[0]):04X}]", text)
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    sys.exit(main())
