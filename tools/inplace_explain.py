"""`inplace-explain [file|-]`: why a program allocates and copies, as text, as JSON, or as a page.

    inplace-explain program.mlir
    inplace-explain program.mlir -o report.html

Nothing is run, and the program stays as it is.
Exit codes: 0 success, 1 errors were reported, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from ..passes.bufferization.one_shot_bufferize import OneShotBufferizePass
from ..passes.pipeline.elements import inplace_passes
from ..passes.pipeline.pipeline import Pipeline
from ..runtime.progress import progress
from .explain.explanation import Explanation, explain
from .explain.page import page
from .explain.program import program_to_explain
from .shared.command_line import SUCCESS, Parser, UsageError, run_program
from .shared.input import Source, read_source
from .shared.output import OutputFile

PROGRAM = "inplace-explain"
FORMATS = ("text", "json", "html")
_ENDINGS = {".json": "json", ".html": "html", ".htm": "html"}
_BUFFERIZE = "inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}"
_EXAMPLES = """examples:
    inplace-explain program.mlir
    inplace-explain program.mlir -o report.html
    inplace-explain program.mlir --format=json | jq '.records[].advice'
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; `arguments` defaults to the process's."""
    return run_program(PROGRAM, lambda: _run(_parse(sys.argv[1:] if arguments is None else arguments)))


def _make_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="Explain every allocation and copy that bufferization leaves in a program: its cost, its reason, "
        "and the change that removes it.",
        epilog=f"{_EXAMPLES}\n"
        "exit codes: 0 success, 1 errors were reported, 2 the command line is wrong, 130 interrupted",
    )
    add = parser.add_argument
    add(
        "input",
        nargs="?",
        default="-",
        help="an MLIR file, or - for standard input (the default); an ONNX model if its name ends in .onnx",
    )
    add("-o", dest="output", metavar="FILE", help="the file to write; standard output by default")
    add(
        "--format",
        choices=FORMATS,
        help="text, JSON, or a page that needs no other file; by default what the name of -o ends in, else text",
    )
    add(
        "--pass-pipeline",
        metavar="PIPELINE",
        help=f"passes to run, of which {OneShotBufferizePass.argument} is explained; by default it alone",
    )
    return parser


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    settings = _make_parser().parse_like_llvm(arguments)
    if settings.format is None:
        settings.format = _ENDINGS.get(PurePath(settings.output or "").suffix, "text")
    return settings


def _pipeline(text: str | None) -> Pipeline:
    """The passes to run; raises `UsageError` if there is nothing in them to explain."""
    if text is None:
        return Pipeline.parse(f"builtin.module({_BUFFERIZE})")
    pipeline = Pipeline.parse(text)
    if not any(found.cls is OneShotBufferizePass for found in inplace_passes(pipeline)):
        raise UsageError(f"--pass-pipeline needs {OneShotBufferizePass.argument}, whose decisions are explained")
    return pipeline


def _run(settings: argparse.Namespace) -> int:
    pipeline = _pipeline(settings.pass_pipeline)
    output = OutputFile(settings.output)
    try:
        source = read_source(settings.input, models=True)
        with progress(f"explaining {source.name}"):
            explanation = _explained(source, pipeline, plan=settings.format != "text")
            text = _written(explanation, settings.format)
        output.write(text)
        output.commit()
    finally:
        output.close()
    return SUCCESS


def _explained(source: Source, pipeline: Pipeline, *, plan: bool) -> Explanation:
    with program_to_explain(source) as (module, text):
        explanation = explain(module, pipeline, source.name, text, plan=plan)
        return replace(explanation, printed=text != source.text)


def _written(explanation: Explanation, form: str) -> str:
    if form == "html":
        return page(explanation)
    if form == "json":
        return json.dumps(explanation.to_json(), indent=2) + "\n"
    return f"{explanation.report}\n"


if __name__ == "__main__":
    sys.exit(main())
