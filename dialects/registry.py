"""The registry of op models: those of the built-in dialects, and those that installed packages add.

A built-in dialect's models are imported when the first op of that dialect is met. Third parties name a module through
the entry-point group ``mlir_inplace.op_models``; the module has a tuple ``MODELS`` of :class:`OpModel` instances, as
the built-in ones have. Two models for one name are refused with both owners. A model that cannot be loaded is an error
only for an op without another model.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .bufferizable import OpModel
from .support.plugins import entry_points

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "ENTRY_POINT_GROUP",
    "ModelClashError",
    "broken_models",
    "described_ops",
    "find_model",
    "has_process_models",
    "register_models",
    "register_op_model",
]

ENTRY_POINT_GROUP = "mlir_inplace.op_models"

_BUILT_IN = (
    "arith",
    "bufferization",
    "cf",
    "dispatch",
    "func",
    "linalg",
    "math",
    "ml_program",
    "scf",
    "shape",
    "shard",
    "tensor",
    "vector",
)


_MODULES = {"dispatch": "dispatch.models"}
"""Dialects whose models are not in the file of that name, which defines the dialect itself."""


class ModelError(Exception):
    """Models that cannot be used: an error of the installation, not of the program. The message names their owner."""


class ModelClashError(ModelError):
    """Two packages have a model for one op; the message names the op and both owners."""


class BrokenModelsError(ModelError):
    """The entry point of an installed package gives no usable models."""


class _ModelTable:
    """Models by op name. Lookups are one dictionary access after the first per name."""

    def __init__(self) -> None:
        self._models: dict[str, tuple[OpModel, str]] = {}
        self._found: dict[str, OpModel | None] = {}
        self._loaded: set[str] = set()
        self._plugins_loaded = False
        self._broken: list[BrokenModelsError] = []
        self.has_own = False
        """Whether this process added models."""

    def add(self, model: OpModel, owner: str) -> None:
        """Add or replace the model of ``owner`` for these ops; all others that the ops may have are loaded before."""
        self.has_own = True
        for name in model.op_names:
            self._load(name.partition(".")[0])
        before = self._models
        own = {name for name in model.op_names if before.get(name, (model, ""))[1] == owner}
        self._models = {name: entry for name, entry in before.items() if name not in own}
        try:
            self.register((model,), owner)
        except ModelClashError:
            self._models = before
            raise

    def register(self, models: tuple[OpModel, ...], owner: str) -> None:
        """Add ``models``; raise :class:`ModelClashError` when a name is taken."""
        added = dict(self._models)
        for model in models:
            for name in model.op_names:
                if name in added:
                    raise ModelClashError(
                        f"op '{name}' has a bufferization model from '{added[name][1]}' and another one from "
                        f"'{owner}'; uninstall one of them"
                    )
                added[name] = (model, owner)
        self._models = added
        self._found.clear()

    def find(self, name: str) -> OpModel | None:
        """Return the model of the op called ``name``: an exact match, else that of its dialect, else None."""
        try:
            return self._found[name]
        except KeyError:
            pass
        dialect = name.partition(".")[0]
        self._load(dialect)
        entry = self._models.get(name) or self._models.get(f"{dialect}.*")
        model = self._found[name] = entry[0] if entry else None
        return model

    def described(self) -> tuple[str, ...]:
        """Return the op names of all built-in models, after importing them."""
        for dialect in _BUILT_IN:
            self._load(dialect)
        return tuple(name for name, (_, owner) in self._models.items() if owner.startswith(f"{__package__}."))

    def broken(self) -> Sequence[BrokenModelsError]:
        """Return what is wrong with the models of installed packages that cannot be loaded."""
        self._load_plugins()
        return self._broken

    def _load_plugins(self) -> None:
        if self._plugins_loaded:
            return
        # A clash is said again the next time, so nothing counts before all is loaded.
        before, broken = dict(self._models), list[BrokenModelsError]()
        try:
            for point in entry_points(group=ENTRY_POINT_GROUP):
                try:
                    models = _models_of(point)
                except BrokenModelsError as error:
                    broken.append(error)
                else:
                    self.register(models, f"{point.value} (entry point {point.name})")
        except ModelClashError:
            self._models = before
            raise
        self._broken, self._plugins_loaded = broken, True

    def _load(self, dialect: str) -> None:
        self._load_plugins()
        if dialect in _BUILT_IN and dialect not in self._loaded:
            self._loaded.add(dialect)
            module = importlib.import_module(f".{_MODULES.get(dialect, dialect)}", __package__)
            self.register(module.MODELS, module.__name__)


def _models_of(point: EntryPoint) -> tuple[OpModel, ...]:
    """Return the models of an entry point; raises BrokenModelsError."""
    what = f"op models of '{point.value}' (entry point {point.name})"
    advice = "repair or uninstall the package"
    try:
        models = point.load().MODELS
    except Exception as error:
        raise BrokenModelsError(f"{what} cannot be loaded: {type(error).__name__}: {error}; {advice}") from error
    if not isinstance(models, (tuple, list)):
        raise BrokenModelsError(f"{what}: MODELS is a {type(models).__name__}, but must be a tuple of models; {advice}")
    for model in models:
        if not isinstance(model, OpModel):
            raise BrokenModelsError(f"{what}: MODELS holds a {type(model).__name__}, but must hold OpModels; {advice}")
    return tuple(models)


_TABLE = _ModelTable()


def register_models(models: tuple[OpModel, ...], owner: str) -> None:
    """Add models for this process, as an installed package does through its entry point."""
    _TABLE.register(models, owner)
    _TABLE.has_own = True


def register_op_model(model: OpModel) -> None:
    """Add a model for this process, as an installed package does through its entry point.

    A model of a class of the same module and name takes the place of an earlier one. Raises `TypeError` for what is no
    model of an op, and `ModelClashError` if one of its ops has a model already.
    """
    if not isinstance(model, OpModel):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"expected an instance of OpModel, got {model!r:.60}")
    if not model.op_names:
        raise TypeError(f"{type(model).__qualname__} needs op_names, the names of the ops that it describes")
    _TABLE.add(model, f"{type(model).__module__}.{type(model).__qualname__}")


def has_process_models() -> bool:
    """Return whether this process added models, whose code no version tells."""
    return _TABLE.has_own


def described_ops() -> tuple[str, ...]:
    """Return the names of all ops that have a built-in model; `arith.*` means all others of a dialect."""
    return _TABLE.described()


def broken_models() -> Sequence[BrokenModelsError]:
    """Return what is wrong with the models of installed packages that cannot be loaded; an op may miss them."""
    return _TABLE.broken()


def find_model(name: str) -> OpModel | None:
    """Return the model of the op called ``name``, or None if there is none."""
    return _TABLE.find(name)
