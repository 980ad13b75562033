"""Conversion of tensors to destination-passing style.

:func:`convert_to_destination_style` changes a module and returns a :class:`DestinationReport` of its changes, and of
the insertions that it kept, with the reasons. `inplace-convert-to-destination-style` and
`inplace-eliminate-empty-tensors` call it.
"""

from __future__ import annotations

from .conversion import convert_and_analyse, convert_to_destination_style
from .report import DestinationEntry, DestinationReport

__all__ = ["DestinationEntry", "DestinationReport", "convert_and_analyse", "convert_to_destination_style"]
