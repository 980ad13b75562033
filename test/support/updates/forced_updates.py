"""Programs that are no destructive updates by a rule, and what ignoring that rule would make of them.

The forced program is written by hand: it stores each slice where it is inserted, as if the rule had not been there.
With both go the values that NumPy says the program computes. The tests run both: the forced one is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlir_inplace.passes.analysis.destructive_updates.chains import UpdateRule
from mlir_inplace.passes.analysis.destructive_updates.outcomes import RewriteRule

from .update_programs import (
    FIRST,
    SECOND,
    SHIFT,
    STORE,
    Array,
    forced_sum,
    function,
    get,
    keep,
    loop,
    plain,
    put,
    sum_of,
    threads,
    until,
)

__all__ = ["UPDATES", "Refusal", "Rule", "refusal"]

Rule = UpdateRule | RewriteRule


@dataclass(frozen=True)
class Refusal:
    """A program that ``rule`` leaves alone, and a wrong one; ``name`` says what is special if there are several."""

    rule: Rule
    text: str
    forced: str
    output: Array
    """What is in the target afterwards."""
    number: float | None = None
    """What is at the beginning of the other binding, if anything was stored there."""
    name: str = ""
    grid: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.rule.name} {self.name}".strip()


FILLED = np.full(8, 50.0)
FROM_SOURCE = "dispatch.store %t, %out : !t -> !o\n"
READ = "!dispatch.readonly<!t>"
IS_LOW = "%p = arith.cmpi ult, %i, %c4 : index\n"
BACKWARDS = "%back = arith.subi %c7, %i : index\n"
BEFORE = "%before = arith.subi %i, %c1 : index\n"
UPWARDS = "%c0 to %c7 step %c1"
PUT_NEXT = "%n = tensor.insert %e into %a[%next] : !t\nscf.yield %n : !t"
MIRRORED = FIRST[::-1].copy()
"""What reads before all updates give."""


def refusal(
    rule: Rule,
    body: str,
    forced: str,
    output: Array,
    number: float | None = None,
    *,
    name: str = "",
    access: str = "readwrite",
    grid: tuple[int, ...] = (),
) -> Refusal:
    return Refusal(rule, function(body, access), function(forced, access), output, number, name, grid)


def branch(then: str, otherwise: str) -> str:
    return loop(
        f"{IS_LOW}%n = scf.if %p -> (!t) {{\n{then}\nscf.yield %m : !t\n}} else {{\n{otherwise}\n}}\nscf.yield %n : !t"
    )


SLICE = "%s = tensor.extract_slice {}[{}] [1] [1] : !t to tensor<1xf64>\n"
PUT_LOW = FROM_SOURCE + plain(f"{IS_LOW}scf.if %p {{\n{put('%f', '%i')}\n}}")
TWICE = "%e0 = tensor.empty() : !t\n%x = linalg.add ins(%a, %a : !t, !t) outs(%e0 : !t) -> !t\n"

UPDATES = (
    refusal(
        UpdateRule.UNUSED,
        loop("%n = tensor.insert %f into %u[%i] : !t\nscf.yield %n : !t") + STORE,
        "dispatch.store %u, %out : !t -> !o\n" + plain(put("%f", "%i")),
        np.r_[SECOND[:7], 50.0],
    ),
    refusal(
        UpdateRule.UNCHANGED,
        loop("%e = tensor.extract %a[%i] : !t\n" + keep("%e") + "scf.yield %a : !t") + STORE,
        plain(get("e", "%i", "%in", READ) + keep("%e")),
        FIRST,
        FIRST[7],
    ),
    refusal(
        UpdateRule.NO_UPDATE,
        loop("%e = tensor.extract %a[%i] : !t\n%n = tensor.insert %e into %u[%i] : !t\nscf.yield %n : !t") + STORE,
        plain(get("e", "%i", "%in", READ) + put("%e", "%i")),
        # The first iteration leaves nothing of the source but its first element, the second one not even that.
        SECOND,
    ),
    refusal(
        UpdateRule.NO_UPDATE,
        branch(
            "%m = tensor.insert %f into %a[%i] : !t",
            "%e0 = tensor.empty() : !t\n%z = linalg.fill ins(%g : f64) outs(%e0 : !t) -> !t\nscf.yield %z : !t",
        )
        + STORE,
        PUT_LOW,
        np.full(8, 60.0),
        name="branch",
    ),
    refusal(
        UpdateRule.CAPTURED_TWICE,
        branch("%m = tensor.insert %f into %a[%i] : !t", "scf.yield %u : !t") + STORE,
        PUT_LOW,
        SECOND,
    ),
    refusal(
        UpdateRule.PING_PONG,
        """
        %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t, %b = %u) -> (!t, !t) {
          %n = tensor.insert %f into %a[%i] : !t
          %m = tensor.insert %g into %b[%i] : !t
          scf.yield %m, %n : !t, !t
        }
        dispatch.store %r#0, %out : !t -> !o
        """,
        FROM_SOURCE + plain(put("%f", "%i")),
        np.where(np.arange(8) % 2 == 0, 50.0, 60.0),
    ),
    refusal(
        UpdateRule.SECOND_VERSION,
        sum_of(
            "%e",
            "%n = tensor.insert %f into %a[%i] : !t\n%m = tensor.insert %g into %a[%c3] : !t\n"
            "%e = tensor.extract %m[%c3] : !t",
        ),
        forced_sum("%e", put("%f", "%i") + put("%f", "%c3", "w") + get("e", "%c3")),
        FILLED,
        8 * 60.0,
    ),
    refusal(
        UpdateRule.SECOND_VERSION,
        threads(BACKWARDS + "%m = tensor.insert %f into %a[%back] : !t\n" + SLICE.format("%m", "%i")) + STORE,
        FROM_SOURCE + plain(BACKWARDS + put("%f", "%back", "w") + get("e", "%i") + put("%e", "%i")),
        FIRST,
        name="of a thread",
    ),
    refusal(
        UpdateRule.LATE_READ,
        sum_of("%e", "%n = tensor.insert %f into %a[%i] : !t\n%e = tensor.extract %a[%i] : !t"),
        forced_sum("%e", put("%f", "%i") + get("e", "%i")),
        FILLED,
        FIRST.sum(),
    ),
    refusal(
        UpdateRule.LATE_READ,
        until("%n = tensor.insert %f into %h[%i] : !t\n%e = tensor.extract %h[%i] : !t\n" + keep("%e")) + STORE,
        FROM_SOURCE + plain(put("%f", "%i") + get("e", "%i") + keep("%e")),
        FILLED,
        FIRST[7],
        name="without bounds",
    ),
    refusal(
        UpdateRule.LATE_READ,
        branch(
            "%m = tensor.insert %f into %a[%i] : !t\n%e = tensor.extract %a[%i] : !t\n" + keep("%e"),
            "scf.yield %a : !t",
        )
        + STORE,
        FROM_SOURCE + plain(f"{IS_LOW}scf.if %p {{\n{put('%f', '%i')}{get('e', '%i')}{keep('%e')}\n}}"),
        np.r_[FILLED[:4], FIRST[4:]],
        FIRST[3],
        name="in a branch",
    ),
    refusal(
        UpdateRule.READ_MEANWHILE,
        """
        %r = scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %t) -> (!t) {
          %q = scf.for %i = %c1 to %c8 step %c1 iter_args(%h = %a) -> (!t) {
            %before = arith.subi %i, %c1 : index
            %e = tensor.extract %a[%before] : !t
            %n = tensor.insert %e into %h[%i] : !t
            scf.yield %n : !t
          }
          scf.yield %q : !t
        }
        """
        + STORE,
        FROM_SOURCE
        + plain(
            "%before = arith.subi %i, %c1 : index\n" + get("e", "%before") + put("%e", "%i"), "%c1 to %c8 step %c1"
        ),
        np.r_[FIRST[:1], FIRST[:7]],
    ),
    refusal(
        UpdateRule.WHOLE_READ,
        loop(SHIFT + TWICE + "%e = tensor.extract %x[%i] : !t\n" + PUT_NEXT, UPWARDS) + STORE,
        FROM_SOURCE
        + plain(
            SHIFT + get("e", "%i", "%in", READ) + "%y = arith.addf %e, %e : f64\n" + put("%y", "%next"),
            UPWARDS,
        ),
        2.0 ** np.arange(8),
    ),
    refusal(
        UpdateRule.WHOLE_READ,
        threads(BACKWARDS + TWICE + SLICE.format("%x", "%back")) + STORE,
        FROM_SOURCE + plain(BACKWARDS + get("e", "%back") + "%y = arith.addf %e, %e : f64\n" + put("%y", "%i")),
        2 * MIRRORED,
        name="by a thread",
    ),
)
