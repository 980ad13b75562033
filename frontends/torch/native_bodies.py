"""Bodies of ops of `decompositions/native_ops.py`: ops of StableHLO, which `legalize_stablehlo` lowers, or loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from . import native_integers, native_loops
from .decompositions.native_ops import coefficients_of

Values = Sequence[ir.Value]
Types = Sequence[ir.Type]


def _attribute(kind: str, value: str) -> ir.Attribute:
    return ir.Attribute.parse(f"#stablehlo<{kind} {value}>")


def _library_call(target: str) -> Callable[[Values, Types], Values]:
    def build(operands: Values, types: Types) -> Values:
        return _called(target.replace("?", _letter(operands[0])), operands, types)

    return build


def _letter(matrix: ir.Value) -> str:
    """What LAPACK's names begin with."""
    return {"f32": "s", "f64": "d"}[str(ir.RankedTensorType(matrix.type).element_type)]


def _called(target: str, operands: Values, types: Types, **options: int) -> Values:
    attributes: dict[str, ir.Attribute] = {"call_target_name": ir.StringAttr.get(target)}
    if options:
        byte = ir.IntegerType.get_signless(8)
        numbers = {name: ir.IntegerAttr.get(byte, number) for name, number in options.items()}
        attributes["mhlo.backend_config"] = ir.DictAttr.get({**numbers})
    return list(ir.Operation.create("stablehlo.custom_call", types, list(operands), attributes).results)


def _cholesky(operands: Values, types: Types) -> Values:
    return _called(f"lapack_{_letter(operands[0])}potrf_ffi", operands, types, uplo=ord("L"))


def _solve(*, lower: bool) -> Callable[[Values, Types], Values]:
    def build(operands: Values, types: Types) -> Values:
        flag = ir.BoolAttr.get
        attributes = {
            "left_side": flag(True),
            "lower": flag(lower),
            "unit_diagonal": flag(False),
            "transpose_a": _attribute("transpose", "NO_TRANSPOSE"),
        }
        return list(ir.Operation.create("stablehlo.triangular_solve", types, list(operands), attributes).results)

    return build


def _fourier(kind: str) -> Callable[[Values, Types], Values]:
    def build(operands: Values, types: Types) -> Values:
        real = types[0] if kind == "IRFFT" else operands[0].type
        attributes = {
            "fft_type": _attribute("fft_type", kind),
            "fft_length": ir.DenseI64ArrayAttr.get([ir.RankedTensorType(real).shape[-1]]),
        }
        return list(ir.Operation.create("stablehlo.fft", types, list(operands[:1]), attributes).results)

    return build


def _elementwise(name: str) -> Callable[[Values, Types], Values]:
    return lambda operands, types: list(ir.Operation.create(f"stablehlo.{name}", types, list(operands)).results)


def _region(op: ir.Operation, element_types: Types, body: Callable[[Values], ir.Value]) -> None:
    """Give an op the region that computes one tensor of rank 0 of two of each type."""
    scalars = [ir.RankedTensorType.get([], type_) for type_ in element_types for _ in range(2)]
    block = op.regions[0].blocks.append(*scalars, arg_locs=[op.location] * len(scalars))
    with ir.InsertionPoint(block):
        ir.Operation.create("stablehlo.return", [], [body(list(block.arguments))])


def _element(value: ir.Value) -> ir.Type:
    return ir.RankedTensorType(value.type).element_type


def _sort(direction: str) -> Callable[[Values, Types], Values]:
    def build(operands: Values, types: Types) -> Values:
        is_float = isinstance(_element(operands[0]), ir.FloatType)

        def compared(one: ir.Value, other: ir.Value, how: str) -> ir.Value:
            attributes = {
                "comparison_direction": _attribute("comparison_direction", how),
                "compare_type": _attribute("comparison_type", "FLOAT" if is_float else "SIGNED"),
            }
            boolean = ir.RankedTensorType.get([], ir.IntegerType.get_signless(1))
            return ir.Operation.create("stablehlo.compare", [boolean], [one, other], attributes).result

        def is_before(given: Values) -> ir.Value:
            one, other = given[:2]
            before = compared(one, other, direction)
            if not is_float:
                return before
            least, greatest = (one, other) if direction == "LT" else (other, one)
            number, nan = compared(least, least, "EQ"), compared(greatest, greatest, "NE")
            beside = ir.Operation.create("stablehlo.and", [before.type], [number, nan]).result
            return ir.Operation.create("stablehlo.or", [before.type], [before, beside]).result

        axis = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), ir.RankedTensorType(operands[0].type).rank - 1)
        attributes = {"dimension": axis, "is_stable": ir.BoolAttr.get(True)}
        op = ir.Operation.create("stablehlo.sort", types, list(operands), attributes, regions=1)
        _region(op, [_element(one) for one in operands], is_before)
        return list(op.results)

    return build


_DIMENSIONS = "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"


def _scatter(combination: str) -> Callable[[Values, Types], Values]:
    def build(operands: Values, types: Types) -> Values:
        attributes = {"scatter_dimension_numbers": ir.Attribute.parse(_DIMENSIONS)}
        op = ir.Operation.create("stablehlo.scatter", types, list(operands), attributes, regions=1)

        def combined(given: Values) -> ir.Value:
            if not combination:
                return given[1]
            return ir.Operation.create(f"stablehlo.{combination}", [given[0].type], list(given)).result

        _region(op, [_element(operands[0])], combined)
        return list(op.results)

    return build


def body(name: str) -> Callable[[Values, Types], Values]:
    """What builds the results of an op of its operands and their types."""
    if name.startswith("polynomial_"):
        coefficients = coefficients_of(name)
        return lambda operands, types: native_loops.polynomial(operands, types, coefficients)
    return _BODIES[name]


_BODIES: dict[str, Callable[[Values, Types], Values]] = {
    "lu": _library_call("lapack_?getrf_ffi"),
    "cholesky": _cholesky,
    "qr": _library_call("Qr"),
    "householder": _library_call("ProductOfElementaryHouseholderReflectors"),
    "solve_lower": _solve(lower=True),
    "solve_upper": _solve(lower=False),
    "swap_rows": native_loops.swap_rows,
    "orthogonalize": native_loops.orthogonalize,
    "fft": _fourier("FFT"),
    "ifft": _fourier("IFFT"),
    "rfft": _fourier("RFFT"),
    "irfft": _fourier("IRFFT"),
    "sort_ascending": _sort("LT"),
    "sort_descending": _sort("GT"),
    "scatter_set": _scatter(""),
    "scatter_add": _scatter("add"),
    "scatter_multiply": _scatter("multiply"),
    "scatter_minimum": _scatter("minimum"),
    "scatter_maximum": _scatter("maximum"),
    "remainder": _elementwise("remainder"),
    "bits": _elementwise("bitcast_convert"),
    "from_bits": _elementwise("bitcast_convert"),
    "recurrence": native_loops.recurrence,
    "gcd": native_integers.common_divisor,
    "power": native_integers.power,
    "gamma_series": native_loops.gamma_series,
    "gamma_fraction": native_loops.gamma_fraction,
}
