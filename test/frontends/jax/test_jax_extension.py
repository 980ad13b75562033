"""What is asked of `jax.extend` without importing it, which loads Pallas."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

pytest.importorskip("jax")

from mlir_inplace.frontends.jax.framework import jax_extension

_ASKED = [
    ("core", "Literal"),
    ("core.primitives", "eigh_p"),
    ("source_info_util", "current_name_stack"),
    ("source_info_util", "register_exclusion"),
    ("source_info_util", "user_context"),
]


@pytest.mark.parametrize(("part", "name"), _ASKED)
def test_it_is_what_jax_extend_exports(part: str, name: str) -> None:
    assert jax_extension(part, name) is getattr(importlib.import_module(f"jax.extend.{part}"), name)


def test_without_the_internal_module_jax_extend_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    literal = importlib.import_module("jax.extend.core").Literal
    monkeypatch.delitem(sys.modules, "jax._src.core")
    assert jax_extension("core", "Literal") is literal


@pytest.mark.full
def test_jit_does_not_load_pallas() -> None:
    program = (
        "import sys, numpy as np, mlir_inplace as mi\n"
        "print(mi.jit(lambda a: a + 1, cache=False)(np.arange(3.0)).tolist())\n"
        "print([name for name in sys.modules if name.startswith(('jax.extend', 'jax._src.pallas'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[1.0, 2.0, 3.0]", "[]"]
