"""The programs of the differential suite, by dialect. Each shows values that a wrong in-place decision would change."""

from __future__ import annotations

from . import (
    arith,
    bufferization,
    dtypes,
    elementwise,
    empty_tensors,
    examples,
    func,
    func_layouts,
    linalg_elementwise,
    linalg_named,
    linalg_pack,
    linalg_reductions,
    scf_branches,
    scf_loops,
    scf_nests,
    scf_switches,
    scf_trips,
    tensor_concat,
    tensor_elements,
    tensor_gather,
    tensor_reshapes,
    tensor_retyped,
    tensor_shapes,
    tensor_slices,
    vector,
    vector_masks,
)
from .program import Program

_PARTS = (
    arith,
    func,
    func_layouts,
    linalg_elementwise,
    linalg_reductions,
    linalg_named,
    linalg_pack,
    scf_loops,
    scf_nests,
    scf_switches,
    scf_trips,
    scf_branches,
    tensor_elements,
    tensor_slices,
    tensor_reshapes,
    tensor_shapes,
    tensor_gather,
    tensor_retyped,
    tensor_concat,
    bufferization,
    vector,
    vector_masks,
    dtypes,
    elementwise,
    empty_tensors,
    examples,
)

PROGRAMS: list[Program] = [program for part in _PARTS for program in part.PROGRAMS]
