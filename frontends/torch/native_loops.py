"""Bodies of ops of `decompositions/native_ops.py` that are loops over elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, math, scf, tensor

from ...dialects.support.index_math import index_constant
from ...passes.stablehlo.rewriting.loops import branch, loop, loop_nest

__all__ = [
    "gamma_fraction",
    "gamma_series",
    "of_elements",
    "orthogonalize",
    "polynomial",
    "recurrence",
    "swap_rows",
    "while_loop",
]

Values = Sequence[ir.Value]
Types = Sequence[ir.Type]
_MOST_SWEEPS = 60
"""Rotations converge quadratically; ten sweeps are many."""

_MOST_TERMS = 1e6
"""Of a series or a fraction, which need some multiple of the root of the greater argument."""


def swap_rows(operands: Values, _types: Types) -> Values:
    """Swaps of elements, one after the other: number `k` with the one that the pivot `k` says."""
    x, pivots = operands
    batch, count = ir.RankedTensorType(pivots.type).shape

    def swap(place: list[ir.Value], carried: list[ir.Value]) -> Values:
        (x,) = carried
        index, k = place
        pivot = arith.index_cast(ir.IndexType.get(), tensor.extract(pivots, place))
        other = arith.subi(pivot, index_constant(1))
        one, two = tensor.extract(x, [index, k]), tensor.extract(x, [index, other])
        return [tensor.insert(one, tensor.insert(two, x, [index, k]), [index, other])]

    return loop_nest([batch, count], [x], swap)


def orthogonalize(operands: Values, types: Types) -> Values:
    """Jacobi's rotations of pairs of rows, from one side, until all pairs are orthogonal."""
    type_ = ir.RankedTensorType(operands[0].type)
    batch, rows, columns = type_.shape
    element = type_.element_type
    turns = arith.constant(types[1], ir.DenseElementsAttr.get_splat(types[1], ir.FloatAttr.get(element, 0.0)))
    one = _number(element, 1.0)
    small = _number(element, (2.3e-16 if str(element) == "f64" else 1.2e-7) * max(rows, columns))
    true = arith.constant(ir.IntegerType.get_signless(1), True)

    def of_matrix(place: list[ir.Value], carried: list[ir.Value]) -> Values:
        (index,) = place
        a, unit = carried
        (unit,) = loop(0, rows, [unit], lambda i, given: [tensor.insert(one, given[0], [index, i, i])])

        def sweep(given: list[ir.Value]) -> Values:
            left, _, a, v = given
            false = arith.constant(true.type, False)
            *_, again, a, v = loop(
                0,
                rows,
                [false, a, v],
                lambda p, values: loop(
                    arith.addi(p, index_constant(1)),
                    rows,
                    values,
                    lambda q, inner: _turned(index, (p, q), inner, small, columns, rows),
                ),
            )
            return [arith.subi(left, index_constant(1)), again, a, v]

        def goes_on(given: list[ir.Value]) -> ir.Value:
            return arith.andi(given[1], arith.cmpi(arith.CmpIPredicate.ugt, given[0], index_constant(0)))

        return while_loop([index_constant(_MOST_SWEEPS), true, a, unit], goes_on, sweep)[2:]

    return loop_nest([batch], [operands[0], turns], of_matrix)


def _turned(
    index: ir.Value, pair: tuple[ir.Value, ir.Value], carried: list[ir.Value], small: ir.Value, columns: int, rows: int
) -> Values:
    """Whether rows were turned, the matrix and the rotations, after the rows of a pair are made orthogonal."""
    _, a, v = carried
    p, q = pair
    zero = _number(small.type, 0.0)

    def summed(k: ir.Value, sums: list[ir.Value]) -> Values:
        x, y = tensor.extract(a, [index, p, k]), tensor.extract(a, [index, q, k])
        products = arith.mulf(x, x), arith.mulf(y, y), arith.mulf(x, y)
        return [arith.addf(old, new) for old, new in zip(sums, products, strict=True)]

    of_p, of_q, mixed = loop(0, columns, [zero, zero, zero], summed)
    bound = arith.mulf(arith.mulf(math.sqrt(of_p), math.sqrt(of_q)), small)
    is_off = arith.cmpf(arith.CmpFPredicate.OGT, math.absf(mixed), bound)

    def turn() -> Values:
        cosine, sine = _rotation(of_p, of_q, mixed)

        def of_rows(number: int, x: ir.Value) -> ir.Value:
            def of_elements(k: ir.Value, given: list[ir.Value]) -> Values:
                (x,) = given
                one, other = tensor.extract(x, [index, p, k]), tensor.extract(x, [index, q, k])
                new = arith.subf(arith.mulf(cosine, one), arith.mulf(sine, other))
                new_other = arith.addf(arith.mulf(sine, one), arith.mulf(cosine, other))
                return [tensor.insert(new_other, tensor.insert(new, x, [index, p, k]), [index, q, k])]

            return loop(0, number, [x], of_elements)[0]

        return [is_off, of_rows(columns, a), of_rows(rows, v)]

    return branch(is_off, carried, turn)


def _rotation(of_p: ir.Value, of_q: ir.Value, mixed: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Cosine and sine of the rotation after which two rows of these products are orthogonal."""
    one = _number(mixed.type, 1.0)
    slope = arith.divf(arith.subf(of_q, of_p), arith.addf(mixed, mixed))
    root = math.sqrt(arith.addf(arith.mulf(slope, slope), one))
    tangent = math.copysign(arith.divf(one, arith.addf(math.absf(slope), root)), slope)
    cosine = arith.divf(one, math.sqrt(arith.addf(arith.mulf(tangent, tangent), one)))
    return cosine, arith.mulf(tangent, cosine)


def recurrence(operands: Values, types: Types) -> Values:
    """For each element a loop of as many steps as `n` says."""
    element = ir.RankedTensorType(types[0]).element_type
    one, zero = _number(element, 1.0), _number(element, 0.0)

    def of_element(given: Values) -> ir.Value:
        n, first, *factors = given
        a, b, c, d, e = factors
        bits = ir.IntegerType.get_signless(64)
        steps = arith.index_cast(ir.IndexType.get(), arith.fptosi(bits, arith.maximumf(n, zero)))

        def step(k: ir.Value, carried: list[ir.Value]) -> Values:
            before, last = carried
            number = arith.sitofp(element, arith.index_cast(bits, k))
            grown = arith.mulf(arith.addf(a, arith.mulf(b, number)), last)
            less = arith.mulf(arith.addf(c, arith.mulf(d, number)), before)
            return [last, arith.divf(arith.subf(grown, less), arith.addf(one, arith.mulf(e, number)))]

        before, last = loop(1, steps, [one, first], step)
        del before
        is_first = arith.cmpi(arith.CmpIPredicate.eq, steps, index_constant(0))
        return arith.select(is_first, one, last)

    return of_elements(operands, types[0], of_element)


def polynomial(operands: Values, types: Types, coefficients: Sequence[float]) -> Values:
    """By Horner's rule."""
    element = ir.RankedTensorType(types[0]).element_type

    def of_element(given: Values) -> ir.Value:
        value = _number(element, coefficients[-1])
        for one in reversed(coefficients[:-1]):
            value = arith.addf(arith.mulf(value, given[0]), _number(element, one))
        return value

    return of_elements(operands, types[0], of_element)


def gamma_series(operands: Values, types: Types) -> Values:
    """The sum of `x**k / (a (a + 1) … (a + k))`."""
    element = ir.RankedTensorType(types[0]).element_type
    one, small, most = _number(element, 1.0), _number(element, 1e-17), _number(element, _MOST_TERMS)

    def of_element(given: Values) -> ir.Value:
        a, x = given
        term = arith.divf(one, a)

        def goes_on(carried: list[ir.Value]) -> ir.Value:
            number, term, total = carried
            counts = arith.cmpf(arith.CmpFPredicate.OGT, math.absf(term), arith.mulf(math.absf(total), small))
            return arith.andi(counts, arith.cmpf(arith.CmpFPredicate.OLT, number, most))

        def step(carried: list[ir.Value]) -> Values:
            number, term, total = carried
            number = arith.addf(number, one)
            term = arith.mulf(term, arith.divf(x, arith.addf(a, number)))
            return [number, term, arith.addf(total, term)]

        return while_loop([_number(element, 0.0), term, term], goes_on, step)[2]

    return of_elements(operands, types[0], of_element)


def gamma_fraction(operands: Values, types: Types) -> Values:
    """`1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / …))`, by the method of Lentz."""
    element = ir.RankedTensorType(types[0]).element_type
    one, two, tiny = _number(element, 1.0), _number(element, 2.0), _number(element, 1e-300)
    small, most, zero = _number(element, 1e-16), _number(element, _MOST_TERMS), _number(element, 0.0)

    def not_zero(value: ir.Value) -> ir.Value:
        is_zero = arith.cmpf(arith.CmpFPredicate.OLT, math.absf(value), tiny)
        return arith.select(is_zero, tiny, value)

    def of_element(given: Values) -> ir.Value:
        a, x = given
        start = arith.addf(arith.subf(x, a), one)
        inverse = arith.divf(one, not_zero(start))

        def goes_on(carried: list[ir.Value]) -> ir.Value:
            number, change = carried[0], carried[4]
            counts = arith.cmpf(arith.CmpFPredicate.OGT, math.absf(arith.subf(change, one)), small)
            return arith.andi(counts, arith.cmpf(arith.CmpFPredicate.OLT, number, most))

        def step(carried: list[ir.Value]) -> Values:
            number, b, c, d, _, value = carried
            number, b = arith.addf(number, one), arith.addf(b, two)
            factor = arith.mulf(number, arith.subf(a, number))
            d = arith.divf(one, not_zero(arith.addf(arith.mulf(factor, d), b)))
            c = not_zero(arith.addf(b, arith.divf(factor, c)))
            change = arith.mulf(c, d)
            return [number, b, c, d, change, arith.mulf(value, change)]

        return while_loop([zero, start, arith.divf(one, tiny), inverse, two, inverse], goes_on, step)[5]

    return of_elements(operands, types[0], of_element)


def _number(type_: ir.Type, value: float) -> ir.Value:
    return arith.constant(type_, ir.FloatAttr.get(type_, value))


def of_elements(operands: Values, type_: ir.Type, function: Callable[[Values], ir.Value]) -> Values:
    """A tensor of rank 1 of what a function gives for the elements of others."""
    (size,) = ir.RankedTensorType(type_).shape

    def store(place: list[ir.Value], carried: list[ir.Value]) -> Values:
        return [tensor.insert(function([tensor.extract(one, place) for one in operands]), carried[0], place)]

    return loop_nest([size], [tensor.empty([size], ir.RankedTensorType(type_).element_type)], store)


def while_loop(
    values: Values, goes_on: Callable[[list[ir.Value]], ir.Value], step: Callable[[list[ir.Value]], Values]
) -> Values:
    """Build an `scf.while` that repeats a step, and return what it carries at the end."""
    types = [value.type for value in values]
    loop_op = scf.WhileOp(types, list(values))
    here = [ir.Location.current] * len(types)
    before, after = (region.blocks.append(*types, arg_locs=here) for region in loop_op.regions)
    with ir.InsertionPoint(before):
        scf.ConditionOp(goes_on(list(before.arguments)), list(before.arguments))
    with ir.InsertionPoint(after):
        scf.YieldOp(list(step(list(after.arguments))))
    return list(loop_op.results)
