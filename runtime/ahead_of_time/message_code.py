"""Libraries whose functions send messages: which MPI they use, on which ranks, and the sizes of a rank's shards.

Such a library names no function of MPI, and knows none of its constants: they differ in each MPI. The header has a
function, which the caller's compiler makes code of, that gives both; so one library is for MPICH, Open MPI and others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.contract import MESSAGE_TABLE, MESSAGE_WORDS
from ...passes.framework.shard_attributes import read_grid
from ..interface.signature import Signature
from ..message_passing.native_code import link_messages_by_table
from ..message_passing.shard_reading import read_shards
from ..message_passing.shards import Shard, ShardedSignature
from ..native.linking import link
from ..native.shorthand import declaration, expand
from .interface import Errors
from .lines import WORD, Lines

__all__ = [
    "TABLE_KIND",
    "MessageErrors",
    "Messages",
    "link_library_messages",
    "require_communicator",
    "require_shard_sizes",
]


@frozen
class MessageErrors:
    """The numbers of errors that only libraries with messages have."""

    missing: int
    given: int
    ranks: int
    failed: int

    @staticmethod
    def added_to(errors: Errors, prefix: str, grid: Sequence[int] | None) -> MessageErrors:
        """New ones."""
        extents = "x".join(map(str, grid or ()))
        needed = f"a grid of {extents}, which is {prod(grid)} ranks" if grid else "another number of ranks"
        return MessageErrors(
            errors.add("no_communicator", f"the ranks are not known: call {prefix}_use_mpi() first"),
            errors.add("has_communicator", f"{prefix}_use_mpi() was called before"),
            errors.add("wrong_ranks", f"the program is for {needed}, and the communicator has another number"),
            errors.add("mpi_failed", "a function of MPI failed"),
        )


@frozen
class Messages:
    """What a library needs of MPI.

    Attributes:
        functions: those of MPI that it calls, in the order of its table.
        grid: the extents of the grid that the program was partitioned for, if it was.
        shards: how arguments and results of its entry points lie on the grid.
        errors: the numbers of its errors.
    """

    functions: Sequence[str]
    grid: tuple[int, ...] | None
    shards: Mapping[str, ShardedSignature]
    errors: MessageErrors

    def parameter(self, function: str, index: int) -> Shard | None:
        """How an argument lies on the grid; None if each rank has the whole."""
        return _if_split(self.shards[function].parameters[index]) if function in self.shards else None

    def result(self, function: str, number: int) -> Shard | None:
        """The same for a result."""
        return _if_split(self.shards[function].results[number]) if function in self.shards else None

    @property
    def rank_word(self) -> int:
        """Where in the table the rank stands."""
        return len(MESSAGE_WORDS) + len(self.functions)


def _if_split(shard: Shard) -> Shard | None:
    return shard if shard.layout is not None and any(shard.layout.axes) else None


def link_library_messages(
    module: ir.Module,
    source: ir.Module,
    signatures: Mapping[str, Signature],
    errors: MessageErrors,
    prefix: str,
) -> tuple[Messages, set[str]]:
    """Add to the module of a library what sends messages; returns that, and the C functions that are for the header.

    Args:
        module: in the LLVM dialect, with all versions.
        source: the program.
        signatures: those of its entry points.
        errors: the numbers of errors.
        prefix: that of the library.
    """
    used = link_messages_by_table(module)
    found = Messages(used, read_grid(source.operation), read_shards(source, signatures), errors)
    link(module, _functions(prefix, found))
    return found, {f"{prefix}_set_mpi", f"{prefix}_mpi_code"}


TABLE_KIND = " p"
"""What `MESSAGE_TABLE` takes and gives."""
_KINDS = {"memcpy": "ppw p", MESSAGE_TABLE: TABLE_KIND}
"""The functions that are called, as for `expand`."""
_RETURN_NUMBER = """
%number = llvm.trunc %error : i64 to i32
llvm.return %number : i32
"""


def _functions(prefix: str, messages: Messages) -> str:
    """The C function that takes the table, once, and the one that gives the code of an error of MPI."""
    given = f"""
        table = {MESSAGE_TABLE}()
        known = table[0]
        if known == 0 -> ^set, ^end({messages.errors.given})
        ^set:
        %words = llvm.ptrtoint %given : !llvm.ptr to i64
        copied = memcpy(table, words, {WORD * (messages.rank_word + 1)})
        jump ^end(0)
        ^end(error):
        {_RETURN_NUMBER}
    """
    code = f"""
        table = {MESSAGE_TABLE}()
        error = table[{WORD * MESSAGE_WORDS.index("ERROR")}]
        {_RETURN_NUMBER}
    """
    return "\n".join(
        (
            *(declaration(name, kinds) for name, kinds in _KINDS.items()),
            f"llvm.func @{prefix}_set_mpi(%given: !llvm.ptr) -> i32 {{\n{expand(given, {}, _KINDS)}\n}}",
            f"llvm.func @{prefix}_mpi_code() -> i32 {{\n{expand(code, {}, _KINDS)}\n}}",
        )
    )


def require_communicator(lines: Lines, messages: Messages) -> None:
    """End the function with an error if the library was not told its ranks; first of all that is here."""
    lines.add(f"ranks_table = {MESSAGE_TABLE}()", "communicator = ranks_table[0]")
    lines.refuse("communicator == 0", messages.errors.missing)


def require_shard_sizes(lines: Lines, messages: Messages, base: str, shard: Shard, error: int) -> None:
    """End with an error if a split dimension of the array at `base` has not the size that is this rank's."""
    layout = shard.layout
    if layout is None:
        return
    for dimension, (axes, size) in enumerate(zip(layout.axes, shard.whole.shape, strict=True)):
        if not axes or size is None:
            continue
        least, longer = divmod(size, layout.parts(dimension))
        count = str(least + sum(layout.halo[dimension]))
        if longer:
            count = _one_more(lines, count, _part(lines, messages, layout.grid, axes), longer)
        lines.require(f"{base}_n{dimension} == {count}", error)


def _part(lines: Lines, messages: Messages, grid: Sequence[int], axes: Sequence[int]) -> str:
    """A variable with the number of the part that the rank has along these axes."""
    rank, number = lines.new_name(), "0"
    lines.add(f"{rank} = ranks_table[{WORD * messages.rank_word}]")
    for axis in axes:
        major, place, scaled, following = (lines.new_name() for _ in range(4))
        lines.add(
            f"{major} = {rank} / {prod(grid[axis + 1 :])}",
            f"{place} = {major} % {grid[axis]}",
            f"{scaled} = {number} * {grid[axis]}",
            f"{following} = {scaled} + {place}",
        )
        number = following
    return number


def _one_more(lines: Lines, count: str, part: str, longer: int) -> str:
    """A variable with `count`, and one more for the first `longer` parts."""
    more, behind, found = (lines.new_name() for _ in range(3))
    lines.add(
        f"{more} = {count} + 1",
        f"if {part} < {longer} -> ^{behind}({more}), ^{behind}({count})",
        f"^{behind}({found}):",
    )
    return found
