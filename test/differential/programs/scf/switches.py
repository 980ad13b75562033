"""scf.index_switch and scf.execute_region: many branches, a branch with its own buffer, a region that always runs."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

CASES = [("4xf32", "4xf32", case, 99.0) for case in (0, 1, 2)]

PROGRAMS = [
    Program(
        "switch_updates_hands_on_or_makes_anew",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {
          %c1 = arith.constant 1 : index
          %0 = scf.index_switch %n -> tensor<4xf32>
          case 0 {
            %1 = tensor.insert %f into %a[%c1] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          case 1 {
            scf.yield %b : tensor<4xf32>
          }
          default {
            %e = tensor.empty() : tensor<4xf32>
            %1 = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }""",
        args=CASES,
        numpy=lambda a, b, n, f: [put(a, 1, f), b, np.full_like(a, f)][n],
    ),
    Program(
        "switch_updates_what_is_read_later",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, f32) {
          %c1 = arith.constant 1 : index
          %0 = scf.index_switch %n -> tensor<4xf32>
          case 1 {
            %1 = tensor.insert %f into %a[%c1] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          default {
            scf.yield %a : tensor<4xf32>
          }
          %2 = tensor.extract %a[%c1] : tensor<4xf32>
          return %0, %2 : tensor<4xf32>, f32
        }""",
        args=CASES,
        numpy=lambda a, b, n, f: (put(a, 1, f) if n == 1 else a, a[1]),
    ),
    Program(
        "switch_result_updated_while_a_case_is_read",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c2 = arith.constant 2 : index
          %0 = scf.index_switch %n -> tensor<4xf32>
          case 0 {
            scf.yield %a : tensor<4xf32>
          }
          case 1 {
            scf.yield %b : tensor<4xf32>
          }
          default {
            scf.yield %a : tensor<4xf32>
          }
          %1 = tensor.insert %f into %0[%c2] : tensor<4xf32>
          return %1, %b : tensor<4xf32>, tensor<4xf32>
        }""",
        args=CASES,
        numpy=lambda a, b, n, f: (put(b if n == 1 else a, 2, f), b),
        upstream_wrong="upstream's analysis writes through the result of a switch into what one of its cases yields",
    ),
    Program(
        "execute_region_updates_its_surroundings",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = scf.execute_region -> tensor<4xf32> {
            %1 = tensor.insert %f into %a[%n] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          %2 = tensor.extract %b[%n] : tensor<4xf32>
          return %0, %2 : tensor<4xf32>, f32
        }""",
        args=CASES,
        numpy=lambda a, b, n, f: (put(a, n, f), b[n]),
    ),
    Program(
        "execute_region_makes_a_tensor_and_keeps_the_old_one",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0, %i = scf.execute_region -> (tensor<4xf32>, index) {
            %e = tensor.empty() : tensor<4xf32>
            %1 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
            %c3 = arith.constant 3 : index
            scf.yield %1, %c3 : tensor<4xf32>, index
          }
          %2 = tensor.insert %f into %a[%i] : tensor<4xf32>
          return %0, %2 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=CASES,
        numpy=lambda a, b, n, f: (a + b, put(a, 3, f)),
    ),
]
