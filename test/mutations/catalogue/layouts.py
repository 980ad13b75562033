"""Rules about strides and offsets of buffers. Data."""

from __future__ import annotations

from disabling import Rule

_TYPES = "dialects.support.memref_types:"
_LAYOUT = "passes.analysis.whole_module.layouts:_Inference."

LAYOUTS = (
    Rule("casts promise nothing new", "**Layouts**", _TYPES + "is_castable", "return True"),
    Rule("joined layouts", "**Inferred layouts**", _TYPES + "joint_type", "return types[0]"),
    Rule("collapses of contiguous dimensions", "**Layouts**", _TYPES + "_is_contiguous", "return True"),
    Rule(
        "any caller gives any layout",
        "**Inferred layouts**",
        _LAYOUT + "_any",
        "from mlir_inplace.dialects.support.memref_types import identity_type\nreturn identity_type(self._tensor(value))",
    ),
    Rule(
        "what is read through a shape only",
        "**Shape only**",
        "dialects.linalg:_lender",
        "return next((i for i in range(len(op.operands) - init_count(op), len(op.operands)) "
        "if _lends(op.operands[i].type, ir.RankedTensorType(op.operands[operand].type).element_type)), -1) "
        "if operand < len(op.operands) - init_count(op) and isinstance(op.operands[operand].type, ir.RankedTensorType)"
        " and ir.RankedTensorType(op.operands[operand].type).has_static_shape else -1",
    ),
)
