"""Tags that say which op of the tensor program an op was made for: name locations around the op's own.

A conversion creates ops at the location of the op that they replace. So a number put into the location beforehand is
in the locations of all replacements, without any bookkeeping. Tags are removed before locations are shown. About
1.5 µs an op for each direction.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ...analysis.ir.snapshot import Snapshot

__all__ = ["plain_location", "put_tags", "tag_of", "take_tags"]

_PREFIX = "inplace.tensor-op#"
_DIGITS = 18


def put_tags(ops: Sequence[ir.Operation]) -> list[ir.Location]:
    """Tag each op with its number in ``ops``; return the locations they had."""
    locations = [op.location for op in ops]
    for number, op in enumerate(ops):
        op.location = ir.Location.name(f"{_PREFIX}{number}", locations[number])
    return locations


def tag_of(location: ir.Location) -> int:
    """Return the number in the tag of ``location``; -1 without one, also for other name locations."""
    if not isinstance(location, ir.NameLoc):
        return -1
    prefix, _, number = location.name_str.rpartition("#")
    is_tag = f"{prefix}#" == _PREFIX and len(number) <= _DIGITS and number.isascii() and number.isdecimal()
    return int(number) if is_tag else -1


def plain_location(location: ir.Location) -> ir.Location:
    """Return ``location`` without its tag."""
    return ir.NameLoc(location).child_loc if tag_of(location) >= 0 else location


def take_tags(snapshot: Snapshot) -> None:
    """Remove the tags of all ops of ``snapshot``, and of block arguments that were created with an op."""
    for number, op in enumerate(snapshot.ops):
        location = op.location
        if tag_of(location) >= 0:
            op.location = plain_location(location)
            for block in (block for region in snapshot.op_regions[number] for block in region):
                for argument in snapshot.arguments(block):
                    _take_tag_off_argument(ir.BlockArgument(snapshot.values[argument]))


def _take_tag_off_argument(argument: ir.BlockArgument) -> None:
    location = argument.location
    if tag_of(location) >= 0:
        argument.set_location(plain_location(location))
