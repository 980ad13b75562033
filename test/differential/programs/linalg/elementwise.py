"""linalg ops with parallel loops only: when may the result live in an input, and when must the init be kept?"""

from __future__ import annotations

import numpy as np

from ..program import Program, put

ID1 = "affine_map<(i) -> (i)>"
ID2 = "affine_map<(i, j) -> (i, j)>"
TRANSPOSED = "affine_map<(i, j) -> (j, i)>"

PROGRAMS = [
    Program(
        "fill_argument",
        """
        func.func @main(%t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
          %0 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32", 9.0),
        numpy=np.full_like,
    ),
    Program(
        "fill_argument_read_later",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.extract %t[%i] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: (np.full_like(t, f), t[i]),
    ),
    Program(
        "named_add_into_its_input",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
          %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32", "4xf32"),
        numpy=lambda a, b: a + b,
    ),
    Program(
        "named_add_into_its_input_read_later",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
          %1 = linalg.sub ins(%0, %a : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", "4xf32"),
        numpy=lambda a, b: (a + b, b),
    ),
    Program(
        "named_add_of_a_tensor_with_itself",
        """
        func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
          %0 = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32",),
        numpy=lambda a: a + a,
    ),
    Program(
        "generic_reads_its_init",
        f"""
        func.func @main(%a: tensor<4xf32>, %t: tensor<4xf32>, %i: index) -> (tensor<4xf32>, f32) {{
          %0 = linalg.generic {{indexing_maps = [{ID1}, {ID1}], iterator_types = ["parallel"]}}
              ins(%a : tensor<4xf32>) outs(%t : tensor<4xf32>) {{
          ^bb0(%x: f32, %y: f32):
            %1 = arith.addf %x, %y : f32
            linalg.yield %1 : f32
          }} -> tensor<4xf32>
          %2 = tensor.extract %t[%i] : tensor<4xf32>
          return %0, %2 : tensor<4xf32>, f32
        }}""",
        args=("4xf32", "4xf32", 1),
        numpy=lambda a, t, i: (a + t, t[i]),
    ),
    Program(
        "generic_does_not_read_its_init",
        f"""
        func.func @main(%a: tensor<4xf32>, %t: tensor<4xf32>, %i: index) -> (tensor<4xf32>, f32) {{
          %0 = linalg.generic {{indexing_maps = [{ID1}, {ID1}], iterator_types = ["parallel"]}}
              ins(%a : tensor<4xf32>) outs(%t : tensor<4xf32>) {{
          ^bb0(%x: f32, %y: f32):
            %1 = arith.mulf %x, %x : f32
            linalg.yield %1 : f32
          }} -> tensor<4xf32>
          %2 = tensor.extract %t[%i] : tensor<4xf32>
          return %0, %2 : tensor<4xf32>, f32
        }}""",
        args=("4xf32", "4xf32", 1),
        numpy=lambda a, t, i: (a * a, t[i]),
    ),
    Program(
        "generic_transposes_into_its_input",
        f"""
        func.func @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {{
          %0 = linalg.generic {{indexing_maps = [{TRANSPOSED}, {ID2}], iterator_types = ["parallel", "parallel"]}}
              ins(%a : tensor<3x3xf32>) outs(%a : tensor<3x3xf32>) {{
          ^bb0(%x: f32, %y: f32):
            linalg.yield %x : f32
          }} -> tensor<3x3xf32>
          return %0 : tensor<3x3xf32>
        }}""",
        args=("3x3xf32",),
        numpy=lambda a: a.T,
    ),
    Program(
        "generic_adds_its_transpose",
        f"""
        func.func @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {{
          %0 = linalg.generic {{indexing_maps = [{ID2}, {TRANSPOSED}, {ID2}],
              iterator_types = ["parallel", "parallel"]}}
              ins(%a, %a : tensor<3x3xf32>, tensor<3x3xf32>) outs(%a : tensor<3x3xf32>) {{
          ^bb0(%x: f32, %xt: f32, %y: f32):
            %1 = arith.addf %x, %xt : f32
            linalg.yield %1 : f32
          }} -> tensor<3x3xf32>
          return %0 : tensor<3x3xf32>
        }}""",
        args=("3x3xf32",),
        numpy=lambda a: a + a.T,
    ),
    Program(
        "generic_transposed_on_both_sides",
        f"""
        func.func @main(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {{
          %0 = linalg.generic {{indexing_maps = [{TRANSPOSED}, {TRANSPOSED}],
              iterator_types = ["parallel", "parallel"]}}
              ins(%a : tensor<3x2xf32>) outs(%a : tensor<3x2xf32>) {{
          ^bb0(%x: f32, %y: f32):
            %1 = arith.addf %x, %x : f32
            linalg.yield %1 : f32
          }} -> tensor<3x2xf32>
          return %0 : tensor<3x2xf32>
        }}""",
        args=("3x2xf32",),
        numpy=lambda a: a + a,
        fewer=True,
    ),
    Program(
        "generic_broadcasts_a_row_of_its_init",
        f"""
        func.func @main(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {{
          %row = tensor.extract_slice %a[1, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
          %0 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j)>, {ID2}],
              iterator_types = ["parallel", "parallel"]}}
              ins(%row : tensor<4xf32>) outs(%a : tensor<3x4xf32>) {{
          ^bb0(%x: f32, %y: f32):
            %1 = arith.subf %y, %x : f32
            linalg.yield %1 : f32
          }} -> tensor<3x4xf32>
          return %0 : tensor<3x4xf32>
        }}""",
        args=("3x4xf32",),
        numpy=lambda a: a - a[1],
    ),
    Program(
        "generic_reverses_by_extracting_from_its_init",
        f"""
        func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {{
          %c4 = arith.constant 4 : index
          %0 = linalg.generic {{indexing_maps = [{ID1}], iterator_types = ["parallel"]}} outs(%a : tensor<5xf32>) {{
          ^bb0(%y: f32):
            %i = linalg.index 0 : index
            %j = arith.subi %c4, %i : index
            %1 = tensor.extract %a[%j] : tensor<5xf32>
            linalg.yield %1 : f32
          }} -> tensor<5xf32>
          return %0 : tensor<5xf32>
        }}""",
        args=("5xf32",),
        numpy=lambda a: a[::-1],
    ),
    Program(
        "generic_gathers_from_another_tensor",
        f"""
        func.func @main(%a: tensor<5xf32>, %at: tensor<5xindex>) -> tensor<5xf32> {{
          %e = tensor.empty() : tensor<5xf32>
          %c5 = arith.constant 5 : index
          %0 = linalg.generic {{indexing_maps = [{ID1}, {ID1}], iterator_types = ["parallel"]}}
              ins(%at : tensor<5xindex>) outs(%e : tensor<5xf32>) {{
          ^bb0(%x: index, %y: f32):
            %i = arith.remui %x, %c5 : index
            %1 = tensor.extract %a[%i] : tensor<5xf32>
            linalg.yield %1 : f32
          }} -> tensor<5xf32>
          return %0 : tensor<5xf32>
        }}""",
        args=("5xf32", "5xindex"),
        numpy=lambda a, at: a[at % 5],
    ),
    Program(
        "generic_extracts_from_a_version_older_than_its_init",
        f"""
        func.func @main(%a: tensor<4xf32>, %f: f32) -> tensor<4xf32> {{
          %c0 = arith.constant 0 : index
          %b = tensor.insert %f into %a[%c0] : tensor<4xf32>
          %0 = linalg.generic {{indexing_maps = [{ID1}], iterator_types = ["parallel"]}} outs(%b : tensor<4xf32>) {{
          ^bb0(%y: f32):
            %1 = tensor.extract %a[%c0] : tensor<4xf32>
            %2 = arith.addf %1, %y : f32
            linalg.yield %2 : f32
          }} -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }}""",
        args=("4xf32", 100.0),
        numpy=lambda a, f: put(a, 0, f) + a[0],
    ),
    Program(
        "generic_with_two_results",
        f"""
        func.func @main(%a: tensor<4xf32>, %s: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
          %0:2 = linalg.generic {{indexing_maps = [{ID1}, {ID1}, {ID1}], iterator_types = ["parallel"]}}
              ins(%a : tensor<4xf32>) outs(%s, %t : tensor<4xf32>, tensor<4xf32>) {{
          ^bb0(%x: f32, %y: f32, %z: f32):
            %1 = arith.addf %x, %z : f32
            %2 = arith.subf %y, %x : f32
            linalg.yield %1, %2 : f32, f32
          }} -> (tensor<4xf32>, tensor<4xf32>)
          return %0#1, %0#0 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=("4xf32", "4xf32", "4xf32"),
        numpy=lambda a, s, t: (s - a, a + t),
    ),
    Program(
        "generic_with_one_tensor_as_both_inits",
        f"""
        func.func @main(%t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
          %0:2 = linalg.generic {{indexing_maps = [{ID1}, {ID1}], iterator_types = ["parallel"]}}
              outs(%t, %t : tensor<4xf32>, tensor<4xf32>) {{
          ^bb0(%y: f32, %z: f32):
            %1 = arith.addf %y, %z : f32
            %2 = arith.mulf %y, %z : f32
            linalg.yield %1, %2 : f32, f32
          }} -> (tensor<4xf32>, tensor<4xf32>)
          return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=("4xf32",),
        numpy=lambda t: (t + t, t * t),
    ),
    Program(
        "generic_with_one_result_dead",
        f"""
        func.func @main(%a: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
          %0:2 = linalg.generic {{indexing_maps = [{ID1}, {ID1}, {ID1}], iterator_types = ["parallel"]}}
              ins(%a : tensor<4xf32>) outs(%t, %a : tensor<4xf32>, tensor<4xf32>) {{
          ^bb0(%x: f32, %y: f32, %z: f32):
            %1 = arith.addf %x, %y : f32
            linalg.yield %1, %y : f32, f32
          }} -> (tensor<4xf32>, tensor<4xf32>)
          return %0#0, %a : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=("4xf32", "4xf32"),
        numpy=lambda a, t: (a + t, a),
    ),
    Program(
        "generic_with_a_scalar_input",
        f"""
        func.func @main(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {{
          %f = tensor.extract %t[%i] : tensor<4xf32>
          %0 = linalg.generic {{indexing_maps = [affine_map<(i) -> ()>, {ID1}], iterator_types = ["parallel"]}}
              ins(%f : f32) outs(%t : tensor<4xf32>) {{
          ^bb0(%x: f32, %y: f32):
            %1 = arith.mulf %x, %y : f32
            linalg.yield %1 : f32
          }} -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }}""",
        args=("4xf32", 1),
        numpy=lambda t, i: t[i] * t,
    ),
    Program(
        "generic_of_rank_0",
        """
        func.func @main(%a: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
          %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
              ins(%a : tensor<f32>) outs(%t : tensor<f32>) {
          ^bb0(%x: f32, %y: f32):
            %1 = arith.subf %x, %y : f32
            linalg.yield %1 : f32
          } -> tensor<f32>
          return %0, %t : tensor<f32>, tensor<f32>
        }""",
        args=("f32", "f32"),
        numpy=lambda a, t: (a - t, t),
    ),
    Program(
        "map_transpose_broadcast_copy",
        """
        func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %c: tensor<4x3x2xf32>) -> tensor<4x3x2xf32> {
          %0 = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%b : tensor<3x2xf32>) permutation = [1, 0]
          %1 = linalg.broadcast ins(%0 : tensor<3x2xf32>) outs(%c : tensor<4x3x2xf32>) dimensions = [0]
          %2 = linalg.map { arith.mulf } ins(%1, %1 : tensor<4x3x2xf32>, tensor<4x3x2xf32>)
              outs(%1 : tensor<4x3x2xf32>)
          %e = tensor.empty() : tensor<4x3x2xf32>
          %3 = linalg.copy ins(%2 : tensor<4x3x2xf32>) outs(%e : tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
          return %3 : tensor<4x3x2xf32>
        }""",
        args=("2x3xf32", "3x2xf32", "4x3x2xf32"),
        numpy=lambda a, b, c: np.broadcast_to(a.T * a.T, (4, 3, 2)),
    ),
    Program(
        "transpose_into_its_input",
        """
        func.func @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
          %0 = linalg.transpose ins(%a : tensor<3x3xf32>) outs(%a : tensor<3x3xf32>) permutation = [1, 0]
          return %0 : tensor<3x3xf32>
        }""",
        args=("3x3xf32",),
        numpy=lambda a: a.T,
    ),
    Program(
        "chain_of_elementwise_ops",
        """
        func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
          %c0 = arith.constant 0 : index
          %n = tensor.dim %a, %c0 : tensor<?xf32>
          %e = tensor.empty(%n) : tensor<?xf32>
          %0 = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
          %1 = linalg.mul ins(%0, %a : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
          %2 = linalg.sub ins(%1, %0 : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
          return %2 : tensor<?xf32>
        }""",
        args=[("5xf32", "5xf32"), ("0xf32", "0xf32")],
        numpy=lambda a, b: (a + b) * a - (a + b),
    ),
]
