"""What the README says is true: its two lines, its paths, its Python sample."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()

ADD = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %init = tensor.empty() : tensor<4xf32>
  %sum = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<4xf32>) -> tensor<4xf32>
  return %sum : tensor<4xf32>
}
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_two_lines() -> None:
    """.ci/run takes the first lines of the first two shell blocks; it renames `python3` and `.venv` in the first."""
    install, tests = (block.splitlines() for block in blocks("sh")[:2])
    assert len(install) == len(tests) == 1
    assert install[0].startswith("python3 -m venv .venv && . .venv/bin/activate && ")
    assert "pip install -q -c constraints.txt -e '.[test]' && " in install[0]
    assert tests[0] == "python -m pytest"


def test_paths_exist() -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    named = re.findall(r"\b((?:examples|docs|test)/[\w/.]+\w)", README)
    for path in [*linked, *named, ".ci/run"]:
        assert (ROOT / path).exists(), path


def test_the_python_sample_runs() -> None:
    (sample,) = blocks("python")
    names = {"text": ADD, "a": np.arange(4, dtype=np.float32), "b": np.full(4, 10, dtype=np.float32)}
    exec(compile(sample, "README.md", "exec"), names)
    np.testing.assert_array_equal(names["y"], [10, 11, 12, 13])
