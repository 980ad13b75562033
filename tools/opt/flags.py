"""The flags of `inplace-opt` as a table, from which the help, the man page, shell completion and docs/MLIR_OPT.md come.

Any other flag must be a pass, ours or upstream's, or one of mlir-opt's that cannot be had here (`unsupported.py`).
"""

from __future__ import annotations

from ...frontends.formats import DIALECTS
from .flag import Flag, boolean, count, limit

__all__ = ["ALIASES", "BY_NAME", "DEFAULT_SPLIT_MARKER", "FLAGS", "GROUPS"]

DEFAULT_SPLIT_MARKER = "// -----"
_ACTIONS = "the actions are passes; the bindings do not tell of smaller ones"


_INFORMATION = (
    Flag(
        "help",
        "print the flags and the passes and exit; with a name, all about one pass or flag",
        "NAME",
        optional="",
        differs="takes the name of a pass or a flag",
    ),
    Flag("help-hidden", "print all flags, also those that are seldom needed, and exit"),
    Flag("help-list", "the same as --help", hidden=True, differs="has the groups too"),
    Flag("help-list-hidden", "the same as --help-hidden", hidden=True, differs="has the groups too"),
    Flag("version", "print the version, the bindings in use and their LLVM version, and exit"),
    Flag("list-passes", "list the passes, ours and upstream's, and exit"),
    Flag("show-dialects", "list the available dialects and exit"),
    Flag("print-options", "print the flags that are not at their defaults, then go on", hidden=True),
    Flag("print-all-options", "print the values of all flags, then go on", hidden=True),
    Flag(
        "color", "colour diagnostics, or do not (default: on a terminal)", "true|false", type=boolean, optional="true"
    ),
)

_INPUT = (
    Flag("o", "write the result to a file, only on success (default: standard output)", "FILE"),
    Flag("allow-unregistered-dialect", "allow operations of unregistered dialects"),
    Flag(
        "from",
        "lower the input from a frontend's form to linalg on tensors, before any pass (a name in .onnx says onnx)",
        "FORMAT",
        choices=("onnx", *DIALECTS),
        differs="mlir-opt has none",
    ),
    Flag("irdl-file", "load the IRDL dialects that a file defines before the input is read", "FILE"),
    Flag("no-implicit-module", "the input is one operation, which gets no module around it"),
    Flag(
        "split-input-file",
        "split the input at lines with a marker; each part is processed in a context of its own",
        "MARKER",
        optional=DEFAULT_SPLIT_MARKER,
        differs="a marker is a whole line; mlir-opt splits at one inside a line too",
    ),
    Flag(
        "output-split-marker",
        "the marker between the parts of the output (default: that of the input)",
        "MARKER",
        hidden=True,
        differs="the default is the marker of the input",
    ),
    Flag("emit-bytecode", "write bytecode instead of text"),
    Flag("emit-bytecode-version", "the version of bytecode to write", "NUMBER", type=count, hidden=True),
    Flag("verify-roundtrip", "print and parse the input again, as text and as bytecode, and compare"),
    Flag("mlir-disable-threading", "MLIR uses one thread, as it always does here", differs="changes nothing"),
)

_PIPELINE = (
    Flag("pass-pipeline", "a textual pipeline of passes, ours and upstream's (also -p)", "PIPELINE"),
    Flag("dump-pass-pipeline", "print the pipeline before it runs", differs="options at their defaults are left out"),
    Flag("verify-each", "verify the IR after each pass", default=True),
    Flag("run-reproducer", "run the pipeline of the input, a reproducer"),
    Flag(
        "mlir-pass-pipeline-crash-reproducer",
        "write the input and the pipeline to a file if a pass fails (it stays as FILE.pending if the process dies)",
        "FILE",
    ),
    Flag(
        "mlir-pass-pipeline-local-reproducer",
        "the crash reproducer is the failing pass alone, with the IR before it",
        hidden=True,
    ),
    Flag(
        "mlir-generate-reproducer",
        "write the input and the pipeline to a file, also if nothing fails",
        "FILE",
        hidden=True,
        differs="has the IR before the pipeline, so that it repeats the run; mlir-opt's has the IR after it",
    ),
)

_PRINTING = (
    Flag("mlir-print-debuginfo", "print locations"),
    Flag("mlir-pretty-debuginfo", "with --mlir-print-debuginfo: print locations in a short form that cannot be parsed"),
    Flag("mlir-print-op-generic", "print every operation in generic form"),
    Flag("mlir-print-local-scope", "print types, attributes and locations in full, without aliases"),
    Flag("mlir-print-skip-regions", "print {...} in the place of regions"),
    Flag("mlir-print-value-users", "print the users of values as comments"),
    Flag("mlir-print-unique-ssa-ids", "number values across all regions"),
    Flag("mlir-use-nameloc-as-prefix", "call values what their named locations say"),
    Flag("mlir-print-assume-verified", "do not verify what is printed; invalid IR may crash", hidden=True),
    Flag(
        "mlir-elide-elementsattrs-if-larger",
        "elide the elements of attributes with more than this many",
        "COUNT",
        type=count,
    ),
    Flag(
        "mlir-print-elementsattrs-with-hex-if-larger",
        "write the elements of attributes with more than this many as bytes; -1 for never",
        "COUNT",
        type=limit,
        hidden=True,
        differs="up to 100 elements are always written as numbers",
    ),
    Flag("mlir-elide-resource-strings-if-larger", "elide resources with more characters", "COUNT", type=count),
)

_DUMPS = (
    Flag("mlir-print-ir-before", "print the IR before these passes", "PASSES", many=True),
    Flag("mlir-print-ir-after", "print the IR after these passes", "PASSES", many=True),
    Flag("mlir-print-ir-before-all", "print the IR before each pass"),
    Flag("mlir-print-ir-after-all", "print the IR after each pass"),
    Flag(
        "mlir-print-ir-after-change",
        "print the IR after each pass (of those named) that changed it",
        differs="prints without --mlir-print-ir-after-all too",
    ),
    Flag(
        "mlir-print-ir-after-failure",
        "print the IR after a pass (of those named) only if it failed",
        differs="prints without --mlir-print-ir-after-all too",
    ),
    Flag("mlir-print-ir-module-scope", "print the outermost operation, whatever the pass runs on"),
    Flag("mlir-print-ir-tree-dir", "write the IR to files in a folder instead of printing it", "FOLDER"),
)

_DIAGNOSTICS = (
    Flag(
        "verify-diagnostics",
        "check the diagnostics against the expected-error, -warning, -remark and -note comments of the input;"
        " `only-expected` allows others",
        "MODE",
        optional="all",
        choices=("all", "only-expected"),
    ),
    Flag(
        "mlir-diagnostic-verbosity-level",
        "print no remarks, or no warnings either",
        "LEVEL",
        default="remarks",
        choices=("errors", "warnings", "remarks"),
        hidden=True,
    ),
    Flag("mlir-disable-diagnostic-notes", "print no notes", hidden=True),
    Flag(
        "mlir-print-stacktrace-on-diagnostic",
        "print where in the code a diagnostic comes from as a note",
        hidden=True,
        differs="shows the Python functions, not those of MLIR",
    ),
    Flag(
        "mlir-print-op-on-diagnostic", "print the operation that an error is about as a note", default=True, hidden=True
    ),
)

_REPORTS = (
    Flag(
        "mlir-timing",
        "report the wall time of each pass",
        differs="no lines for analyses (`(A)`), but for the loading of passes and of the context",
    ),
    Flag(
        "mlir-timing-display",
        "times in the order of the pipeline, or the longest first",
        "KIND",
        default="tree",
        choices=("list", "tree"),
    ),
    Flag("mlir-output-format", "the form of times", "FORM", default="text", choices=("text", "json")),
    Flag(
        "mlir-pass-statistics",
        "report the statistics of passes",
        differs="passes of mlir-inplace count also where MLIR was built without statistics",
    ),
    Flag(
        "mlir-pass-statistics-display",
        "statistics in the order of the pipeline, or by pass",
        "KIND",
        default="pipeline",
        choices=("list", "pipeline"),
        hidden=True,
    ),
    Flag(
        "log-actions-to",
        "log the passes that run to a file, or to standard error (-)",
        "FILE",
        hidden=True,
        differs=_ACTIONS,
    ),
    Flag(
        "log-mlir-actions-filter",
        "log only passes on operations at these places (file:line or file:line:column)",
        "PLACES",
        many=True,
        hidden=True,
        differs=_ACTIONS,
    ),
    Flag(
        "profile-actions-to",
        "write when passes begin and end to a file, for chrome://tracing",
        "FILE",
        hidden=True,
        differs=_ACTIONS,
    ),
    Flag(
        "debug",
        "print what our passes log, and MLIR's debug output if it was built with assertions",
    ),
    Flag("debug-only", "the same for these passes (or debug types of MLIR)", "NAMES", many=True),
)

GROUPS = {
    "information": _INFORMATION,
    "input and output": _INPUT,
    "passes": _PIPELINE,
    "printing": _PRINTING,
    "the IR between passes": _DUMPS,
    "diagnostics": _DIAGNOSTICS,
    "reports": _REPORTS,
}
"""The flags as the help shows them."""

FLAGS = tuple(flag for group in GROUPS.values() for flag in group)
ALIASES = {"h": "help", "p": "pass-pipeline"}
BY_NAME = {flag.name: flag for flag in FLAGS} | {
    alias: flag for flag in FLAGS for alias, name in ALIASES.items() if name == flag.name
}
