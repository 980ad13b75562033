"""What upstream's one-shot-bufferize makes of small programs: each in a file, with what is right and what happens.

The folder of a program says whether upstream gives a wrong value, refuses it, crashes or does not end; the comments in
front of it, what it is called with, and which results are right. `python test/upstream/upstream_cases.py` writes
docs/UPSTREAM.md.
"""

from __future__ import annotations

import json
import math
import re
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlir_inplace  # isort: skip

import numpy as np
from file_record import section
from mlir import ir

from mlir_inplace.frontends.formats import find_dialect, register_dialect

_HERE = Path(__file__).parent
sys.path.append(str(_HERE.parent / "differential"))

PAGE = _HERE.parent.parent / "docs" / "UPSTREAM.md"
DEFAULT = "one-shot-bufferize{bufferize-function-boundaries=true}"
FINDINGS = ("wrong value", "wrong legalization", "refusal", "crash", "hang")
"""What upstream does with the programs. Each has a folder."""
SECONDS = 3
"""How long a pass may compute that needs a few milliseconds: CPU time, so that a busy machine changes nothing."""


@dataclass(frozen=True)
class UpstreamCase:
    """One program. `message` is part of what upstream says when it refuses the program."""

    name: str
    text: str
    passes: str
    finding: str
    why: str
    message: str
    ours: str | None
    """The pipeline that we are right with, if it is not the usual one."""
    _arguments: str
    _right: str

    @property
    def arguments(self) -> list[Any]:
        """New arguments for @main, of the types that it declares."""
        declared = re.search(r"func.func @main\((.*?)\) ->", self.text, re.DOTALL).group(1)
        types = re.findall(r"%\w+: (?:tensor<(?:[\d?]+x)*|!torch\.vtensor<\[[\d,]*\],)?(\w+)", declared)
        return [_value(given, type_) for given, type_ in zip(json.loads(self._arguments), types, strict=True)]

    @property
    def right(self) -> list[Any]:
        """What @main returns."""
        return [np.array(value) for value in json.loads(self._right)]


_DTYPES: dict[str, type[np.generic]] = {
    "f32": np.float32,
    "i32": np.int32,
    "index": np.int64,
    "i1": np.bool_,
    "si64": np.int64,
    "ui8": np.uint8,
}


def _value(given: Any, type_: str) -> Any:
    dtype = _DTYPES[type_]
    if isinstance(given, dict):
        return np.zeros(given["shape"], dtype)
    return np.array(given, dtype) if isinstance(given, list) else given


def read_case(path: Path) -> UpstreamCase:
    """The program of a file, and what its folder and its first lines say."""
    text = path.read_text()
    says = dict(re.findall(r"^// (\w+): (.*)$", text, re.MULTILINE))
    return UpstreamCase(
        path.stem,
        re.sub(r"^//.*\n", "", text, flags=re.MULTILINE),
        says.get("passes", DEFAULT),
        path.parent.name.replace("_", " "),
        says["why"],
        says.get("message", ""),
        says.get("ours"),
        says["arguments"],
        says["right"],
    )


def read_cases() -> list[UpstreamCase]:
    """All programs, wrong values first."""
    cases = map(read_case, sorted(_HERE.glob("*/*.mlir")))
    return sorted(cases, key=lambda case: FINDINGS.index(case.finding))


def upstream_results(case: UpstreamCase) -> list[Any]:
    """What upstream's bufferization of the program returns; raises `oracle.Refused`."""
    import oracle

    return oracle.execute(case.text, case.arguments, case.passes)


def legalized(case: UpstreamCase) -> ir.Module:
    """The program after upstream's passes; unsigned integers have no sign in it, as in all of linalg."""
    context = ir.Context()
    register_dialect(find_dialect(case.text), context)
    module = ir.Module.parse(case.text, context)
    mlir_inplace.run_pipeline(module, f"builtin.module({case.passes})")
    mlir_inplace.run_pipeline(module, "builtin.module(inplace-erase-signedness)")
    return module


def crashes(case: UpstreamCase) -> bool:
    """Whether upstream's pass ends the process that runs it."""
    done = subprocess.run([sys.executable, __file__, "run", case.name], capture_output=True, timeout=60, check=False)
    return done.returncode < 0


def never_ends(case: UpstreamCase) -> bool:
    """Whether upstream's passes still compute after `SECONDS`, when they are stopped."""
    call = [sys.executable, __file__, "run", case.name, str(SECONDS)]
    return subprocess.run(call, capture_output=True, timeout=600, check=False).returncode == -signal.SIGXCPU


def page() -> str:
    """The list as Markdown."""
    lines = [_HEAD]
    for finding in FINDINGS:
        cases = [case for case in read_cases() if case.finding == finding]
        lines.append(f"## {_TITLES[finding]} ({len(cases)})\n")
        lines += [_LEGALIZERS] if finding == "wrong legalization" else []
        for case in cases:
            lines.append(f"### {case.name.replace('-', ' ').capitalize()}\n")
            said = f" Upstream says: *{case.message}*." if case.message else ""
            given = ", ".join(re.sub(r'\{"shape": (.*?)\}', r"zeros\1", str(a)) for a in json.loads(case._arguments))
            lines.append(f"{case.why[0].upper()}{case.why[1:]}.{said}\n")
            if case.passes != DEFAULT:
                lines.append(f"With `{case.passes}`.\n")
            lines.append(f"`main({given})` is `{case._right[1:-1]}`.\n")
            lines.append(f"```mlir\n{case.text}```\n")
    lines.append(section())
    return "\n".join(lines)


_TITLES = {
    "wrong value": "Wrong values",
    "wrong legalization": "Wrong values of legalizers",
    "refusal": "Refusals",
    "crash": "Crashes",
    "hang": "Passes that do not end",
}
_HEAD = """# Where upstream is wrong, or refuses

What `one-shot-bufferize` of LLVM 24.0.0git (the PyPI wheel `torch-mlir` 20261001) does with programs that this project
bufferizes, one by one, and for each the smallest program; [at the end](#upstreams-own-test-files), how upstream's own
test files compare. The programs were found by running upstream beside our pass on those of the differential suite and
on random ones. The options are `bufferize-function-boundaries=true` if nothing else is said. The page is written by
`python test/upstream/upstream_cases.py` from the files below `test/upstream/`; tests run each program by both routes,
so an entry that is not true any more fails.
"""


_LEGALIZERS = """Passes that lower programs of frameworks to linalg. The evaluator has the wrong value without any
bufferization; the route of `mi.compile` lowers these ops by passes of its own.
"""


def main(arguments: list[str]) -> None:
    """Write the page, or run upstream's passes on one program: `run NAME [SECONDS]`."""
    if arguments[:1] == ["run"]:
        import oracle  # noqa: F401 - what it needs is not counted

        for seconds in map(int, arguments[2:]):
            used = resource.getrusage(resource.RUSAGE_SELF)
            limit = math.ceil(used.ru_utime + used.ru_stime) + seconds
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        case = read_case(next(_HERE.glob(f"*/{arguments[1]}.mlir")))
        upstream_results(case) if find_dialect(case.text) is None else legalized(case)
    else:
        PAGE.write_text(page())


if __name__ == "__main__":
    main(sys.argv[1:])
