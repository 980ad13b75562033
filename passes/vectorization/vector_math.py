"""Compute math functions of vectors by polynomials on all lanes at once, instead of calling libm for each lane.

## Problem

`math.exp` of a vector is lowered to a call of `expf` for every lane, so that a softmax spends its time in calls.

## Before and after

```text
%y = math.exp2 %x : vector<16xf32>
```

becomes, with constants by their values and limits on `%x` left out:

```text
%raised = arith.addf %x, 1.5 * 2^23 + 254 : vector<16xf32>
%n = arith.subf %raised, 1.5 * 2^23 + 254 : vector<16xf32>
%r = arith.subf %x, %n : vector<16xf32>
%p5 = math.fma ... : vector<16xf32>                  // a polynomial of degree 5 in %r
%power = math.fma %r, %p5, 1.0 : vector<16xf32>
%bits = arith.bitcast %raised : vector<16xf32> to vector<16xi32>
%half1, %half2 = ...                                 // powers of two, whose product is 2^n
%first = arith.mulf %power, %half1 : vector<16xf32>
%y = arith.mulf %first, %half2 : vector<16xf32>
```

## Contract

In: any op. Out: `math.acos`, `acosh`, `asin`, `asinh`, `atan`, `atan2`, `atanh`, `cbrt`, `cos`, `cosh`, `erf`, `exp`,
`exp2`, `expm1`, `log`, `log10`, `log1p`, `log2`, `powf`, `rsqrt`, `sin`, `sinh`, `tan` and `tanh` of vectors of f32 and
f64 are arithmetic on vectors, within 2 ulp of the function; of f16 and bf16 too, by way of f32. `arith.remf` is exact.
NaN, infinities, overflow, denormal results and signs of zeros are as libm has them. Sines, cosines and tangents of
lanes beyond 2^16 (2^30 in f64), and remainders of quotients that have more digits than a float, are still libm's, in a
branch. Powers with the exponents -1, 0.5, 1, 2, 3 and 4 are products, a quotient, and a root. Left alone, with a reason
(`print-kept`): vectors of other floats, scalable vectors and those without dimensions, scalars (without a reason).

Quotients and remainders of integers of 8, 16 and 32 bits (`arith.divsi`, `divui`, `remsi`, `remui`) are computed by
floats, exactly, if the program replaces divisors that they are not defined for, as StableHLO's lowering does. Constant
divisors stay: LLVM makes products of these.

Results are the same on any machine: each op rounds once, `math.fma` too, and fast-math flags are dropped. `functions`
names the ops to rewrite, all by default.

Consecutive ops that are the same function of several vectors are rewritten in lockstep: each step is built for all of
them before the next. A polynomial is a chain of dependent steps; the processor overlaps those of other vectors. The
registers of the machine, which `machine` overrides, limit how many vectors are computed together.

Linear in the ops. Upstream counterpart: `test-math-polynomial-approximation`, which flushes denormal numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from ...dialects.support.constants import constant_float
from ...dialects.support.defining_ops import defining_op
from ...dialects.support.frozen_classes import frozen
from ..analysis.linalg.safe_divisions import SAFE_BITS, divides_safely, has_constant_divisor
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure, nearest
from ..framework.options import PassOptions, option
from ..scheduling.rewriting.linalg_ops import read_machine
from .functions import FUNCTIONS, NAMES, op_name
from .functions.formats import FORMATS
from .functions.powers import KNOWN_POWERS
from .functions.quotients import QUOTIENTS
from .functions.vectors import Floats

_NARROW = frozenset({"f16", "bf16"})
_REGISTERS = 4
"""How many registers a vector takes while it is computed: the argument, the polynomial, bits that are used later, and
its share of the constants."""


@frozen
class VectorMathOptions(PassOptions):
    """Options of `inplace-vector-math`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'registers=32'")
    functions: tuple[str, ...] = option((), help="the ops to rewrite, without 'math.' or 'arith.'; empty means all")
    print_kept: bool = option(False, help="emit a remark for every math op on vectors that stays, with the reason")


class VectorMathPass(Pass[VectorMathOptions]):
    """Rewrite math ops on vectors into arithmetic."""

    argument = "inplace-vector-math"
    summary = "compute math functions of vectors by polynomials, within 2 ulp"
    Options = VectorMathOptions
    statistics = (
        Statistic("rewritten", "math ops on vectors that became arithmetic"),
        Statistic("kept", "math ops on vectors that stay"),
    )

    def run(self, op: ir.Operation) -> None:
        most = max(1, read_machine(self.options.machine, op).registers // _REGISTERS)
        for ops in _find_groups(op, self._wanted(op), most):
            first = ops[0]
            if reason := _why_kept(first):
                self.count("kept", len(ops))
                if self.options.print_kept:
                    for one in ops:
                        self.remark(one.location, f"'{one.name}' is not rewritten, because {reason}")
                continue
            with ir.InsertionPoint(first), first.location:
                results = _build(ops)
            for one, result in zip(ops, results, strict=True):
                one.results[0].replace_all_uses_with(result)
                one.erase()
            self.count("rewritten", len(ops))

    def _wanted(self, op: ir.Operation) -> frozenset[str]:
        names = self.options.functions or NAMES
        for name in names:
            if name not in NAMES:
                known = ", ".join(NAMES)
                raise PassFailure(f"unknown function '{name}'{nearest(name, NAMES)}; known are {known}", op)
        return frozenset(op_name(name) for name in names)


def _find_groups(root: ir.Operation, names: frozenset[str], most: int) -> list[list[ir.Operation]]:
    """Return the ops with one of `names` inside `root` on vectors, in program order, in groups of up to `most`.

    A group consists of consecutive ops that are the same function of vectors of one type, none a result of the group.
    """
    groups: list[list[ir.Operation]] = []
    open_group: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal open_group
        one = op.operation
        if one.name not in names or not isinstance(one.results[0].type, ir.VectorType):
            open_group = []
        elif len(open_group) < most and _goes_with(one, open_group):
            open_group.append(one)
        else:
            open_group = [one]
            groups.append(open_group)
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return groups


def _goes_with(op: ir.Operation, group: Sequence[ir.Operation]) -> bool:
    """Whether `op`, the next op after `group`, can be computed together with it."""
    if not group or (op.name, op.results[0].type) != (group[0].name, group[0].results[0].type):
        return False
    if op.block != group[0].block or _exponent(op) != _exponent(group[0]):
        return False  # regions of an unknown op, of which only one may run, or other powers
    if _is_quotient(op) and _why_kept(op) != _why_kept(group[0]):
        return False
    return not any(operand == other.results[0] for operand in op.operands for other in group)


def _is_quotient(op: ir.Operation) -> bool:
    return op.name.partition(".")[2] in QUOTIENTS


def _exponent(op: ir.Operation) -> float | None:
    """Return the exponent of a power that is built by a few products."""
    if op.name != "math.powf":
        return None
    exponent = op.operands[1]
    if spread := defining_op(exponent, "vector.broadcast"):
        exponent = spread.operands[0]
    number = constant_float(exponent)
    return number if number in KNOWN_POWERS else None


def _why_kept(op: ir.Operation) -> str | None:
    """Return why an op on vectors is kept; None if it is rewritten."""
    type_ = ir.VectorType(op.results[0].type)
    if type_.rank == 0:
        return "a vector without dimensions is a scalar"
    if type_.scalable:
        return "the lanes of a scalable vector cannot be counted"
    if _is_quotient(op):
        if not divides_safely(op):
            return f"divisors may be zero, or numbers have more than {SAFE_BITS} bits"
        return "the divisor is a constant, of which LLVM makes a product" if has_constant_divisor(op) else None
    element = str(type_.element_type)
    if element not in FORMATS and element not in _NARROW:
        return f"there are polynomials for f64, f32, f16 and bf16, and not for {element}"
    return None


def _build(ops: Sequence[ir.Operation]) -> Sequence[ir.Value]:
    """Build what `ops` compute; narrow floats are computed in f32, which has more than twice their digits."""
    exponent = _exponent(ops[0])
    if _is_quotient(ops[0]):
        lefts, rights = zip(*(op.operands for op in ops), strict=True)
        return QUOTIENTS[ops[0].name.partition(".")[2]](lefts, rights)
    function = FUNCTIONS[ops[0].name.partition(".")[2]] if exponent is None else KNOWN_POWERS[exponent]
    columns = list(zip(*(op.operands for op in ops), strict=True))[: None if exponent is None else 1]
    type_ = ir.VectorType(ops[0].results[0].type)
    if str(type_.element_type) not in _NARROW:
        return function(*(Floats(column) for column in columns)).values
    wide = ir.VectorType.get(type_.shape, ir.F32Type.get())
    results = function(*(Floats([arith.extf(wide, value) for value in column]) for column in columns)).values
    return [arith.truncf(type_, result) for result in results]
