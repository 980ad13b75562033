"""Productions: calls of the functions that the program has."""

from __future__ import annotations

from .builder import Builder, NothingFits
from .carried import bind, named, names, types
from .functions import CallableFunction
from .productions import production

FEATURE = "calls"


@production(FEATURE, 1.5)
def call(builder: Builder) -> None:
    """A call of a function with tensors of its types, the same one twice at times."""
    functions: list[CallableFunction] = [f for f in builder.module.callable if builder.is_nestable or f.is_pure]
    parameters = builder.module.parameters
    if not functions or parameters is None or builder.depth > 1:
        raise NothingFits
    function = builder.draw.choice(functions)
    values = [builder.like(argument) for argument in function.arguments]
    counter = f"{builder.constant(builder.draw.below(3)).name}, " if function.is_recursive else ""
    declared = "index, " if function.is_recursive else ""
    result, count = builder.name(), len(function.results)
    builder.emit(
        f"{named(result, count)} = func.call {function.name}({counter}{parameters.passed}, {names(values)}) : "
        f"({declared}{parameters.types}, {types(function.arguments)}) -> ({types(function.results)})"
    )
    for value in values:
        builder.written(value)
    bind(builder, result, function.results)
