"""What `--version` prints."""

from __future__ import annotations

from ... import __version__
from ...runtime import bindings

__all__ = ["version_text"]


def version_text(program: str) -> str:
    """The version of this package and of the bindings, two lines."""
    return f"{program} {__version__}\nMLIR bindings: {bindings.install()}\n"
