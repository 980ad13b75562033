"""What the header of a library that sends messages says of MPI: the function that tells the library its ranks."""

from __future__ import annotations

from ...passes.framework.contract import MESSAGE_WORDS
from ..message_passing.shards import Shard
from .message_code import Messages

__all__ = ["message_functions", "shard_text"]

_WORDS = {"COMMUNICATOR": "own", "ERROR": "0", "SPLIT": "&{prefix}_split_mpi"}
"""What stands for words of the table that are no constant of MPI."""

_KEEP = """\
/* For {prefix}_use_mpi() alone: what belongs to MPI_COMM_SELF is freed first of all in MPI_Finalize(). */
static inline int {prefix}_free_mpi(MPI_Comm self, int keyval, void *kept, void *unused) {{
  MPI_Comm comm = (MPI_Comm)(intptr_t)kept;
  (void)self, (void)keyval, (void)unused;
  return MPI_Comm_free(&comm);
}}
static inline int {prefix}_keep_mpi(MPI_Comm comm) {{
  int keyval, error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, {prefix}_free_mpi, &keyval, NULL);
  if (error == MPI_SUCCESS)
    error = MPI_Comm_set_attr(MPI_COMM_SELF, keyval, (void *)(intptr_t)comm);
  return error == MPI_SUCCESS ? MPI_Comm_free_keyval(&keyval) : error;
}}
static inline int {prefix}_split_mpi(MPI_Comm comm, int color, int key, MPI_Comm *part) {{
  int error = MPI_Comm_split(comm, color, key, part);
  return error == MPI_SUCCESS && *part != MPI_COMM_NULL ? {prefix}_keep_mpi(*part) : error;
}}"""

_USE = """\
/* Tell the library its ranks: all ranks of `comm` call this together, once, behind MPI_Init. The library works with a
   duplicate of `comm`, of which it keeps parts; MPI_Finalize() frees them. It takes all that it needs of MPI from here:
   link the program, not the library, with MPI (by mpicc); any MPI will do. Functions of the program may send messages,
   so all ranks call them together, in the same order, each from one thread at a time, and before MPI_Finalize(). */
static inline int {prefix}_use_mpi(MPI_Comm comm) {{
  MPI_Comm own;
  int ranks, rank;
  if (MPI_Comm_size(comm, &ranks) != MPI_SUCCESS || MPI_Comm_rank(comm, &rank) != MPI_SUCCESS)
    return {upper}_MPI_FAILED;
{check}  if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS || MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN) != MPI_SUCCESS)
    return {upper}_MPI_FAILED;
  const int64_t words[] = {{
{words}
  }};
  int error = {prefix}_set_mpi(words);
  if (error)
    MPI_Comm_free(&own);
  else if ({prefix}_keep_mpi(own) != MPI_SUCCESS)
    return {upper}_MPI_FAILED;
  return error;
}}"""

_CODE = """\
/* What MPI returned last that was none of success, for MPI_Error_string(). Where messages fail, functions return the
   error of a failed assertion; other ranks may wait for ever then, so end them all by MPI_Abort(). */
int {prefix}_mpi_code(void);"""

_PARTS = """\
/* A dimension in several parts is balanced: the first ones have an element more where sizes differ. How many elements
   part number `part` has, from 0 on, and which is its first. A shard with a halo also holds so many elements of the
   parts before and after. Ranks of a grid are row-major: the last axis changes fastest. */
static inline int64_t {prefix}_part_size(int64_t size, int64_t parts, int64_t part) {{
  return size / parts + (part < size % parts);
}}
static inline int64_t {prefix}_part_start(int64_t size, int64_t parts, int64_t part) {{
  int64_t longer = size % parts;
  return part * (size / parts) + (part < longer ? part : longer);
}}"""


def message_functions(messages: Messages, prefix: str) -> list[str]:
    """The functions of the header for MPI."""
    upper, check = prefix.upper(), ""
    if messages.grid is not None:
        needed = " * ".join(map(str, messages.grid))
        check = f"  if (ranks != {needed})\n    return {upper}_WRONG_RANKS;\n"
    constants = [_WORDS.get(name, f"MPI_{name}").format(prefix=prefix) for name in MESSAGE_WORDS]
    values = constants + [f"&{one}" for one in messages.functions]
    words = ",\n".join(f"    (int64_t)(intptr_t){value}" for value in [*values, "rank"])
    found = [
        f"/* For {prefix}_use_mpi() alone. */\nint {prefix}_set_mpi(const int64_t *words);",
        _KEEP.format(prefix=prefix),
        _USE.format(prefix=prefix, upper=upper, check=check, words=words),
        _CODE.format(prefix=prefix),
    ]
    return [*found, _PARTS.format(prefix=prefix)] if messages.grid is not None else found


def shard_text(shard: Shard | None) -> str:
    """What of the whole array a rank has, behind a comma; nothing if that is all of it."""
    layout = shard and shard.layout
    if not shard or layout is None:
        return ""
    parts: list[str] = []
    for dimension, axes in enumerate(layout.axes):
        if axes:
            listed = " and ".join(map(str, axes))
            halo = layout.halo[dimension]
            border = f" with a halo of {halo[0]} before and {halo[1]} behind" if any(halo) else ""
            word = "axis" if len(axes) == 1 else "axes"
            parts.append(f"dimension {dimension} in {layout.parts(dimension)} parts by grid {word} {listed}{border}")
    return f", a shard of {shard.whole.spelling}: {', '.join(parts)}"
