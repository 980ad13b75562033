"""A sort of the elements of a few vectors, in registers: a network of minima and maxima.

    sort the lanes of all registers by a network of few exchanges: each lane is a sorted run then
    for each doubling of the runs, up to all elements:
      turn every second run round; exchange elements that are half a run apart, a quarter, ..., 1

An exchange takes minimum and maximum of two registers. What must be exchanged therefore has to be in the same lane of
two registers: elements are moved there by shuffles of two registers. Where an element is, among the elements of its
run, has as many bits as there are registers and lanes; registers tell some of the bits, lanes the others. A shuffle of
all registers swaps a bit of the one kind with one of the other; the bit to go is the one that is needed last.
"""

from __future__ import annotations

from collections.abc import Sequence

from .sort_code import SortCode

__all__ = ["sorted_registers"]

_NETWORKS = {
    2: "0-1",
    4: "0-1 2-3 0-2 1-3 1-2",
    8: "0-2 1-3 4-6 5-7 0-4 1-5 2-6 3-7 0-1 2-3 4-5 6-7 2-4 3-5 1-4 3-6 1-2 3-4 5-6",
    16: (
        "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15 0-2 4-6 8-10 12-14 1-3 5-7 9-11 13-15 0-4 8-12 1-5 9-13 2-6 10-14 3-7 "
        "11-15 0-8 1-9 2-10 3-11 4-12 5-13 6-14 7-15 5-10 6-9 3-12 13-14 7-11 1-2 4-8 1-4 7-13 2-8 11-14 2-4 5-6 9-10 "
        "11-13 3-8 7-12 6-8 10-12 3-5 7-9 3-4 5-6 7-8 9-10 11-12 6-7 8-9"
    ),
}
"""Networks of the fewest exchanges that are known: of 16 numbers that of M. W. Green, 1969."""

_Labels = list[list[int]]
"""For each lane of each register, which place its element has in the order as far as it is sorted."""


def sorted_registers(code: SortCode, registers: Sequence[str]) -> list[str]:
    """Write the sort of the elements of 2, 4, 8 or 16 registers; return the registers with sorted elements."""
    names, lanes, count = list(registers), code.lanes, len(registers)
    for pair in _NETWORKS[count].split():
        _exchange(code, names, *map(int, pair.split("-")))
    told, bits = count.bit_length() - 1, (count * lanes).bit_length() - 1
    labels = [[lane * count + register for lane in range(lanes)] for register in range(count)]
    stages = [(level, bit) for level in range(told, bits) for bit in range(level, -1, -1)]
    held = list(range(told))  # the bits that registers tell
    for number, (level, bit) in enumerate(stages):
        if bit == level:  # every second run is turned round: its elements have other places, and stay where they are
            labels = [[one ^ ((1 << level) - 1) if one >> level & 1 else one for one in lane] for lane in labels]
        if bit not in held:
            held[held.index(_last_needed(held, stages[number + 1 :]))] = bit
        names, labels = _arranged(code, names, labels, held)
        places = {lane[0]: register for register, lane in enumerate(labels)}
        for first, register in places.items():
            if not first >> bit & 1:
                _exchange(code, names, register, places[first | 1 << bit])
    for bit in range(bits - told, bits):  # at the end, registers tell the highest bits, one after the other
        if bit not in held:
            held[held.index(min(held))] = bit
            names, labels = _arranged(code, names, labels, held)
    return [names[register] for register in sorted(range(count), key=lambda register: labels[register][0])]


def _exchange(code: SortCode, names: list[str], first: int, second: int) -> None:
    pair = names[first], names[second]
    names[first], names[second] = code.minimum(*pair), code.maximum(*pair)


def _last_needed(held: Sequence[int], stages: Sequence[tuple[int, int]]) -> int:
    """The bit that is needed last, or, of those that are not needed any more, the lowest."""
    needed = [bit for _, bit in stages]
    return max(held, key=lambda bit: needed.index(bit) if bit in needed else len(needed) + 64 - bit)


def _arranged(code: SortCode, names: list[str], labels: _Labels, held: Sequence[int]) -> tuple[list[str], _Labels]:
    """Write the shuffles after which registers tell the bits `held` of places, and lanes the others in order."""
    count, lanes = len(names), code.lanes
    others = [bit for bit in range((count * lanes).bit_length() - 1) if bit not in held]
    places = {one: (number, lane) for number, all_ in enumerate(labels) for lane, one in enumerate(all_)}
    new_names: list[str] = []
    new_labels: _Labels = []
    for register in range(count):
        wanted = [_spread(register, sorted(held)) | _spread(lane, others) for lane in range(lanes)]
        sources = sorted({places[one][0] for one in wanted})
        left, right = sources[0], sources[-1]
        if wanted == labels[left]:
            new_names.append(names[left])
        else:
            at = [places[one][1] + (lanes if places[one][0] != left else 0) for one in wanted]
            new_names.append(code.shuffle(names[left], names[right], at))
        new_labels.append(wanted)
    return new_names, new_labels


def _spread(number: int, bits: Sequence[int]) -> int:
    """The number whose bits at `bits` are those of `number`, from the lowest on."""
    return sum((number >> place & 1) << bit for place, bit in enumerate(bits))
