"""How long `inplace-lsp` takes for what an editor shows of a text, when it is opened, and after each edit.

    python benchmarks/editor.py
    python benchmarks/editor.py --lines 4000

The text has about that many lines, in functions of several lengths; each edit changes one function. An answer is all
that is shown: hints, code lenses and diagnostics. Milliseconds of processor time, of the first answer, and the median
and the longest of those after edits.
"""

from __future__ import annotations

import argparse
import statistics
import time

import mlir_inplace  # noqa: F401 - first, as it says which package `mlir` is in
from mlir_inplace.tools.lsp.document import Document
from mlir_inplace.tools.lsp.features import hints, lenses, problems

_EDITS = 9
_READ = "tensor.extract %v{0}[%i]"


def function(name: str, lines: int) -> str:
    """A function of so many lines, which updates a tensor again and again, and reads its old content."""
    last = lines - 4
    updates = "".join(f"  %v{n + 1} = tensor.insert %x into %v{n}[%i] : tensor<64xf32>\n" for n in range(last))
    return (
        f"func.func @{name}(%v0: tensor<64xf32>, %x: f32, %i: index) -> (tensor<64xf32>, f32) {{\n{updates}"
        f"  %r = {_READ.format(0)} : tensor<64xf32>\n  return %v{last}, %r : tensor<64xf32>, f32\n}}\n"
    )


def answered(document: Document, text: str) -> float:
    """The milliseconds until everything is known that is shown of ``text``."""
    begin = time.process_time()
    document.update(text)
    list(hints(document, 0, len(document.lines)))
    list(lenses(document))
    list(problems(document))
    return 1e3 * (time.process_time() - begin)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lines", type=int, default=1000, help="about how many lines the text has")
    given = parser.parse_args()
    print("| functions | lines of each | first answer | after an edit | longest |")
    print("|---|---|---|---|---|")
    for length in (10, 40, given.lines):
        count = max(given.lines // length, 1)
        text = "".join(function(f"f{number}", length) for number in range(count))
        document = Document("/folder/program.mlir", "utf-16")
        first = answered(document, text)
        edits = [text.replace(_READ.format(0), _READ.format(number % 2), 1) for number in range(1, _EDITS + 1)]
        after = [answered(document, edit) for edit in edits]
        print(f"| {count} | {length} | {first:.0f} | {statistics.median(after):.0f} | {max(after):.0f} |")


if __name__ == "__main__":
    main()
