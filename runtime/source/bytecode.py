"""Check of MLIR bytecode in another process: broken bytecode can kill the process that reads it."""

from __future__ import annotations

import signal
import subprocess
import sys

from ...dialects.support.text_error import TextError

__all__ = ["check_bytecode"]

# Reading takes milliseconds for a megabyte; on some broken bytecode it does not end.
_SECONDS = 60

_TRY = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
sys.path[:] = {path!r}
import mlir_inplace
from mlir import ir
from mlir_inplace.dialects import dispatch, stablehlo
data = sys.stdin.buffer.read()
with ir.Context() as context:
    dispatch.register_for(data, context)
    try:
        stablehlo.register_for(data, context)
        module = stablehlo.deserialize(data, context) if stablehlo.is_artifact(data) else ir.Module.parse(data)
        module.operation.verify()
    except Exception:
        pass
"""


def check_bytecode(data: bytes, name: str) -> None:
    """Raises `TextError` for bytecode that kills its reader. It costs a process, about 0.3 s.

    Bytecode that MLIR refuses passes the check: reading it again gives the diagnostics.
    """
    if not sys.executable:  # Python is embedded in another program: there is no interpreter to start.
        return
    command = [sys.executable, "-c", _TRY.format(path=sys.path)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise TextError(f"broken bytecode: MLIR had not read it after {_SECONDS} s", name, 1, 1) from None
    if done.returncode < 0:
        number = signal.Signals(-done.returncode).name
        raise TextError(f"broken bytecode: MLIR dies of {number} when it reads it; write it anew", name, 1, 1)
