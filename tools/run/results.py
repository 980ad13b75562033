"""Results of `inplace-run`: printing, saving, comparison with a NumPy expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...runtime.interface.signature import Signature
from ..shared.command_line import ToolError, UsageError
from ..shared.output import AtomicFile

Array = np.ndarray[Any, Any]

_TOLERANCES = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-10, "complex64": 1e-4}

_BUILTINS = {"__import__": __import__}
"""What methods of arrays need, which import parts of NumPy when they are first called. No expression can name it."""


def as_tuple(result: Any, signature: Signature, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The outcomes of a call, one value for each of `Signature.outcomes`."""
    if signature.written:
        return tuple(arguments[parameter.index] for parameter in signature.written)
    if len(signature.results) == 1:
        return (result,)
    return () if result is None else result


def print_results(results: Sequence[Any], signature: Signature) -> None:
    """Print each result below its type."""
    for (label, type_), value in zip(signature.outcomes, results, strict=True):
        text = np.array2string(value, separator=", ") if isinstance(value, np.ndarray) else str(value)
        print(f"{label}: {type_.spelling}\n{text}")


class ResultFiles:
    """The targets of `--save-result`: `x.npy`; `x-0.npy`, `x-1.npy`, … for several; or `x.npz` (`arr_0`, `arr_1`, …).

    The constructor raises `ToolError` if they cannot be written, before anything runs.
    """

    def __init__(self, path: str, count: int) -> None:
        target = Path(path)
        if target.suffix not in (".npy", ".npz"):
            raise ToolError(f"cannot save results in '{path}': its name must end in .npy or .npz")
        if count == 0:
            raise ToolError(f"cannot save results in '{path}': the function returns nothing")
        self._archive = target.suffix == ".npz"
        several = count > 1 and not self._archive
        paths = [target.with_name(f"{target.stem}-{number}.npy") for number in range(count)] if several else [target]
        self._files: list[AtomicFile] = []
        try:
            for wanted in paths:
                self._files.append(AtomicFile(wanted))
        except OSError as error:
            self.close()
            raise ToolError(f"cannot save results in '{path}': {error.strerror or error}") from None

    def write(self, results: Sequence[Any]) -> None:
        """Write all results; raises `ToolError`."""
        arrays = [_nameable(np.asarray(result)) for result in results]
        try:
            if self._archive:
                with self._files[0].open() as file:
                    np.savez(file, *arrays)
            else:
                for target, array in zip(self._files, arrays, strict=True):
                    with target.open() as file:
                        np.save(file, array, allow_pickle=False)
            for target in self._files:
                target.commit()
        except OSError as error:
            raise ToolError(f"cannot save results: {error.strerror or error}") from None

    def close(self) -> None:
        """Remove files that were not written."""
        for target in self._files:
            target.close()


def _nameable(array: Array) -> Array:
    """The same bytes; those of `ml_dtypes` without a type, as .npy has names for NumPy's own ones only."""
    return array if array.dtype.isbuiltin == 1 else array.view(np.dtype((np.void, array.itemsize)))


def check_results(
    code: Any, text: str, arguments: Mapping[str, Any], results: Sequence[Any], tolerance: float | None
) -> str:
    """Compare the results with the value of the expression; return one line with the largest error.

    The largest difference may be `tolerance`, relative to the largest expected magnitude but at least 1; by default it
    depends on the type (1e-4 for f32, 1e-10 for f64), and integers must be equal. Raises `ToolError` if they differ
    and `UsageError` if the expression fails.
    """
    try:
        with np.errstate(all="ignore"):
            expected = eval(code, {"__builtins__": _BUILTINS, "np": np, **arguments})
    except Exception as error:  # noqa: BLE001 - whatever a user's expression may raise
        raise UsageError(f"--check: '{text}' failed: {error}") from None
    values = expected if isinstance(expected, tuple) and len(results) != 1 else (expected,)
    if len(values) != len(results):
        raise ToolError(f"NumPy gives {len(values)} values for '{text}', the program {len(results)} results")
    worst = 0.0
    for number, (result, value) in enumerate(zip(results, values, strict=True)):
        worst = max(worst, _difference(number, np.asarray(result), _numbers(text, value), tolerance))
    return f"matches NumPy: max abs error {worst:.3g} against {text}"


def _numbers(text: str, value: Any) -> Array:
    """Return a value of the expression as an array; raises `UsageError` if it is not made of numbers."""
    array = None
    if not isinstance(value, (str, bytes)) and value is not None:
        try:
            array = np.asarray(value)
            array = None if array.dtype.kind in "SUMm" else array
        except ValueError:  # Rows of unlike lengths.
            array = None
    if array is None or (array.dtype.kind == "O" and not all(isinstance(one, int) for one in array.flat)):
        raise UsageError(f"--check: '{text}' is not made of numbers; give arrays of numbers, or a tuple of them")
    return array


def _difference(number: int, result: Array, expected: Array, tolerance: float | None) -> float:
    """The largest difference between a result and what was expected; raises `ToolError` if it is too large."""
    if result.shape != expected.shape:
        raise ToolError(f"result {number} has shape {result.shape}, but NumPy gives {expected.shape}")
    if not result.size:
        return 0.0
    relative = _TOLERANCES.get(str(result.dtype), 1e-10 if result.dtype.kind == "c" else 0.0)
    wide = np.complex128 if "c" in (result.dtype.kind, expected.dtype.kind) else np.float64
    a, b = result.astype(wide), expected.astype(wide)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0.0, np.abs(a - b))
    finite = np.abs(b[np.isfinite(b)])
    allowed = (relative if tolerance is None else tolerance) * max(1.0, float(finite.max(initial=0.0)))
    place = np.unravel_index(int(np.argmax(np.where(np.isnan(error), np.inf, error))), error.shape)
    if not error[place] <= allowed:
        at = ", ".join(map(str, place))
        raise ToolError(
            f"result {number} differs from NumPy by {error[place]:.3g} at [{at}]: got {result[place]}, expected "
            f"{expected[place]} (allowed: {allowed:.3g})"
        )
    return float(error[place])
