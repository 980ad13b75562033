"""Ops that read nothing of an init that another op computed: with inplace-remove-outs-dependency, they stop needing it.

Those called `_stays` are left alone: the init's content is needed, or nothing is gained.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .program import Program, put

_MAPS = """#id = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
"""


def _main(arguments: str, results: str, body: str) -> str:
    return f"{_MAPS}func.func @main({arguments}) -> ({results}) {{\n{body}\n}}"


def double(name: str, source: str, init: str, type_: str = "tensor<?xf32>", map_: str = "#id") -> str:
    """Twice `source`, elementwise."""
    kinds = ", ".join(['"parallel"'] * (2 if map_ == "#id2" else 1))
    return f"""{name} = linalg.generic {{indexing_maps = [{map_}, {map_}], iterator_types = [{kinds}]}}
      ins({source} : {type_}) outs({init} : {type_}) {{
      ^bb0(%in: f32, %out: f32):
        %double = arith.addf %in, %in : f32
        linalg.yield %double : f32
    }} -> {type_}"""


def fill(name: str, value: str, init: str, type_: str = "tensor<?xf32>") -> str:
    """All elements `value`."""
    return f"{name} = linalg.fill ins({value} : f32) outs({init} : {type_}) -> {type_}"


def named(name: str, op: str, source: str, init: str, type_: str = "tensor<?xf32>") -> str:
    """A named op of one input."""
    return f"{name} = linalg.{op} ins({source} : {type_}) outs({init} : {type_}) -> {type_}"


_VECTOR = "tensor<?xf32>"

_CHAIN = [fill("%0", "%f", "%d"), *(double(f"%{i + 1}", "%x", f"%{i}") for i in range(10))]

_BROADCAST = """{indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}"""


def _last_column(name: str, source: str, init: str, types: tuple[str, str]) -> str:
    return f"""{name} = linalg.generic {_BROADCAST} ins({source} : {types[0]}) outs({init} : {types[1]}) {{
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
    }} -> {types[1]}"""


def _sum_map(width: int, size: int) -> str:
    types = f"tensor<3x2xf32>) outs(%0 : tensor<{size}xf32>"
    return f"""%1 = linalg.generic {{
      indexing_maps = [#id2, affine_map<(i, j) -> (i * {width} + j)>], iterator_types = ["parallel", "parallel"]}}
      ins(%x : {types}) {{
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
    }} -> tensor<{size}xf32>
    return %1 : tensor<{size}xf32>"""


def _gaps(x: Any, f: float) -> Any:
    found = np.full(8, f, np.float32)
    found[[0, 1, 3, 4, 6, 7]] = x.reshape(-1)
    return found


PROGRAMS = [
    Program(
        "outs_of_a_fill",
        _main(
            "%d: tensor<?x?xf32>, %x: tensor<?x?xf32>, %f: f32",
            "tensor<?x?xf32>",
            f"""{fill("%0", "%f", "%d", "tensor<?x?xf32>")}
            {double("%1", "%x", "%0", "tensor<?x?xf32>", "#id2")}
            return %1 : tensor<?x?xf32>""",
        ),
        args=[("3x4xf32", "3x4xf32", 7.0), ("0x4xf32", "0x4xf32", 7.0), ("1x1xf32", "1x1xf32", 7.0)],
        numpy=lambda d, x, f: 2 * x,
    ),
    Program(
        "outs_up_a_chain_of_ten",
        _main(f"%d: {_VECTOR}, %x: {_VECTOR}, %f: f32", _VECTOR, "\n".join([*_CHAIN, f"return %10 : {_VECTOR}"])),
        args=[("5xf32", "5xf32", 7.0), ("0xf32", "0xf32", 7.0)],
        numpy=lambda d, x, f: 2 * x,
    ),
    Program(
        "outs_whose_producer_needs_a_buffer",
        _main(
            f"%d: {_VECTOR}, %x: {_VECTOR}, %n: index",
            _VECTOR,
            f"""%e = tensor.empty(%n) : {_VECTOR}
            {named("%t", "exp", "%x", "%e")}
            %0 = linalg.add ins(%t, %x : {_VECTOR}, {_VECTOR}) outs(%d : {_VECTOR}) -> {_VECTOR}
            {double("%1", "%x", "%0")}
            return %1 : {_VECTOR}""",
        ),
        args=[("5xf32", "5xf32", 5), ("0xf32", "0xf32", 0)],
        numpy=lambda d, x, n: 2 * x,
    ),
    Program(
        "outs_whose_producer_needs_a_copy",
        _main(
            f"%d: {_VECTOR}, %x: {_VECTOR}, %i: index",
            f"{_VECTOR}, f32",
            f"""%0 = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
              ins(%x : {_VECTOR}) outs(%d : {_VECTOR}) {{
              ^bb0(%in: f32, %out: f32):
                %s = arith.addf %in, %out : f32
                linalg.yield %s : f32
            }} -> {_VECTOR}
            {double("%1", "%x", "%0")}
            %r = tensor.extract %d[%i] : {_VECTOR}
            return %1, %r : {_VECTOR}, f32""",
        ),
        args=("5xf32", "5xf32", 2),
        numpy=lambda d, x, i: (2 * x, d[i]),
    ),
    Program(
        "outs_of_the_second_of_two_results",
        _main(
            f"%d: {_VECTOR}, %b: {_VECTOR}, %x: {_VECTOR}",
            f"{_VECTOR}, {_VECTOR}",
            f"""%0:2 = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}}
              ins(%x : {_VECTOR}) outs(%d, %b : {_VECTOR}, {_VECTOR}) {{
              ^bb0(%in: f32, %o0: f32, %o1: f32):
                %n = arith.negf %in : f32
                linalg.yield %in, %n : f32, f32
            }} -> ({_VECTOR}, {_VECTOR})
            {double("%1", "%x", "%0#1")}
            return %0#0, %1 : {_VECTOR}, {_VECTOR}""",
        ),
        args=("5xf32", "5xf32", "5xf32"),
        numpy=lambda d, b, x: (x, 2 * x),
    ),
    Program(
        "outs_through_casts",
        _main(
            "%d: tensor<5xf32>, %x: tensor<5xf32>, %f: f32",
            "tensor<5xf32>",
            f"""{fill("%0", "%f", "%d", "tensor<5xf32>")}
            %c = tensor.cast %0 : tensor<5xf32> to {_VECTOR}
            {fill("%g", "%f", "%c")}
            %b = tensor.cast %g : {_VECTOR} to tensor<5xf32>
            {double("%1", "%x", "%b", "tensor<5xf32>")}
            return %1 : tensor<5xf32>""",
        ),
        args=("5xf32", "5xf32", 7.0),
        numpy=lambda d, x, f: 2 * x,
    ),
    Program(
        "outs_give_the_sizes",
        _main(
            f"%d: {_VECTOR}, %f: f32, %g: f32",
            _VECTOR,
            f"""{fill("%0", "%f", "%d")}
            {fill("%1", "%g", "%0")}
            return %1 : {_VECTOR}""",
        ),
        args=[("5xf32", 7.0, 9.0), ("0xf32", 7.0, 9.0)],
        numpy=lambda d, f, g: np.full(d.shape, g, np.float32),
    ),
    Program(
        "outs_with_indices_in_the_payload",
        _main(
            f"%d: {_VECTOR}, %f: f32",
            _VECTOR,
            f"""{fill("%0", "%f", "%d")}
            %1 = linalg.generic {{indexing_maps = [#id], iterator_types = ["parallel"]}} outs(%0 : {_VECTOR}) {{
              ^bb0(%out: f32):
                %i = linalg.index 0 : index
                %k = arith.index_cast %i : index to i32
                %v = arith.sitofp %k : i32 to f32
                linalg.yield %v : f32
            }} -> {_VECTOR}
            return %1 : {_VECTOR}""",
        ),
        args=("5xf32", 7.0),
        numpy=lambda d, f: np.arange(5, dtype=np.float32),
    ),
    Program(
        "outs_of_a_reduction_used_elsewhere",
        _main(
            "%d: tensor<3xf32>, %y: tensor<3x4xf32>, %x: tensor<3xf32>",
            "tensor<3xf32>, f32",
            f"""%0 = linalg.generic {_BROADCAST} ins(%y : tensor<3x4xf32>) outs(%d : tensor<3xf32>) {{
              ^bb0(%in: f32, %out: f32):
                %s = arith.addf %in, %out : f32
                linalg.yield %s : f32
            }} -> tensor<3xf32>
            %c1 = arith.constant 1 : index
            %r = tensor.extract %0[%c1] : tensor<3xf32>
            {double("%1", "%x", "%0", "tensor<3xf32>")}
            return %1, %r : tensor<3xf32>, f32""",
        ),
        args=("3xf32", "3x4xf32", "3xf32"),
        numpy=lambda d, y, x: (2 * x, d[1] + y[1].sum()),
    ),
    Program(
        "outs_that_are_also_an_input",
        _main(
            f"%d: {_VECTOR}, %x: {_VECTOR}",
            _VECTOR,
            f"""{double("%0", "%x", "%d")}
            {double("%1", "%0", "%0")}
            return %1 : {_VECTOR}""",
        ),
        args=("5xf32", "5xf32"),
        numpy=lambda d, x: 4 * x,
    ),
    Program(
        "outs_that_are_also_an_input_of_a_named_op_stays",
        _main(
            f"%d: {_VECTOR}, %x: {_VECTOR}",
            _VECTOR,
            f"""{named("%0", "abs", "%x", "%d")}
            {named("%1", "negf", "%0", "%0")}
            return %1 : {_VECTOR}""",
        ),
        args=("5xf32", "5xf32"),
        numpy=lambda d, x: -abs(x),
    ),
    Program(
        "outs_that_collapse_onto_one_value",
        _main(
            f"%d: {_VECTOR}, %x: {_VECTOR}, %f: f32",
            f"{_VECTOR}, {_VECTOR}",
            f"""{fill("%a", "%f", "%d")}
            {named("%b", "exp", "%x", "%d")}
            %0:2 = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}}
              ins(%x : {_VECTOR}) outs(%a, %b : {_VECTOR}, {_VECTOR}) {{
              ^bb0(%in: f32, %o0: f32, %o1: f32):
                %n = arith.negf %in : f32
                linalg.yield %in, %n : f32, f32
            }} -> ({_VECTOR}, {_VECTOR})
            return %0#0, %0#1 : {_VECTOR}, {_VECTOR}""",
        ),
        args=("5xf32", "5xf32", 7.0),
        numpy=lambda d, x, f: (x, -x),
    ),
    Program(
        "outs_of_a_constant",
        _main(
            "%x: tensor<5xf32>, %f: f32",
            "tensor<5xf32>",
            f"""%d = arith.constant dense<3.0> : tensor<5xf32>
            {fill("%0", "%f", "%d", "tensor<5xf32>")}
            {double("%1", "%x", "%0", "tensor<5xf32>")}
            return %1 : tensor<5xf32>""",
        ),
        args=("5xf32", 7.0),
        numpy=lambda x, f: 2 * x,
    ),
    Program(
        "outs_of_an_argument_that_is_only_read",
        _main(
            f"%d: {_VECTOR} {{bufferization.writable = false}}, %x: {_VECTOR}, %f: f32",
            _VECTOR,
            f"""{fill("%0", "%f", "%d")}
            {double("%1", "%x", "%0")}
            return %1 : {_VECTOR}""",
        ),
        args=("5xf32", "5xf32", 7.0),
        numpy=lambda d, x, f: 2 * x,
    ),
    Program(
        "outs_of_a_buffer_that_is_read_before_stays",
        _main(
            f"%d: {_VECTOR} {{bufferization.writable = false}}, %x: {_VECTOR}, %f: f32, %i: index",
            f"{_VECTOR}, f32",
            f"""{named("%0", "exp", "%x", "%d")}
            %r = tensor.extract %0[%i] : {_VECTOR}
            {double("%1", "%x", "%0")}
            return %1, %r : {_VECTOR}, f32""",
        ),
        args=("5xf32", "5xf32", 7.0, 2),
        numpy=lambda d, x, f, i: (2 * x, np.exp(x[i])),
        rtol=1e-5,
    ),
    Program(
        "outs_of_loops_and_branches",
        _main(
            f"%d: {_VECTOR}, %x: {_VECTOR}, %f: f32, %n: index, %c: i1",
            _VECTOR,
            f"""%c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %d) -> {_VECTOR} {{
              {fill("%y", "%f", "%a")}
              scf.yield %y : {_VECTOR}
            }}
            %1 = scf.if %c -> {_VECTOR} {{
              {fill("%y", "%f", "%0")}
              scf.yield %y : {_VECTOR}
            }} else {{
              scf.yield %0 : {_VECTOR}
            }}
            %2 = scf.forall (%i) in (2) shared_outs(%o = %1) -> {_VECTOR} {{
              %v = tensor.extract_slice %x[%i] [1] [1] : {_VECTOR} to tensor<1xf32>
              scf.forall.in_parallel {{
                tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into {_VECTOR}
              }}
            }}
            {double("%3", "%x", "%2")}
            return %3 : {_VECTOR}""",
        ),
        args=[("5xf32", "5xf32", 7.0, 3, True), ("5xf32", "5xf32", 7.0, 0, False)],
        numpy=lambda d, x, f, n, c: 2 * x,
    ),
    Program(
        "outs_in_a_loop_of_a_tensor_outside",
        _main(
            f"%d: {_VECTOR}, %x: {_VECTOR}, %f: f32, %n: index",
            "f32",
            f"""%c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            {fill("%0", "%f", "%d")}
            %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f) -> f32 {{
              {double("%y", "%x", "%0")}
              %z = tensor.extract %y[%i] : {_VECTOR}
              %s = arith.addf %a, %z : f32
              scf.yield %s : f32
            }}
            return %1 : f32""",
        ),
        args=("5xf32", "5xf32", 7.0, 3),
        numpy=lambda d, x, f, n: f + 2 * float(x[:3].sum()),
    ),
    Program(
        "outs_of_inserts",
        _main(
            "%d: tensor<5xf32>, %x: tensor<5xf32>, %f: f32, %i: index",
            "tensor<5xf32>",
            f"""%0 = tensor.insert %f into %d[%i] : tensor<5xf32>
            %v = tensor.extract_slice %x[1] [2] [1] : tensor<5xf32> to tensor<2xf32>
            %1 = tensor.insert_slice %v into %0[%i] [2] [1] : tensor<2xf32> into tensor<5xf32>
            %b = vector.broadcast %f : f32 to vector<5xf32>
            %c0 = arith.constant 0 : index
            %2 = vector.transfer_write %b, %1[%c0] {{in_bounds = [true]}} : vector<5xf32>, tensor<5xf32>
            {named("%3", "negf", "%x", "%2", "tensor<5xf32>")}
            return %3 : tensor<5xf32>""",
        ),
        args=("5xf32", "5xf32", 7.0, 2),
        numpy=lambda d, x, f, i: -x,
    ),
    Program(
        "outs_that_a_vector_overwrites",
        _main(
            "%d: tensor<5xf32>, %f: f32, %g: f32",
            "tensor<5xf32>",
            f"""{fill("%0", "%f", "%d", "tensor<5xf32>")}
            %b = vector.broadcast %g : f32 to vector<5xf32>
            %c0 = arith.constant 0 : index
            %1 = vector.transfer_write %b, %0[%c0] {{in_bounds = [true]}} : vector<5xf32>, tensor<5xf32>
            return %1 : tensor<5xf32>""",
        ),
        args=("5xf32", 7.0, 9.0),
        numpy=lambda d, f, g: np.full(5, g, np.float32),
    ),
    Program(
        "outs_that_a_vector_overwrites_partly_stays",
        _main(
            "%d: tensor<5xf32>, %f: f32, %g: f32",
            "tensor<5xf32>",
            f"""{fill("%0", "%f", "%d", "tensor<5xf32>")}
            %b = vector.broadcast %g : f32 to vector<3xf32>
            %c1 = arith.constant 1 : index
            %1 = vector.transfer_write %b, %0[%c1] {{in_bounds = [true]}} : vector<3xf32>, tensor<5xf32>
            return %1 : tensor<5xf32>""",
        ),
        args=("5xf32", 7.0, 9.0),
        numpy=lambda d, f, g: put(np.full(5, f, np.float32), slice(1, 4), g),
    ),
    Program(
        "outs_of_pack_unpack_and_softmax",
        _main(
            "%d: tensor<2x4xf32>, %x: tensor<8xf32>, %f: f32, %g: tensor<8xf32>",
            "tensor<2x4xf32>, tensor<8xf32>",
            f"""{fill("%0", "%f", "%d", "tensor<2x4xf32>")}
            %1 = linalg.pack %x inner_dims_pos = [0] inner_tiles = [4] into %0 : tensor<8xf32> -> tensor<2x4xf32>
            {fill("%2", "%f", "%g", "tensor<8xf32>")}
            %3 = linalg.unpack %1 inner_dims_pos = [0] inner_tiles = [4] into %2 : tensor<2x4xf32> -> tensor<8xf32>
            %4 = linalg.softmax dimension(0) ins(%x : tensor<8xf32>) outs(%3 : tensor<8xf32>) -> tensor<8xf32>
            return %1, %4 : tensor<2x4xf32>, tensor<8xf32>""",
        ),
        args=("2x4xf32", "8xf32", 7.0, "8xf32"),
        numpy=lambda d, x, f, g: (x.reshape(2, 4), np.exp(x - x.max()) / np.exp(x - x.max()).sum()),
        rtol=1e-5,
        oracle_cannot="upstream lowers none of the three to loops",
    ),
    Program(
        "outs_of_a_loop_that_surely_runs",
        _main(
            "%d: tensor<3xf32>, %y: tensor<3x4xf32>, %f: f32",
            "tensor<3xf32>",
            f"""{fill("%0", "%f", "%d", "tensor<3xf32>")}
            {_last_column("%1", "%y", "%0", ("tensor<3x4xf32>", "tensor<3xf32>"))}
            return %1 : tensor<3xf32>""",
        ),
        args=("3xf32", "3x4xf32", 7.0),
        numpy=lambda d, y, f: y[:, 3],
    ),
    Program(
        "outs_of_a_loop_that_may_not_run_stays",
        _main(
            "%d: tensor<3xf32>, %y: tensor<3x?xf32>, %f: f32",
            "tensor<3xf32>",
            f"""{fill("%0", "%f", "%d", "tensor<3xf32>")}
            {_last_column("%1", "%y", "%0", ("tensor<3x?xf32>", "tensor<3xf32>"))}
            return %1 : tensor<3xf32>""",
        ),
        args=[("3xf32", "3x4xf32", 7.0), ("3xf32", "3x0xf32", 7.0)],
        numpy=lambda d, y, f: y[:, -1] if y.size else np.full(3, f, np.float32),
        oracle_wrong="upstream takes an init of a loop without iterations as overwritten",
    ),
    Program(
        "outs_covered_by_a_sum_of_loops",
        _main(
            "%d: tensor<6xf32>, %x: tensor<3x2xf32>, %f: f32",
            "tensor<6xf32>",
            f"""{fill("%0", "%f", "%d", "tensor<6xf32>")}
            {_sum_map(2, 6)}""",
        ),
        args=("6xf32", "3x2xf32", 7.0),
        numpy=lambda d, x, f: x.reshape(6),
    ),
    Program(
        "outs_with_gaps_stays",
        _main(
            "%d: tensor<8xf32>, %x: tensor<3x2xf32>, %f: f32",
            "tensor<8xf32>",
            f"""{fill("%0", "%f", "%d", "tensor<8xf32>")}
            {_sum_map(3, 8)}""",
        ),
        args=("8xf32", "3x2xf32", 7.0),
        numpy=lambda d, x, f: _gaps(x, f),
        oracle_wrong="upstream takes an init that the output map does not cover as overwritten",
    ),
    Program(
        "outs_across_a_call",
        f"""{_MAPS}func.func private @fill(%d: {_VECTOR}, %f: f32) -> {_VECTOR} {{
            {fill("%0", "%f", "%d")}
            return %0 : {_VECTOR}
        }}
        func.func @main(%d: {_VECTOR}, %x: {_VECTOR}, %f: f32) -> {_VECTOR} {{
            %0 = call @fill(%d, %f) : ({_VECTOR}, f32) -> {_VECTOR}
            {fill("%1", "%f", "%0")}
            {double("%2", "%x", "%1")}
            return %2 : {_VECTOR}
        }}""",
        args=("5xf32", "5xf32", math.pi),
        numpy=lambda d, x, f: 2 * x,
    ),
]
