"""Makes `mlir` importable before any test module is, and decides how much is tested.

`pytest` takes a sample of the tests, `pytest --full` runs everything (`fast_run.py`). In both, compiled programs are
verified after each pass; `MLIR_INPLACE_VERIFY_EACH=0` turns this off. No cache of compiled programs is used.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import shlex
import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import fast_run
import file_order
import hypothesis
import pytest

import mlir_inplace
from mlir_inplace.dialects import registry
from mlir_inplace.passes.framework import entered_context
from mlir_inplace.runtime.compilation import lowering
from mlir_inplace.runtime.compilation.steps import VERIFY_EACH

if TYPE_CHECKING:
    from fork_server import ForkServer

os.environ.setdefault(VERIFY_EACH, "1")
# What an earlier run compiled would not be tested.
os.environ["MLIR_INPLACE_CACHE"] = "0"

# Each of the processes that tests start would compile all that it imports, in every run.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_MARKERS = {
    "each_value": "in the fast run, run only so many items that each value of each parameter is in one",
    "full": "run only with --full",
    "long": "takes many seconds: on several cores its file runs before others, so that none waits for it in the end",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `--full` run everything."""
    parser.addoption("--full", action="store_true", help="run all tests and seeds, not a sample of them")


def pytest_configure(config: pytest.Config) -> None:
    """Tell test modules and worker processes of `--full`."""
    if config.getoption("full"):
        os.environ[fast_run.VARIABLE] = "1"
    hypothesis.settings.register_profile("without deadlines", deadline=None)  # A busy machine is no failure.
    hypothesis.settings.load_profile("without deadlines")
    if not fast_run.is_full():
        # Contexts load dialects as they meet them, as in mlir-opt; to load and to free all takes a third of the run.
        entered_context.ir.Context.__init__.__defaults__ = (entered_context.DIALECTS, None)
    for name, what in _MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {what}")


@pytest.fixture(autouse=True)
def no_models_of_this_process() -> Generator[None]:
    """Forget that a test module added op models, which turns the disk cache off for the whole process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry._TABLE, "has_own", False)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from what collection makes: ten thousand items, which live as long as the run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only a full run has, and begin with what takes longest."""
    if not fast_run.is_full():
        _leave_out(config, items)
    if "PYTEST_XDIST_WORKER" in os.environ:
        file_order.longest_first(items)


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = {item for item in items if item.get_closest_marker("full")}
    combined: dict[Any, list[pytest.Item]] = {}
    for item in items:
        if item not in left_out and item.get_closest_marker("each_value"):
            combined.setdefault(getattr(item, "function", None), []).append(item)
    for group in combined.values():
        chosen = fast_run.covering([_values(item) for item in group])
        left_out.update(item for number, item in enumerate(group) if number not in chosen)
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, object, object]:
    """Say below all else how to run the first test that failed again."""
    said = yield
    failed = [*terminalreporter.stats.get("failed", ()), *terminalreporter.stats.get("error", ())]
    if failed:
        full = " --full" if fast_run.is_full() else ""
        again = f"python -m pytest -n0{full} {shlex.quote(failed[0].nodeid)}"
        terminalreporter.write_line(f"The first one again, in one process: {again}")
    return said


def _values(item: pytest.Item) -> set[tuple[str, int]]:
    """The values of an item's parameters, which need not be hashable: all items share the objects."""
    callspec = getattr(item, "callspec", None)
    return {(name, id(value)) for name, value in callspec.params.items()} if callspec else set()


@pytest.fixture
def without_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile as `mi.compile` does, but let each buffer be an allocation of its own, so that they can be counted."""
    assert lowering.ARENA in lowering.OUTLINE
    monkeypatch.setattr(lowering, "OUTLINE", tuple(one for one in lowering.OUTLINE if one is not lowering.ARENA))


@pytest.fixture
def full() -> bool:
    """Whether everything is tested, for tests that do less by default."""
    return fast_run.is_full()


@pytest.fixture(autouse=True)
def same_numbers_in_any_order() -> None:
    """Let each test draw the same numbers whatever ran before it."""
    if programs := sys.modules.get("linalg_programs"):
        programs.start_again()


@pytest.fixture(scope="session")
def fork_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """A process that forks programs of ours in milliseconds, in the environment of lit tests."""
    from fork_server import ForkServer
    from lit_suite import lit_environment

    environment = {**lit_environment(), "TMPDIR": str(tmp_path_factory.mktemp("programs"))}
    packages = [found.name for found in pkgutil.iter_modules(mlir_inplace.__path__, "mlir_inplace.") if found.ispkg]
    server = ForkServer(environment, [*packages, "filecheck"])
    yield server
    server.kill()
