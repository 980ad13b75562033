"""Prints what makes a shell complete flags: `eval "$(python -m mlir_inplace.tools.generate_completion bash)"`.

The shells are bash, zsh and fish. The lists stand in what is printed, so that a key press starts no program.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence

from .manual.programs import PROGRAMS, FlagHelp, ProgramHelp

__all__ = ["main", "script"]

_BASH = """\
{function}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" flag=""
  if [[ $current == "=" ]]; then
    current="" flag="${{COMP_WORDS[COMP_CWORD-1]}}"
  elif [[ ${{COMP_WORDS[COMP_CWORD-1]}} == "=" ]]; then
    flag="${{COMP_WORDS[COMP_CWORD-2]}}"
  elif [[ " "{separate}" " == *" ${{COMP_WORDS[COMP_CWORD-1]}} "* ]]; then
    flag="${{COMP_WORDS[COMP_CWORD-1]}}"
  fi
  COMPREPLY=()
  case "$flag" in
{cases}    "") [[ $current != -* ]] || COMPREPLY=($(compgen -W {flags} -- "$current")) ;;
  esac
}}
complete -o default -F {function} {program}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    parser = argparse.ArgumentParser(prog="generate_completion", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    sys.stdout.write(script(parser.parse_args(arguments).shell))
    return 0


def script(shell: str) -> str:
    """What the shell is to read."""
    programs = [make() for make in PROGRAMS.values()]
    if shell == "fish":
        return "".join(_fish_line(program, entry) for program in programs for entry in program.entries)
    start = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return start + "".join(map(_bash, programs))


def _bash(program: ProgramHelp) -> str:
    cases = "".join(
        f"    {'|'.join(entry.names)}) COMPREPLY=($(compgen -W {shlex.quote(' '.join(entry.choices))} "
        '-- "$current")) ;;\n'
        for entry in program.entries
        if entry.choices
    )
    flags = shlex.quote(" ".join(name for entry in program.entries for name in entry.names))
    separate = shlex.quote(
        " ".join(name for entry in program.entries if entry.choices and not entry.optional for name in entry.names)
    )
    function = f"_{program.name.replace('-', '_')}"
    return _BASH.format(function=function, cases=cases, flags=flags, separate=separate, program=program.name)


def _fish_line(program: ProgramHelp, entry: FlagHelp) -> str:
    words = ["complete", "-c", program.name]
    for name in entry.names:
        words += ["-s" if len(name) == 2 else "-l", name.lstrip("-")]
    words += ["-r"] if entry.value and not entry.optional else []
    words += ["-a", " ".join(entry.choices)] if entry.choices else []
    return shlex.join([*words, "-d", entry.help]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
