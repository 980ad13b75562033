"""Call plans: the precomputed part of all calls with the same dtypes, shapes and strides.

A call then reads addresses and scalars, packs them into a frame, jumps, and wraps the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from ...passes.framework.contract import RETURNED
from ..interface.forms import Form
from ..interface.memrefs import Array, data_address, element_strides, overlap, row_major_strides
from ..interface.signature import Signature
from ..memory.statistics import Report
from .arguments import Reader, array_reader, exclusive_pairs, failed_check, require_exclusive, scalar_reader
from .bound_call import BoundCall
from .exclusive_memory import Bounds, bounds_of, may_meet
from .failures import raise_failure
from .frames import ArraySlot, CallFrame, FrameLayout, descriptor_code
from .held_arguments import NOTHING_HELD, HeldArguments
from .native_plan import NativePlan, native_plan
from .out_arrays import describe_out
from .results import NativeCode, Returned, checked_outs, place_result, result_takers
from .trampolines import TrampolineSource


class CallOwner(Protocol):
    """What a bound call keeps alive; its signature is the one that callers see."""

    @property
    def signature(self) -> Signature:
        """What its calls take and return."""
        ...


class CallPlan:
    """Calls of one entry point with arguments like `arguments`, which have passed `checked_arguments`.

    These, and those of calls, are the arguments that are not `held`; `signature` and `code` are of all.

    Raises `StrideError` if a layout does not allow an array's strides. Safe to call from several threads at once: each
    call in flight has a frame of its own.
    """

    def __init__(
        self,
        signature: Signature,
        code: NativeCode,
        arguments: Sequence[Any],
        held: HeldArguments = NOTHING_HELD,
        *,
        contiguous: bool = True,
    ) -> None:
        """`contiguous`: whether `code` is for contiguous arrays."""
        self.contiguous = contiguous
        self.recorder = code.recorder
        self._signature = signature
        self._complete = held.complete if held.arrays else None
        self._native = code.function
        self._code = code
        form = code.form
        whole = held.complete(arguments)
        shapes = [getattr(argument, "shape", ()) for argument in whole]
        self._outs = tuple(describe_out(signature, out, shapes) for out in form.outs)
        slots, self._readers, self._held_addresses = _describe(signature, form, whole, held)
        slots += [ArraySlot(0, out.shape, row_major_strides(out.shape)) for out in self._outs]
        self._frame_layout = FrameLayout(slots, returned_codes(signature, form))
        self._pack = self._frame_layout.arguments.pack_into
        self._unpack = self._frame_layout.returned.unpack_from
        self._frames: list[CallFrame] = []
        self._takers = result_takers(signature, code)
        self._unplaced: tuple[Array | None, ...] = (None,) * len(signature.results)
        self._returns = RETURNED in form.results
        self._exclusive = partial(exclusive_pairs, signature, lambda one, other: not {one, other} <= held.arrays.keys())
        self._bounds = self._all_bounds(whole) if next(self._exclusive(), None) is not None else ()
        self._checked = signature.size_checks is not None
        self._held = held
        self.was_tried = False
        """Whether `native_form` was asked for."""

    def __call__(self, arguments: Sequence[Any], given: Any, report: Report) -> Any:
        """Run with results in the arrays of `given`: one array, or a tuple with an array or None for each result.

        They are in fresh arrays if it is None. `report` takes the statistics of a call that is counted.
        """
        if self._complete is not None:
            arguments = self._complete(arguments)
        targets = self._unplaced if given is None else self._checked_targets(arguments, given)
        if self.recorder is None:
            return self._call(arguments, targets)
        return self.recorder.counted(partial(self._call, arguments, targets), report)

    def native_form(self, arguments: Sequence[Any], following: int) -> NativePlan | None:
        """The plan for a trampoline, which goes on with the plan at the address `following`; None if there is none."""
        self.was_tried = True
        whole = self._held.complete(arguments)
        return native_plan(self._signature, self._code, self._frame_layout, self._outs, whole, self._held, following)

    def bind(
        self, arguments: Sequence[Any], given: Any, report: Report, owner: CallOwner, trampolines: TrampolineSource
    ) -> BoundCall:
        """A call of these arguments that runs as `__call__` does; `owner` keeps the native code alive."""
        if self._complete is not None:
            arguments = self._complete(arguments)
        targets = self._unplaced if given is None else self._checked_targets(arguments, given)
        outs, addresses = self._out_memory(arguments, targets)
        values = self._read(arguments, addresses)
        frame = self._frame_layout.new_frame()
        self._pack(frame.memory, 0, *values)
        everything, places = (*arguments, *outs), self._code.form.results
        direct = not (self.recorder or self._returns or self._checked) and all(
            target is None or target is everything[place] for target, place in zip(targets, places, strict=True)
        )
        result = _as_one([everything[place] for place in places]) if direct else None

        def run() -> Any:
            failure = self._native(frame.table)
            if failure:
                raise_failure(failure)
            return self._placed(targets, self._take(arguments, outs, values, frame))

        finish = None if direct else run if self.recorder is None else partial(self.recorder.counted, run, report)
        kept = (owner, frame, arguments, outs)
        return BoundCall(owner.signature, self._native, frame.table, result, finish, kept, trampolines)

    def _checked_targets(self, arguments: Sequence[Any], given: Any) -> tuple[Array | None, ...]:
        """`given` as one array or None for each result.

        An array may share memory neither with another one nor with an argument that is written for another result.
        """
        form = self._code.form
        targets = checked_outs(self._signature, given)
        for number, target in enumerate(targets):
            if target is None:
                continue
            for other, earlier in enumerate(targets[:number]):
                if earlier is not None and overlap(target, earlier):
                    raise ValueError(f"out arrays {other} and {number} overlap")
            for parameter in self._signature.parameters:
                written = parameter.writable and form.results[number] != parameter.index
                if written and overlap(target, arguments[parameter.index]):
                    raise ValueError(f"out overlaps {parameter.label}, which the call writes; pass another array")
        return targets

    def _out_memory(self, arguments: Sequence[Any], targets: Sequence[Array | None]) -> tuple[list[Array], list[int]]:
        """The arrays that native code writes results to, and their addresses: the targets where that is possible."""
        outs: list[Array] = []
        addresses: list[int] = []
        for out, place in zip(self._outs, self._code.form.outs, strict=True):
            target = targets[place.result]
            is_fit = target is not None and target.shape == out.shape
            if target is not None and is_fit and self._can_write_directly(target, arguments, place.alignment):
                array, address = target, data_address(target)
            else:
                array, address = out.new_array()
            outs.append(array)
            addresses.append(address)
        return outs, addresses

    def _can_write_directly(self, target: Array, arguments: Sequence[Any], alignment: int) -> bool:
        natural = target.flags.c_contiguous and target.flags.aligned and data_address(target) % alignment == 0
        return natural and not any(
            parameter.type.is_array and overlap(target, arguments[parameter.index])
            for parameter in self._signature.parameters
        )

    def _call(self, arguments: Sequence[Any], targets: Sequence[Array | None]) -> Any:
        outs, addresses = self._out_memory(arguments, targets)
        if self.recorder is not None:
            self.recorder.made(*(array.nbytes for array in outs if all(array is not target for target in targets)))
        values = self._read(arguments, addresses)
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = self._frame_layout.new_frame()
        self._pack(frame.memory, 0, *values)
        failure = self._native(frame.table)
        if failure:
            raise_failure(failure)
        results = self._take(arguments, outs, values, frame)
        self._frames.append(frame)
        return self._placed(targets, results)

    def _placed(self, targets: Sequence[Array | None], results: list[Any]) -> Any:
        """The results, those with a target copied there if they are not there already."""
        if targets is not self._unplaced:
            results = [
                result if target is None else place_result(number, result, target, self.recorder)
                for number, (result, target) in enumerate(zip(results, targets, strict=True))
            ]
        return _as_one(results)

    def _read(self, arguments: Sequence[Any], addresses: Sequence[int]) -> list[Any]:
        """The values to pack into a frame for `arguments` and for results at `addresses`."""
        values: list[Any] = []
        for number, read in self._readers:
            values += read(arguments[number])
        if self._bounds and may_meet(self._bounds, (*values, *self._held_addresses)):
            require_exclusive(self._signature, arguments, self._exclusive())
        values += addresses
        return values

    def _all_bounds(self, whole: Sequence[Any]) -> tuple[Bounds, ...]:
        """The bounds of all arrays, whose addresses are first those that readers give, then those of held ones."""
        parameters = self._signature.parameters
        places: list[tuple[int, int]] = []
        values: list[Any] = []
        for number, read in self._readers:
            if parameters[number].type.is_array:
                places.append((number, len(values)))
            values += read(whole[number])
        read_here = {number for number, _ in self._readers}
        held = [number for number in range(len(parameters)) if number not in read_here]
        places += [(number, len(values) + position) for position, number in enumerate(held)]
        values += self._held_addresses
        return tuple(
            bounds_of(place, whole[number], values[place], exclusive=parameters[number].exclusive)
            for number, place in places
        )

    def _take(self, arguments: Sequence[Any], outs: list[Array], values: list[Any], frame: CallFrame) -> list[Any]:
        """The results of a call that has returned. A frame whose check failed is not used again."""
        if self._checked:
            failed, needed = self._unpack(frame.memory, self._frame_layout.returned_offset)
            if failed:
                raise failed_check(self._signature, arguments, failed, needed)
            return []
        if not self._returns:
            # The common case: each result is an argument or an array made for it.
            everything = (*arguments, *outs)
            return [everything[place] for place in self._code.form.results]
        words = self._unpack(frame.memory, self._frame_layout.returned_offset)
        call = Returned(arguments, outs, (*values, *self._held_addresses), words)
        return [take(call) for take in self._takers]


def _as_one(results: list[Any]) -> Any:
    """None for no result, the only one, or a tuple."""
    if len(results) == 1:
        return results[0]
    return tuple(results) if results else None


def _describe(
    signature: Signature, form: Form, arguments: Sequence[Any], held: HeldArguments
) -> tuple[list[ArraySlot | str], tuple[tuple[int, Reader], ...], tuple[int, ...]]:
    """The native arguments for `arguments`; by number, how to read those that are not held; the addresses of others."""
    slots: list[ArraySlot | str] = []
    readers: list[tuple[int, Reader]] = []
    addresses: list[int] = []
    for parameter, layout, argument in zip(signature.parameters, form.layouts, arguments, strict=True):
        if layout is None:
            slots.append(parameter.type.element.code)
            readers.append((parameter.index, scalar_reader(parameter)))
            continue
        strides, read = element_strides(argument, parameter, layout), array_reader(parameter, layout, argument)
        if parameter.index in held.arrays:
            addresses += read(argument)
            slots.append(ArraySlot(layout.offset or 0, argument.shape, strides, addresses[-1]))
        else:
            slots.append(ArraySlot(layout.offset or 0, argument.shape, strides))
            readers.append((parameter.index, read))
    return slots, tuple(readers), tuple(addresses)


def returned_codes(signature: Signature, form: Form) -> list[str]:
    """The `struct` codes of the values that native code returns, in their order."""
    if signature.size_checks is not None:
        return ["q", "q"]
    return [
        descriptor_code(len(result.shape)) if result.is_array else result.element.code
        for result, place in zip(signature.results, form.results, strict=True)
        if place == RETURNED
    ]
