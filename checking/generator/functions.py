"""Functions of a program: parameters, bodies, returns. All have the same scalar parameters, with the same values.

So a dynamic size that is a parameter means the same in all functions, and every call passes it on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .builder import Builder, Module
from .carried import names, types
from .values import ConditionValue, IndexValue, Size, Tensor


@dataclass(frozen=True)
class Parameters:
    """The scalar parameters of every function."""

    indices: tuple[IndexValue, ...]
    conditions: tuple[ConditionValue, ...]

    @property
    def declared(self) -> str:
        """`%n: index, …` as functions declare them."""
        return ", ".join([f"{i.name}: index" for i in self.indices] + [f"{c.name}: i1" for c in self.conditions])

    @property
    def passed(self) -> str:
        """`%n, …` as calls pass them."""
        return ", ".join(value.name for value in (*self.indices, *self.conditions))

    @property
    def types(self) -> str:
        """`index, …`."""
        return ", ".join(["index"] * len(self.indices) + ["i1"] * len(self.conditions))


@dataclass(frozen=True)
class CallableFunction:
    """A private function that can be called. `is_recursive`: its first parameter counts down."""

    name: str
    arguments: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    is_recursive: bool
    is_pure: bool


def random_models(builder: Builder, parameters: Parameters, count: int, pick: Callable[[], str]) -> list[Tensor]:
    """Return tensors that stand for types of parameters; their dynamic sizes are parameters. Some have equal sizes."""
    models: list[Tensor] = []
    draw = builder.draw
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


def new_builder(module: Module, produce: Callable[[Builder], None], parameters: Parameters) -> Builder:
    """Return a builder for the body of a function, with its scalar parameters in scope."""
    builder = Builder(module, produce)
    builder.scope.indices += parameters.indices
    builder.scope.conditions += parameters.conditions
    return builder


def results_for(builder: Builder, models: Sequence[Tensor]) -> list[Tensor]:
    """Return what a function returns for results like `models`, which parameters may give the sizes of."""
    return [builder.like(model) for model in models]


def write_function(builder: Builder, head: str) -> str:
    """Return the text of a function with what `builder` has written."""
    return "\n".join([f"func.func {head} {{", *builder.lines, "}"])


def plain_function(
    module: Module,
    produce: Callable[[Builder], None],
    parameters: Parameters,
    models: Sequence[Tensor],
    steps: int,
) -> CallableFunction:
    """Add a private function that does a few things to its arguments."""
    builder = new_builder(module, produce, parameters)
    arguments = tuple(Tensor(builder.name(), m.sizes, m.element) for m in models)
    builder.scope.tensors += arguments
    for _ in range(steps):
        produce(builder)
    kept = [a for a in arguments if builder.draw.chance(0.7)] or [arguments[0]]
    results = tuple(results_for(builder, kept))
    builder.emit(f"return {names(results)} : {types(results)}")
    name = module.name("@f")
    typed = ", ".join(f"{a.name}: {a.type}" for a in arguments)
    head = f"private {name}({parameters.declared}, {typed}) -> ({types(results)})"
    text = write_function(builder, head)
    module.functions.append(text)
    return CallableFunction(name, arguments, results, False, _is_pure(text))


def recursive_functions(
    module: Module,
    produce: Callable[[Builder], None],
    parameters: Parameters,
    models: Sequence[Sequence[Tensor]],
    steps: int,
) -> list[CallableFunction]:
    """Add private functions that return types of `models`, as they are given; they call each other with less."""
    functions = [CallableFunction(module.name("@r"), tuple(each), tuple(each), True, False) for each in models]
    for function in functions:
        _write_recursive(new_builder(module, produce, parameters), function, functions, parameters, steps)
    return functions


def _write_recursive(
    builder: Builder,
    function: CallableFunction,
    functions: Sequence[CallableFunction],
    parameters: Parameters,
    steps: int,
) -> None:
    """Write a function that calls one of `functions`, and does things before and after."""
    arguments = function.arguments
    builder.scope.tensors += arguments
    counter = IndexValue(builder.name(), ((0, 2),) * builder.module.sets)
    builder.scope.indices.append(counter)
    zero, one = builder.constant(0), builder.constant(1)
    ends, result = builder.name(), builder.name()
    builder.emit(f"{ends} = arith.cmpi sle, {counter.name}, {zero.name} : index")
    builder.emit(f"{result}:{len(arguments)} = scf.if {ends} -> ({types(arguments)}) {{")
    with builder.region():
        values = results_for(builder, arguments)
        builder.emit(f"scf.yield {names(values)} : {types(values)}")
    builder.emit("} else {")
    with builder.region():
        for _ in range(steps):
            builder.produce(builder)
        _call_with_less(builder, builder.draw.choice(functions), f"{counter.name}, {one.name}", parameters)
        builder.produce(builder)
        values = results_for(builder, arguments)
        builder.emit(f"scf.yield {names(values)} : {types(values)}")
    builder.emit("}")
    builder.emit(f"return {', '.join(_results(result, len(arguments)))} : {types(arguments)}")
    typed = ", ".join(f"{a.name}: {a.type}" for a in arguments)
    head = f"private {function.name}({counter.name}: index, {parameters.declared}, {typed}) -> ({types(arguments)})"
    builder.module.functions.append(write_function(builder, head))


def _call_with_less(builder: Builder, callee: CallableFunction, difference: str, parameters: Parameters) -> None:
    """Add a call with a `difference` as the number; it returns what it is given."""
    arguments = callee.arguments
    values, number, called = results_for(builder, arguments), builder.name(), builder.name()
    builder.emit(f"{number} = arith.subi {difference} : index")
    signature = f"(index, {parameters.types}, {types(arguments)}) -> ({types(arguments)})"
    passed = f"{number}, {parameters.passed}, {names(values)}"
    builder.emit(f"{called}:{len(arguments)} = func.call {callee.name}({passed}) : {signature}")
    for result, argument in zip(_results(called, len(arguments)), arguments, strict=True):
        builder.scope.overwritten.append(builder.keep(result, argument.sizes, argument.element))


def _results(name: str, count: int) -> list[str]:
    return [f"{name}{'' if count == 1 else f'#{number}'}" for number in range(count)]


def _is_pure(text: str) -> bool:
    """Whether a function may run at the same time as others; what it calls is not looked at, so calls count too."""
    return "ml_program." not in text and "func.call" not in text
