"""docs/MLIR_OPT.md: every flag of mlir-opt, and whether `inplace-opt` has it."""

from __future__ import annotations

from itertools import groupby

from .flag import Flag
from .flags import ALIASES, GROUPS
from .unsupported import UNSUPPORTED

__all__ = ["flag_page"]

_HEADER = """\
# mlir-opt's flags in inplace-opt

<!-- Written by `python -m mlir_inplace.tools.generate_docs`; edit the tables in `tools/opt/` instead. -->

`inplace-opt` follows `mlir-opt`: one dash or two, `--flag value` or `--flag=value`, a boolean without a value is true,
passes run in the order of their flags, and `FileCheck` lines about dumps, statistics and times carry over. Passes of
upstream are flags too (`--cse`, `--canonicalize='max-iterations=3'`), and so are its named pipelines.
`inplace-opt --help` shows all, `--help=NAME` one pass or flag, `--list-passes` a line for each pass.

```sh
inplace-opt examples/old_value.mlir --canonicalize --cse --mlir-print-ir-after=cse --mlir-print-value-users -o /dev/null
```

The flags are those that `mlir-opt --help-hidden` lists for LLVM 24; `test/tools/opt/test_mlir_opt_flags.py` compares. A
flag that works does in `inplace-opt` what it does in `mlir-opt`; the others say what is other, or why they are missing.
Everywhere:

- `FILE` may be MLIR bytecode, for `inplace-run` and `inplace-check` too.
- The output ends without the empty line that `mlir-opt` adds.
- An unknown pass or flag, and a value that does not fit, is one line on standard error, and exit code 2.
"""

_MISSING = """\
## Not supported

`inplace-opt` refuses these with the reason.

| flag | why |
|---|---|
"""

_FILES = """\
## Completion and manual pages

Shell completion and manual pages are made of the same tables:

```sh
python -m mlir_inplace.tools.generate_completion bash
python -m mlir_inplace.tools.generate_man build/man
```

`eval "$(python -m mlir_inplace.tools.generate_completion bash)"` turns completion on in this shell (also `zsh`,
`fish`); `man -l build/man/inplace-opt.1` shows a page.
"""


def flag_page() -> str:
    """The whole page."""
    parts = [_HEADER, *(_group(name, flags) for name, flags in GROUPS.items())]
    reasons = groupby(sorted(UNSUPPORTED, key=lambda name: (UNSUPPORTED[name], name)), UNSUPPORTED.__getitem__)
    rows = [f"| {', '.join(f'`--{name}`' for name in names)} | {reason} |\n" for reason, names in reasons]
    return "\n".join([*parts, _MISSING + "".join(rows), _FILES])


def _group(name: str, flags: tuple[Flag, ...]) -> str:
    rows = [f"| {_spelled(flag)} | {_cell(flag.help)} | {_status(flag)} |\n" for flag in flags]
    return f"## {name[0].upper()}{name[1:]}\n\n| flag | | |\n|---|---|---|\n{''.join(rows)}"


def _spelled(flag: Flag) -> str:
    aliases = "".join(f", `-{alias}`" for alias, name in ALIASES.items() if name == flag.name)
    return f"`{_cell(flag.spelling + flag.value_text.partition('  ')[0])}`{aliases}"


def _status(flag: Flag) -> str:
    return f"differs: {_cell(flag.differs)}" if flag.differs else "works"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
