"""Programs with weights that never change: laid out once as the code wants them, then held."""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Set
from typing import Any

import numpy as np
from mlir import ir

from ..passes.analysis.schedule.machine import detect_machine
from ..passes.framework.contract import HELD, REARRANGED
from ..passes.framework.entered_context import entered
from ..passes.pipeline.pipeline import Pipeline, run_pipeline
from ..passes.scheduling.rewriting.held_arguments import Rearrangement, read_rearrangement
from ..runtime.compilation.program import Program
from ..runtime.compilation.program import compile as compile_module

__all__ = ["compile_with_weights"]

_LINE = 64
"""The bytes of a line of the cache."""
LAYOUT = "builtin.module(func.func(inplace-channels-last,inplace-pack-weights))"


def compile_with_weights(
    module: ir.Module,
    weights: Mapping[int, np.ndarray[Any, Any]],
    borrowed: Set[int] = frozenset(),
    *,
    optimize: bool = False,
    **options: Any,
) -> Program:
    """Compile a module whose function `main` takes `weights`, by the numbers of its arguments, and hold them.

    Optimized code may want weights laid out in another way. Such are copied while the module is compiled, one after the
    other, and the pages of those mapped from a file are given back; the others are passed by pointer, but for those in
    `borrowed`, which are copied. The module is changed. Raises what `compile` raises.
    """
    marks: Mapping[int, ir.DictAttr] = {}
    if optimize and weights:
        with entered(module.context):
            detect_machine().override(machine := options.get("machine", ""))  # Raises what `compile` does.
            marks = _marks(module, weights, machine)
    layouts = {number: read_rearrangement(mark) for number, mark in marks.items() if REARRANGED in mark}
    if not layouts and not borrowed:
        program = compile_module(module, optimize=optimize, **options)
        return program.hold({**weights}) if weights else program
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, "inplace-weights") as copies:
        laid_out = copies.submit(_laid_out, weights, layouts, borrowed)
        program = compile_module(module, optimize=optimize, **options)
    return program.hold({**weights, **laid_out.result()})


def _marks(module: ir.Module, weights: Mapping[int, np.ndarray[Any, Any]], machine: str) -> dict[int, ir.DictAttr]:
    """Let the layout of held arguments be chosen; return what is said of it, by the numbers of the arguments."""
    (function,) = (op.operation for op in module.body if ir.StringAttr(op.attributes["sym_name"]).value == "main")
    count = len(function.regions[0].blocks[0].arguments)
    held: dict[str, ir.Attribute] = {HELD: ir.UnitAttr.get()}
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(
        [ir.DictAttr.get(held if number in weights else {}) for number in range(count)]
    )
    run_pipeline(module, Pipeline.parse(LAYOUT).with_options(machine=machine))
    marks = [ir.DictAttr(mark) for mark in ir.ArrayAttr(function.attributes["arg_attrs"])]
    del function.attributes["arg_attrs"]
    return {number: marks[number] for number in weights}


def _laid_out(
    weights: Mapping[int, np.ndarray[Any, Any]], layouts: Mapping[int, Rearrangement], borrowed: Set[int]
) -> dict[int, np.ndarray[Any, Any]]:
    """Weights in the layouts that code wants, and those that are borrowed, copied one after the other."""
    laid_out: dict[int, np.ndarray[Any, Any]] = {}
    for number in sorted({*layouts, *borrowed}):
        _check_file(weights[number])
        layout = layouts.get(number)
        laid_out[number] = weights[number].copy() if layout is None else _rearranged(weights[number], layout)
    return laid_out


def _rearranged(array: np.ndarray[Any, Any], layout: Rearrangement) -> np.ndarray[Any, Any]:
    """Copy an array as it is to be laid out; two parts of it are one dimension."""
    cut = layout.cut
    parts = [array] if cut is None else np.split(array, [cut.place], cut.dimension)
    views = [parts[0].reshape(layout.shape).transpose(layout.order)]
    if cut is not None:
        views.append(parts[1].transpose(cut.order))
    # Vectors that lie in one line of the cache each.
    memory = np.empty(array.nbytes + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    laid_out = memory[first : first + array.nbytes].view(array.dtype)
    place = 0
    for view in views:
        laid_out[place : place + view.size].reshape(view.shape)[...] = view
        place += view.size
    _release(array)
    return laid_out if cut is not None else laid_out.reshape(views[0].shape)


def _mapped(array: np.ndarray[Any, Any]) -> tuple[mmap.mmap, np.memmap[Any, Any] | None] | None:
    """The mapped file that an array lies in, and the outermost array of NumPy's that maps it; None if there is none."""
    owner: Any = array
    outermost: np.memmap[Any, Any] | None = None
    while isinstance(owner, np.ndarray):
        outermost = owner if isinstance(owner, np.memmap) else outermost
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    return (owner, outermost) if isinstance(owner, mmap.mmap) else None


def _release(array: np.ndarray[Any, Any]) -> None:
    """Give the pages of an array back that is mapped from a file; whoever reads it again maps them again."""
    found = _mapped(array)
    if found is None or found[1] is None or found[1].mode != "r" or not hasattr(mmap, "MADV_DONTNEED"):
        return
    found[0].madvise(mmap.MADV_DONTNEED)


def _check_file(array: np.ndarray[Any, Any]) -> None:
    """Raise `OSError` if an array is mapped from a file that has become shorter: to read it would end the process."""
    found = _mapped(array)
    if found is None:
        return
    file, outermost = found
    if file.size() < (len(file) if outermost is None else outermost.offset + outermost.nbytes):
        raise OSError("the file of a model's weights became shorter while it was compiled")
