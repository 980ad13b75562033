"""Writing a file in one step: others see the old content or the new one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["replace_file"]


def replace_file(path: Path, content: bytes) -> None:
    """Write `content` to `path`; raises `OSError`, and leaves nothing behind then. Only the user may read the file."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
