"""From an analysed module to memrefs: the common steps of the bufferizing passes."""

from __future__ import annotations

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ...analysis.ir.traversal import first_op
from ...analysis.lifetimes.hoisting import KeptAllocation
from ...analysis.whole_module.module import ModuleAnalysis
from ...framework.errors import PassFailure
from ...framework.option_limits import MAX_ALIGNMENT
from .allocation import Allocator
from .boundary import BoundaryLayout, SignatureConverter
from .convert import convert_module
from .rewriter import BufferRewriter, UnknownLayout
from .tidy import tidy
from .trace import BufferTrace
from .views import canonicalize_views

__all__ = ["Bufferizer", "check_alignment", "raise_refusals"]


def check_alignment(alignment: int, op: ir.Operation) -> None:
    """Raise ``PassFailure`` if ``alignment``, of the option ``buffer-alignment``, is not possible."""
    if alignment < 0 or alignment & (alignment - 1):
        raise PassFailure(f"buffer-alignment is {alignment}, but must be 0 or a power of two", op)
    if alignment > MAX_ALIGNMENT:
        raise PassFailure(f"buffer-alignment is {alignment}, but at most {MAX_ALIGNMENT} is possible", op)


def raise_refusals(analysis: ModuleAnalysis) -> None:
    """Raise ``PassFailure`` if the module cannot be bufferized: the first reason, the others as notes."""
    if analysis.refusals:
        first, *others = analysis.refusals
        raise PassFailure(first.message, first.op, [(refusal.message, refusal.op.location) for refusal in others])


@frozen
class Bufferizer:
    """Converts analysed modules to memrefs."""

    alignment: int
    """The alignment of new buffers in bytes, 0 for none."""
    layout: BoundaryLayout = BoundaryLayout.INFER
    """The layout of the memrefs in function signatures."""
    unknown: UnknownLayout = UnknownLayout.DYNAMIC
    """The layout of memrefs made from tensors that stay (`to_buffer`)."""
    allocator: Allocator = Allocator()
    """Makes the buffers."""
    merges_views: bool = False
    """Whether equal views are merged in every module, rather than only in modules with bindings."""

    def run(self, analysis: ModuleAnalysis, trace: BufferTrace) -> list[KeptAllocation]:
        """Convert the module; return the allocations that stay on the heap."""
        module = analysis.snapshot.root
        boundary = SignatureConverter(self.layout) if analysis.effects.boundaries else None
        rewriter = BufferRewriter(
            analysis, trace, alignment=self.alignment, unknown=self.unknown, allocate=self.allocator
        )
        convert_module(analysis, rewriter, boundary)
        if self.merges_views or _has_bindings(module):
            for function in analysis.functions:
                canonicalize_views(analysis.snapshot.ops[function.function])
                tidy(analysis.snapshot.ops[function.function])
        return self.allocator.finish(module)


def _has_bindings(module: ir.Operation) -> bool:
    loaded = module.context.is_dialect_loaded("dispatch")
    return loaded and first_op(module, lambda op: op.name == "dispatch.binding") is not None
