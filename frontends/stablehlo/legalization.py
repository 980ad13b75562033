"""From StableHLO to `linalg`, `tensor`, `scf`, `arith`, `math`, `func`, and `vector` where lines are sorted.

    module = parse_stablehlo(path.read_bytes())  # text, bytecode or a portable artifact
    program = mi.compile(legalize_stablehlo(module))

Upstream's `stablehlo-legalize-to-linalg` lowers what computes elements; passes of `passes/stablehlo/` lower the rest
before it runs: control flow, scatters, sorts, random bits, factorizations.
"""

from __future__ import annotations

from mlir import ir

from ...dialects import stablehlo
from ...dialects.support.text_error import TextError
from ...passes.framework.diagnostics import DiagnosticCollector
from ...passes.framework.entered_context import new_context
from ...passes.pipeline.pipeline import run_pipeline
from ...runtime.compilation.settings import verifies_each
from ...runtime.source import private_copy

__all__ = ["legalize_stablehlo", "parse_artifact", "parse_stablehlo"]

_NOTHING = "builtin.module()"
"""Only verifies what passes count on."""
_LOWERING = ",".join(
    (
        "func.func(stablehlo-legalize-composite-to-call)",
        "inline",  # JAX calls private functions for what it traces once, loop bodies too
        "symbol-dce",
        "inplace-lower-hlo-top-k",
        "inplace-simplify-hlo",
        "inplace-widen-unsigned-operands",
        "inplace-widen-product-results",
        "inplace-lower-hlo-loops",
        "inplace-lower-hlo-branches",
        "inplace-lower-hlo-scatter",
        "inplace-lower-hlo-sort",
        "inplace-lower-hlo-windows",
        "inplace-lower-hlo-factorizations",
        "inplace-lower-hlo-fft",
        "func.func(stablehlo-legalize-to-linalg)",
        "inplace-refuse-hlo",
        "inplace-saturate-conversions",
        "inplace-inline-scalar-generics",
        "inplace-erase-signedness",
        "inplace-canonicalize",
        "inplace-fold-index-bounds",
        "inplace-canonicalize",
        "cse",
    )
)


def parse_stablehlo(source: str | bytes, context: ir.Context | None = None) -> ir.Module:
    """Parse a StableHLO program: text, bytecode, or a portable artifact (`jax.export`, `.mlirbc`).

    Args:
        source: the program.
        context: where the module lives; a new context if None. The dialect is registered in it.

    Raises `ir.MLIRError` with the parser's diagnostics.
    """
    context = new_context() if context is None else context
    if isinstance(source, bytes) and stablehlo.is_artifact(source):
        return parse_artifact(source, context)
    stablehlo.register(context)
    with context:
        return ir.Module.parse(source)


def parse_artifact(source: bytes, context: ir.Context) -> ir.Module:
    """The module of a portable artifact; raises `ir.MLIRError` if it is broken, or of a later version."""
    with DiagnosticCollector(context, consume_all=True) as found:
        try:
            return stablehlo.deserialize(source, context)
        except (ValueError, RuntimeError):  # RuntimeError: a diagnostic with bytes that are no text.
            reasons = "; ".join(one.message for one in found.errors) or "it cannot be read"
    version = stablehlo.bindings().get_current_version()
    message = f"a portable artifact of StableHLO that is broken, or of a later version than {version}: {reasons}"
    raise TextError(message, "-", 1, 1)


def legalize_stablehlo(module: ir.Module | ir.Operation) -> ir.Module:
    """Lower a module of StableHLO to linalg on tensors (see the module's text), ready for `mi.compile`.

    The module is not changed; the result lives in its context. Unsigned integers are signless in the result, and
    private functions are inlined. Tensors of `chlo` must have been lowered to StableHLO.

    Raises `PassError`, whose message names the op and its location, for what cannot be lowered.
    """
    stablehlo.bindings()
    lowered = private_copy(module)
    run_pipeline(lowered, _NOTHING, verify_each=True)
    run_pipeline(lowered, _LOWERING, verify_each=verifies_each(), verify_result=True)
    return lowered
