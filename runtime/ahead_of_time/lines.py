"""Code in the shorthand of `native/shorthand.py`, a line at a time; `^end(number)` ends it with an error."""

from __future__ import annotations

__all__ = ["WORD", "Lines"]

WORD = 8
"""The bytes of a word."""


class Lines:
    """The lines of one function."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names = 0

    def __str__(self) -> str:
        return "\n".join(self._lines)

    def add(self, *lines: str) -> None:
        """Add lines."""
        self._lines += lines

    def new_name(self) -> str:
        """A name of a variable or a block that no other has."""
        self._names += 1
        return f"v{self._names}"

    def begin(self, block: str) -> None:
        """Begin a block, to which the one before goes on if it did not end."""
        self.add(f"^{block}:")

    def branch(self, condition: str, *, yes: str = "", no: str = "") -> None:
        """Go to one of two blocks; the one that is not named begins here."""
        following = self.new_name()
        self.add(f"if {condition} -> ^{yes or following}, ^{no or following}")
        self.begin(following)

    def require(self, condition: str, error: int) -> None:
        """End with an error unless the condition holds."""
        self.branch(condition, no=f"end({error})")

    def refuse(self, condition: str, error: int) -> None:
        """End with an error if the condition holds."""
        self.branch(condition, yes=f"end({error})")

    def constant(self, number: int) -> str:
        """A number as a constant, or as a variable where it is negative."""
        if number >= 0:
            return str(number)
        name = self.new_name()
        self.add(f"{name} = 0 - {-number}")
        return name

    def address_of(self, symbol: str) -> str:
        """A variable with the address of a symbol."""
        name = self.new_name()
        self.add(
            f"%{name}_p = llvm.mlir.addressof @{symbol} : !llvm.ptr",
            f"%{name} = llvm.ptrtoint %{name}_p : !llvm.ptr to i64",
        )
        return name

    def pointer(self, address: str) -> str:
        """A variable of LLVM's pointer type with the address in a variable."""
        name = self.new_name()
        self.add(f"%{name} = llvm.inttoptr %{address} : i64 to !llvm.ptr")
        return f"%{name}"
