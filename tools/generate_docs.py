"""Writes docs/PASSES.md from the passes, docs/API.md from public names, docs/MLIR_OPT.md from `inplace-opt`'s flags.

`python -m mlir_inplace.tools.generate_docs` writes; with `--check` it only compares, and exits with 1 when a file is
not what it would write. The text of a pass is the docstring of its module, in Markdown; options, defaults and
statistics come from its declarations. Only built-in passes are listed: what is installed beside us differs by machine.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from ..passes.framework.base import Pass
from ..passes.pipeline.registry import BUILT_IN, Registry
from .api_page import api_page
from .opt.flag_page import flag_page

_COMMAND = "python -m mlir_inplace.tools.generate_docs"

ROOT = Path(__file__).resolve().parent.parent

_HEADER = """\
# Passes

<!-- Written by `python -m mlir_inplace.tools.generate_docs`; edit the docstrings in `passes/` instead. -->

Each pass has a flag of `inplace-opt` (`--NAME='option=value ...'`) and a name in pipelines
(`builtin.module(NAME{option=value ...},canonicalize)`), where upstream's passes can stand beside it.
"""


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Runs the program on the repository at `root` and returns its exit code."""
    parser = argparse.ArgumentParser(prog="generate_docs", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing; exit 1 on a difference")
    check = parser.parse_args(arguments).check
    if not (root / "pyproject.toml").is_file():
        print(f"generate_docs: error: {root} is no clone of the repository: no pyproject.toml", file=sys.stderr)
        return 1
    stale = {path: text for path, text in generate(root).items() if not path.is_file() or path.read_text() != text}
    for path, text in stale.items():
        if check:
            print(f"generate_docs: error: {path} is out of date; run {_COMMAND}", file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    return 1 if check and stale else 0


def generate(root: Path = ROOT) -> dict[Path, str]:
    """The expected text of each generated file."""
    return {
        root / "docs" / "PASSES.md": passes_page(list(Registry(BUILT_IN, group=None).passes())),
        root / "docs" / "API.md": api_page(),
        root / "docs" / "MLIR_OPT.md": flag_page(),
    }


def passes_page(passes: Sequence[type[Pass[Any]]]) -> str:
    """The whole of PASSES.md."""
    return "\n".join([_HEADER, pass_table(passes), *map(pass_section, passes)]).rstrip() + "\n"


def pass_table(passes: Sequence[type[Pass[Any]]]) -> str:
    """A table of the passes, each linked to its section, by the folders that they are in."""
    rows = ["| pass | what it does |", "|---|---|"]
    for family, members in groupby(sorted(passes, key=_family), _family):
        package = sys.modules[family]
        folder = family.partition(".")[2].replace(".", "/")
        rows.append(f"| **`{folder}/`** | **{(package.__doc__ or '').strip()}** |")
        rows += [f"| [`{cls.argument}`](#{cls.argument}) | {_cell(cls.summary)} |" for cls in members]
    return "\n".join(rows) + "\n"


def _family(cls: type[Pass[Any]]) -> str:
    """The package that a pass is in."""
    return cls.__module__.rpartition(".")[0]


def pass_section(cls: type[Pass[Any]]) -> str:
    """One pass: its documentation, its options and its statistics."""
    # The docstring's own headings go below the section's.
    text = re.sub(r"^(#+ )", r"#\1", cls.description, flags=re.MULTILINE)
    anchor = f"`{cls.anchor}`" if cls.anchor else "any operation that is isolated from above"
    parts = [f"## {cls.argument}\n", f"{text}\n", f"Runs on {anchor}.\n"]
    if specs := cls.Options.specs():
        rows = [
            f"| `{spec.name}` | {_cell(spec.type_text)} | `{_cell(spec.default_text)}` | {_cell(_help(spec))} |"
            for spec in specs
        ]
        parts.append("\n".join(["| option | type | default | |", "|---|---|---|---|", *rows]) + "\n")
    if cls.statistics:
        rows = [f"| `{statistic.name}` | {_cell(statistic.description)} |" for statistic in cls.statistics]
        parts.append("\n".join(["| statistic | counts |", "|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def _help(spec: Any) -> str:
    aliases = ", ".join(f"`{alias}`" for alias in spec.aliases)
    return f"{spec.help} (also {aliases})" if aliases else spec.help


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    sys.exit(main())
