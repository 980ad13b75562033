"""The parameters of the main function: tensors, and memrefs that become tensors or are given one at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .builder import Builder
from .values import Tensor, shape_text


@dataclass(frozen=True)
class DeclaredParameters:
    """The parameters as they are declared.

    The positions of arguments that no bufferization may change, and of those that compiled code may change.
    """

    declared: str
    outputs: tuple[Tensor, ...]
    kept: tuple[int, ...]
    unspecified: tuple[int, ...]


def enter(builder: Builder, models: Sequence[Tensor], *, memrefs: bool) -> DeclaredParameters:
    """Bring the parameters like `models` into scope; with `memrefs`, the last is an output and others may be inputs."""
    parameters = builder.module.parameters
    texts, outputs = [parameters.declared], list[Tensor]()
    kept, unspecified = list[int](), list[int]()
    first = len(parameters.indices) + len(parameters.conditions)
    for number, model in enumerate(models):
        if memrefs and number == len(models) - 1:
            outputs.append(model)
            kept.append(first + number)
            texts.append(f"{model.name}: {memref_type(model)}")
            continue
        if memrefs and builder.draw.chance(0.5):
            words = builder.draw.choice(("restrict", "restrict writable"))
            name = builder.name()
            texts.append(f"{name}: {memref_type(model)}")
            builder.emit(
                f"{model.name} = bufferization.to_tensor {name} {words} : {memref_type(model)} to {model.type}"
            )
            (unspecified if words.endswith("writable") else kept).append(first + number)
        else:
            word = builder.draw.choice(("", "", "true", "false"))
            attribute = f" {{bufferization.writable = {word}}}" if word else ""
            texts.append(f"{model.name}: {model.type}{attribute}")
            if word:
                (unspecified if word == "true" else kept).append(first + number)
        builder.scope.tensors.append(model)
    return DeclaredParameters(", ".join(texts), tuple(outputs), tuple(kept), tuple(unspecified))


def leave(builder: Builder, boundary: DeclaredParameters) -> None:
    """Give the outputs a tensor each."""
    for output in boundary.outputs:
        value = builder.like(output)
        builder.emit(
            f"bufferization.materialize_in_destination {value.name} in restrict writable {output.name} : "
            f"({value.type}, {memref_type(output)}) -> ()"
        )


def memref_type(tensor: Tensor) -> str:
    """Return the type of a contiguous memref with the shape of a tensor."""
    return f"memref<{shape_text(tensor.sizes)}{tensor.element}>"
