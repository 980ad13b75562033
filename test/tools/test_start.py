"""What the command-line tools import before they answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_LAUNCH = """
import sys
from mlir_inplace.tools.launch import inplace_opt
code = inplace_opt()
from mlir import ir
bindings = ir.__name__.rpartition(".")[0]  # `mlir` may be another name of them
known = {{name.replace(bindings, "mlir", 1) if name.startswith(bindings) else name for name in sys.modules}}
print(code, *(name for name in {modules!r} if name in known), file=sys.stderr)
"""

_DIALECTS = tuple(f"mlir.dialects.{name}" for name in ("builtin", "func", "ext", "linalg", "llvm", "memref", "vector"))
_OF_OURS = ("frontends.stablehlo", "dialects.registry", "passes.analysis", "passes.pipeline.reproducer")
_NOT_NEEDED = (
    *("numpy._core", "importlib.metadata", "tempfile", "difflib", "typing_extensions"),
    *_DIALECTS,
    *(f"mlir_inplace.{name}" for name in _OF_OURS),
)
_SUM = "%c = arith.constant 1 : i32 %r = arith.addi %c, %c : i32"


def answer(tmp_path: Path, text: str) -> tuple[str, list[str]]:
    """What `inplace-opt --canonicalize` prints, and its exit code with the modules it has imported of some."""
    file = tmp_path / "program.mlir"
    file.write_text(text)
    command = [sys.executable, "-c", _LAUNCH.format(modules=_NOT_NEEDED), str(file), "--canonicalize"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr.split()


def test_opt_imports_only_what_the_text_needs(tmp_path: Path) -> None:
    text = f"func.func @f() -> i32 {{ {_SUM} return %r : i32 }}"
    printed, found = answer(tmp_path, text)
    assert "arith.constant 2 : i32" in printed and found == ["0"]


def test_deep_text_is_still_refused_with_its_place(tmp_path: Path) -> None:
    printed, found = answer(tmp_path, "module {\n" * 600)
    imported = ["numpy._core", "typing_extensions", "mlir.dialects.builtin"]
    assert not printed and "program.mlir:501:8:" in found[0] and found[-4:] == ["1", *imported]


@pytest.mark.parametrize("count", [20, 2000])
def test_numpy_is_loaded_when_it_is_used(count: int) -> None:
    program = (
        "import sys\nfrom mlir_inplace.tools.shared.deferred_numpy import defer_numpy\ndefer_numpy()\n"
        "import numpy\nfrom mlir import ir\nassert 'numpy._core' not in sys.modules\n"
        f"import numpy as np\nfrom numpy import linalg\nassert np.arange({count}).sum() == {count * (count - 1) // 2}\n"
        "assert isinstance(numpy.zeros(2), np.ndarray) and sys.modules['numpy'].ndarray is np.ndarray\n"
        "with ir.Context():\n"
        f"    print(ir.DenseElementsAttr.get(numpy.zeros({count}, numpy.int32)).type)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == f"tensor<{count}xi32>"
