"""PyTorch's own op samples, and modules, through `mi.from_torch`: passed, refused, wrong.

    python benchmarks/conformance/torch_ops.py > report.txt
    python benchmarks/conformance/torch_ops.py --only softmax --verbose
    python benchmarks/conformance/torch_ops.py --part 1/4 --json part1.json
    python benchmarks/conformance/torch_ops.py --merge part*.json --page docs/FRONTENDS.md

Each op of `torch.testing._internal.common_methods_invocations.op_db` that has no random numbers is exported with some
of its sample inputs, in float32 and in int64, is compiled with `optimize` off and on, and run; what it returns is
compared with what PyTorch returns. Every op runs in a child process, so that a crash is a row of the table.
`--programs FOLDER` keeps linalg on tensors, for `beside_upstream.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

import mlir_inplace as mi
from mlir_inplace.frontends.torch.support.refusal import RefusedGraphError

sys.path.insert(0, str(Path(__file__).parent))
from onnx_backend import write_program, write_section
from tied_positions import elements_at_positions
from torch_modules import MODULES

DTYPES = (torch.float32, torch.int64)
TOLERANCES = {torch.float32: (1e-4, 1e-4), torch.float64: (1e-7, 1e-7), torch.complex64: (1e-4, 1e-4)}
SECONDS = 120
"""The longest that a child process may compute for one op."""
_SETTINGS: dict[str, Path | None] = {"programs": None}


@dataclass(frozen=True)
class Outcome:
    """What became of one op in one dtype: `passed`, `refused`, `wrong` or `crashed`, by whom and why."""

    op: str
    dtype: str
    kind: str
    by: str = ""
    reason: str = ""


class Applied(torch.nn.Module):
    """An op with all arguments but its tensors."""

    def __init__(self, op: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        super().__init__()
        self._op = op
        leaves, self._spec = pytree.tree_flatten((arguments, named))
        self._leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self._places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.tensors = [leaves[place].detach().clone() for place in self._places]

    def arguments(self, tensors: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """All arguments of the op, those with names apart."""
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, tensors, strict=True):
            leaves[place] = tensor
        return pytree.tree_unflatten(leaves, self._spec)

    def forward(self, *tensors: Any) -> Any:
        """What the op returns."""
        arguments, named = self.arguments(tensors)
        return self._op(*arguments, **named)


Case = tuple[str, str, Callable[[], list[tuple[torch.nn.Module, list[Any]]]]]
"""Name, dtype, and how to make the modules with their inputs."""


def op_cases(samples: int, part: int, parts: int, dtypes: Sequence[torch.dtype] = DTYPES) -> Iterator[Case]:
    """Each op in each dtype, of every `parts`-th op from `part` on."""
    for op in [op for op in op_db if not op.name.startswith("_refs")][part - 1 :: parts]:
        for dtype in dtypes:
            if dtype in op.supported_dtypes("cpu"):
                name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
                yield name, str(dtype).removeprefix("torch."), lambda op=op, dtype=dtype: _applied(op, dtype, samples)


def _applied(op: Any, dtype: Any, samples: int) -> list[tuple[torch.nn.Module, list[Any]]]:
    torch.manual_seed(0)
    given = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    chosen = [given[len(given) * place // samples] for place in range(min(samples, len(given)))]
    modules = [Applied(_unique(op.op, sample), (sample.input, *sample.args), sample.kwargs) for sample in chosen]
    return [(module, module.tensors) for module in modules]


def _unique(op: Callable[..., Any], sample: Any) -> Callable[..., Any]:
    """The op with what PyTorch's tests compare of it: of singular vectors, say, not the signs."""

    def applied(*arguments: Any, **named: Any) -> Any:
        return sample.output_process_fn_grad(op(*arguments, **named))

    return applied


def module_cases() -> Iterator[Case]:
    """The same of the modules in `torch_modules.py`."""
    for name, make in MODULES.items():
        yield f"module {name}", "float32", lambda make=make: [make()]


def outcome(name: str, dtype: str, make: Callable[[], list[tuple[torch.nn.Module, list[Any]]]]) -> Outcome:
    """Export, compile and run every sample of one op; the first that does not pass decides."""
    if "empty" in name:
        return Outcome(name, dtype, "skipped", "torch", "its values are not defined")
    if "sparse" in name:
        return Outcome(name, dtype, "skipped", "torch", "its tensors are sparse")
    try:
        cases = make()
        expected = [_run_eagerly(module, inputs) for module, inputs in cases]
        again = [_run_eagerly(module, inputs) for module, inputs in cases]
        is_random = any(_difference(one, other) for one, other in zip(expected, again, strict=True))
    except Exception as error:  # noqa: BLE001
        return Outcome(name, dtype, "skipped", "torch", _line(error))
    if not cases:
        return Outcome(name, dtype, "skipped", "torch", "no samples")
    if is_random:
        return Outcome(name, dtype, "skipped", "torch", "its values are random")
    for (module, inputs), value in zip(cases, expected, strict=True):
        found = _one_case(name, dtype, module, inputs, value)
        if found.kind != "passed":
            return found
    return Outcome(name, dtype, "passed")


def _run_eagerly(module: torch.nn.Module, inputs: list[Any]) -> Any:
    with torch.no_grad():
        return module(*[tensor.clone() for tensor in inputs])


def _one_case(name: str, dtype: str, module: torch.nn.Module, inputs: list[Any], expected: Any) -> Outcome:
    try:
        with torch.no_grad():
            exported = torch.export.export(module, tuple(tensor.clone() for tensor in inputs), strict=False)
    except Exception as error:  # noqa: BLE001
        return Outcome(name, dtype, "refused", "torch.export", _line(error))
    for optimize in (False, True):
        try:
            program = mi.from_torch(exported, optimize=optimize)
        except RefusedGraphError as error:
            if "random numbers" in error.summary:
                return Outcome(name, dtype, "skipped", "torch", "its values are random")
            return Outcome(name, dtype, "refused", "torch-mlir", _line(error))
        except Exception as error:  # noqa: BLE001
            return Outcome(name, dtype, "refused", f"mlir-inplace, {type(error).__name__}", _line(error))
        if _SETTINGS["programs"] and not optimize:
            write_program(_SETTINGS["programs"], f"{name}.{dtype}", program)
        try:
            got = program.main(*[tensor.clone() for tensor in inputs])
        except Exception as error:  # noqa: BLE001
            return Outcome(name, dtype, "wrong", "at run time", _line(error))
        difference = _difference(got, expected)
        if difference and isinstance(module, Applied):
            given = module.arguments(inputs)
            difference = _difference(*(elements_at_positions(name, *given, result) for result in (got, expected)))
        if difference:
            return Outcome(name, dtype, "wrong", f"optimize={optimize}", difference)
    return Outcome(name, dtype, "passed")


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _difference(got: Any, expected: Any) -> str:
    """How two results differ; empty if they do not."""
    got_leaves, got_spec = pytree.tree_flatten(got)
    leaves, spec = pytree.tree_flatten(expected)
    if len(got_leaves) != len(leaves):
        return f"{got_spec} for {spec}"
    for number, (one, other) in enumerate(zip(got_leaves, leaves, strict=True)):
        if not isinstance(other, torch.Tensor):
            if one != other:
                return f"result {number} is {one} for {other}"
            continue
        array, wanted = _array(one), _array(other)
        if array.shape != wanted.shape or array.dtype != wanted.dtype:
            return f"result {number} is {array.dtype}{array.shape} for {wanted.dtype}{wanted.shape}"
        relative, absolute = TOLERANCES.get(other.dtype, (0, 0))
        if not np.allclose(array, wanted, rtol=relative, atol=absolute, equal_nan=True):
            place = np.unravel_index(np.argmax(~np.isclose(array, wanted, relative, absolute, True)), array.shape)
            return f"result {number} at {tuple(map(int, place))} is {array[place]} for {wanted[place]}"
    return ""


def _array(value: Any) -> np.ndarray[Any, Any]:
    """A tensor or array for NumPy's comparison, which knows no narrow floats."""
    if isinstance(value, torch.Tensor):
        value = value.detach().resolve_conj().resolve_neg()
        return (value.float() if value.dtype in (torch.bfloat16, torch.complex32) else value).numpy()
    return np.asarray(value).astype(np.float32) if str(value.dtype) == "bfloat16" else np.asarray(value)


def run(cases: Sequence[Case], *, verbose: bool) -> list[Outcome]:
    """The outcome of each case, run in child processes that go on until one crashes."""
    outcomes: list[Outcome] = []
    while len(outcomes) < len(cases):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _work(cases[len(outcomes) :], writer)
        os.close(writer)
        with os.fdopen(reader) as lines:
            for line in lines:
                outcomes.append(Outcome(**json.loads(line)))
                if verbose:
                    print(outcomes[-1], file=sys.stderr, flush=True)
        _, status = os.waitpid(child, 0)
        if status and len(outcomes) < len(cases):
            name, dtype, _ = cases[len(outcomes)]
            outcomes.append(Outcome(name, dtype, "crashed", "", f"the process ended with status {status}"))
    return outcomes


def _work(cases: Sequence[Case], writer: int) -> None:
    """Write the outcome of each case, a line each, and end the process."""
    import signal

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with os.fdopen(writer, "w") as lines:
        for name, dtype, make in cases:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                found = outcome(name, dtype, make)
            except BaseException:  # noqa: BLE001
                found = Outcome(name, dtype, "crashed", "", " ".join(traceback.format_exc().split())[-300:])
            lines.write(json.dumps(asdict(found)) + "\n")
            lines.flush()
    os._exit(0)


def report(outcomes: Sequence[Outcome]) -> str:
    """The section of docs/FRONTENDS.md: counts, and what was refused, by whom."""
    counted = [one for one in outcomes if one.kind != "skipped"]
    lines = ["| | tried | passed | refused | wrong | crashed |", "|---|--:|--:|--:|--:|--:|"]
    groups = {
        "ops, float32": [one for one in counted if one.dtype == "float32" and not one.op.startswith("module ")],
        "ops, int64": [one for one in counted if one.dtype == "int64"],
        "modules": [one for one in counted if one.op.startswith("module ")],
    }
    groups["ops that torch-mlir lowers"] = [one for one in counted if one.by not in ("torch-mlir", "torch.export")]
    for title, members in groups.items():
        kinds = Counter(one.kind for one in members)
        numbers = [len(members), *(kinds[kind] for kind in ("passed", "refused", "wrong", "crashed"))]
        lines.append(f"| {title} | {' | '.join(map(str, numbers))} |")
    reasons: dict[tuple[str, str], dict[str, None]] = {}
    for one in counted:
        if one.kind == "refused":
            reasons.setdefault((one.by, _blamed(one.reason)), {})[f"`{one.op}`"] = None
    lines += ["", "| refused by | because of | ops |", "|---|---|---|"]
    lines += [f"| {by} | {reason} | {', '.join(ops)} |" for (by, reason), ops in sorted(reasons.items())]
    lines += [f"\n{one}" for one in counted if one.kind in ("wrong", "crashed")]
    return "\n".join(lines)


def _blamed(reason: str) -> str:
    if "because of " in reason:
        return "`" + reason.split("because of ")[1].split(":", maxsplit=1)[0] + "`"
    return reason.split(":", maxsplit=1)[0][:60]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, or merge earlier runs, and print; returns 1 if something was wrong or crashed."""
    parser = argparse.ArgumentParser(description="PyTorch's op samples through mi.from_torch.")
    parser.add_argument("--only", help="ops with this in their names")
    parser.add_argument("--samples", type=int, default=2, help="samples of each op and dtype")
    parser.add_argument("--dtype", help="only this dtype, float32 or int64")
    parser.add_argument("--part", default="1/1", help="K/N: every N-th op, from the K-th on")
    parser.add_argument("--json", type=Path, help="write the outcomes here")
    parser.add_argument("--merge", type=Path, nargs="+", help="report outcomes of earlier runs, the last of each op")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--programs", type=Path, help="write linalg on tensors into this folder, a file each")
    settings = parser.parse_args(arguments)
    _SETTINGS["programs"] = settings.programs
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    if settings.merge:
        read = [Outcome(**one) for path in settings.merge for one in json.loads(path.read_text())]
        outcomes = list({(one.op, one.dtype): one for one in read}.values())
    else:
        part, parts = map(int, settings.part.split("/"))
        dtypes = [getattr(torch, settings.dtype)] if settings.dtype else DTYPES
        cases = [*(module_cases() if part == 1 else ()), *op_cases(settings.samples, part, parts, dtypes)]
        cases = [case for case in cases if not settings.only or settings.only in case[0]]
        outcomes = run(cases, verbose=settings.verbose)
    if settings.json:
        settings.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=1))
    text = report(outcomes)
    print(text)
    if settings.page:
        write_section(settings.page, text, "torch-ops")
    return int(any(one.kind in ("wrong", "crashed") for one in outcomes))


if __name__ == "__main__":
    sys.exit(main())
