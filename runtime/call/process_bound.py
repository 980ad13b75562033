"""What holds native code of this process, and so cannot be sent to another one."""

from __future__ import annotations

from typing import NoReturn, TypeVar

__all__ = ["ProcessBound"]

_Bound = TypeVar("_Bound")


class ProcessBound:
    """Cannot be pickled, as by `multiprocessing`; a copy is the object itself."""

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} has native code of this process and cannot be pickled; call mi.compile in each process "
            "(with cache=True only the first one generates code)"
        )

    def __copy__(self: _Bound) -> _Bound:
        return self

    def __deepcopy__(self: _Bound, memo: object) -> _Bound:
        return self
