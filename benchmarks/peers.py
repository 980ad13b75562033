"""What programs are compared with: NumPy, JAX, torch (as it is, and compiled) and IREE, as far as they are installed.

JAX and torch get the function that says what a workload means, IREE the text of the program that we compile too. All
get their arguments in the form they like best before anything is measured. A peer that fails is left out with a note;
one that returns something else than NumPy in float64 is, too.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from workloads import Workload

__all__ = ["PEERS", "Call", "installed_peers"]

Call = Callable[[], Any]
"""Runs a workload once, to the end."""


def _numpy(workload: Workload, arguments: Sequence[np.ndarray], threads: int) -> Call:
    del threads  # OPENBLAS_NUM_THREADS says it
    return lambda: workload.function(np, *arguments)


def _jax(workload: Workload, arguments: Sequence[np.ndarray], threads: int) -> Call:
    del threads  # as many as the process may use cores
    import jax

    wide = any(argument.dtype == np.float64 for argument in arguments)
    jax.config.update("jax_enable_x64", wide)
    on_device = [jax.numpy.asarray(argument) for argument in arguments]
    compiled = jax.jit(lambda *values: workload.function(jax.numpy, *values))
    return lambda: compiled(*on_device).block_until_ready()


def _torch_namespace() -> Any:
    """The operations of NumPy that workloads use, as torch calls them."""
    import torch

    return SimpleNamespace(
        **{name: getattr(torch, name) for name in ("matmul", "exp", "log", "sqrt", "where", "tril", "ones", "zeros")},
        clone=torch.clone,
        erf=torch.erf,
        max=torch.amax,
        mean=torch.mean,
        sum=torch.sum,
        maximum=lambda x, least: torch.clamp(x, min=least),
        bool=torch.bool,
    )


def _torch(workload: Workload, arguments: Sequence[np.ndarray], threads: int, *, compiled: bool = False) -> Call:
    import torch

    torch.set_num_threads(threads)
    namespace = _torch_namespace()
    tensors = [torch.from_numpy(argument) for argument in arguments]

    def function(*values: Any) -> Any:
        return workload.function(namespace, *values)

    call = torch.compile(function) if compiled else function

    def run() -> Any:
        with torch.inference_mode():
            return call(*tensors)

    return run


def _iree(workload: Workload, arguments: Sequence[np.ndarray], threads: int) -> Call:
    from iree import compiler, runtime

    flags = ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"]
    code = compiler.compile_str(workload.text, target_backends=["llvm-cpu"], extra_args=flags)
    config = runtime.Config("local-sync" if threads == 1 else "local-task")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, code))
    function = context.modules.module["main"]
    on_device = [runtime.asdevicearray(config.device, argument) for argument in arguments]
    return lambda: function(*on_device).to_host()


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
