"""Functions of a program. All have the same scalar parameters, with the same values.

So a dynamic size that is a parameter means the same in all functions, and every call passes it on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from .builder import Builder, Module
from .carried import bind, declared, named, names, types
from .values import CallableFunction, IndexValue, Size, Tensor

Body = Callable[[Builder, tuple[Tensor, ...]], Sequence[Tensor]]
"""Writes the body of a function with these arguments, and returns tensors of its result types."""


def random_models(builder: Builder, count: int, pick: Callable[[], str]) -> list[Tensor]:
    """Return tensors of the types of parameters; their dynamic sizes are parameters. Some have equal sizes."""
    models: list[Tensor] = []
    draw, parameters = builder.draw, builder.module.parameters
    for _ in range(count):
        if models and draw.chance(builder.module.likeness):
            old = draw.choice(models)
            is_same = draw.chance(max(0.8, builder.module.likeness))
            models.append(Tensor(builder.name(), old.sizes, old.element if is_same else pick()))
            continue
        rank = draw.weighted((0, 1, 2, 3, 4), (1, 6, 6, 2, 1))
        sizes: list[Size] = []
        for _ in range(rank):
            is_dynamic = draw.chance(0.35)
            sizes.append(
                draw.choice(parameters.indices[:2]) if is_dynamic else builder.static_size(3 if rank > 2 else 6)
            )
        models.append(Tensor(builder.name(), tuple(sizes), pick()))
    return models


def like_each(builder: Builder, models: Sequence[Tensor]) -> list[Tensor]:
    """Return a tensor of the type of each of `models`."""
    return [builder.like(model) for model in models]


def end(builder: Builder, op: str, values: Sequence[Tensor]) -> None:
    """Add the terminator of a block, with some operands."""
    builder.emit(f"{op} {names(values)} : {types(values)}")


def write_function(builder: Builder, head: str) -> str:
    """Return the text of a function with what `builder` has written."""
    return "\n".join([f"func.func {head} {{", *builder.lines, "}"])


def private_function(module: Module, prefix: str, models: Sequence[Tensor], body: Body) -> CallableFunction:
    """Add a private function with arguments like `models`."""
    builder = Builder(module)
    arguments = tuple(replace(model, name=builder.name()) for model in models)
    builder.scope.tensors += arguments
    results = tuple(body(builder, arguments))
    name = module.name(prefix)
    head = f"private {name}({module.parameters.declared}, {declared(arguments)}) -> ({types(results)})"
    text = write_function(builder, head)
    module.functions.append(text)
    # Whether it may run concurrently with others; callees are not inspected, so calls count too.
    is_pure = "ml_program." not in text and "func.call" not in text
    return CallableFunction(name, arguments, results, False, is_pure)


def plain_function(module: Module, models: Sequence[Tensor], steps: int) -> CallableFunction:
    """Add a private function that does a few things to its arguments."""

    def body(builder: Builder, arguments: tuple[Tensor, ...]) -> Sequence[Tensor]:
        for _ in range(steps):
            builder.produce()
        kept = [a for a in arguments if builder.draw.chance(0.7)] or [arguments[0]]
        results = like_each(builder, kept)
        end(builder, "return", results)
        # The sizes are those of the arguments, by names that callers know.
        return [replace(result, sizes=argument.sizes) for result, argument in zip(results, kept, strict=True)]

    return private_function(module, "@f", models, body)


def recursive_functions(module: Module, models: Sequence[Sequence[Tensor]], steps: int) -> list[CallableFunction]:
    """Add private functions that return types of `models`, as they are given; they call each other with less."""
    functions = [CallableFunction(module.name("@r"), tuple(each), tuple(each), True, False) for each in models]
    for function in functions:
        _write_recursive(Builder(module), function, functions, steps)
    return functions


def _write_recursive(
    builder: Builder, function: CallableFunction, functions: Sequence[CallableFunction], steps: int
) -> None:
    """Write a function that calls one of `functions`, and does things before and after."""
    arguments, parameters = function.arguments, builder.module.parameters
    builder.scope.tensors += arguments
    counter = IndexValue(builder.name(), ((0, 2),) * builder.module.sets)
    builder.scope.indices.append(counter)
    zero, one = builder.constant(0), builder.constant(1)
    ends = builder.op(f"arith.cmpi sle, {counter.name}, {zero.name} : index")
    result = builder.name()
    builder.emit(f"{named(result, len(arguments))} = scf.if {ends} -> ({types(arguments)}) {{")
    with builder.region():
        end(builder, "scf.yield", like_each(builder, arguments))
    builder.emit("} else {")
    with builder.region():
        for _ in range(steps):
            builder.produce()
        callee = builder.draw.choice(functions)
        values = like_each(builder, callee.arguments)
        emit_call(builder, callee, values, builder.op(f"arith.subi {counter.name}, {one.name} : index"))
        builder.produce()
        end(builder, "scf.yield", like_each(builder, arguments))
    builder.emit("}")
    end(builder, "return", bind(builder, result, arguments))
    given = f"{counter.name}: index, {parameters.declared}, {declared(arguments)}"
    head = f"private {function.name}({given}) -> ({types(arguments)})"
    builder.module.functions.append(write_function(builder, head))


def emit_call(builder: Builder, function: CallableFunction, values: Sequence[Tensor], number: str = "") -> None:
    """Add a call; a recursive function gets a counter as its first argument."""
    parameters, result = builder.module.parameters, builder.name()
    passed = ", ".join(filter(None, [number, parameters.passed, names(values)]))
    given = ", ".join(["index"] * bool(number) + [parameters.types, types(values)])
    called = f"func.call {function.name}({passed}) : ({given}) -> ({types(function.results)})"
    builder.emit(f"{named(result, len(function.results))} = {called}")
    for value in values:
        builder.written(value)
    bind(builder, result, function.results)
