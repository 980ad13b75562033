"""Destination-passing style on tensors: computing each value where it is wanted.

:func:`convert_to_destination_style` changes a module and says in a :class:`DestinationReport` what it did and what it
left alone, and why. The passes `inplace-convert-to-destination-style` and `inplace-eliminate-empty-tensors` are thin
shells around it.
"""

from __future__ import annotations

from .conversion import convert_and_analyse, convert_to_destination_style
from .report import Change, DestinationReport, Kept

__all__ = ["Change", "DestinationReport", "Kept", "convert_and_analyse", "convert_to_destination_style"]
