"""The compiled form of a JAX function: called as the function is, with pytrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...runtime.call.entry_point import EntryPoint
from ...runtime.call.process_bound import ProcessBound
from ...runtime.compilation.program import Program
from .leaves import Leaves
from .tracing import TracedFunction, jax_module

__all__ = ["JaxFunction", "JaxProgram"]


class JaxProgram(Program):
    """The program of a JAX function. `main` is called as the function is; `program["main"]` takes flat arrays."""

    main: JaxFunction

    def __init__(self, program: Program, traced: TracedFunction) -> None:
        parameters = program["main"].signature.parameters  # Unsigned integers are signless there.
        natives = [parameters[place].type.element.dtype for place in range(len(traced.constants))]
        constants = [array.view(native) for array, native in zip(traced.constants, natives, strict=True)]
        self._share(program.hold(dict(enumerate(constants))), {})
        self.main = JaxFunction(self["main"], traced)


class JaxFunction(ProcessBound):
    """A compiled JAX function: it takes what the function takes, without static arguments, and returns what it returns.

    Arguments are pytrees of arrays, of the structure, dtypes and shapes that it was compiled for. If some are JAX
    arrays, so are the results, else results are NumPy arrays. A result that lives in a donated NumPy array is that
    array; a donated JAX array is deleted, and the result has its memory.
    """

    def __init__(self, entry: EntryPoint, traced: TracedFunction) -> None:
        self._entry = entry
        self._traced = traced
        self._leaves = Leaves(traced, entry.signature)
        self._one = len(traced.results) == 1
        self._flatten = jax_module().tree_util.tree_flatten
        self._unflatten = traced.out_tree.unflatten
        self.__name__ = traced.name

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """Run with arguments of the function; raises `TypeError` if their structure is another one."""
        values, tree = self._flatten((arguments, named))
        if tree != self._traced.in_tree:
            raise TypeError(
                f"{self.__name__} was compiled for arguments of the structure {self._traced.in_tree}, got {tree}"
            )
        return self.call_leaves(values)

    def call_leaves(self, values: Sequence[Any]) -> Any:
        """Run with the leaves of the arguments, whose structure is right."""
        arrays, donations = self._leaves.given(values)
        results = self._entry(*arrays)
        several = (results,) if self._one else results or ()
        return self._unflatten(self._leaves.results(several, donations))

    def __repr__(self) -> str:
        return f"<compiled JAX function {self.__name__}>"
