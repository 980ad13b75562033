"""The options of the in-place analysis: plain data, created once from the options of the pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from ....dialects.support.frozen_classes import frozen
from .decision_order import DecisionOrder, Heuristic

__all__ = ["AnalysisOptions"]

_BORDER = frozenset({"bufferization.to_buffer", "bufferization.to_tensor"})


@frozen
class AnalysisOptions:
    """Fields are named after the options of ``inplace-one-shot-bufferize`` that they come from."""

    boundaries: bool = False
    """Function arguments and results become buffers."""
    allow_unknown: bool = False
    """Ops without a model are assumed to read, write and alias all their tensors, instead of being refused."""
    copy_before_write: bool = False
    """Every write is refused."""
    calls_copy: bool = False
    """A call may pass a copy of an operand's buffer, in the layout of the callee's argument."""
    heuristic: Heuristic = Heuristic.CHEAPEST
    single_order: bool = False
    """With ``Heuristic.CHEAPEST``, only the first of its orders is tried, others only if it refuses the program."""
    fuzzer_seed: int = 0
    return_allocs: bool = True
    """Loops may yield other buffers than the ones they carry."""
    parallel: bool = True
    """Runs of a parallel region are kept apart."""
    dialects: tuple[str, ...] = ()
    """If not empty, ops of all other dialects keep their tensors."""
    no_analysis: tuple[str, ...] = ()
    """Functions in which every write is refused."""
    encodings: bool = False
    """The encoding of a tensor is the memory space of its buffer; otherwise tensors with encodings are refused."""
    skip_dead: bool = False
    """Ops that compute nothing that is used have no effects; otherwise they are analysed as if it were used."""
    must_infer_space: bool = False
    """A buffer without a stated memory space is refused instead of being put into the default one."""

    orders: Mapping[str, DecisionOrder] = field(default_factory=dict)
    """The one order of decisions of some functions, in place of those that ``heuristic`` tries."""
    order: DecisionOrder | None = None
    """That of the function which is analysed."""
    called: frozenset[str] = frozenset()
    """The functions that are called by others or by themselves."""
    is_called: bool = False
    """Whether that which is analysed is one of them."""

    def of_function(self, name: str) -> AnalysisOptions:
        """Return the options for function ``name``."""
        own = replace(self, is_called=True) if name in self.called else self
        own = replace(own, order=self.orders[name]) if name in self.orders else own
        return replace(own, copy_before_write=True) if name in self.no_analysis else own

    def allows(self, name: str) -> bool:
        """Whether the op called ``name`` is to be bufferized. Ops between tensors and buffers always are."""
        return not self.dialects or name.partition(".")[0] in self.dialects or name in _BORDER
