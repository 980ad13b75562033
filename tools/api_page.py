"""Makes docs/API.md of the docstrings of what `mlir_inplace` exports."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from typing import Any

__all__ = ["SECTIONS", "api_page"]

_HEADER = """\
# Python API

<!-- Written by `python -m mlir_inplace.tools.generate_docs`; edit the docstrings instead. -->

`import mlir_inplace as mi`, then `from mlir import ir`. What stands here is public: it keeps its name and its meaning,
and a change of either is told in [CHANGELOG.md](../CHANGELOG.md). Everything else may change at any time. How to use
it: [RUNNING.md](RUNNING.md), [WRITING_PASSES.md](WRITING_PASSES.md), [OP_MODELS.md](OP_MODELS.md),
[CHECKING.md](CHECKING.md).

All of it works on modules of a context of your own: whichever dialects are loaded (those that are missing are loaded),
with `allow_unregistered_dialects`, with or without multithreading, while that context, one of its locations or one of
its insertion points is entered, and with your own passes in between
([WRITING_PASSES.md](WRITING_PASSES.md#in-a-script)).
"""

SECTIONS = {
    "Compile and call": (
        "compile Program EntryPoint BoundCall MemoryStats Signature Parameter ValueType BoundaryKind ElementType "
        "autotune release_memory shard"
    ),
    "Frameworks": "jit from_jax shard_jax JittedFunction from_torch from_onnx",
    "Bufferize": "bufferize BufferizationReport ReportedDecision BufferRecord ReportedAliasSet ReportedValue "
    "Reason Change EventKind",
    "Run passes": "run_pipeline Pipeline",
    "Write passes": "Pass PassOptions option Statistic PassFailure register_pass",
    "Describe ops": (
        "OpModel AliasingValue Relation Subset Forwarding GlobalTensor Rewriter register_op_model ModelClashError"
    ),
    "Check": "check CheckReport",
    "Errors": "PassError Diagnostic PipelineError OptionError RegistryError UnsupportedTypeError RankError",
}
"""The sections of the page, with the names that each describes."""

_LIST = re.compile(r"^(Args|Raises|Attributes|Returns):\n((?:[ \t]+.*\n?|\n)+)", re.MULTILINE)
_ITEM = re.compile(r"^(\S[^:\n]*): +", re.MULTILINE)
_CODE = re.compile(r"\n\n((?:    .*\n|\n(?=    ))+)")
_ROLE = re.compile(r":(?:class|meth|attr):`[~.]?([^`]*)`")


def api_page() -> str:
    """The whole of API.md."""
    package = importlib.import_module(__name__.partition(".")[0])
    parts = [_HEADER]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [_entry(name, getattr(package, name)) for name in names.split()]
    return "\n".join(parts).rstrip() + "\n"


def _entry(name: str, value: Any) -> str:
    if not inspect.isclass(value):
        return f"### {name}\n\n{_fence(_call(name, value))}\n{_text(value)}\n"
    bases = [base.__name__ for base in _public_bases(value)]
    head = f"class {name}({', '.join(bases)})" if bases else f"class {name}"
    if "Args:" in (value.__doc__ or ""):
        head += "\n" + _call(name, value.__init__, True).removesuffix(" -> None")
    members = "".join(_members(value))
    return f"### {name}\n\n{_fence(head)}\n{_text(value)}\n" + (f"\n{members}" if members else "")


def _public_bases(cls: type) -> Iterator[type]:
    """The bases that a reader of the page can know; those of a base of ours that is on no page stand for it."""
    package = importlib.import_module(__name__.partition(".")[0])
    for base in cls.__bases__:
        if base.__module__.startswith(f"{package.__name__}.") and not hasattr(package, base.__name__):
            yield from _public_bases(base)
        elif base.__name__ not in ("object", "Generic", "ABC", "Protocol"):
            yield base


def _members(cls: type[Any]) -> Iterator[str]:
    """The public members that the class itself defines: fields and values, then properties and methods."""
    if issubclass(cls, enum.Enum):
        yield "".join(f"* `{member.name}`: `{member.value!r}`\n" for member in cls)
        return
    if dataclasses.is_dataclass(cls):
        for field in dataclasses.fields(cls):
            if not field.name.startswith("_"):
                yield f"* `{field.name}: {field.type}`\n"
    for name, member in vars(cls).items():
        if name.startswith("_") and name != "__call__":
            continue
        if isinstance(member, (property, cached_property)):
            getter = member.fget if isinstance(member, property) else member.func
            yield _member(f"{name}: {_annotation(inspect.signature(getter or len).return_annotation)}", member)
        elif isinstance(member, (staticmethod, classmethod)):
            yield _member(_call(f"{cls.__name__}.{name}", member.__func__, isinstance(member, classmethod)), member)
        elif inspect.isfunction(member):
            yield _member(_call(name, member, True), member)


def _member(head: str, member: Any) -> str:
    text = textwrap.indent(_text(member), "  ").strip()
    return f"* `{' '.join(head.split())}`" + (f": {text}\n" if text else "\n")


def _call(name: str, function: Any, bound: bool = False) -> str:
    """A function with its parameters as in the source; one on each line where they do not fit into one."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[1 if bound else 0 :]
    texts: list[str] = []
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            texts.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        texts.append(_parameter(parameter))
    returned = _annotation(signature.return_annotation)
    line = f"{name}({', '.join(texts)}) -> {returned}"
    return line if len(line) <= 100 else f"{name}(\n    " + ",\n    ".join(texts) + f",\n) -> {returned}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    annotation = "" if parameter.annotation is parameter.empty else f": {_annotation(parameter.annotation)}"
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{stars}{parameter.name}{annotation}{default}"


def _annotation(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _fence(text: str) -> str:
    return f"```text\n{text}\n```\n"


def _text(value: Any) -> str:
    """The docstring in Markdown."""
    text = _ROLE.sub(r"`\1`", inspect.getdoc(value) or "").replace("``", "`")
    text = _CODE.sub(lambda match: f"\n\n{_fence(textwrap.dedent(match[1]).rstrip())}", f"{text}\n")
    return _LIST.sub(_list, text).strip()


def _list(match: re.Match[str]) -> str:
    """A list of arguments, attributes or exceptions as one of Markdown."""
    items = _ITEM.sub(r"* `\1`: ", textwrap.dedent(match[2]).strip() + "\n")
    return f"{match[1]}:\n\n{items}\n"
