"""Pains of slices that are computed, inserted, returned, or handed to functions."""

from __future__ import annotations

import numpy as np
from programs.program import put

from .pain import Pain, W, main

T = "64x64xf32"
R = "64x64xf32:random"


def joined(*parts: np.ndarray) -> np.ndarray:
    return np.concatenate([np.exp(part) for part in parts])


PAINS = (
    Pain(
        "computed_then_inserted",
        "a result is computed in a buffer of its own, then copied into its slice (llvm-project 101709)",
        main(
            f"%t: !t {W}, %x: !s, %i: index",
            "!t",
            """
            %k = arith.constant dense<1.5> : !s
            %e = tensor.empty() : !s
            %a = linalg.add ins(%x, %k : !s, !s) outs(%e : !s) -> !s
            %r = tensor.insert_slice %a into %t[%i] [8] [1] : !s into !t
            return %r : !t""",
            t="1024xf32",
            s="8xf32",
        ),
        ("1024xf32", "8xf32", 16),
        lambda t, x, i: put(t, slice(i, i + 8), x + 1.5),
        copied=0,
    ),
    Pain(
        "concatenated",
        "the parts of a concatenation are computed elsewhere and copied (llvm-project 118958)",
        main(
            "%x: !t, %y: !t",
            "!d",
            """
            %e = tensor.empty() : !t
            %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
            %b = linalg.exp ins(%y : !t) outs(%e : !t) -> !t
            %r = tensor.concat dim(0) %a, %b : (!t, !t) -> !d
            return %r : !d""",
            t=T,
            d="128x64xf32",
        ),
        (R, R),
        joined,
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "inserted_one_by_one",
        "several computed parts are inserted into an empty tensor (llvm-project 118958)",
        main(
            "%x: !t, %y: !t",
            "!d",
            """
            %e = tensor.empty() : !t
            %d = tensor.empty() : !d
            %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
            %b = linalg.exp ins(%y : !t) outs(%e : !t) -> !t
            %r0 = tensor.insert_slice %a into %d[0, 0] [64, 64] [1, 1] : !t into !d
            %r1 = tensor.insert_slice %b into %r0[64, 0] [64, 64] [1, 1] : !t into !d
            return %r1 : !d""",
            t=T,
            d="128x64xf32",
        ),
        (R, R),
        joined,
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "padded_result",
        "what is padded is computed in a buffer of its own and copied (iree 11273)",
        main(
            "%x: !t",
            "!d",
            """
            %e = tensor.empty() : !t
            %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
            %r = tensor.pad %a low[1, 1] high[1, 1] {
            ^bb0(%i: index, %j: index):
              tensor.yield %f0 : f32
            } : !t to !d
            return %r : !d""",
            t=T,
            d="66x66xf32",
        ),
        (R,),
        lambda x: np.pad(np.exp(x), 1),
        rtol=1e-6,
    ),
    Pain(
        "inserted_into_an_argument",
        "a tensor is inserted into one that must stay: more than the new result is copied (iree 9363)",
        main(
            "%t: !t, %x: !s",
            "!t",
            """
            %r = tensor.insert_slice %x into %t[3, 4] [8, 8] [1, 1] : !s into !t
            return %r : !t""",
            t=T,
            s="8x8xf32",
        ),
        (T, "8x8xf32"),
        lambda t, x: put(t, (slice(3, 11), slice(4, 12)), x),
        copied=16384 + 256,
    ),
    Pain(
        "position_of_the_slice",
        "whether it copies depends on where the slice is taken (llvm-project 122869)",
        main(
            "%v: !v, %t: !b",
            "!v",
            """
            %e = tensor.empty() : !v
            %x = linalg.exp ins(%v : !v) outs(%e : !v) -> !v
            %s = tensor.extract_slice %t[1, 0, 0] [1, 64, 64] [1, 1, 1] : !b to !o
            %w = tensor.insert_slice %x into %s[0, 0, 0] [1, 64, 64] [1, 1, 1] : !v into !o
            %c = tensor.collapse_shape %w [[0, 1], [2]] : !o into !v
            return %c : !v""",
            v=T,
            o="1x64x64xf32",
            b="2x64x64xf32",
        ),
        (R, "2x64x64xf32"),
        lambda v, _: np.exp(v),
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "whole_slice",
        "a tile as large as the tensor leaves a slice of everything, and a copy (llvm-project 107046)",
        main(
            f"%t: !t {W}",
            "!t",
            """
            %a = tensor.extract_slice %t[0, 0] [64, 64] [1, 1] : !t to !t
            %x = linalg.exp ins(%a : !t) outs(%t : !t) -> !t
            %w = tensor.insert_slice %x into %a[0, 0] [64, 64] [1, 1] : !t into !t
            %r = tensor.insert_slice %w into %t[0, 0] [64, 64] [1, 1] : !t into !t
            return %r : !t""",
            t=T,
        ),
        (R,),
        np.exp,
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "two_sides_of_one_tensor",
        "one part of a tensor is computed from another part of it (iree 8303)",
        main(
            f"%t: !t {W}",
            "!t",
            """
            %a = tensor.extract_slice %t[0, 0] [32, 64] [1, 1] : !t to !h
            %b = tensor.extract_slice %t[32, 0] [32, 64] [1, 1] : !t to !h
            %x = linalg.exp ins(%a : !h) outs(%b : !h) -> !h
            %r = tensor.insert_slice %x into %t[32, 0] [32, 64] [1, 1] : !h into !t
            return %r : !t""",
            t=T,
            h="32x64xf32",
        ),
        (R,),
        lambda t: np.concatenate([t[:32], np.exp(t[:32])]),
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "loop_result_of_the_caller",
        "the result of a loop from an empty tensor is copied to the caller's memory",
        main(
            "%x: !t",
            "!t",
            """
            %e = tensor.empty() : !t
            %z = scf.for %i = %c0 to %c64 step %c1 iter_args(%a = %e) -> (!t) {
              %s = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1] : !t to !r
              %o = tensor.extract_slice %a[%i, 0] [1, 64] [1, 1] : !t to !r
              %y = linalg.exp ins(%s : !r) outs(%o : !r) -> !r
              %w = tensor.insert_slice %y into %a[%i, 0] [1, 64] [1, 1] : !r into !t
              scf.yield %w : !t
            }
            return %z : !t""",
            t=T,
            r="64xf32",
        ),
        (R,),
        np.exp,
        rtol=1e-6,
        copied=0,
        peak=16384,
    ),
    Pain(
        "either_updated_or_not",
        "a branch updates the tensor, the other one yields it as it is (llvm-project 66626)",
        main(
            f"%t: !t {W}, %x: f32, %c: i1",
            "!t",
            """
            %r = scf.if %c -> (!t) {
              %w = tensor.insert %x into %t[%c5] : !t
              scf.yield %w : !t
            } else {
              scf.yield %t : !t
            }
            return %r : !t""",
            t="1024xf32",
        ),
        ("1024xf32", 9.0, True),
        lambda t, x, c: put(t, 5, x) if c else t,
        copied=0,
    ),
    Pain(
        "one_of_two_results",
        "what a branch chose of two new tensors is cloned when buffers are freed (llvm-project 66337)",
        main(
            "%x: !t, %c: i1",
            "!t",
            """
            %e = tensor.empty() : !t
            %r = scf.if %c -> (!t) {
              %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
              scf.yield %a : !t
            } else {
              %b = linalg.add ins(%x, %x : !t, !t) outs(%e : !t) -> !t
              scf.yield %b : !t
            }
            return %r : !t""",
            t=T,
        ),
        (R, False),
        lambda x, c: np.exp(x) if c else x + x,
        rtol=1e-6,
        copied=0,
        peak=16384,
    ),
    Pain(
        "one_of_two_arguments",
        "the chosen one of two arguments is updated: both are copied",
        main(
            f"%t: !t {W}, %u: !t {W}, %x: f32, %c: i1",
            "!t",
            """
            %r = scf.if %c -> (!t) {
              scf.yield %t : !t
            } else {
              scf.yield %u : !t
            }
            %w = tensor.insert %x into %r[%c5] : !t
            return %w : !t""",
            t="1024xf32",
        ),
        ("1024xf32", "1024xf32", 9.0, False),
        lambda t, u, x, c: put(t if c else u, 5, x),
    ),
    Pain(
        "updated_by_calls",
        "a function that returns its updated argument is called twice: copies at each call (llvm-project 58293)",
        main(
            f"%t: !t {W}, %x: f32",
            "!t",
            """
            %a = func.call @set(%t, %x, %c3) : (!t, f32, index) -> !t
            %b = func.call @set(%a, %x, %c4) : (!t, f32, index) -> !t
            return %b : !t""",
            """
            func.func private @set(%t: !t, %x: f32, %i: index) -> !t {
              %r = tensor.insert %x into %t[%i] : !t
              return %r : !t
            }""",
            t="1024xf32",
        ),
        ("1024xf32", 9.0),
        lambda t, x: put(t, [3, 4], x),
        copied=0,
    ),
    Pain(
        "element_after_a_call",
        "an element of what a call updated is read as it was before (llvm-project 58293)",
        main(
            f"%t: !t {W}, %x: f32",
            "!t, f32",
            """
            %a = func.call @set(%t, %x, %c3) : (!t, f32, index) -> !t
            %o = tensor.extract %t[%c3] : !t
            return %a, %o : !t, f32""",
            """
            func.func private @set(%t: !t, %x: f32, %i: index) -> !t {
              %r = tensor.insert %x into %t[%i] : !t
              return %r : !t
            }""",
            t="1024xf32",
        ),
        ("1024xf32", 9.0),
        lambda t, x: (put(t, 3, x), t[3]),
        copied=0,
    ),
    Pain(
        "made_by_a_call",
        "what a called function computes is copied into the slice it is for",
        main(
            f"%t: !t {W}, %x: !r",
            "!t",
            """
            %e = tensor.empty() : !r
            %a = func.call @square(%x, %e) : (!r, !r) -> !r
            %r = tensor.insert_slice %a into %t[3, 0] [1, 64] [1, 1] : !r into !t
            return %r : !t""",
            """
            func.func private @square(%x: !r, %o: !r) -> !r {
              %r = linalg.mul ins(%x, %x : !r, !r) outs(%o : !r) -> !r
              return %r : !r
            }""",
            t=T,
            r="64xf32",
        ),
        (T, "64xf32"),
        lambda t, x: put(t, 3, x * x),
        copied=0,
    ),
    Pain(
        "slice_of_a_temporary",
        "a slice of a temporary is returned: all of it stays alive, or it is copied",
        main(
            "%x: !t",
            "!r",
            """
            %e = tensor.empty() : !t
            %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
            %s = tensor.extract_slice %a[3, 0] [1, 64] [1, 1] : !t to !r
            return %s : !r""",
            t=T,
            r="64xf32",
        ),
        (R,),
        lambda x: np.exp(x[3]),
        rtol=1e-6,
        copied=256,
    ),
    Pain(
        "old_tensor_after_threads",
        "an element of what threads wrote into is read as it was before (llvm-project 98312)",
        main(
            f"%t: !t {W}, %j: index",
            "!t, f32",
            """
            %z = scf.forall (%i) = (0) to (1024) step (128) shared_outs(%a = %t) -> (!t) {
              %s = tensor.extract_slice %a[%i] [128] [1] : !t to !s
              %x = linalg.exp ins(%s : !s) outs(%s : !s) -> !s
              scf.forall.in_parallel {
                tensor.parallel_insert_slice %x into %a[%i] [128] [1] : !s into !t
              }
            }
            %o = tensor.extract %t[%j] : !t
            return %z, %o : !t, f32""",
            t="1024xf32",
            s="128xf32",
        ),
        ("1024xf32:random", 77),
        lambda t, j: (np.exp(t), t[j]),
        rtol=1e-6,
        copied=0,
    ),
)
