"""Reduction of a failing program to a small one that fails in the same way, by delta debugging.

Parts of the program are removed, in ever smaller pieces, as long as it verifies and the check finds the same kind of
difference. Each attempt takes one check (a tenth of a second); their number grows with the size of the reduced program
more than with that of the original.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from mlir import ir

from ...passes.analysis.ir.traversal import find_ops
from ...passes.framework.errors import PassError
from ...passes.pipeline.pipeline import run_pipeline
from .edits import (
    drop_argument,
    drop_function,
    function_names,
    keep_results,
    removable,
    remove,
    resize,
    static_sizes,
    unwrap,
)
from .isolation import isolated
from .options import Options
from .origin import with_origin
from .report import Difference
from .supervisor import check_once

_CLEAN_UP = "builtin.module(inplace-canonicalize,cse,symbol-dce)"

Attempted = Callable[[int, int], None]
"""Takes the number of attempts so far, and of operations that are left."""

Edit = Callable[[ir.Operation], bool]
"""Changes a module; returns False if there is nothing to change."""


@dataclass(frozen=True)
class Reduction:
    """A reduced program, its difference, and the numbers of ops of it and the original; `attempts` were checked.

    Ops inside of structured ops, functions and terminators do not count.
    """

    text: str
    difference: Difference
    operations: int
    original_operations: int
    attempts: int


def reduce_program(
    module: ir.Module, options: Options, difference: Difference, attempted: Attempted = lambda attempts, left: None
) -> Reduction:
    """The smallest program found that fails like `difference`, which a check of `module` with `options` has found."""
    narrowed = replace(options, functions=(difference.function,), rounds=difference.round)
    last = difference

    def fails(program: ir.Module) -> bool:
        nonlocal last
        for found in check_once(program, narrowed).differences:
            if found.kind is difference.kind and found.function == difference.function:
                last = found
                return True
        return False

    fixed = options.inputs is not None
    reducer = Reducer(module, difference.function, fails, keeps_arguments=fixed, attempted=attempted)
    reducer.run()
    small = ir.Module.parse(reducer.text, module.context)
    located = with_origin(small, narrowed, last)
    sizes = [len(removable(program.operation)) for program in (small, module)]
    return Reduction(reducer.text, located, *sizes, attempts=reducer.attempts)


class Reducer:
    """The program so far, whose function `name` still fails, and the attempts to make it smaller.

    `fails` may raise exceptions: such a program does not fail in the same way. Arguments and sizes are left alone with
    `keeps_arguments`. `attempted` is told of each attempt.
    """

    def __init__(
        self,
        module: ir.Module,
        name: str,
        fails: Callable[[ir.Module], bool],
        *,
        keeps_arguments: bool,
        attempted: Attempted = lambda attempts, left: None,
    ) -> None:
        self.text = str(module)
        self._context = module.context
        self._name, self._fails, self._keeps_arguments = name, fails, keeps_arguments
        self._attempted = attempted
        self._left = len(removable(module.operation))
        self._tried = {self.text}

    @property
    def attempts(self) -> int:
        """How many smaller programs were checked."""
        return len(self._tried) - 1

    def run(self) -> None:
        """Apply all edits until none helps."""
        while True:
            before = self.text
            self._drop_functions()
            self._keep_one_result()
            self._remove_operations()
            self._unwrap()
            self._drop_arguments()
            self._attempt(_clean_up)
            self._shrink_sizes()
            if self.text == before:
                return

    def _parse(self, text: str) -> ir.Module:
        return ir.Module.parse(text, self._context)

    def _attempt(self, edit: Edit) -> bool:
        """Keep an edit if the program still fails in the same way."""
        module = self._parse(self.text)
        with self._context:
            try:
                if not edit(module.operation) or not module.operation.verify():
                    return False
            except (ir.MLIRError, PassError):
                return False
        return self._keep(str(module))

    def _keep(self, text: str) -> bool:
        if text in self._tried:
            return False
        self._tried.add(text)
        self._attempted(len(self._tried) - 1, self._left)
        try:
            if not self._fails(self._parse(text)):
                return False
        except Exception:  # noqa: BLE001 - a program that cannot be checked is none that fails in the same way
            return False
        self.text = text
        self._left = self._count()
        return True

    def _drop_functions(self) -> None:
        for name in function_names(self._parse(self.text).operation):
            if name != self._name:
                self._attempt(partial(drop_function, name=name))

    def _keep_one_result(self) -> None:
        number = 0
        while self._attempt(partial(keep_results, name=self._name, kept=(number,))) is False and number < 16:
            number += 1

    def _remove_operations(self) -> None:
        """Delta debugging: remove halves, then quarters, and so on to single ops."""
        size = max(1, self._count() // 2)
        while True:
            start = self._count()
            while start > 0:
                numbers = removable(self._parse(self.text).operation)
                start = min(start, len(numbers))
                piece = numbers[max(0, start - size) : start]
                start -= size
                if piece:
                    self._attempt(partial(remove, numbers=piece))
            if size == 1:
                return
            size //= 2

    def _count(self) -> int:
        return len(removable(self._parse(self.text).operation))

    def _unwrap(self) -> None:
        number = 0
        while number < len(find_ops(self._parse(self.text).operation)):
            unwrapped = any(self._attempt(partial(unwrap, number=number, region=region)) for region in range(2))
            number += not unwrapped

    def _drop_arguments(self) -> None:
        if self._keeps_arguments:
            return
        for number in reversed(range(64)):
            self._attempt(partial(drop_argument, name=self._name, number=number))

    def _shrink_sizes(self) -> None:
        if self._keeps_arguments:
            return
        for size in static_sizes(self.text):
            for smaller in dict.fromkeys((2, 3, size // 2)):
                if 1 < smaller < size and self._keep_resized(size, smaller):
                    break

    def _keep_resized(self, old: int, new: int) -> bool:
        text = resize(self.text, old, new)
        try:
            module = self._parse(text)
        except ir.MLIRError:
            return False
        return self._keep(str(module))


def _clean_up(module: ir.Operation) -> bool:
    before = len(find_ops(module))
    ended = isolated(lambda _: _cleaned(module), 30)
    if not isinstance(ended.value, str):
        return False
    run_pipeline(module, _CLEAN_UP)
    return len(find_ops(module)) <= before


def _cleaned(module: ir.Operation) -> str:
    """Run the passes in a child process first, as upstream's may crash."""
    run_pipeline(module, _CLEAN_UP)
    return str(module)
