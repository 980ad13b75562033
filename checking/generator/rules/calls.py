"""Productions: calls of the functions that the program has."""

from __future__ import annotations

from ..building.builder import Builder, NothingFits
from ..building.functions import emit_call, like_each
from ..building.productions import production

FEATURE = "calls"


@production(FEATURE, 1.5)
def call(builder: Builder) -> None:
    """A call of a function with tensors of its types, the same one twice at times."""
    functions = [f for f in builder.module.callable if builder.is_sequential or f.is_pure]
    if not functions or builder.depth > 1:
        raise NothingFits
    function = builder.draw.choice(functions)
    values = like_each(builder, function.arguments)
    number = builder.constant(builder.draw.below(3)).name if function.is_recursive else ""
    emit_call(builder, function, values, number)
