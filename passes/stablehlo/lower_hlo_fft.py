"""Lower `stablehlo.fft` to loops.

In: `stablehlo.fft` of the types FFT, IFFT, RFFT and IRFFT along one to three dimensions. Out: for each line the Fourier
transform of Stockham, which sorts itself, in mixed radices: a pass of `scf.for` loops for each prime factor of the
length, from one pair of lines to another. Real and imaginary parts are in tensors of their own, which all lines share.

```mlir
func.func @f(%x: tensor<5x12xcomplex<f32>>) -> tensor<5x12xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [12] : (tensor<5x12xcomplex<f32>>) -> tensor<5x12xcomplex<f32>>
  return %0 : tensor<5x12xcomplex<f32>>
}
```

computes, for each row `x` of 12 = 2 * 2 * 3 elements, with w[n] = exp(-2 pi i n / 12):

```text
done = 1
for radix = 2, 2, 3:
  rest = 12 / (done * radix)
  for p < rest, q < done, k < radix:
    y[q + done * (radix * p + k)] =
        sum of x[q + done * (p + rest * t)] * w[(p * k * done + (t * k mod radix) * 12 / radix) mod 12] for t < radix
  x, done = y, done * radix
```

The work is n times the sum of the prime factors of n for a line, that is O(n log n) for lengths with small ones, and
O(n^2) for a prime length. The table of w is computed in double precision when the program is compiled.

Upstream counterpart: none in the bindings; `stablehlo-legalize-to-linalg` leaves the op as it is.
"""

from __future__ import annotations

import cmath
from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, tensor
from mlir.dialects import complex as complex_

from ...dialects.support.frozen_classes import frozen
from ...dialects.support.index_math import index_constant
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.attributes import enum_value, integers
from .rewriting.loops import loop, loop_nest

Values = Sequence[ir.Value]


@frozen
class _Line:
    """A Fourier transform of one length: `cosines` and `sines` of the multiples of its angle, and its direction."""

    size: int
    cosines: ir.Value
    sines: ir.Value

    @staticmethod
    def build(size: int, element: ir.Type, sign: int) -> _Line:
        """Build the tables of exp(sign * 2 pi i n / size)."""
        type_ = ir.RankedTensorType.get([size], element)
        roots = [cmath.exp(sign * 2j * cmath.pi * n / size) for n in range(size)]
        tables = (
            ir.DenseElementsAttr.get([ir.FloatAttr.get(element, number) for number in part], type_)
            for part in ([root.real for root in roots], [root.imag for root in roots])
        )
        return _Line(size, *(arith.constant(type_, table) for table in tables))


def prime_factors(number: int) -> Iterator[int]:
    """Yield the prime factors of a positive number, in ascending order."""
    factor = 2
    while factor * factor <= number:
        if number % factor:
            factor += 1
        else:
            yield factor
            number //= factor
    if number > 1:
        yield number


def _scaled(index: ir.Value, factor: int) -> ir.Value:
    return arith.muli(index, index_constant(factor))


def _modulo(index: ir.Value, divisor: int) -> ir.Value:
    return arith.remui(index, index_constant(divisor))


def _pass(line: _Line, radix: int, done: int, sources: Values, targets: Values) -> Values:
    """Build the loops for one factor of the length, behind those for factors whose product is `done`."""
    rest = line.size // (done * radix)
    zero = arith.constant(ir.RankedTensorType(line.cosines.type).element_type, 0.0)

    def element(place: list[ir.Value], carried: list[ir.Value]) -> Values:
        p, k, q = place
        twiddle = arith.muli(_scaled(p, done), k)

        def add_term(t: ir.Value, sums: list[ir.Value]) -> Values:
            at = arith.addi(q, _scaled(arith.addi(p, _scaled(t, rest)), done))
            inner = _scaled(_modulo(arith.muli(t, k), radix), line.size // radix)
            power = _modulo(arith.addi(twiddle, inner), line.size)
            real, imaginary = (tensor.extract(source, [at]) for source in sources)
            cosine, sine = (tensor.extract(table, [power]) for table in (line.cosines, line.sines))
            return [
                arith.addf(sums[0], arith.subf(arith.mulf(real, cosine), arith.mulf(imaginary, sine))),
                arith.addf(sums[1], arith.addf(arith.mulf(real, sine), arith.mulf(imaginary, cosine))),
            ]

        sums = loop(0, radix, [zero, zero], add_term)
        at = arith.addi(q, _scaled(arith.addi(_scaled(p, radix), k), done))
        return [tensor.insert(number, target, [at]) for number, target in zip(sums, carried, strict=True)]

    return loop_nest([rest, radix, done], targets, element)


def _transform(line: _Line, lines: Values, scratch: Values) -> Values:
    """Build the transform of the pair `lines` of real and imaginary parts."""
    done = 1
    for radix in prime_factors(line.size):
        lines, scratch = _pass(line, radix, done, lines, scratch), lines
        done *= radix
    return lines


def _load(value: ir.Value, place: list[ir.Value]) -> Values:
    number = tensor.extract(value, place)
    if isinstance(number.type, ir.FloatType):
        return [number, arith.constant(number.type, 0.0)]
    return [complex_.re(number), complex_.im(number)]


def _gather(value: ir.Value, dim: int, size: int, others: list[ir.Value], targets: Values) -> Values:
    """Build the loop that loads a line; the half that a real transform leaves out is the conjugate of the other."""
    given = ir.RankedTensorType(value.type).shape[dim]

    def known(index: ir.Value, carried: list[ir.Value]) -> Values:
        parts = _load(value, [*others[:dim], index, *others[dim:]])
        return [tensor.insert(part, target, [index]) for part, target in zip(parts, carried, strict=True)]

    def conjugate(index: ir.Value, carried: list[ir.Value]) -> Values:
        mirror = arith.subi(index_constant(size), index)
        real, imaginary = _load(value, [*others[:dim], mirror, *others[dim:]])
        parts = (real, arith.negf(imaginary))
        return [tensor.insert(part, target, [index]) for part, target in zip(parts, carried, strict=True)]

    return loop(given, size, loop(0, min(given, size), targets, known), conjugate)


def _along(value: ir.Value, dim: int, size: int, type_: ir.RankedTensorType, *, is_inverse: bool) -> ir.Value:
    """Build the transform of all lines along `dim`, of `size` elements, into a tensor of `type_`."""
    element = type_.element_type
    real_type = ir.ComplexType(element).element_type if isinstance(element, ir.ComplexType) else element
    line = _Line.build(size, real_type, 1 if is_inverse else -1)
    line_type = ir.RankedTensorType.get([size], real_type)
    buffers = [ir.Operation.create("tensor.empty", [line_type]).result for _ in range(4)]
    result = ir.Operation.create("tensor.empty", [type_]).result
    scale = arith.constant(real_type, 1.0 / size if is_inverse else 1.0)
    shape = list(type_.shape)

    def visit(others: list[ir.Value], carried: list[ir.Value]) -> Values:
        lines = _transform(line, _gather(value, dim, size, others, buffers[:2]), buffers[2:])

        def store(index: ir.Value, values: list[ir.Value]) -> Values:
            real, imaginary = (arith.mulf(tensor.extract(part, [index]), scale) for part in lines)
            number = complex_.create_(element, real, imaginary) if isinstance(element, ir.ComplexType) else real
            return [tensor.insert(number, values[0], [*others[:dim], index, *others[dim:]])]

        return loop(0, shape[dim], carried, store)

    return loop_nest([*shape[:dim], *shape[dim + 1 :]], [result], visit)[0]


def _lower(op: ir.Operation) -> ir.Value:
    """Build the transforms along the last dimensions: that of real numbers last, or first if it makes them complex."""
    kind, lengths = enum_value(op, "fft_type"), integers(op, "fft_length", [])
    value, type_ = op.operands[0], ir.RankedTensorType(op.results[0].type)
    is_inverse = kind in ("IFFT", "IRFFT")
    first = type_.rank - len(lengths)
    order = list(range(first, type_.rank))
    if kind == "RFFT":
        order.reverse()
    for dim in order:
        shape = list(ir.RankedTensorType(value.type).shape)
        is_real = dim == type_.rank - 1 and kind in ("RFFT", "IRFFT")
        shape[dim] = type_.shape[dim]
        complex_element = type_.element_type if kind != "IRFFT" else ir.RankedTensorType(value.type).element_type
        element = type_.element_type if is_real else complex_element
        value = _along(value, dim, lengths[dim - first], ir.RankedTensorType.get(shape, element), is_inverse=is_inverse)
    return value


def analyze_transforms(root: ir.Operation) -> list[ir.Operation]:
    """Return the Fourier transforms under `root`, of tensors of known sizes. Changes nothing."""
    return find_ops(root, "stablehlo.fft", where=lambda op: ir.RankedTensorType(op.operands[0].type).has_static_shape)


class LowerHloFftPass(Pass[PassOptions]):
    """Lower stablehlo.fft to loops."""

    argument = "inplace-lower-hlo-fft"
    summary = "lower stablehlo.fft to loops, in mixed radices"
    statistics = (Statistic("lowered-transforms", "transforms that became loops"),)
    concerns = ("stablehlo.fft",)

    def run(self, op: ir.Operation) -> None:
        found = analyze_transforms(op)
        for transform in found:
            with ir.InsertionPoint(transform), transform.location:
                transform.results[0].replace_all_uses_with(_lower(transform))
            transform.erase()
        self.count("lowered-transforms", len(found))
