"""Makes files of the random programs of findings: when a generator changes, seeds mean other programs.

`python test/mutations/keep.py` writes to `written/` what `search.py` found, and lets `findings.json` refer to it.
"""

from __future__ import annotations

import json
from typing import Any

import mlir_inplace  # noqa: F401  # isort: skip

import numpy as np
from search import read_findings, write_findings
from sources import DRAWN, WRITTEN, Case, case


def as_written(made: Case) -> str:
    """The file of a case: its passes and arguments as comments, and the program."""
    runs = [[_entry(value) for value in run] for run in made.runs]
    says = {"passes": made.passes, "after": made.after, "protects": "yes" if made.protects else "no"}
    head = [f"// {name}: {value}" for name, value in (says | {"runs": json.dumps(runs)}).items()]
    return "\n".join([*head, made.text.rstrip("\n"), ""])


def _entry(value: Any) -> list[Any]:
    """Element type, shape and elements: the first one if they are consecutive, else all."""
    if not isinstance(value, np.ndarray):
        return [type(value).__name__, None, value]
    elements = value.ravel().tolist()
    first = elements[0] if elements else 0
    is_range = value.dtype != bool and np.array_equal((np.arange(value.size) + first).astype(value.dtype), elements)
    return [value.dtype.name, list(value.shape), first if is_range else elements]


def main() -> None:
    """Write the files, one for each program."""
    found = read_findings()
    for finding in found.values():
        if finding["source"] in DRAWN:
            name = f"random-{finding['source'].replace(' ', '-')}-{finding['seed']}"
            (WRITTEN / f"{name}.mlir").write_text(as_written(case(finding["source"], finding["seed"])))
            finding |= {"source": "written", "seed": name}
    write_findings(found)


if __name__ == "__main__":
    main()
