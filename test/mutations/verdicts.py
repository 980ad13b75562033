"""What is to be said of rules that no program was found for, by name: why it is there, or what is missing."""

from __future__ import annotations

UNTESTED: dict[str, str] = {}
"""No program shows what the rule is for."""

UNNEEDED: dict[str, str] = {}
"""Other rules cover all that the rule does; why it is kept."""
