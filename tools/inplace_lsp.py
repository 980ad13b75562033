"""`inplace-lsp`: a language server for MLIR, which says where a program copies and why. It talks on standard input.

Exit codes: 0 success, 1 pygls is not installed, 2 the command line is wrong, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .lsp.server import make_server
from .shared.command_line import SUCCESS, Parser, ToolError, run_program

PROGRAM = "inplace-lsp"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; `arguments` defaults to the process's."""
    return run_program(PROGRAM, lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _make_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="A language server for MLIR, for editors to start: where a program allocates and copies, and why.",
        epilog="exit codes: 0 success, 1 pygls is not installed, 2 the command line is wrong, 130 interrupted",
    )
    parser.add_argument("--stdio", action="store_true", help="talk on standard input and output, as it always does")
    return parser


def _run(arguments: Sequence[str]) -> int:
    _make_parser().parse_like_llvm(arguments)
    try:
        server = make_server()
    except ImportError as error:
        raise ToolError(str(error)) from None
    server.start_io()
    return SUCCESS


if __name__ == "__main__":
    sys.exit(main())
