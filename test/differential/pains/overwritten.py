"""Pains of what is read after it was overwritten: upstream keeps a copy of the whole tensor."""

from __future__ import annotations

import numpy as np
from programs.program import put

from .pain import Pain, W, main

BIG, ROW = "1048576xf32", "4096xf32"


def swap_rows(t: np.ndarray, i: int, j: int) -> np.ndarray:
    changed = t.copy()
    changed[[i, j]] = t[[j, i]]
    return changed


def shifted(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.concatenate([x, t[:-1]])


def drained(t: np.ndarray, x: float, n: int) -> tuple[np.ndarray, float]:
    total, t = 0.0, t.copy()
    for i in range(n):
        total += float(t[i])
        t[i] = x
    return t, np.float32(total)


PAINS = (
    Pain(
        "element_after_insert",
        "an element of the old tensor is read after one was inserted (llvm-project 58293, discussion)",
        main(
            f"%t: !t {W}, %x: f32, %i: index, %j: index",
            "!t, f32",
            """
            %r = tensor.insert %x into %t[%i] : !t
            %o = tensor.extract %t[%j] : !t
            return %r, %o : !t, f32""",
            t=ROW,
        ),
        (ROW, 9.0, 7, 7),
        lambda t, x, i, j: (put(t, i, x), t[j]),
        copied=0,
    ),
    Pain(
        "element_of_4_MB",
        "one element of a tensor that was overwritten as a whole costs a copy of 4 MB",
        main(
            f"%t: !t {W}, %x: f32, %j: index",
            "!t, f32",
            """
            %r = linalg.fill ins(%x : f32) outs(%t : !t) -> !t
            %o = tensor.extract %t[%j] : !t
            return %r, %o : !t, f32""",
            t=BIG,
        ),
        (BIG, 9.0, 77),
        lambda t, x, j: (np.full_like(t, x), t[j]),
        copied=64,
    ),
    Pain(
        "row_after_fill",
        "a slice of the old tensor is read after it was overwritten: a copy of all of it (iree 8303)",
        main(
            f"%t: !t {W}, %x: f32",
            "!t, !r",
            """
            %w = linalg.fill ins(%x : f32) outs(%t : !t) -> !t
            %s = tensor.extract_slice %t[5, 0] [1, 64] [1, 1] : !t to !r
            %e = tensor.empty() : !r
            %o = linalg.exp ins(%s : !r) outs(%e : !r) -> !r
            return %w, %o : !t, !r""",
            t="64x64xf32",
            r="64xf32",
        ),
        ("64x64xf32:random", 9.0),
        lambda t, x: (np.full_like(t, x), np.exp(t[5])),
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "slice_returned",
        "a few elements are kept of a tensor that is overwritten: more than those are copied (iree 18778)",
        main(
            f"%t: !t {W}, %x: f32",
            "!t, !r",
            """
            %w = linalg.fill ins(%x : f32) outs(%t : !t) -> !t
            %s = tensor.extract_slice %t[5, 0] [1, 64] [1, 1] : !t to !r
            return %w, %s : !t, !r""",
            t="64x64xf32",
            r="64xf32",
        ),
        ("64x64xf32", 9.0),
        lambda t, x: (np.full_like(t, x), t[5]),
        copied=256,
    ),
    Pain(
        "reduction_after_insert",
        "a sum of the old tensor is computed after an update of it (iree 12019)",
        main(
            f"%t: !t {W}, %x: f32, %i: index",
            "!t, tensor<f32>",
            """
            %r = tensor.insert %x into %t[%i] : !t
            %e = tensor.empty() : tensor<f32>
            %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<f32>) -> tensor<f32>
            %s = linalg.reduce {arith.addf} ins(%t : !t) outs(%z : tensor<f32>) dimensions = [0]
            return %r, %s : !t, tensor<f32>""",
            t="256xf32",
        ),
        ("256xf32", 9.0, 7),
        lambda t, x, i: (put(t, i, x), t.sum(dtype=np.float32)),
        copied=0,
    ),
    Pain(
        "loop_reads_old_elements",
        "a loop reads elements of a tensor that was overwritten before it (iree 11412)",
        main(
            f"%t: !t {W}, %x: f32, %n: index",
            "!t, f32",
            """
            %r = linalg.fill ins(%x : f32) outs(%t : !t) -> !t
            %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f0) -> (f32) {
              %o = tensor.extract %t[%i] : !t
              %b = arith.addf %a, %o : f32
              scf.yield %b : f32
            }
            return %r, %s : !t, f32""",
            t=ROW,
        ),
        (ROW, 9.0, 5),
        lambda t, x, n: (np.full_like(t, x), t[:n].sum()),
        copied=0,
    ),
    Pain(
        "branch_reads_old_element",
        "only one branch reads the old tensor, but it is always copied",
        main(
            f"%t: !t {W}, %x: f32, %c: i1, %j: index",
            "!t, f32",
            """
            %r = linalg.fill ins(%x : f32) outs(%t : !t) -> !t
            %s = scf.if %c -> (f32) {
              %o = tensor.extract %t[%j] : !t
              scf.yield %o : f32
            } else {
              scf.yield %x : f32
            }
            return %r, %s : !t, f32""",
            t=ROW,
        ),
        (ROW, 9.0, True, 5),
        lambda t, x, c, j: (np.full_like(t, x), t[j] if c else np.float32(x)),
        copied=0,
    ),
    Pain(
        "vector_after_write",
        "a vector is read from the old tensor after another one was written (llvm-project 122869)",
        main(
            f"%t: !t {W}, %x: f32",
            "!t, !r",
            """
            %p = arith.constant 0.0 : f32
            %v = vector.broadcast %x : f32 to vector<8xf32>
            %w = vector.transfer_write %v, %t[%c8] {in_bounds = [true]} : vector<8xf32>, !t
            %o = vector.transfer_read %t[%c8], %p {in_bounds = [true]} : !t, vector<8xf32>
            %e = tensor.empty() : !r
            %q = vector.transfer_write %o, %e[%c0] {in_bounds = [true]} : vector<8xf32>, !r
            return %w, %q : !t, !r""",
            t=ROW,
            r="8xf32",
        ),
        (ROW, 9.0),
        lambda t, x: (put(t, slice(8, 16), x), t[8:16]),
        copied=0,
    ),
    Pain(
        "old_elements_in_a_loop",
        "each iteration inserts an element, and then reads the old one: a copy of the tensor in each of them",
        main(
            f"%t: !t {W}, %x: f32, %n: index",
            "!t, f32",
            """
            %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %s = %f0) -> (!t, f32) {
              %w = tensor.insert %x into %a[%i] : !t
              %o = tensor.extract %a[%i] : !t
              %b = arith.addf %s, %o : f32
              scf.yield %w, %b : !t, f32
            }
            return %r#0, %r#1 : !t, f32""",
            t=ROW,
        ),
        (ROW, 9.0, 10),
        drained,
        copied=0,
    ),
    Pain(
        "two_elements_swapped",
        "the second element is read after the first one was written: sorting copies the tensor each time",
        main(
            f"%t: !t {W}, %i: index, %j: index",
            "!t",
            """
            %a = tensor.extract %t[%i] : !t
            %u = tensor.insert %a into %t[%j] : !t
            %b = tensor.extract %t[%j] : !t
            %v = tensor.insert %b into %u[%i] : !t
            return %v : !t""",
            t=ROW,
        ),
        (ROW, 7, 3000),
        swap_rows,
        copied=0,
    ),
    Pain(
        "two_rows_swapped",
        "two rows change places by a copy of the whole matrix (iree 8283)",
        main(
            f"%t: !t {W}, %i: index, %j: index",
            "!t",
            """
            %a = tensor.extract_slice %t[%i, 0] [1, 64] [1, 1] : !t to !r
            %b = tensor.extract_slice %t[%j, 0] [1, 64] [1, 1] : !t to !r
            %u = tensor.insert_slice %a into %t[%j, 0] [1, 64] [1, 1] : !r into !t
            %v = tensor.insert_slice %b into %u[%i, 0] [1, 64] [1, 1] : !r into !t
            return %v : !t""",
            t="64x64xf32",
            r="64xf32",
        ),
        ("64x64xf32", 7, 30),
        swap_rows,
        copied=3 * 256,
        peak=256,
    ),
    Pain(
        "two_halves_swapped",
        "two halves change places by more than one temporary and three copies of a half",
        main(
            f"%t: !t {W}",
            "!t",
            """
            %a = tensor.extract_slice %t[0] [2048] [1] : !t to !h
            %b = tensor.extract_slice %t[2048] [2048] [1] : !t to !h
            %u = tensor.insert_slice %b into %t[0] [2048] [1] : !h into !t
            %v = tensor.insert_slice %a into %u[2048] [2048] [1] : !h into !t
            return %v : !t""",
            t=ROW,
            h="2048xf32",
        ),
        (ROW,),
        lambda t: np.roll(t, 2048),
        copied=3 * 8192,
        peak=8192,
    ),
    Pain(
        "pushed_into_history",
        "a history shifts by one row: its copy is copied once more",
        main(
            f"%t: !t {W}, %x: !r",
            "!t",
            """
            %s = tensor.extract_slice %t[0, 0] [63, 64] [1, 1] : !t to !s
            %u = tensor.insert_slice %s into %t[1, 0] [63, 64] [1, 1] : !s into !t
            %v = tensor.insert_slice %x into %u[0, 0] [1, 64] [1, 1] : !r into !t
            return %v : !t""",
            t="64x64xf32",
            s="63x64xf32",
            r="1x64xf32",
        ),
        ("64x64xf32", "1x64xf32"),
        shifted,
    ),
    Pain(
        "old_and_new_compared",
        "a norm of the change keeps a copy of what was updated in place (llvm-project 58293)",
        main(
            f"%t: !t {W}, %x: f32, %i: index",
            "!t, f32",
            """
            %old = tensor.extract %t[%i] : !t
            %n = arith.addf %old, %x : f32
            %r = tensor.insert %n into %t[%i] : !t
            %a = tensor.extract %r[%i] : !t
            %b = tensor.extract %t[%i] : !t
            %d = arith.subf %a, %b : f32
            return %r, %d : !t, f32""",
            t=ROW,
        ),
        (ROW, 9.0, 70),
        lambda t, x, i: (put(t, i, t[i] + x), np.float32(9)),
        copied=0,
    ),
    Pain(
        "size_of_the_old_tensor",
        "only the size of the old tensor is asked for (iree 8660)",
        main(
            f"%t: !t {W}, %x: f32",
            "!t, index",
            """
            %r = linalg.fill ins(%x : f32) outs(%t : !t) -> !t
            %n = tensor.dim %t, %c0 : !t
            return %r, %n : !t, index""",
            t="?xf32",
        ),
        ("4096xf32", 9.0),
        lambda t, x: (np.full_like(t, x), 4096),
        copied=0,
    ),
    Pain(
        "product_after_fill",
        "a product of the old tensor comes after it was cleared",
        main(
            f"%t: !t {W}, %y: !t",
            "!t, !t",
            """
            %r = linalg.fill ins(%f0 : f32) outs(%t : !t) -> !t
            %e = tensor.empty() : !t
            %z = linalg.fill ins(%f0 : f32) outs(%e : !t) -> !t
            %p = linalg.matmul ins(%t, %y : !t, !t) outs(%z : !t) -> !t
            return %r, %p : !t, !t""",
            t="16x16xf32",
        ),
        ("16x16xf32", "16x16xf32"),
        lambda t, y: (0 * t, t @ y),
        copied=0,
    ),
)
