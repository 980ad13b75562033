"""Printing the IR between passes, in the format of mlir-opt."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import ClassVar, TextIO

from mlir import ir

from ...dialects.support.frozen_classes import record
from .ancestors import ancestors
from .asm_flags import AsmFlags
from .instrumentation import Instrumentation
from .ir_text import ir_text
from .steps import PassStep, Step, UpstreamStep

__all__ = ["IRPrinting"]


@record
class IRPrinting(Instrumentation):
    """Prints the operation a pass runs on: before and after each pass, only when it changed, or only when it failed.

    Attributes:
        before_all, after_all: print before, after each pass.
        before, after: the arguments of passes to print before, after.
        after_change: after a pass, print only if the text of the operation changed; after all passes if none is named.
        after_failure: after a pass, print only if it failed; after all passes if none is named.
        module_scope: print the outermost operation, and name the one that the pass runs on.
        tree_dir: write files below this folder instead of printing, one folder for each operation, one file for each
            print: `builtin_module_main/func_func_f/0_2_cse.mlir`, the numbers counting the prints of each level.
        flags: how the IR is printed.
        stream: where to print; standard error when None.
    """

    single_steps: ClassVar[bool] = True

    before_all: bool = False
    after_all: bool = False
    after_change: bool = False
    after_failure: bool = False
    before: Collection[str] = ()
    after: Collection[str] = ()
    module_scope: bool = False
    tree_dir: Path | None = None
    flags: AsmFlags = AsmFlags()
    stream: TextIO | None = None
    _fingerprints: dict[tuple[int, ...], int] = field(default_factory=dict)
    _counters: dict[Path, int] = field(default_factory=dict)

    @property
    def wanted(self) -> bool:
        """Whether anything will ever be printed."""
        return bool(
            self.before_all or self.after_all or self.after_change or self.after_failure or self.before or self.after
        )

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        if self.after_change and self._is_after(step):
            self._fingerprints[step.path] = _fingerprint(op)
        if self.before_all or step.argument in self.before:
            self._print("Before", step, op)

    def after_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        if self.after_failure or not self._is_after(step):
            return
        if self.after_change and self._fingerprints.pop(step.path) == _fingerprint(op):
            return
        self._print("After", step, op)

    def pass_failed(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        if self._is_after(step):
            self._print("After", step, op, " Failed")

    def _is_after(self, step: PassStep | UpstreamStep) -> bool:
        """Whether to print after the pass, if the rest is as asked."""
        by_name = step.argument in self.after if self.after else self.after_change or self.after_failure
        return self.after_all or by_name

    def pipeline_finished(self, anchor: str, steps: Sequence[Step]) -> None:
        self._counters.clear()

    def _print(self, when: str, step: PassStep | UpstreamStep, op: ir.Operation, outcome: str = "") -> None:
        scope, printed, flags = "", op, self.flags
        if self.module_scope:
            name = f": @{_symbol(op)}" if "sym_name" in op.attributes else ""
            scope, printed = f" ('{op.name}' operation{name})", [op, *ancestors(op)][-1]
        elif ancestors(op):  # Aliases stand before the module.
            flags = replace(flags, local_scope=True)
        title = f"IR Dump {when} {step.name}: {step.text}{outcome}{scope}"
        body = f"// -----// {title} //----- //\n{ir_text(printed, flags)}\n"
        if self.tree_dir is None:
            stream = self.stream or sys.stderr
            stream.write(body)
            stream.flush()
            return
        path = self._next_path(step, op)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")

    def _next_path(self, step: PassStep | UpstreamStep, op: ir.Operation) -> Path:
        """The file of the next print of `op`; its number stands behind those of the operations around it."""
        assert self.tree_dir is not None
        folders: list[Path] = []
        for level in reversed([op, *ancestors(op)]):
            folders.append((folders[-1] if folders else self.tree_dir) / _folder_name(level))
        # Counted by folder: an operation's hash changes when a pass changes it.
        for outer in folders[:-1]:
            self._counters.setdefault(outer, 0)
        self._counters[folders[-1]] = self._counters.get(folders[-1], -1) + 1
        numbers = "_".join(str(self._counters[folder]) for folder in folders)
        return folders[-1] / f"{numbers}_{_file_part(step.argument)}.mlir"


def _fingerprint(op: ir.Operation) -> int:
    """Equal for equal IR, locations included; the text itself would be kept for every nest at once."""
    return hash(op.get_asm(enable_debug_info=True, print_generic_op_form=True))


def _folder_name(op: ir.Operation) -> str:
    return f"{_file_part(op.name.replace('.', '_'))}_{_file_part(_symbol(op) or 'no-symbol-name')}"


def _symbol(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""


def _file_part(name: str) -> str:
    """`name` with everything replaced that could leave the folder or trouble a file system."""
    return re.sub(r"[^\w.-]", "_", name).lstrip(".") or "_"
