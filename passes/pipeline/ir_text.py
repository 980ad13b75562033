"""IR as text."""

from __future__ import annotations

from mlir import ir

from .asm_flags import AsmFlags

__all__ = ["ir_text"]

_DEFAULT = AsmFlags()


def ir_text(op: ir.Operation, flags: AsmFlags = _DEFAULT) -> str:
    """`op` as `flags` say, ending in a newline. Invalid IR comes out in generic form.

    Operations of the dispatch dialect are in its lighter form, unless all are to be generic.
    """
    if flags.unique_ids or flags.value_users:
        from .annotated_text import annotated_text

        text = annotated_text(op, flags)
    else:
        text = flags.printed(op)
    if flags.hex_elements_above is not None:
        from .hex_elements import with_numbers

        text = with_numbers(text, flags.hex_elements_above, op.context)
    text = text if text.endswith("\n") else f"{text}\n"
    if flags.generic or '"dispatch.' not in text:
        return text
    from ...dialects.dispatch.printing import export_text

    return export_text(text)
