"""Upstream's own test files through upstream's one-shot-bufferize and through ours, and a table of how they compare.

    python test/upstream/upstream_files.py LLVM/mlir/test [--all] [--list CATEGORY] [--only TEXT] [--write SOURCE]

The files are those that are named after bufferization, and those whose RUN lines or transform scripts bufferize or
eliminate empty tensors; not those of sparse tensors, which need a compiler of their own. A file is split as its own RUN
lines split it; a chunk with tensors is run with the options of each one-shot-bufferize in the file's RUN lines, behind
the passes in front of it, in a process of its own. `--write` keeps the counts for docs/UPSTREAM.md, which
`upstream_cases.py` then writes. Debian has the files: with a `deb-src` line for sid,
`apt-get source --download-only --tar-only llvm-toolchain-23` and
`tar --wildcards -xf llvm-toolchain-23_*.orig.tar.xz '*/mlir/test'`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import mlir_inplace as mi  # isort: skip

if str(_DIFFERENTIAL := Path(__file__).parents[1] / "differential") not in sys.path:
    sys.path.append(str(_DIFFERENTIAL))

import oracle
from file_record import CATEGORIES, keep, table
from made_up_calls import Executed, MadeUpCall, execute, make_calls
from mlir import ir

DEFAULT = "bufferize-function-boundaries allow-return-allocs-from-loops"
"""The options of files that bufferize by other means."""
SECONDS = 20
"""CPU time of one run."""
MEMORY = 2 << 30
"""Bytes that one run may take beyond what the process has: made-up numbers can be sizes of tensors."""

_TESTED = (
    r"RUN:.*(bufferiz|empty-tensor)|one_shot_bufferize|eliminate_empty_tensors|bufferize_to_allocation"
    r"|transform\.bufferization"
)
_MENTIONED = r"bufferiz|empty.tensor"
_PASS = r"-(?:one-shot-bufferize|test-tensor-copy-insertion)(?:=(?:\"([^\"]*)\"|'([^']*)'|(\S+)))?"
_IN_PIPELINE = r"one-shot-bufferize\{([^}]*)\}"
_NOT_TAKEN = (
    r"\b(test-analysis-only|dump-alias-sets|print-conflicts|analysis-heuristic=fuzzer|analysis-fuzzer-seed=\d+)"
)
_PREPARATION = ("eliminate-empty-tensors", "empty-tensor-to-alloc-tensor", "convert-elementwise-to-linalg")


@dataclass(frozen=True)
class Chunk:
    """One program of a file. `line` is its first one."""

    file: str
    line: int
    text: str
    runs: tuple[tuple[str, str], ...]
    """The passes in front, and the options of one-shot-bufferize, of each way that the file runs it."""

    @property
    def name(self) -> str:
        """Where it is."""
        return f"{self.file}:{self.line}"

    @property
    def has_tensors(self) -> bool:
        """Whether there is anything to bufferize."""
        return bool(re.search(r"^(?!\s*//).*\btensor<", self.text, re.MULTILINE))


@dataclass(frozen=True)
class Result:
    """What became of a chunk: a category, and why in words."""

    category: str
    why: str


def chunks(folder: Path, *, everything: bool = False) -> Iterator[Chunk]:
    """The programs of all files that test bufferization; if `everything`, of all that mention it."""
    for path in sorted(folder.rglob("*.mlir")):
        text = path.read_text(errors="replace")
        tested = "ufferiz" in str(path.relative_to(folder)) or re.search(_TESTED, text)
        if "SparseTensor" in path.parts or not (re.search(_MENTIONED, text) if everything else tested):
            continue
        runs, line = tuple(read_runs(text)), 1
        for part in re.split(r"^// -----.*\n", text, flags=re.MULTILINE):
            if "sparse_tensor" not in part:
                yield Chunk(str(path.relative_to(folder)), line, _in_bounds(part), runs)
            line += part.count("\n") + 1


def _in_bounds(text: str) -> str:
    """A program with the slices in it that begin at the end moved by one, so that it means something."""
    for bound in re.findall(r"arith.subi %c(\d+), %arg0", text):
        last = int(bound) - 1
        text = text.replace(f"arith.subi %c{bound}, %arg0", "arith.subi %last, %arg0")
        text = re.sub(rf"(%c{bound} = .*)", rf"\1\n  %last = arith.constant {last} : index", text, count=1)
    return text


def read_runs(text: str) -> list[tuple[str, str]]:
    """The ways in which the RUN lines of a file bufferize, each once: the passes in front, and the options."""
    lines = " ".join(re.findall(r"// *RUN: *(.*)", text)).replace("\\ ", " ")
    found: list[tuple[str, str]] = []
    for command in re.split(r"\||&&|\bmlir-opt\b", lines):
        for match in [*re.finditer(_PASS, command), *re.finditer(_IN_PIPELINE, command)]:
            options = next((group for group in match.groups() if group), "")
            front = [name for name in _PREPARATION if f"-{name}" in command[: match.start()]]
            found.append((",".join(front), " ".join(re.sub(_NOT_TAKEN, "", options).split())))
    return list(dict.fromkeys(found)) or [("", DEFAULT)]


class Worker:
    """A process that compares one program after the other; it is started anew when one of them has ended it."""

    def __init__(self) -> None:
        self._connection: Connection | None = None

    def judge(self, chunk: Chunk) -> Result:
        """The worst of what a chunk's sets of options lead to."""
        if not chunk.has_tensors:
            return Result("no tensors", "")
        results = [self._compare(chunk.text, *run) for run in chunk.runs]
        return min(results, key=lambda result: list(CATEGORIES).index(result.category))

    def _compare(self, text: str, front: str, options: str) -> Result:
        connection = self._connection or self._start()
        connection.send((text, front, options))
        said: object = "ours"
        try:
            while not isinstance(said, Result):
                said = connection.recv()
        except EOFError:
            self._connection = None
            said = Result(f"crash of {said}", "the process ended")
        return Result(said.category, f"{said.why} [{options}]")

    def _start(self) -> Connection:
        """The process has to be a new interpreter, as a fork of one with threads would hang."""
        processes = multiprocessing.get_context("spawn")
        self._connection, other = processes.Pipe()
        processes.Process(target=_serve, args=(other,), daemon=True).start()
        other.close()
        return self._connection


def _serve(connection: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while request := _received(connection):
        used = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + SECONDS, resource.RLIM_INFINITY))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, resource.RLIM_INFINITY))
        try:
            result = compare(*request, connection.send)
        except Exception as error:  # noqa: BLE001 - a failure of any kind is what is looked for
            result = Result("crash of ours", _line(f"{type(error).__name__}: {error}"))
        connection.send(result)


def _received(connection: Connection) -> tuple[str, str, str] | None:
    """The next program; None if the process that asks has ended."""
    try:
        return connection.recv()
    except EOFError:
        return None


def compare(text: str, front: str, options: str, say: Callable[[str], None] = lambda _: None) -> Result:
    """One program with one set of options by both routes; `say` is told whose turn it is."""
    with oracle.context() as context:
        context.allow_unregistered_dialects = True
        try:
            module = ir.Module.parse(text)
            for name in filter(None, front.split(",")):
                mi.run_pipeline(module, f"builtin.module({_nested(name)})")
        except (ir.MLIRError, mi.PassError) as error:
            return Result("not parsed", str(error).splitlines()[0])
        calls = make_calls(module)
        ours = _route(module, f"inplace-one-shot-bufferize{{{options} warn-written-arguments=false}}", calls)
        say("upstream")
        theirs = _route(module, f"one-shot-bufferize{{{options}}}", calls)
        return _compare(ours, theirs)


def _nested(name: str) -> str:
    return f"func.func({name})" if name == "convert-elementwise-to-linalg" else name


@dataclass(frozen=True)
class _Route:
    counts: oracle.Counts
    executed: Executed | None


def _route(module: ir.Module, bufferization: str, calls: list[MadeUpCall]) -> _Route | str:
    """What a bufferization makes of a program, which is left as it is; the message if it refuses it."""
    copy = ir.Module.parse(str(module))
    try:
        mi.run_pipeline(copy, f"builtin.module({bufferization})")
    except mi.PassError as error:
        return str(error)
    executed = execute(copy, calls)
    return _Route(_counts(copy), executed)


def _counts(module: ir.Module) -> oracle.Counts:
    """Of the program that was cleaned up; as it is if that finds a slice that is out of bounds."""
    text = str(module)
    try:
        return oracle.count_memory_ops(module)
    except ir.MLIRError:
        return oracle.counts(ir.Module.parse(text))


def _compare(ours: _Route | str, theirs: _Route | str) -> Result:
    if isinstance(ours, str):
        both = isinstance(theirs, str)
        return Result("refused by both" if both else "refused by ours alone", _line(ours))
    if ours.executed and ours.executed.wrong:
        return Result("wrong by ours", ours.executed.wrong)
    if isinstance(theirs, str):
        return Result("refused by upstream alone", _line(theirs))
    one, other = _numbers(ours, theirs)
    why = f"ours {one}, upstream {other}"
    if any(mine > yours for mine, yours in zip(one, other, strict=True)):
        wrong = theirs.executed and theirs.executed.wrong
        return Result("more, upstream wrong" if wrong else "more", f"{why}{f': {wrong}' if wrong else ''}")
    return Result("same" if one == other else "fewer", why)


def _numbers(ours: _Route, theirs: _Route) -> list[tuple[int, ...]]:
    """Allocations and copies of both in the text; where both can be executed, also at run time."""
    numbers = [(route.counts.allocations, route.counts.copies) for route in (ours, theirs)]
    if ours.executed and theirs.executed:
        executed = [(route.allocations, route.copies) for route in (ours.executed, theirs.executed)]
        numbers = [(*static, *dynamic) for static, dynamic in zip(numbers, executed, strict=True)]
    return numbers


def _line(message: str) -> str:
    return " ".join(message.split())[:300]


def main(arguments: Iterable[str]) -> None:
    """Compare, and print the table or the chunks of a category."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="mlir/test of LLVM's source")
    parser.add_argument("--all", action="store_true", help="take the other files that mention it as well")
    parser.add_argument("--list", action="append", choices=CATEGORIES, default=[], help="print the chunks in it")
    parser.add_argument("--only", default="", help="part of the names of the files to take")
    parser.add_argument("--write", metavar="SOURCE", help="keep the counts, and what the files are from")
    given = parser.parse_args(list(arguments))
    taken = [chunk for chunk in chunks(given.folder, everything=given.all) if given.only in chunk.file]
    worker = Worker()
    results: dict[Chunk, Result] = {}
    for chunk in taken:
        result = results[chunk] = worker.judge(chunk)
        if result.category in given.list:
            print(f"{chunk.name}: {result.category}: {result.why}", flush=True)
    counts = Counter(result.category for result in results.values())
    files = len({chunk.file for chunk in taken})
    print(f"{files} files, {len(taken)} chunks, {len(taken) - counts['no tensors']} of them with tensors")
    print(table(counts))
    if given.write:
        keep(given.write, {chunk.name: result.category for chunk, result in results.items()})


if __name__ == "__main__":
    main(sys.argv[1:])
