"""Programs whose weights are held, and laid out anew as a pass says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir

import mlir_inplace as mi

__all__ = ["with_rearranged_weights"]


def with_rearranged_weights(
    text: str, arrays: Sequence[np.ndarray], argument: str, machine: str
) -> tuple[ir.Module, list[np.ndarray]]:
    """The module after the pass called `argument`, and the arguments as it takes them. All but the first are held."""
    module = ir.Module.parse(text)
    function = module.body.operations[0]
    held = ir.DictAttr.get({"inplace.held": ir.UnitAttr.get()})
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get({}), *[held] * (len(arrays) - 1)])
    mi.run_pipeline(module, f'builtin.module(func.func({argument}{{machine="{machine}"}}))')
    given = list(arrays)
    for number, mark in enumerate(function.attributes["arg_attrs"]):
        if "inplace.rearranged" in mark:
            given[number] = _laid_out(given[number], mark["inplace.rearranged"])
    return module, given


def _laid_out(array: np.ndarray, wanted: ir.DictAttr) -> np.ndarray:
    read = {one.name: list(one.attr) for one in wanted}
    if "cut" not in read:
        return np.ascontiguousarray(array.reshape(read["shape"]).transpose(read["order"]))
    dimension, place = read["cut"]
    first, rest = np.split(array, [place], dimension)
    return np.concatenate(
        [first.reshape(read["shape"]).transpose(read["order"]).ravel(), rest.transpose(read["rest"]).ravel()]
    )
