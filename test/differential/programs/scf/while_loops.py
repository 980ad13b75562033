"""scf.while: two regions that take turns; values that go in, around, across and out; the first one runs once more."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

V = "tensor<5xf32>"
D = "tensor<?xf32>"
RUNS = [("5xf32", 0, 99.0), ("5xf32", 1, 99.0), ("5xf32", 4, 99.0)]
TWO = [("5xf32", "5xf32", 0, 99.0), ("5xf32", "5xf32", 1, 99.0), ("5xf32", "5xf32", 4, 99.0)]
REFUSED = "Before|Yield operand|yield operand|not equivalent"

Typed = tuple[str, str, str]
"""Name, what it starts as, type."""


def loop(carried: list[Typed], before: str, passed: list[Typed], after: str, yielded: str) -> str:
    """A loop whose counter is %i in the first region and %j in the second, from 0 while it is less than %n.

    Its result %r#0 is the counter; what is passed is %r#1, %r#2 and so on.
    """
    inits = ", ".join(["%i = %c0", *(f"{name} = {init}" for name, init, _ in carried)])
    types_in = ", ".join(["index", *(type_ for _, _, type_ in carried)])
    types_out = ", ".join(["index", *(type_ for _, _, type_ in passed)])
    values = ", ".join(["%i", *(value for _, value, _ in passed)])
    arguments = ", ".join(["%j: index", *(f"{name}: {type_}" for name, _, type_ in passed)])
    return f"""
          %r:{len(passed) + 1} = scf.while ({inits}) : ({types_in}) -> ({types_out}) {{
            {before}
            %go = arith.cmpi slt, %i, %n : index
            scf.condition(%go) {values} : {types_out}
          }} do {{
          ^bb0({arguments}):
            {after}
            %next = arith.addi %j, %c1 : index
            scf.yield {", ".join(["%next", yielded] if yielded else ["%next"])} : {types_in}
          }}"""


def main(arguments: str, results: str, *body: str) -> str:
    text = "\n".join(body)
    return f"""
        func.func @main({arguments}) -> {results} {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          {text}
        }}"""


ONE = f"%t: {V}, %n: index, %f: f32"
PAIR = f"%t: {V}, %u: {V}, %n: index, %f: f32"
STORE = f"%x = tensor.insert %f into %b[%j] : {V}"


def swapped(a: np.ndarray, b: np.ndarray, trips: int, f: float) -> tuple[np.ndarray, np.ndarray]:
    for trip in range(trips):
        a, b = b, put(a, trip, f)
    return a, b


def doubled(t: np.ndarray, trips: int) -> np.ndarray:
    for _ in range(trips):
        t = t + t[::-1]
    return t


def shifted(a: np.ndarray, b: np.ndarray, trips: int) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(trips):
        a, b = b, a + b
    return a, b


REVERSE = f"""%x = linalg.generic {{
              indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (4 - d0)>, affine_map<(d0) -> (d0)>],
              iterator_types = ["parallel"]}} ins(%b, %b : {V}, {V}) outs(%e : {V}) {{
            ^bb1(%p: f32, %q: f32, %o: f32):
              %s = arith.addf %p, %q : f32
              linalg.yield %s : f32
            }} -> {V}"""


def sum_of_inserted(t: np.ndarray, trips: int, f: float) -> tuple[np.ndarray, np.float32]:
    total = np.float32(0)
    for trip in range(trips):
        total += t[0]
        t = put(t, trip, f)
    return t, total


def sum_of_both(t: np.ndarray, u: np.ndarray, trips: int, f: float) -> np.float32:
    total, a, d = np.float32(0), t, u
    for trip in range(trips + 1):
        total = put(a, trip, f)[1] + d[1]
        a, d = u, np.full(5, total, np.float32)
    return total


def loops_in_both(t: np.ndarray, trips: int, f: np.float32) -> np.ndarray:
    t = put(t, slice(2), t[:2] + f)
    for trip in range(trips):
        t = put(t, 1, t[trip])
        t = put(t, slice(2), t[:2] + f)
    return t


def doubled_until(t: np.ndarray, limit: float) -> tuple[np.ndarray, np.float32]:
    while t[0] < limit:
        t = put(t, 0, 2 * t[0])
    return t, t[0]


PROGRAMS = [
    Program(
        "while_updates_what_it_carries",
        main(
            ONE,
            f"({V}, index)",
            loop([("%a", "%t", V)], "", [("%b", "%a", V)], STORE, "%x"),
            f"return %r#1, %r#0 : {V}, index",
        ),
        args=RUNS,
        numpy=lambda t, n, f: (put(t, slice(n), f), n),
    ),
    Program(
        "while_writes_in_the_first_region_once_more",
        main(
            ONE,
            V,
            loop([("%a", "%t", V)], f"%x = tensor.insert %f into %a[%i] : {V}", [("%b", "%x", V)], "", "%b"),
            f"return %r#1 : {V}",
        ),
        args=RUNS,
        numpy=lambda t, n, f: put(t, slice(n + 1), f),
    ),
    Program(
        "while_writes_in_both_regions",
        main(
            ONE,
            V,
            "%g = arith.addf %f, %f : f32",
            loop(
                [("%a", "%t", V)],
                f"%x = tensor.insert %f into %a[%i] : {V}",
                [("%b", "%x", V)],
                f"%y = tensor.insert %g into %b[%j] : {V}",
                "%y",
            ),
            f"return %r#1 : {V}",
        ),
        args=RUNS,
        numpy=lambda t, n, f: put(put(t, slice(n), 2 * f), n, f),
    ),
    Program(
        "while_init_read_after_the_loop",
        main(
            ONE,
            f"({V}, f32)",
            loop([("%a", "%t", V)], "", [("%b", "%a", V)], STORE, "%x"),
            f"%e = tensor.extract %t[%c0] : {V}",
            f"return %r#1, %e : {V}, f32",
        ),
        args=RUNS,
        numpy=lambda t, n, f: (put(t, slice(n), f), t[0]),
    ),
    Program(
        "while_init_read_in_the_first_region",
        main(
            ONE,
            f"({V}, f32)",
            "%zero = arith.constant 0.0 : f32",
            loop(
                [("%a", "%t", V), ("%s", "%zero", "f32")],
                f"%e = tensor.extract %t[%c0] : {V}\n%sum = arith.addf %s, %e : f32",
                [("%b", "%a", V), ("%q", "%sum", "f32")],
                STORE,
                "%x, %q",
            ),
            f"return %r#1, %r#2 : {V}, f32",
        ),
        args=RUNS,
        numpy=lambda t, n, f: (put(t, slice(n), f), (n + 1) * t[0]),
    ),
    Program(
        "while_init_read_in_the_second_region",
        main(
            ONE,
            V,
            "%m = arith.constant 4 : index",
            loop(
                [("%a", "%t", V)],
                f"%x = tensor.insert %f into %a[%i] : {V}",
                [("%b", "%x", V)],
                f"%k = arith.subi %m, %j : index\n%e = tensor.extract %t[%j] : {V}\n"
                f"%y = tensor.insert %e into %b[%k] : {V}",
                "%y",
            ),
            f"return %r#1 : {V}",
        ),
        args=[("5xf32", 0, 99.0), ("5xf32", 2, 99.0)],
        numpy=lambda t, n, f: put(put(t, slice(n + 1), f), slice(5 - n, 5), t[:n][::-1]),
    ),
    Program(
        "while_captured_value_read_again",
        main(
            PAIR,
            f"({V}, f32)",
            "%zero = arith.constant 0.0 : f32",
            loop(
                [("%s", "%zero", "f32")],
                "",
                [("%q", "%s", "f32")],
                f"%e = tensor.extract %t[%c0] : {V}\n%w = tensor.insert %f into %t[%c0] : {V}\n"
                f"%g = tensor.extract %w[%c1] : {V}\n%d = arith.addf %e, %g : f32\n%sum = arith.addf %q, %d : f32",
                "%sum",
            ),
            f"return %u, %r#1 : {V}, f32",
        ),
        args=TWO,
        numpy=lambda t, u, n, f: (u, np.float32(n * (t[0] + t[1]))),
    ),
    Program(
        "while_captured_value_written_in_one_region_and_read_in_the_other",
        main(
            PAIR,
            f"({V}, f32)",
            "%zero = arith.constant 0.0 : f32",
            loop(
                [("%s", "%zero", "f32")],
                f"%w = tensor.insert %f into %t[%c0] : {V}\n%g = tensor.extract %w[%c1] : {V}",
                [("%q", "%s", "f32"), ("%h", "%g", "f32")],
                f"%e = tensor.extract %t[%c0] : {V}\n%d = arith.addf %e, %h : f32\n%sum = arith.addf %q, %d : f32",
                "%sum",
            ),
            f"return %u, %r#1 : {V}, f32",
        ),
        args=TWO,
        numpy=lambda t, u, n, f: (u, np.float32(n * (t[0] + t[1]))),
    ),
    Program(
        "while_swaps_buffers",
        main(
            PAIR,
            f"({V}, {V})",
            loop([("%a", "%t", V), ("%d", "%u", V)], "", [("%b", "%a", V), ("%e", "%d", V)], STORE, "%e, %x"),
            f"return %r#1, %r#2 : {V}, {V}",
        ),
        args=TWO,
        numpy=swapped,
        upstream_refuses=REFUSED,
        fewer=True,
    ),
    Program(
        "while_swaps_buffers_at_the_condition",
        main(
            PAIR,
            f"({V}, {V})",
            loop([("%a", "%t", V), ("%d", "%u", V)], "", [("%e", "%d", V), ("%b", "%a", V)], STORE, "%e, %x"),
            f"return %r#2, %r#1 : {V}, {V}",
        ),
        args=TWO,
        numpy=swapped,
        upstream_refuses=REFUSED,
        fewer=True,
    ),
    Program(
        "while_swaps_one_buffer_with_itself",
        main(
            ONE,
            f"({V}, {V})",
            loop([("%a", "%t", V), ("%d", "%t", V)], "", [("%b", "%a", V), ("%e", "%d", V)], STORE, "%e, %x"),
            f"return %r#1, %r#2 : {V}, {V}",
        ),
        args=RUNS,
        numpy=lambda t, n, f: swapped(t, t, n, f),
        upstream_refuses=REFUSED,
        fewer=True,
    ),
    Program(
        "while_yields_another_tensor_each_time",
        main(
            f"%t: {V}, %n: index",
            V,
            loop([("%a", "%t", V)], "", [("%b", "%a", V)], f"%e = tensor.empty() : {V}\n{REVERSE}", "%x"),
            f"return %r#1 : {V}",
        ),
        args=[("5xf32", 0), ("5xf32", 1), ("5xf32", 4)],
        numpy=doubled,
        upstream_refuses=REFUSED,
        fewer=True,
    ),
    Program(
        "while_moves_along",
        main(
            f"%t: {V}, %u: {V}, %n: index",
            f"({V}, {V})",
            loop(
                [("%a", "%t", V), ("%d", "%u", V)],
                "",
                [("%b", "%a", V), ("%e", "%d", V)],
                f"%x = linalg.add ins(%b, %e : {V}, {V}) outs(%b : {V}) -> {V}",
                "%e, %x",
            ),
            f"return %r#1, %r#2 : {V}, {V}",
        ),
        args=[("5xf32", "5xf32", 0), ("5xf32", "5xf32", 1), ("5xf32", "5xf32", 5)],
        numpy=shifted,
        upstream_refuses=REFUSED,
        fewer=True,
    ),
    Program(
        "while_yields_a_captured_value",
        main(
            PAIR,
            f"({V}, {V})",
            loop([("%a", "%t", V)], "", [("%b", "%a", V)], STORE, "%u"),
            f"return %r#1, %u : {V}, {V}",
        ),
        args=TWO,
        numpy=lambda t, u, n, f: (u if n else t, u),
        upstream_refuses=REFUSED,
        fewer=True,
    ),
    Program(
        "while_passes_a_captured_value",
        main(
            PAIR,
            f"({V}, {V})",
            loop([], "", [("%b", "%u", V)], STORE, ""),
            f"return %r#1, %u : {V}, {V}",
        ),
        args=TWO,
        numpy=lambda t, u, n, f: (u, u),
        upstream_refuses=REFUSED,
    ),
    Program(
        "while_passes_one_value_twice_and_writes_one",
        main(
            ONE,
            f"({V}, {V})",
            loop([("%a", "%t", V)], "", [("%b", "%a", V), ("%e", "%a", V)], STORE, "%x"),
            f"return %r#1, %r#2 : {V}, {V}",
        ),
        args=RUNS,
        numpy=lambda t, n, f: (put(t, slice(n), f), put(t, slice(n), f)),
        upstream_refuses=REFUSED,
        fewer=True,
    ),
    Program(
        "while_passes_one_value_twice_and_reads_one_late",
        main(
            ONE,
            f"({V}, f32)",
            "%zero = arith.constant 0.0 : f32",
            loop(
                [("%a", "%t", V), ("%s", "%zero", "f32")],
                "",
                [("%b", "%a", V), ("%e", "%a", V), ("%q", "%s", "f32")],
                f"{STORE}\n%g = tensor.extract %e[%c0] : {V}\n%sum = arith.addf %q, %g : f32",
                "%x, %sum",
            ),
            f"return %r#1, %r#3 : {V}, f32",
        ),
        args=RUNS,
        numpy=sum_of_inserted,
        upstream_refuses=REFUSED,
    ),
    Program(
        "while_passes_a_new_tensor_of_another_type",
        main(
            "%n: index, %f: f32",
            D,
            loop(
                [],
                "%size = arith.addi %i, %c1 : index\n"
                f"%e = tensor.empty(%size) : {D}\n%x = linalg.fill ins(%f : f32) outs(%e : {D}) -> {D}",
                [("%b", "%x", D)],
                "",
                "",
            ),
            f"return %r#1 : {D}",
        ),
        args=[(0, 99.0), (3, 99.0)],
        numpy=lambda n, f: np.full(n + 1, f, np.float32),
        upstream_refuses=REFUSED,
        fewer=True,
    ),
    Program(
        "while_grows_what_it_carries",
        main(
            f"%t: {D}, %n: index, %f: f32",
            D,
            loop(
                [("%a", "%t", D)],
                "",
                [("%b", "%a", D)],
                f"%old = tensor.dim %b, %c0 : {D}\n%size = arith.addi %old, %c1 : index\n"
                f"%e = tensor.empty(%size) : {D}\n"
                f"%x = tensor.insert_slice %b into %e[0] [%old] [1] : {D} into {D}\n"
                f"%y = tensor.insert %f into %x[%old] : {D}",
                "%y",
            ),
            f"return %r#1 : {D}",
        ),
        args=[("2xf32", 0, 99.0), ("2xf32", 3, 99.0)],
        numpy=lambda t, n, f: np.concatenate([t, np.full(n, f, np.float32)]),
        upstream_refuses=REFUSED,
    ),
    Program(
        "while_takes_more_than_it_passes",
        main(
            PAIR,
            "f32",
            loop(
                [("%a", "%t", V), ("%d", "%u", V)],
                f"%x = tensor.insert %f into %a[%i] : {V}\n%g = tensor.extract %x[%c1] : {V}\n"
                f"%h = tensor.extract %d[%c1] : {V}\n%s = arith.addf %g, %h : f32",
                [("%q", "%s", "f32")],
                f"%e = tensor.empty() : {V}\n%y = linalg.fill ins(%q : f32) outs(%e : {V}) -> {V}",
                "%u, %y",
            ),
            "return %r#1 : f32",
        ),
        args=TWO,
        numpy=sum_of_both,
        upstream_refuses=REFUSED,
        upstream_wrong="it writes into %u, which the loop yields again in every iteration",
    ),
    Program(
        "while_passes_more_than_it_takes",
        main(
            ONE,
            f"({V}, {V})",
            loop(
                [("%a", "%t", V)],
                f"%x = tensor.insert %f into %a[%c2] : {V}",
                [("%b", "%a", V), ("%e", "%x", V)],
                f"%y = tensor.insert %f into %b[%j] : {V}",
                "%y",
            ),
            f"return %r#1, %r#2 : {V}, {V}",
        ),
        args=RUNS,
        numpy=lambda t, n, f: (put(t, slice(n), f), put(put(t, slice(n), f), 2, f)),
        upstream_refuses=REFUSED,
        fewer=True,
    ),
    Program(
        "while_result_updated_after_the_loop",
        main(
            ONE,
            f"({V}, {V})",
            loop([("%a", "%t", V)], "", [("%b", "%a", V)], STORE, "%x"),
            f"%y = tensor.insert %f into %r#1[%c2] : {V}",
            f"return %r#1, %y : {V}, {V}",
        ),
        args=RUNS,
        numpy=lambda t, n, f: (put(t, slice(n), f), put(put(t, slice(n), f), 2, f)),
    ),
    Program(
        "while_of_a_constant",
        main(
            "%n: index, %f: f32",
            V,
            f"%t = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : {V}",
            loop([("%a", "%t", V)], "", [("%b", "%a", V)], STORE, "%x"),
            f"return %r#1 : {V}",
        ),
        args=[(0, 99.0), (3, 99.0)],
        numpy=lambda n, f: put(np.arange(1, 6, dtype=np.float32), slice(n), f),
    ),
    Program(
        "while_nested_in_for",
        main(
            ONE,
            V,
            f"%all = scf.for %o = %c0 to %c2 step %c1 iter_args(%c = %t) -> {V} {{",
            loop(
                [("%a", "%c", V)],
                "",
                [("%b", "%a", V)],
                f"%g = tensor.extract %b[%j] : {V}\n%h = arith.addf %g, %f : f32\n"
                f"%x = tensor.insert %h into %b[%j] : {V}",
                "%x",
            ),
            f"scf.yield %r#1 : {V}\n}}\nreturn %all : {V}",
        ),
        args=RUNS,
        numpy=lambda t, n, f: put(t, slice(n), t[:n] + 2 * np.float32(f)),
    ),
    Program(
        "while_with_a_loop_in_each_region",
        main(
            ONE,
            V,
            loop(
                [("%a", "%t", V)],
                f"""%x = scf.for %k = %c0 to %c2 step %c1 iter_args(%q = %a) -> {V} {{
                  %g = tensor.extract %q[%k] : {V}
                  %h = arith.addf %g, %f : f32
                  %y = tensor.insert %h into %q[%k] : {V}
                  scf.yield %y : {V}
                }}""",
                [("%b", "%x", V)],
                f"""%z = scf.for %k = %c1 to %c2 step %c1 iter_args(%q = %b) -> {V} {{
                  %g = tensor.extract %q[%j] : {V}
                  %y = tensor.insert %g into %q[%k] : {V}
                  scf.yield %y : {V}
                }}""",
                "%z",
            ),
            f"return %r#1 : {V}",
        ),
        args=[("5xf32", 0, 99.0), ("5xf32", 1, 99.0), ("5xf32", 3, 99.0)],
        numpy=lambda t, n, f: loops_in_both(t, n, np.float32(f)),
    ),
    Program(
        "while_decides_by_what_it_carries",
        main(
            f"%t: {V}, %limit: f32",
            f"({V}, f32)",
            f"""%r:2 = scf.while (%a = %t) : ({V}) -> ({V}, f32) {{
              %e = tensor.extract %a[%c0] : {V}
              %go = arith.cmpf olt, %e, %limit : f32
              scf.condition(%go) %a, %e : {V}, f32
            }} do {{
            ^bb0(%b: {V}, %q: f32):
              %g = arith.addf %q, %q : f32
              %x = tensor.insert %g into %b[%c0] : {V}
              scf.yield %x : {V}
            }}""",
            f"return %r#0, %r#1 : {V}, f32",
        ),
        args=[("5xf32", 0.0), ("5xf32", 50.0)],
        numpy=doubled_until,
    ),
]
