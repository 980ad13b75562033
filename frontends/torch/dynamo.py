"""The backend of `torch.compile`: `torch.compile(model, backend="inplace")`.

PyTorch finds it by the entry point `inplace` of the group `torch_dynamo_backends`. A graph that cannot be lowered runs
eagerly, as PyTorch runs its ops, and one warning names them. Training goes through AOT autograd: forward and backward
are programs of their own. Random numbers are drawn by PyTorch, from its generator, before the program that uses them.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ...passes.framework.errors import PassError
from ...runtime.compilation.garbage import collection_paused

with collection_paused():
    from ...runtime.progress import progress
    from .compiled import CompiledGraph
    from .decompositions.linear_algebra import unchecked
    from .decompositions.table import decompositions
    from .support.framework import torch_module

_DEFAULTS: Mapping[str, Any] = {"optimize": True}

_told: set[str] = set()
_told_lock = threading.Lock()


def inplace(
    module: Any, example_inputs: Sequence[Any], *, mode: str | None = None, options: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """Compile a graph that Dynamo captured: `torch.compile(model, backend="inplace", options={"threads": 2})`.

    Args:
        module: an `fx.GraphModule`.
        example_inputs: tensors, or fake ones, and symbolic sizes.
        mode: of `torch.compile`; there is only the default one.
        options: arguments of `mi.compile`; `optimize` is True unless they say otherwise.
    """
    if mode not in (None, "default"):
        raise ValueError(f"the backend 'inplace' has the mode 'default' only, got {mode!r}; see its options")
    common = torch_module("torch._dynamo.backends.common")
    compiler = partial(_compiled, options={**_DEFAULTS, **(options or {})})
    backend = common.aot_autograd(
        fw_compiler=compiler, decompositions=dict(decompositions()), keep_inference_input_mutations=True
    )
    with unchecked():
        return backend(module, example_inputs)


@collection_paused()
def _compiled(module: Any, _example_inputs: Sequence[Any], *, options: Mapping[str, Any]) -> Callable[..., Any]:
    """A function of a list of inputs, which it empties, as AOT autograd wants it."""
    dispatch = torch_module("torch.utils._python_dispatch")
    try:
        # Constants are real tensors.
        with dispatch._disable_current_modes(), progress("compiling a graph of torch.compile"):
            call = CompiledGraph(module, options, hoist_random=True).call
    except PassError as error:
        _warn(error)
        call = partial(_eagerly, module)

    def boxed(given: list[Any]) -> Any:
        inputs = list(given)
        given.clear()
        return call(inputs)

    boxed._boxed_call = True  # type: ignore[attr-defined]
    return boxed


def _eagerly(module: Any, given: Sequence[Any]) -> Any:
    return module(*given)


def _warn(error: PassError) -> None:
    """Say that a graph runs eagerly, once for each reason."""
    errors = [str(one) for one in error.diagnostics if one.severity == "error"]
    reason = ": ".join([error.summary, *errors[:1]])
    message = f"torch.compile(backend='inplace') runs a graph eagerly: {reason}"
    with _told_lock:
        if message in _told:
            return
        _told.add(message)
    warnings.warn(message, RuntimeWarning, stacklevel=2)
