"""The registry: lazy loading, entry points of other distributions, and clashes that name both owners."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest
from mlir import ir

from mlir_inplace.passes.framework.base import Pass
from mlir_inplace.passes.framework.errors import RegistryError
from mlir_inplace.passes.pipeline import registry as registry_module
from mlir_inplace.passes.pipeline.registry import BUILT_IN, Registry, registry
from mlir_inplace.tools.inplace_opt import main as inplace_opt


class ShoutPass(Pass):
    argument = "inplace-shout"
    summary = "does nothing, loudly"

    def run(self, op: ir.Operation) -> None:
        self.remark(op.location, "shout")


class RivalPass(ShoutPass):
    summary = "another pass of the same name"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    """Entry points `(distribution, name, target)` that the registries of a test find installed."""
    found: list[tuple[str, str, str]] = []

    def points(group: str) -> list[EntryPoint]:
        return [_entry_point(*point, group=group) for point in found]

    monkeypatch.setattr(registry_module, "entry_points", points)
    return found


def _entry_point(distribution: str, name: str, target: str, group: str) -> EntryPoint:
    point = EntryPoint(name, target, group)
    vars(point)["dist"] = SimpleNamespace(name=distribution)
    return point


def test_an_entry_point_brings_a_pass(installed: list[tuple[str, str, str]]) -> None:
    installed.append(("loud", "inplace-shout", f"{__name__}:ShoutPass"))
    found = Registry()
    assert "inplace-shout" in found
    assert found.get("inplace-shout") is ShoutPass
    assert found.owner("inplace-shout") == "loud"


def test_a_clash_names_both_owners(installed: list[tuple[str, str, str]]) -> None:
    installed.append(("loud", "inplace-shout", f"{__name__}:ShoutPass"))
    installed.append(("louder", "inplace-shout", f"{__name__}:RivalPass"))
    with pytest.raises(RegistryError, match=r"two owners: loud \(.*ShoutPass\) and louder \(.*RivalPass\)"):
        Registry().arguments()


def test_a_clash_with_a_built_in_pass_names_us(installed: list[tuple[str, str, str]]) -> None:
    installed.append(("loud", "inplace-shout", f"{__name__}:ShoutPass"))
    with pytest.raises(RegistryError, match=r"two owners: mlir-inplace .* and loud"):
        Registry({"inplace-shout": ("shout", "ShoutPass")}).arguments()


def test_one_installation_listed_twice_is_no_clash(installed: list[tuple[str, str, str]]) -> None:
    installed.extend([("loud", "inplace-shout", f"{__name__}:ShoutPass")] * 2)
    assert Registry().arguments() == ("inplace-shout",)


def test_a_registered_class_clashes_with_another_but_not_with_itself() -> None:
    found = Registry(group=None)
    found.register(ShoutPass, "tests")
    found.register(ShoutPass, "tests")
    with pytest.raises(RegistryError, match=r"two owners: tests .* and rivals"):
        found.register(RivalPass, "rivals")


@pytest.mark.parametrize(
    ("name", "target", "message"),
    [
        ("inplace-shout", "no_such_module:ShoutPass", "of loud cannot be loaded: No module named 'no_such_module'"),
        ("inplace-shout", f"{__name__}:NoSuchPass", "of loud cannot be loaded: .*NoSuchPass"),
        ("inplace-shout", "broken_module:ShoutPass", "of loud cannot be loaded: ZeroDivisionError: division by zero"),
        ("inplace-shout", "math:pi", "of loud is no Pass class"),
        ("inplace-whisper", f"{__name__}:ShoutPass", "of loud calls itself 'inplace-shout'"),
    ],
)
def test_a_broken_entry_point_names_its_owner(
    installed: list[tuple[str, str, str]],
    name: str,
    target: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "broken_module.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    installed.append(("loud", name, target))
    with pytest.raises(RegistryError, match=message):
        Registry().get(name)


@pytest.mark.parametrize("flag", ["--help", "--list-passes"])
def test_a_broken_package_is_listed_beside_the_passes(
    flag: str, installed: list[tuple[str, str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    installed.append(("loud", "inplace-shout", f"{__name__}:ShoutPass"))
    installed.append(("torchy", "inplace-torch", "no_such_module:TorchPass"))
    assert inplace_opt([flag], Registry(BUILT_IN)) == 0
    printed = capsys.readouterr().out
    assert "  --inplace-shout" in printed
    assert "  --inplace-fuse" in printed
    assert (
        "\nbroken packages:\n  pass 'inplace-torch' of torchy cannot be loaded: No module named 'no_such_module'; "
        "repair or uninstall it\n"
    ) in printed


def test_a_broken_package_is_nothing_to_other_passes(
    installed: list[tuple[str, str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installed.append(("torchy", "inplace-torch", "no_such_module:TorchPass"))
    path = tmp_path / "f.mlir"
    path.write_text("func.func @f() { return }")
    assert inplace_opt([str(path), "--inplace-canonicalize", "--cse"], Registry(BUILT_IN)) == 0
    assert inplace_opt([str(path), "--inplace-torch"], Registry(BUILT_IN)) == 2
    assert capsys.readouterr().err == (
        "inplace-opt: error: pass 'inplace-torch' of torchy cannot be loaded: No module named 'no_such_module'\n"
    )


def test_an_unknown_pass_suggests_the_nearest() -> None:
    found = Registry(group=None)
    found.register(ShoutPass, "tests")
    with pytest.raises(RegistryError, match="unknown pass 'inplace-shuot'; did you mean 'inplace-shout'"):
        found.get("inplace-shuot")


def test_built_in_passes_are_not_imported_to_be_listed() -> None:
    found = Registry({"inplace-missing": ("missing", "MissingPass")}, group=None)
    assert found.arguments() == ("inplace-missing",)
    with pytest.raises(RegistryError, match=r"cannot be loaded: No module named '.*\.missing'"):
        found.get("inplace-missing")


def test_every_built_in_pass_loads_and_describes_itself() -> None:
    for argument in BUILT_IN:
        cls = registry.get(argument)
        assert cls.argument == argument
        assert cls.summary
        assert cls.description
        cls.Options.specs()
