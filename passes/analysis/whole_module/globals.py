"""Global tensors of a module: which loads may use the memory itself, and which need a copy.

State is memory that every function of the module may load from and store to. No tensor value is ever written in that
memory, and a store is a copy into it, at the position of the store. So the only hazard is that the memory changes
between a load and the last use of the loaded value. A load uses the memory itself, as a read-only buffer, iff

* no op in the module stores to the state, and no code outside of it can; or
* all uses of the result, and of views of it, are reads in the block of the load or inside of ops of that block, and no
  op that stores, or may lead to a store, comes between the load and the last of these uses.

Any other load copies. These ops may lead to a store: a call of a function that stores, itself or through callees; a
call of an unknown function, which may call back or access a state that is not private; and an op without a model.

Cost: linear in the ops of a module that has state, and constant in any other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

from ....dialects.bufferizable import GlobalTensor
from ....dialects.support.frozen_classes import frozen_slots
from ..effects.reader import TensorEffects
from ..effects.tables import Refusal

__all__ = ["ProgramState"]

_ANY = ""
"""Wildcard for every symbol, in the stores of a function."""


@frozen_slots
class _Access:
    op: int
    symbol: str
    stores: bool


class ProgramState:
    """The state declared in the module of ``effects``; :meth:`add_function` decides the loads of one function."""

    def __init__(self, effects: TensorEffects, functions: dict[str, int], allows: Callable[[str], bool]) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._functions = functions
        self.copied: set[int] = set()
        """Loads whose result is a copy."""
        self.declarations: list[int] = []
        """The ops that declare state to be bufferized."""
        self._states: dict[str, GlobalTensor] = {}
        self._declare(allows)
        self._accesses = self._find_accesses() if self._states else []
        self._stores = self._close_stores() if self._states else {}

    def _declare(self, allows: Callable[[str], bool]) -> None:
        """Collect the state declared by ops that ``allows`` accepts; the others keep their tensors."""
        s = self._snapshot
        for op in (op for region in s.op_regions[0] for block in region for op in s.block_ops[block]):
            model = self._effects.model(op)
            state = None if model is None else model.declared_state(s.ops[op])
            if state is not None and allows(s.op_name[op]):
                self._states[state.symbol] = state
                self.declarations.append(op)

    def _find_accesses(self) -> list[_Access]:
        s = self._snapshot
        found: list[_Access] = []
        for op in range(len(s.ops)):
            model = self._effects.model(op)
            if model is None:
                continue
            for symbol, stores in ((model.loaded_state(s.ops[op]), False), (model.stored_state(s.ops[op]), True)):
                if symbol in self._states:
                    found.append(_Access(op, symbol, stores))
        return found

    # --- who stores what ---------------------------------------------------------------------------------------

    def _close_stores(self) -> dict[str, set[str]]:
        """Return, for each function, the symbols that it may store to, itself or through callees."""
        s = self._snapshot
        stores: dict[str, set[str]] = {name: set() for name in self._functions}
        callers: dict[str, list[str]] = {}
        written = [access for access in self._accesses if access.stores]
        for name, function in self._functions.items():
            inside = s.nested_ops(function)
            stores[name] = {access.symbol for access in written if access.op in inside}
            if not s.op_regions[function][0]:
                stores[name].add(_ANY)
            for op in inside:
                if s.op_name[op] == "func.call":
                    callers.setdefault(s.callee(op), []).append(name)
        work = list(stores)
        while work:
            name = work.pop()
            for caller in callers.get(name, ()):
                if not stores[name] <= stores[caller]:
                    stores[caller] |= stores[name]
                    work.append(caller)
        return stores

    def _may_store(self, op: int) -> set[str]:
        """Return the symbols that ``op`` itself, without its regions, may store to."""
        s, name = self._snapshot, self._snapshot.op_name[op]
        if name == "func.call":
            return self._stores.get(s.callee(op), {_ANY})
        return {_ANY} if name == "func.call_indirect" or op in self._effects.unknown_ops else set()

    # --- loads -------------------------------------------------------------------------------------------------

    def add_function(self, function: int) -> None:
        """Decide which loads of ``function`` copy; its effects must be entered before."""
        s = self._snapshot
        inside = s.nested_ops(function)
        accesses = [access for access in self._accesses if access.op in inside]
        if not accesses:
            return
        moments: dict[str, list[int]] = {}
        for access in accesses:
            if access.stores:
                moments.setdefault(access.symbol, []).append(s.op_enter[access.op])
        for op in inside:
            for symbol in self._may_store(op):
                moments.setdefault(symbol, []).append(s.op_enter[op])
        everything = moments.pop(_ANY, [])
        sorted_moments = {symbol: sorted((*moments.get(symbol, ()), *everything)) for symbol in self._states}
        for access in accesses:
            if access.stores:
                continue
            if self._is_fixed(access.symbol) or self._stays(access.op, sorted_moments[access.symbol]):
                self.copied.discard(access.op)
                for result in s.results(access.op):
                    self._effects.readonly[result] = f"the memory of @{access.symbol}, which only stores may write"
            else:
                self.copied.add(access.op)

    def _is_fixed(self, symbol: str) -> bool:
        """Whether the state is never stored to."""
        state = self._states[symbol]
        if not state.is_mutable:
            return True
        return state.is_private and not any(access.stores and access.symbol == symbol for access in self._accesses)

    def _stays(self, load: int, moments: list[int]) -> bool:
        """Whether the loaded value is dead at each of ``moments``, at which the memory may be stored to."""
        s = self._snapshot
        last = s.op_enter[load]
        for operand in self._reads(load):
            if operand < 0:
                return False
            op = s.operand_op[operand]
            around = self._around(op, s.op_block[load])
            if around < 0:
                return False
            # A store of the loaded value itself reads it before writing.
            end = s.op_enter[op] - 1 if op == around and self._puts_back(operand, load) else s.op_exit[around]
            last = max(last, end)
        after = bisect_right(moments, s.op_enter[load])
        return after == len(moments) or moments[after] > last

    def _puts_back(self, operand: int, load: int) -> bool:
        s, op = self._snapshot, self._snapshot.operand_op[operand]
        model = self._effects.model(op)
        loads = self._effects.model(load)
        if model is None or loads is None or s.operand_value[operand] != s.op_first_result[load]:
            return False
        return model.stored_state(s.ops[op]) == loads.loaded_state(s.ops[load])

    def _reads(self, load: int) -> Iterator[int]:
        """Yield the operands that use the result of ``load`` or a view of it; -1 for a use that may forward it."""
        s, effects = self._snapshot, self._effects
        work = list(s.results(load))
        seen = set(work)
        while work:
            for operand in s.value_uses[work.pop()]:
                op = s.operand_op[operand]
                ends_block = s.block_ops[s.op_block[op]][-1] == op
                hands_on = ends_block or operand in effects.forwards or effects.must_in_place[operand]
                if hands_on or effects.escapes[operand] or operand in effects.derived_reads:
                    yield -1
                else:
                    yield operand
                    # The memory must not be written: the op writes a buffer of its own.
                    ties = () if effects.writes[operand] else effects.ties.get(operand, ())
                    work.extend(tie.value for tie in ties if tie.value not in seen)
                    seen.update(tie.value for tie in ties)

    def _around(self, op: int, block: int) -> int:
        """Return the op of ``block`` that is or encloses ``op``; -1 if none is."""
        s = self._snapshot
        while op >= 0 and s.op_block[op] != block:
            parent = s.op_block[op]
            op = s.block_op[parent] if parent >= 0 else -1
        return op

    # --- refusals ----------------------------------------------------------------------------------------------

    def refusals(self, analysed: list[int]) -> Iterator[Refusal]:
        """Yield why state cannot be bufferized, given the ``analysed`` functions; finalizes ``declarations``.

        State that is used only outside of the analysed functions is left unchanged.
        """
        s = self._snapshot
        inside = {op for function in analysed for op in s.nested_ops(function)}
        own = {access.symbol for access in self._accesses if access.op in inside}
        foreign = {access.symbol: access.op for access in self._accesses if access.op not in inside}
        kept: list[int] = []
        for op in self.declarations:
            model = self._effects.model(op)
            state = None if model is None else model.declared_state(s.ops[op])
            if model is None or state is None or (state.symbol in foreign and state.symbol not in own):
                continue
            reason = model.refuse(s.ops[op])
            if reason is not None:
                yield Refusal(s.ops[op], reason)
            elif state.symbol in foreign:
                user = foreign[state.symbol]
                yield Refusal(
                    s.ops[user],
                    f"'{s.op_name[user]}' uses @{state.symbol}, which becomes a memref, but stands in no func.func "
                    "that is bufferized; put the access into one",
                )
            kept.append(op)
        self.declarations = kept
