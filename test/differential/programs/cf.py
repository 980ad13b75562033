"""Branches between blocks: diamonds, chains, loops of every shape, early returns, switches, and what they hand over."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import Program, put

Vector = np.ndarray[Any, Any]

ALIASES = """
!v = tensor<6xf32>
!m = tensor<4x6xf32>
!d = tensor<?xf32>
#id = affine_map<(d0) -> (d0)>
"""
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
"""
ONE = "%t: !v, %c: i1, %i: index, %f: f32"
TWO = "%t: !v, %u: !v, %c: i1, %i: index, %f: f32"
LOOP = "%t: !v, %n: index, %f: f32"
LOOP_TWO = "%t: !v, %u: !v, %n: index, %f: f32"
WAYS = [("6xf32", True, 1, 99.0), ("6xf32", False, 1, 99.0)]
WAYS_TWO = [("6xf32", "6xf32", True, 1, 99.0), ("6xf32", "6xf32", False, 1, 99.0)]
TIMES = [("6xf32", n, 99.0) for n in (0, 1, 4)]
TIMES_TWO = [("6xf32", "6xf32", n, 99.0) for n in (0, 1, 4)]

NOT_FOLLOWED = "it overwrites what is read later: it does not follow tensors through branches"
NO_TYPE = "it does not find the types of what nested loops of blocks carry"


def main(arguments: str, results: str, body: str, *others: str) -> str:
    """The text of a module with @main and other functions."""
    return f"{ALIASES}func.func @main({arguments}) -> ({results}) {{{CONSTANTS}{body}}}\n" + "\n".join(others)


def added(source: str, target: str, type_: str = "!v") -> str:
    """The elementwise sum, computed over the second vector."""
    return f"""linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
      ins({source} : {type_}) outs({target} : {type_}) {{
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }} -> {type_}"""


def counted(carried: str, initial: str, body: str, after: str, types: str = "!v") -> str:
    """A loop whose head compares the counter %k with %n; `body` ends with a branch to ^head."""
    return f"""
      cf.br ^head(%c0, {initial} : index, {types})
    ^head(%k: index, {carried}):
      %more = arith.cmpi slt, %k, %n : index
      cf.cond_br %more, ^body, ^end
    ^body:
      %next = arith.addi %k, %c1 : index
      {body}
    ^end:
      {after}
    """


def filled(t: Vector, n: int, f: float) -> Vector:
    """The first n elements replaced."""
    return put(t, slice(0, n), f)


def swapped(t: Vector, u: Vector, n: int, f: float) -> tuple[Vector, Vector]:
    """In turn: the first vector's element k becomes f + k, then the vectors change places."""
    for k in range(n):
        t, u = u, put(t, k, f + k)
    return t, u


def shifted(t: Vector, u: Vector, n: int, _f: float) -> tuple[Vector, Vector]:
    """The Fibonacci numbers, by element."""
    for _ in range(n):
        t, u = u, t + u
    return t, u


def smoothed(t: Vector, n: int, _f: float) -> Vector:
    """n times: each inner element becomes the sum of its neighbours."""
    for _ in range(n):
        t = put(t, slice(1, 5), t[:4] + t[2:])
    return t


def running_sum(t: Vector, n: int, total: float) -> tuple[Vector, float]:
    """Element k + 1 becomes the sum of the elements up to k as they are then."""
    t = t.copy()
    for k in range(n):
        total += t[k]
        t[k + 1] = total
    return t, np.float32(total)


def rounds(t: Vector, u: Vector, n: int, f: float) -> Vector:
    """n times: element k is replaced, then the second vector is added."""
    for k in range(n):
        t = put(t, k, f) + u
    return t


def every_second(t: Vector, f: float) -> tuple[Vector, Vector]:
    """Every second element replaced, and the same without the last one."""
    old = new = t
    for k in range(0, t.size, 2):
        old, new = new, put(new, k, f)
    return new, old


def last_two(t: Vector, n: int, f: float) -> tuple[Vector, Vector]:
    """What a loop hands over, and what it made of it in its last round."""
    old = new = t
    for k in range(n + 1):
        old, new = new, put(new, k, f)
    return old, new


def either_way(t: Vector, c: bool, n: int, f: float) -> Vector:
    """The loop with two ways in: element 0 and element 1 in turn."""
    place, t = (0 if c else 1), t.copy()
    for k in range(n):
        t[place] += f + k
        place = 1 - place
    return t


CALLEE = """
  func.func private @choose(%t: !v, %u: !v, %c: i1) -> !v {
    cf.cond_br %c, ^a, ^b
  ^a:
    return %t : !v
  ^b:
    return %u : !v
  }
"""
CLIP = """
  func.func private @clip(%t: !v, %i: index, %f: f32) -> !v {
    %e = tensor.extract %t[%i] : !v
    %less = arith.cmpf olt, %e, %f : f32
    cf.cond_br %less, ^keep, ^put
  ^keep:
    return %t : !v
  ^put:
    %w = tensor.insert %f into %t[%i] : !v
    return %w : !v
  }
"""

PROGRAMS = [
    Program(
        "cf_update_on_one_way",
        main(
            ONE,
            "!v",
            """
      cf.cond_br %c, ^a, ^b
    ^a:
      %w = tensor.insert %f into %t[%i] : !v
      cf.br ^join(%w : !v)
    ^b:
      cf.br ^join(%t : !v)
    ^join(%x: !v):
      return %x : !v
    """,
        ),
        args=WAYS,
        numpy=lambda t, c, i, f: put(t, i, f) if c else t,
    ),
    Program(
        "cf_update_on_one_way_read_later",
        main(
            ONE,
            "!v, f32",
            """
      cf.cond_br %c, ^a, ^join(%t : !v)
    ^a:
      %w = tensor.insert %f into %t[%i] : !v
      cf.br ^join(%w : !v)
    ^join(%x: !v):
      %e = tensor.extract %t[%i] : !v
      return %x, %e : !v, f32
    """,
        ),
        args=WAYS,
        numpy=lambda t, c, i, f: (put(t, i, f) if c else t, t[i]),
        upstream_wrong=NOT_FOLLOWED,
    ),
    Program(
        "cf_updates_on_both_ways",
        main(
            ONE,
            "!v",
            """
      cf.cond_br %c, ^a, ^b
    ^a:
      %w = tensor.insert %f into %t[%i] : !v
      cf.br ^join(%w : !v)
    ^b:
      %z = linalg.fill ins(%f : f32) outs(%t : !v) -> !v
      cf.br ^join(%z : !v)
    ^join(%x: !v):
      return %x : !v
    """,
        ),
        args=WAYS,
        numpy=lambda t, c, i, f: put(t, i, f) if c else np.full_like(t, f),
        fewer=True,
    ),
    Program(
        "cf_write_on_one_way_read_on_the_other",
        main(
            ONE,
            "!v, f32",
            """
      cf.cond_br %c, ^a, ^b
    ^a:
      %w = tensor.insert %f into %t[%i] : !v
      cf.br ^join(%w, %f : !v, f32)
    ^b:
      %e = tensor.extract %t[%i] : !v
      cf.br ^join(%t, %e : !v, f32)
    ^join(%x: !v, %y: f32):
      return %x, %y : !v, f32
    """,
        ),
        args=WAYS,
        numpy=lambda t, c, i, f: (put(t, i, f), np.float32(f)) if c else (t, t[i]),
    ),
    Program(
        "cf_one_of_two_is_written",
        main(
            TWO,
            "!v",
            """
      cf.cond_br %c, ^join(%t : !v), ^join(%u : !v)
    ^join(%x: !v):
      %w = tensor.insert %f into %x[%i] : !v
      return %w : !v
    """,
        ),
        args=WAYS_TWO,
        numpy=lambda t, u, c, i, f: put(t if c else u, i, f),
    ),
    Program(
        "cf_one_of_two_is_written_both_read_later",
        main(
            TWO,
            "!v, !v, !v",
            """
      cf.cond_br %c, ^join(%t : !v), ^join(%u : !v)
    ^join(%x: !v):
      %w = tensor.insert %f into %x[%i] : !v
      return %w, %t, %u : !v, !v, !v
    """,
        ),
        args=WAYS_TWO,
        numpy=lambda t, u, c, i, f: (put(t if c else u, i, f), t, u),
        upstream_wrong=NOT_FOLLOWED,
    ),
    Program(
        "cf_chain_of_blocks",
        main(
            ONE,
            "!v",
            """
      cf.br ^one(%t : !v)
    ^one(%a: !v):
      %w = tensor.insert %f into %a[%i] : !v
      cf.br ^two(%w : !v)
    ^two(%b: !v):
      %z = tensor.insert %f into %b[%c0] : !v
      cf.cond_br %c, ^three(%z : !v), ^three(%b : !v)
    ^three(%d: !v):
      return %d : !v
    """,
        ),
        args=WAYS,
        numpy=lambda t, c, i, f: put(put(t, i, f), 0, f) if c else put(t, i, f),
    ),
    Program(
        "cf_early_return",
        main(
            ONE,
            "!v",
            """
      cf.cond_br %c, ^leave, ^go
    ^leave:
      return %t : !v
    ^go:
      %w = tensor.insert %f into %t[%i] : !v
      return %w : !v
    """,
        ),
        args=WAYS,
        numpy=lambda t, c, i, f: t if c else put(t, i, f),
    ),
    Program(
        "cf_returns_of_different_buffers",
        main(
            TWO,
            "!v, !v",
            """
      cf.cond_br %c, ^one, ^more
    ^one:
      return %t, %u : !v, !v
    ^more:
      %e = tensor.empty() : !v
      %z = linalg.fill ins(%f : f32) outs(%e : !v) -> !v
      %w = tensor.insert %f into %u[%i] : !v
      return %z, %w : !v, !v
    """,
        ),
        args=WAYS_TWO,
        numpy=lambda t, u, c, i, f: (t, u) if c else (np.full_like(t, f), put(u, i, f)),
    ),
    Program(
        "cf_loop_updates",
        main(
            LOOP,
            "!v",
            counted(
                "%a: !v",
                "%t",
                "%w = tensor.insert %f into %a[%k] : !v\ncf.br ^head(%next, %w : index, !v)",
                "return %a : !v",
            ),
        ),
        args=TIMES,
        numpy=filled,
    ),
    Program(
        "cf_loop_updates_old_value_read_later",
        main(
            LOOP,
            "!v, !v",
            counted(
                "%a: !v",
                "%t",
                "%w = tensor.insert %f into %a[%k] : !v\ncf.br ^head(%next, %w : index, !v)",
                "return %a, %t : !v, !v",
            ),
        ),
        args=TIMES,
        numpy=lambda t, n, f: (filled(t, n, f), t),
        upstream_wrong=NOT_FOLLOWED,
    ),
    Program(
        "cf_loop_tested_at_its_end",
        main(
            LOOP,
            "!v",
            """
      cf.br ^body(%c0, %t : index, !v)
    ^body(%k: index, %a: !v):
      %w = tensor.insert %f into %a[%k] : !v
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %next, %n : index
      cf.cond_br %more, ^body(%next, %w : index, !v), ^end
    ^end:
      return %w : !v
    """,
        ),
        args=TIMES,
        numpy=lambda t, n, f: filled(t, max(n, 1), f),
    ),
    Program(
        "cf_loop_and_what_it_had_before",
        main(
            LOOP,
            "!v, !v",
            """
      cf.br ^body(%c0, %t : index, !v)
    ^body(%k: index, %a: !v):
      %w = tensor.insert %f into %a[%k] : !v
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi sle, %next, %n : index
      cf.cond_br %more, ^body(%next, %w : index, !v), ^end
    ^end:
      return %a, %w : !v, !v
    """,
        ),
        args=TIMES,
        numpy=last_two,
    ),
    Program(
        "cf_loop_reads_what_it_wrote",
        main(
            LOOP,
            "!v, f32",
            counted(
                "%a: !v, %sum: f32",
                "%t, %f",
                """%e = tensor.extract %a[%k] : !v
      %sum2 = arith.addf %sum, %e : f32
      %w = tensor.insert %sum2 into %a[%next] : !v
      cf.br ^head(%next, %w, %sum2 : index, !v, f32)""",
                "return %a, %sum : !v, f32",
                "!v, f32",
            ),
        ),
        args=[("6xf32", n, 5.0) for n in (0, 1, 4)],
        numpy=running_sum,
    ),
    Program(
        "cf_nested_loops",
        main(
            "%t: !m, %n: index, %f: f32",
            "!m",
            """
      cf.br ^rows(%c0, %t : index, !m)
    ^rows(%i: index, %a: !m):
      %more = arith.cmpi slt, %i, %n : index
      cf.cond_br %more, ^columns(%c0, %a : index, !m), ^end
    ^columns(%j: index, %b: !m):
      %w = tensor.insert %f into %b[%i, %j] : !m
      %j2 = arith.addi %j, %c2 : index
      %again = arith.cmpi slt, %j2, %n : index
      cf.cond_br %again, ^columns(%j2, %w : index, !m), ^next
    ^next:
      %i2 = arith.addi %i, %c1 : index
      cf.br ^rows(%i2, %w : index, !m)
    ^end:
      return %a : !m
    """,
        ),
        args=[("4x6xf32", n, 99.0) for n in (0, 1, 4)],
        numpy=lambda t, n, f: put(t, (slice(0, n), slice(0, n, 2)), f),
        oracle_cannot=NO_TYPE,
        upstream_refuses="could not infer buffer type of block argument",
    ),
    Program(
        "cf_condition_in_a_loop",
        main(
            LOOP,
            "!v",
            counted(
                "%a: !v",
                "%t",
                """%e = tensor.extract %a[%k] : !v
      %less = arith.cmpf olt, %e, %f : f32
      cf.cond_br %less, ^put, ^join(%a : !v)
    ^put:
      %w = tensor.insert %f into %a[%k] : !v
      cf.br ^join(%w : !v)
    ^join(%x: !v):
      cf.br ^head(%next, %x : index, !v)""",
                "return %a : !v",
            ),
        ),
        args=[("6xf32", n, 3.5) for n in (0, 1, 6)],
        numpy=lambda t, n, f: put(t, slice(0, n), np.maximum(t[:n], f)),
    ),
    Program(
        "cf_loop_with_two_ways_out",
        main(
            LOOP,
            "!v",
            counted(
                "%a: !v",
                "%t",
                """%e = tensor.extract %a[%k] : !v
      %found = arith.cmpf oeq, %e, %f : f32
      %w = tensor.insert %f into %a[%k] : !v
      cf.cond_br %found, ^out(%a : !v), ^head(%next, %w : index, !v)
    ^out(%y: !v):
      %z = linalg.fill ins(%f : f32) outs(%y : !v) -> !v
      return %z : !v""",
                "return %a : !v",
            ),
        ),
        args=[("6xf32", n, 3.0) for n in (0, 2, 6)],
        numpy=lambda t, n, f: np.full_like(t, f) if f in t[:n] else filled(t, n, f),
    ),
    Program(
        "cf_loop_with_continue",
        main(
            LOOP,
            "!v",
            counted(
                "%a: !v",
                "%t",
                """%rest = arith.remui %k, %c2 : index
      %even = arith.cmpi eq, %rest, %c0 : index
      cf.cond_br %even, ^head(%next, %a : index, !v), ^odd
    ^odd:
      %w = tensor.insert %f into %a[%k] : !v
      cf.br ^head(%next, %w : index, !v)""",
                "return %a : !v",
            ),
        ),
        args=TIMES,
        numpy=lambda t, n, f: put(t, slice(1, n, 2), f),
    ),
    Program(
        "cf_loop_swaps",
        main(
            LOOP_TWO,
            "!v, !v",
            counted(
                "%a: !v, %b: !v",
                "%t, %u",
                "cf.br ^head(%next, %b, %a : index, !v, !v)",
                "return %a, %b : !v, !v",
                "!v, !v",
            ),
        ),
        args=TIMES_TWO,
        numpy=lambda t, u, n, f: (t, u) if n % 2 == 0 else (u, t),
    ),
    Program(
        "cf_loop_writes_and_swaps",
        main(
            LOOP_TWO,
            "!v, !v",
            counted(
                "%a: !v, %b: !v",
                "%t, %u",
                """%number = arith.index_cast %k : index to i32
      %float = arith.sitofp %number : i32 to f32
      %g = arith.addf %f, %float : f32
      %w = tensor.insert %g into %a[%k] : !v
      cf.br ^head(%next, %b, %w : index, !v, !v)""",
                "return %a, %b : !v, !v",
                "!v, !v",
            ),
        ),
        args=TIMES_TWO,
        numpy=swapped,
    ),
    Program(
        "cf_loop_shifts",
        main(
            LOOP_TWO,
            "!v, !v",
            counted(
                "%a: !v, %b: !v",
                "%t, %u",
                f"%w = {added('%b', '%a')}\ncf.br ^head(%next, %b, %w : index, !v, !v)",
                "return %a, %b : !v, !v",
                "!v, !v",
            ),
        ),
        args=TIMES_TWO,
        numpy=shifted,
    ),
    Program(
        "cf_loop_makes_a_new_vector",
        main(
            LOOP,
            "!v",
            counted(
                "%a: !v",
                "%t",
                """%left = tensor.extract_slice %a[0] [4] [1] : !v to tensor<4xf32>
      %right = tensor.extract_slice %a[2] [4] [1] : !v to tensor<4xf32>
      %e = tensor.empty() : tensor<4xf32>
      %sum = linalg.add ins(%left, %right : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %w = tensor.insert_slice %sum into %a[1] [4] [1] : tensor<4xf32> into !v
      cf.br ^head(%next, %w : index, !v)""",
                "return %a : !v",
            ),
        ),
        args=TIMES,
        numpy=smoothed,
    ),
    Program(
        "cf_loop_hands_back_what_it_did_not_get",
        main(
            LOOP_TWO,
            "!v, !v",
            counted(
                "%a: !v",
                "%t",
                "%w = tensor.insert %f into %a[%k] : !v\n%x = "
                + added("%w", "%u")
                + "\ncf.br ^head(%next, %x : index, !v)",
                "return %a, %u : !v, !v",
            ),
        ),
        args=TIMES_TWO,
        numpy=lambda t, u, n, f: (rounds(t, u, n, f), u),
        upstream_wrong=NOT_FOLLOWED,
    ),
    Program(
        "cf_loop_starts_with_a_constant",
        main(
            "%n: index, %f: f32",
            "!v, !v",
            "%t = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : !v\n"
            + counted(
                "%a: !v",
                "%t",
                "%w = tensor.insert %f into %a[%k] : !v\ncf.br ^head(%next, %w : index, !v)",
                "return %a, %t : !v, !v",
            ),
        ),
        args=[(n, 99.0) for n in (0, 4)],
        numpy=lambda n, f: (filled(np.arange(1, 7, dtype=np.float32), n, f), np.arange(1, 7, dtype=np.float32)),
    ),
    Program(
        "cf_loop_starts_without_content",
        main(
            LOOP,
            "!v",
            "%e = tensor.empty() : !v\n%z = linalg.fill ins(%f : f32) outs(%e : !v) -> !v\n"
            + counted(
                "%a: !v",
                "%z",
                "%b = linalg.fill ins(%f : f32) outs(%a : !v) -> !v\n"
                + f"%w = {added('%t', '%b')}\ncf.br ^head(%next, %w : index, !v)",
                "return %a : !v",
            ),
        ),
        args=TIMES,
        numpy=lambda t, n, f: t + np.float32(f) if n else np.full_like(t, f),
    ),
    Program(
        "cf_switch",
        main(
            "%t: !v, %u: !v, %k: i32, %f: f32",
            "!v",
            """
      cf.switch %k : i32, [default: ^join(%t : !v), 1: ^put(%c1, %t : index, !v),
                              2: ^put(%c2, %u : index, !v), 5: ^fill]
    ^put(%i: index, %a: !v):
      %w = tensor.insert %f into %a[%i] : !v
      cf.br ^join(%w : !v)
    ^fill:
      %z = linalg.fill ins(%f : f32) outs(%u : !v) -> !v
      cf.br ^join(%z : !v)
    ^join(%x: !v):
      return %x : !v
    """,
        ),
        args=[("6xf32", "6xf32", k, 99.0) for k in (0, 1, 2, 5)],
        numpy=lambda t, u, k, f: {1: put(t, 1, f), 2: put(u, 2, f), 5: np.full_like(u, f)}.get(k, t),
        fewer=True,
    ),
    Program(
        "cf_switch_in_a_loop",
        main(
            LOOP,
            "!v",
            counted(
                "%a: !v",
                "%t",
                """%number = arith.index_cast %k : index to i32
      cf.switch %number : i32, [default: ^head(%next, %a : index, !v), 1: ^put(%c0 : index), 3: ^put(%c2 : index)]
    ^put(%i: index):
      %w = tensor.insert %f into %a[%i] : !v
      cf.br ^head(%next, %w : index, !v)""",
                "return %a : !v",
            ),
        ),
        args=TIMES,
        numpy=lambda t, n, f: put(t, [place for k, place in ((1, 0), (3, 2)) if k < n], f),
    ),
    Program(
        "cf_loop_with_two_ways_in",
        main(
            "%t: !v, %c: i1, %n: index, %f: f32",
            "!v",
            """
      %any = arith.cmpi sgt, %n, %c0 : index
      cf.cond_br %any, ^start, ^end(%t : !v)
    ^start:
      cf.cond_br %c, ^a(%c0, %t : index, !v), ^b(%c0, %t : index, !v)
    ^a(%k: index, %x: !v):
      %x2 = func.call @bump(%x, %c0, %k, %f) : (!v, index, index, f32) -> !v
      %k2 = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %k2, %n : index
      cf.cond_br %more, ^b(%k2, %x2 : index, !v), ^end(%x2 : !v)
    ^b(%l: index, %y: !v):
      %y2 = func.call @bump(%y, %c1, %l, %f) : (!v, index, index, f32) -> !v
      %l2 = arith.addi %l, %c1 : index
      %again = arith.cmpi slt, %l2, %n : index
      cf.cond_br %again, ^a(%l2, %y2 : index, !v), ^end(%y2 : !v)
    ^end(%z: !v):
      return %z : !v
    """,
            """
  func.func private @bump(%t: !v, %i: index, %k: index, %f: f32) -> !v {
    %e = tensor.extract %t[%i] : !v
    %number = arith.index_cast %k : index to i32
    %float = arith.sitofp %number : i32 to f32
    %g = arith.addf %f, %float : f32
    %s = arith.addf %e, %g : f32
    %w = tensor.insert %s into %t[%i] : !v
    return %w : !v
  }
""",
        ),
        args=[("6xf32", c, n, 99.0) for c in (True, False) for n in (0, 1, 4)],
        numpy=either_way,
        fewer=True,
    ),
    Program(
        "cf_dynamic_sizes",
        main(
            "%t: !d, %f: f32",
            "!d, !d",
            """
      %n = tensor.dim %t, %c0 : !d
      cf.br ^head(%c0, %t, %t : index, !d, !d)
    ^head(%k: index, %a: !d, %b: !d):
      %more = arith.cmpi slt, %k, %n : index
      cf.cond_br %more, ^body, ^end
    ^body:
      %w = tensor.insert %f into %a[%k] : !d
      %next = arith.addi %k, %c2 : index
      cf.br ^head(%next, %w, %a : index, !d, !d)
    ^end:
      return %a, %b : !d, !d
    """,
        ),
        args=[("1xf32", 99.0), ("2xf32", 99.0), ("5xf32", 99.0)],
        numpy=every_second,
        upstream_wrong=NOT_FOLLOWED,
    ),
    Program(
        "cf_rows_in_a_loop",
        main(
            "%t: !m, %n: index, %f: f32",
            "!m",
            counted(
                "%a: !m",
                "%t",
                """%row = tensor.extract_slice %a[%k, 0] [1, 6] [1, 1] : !m to !v
      %new = linalg.fill ins(%f : f32) outs(%row : !v) -> !v
      %w = tensor.insert_slice %new into %a[%k, 0] [1, 6] [1, 1] : !v into !m
      cf.br ^head(%next, %w : index, !m)""",
                "return %a : !m",
                "!m",
            ),
        ),
        args=[("4x6xf32", n, 99.0) for n in (0, 3)],
        numpy=filled,
    ),
    Program(
        "cf_places_that_a_loop_moved",
        main(
            LOOP,
            "f32, !v",
            """
      cf.br ^head(%c0, %f : index, f32)
    ^head(%k: index, %sum: f32):
      %v = tensor.extract_slice %t[%k] [1] [1] : !v to tensor<1xf32>
      %w = linalg.fill ins(%f : f32) outs(%v : tensor<1xf32>) -> tensor<1xf32>
      %e = tensor.extract %w[%c0] : tensor<1xf32>
      %sum2 = arith.addf %sum, %e : f32
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %next, %n : index
      cf.cond_br %more, ^head(%next, %sum2 : index, f32), ^end
    ^end:
      %one = tensor.from_elements %sum2 : tensor<1xf32>
      %z = tensor.insert_slice %one into %t[%k] [1] [1] : tensor<1xf32> into !v
      return %sum2, %z : f32, !v
    """,
        ),
        args=[("6xf32", n, 50.0) for n in (1, 4)],
        numpy=lambda t, n, f: (np.float32(f * (n + 1)), put(t, n - 1, f * (n + 1))),
        upstream_wrong=NOT_FOLLOWED,
    ),
    Program(
        "cf_callee_returns_one_of_two",
        main(
            TWO,
            "!v, !v",
            """
      %x = func.call @choose(%t, %u, %c) : (!v, !v, i1) -> !v
      %w = tensor.insert %f into %x[%i] : !v
      return %w, %u : !v, !v
    """,
            CALLEE,
        ),
        args=WAYS_TWO,
        numpy=lambda t, u, c, i, f: (put(t if c else u, i, f), u),
    ),
    Program(
        "cf_callee_returns_early",
        main(
            LOOP,
            "!v",
            counted(
                "%a: !v",
                "%t",
                "%w = func.call @clip(%a, %k, %f) : (!v, index, f32) -> !v\ncf.br ^head(%next, %w : index, !v)",
                "return %a : !v",
            ),
            CLIP,
        ),
        args=[("6xf32", n, 3.5) for n in (0, 6)],
        numpy=lambda t, n, f: put(t, slice(0, n), np.minimum(t[:n], f)),
    ),
    Program(
        "cf_region_with_two_yields",
        main(
            ONE,
            "!v",
            """
      %x = scf.execute_region -> !v {
        cf.cond_br %c, ^a, ^b
      ^a:
        %w = tensor.insert %f into %t[%i] : !v
        scf.yield %w : !v
      ^b:
        scf.yield %t : !v
      }
      %z = tensor.insert %f into %x[%c0] : !v
      return %z : !v
    """,
        ),
        args=WAYS,
        numpy=lambda t, c, i, f: put(put(t, i, f) if c else t, 0, f),
        oracle_cannot="it crashes when a region has two yields",
        upstream_refuses="op without unique scf.yield is not supported",
    ),
    Program(
        "cf_region_with_a_loop_in_a_loop",
        main(
            "%t: !m, %n: index, %f: f32",
            "!m",
            """
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> !m {
        %x = scf.execute_region -> !m {
          cf.br ^head(%c0, %a : index, !m)
        ^head(%k: index, %b: !m):
          %more = arith.cmpi slt, %k, %i : index
          cf.cond_br %more, ^body, ^end
        ^body:
          %w = tensor.insert %f into %b[%i, %k] : !m
          %next = arith.addi %k, %c1 : index
          cf.br ^head(%next, %w : index, !m)
        ^end:
          scf.yield %b : !m
        }
        scf.yield %x : !m
      }
      return %r : !m
    """,
        ),
        args=[("4x6xf32", n, 99.0) for n in (0, 4)],
        numpy=lambda t, n, f: np.where(np.tri(4, 6, -1, dtype=bool) & (np.arange(4) < n)[:, None], np.float32(f), t),
        oracle_cannot=NO_TYPE,
        upstream_refuses="Yield operand #0 is not equivalent",
    ),
    Program(
        "cf_for_in_a_loop_of_blocks",
        main(
            "%t: !m, %n: index, %f: f32",
            "!m",
            counted(
                "%a: !m",
                "%t",
                """%w = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> !m {
        %z = tensor.insert %f into %b[%k, %j] : !m
        scf.yield %z : !m
      }
      cf.br ^head(%next, %w : index, !m)""",
                "return %a : !m",
                "!m",
            ),
        ),
        args=[("4x6xf32", n, 99.0) for n in (0, 3)],
        numpy=lambda t, n, f: put(t, (slice(0, n), slice(0, n)), f),
    ),
]
