"""scf.forall: threads that update their own slices, read what others insert, insert from elsewhere, or only read."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

V = "tensor<8xf32>"
H = "tensor<4xf32>"
M = "tensor<4x6xf32>"
D = "tensor<?xf32>"
ONE = f"%t: {V}, %f: f32"
PAIR = f"%t: {V}, %u: {V}, %f: f32"
RUN = [("8xf32", 99.0)]
TWO = [("8xf32", "8xf32", 99.0)]
SEES_OTHERS = "a thread sees what others have inserted"
OWN = f"%s = tensor.extract_slice %o[%i] [4] [1] : {V} to {H}"
DOUBLE = f"%x = linalg.add ins(%s, %s : {H}, {H}) outs(%s : {H}) -> {H}"


def main(arguments: str, results: str, *body: str) -> str:
    text = "\n".join(body)
    return f"""
        func.func @main({arguments}) -> {results} {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c4 = arith.constant 4 : index
          %c8 = arith.constant 8 : index
          {text}
        }}"""


def forall(bounds: str, shared: str, types: str, body: str, *inserted: str) -> str:
    """A loop whose results are %r; what is inserted is written without the name of the op."""
    count = shared.count("=")
    results, outputs = (f"%r:{count} = ", f"shared_outs({shared}) -> ({types})") if count else ("", "")
    ends = "\n".join(f"tensor.parallel_insert_slice {line}" for line in inserted)
    return f"""{results}scf.forall {bounds} {outputs} {{
            {body}
            scf.forall.in_parallel {{
              {ends}
            }}
          }}"""


HALVES = "(%i) = (0) to (8) step (4)"
INSERT = f"%x into %o[%i] [4] [1] : {H} into {V}"


def first_half_added(t: np.ndarray, _: float) -> np.ndarray:
    return np.concatenate([t[:4] + t[:4], t[:4] + t[:4]])


def neighbours(t: np.ndarray, _: float) -> np.ndarray:
    return t + np.roll(t, 1)


def shifted_twice(t: np.ndarray, trips: int) -> np.ndarray:
    for _ in range(trips):
        t = t + t
    return t


PROGRAMS = [
    Program(
        "forall_updates_slices",
        main(ONE, V, forall(HALVES, "%o = %t", V, f"{OWN}\n{DOUBLE}", INSERT), f"return %r#0 : {V}"),
        args=RUN,
        numpy=lambda t, f: t + t,
    ),
    Program(
        "forall_init_read_after_the_loop",
        main(
            ONE, f"({V}, {V})", forall(HALVES, "%o = %t", V, f"{OWN}\n{DOUBLE}", INSERT), f"return %r#0, %t : {V}, {V}"
        ),
        args=RUN,
        numpy=lambda t, f: (t + t, t),
    ),
    Program(
        "forall_inserts_from_another_tensor",
        main(
            PAIR,
            V,
            forall(
                HALVES,
                "%o = %t",
                V,
                f"%j = arith.subi %c4, %i : index\n%x = tensor.extract_slice %u[%j] [4] [1] : {V} to {H}",
                INSERT,
            ),
            f"return %r#0 : {V}",
        ),
        args=TWO,
        numpy=lambda t, u, f: np.concatenate([u[4:], u[:4]]),
    ),
    Program(
        "forall_fills_an_empty_tensor",
        main(
            PAIR,
            V,
            f"%e = tensor.empty() : {V}",
            forall(
                HALVES,
                "%o = %e",
                V,
                f"{OWN}\n%p = tensor.extract_slice %t[%i] [4] [1] : {V} to {H}\n"
                f"%q = tensor.extract_slice %u[%i] [4] [1] : {V} to {H}\n"
                f"%x = linalg.add ins(%p, %q : {H}, {H}) outs(%s : {H}) -> {H}",
                INSERT,
            ),
            f"return %r#0 : {V}",
        ),
        args=TWO,
        numpy=lambda t, u, f: t + u,
    ),
    Program(
        "forall_inserts_a_part_only",
        main(
            ONE,
            V,
            forall(
                "(%i) = (0) to (8) step (4)",
                "%o = %t",
                V,
                "%x = tensor.splat %f : tensor<2xf32>",
                f"%x into %o[%i] [2] [2] : tensor<2xf32> into {V}",
            ),
            f"return %r#0 : {V}",
        ),
        args=RUN,
        numpy=lambda t, f: put(t, slice(0, 8, 2), f),
    ),
    Program(
        "forall_reads_the_first_slice_in_all_threads",
        main(
            ONE,
            V,
            forall(
                HALVES,
                "%o = %t",
                V,
                f"%s = tensor.extract_slice %o[0] [4] [1] : {V} to {H}\n{DOUBLE}",
                INSERT,
            ),
            f"return %r#0 : {V}",
        ),
        args=RUN,
        numpy=first_half_added,
        oracle_wrong=SEES_OTHERS,
    ),
    Program(
        "forall_reads_neighbours",
        main(
            ONE,
            V,
            forall(
                "(%i) in (8)",
                "%o = %t",
                V,
                f"""%k = arith.addi %i, %c8 : index
                %m = arith.subi %k, %c1 : index
                %j = arith.remui %m, %c8 : index
                %a = tensor.extract %o[%i] : {V}
                %b = tensor.extract %o[%j] : {V}
                %s = arith.addf %a, %b : f32
                %x = tensor.from_elements %s : tensor<1xf32>""",
                f"%x into %o[%i] [1] [1] : tensor<1xf32> into {V}",
            ),
            f"return %r#0 : {V}",
        ),
        args=RUN,
        numpy=neighbours,
        oracle_wrong=SEES_OTHERS,
    ),
    Program(
        "forall_reads_its_init_at_neighbours",
        main(
            ONE,
            V,
            forall(
                "(%i) in (8)",
                "%o = %t",
                V,
                f"""%k = arith.addi %i, %c8 : index
                %m = arith.subi %k, %c1 : index
                %j = arith.remui %m, %c8 : index
                %a = tensor.extract %t[%i] : {V}
                %b = tensor.extract %t[%j] : {V}
                %s = arith.addf %a, %b : f32
                %x = tensor.from_elements %s : tensor<1xf32>""",
                f"%x into %o[%i] [1] [1] : tensor<1xf32> into {V}",
            ),
            f"return %r#0 : {V}",
        ),
        args=RUN,
        numpy=neighbours,
    ),
    Program(
        "forall_reads_its_init_at_its_own_slice",
        main(
            ONE,
            V,
            forall(
                HALVES,
                "%o = %t",
                V,
                f"""%p = tensor.extract_slice %t[%i] [4] [1] : {V} to {H}
                {OWN}
                %x = linalg.mul ins(%p, %s : {H}, {H}) outs(%s : {H}) -> {H}""",
                INSERT,
            ),
            f"return %r#0 : {V}",
        ),
        args=RUN,
        numpy=lambda t, f: t * t,
    ),
    Program(
        "forall_reads_its_slice_again_after_the_update",
        main(
            ONE,
            V,
            forall(
                HALVES,
                "%o = %t",
                V,
                f"""{OWN}
                {DOUBLE}
                %p = tensor.extract_slice %o[%i] [4] [1] : {V} to {H}
                %z = linalg.mul ins(%p, %x : {H}, {H}) outs(%x : {H}) -> {H}""",
                f"%z into %o[%i] [4] [1] : {H} into {V}",
            ),
            f"return %r#0 : {V}",
        ),
        args=RUN,
        numpy=lambda t, f: t * (t + t),
    ),
    Program(
        "forall_two_outputs",
        main(
            PAIR,
            f"({V}, {V})",
            forall(
                HALVES,
                "%o = %t, %q = %u",
                f"{V}, {V}",
                f"""{OWN}
                {DOUBLE}
                %p = tensor.extract_slice %q[%i] [4] [1] : {V} to {H}
                %y = linalg.fill ins(%f : f32) outs(%p : {H}) -> {H}""",
                INSERT,
                f"%y into %q[%i] [4] [1] : {H} into {V}",
            ),
            f"return %r#0, %r#1 : {V}, {V}",
        ),
        args=TWO,
        numpy=lambda t, u, f: (t + t, np.full(8, f, np.float32)),
    ),
    Program(
        "forall_two_outputs_that_start_as_one",
        main(
            ONE,
            f"({V}, {V})",
            forall(
                HALVES,
                "%o = %t, %q = %t",
                f"{V}, {V}",
                f"{OWN}\n{DOUBLE}\n%y = tensor.splat %f : tensor<2xf32>",
                INSERT,
                f"%y into %q[%i] [2] [1] : tensor<2xf32> into {V}",
            ),
            f"return %r#0, %r#1 : {V}, {V}",
        ),
        args=RUN,
        numpy=lambda t, f: (t + t, put(put(t, slice(0, 2), f), slice(4, 6), f)),
    ),
    Program(
        "forall_swaps_two_outputs",
        main(
            PAIR,
            f"({V}, {V})",
            forall(
                HALVES,
                "%o = %t, %q = %u",
                f"{V}, {V}",
                f"{OWN}\n%p = tensor.extract_slice %q[%i] [4] [1] : {V} to {H}",
                f"%p into %o[%i] [4] [1] : {H} into {V}",
                f"%s into %q[%i] [4] [1] : {H} into {V}",
            ),
            f"return %r#0, %r#1 : {V}, {V}",
        ),
        args=TWO,
        numpy=lambda t, u, f: (u, t),
        oracle_wrong="the second insertion reads what the first one has overwritten",
    ),
    Program(
        "forall_two_insertions_into_one_output",
        main(
            ONE,
            V,
            forall(
                HALVES,
                "%o = %t",
                V,
                f"""%s = tensor.extract_slice %o[%i] [2] [1] : {V} to tensor<2xf32>
                %x = linalg.add ins(%s, %s : tensor<2xf32>, tensor<2xf32>) outs(%s : tensor<2xf32>) -> tensor<2xf32>
                %m = arith.addi %i, %c2 : index
                %y = tensor.splat %f : tensor<2xf32>""",
                f"%x into %o[%i] [2] [1] : tensor<2xf32> into {V}",
                f"%y into %o[%m] [2] [1] : tensor<2xf32> into {V}",
            ),
            f"return %r#0 : {V}",
        ),
        args=RUN,
        numpy=lambda t, f: put(put(t + t, slice(2, 4), f), slice(6, 8), f),
    ),
    Program(
        "forall_rows_of_a_matrix",
        main(
            f"%t: {M}, %f: f32",
            M,
            forall(
                "(%i) in (4)",
                "%o = %t",
                M,
                f"""%s = tensor.extract_slice %o[%i, 0] [1, 6] [1, 1] : {M} to tensor<6xf32>
                %x = tensor.insert %f into %s[%i] : tensor<6xf32>""",
                f"%x into %o[%i, 0] [1, 6] [1, 1] : tensor<6xf32> into {M}",
            ),
            f"return %r#0 : {M}",
        ),
        args=[("4x6xf32", 99.0)],
        numpy=lambda t, f: put(t, (range(4), range(4)), f),
    ),
    Program(
        "forall_tiles_of_a_matrix",
        main(
            f"%t: {M}, %u: {M}",
            M,
            forall(
                "(%i, %j) = (0, 0) to (4, 6) step (2, 3)",
                "%o = %t",
                M,
                f"""%s = tensor.extract_slice %o[%i, %j] [2, 3] [1, 1] : {M} to tensor<2x3xf32>
                %p = tensor.extract_slice %u[%i, %j] [2, 3] [1, 1] : {M} to tensor<2x3xf32>
                %x = linalg.sub ins(%p, %s : tensor<2x3xf32>, tensor<2x3xf32>) outs(%s : tensor<2x3xf32>)
                  -> tensor<2x3xf32>""",
                f"%x into %o[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> into {M}",
            ),
            f"return %r#0 : {M}",
        ),
        args=[("4x6xf32", "4x6xf32")],
        numpy=lambda t, u: u - t,
    ),
    Program(
        "forall_of_dynamic_size",
        main(
            f"%t: {D}, %f: f32",
            D,
            f"%n = tensor.dim %t, %c0 : {D}",
            forall(
                "(%i) = (0) to (%n) step (3)",
                "%o = %t",
                D,
                f"""%m = affine.min affine_map<(d0)[s0] -> (3, s0 - d0)>(%i)[%n]
                %s = tensor.extract_slice %o[%i] [%m] [1] : {D} to {D}
                %x = linalg.add ins(%s, %s : {D}, {D}) outs(%s : {D}) -> {D}""",
                f"%x into %o[%i] [%m] [1] : {D} into {D}",
            ),
            f"return %r#0 : {D}",
        ),
        args=[("8xf32", 99.0), ("1xf32", 99.0), ("0xf32", 99.0)],
        numpy=lambda t, f: t + t,
    ),
    Program(
        "forall_without_threads",
        main(
            f"%t: {V}, %n: index, %f: f32",
            f"({V}, {V})",
            forall("(%i) = (0) to (%n) step (4)", "%o = %t", V, f"{OWN}\n{DOUBLE}", INSERT),
            f"return %r#0, %t : {V}, {V}",
        ),
        args=[("8xf32", 0, 99.0), ("8xf32", 4, 99.0), ("8xf32", 8, 99.0)],
        numpy=lambda t, n, f: (put(t, slice(n), 2 * t[:n]), t),
    ),
    Program(
        "forall_nested",
        main(
            ONE,
            V,
            forall(
                HALVES,
                "%o = %t",
                V,
                f"""{OWN}
                %x = scf.forall (%k) in (4) shared_outs(%p = %s) -> ({H}) {{
                  %q = tensor.extract_slice %p[%k] [1] [1] : {H} to tensor<f32>
                  %y = linalg.add ins(%q, %q : tensor<f32>, tensor<f32>) outs(%q : tensor<f32>) -> tensor<f32>
                  scf.forall.in_parallel {{
                    tensor.parallel_insert_slice %y into %p[%k] [1] [1] : tensor<f32> into {H}
                  }}
                }}""",
                INSERT,
            ),
            f"return %r#0 : {V}",
        ),
        args=RUN,
        numpy=lambda t, f: t + t,
    ),
    Program(
        "forall_in_for",
        main(
            f"%t: {V}, %n: index",
            V,
            f"%z = scf.for %k = %c0 to %n step %c1 iter_args(%b = %t) -> ({V}) {{",
            forall(HALVES, "%o = %b", V, f"{OWN}\n{DOUBLE}", INSERT),
            f"scf.yield %r#0 : {V}\n}}\nreturn %z : {V}",
        ),
        args=[("8xf32", 0), ("8xf32", 3)],
        numpy=shifted_twice,
    ),
    Program(
        "forall_in_for_reads_what_was_before_both",
        main(
            f"%t: {V}, %n: index",
            V,
            f"%z = scf.for %k = %c0 to %n step %c1 iter_args(%b = %t) -> ({V}) {{",
            forall(
                HALVES,
                "%o = %b",
                V,
                f"""{OWN}
                %p = tensor.extract_slice %t[%i] [4] [1] : {V} to {H}
                %x = linalg.add ins(%s, %p : {H}, {H}) outs(%s : {H}) -> {H}""",
                INSERT,
            ),
            f"scf.yield %r#0 : {V}\n}}\nreturn %z : {V}",
        ),
        args=[("8xf32", 0), ("8xf32", 3)],
        numpy=lambda t, n: (n + 1) * t,
    ),
    Program(
        "for_in_forall",
        main(
            ONE,
            V,
            forall(
                HALVES,
                "%o = %t",
                V,
                f"""{OWN}
                %x = scf.for %k = %c1 to %c4 step %c1 iter_args(%b = %s) -> ({H}) {{
                  %j = arith.subi %k, %c1 : index
                  %a = tensor.extract %b[%j] : {H}
                  %c = tensor.extract %b[%k] : {H}
                  %d = arith.addf %a, %c : f32
                  %w = tensor.insert %d into %b[%k] : {H}
                  scf.yield %w : {H}
                }}""",
                INSERT,
            ),
            f"return %r#0 : {V}",
        ),
        args=RUN,
        numpy=lambda t, f: np.concatenate([np.cumsum(t[:4]), np.cumsum(t[4:])]).astype(np.float32),
    ),
    Program(
        "forall_with_a_buffer_for_each_thread",
        main(
            PAIR,
            V,
            forall(
                HALVES,
                "%o = %t",
                V,
                f"""%p = tensor.extract_slice %u[%i] [4] [1] : {V} to {H}
                %e = tensor.insert %f into %p[%c1] : {H}
                {OWN}
                %x = linalg.add ins(%e, %p : {H}, {H}) outs(%s : {H}) -> {H}""",
                INSERT,
            ),
            f"return %r#0 : {V}",
        ),
        args=TWO,
        numpy=lambda t, u, f: u + put(u, [1, 5], f),
    ),
    Program(
        "forall_reads_only",
        main(
            ONE,
            f"({V}, f32)",
            "%m = memref.alloc() : memref<8xf32>",
            forall("(%i) in (8)", "", "", f"%e = tensor.extract %t[%i] : {V}\nmemref.store %e, %m[%i] : memref<8xf32>"),
            "%a = memref.load %m[%c2] : memref<8xf32>\nmemref.dealloc %m : memref<8xf32>",
            f"%w = tensor.insert %f into %t[%c2] : {V}",
            f"return %w, %a : {V}, f32",
        ),
        args=RUN,
        numpy=lambda t, f: (put(t, 2, f), t[2]),
    ),
    Program(
        "forall_output_updated_after_the_loop",
        main(
            ONE,
            f"({V}, {V})",
            forall(HALVES, "%o = %t", V, f"{OWN}\n{DOUBLE}", INSERT),
            f"%w = tensor.insert %f into %r#0[%c2] : {V}",
            f"return %w, %r#0 : {V}, {V}",
        ),
        args=RUN,
        numpy=lambda t, f: (put(t + t, 2, f), t + t),
    ),
    Program(
        "forall_fills_one_slice_in_however_many_threads",
        main(
            f"{ONE}, %n: index",
            V,
            forall(
                "(%i) = (0) to (%n) step (1)",
                "%o = %t",
                V,
                f"%s = tensor.extract_slice %o[2] [4] [1] : {V} to {H}\n"
                f"%x = linalg.fill ins(%f : f32) outs(%s : {H}) -> {H}",
                f"%x into %o[2] [4] [1] : {H} into {V}",
            ),
            f"return %r#0 : {V}",
        ),
        args=[("8xf32", 99.0, 1), ("8xf32", 99.0, 0)],
        numpy=lambda t, f, n: put(t, slice(2, 6), f) if n else t,
    ),
]
