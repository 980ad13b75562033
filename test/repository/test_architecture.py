"""Rules of the code base that no linter knows: layers, folders, names, docstrings, who may name the bindings."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from mlir.dialects import ext

from mlir_inplace.passes.framework.base import Pass

ROOT = Path(__file__).parents[2]
LAYERS = ("dialects", "passes", "runtime", "frontends", "checking", "tools")
"""The package's folders; each may import from those before it, and from itself."""

MOST_FILES = 25
"""What a folder of passes/ holds at most, so that a reader sees all of it."""

SOURCES = {
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): path
    for layer in LAYERS
    for path in (ROOT / layer).rglob("*.py")
}
"""The file of each module."""

MODULES = sorted(SOURCES)


@functools.cache
def text(module: str) -> str:
    return SOURCES[module].read_text()


@functools.cache
def tree(module: str) -> ast.Module:
    return ast.parse(text(module))


@functools.cache
def statements(module: str) -> list[ast.stmt]:
    """All statements of a module, nested ones too: walking these takes a tenth of the time of walking all nodes."""
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = [tree(module)]
    for node in waiting:
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            waiting += getattr(node, field, ())
        if isinstance(node, ast.stmt):
            found.append(node)
    return found


def offences(find: Callable[[str], Iterable[object]], names: Iterable[str]) -> dict[str, list[object]]:
    """What ``find`` has to say of each of ``names``, where that is something."""
    found = {name: list(find(name)) for name in names}
    return {name: said for name, said in found.items() if said}


def imported(module: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """What a module imports relatively, type-only imports included: the path of each name, with the line."""
    package = SOURCES[module].relative_to(ROOT).parent.parts
    for node in statements(module):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (*package[: len(package) - node.level + 1], *filter(None, (node.module or "").split(".")))
            for alias in node.names:
                if (*base, alias.name) != ("__version__",):
                    yield (*base, alias.name), node.lineno


@functools.cache
def folder_of(path: tuple[str, ...]) -> str:
    """The folder that a name is imported from: a package, or that of its module."""
    while not ROOT.joinpath(*path).is_dir():
        path = path[:-1]
    return "/".join(path)


def upward(module: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """The imports of a module from layers above it."""
    allowed = LAYERS[: LAYERS.index(module.split(".", maxsplit=1)[0]) + 1]
    return ((path, line) for path, line in imported(module) if path[0] not in allowed)


def test_imports_go_one_way() -> None:
    assert offences(upward, MODULES) == {}


def test_folders_do_not_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for module in MODULES:
        folder = SOURCES[module].relative_to(ROOT).parent.as_posix()
        graph.setdefault(folder, set()).update({folder_of(path) for path, _ in imported(module)} - {folder})
    assert graph["passes/bufferization"] > {"passes/framework", "passes/bufferization/rewriting"}
    TopologicalSorter(graph).prepare()  # CycleError names the folders of a circle


INFRASTRUCTURE = {"analysis", "framework", "pipeline"}
"""The folders of passes/ that are no families."""


def arguments_of_passes(module: str) -> list[str]:
    """The arguments of the passes that a module defines."""
    loaded = importlib.import_module(f"mlir_inplace.{module}")
    own = [value for value in vars(loaded).values() if inspect.isclass(value) and value.__module__ == loaded.__name__]
    return [cls.argument for cls in own if issubclass(cls, Pass)]


def test_every_file_of_a_family_is_one_pass() -> None:
    paths = [path.relative_to(ROOT) for path in ROOT.glob("passes/*/*.py") if path.name != "__init__.py"]
    wanted = {
        ".".join(path.with_suffix("").parts): ["inplace-" + path.stem.replace("_", "-")]
        for path in paths
        if path.parent.name not in INFRASTRUCTURE
    }
    assert {module: arguments_of_passes(module) for module in wanted} == wanted
    assert len(wanted) > 40


def test_folders_of_passes_are_small() -> None:
    counts = Counter(path.parent for path in ROOT.glob("passes/**/*.py") if path.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_no_two_public_classes_have_one_name() -> None:
    homes: dict[str, list[str]] = {}
    for module in MODULES:
        for node in tree(module).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def absolute_imports(module: str) -> Iterator[int]:
    """The lines where a module imports the package by its name."""
    for node in statements(module):
        by_name = isinstance(node, ast.Import) and any(alias.name.startswith("mlir_inplace") for alias in node.names)
        if isinstance(node, ast.ImportFrom) and not node.level:
            by_name = (node.module or "").startswith("mlir_inplace")
        if by_name:
            yield node.lineno


def test_the_package_imports_itself_relatively() -> None:
    assert offences(absolute_imports, MODULES) == {}


def frozen_dataclasses(module: str) -> list[int]:
    """The lines of the classes that are `dataclass(frozen=True)` and nothing else."""
    classes = (node for node in statements(module) if isinstance(node, ast.ClassDef))
    return [node.lineno for node in classes if "dataclass(frozen=True)" in map(ast.unparse, node.decorator_list)]


def test_frozen_dataclasses_that_a_compilation_may_load_are_made_by_frozen() -> None:
    compiling = {module for module in MODULES if module.split(".")[0] not in ("checking", "tools")}
    # The gate to the bindings is imported first, and alone.
    assert offences(frozen_dataclasses, compiling).keys() == {"runtime.bindings"}
    assert offences(frozen_dataclasses, set(MODULES) - compiling)


def test_only_the_gate_names_the_bindings_package() -> None:
    assert [module for module in MODULES if "torch_mlir" in text(module)] == ["runtime.bindings"]


def undocumented(path: str) -> Iterator[str]:
    """The public classes, functions and methods of a module without a docstring of their own or an inherited one."""
    module = importlib.import_module(f"mlir_inplace.{path}")
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if (inspect.isclass(value) or inspect.isfunction(value)) and not inspect.getdoc(value):
            yield name
        if inspect.isclass(value):
            for member_name, member in vars(value).items():
                is_code = inspect.isfunction(member) or isinstance(member, classmethod | staticmethod | property)
                if isinstance(member, property) and member.fget and member.fget.__module__ == ext.__name__:
                    continue  # A field of an operation or a type, for which the bindings have made the property.
                if is_code and not member_name.startswith("_") and not inspect.getdoc(getattr(value, member_name)):
                    yield f"{name}.{member_name}"


def test_public_things_have_docstrings() -> None:
    assert offences(undocumented, MODULES) == {}


def test_modules_of_tests_have_names_of_their_own() -> None:
    """Test folders are no packages, so pytest cannot collect two modules of one name."""
    names = Counter(path.name for path in (ROOT / "test").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def shared_with_the_compiler(module: str) -> Iterator[str]:
    """What a module imports of the op models or the passes; our own dialect's definition is no op model."""
    names = (".".join(path) for path, _ in imported(module))
    return (
        name for name in names if name.startswith(("passes", "dialects")) and not name.startswith("dialects.dispatch.")
    )


def test_the_evaluator_knows_nothing_of_what_it_checks() -> None:
    evaluator = [module for module in MODULES if module.startswith("checking.evaluator")]
    assert len(evaluator) > 20
    assert offences(shared_with_the_compiler, evaluator) == {}


def test_every_folder_is_on_the_map() -> None:
    """ARCHITECTURE.md says what each folder of a layer, and each subject of the analysis, holds."""
    page = (ROOT / "docs" / "ARCHITECTURE.md").read_text()
    folders = {path.parent for layer in LAYERS for path in (ROOT / layer).glob("*/*.py")}
    folders |= {path.parent for path in (ROOT / "passes" / "analysis").glob("*/*.py")}
    missing = [path.name for path in folders if not re.search(rf"[`/]{path.name}/", page)]
    assert sorted(missing) == []
