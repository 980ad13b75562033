"""Calls by name: the parameters of an entry point as those of a Python function (named by `names.py`)."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ...passes.framework.errors import nearest
from .signature import Signature


class Keywords:
    """The parameters of a signature by name; a name may also be spelled as in the source."""

    def __init__(self, signature: Signature) -> None:
        self._signature = signature
        self.positions = {name: position for position, name in enumerate(signature.names)}
        for parameter in signature.parameters:
            if parameter.name is not None:
                self.positions.setdefault(parameter.name, parameter.index)

    def in_order(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """All arguments by position. Raises `TypeError` for a name that is unknown, given twice, or missing."""
        function, count = self._signature.name, len(self._signature.names)
        found: dict[int, Any] = dict(enumerate(arguments))
        for name, value in named.items():
            position = self.positions.get(name)
            if position is None:
                known = nearest(name, self.positions)
                raise TypeError(f"{function} has no argument {name!r}{known}; it is {self._signature}")
            if position in found:
                raise TypeError(f"{self._signature.parameters[position].label} of {function} is given twice")
            found[position] = value
        missing = [name for position, name in enumerate(self._signature.names) if position not in found]
        if missing or len(found) > count:
            finding = f"{', '.join(missing)} missing" if missing else f"got {len(found)}"
            raise TypeError(
                f"{function} takes {count} argument{'' if count == 1 else 's'}, {finding}: {self._signature}"
            )
        return tuple(found[position] for position in range(count))

    @cached_property
    def python_signature(self) -> inspect.Signature:
        """What `inspect.signature` says; the annotations are the types of the source (`ValueType`)."""
        parameters = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=parameter.type)
            for name, parameter in zip(self._signature.names, self._signature.parameters, strict=True)
        ]
        parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
        results = self._signature.results
        returned: Any = results[0] if len(results) == 1 else results or None
        if any(self._signature.result_names):
            returned = dict(self._signature.outcomes)
        return inspect.Signature(parameters, return_annotation=returned)

    @property
    def documentation(self) -> str:
        """What `help` says: each argument and result with its type in the source and in NumPy."""
        lines = [f"{self._signature.name}{self.python_signature}", ""]
        for name, parameter in zip(self._signature.names, self._signature.parameters, strict=True):
            written = ", written in place" if parameter.writable else ""
            lines.append(f"{name}: {parameter.type.spelling}, {parameter.type.numpy_text}{written}")
        lines += [f"{name}: {type_.spelling}, {type_.numpy_text}" for name, type_ in self._signature.outcomes]
        if any(result.is_array for result in self._signature.results):
            lines.append("out: an array that receives the result, or a tuple with an array or None for each of several")
        return "\n".join(lines)
