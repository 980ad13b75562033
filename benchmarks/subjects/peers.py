"""What programs are compared with: NumPy, JAX, torch (as it is, and compiled) and IREE, as far as they are installed.

JAX and torch get the function that says what a workload means, IREE the text of the program that we compile too. All
get their arguments in the form they like best before anything is measured. A peer that fails is left out with a note;
one that returns something else than NumPy in float64 is, too.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from .workloads import Workload

__all__ = ["PEERS", "Call", "installed_peers", "iree_call"]

Call = Callable[[], Any]
"""Runs a workload once, to the end."""


def _numpy(workload: Workload, arguments: Sequence[np.ndarray], threads: int) -> Call:
    del threads  # OPENBLAS_NUM_THREADS says it
    return lambda: workload.function(np, *arguments)


def _jax(workload: Workload, arguments: Sequence[np.ndarray], threads: int) -> Call:
    del threads  # as many as the process may use cores
    import jax

    jax.config.update("jax_enable_x64", "f64" in workload.text)
    on_device = [jax.numpy.asarray(argument) for argument in arguments]
    compiled = jax.jit(lambda *values: workload.function(jax.numpy, *values))
    return lambda: compiled(*on_device).block_until_ready()


class _TorchNamespace:
    """The operations of NumPy that workloads use, as torch calls them: those of another name or form, then its own."""

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self.max = torch.amax
        self.permute_dims = lambda x, order: x.permute(order).contiguous()
        self.copied = lambda x: x.contiguous() if not x.is_contiguous() else x.clone()
        self.flip = lambda x, axis: torch.flip(x, (axis,))
        self.pad = lambda x, width: torch.nn.functional.pad(x, (width,) * 2 * x.ndim)
        self.sort = lambda x, axis: torch.sort(x, dim=axis).values
        self.argsort = lambda x, axis, stable: torch.argsort(x, dim=axis, stable=stable)
        self.cummax = lambda x, axis: torch.cummax(x, axis).values
        self.astype = lambda x, type_: x.to(type_)
        self.convolution = lambda x, w: (torch.conv1d if x.ndim == 3 else torch.conv2d)(x, w)

    def maximum(self, x: Any, y: Any) -> Any:
        return self._torch.maximum(x, y) if hasattr(y, "dtype") else self._torch.clamp(x, min=y)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._torch, name)


def _tensor(array: np.ndarray) -> Any:
    import torch

    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _torch(workload: Workload, arguments: Sequence[np.ndarray], threads: int, *, compiled: bool = False) -> Call:
    import torch

    torch.set_num_threads(threads)
    namespace = _TorchNamespace()
    tensors = [_tensor(argument) for argument in arguments]

    def function(*values: Any) -> Any:
        return workload.function(namespace, *values)

    call = torch.compile(function) if compiled else function

    def run() -> Any:
        with torch.inference_mode():
            return call(*tensors)

    return run


def iree_call(text: str, arguments: Sequence[np.ndarray], threads: int, *flags: str) -> Call:
    """A call of `main` of what IREE compiles, which gives arrays of IREE."""
    from iree import compiler, runtime

    flags = ("--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", *flags)
    code = compiler.compile_str(text, target_backends=["llvm-cpu"], extra_args=list(flags))
    config = runtime.Config("local-sync" if threads == 1 else "local-task")
    context = runtime.SystemContext(config=config)
    module = runtime.VmModule.copy_buffer(context.instance, code)
    context.add_vm_module(module)
    function = context.modules[module.name]["main"]
    on_device = [runtime.asdevicearray(config.device, argument) for argument in arguments]
    return lambda: function(*on_device)


def _iree(workload: Workload, arguments: Sequence[np.ndarray], threads: int) -> Call:
    call = iree_call(workload.text, arguments, threads)
    return lambda: call().to_host()


def _torch_compile(workload: Workload, arguments: Sequence[np.ndarray], threads: int) -> Call:
    return _torch(workload, arguments, threads, compiled=True)


PEERS: Mapping[str, tuple[str, Callable[[Workload, Sequence[np.ndarray], int], Call]]] = {
    "numpy": ("numpy", _numpy),
    "jax": ("jax", _jax),
    "iree": ("iree.runtime", _iree),
    "torch": ("torch", _torch),
    "torch.compile": ("torch", _torch_compile),
}
"""Each peer's module and what makes its calls."""


def installed_peers() -> list[str]:
    """Return the names of the peers that are installed."""

    def is_there(module: str) -> bool:
        try:
            return importlib.util.find_spec(module) is not None
        except ModuleNotFoundError:  # the package around it is missing
            return False

    return [name for name, (module, _) in PEERS.items() if is_there(module)]
