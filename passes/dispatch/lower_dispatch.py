"""Turn dispatch functions on memrefs into plain functions, so that they run on the host.

In: bufferized functions with dispatch ops: `dispatch.binding` has a memref. Out: the same functions without dispatch
ops. Their interface becomes arguments, after those that the function has already: one for each binding in the order of
(set, binding), then push constants by index, then workgroup sizes and counts, x before y before z, where they are used.
The body is put into a loop over the workgroups, in each dimension whose `workgroup_id` is used. Left alone: functions
without dispatch ops. Refused: tensors, results, and calls of a dispatch function.

```mlir
func.func @f() {
  %n = dispatch.push_constant 0 : index
  %i = dispatch.workgroup_id 0 : index
  %a = dispatch.binding set(0) binding(0) : memref<8xf32>
  %x = memref.load %a[%i] : memref<8xf32>
  memref.store %x, %a[%n] : memref<8xf32>
  func.return
}
```

becomes:

```mlir
func.func @f(%arg0: memref<8xf32> {bufferization.access = "read-write", bufferization.writable = true,
    inplace.binding = array<i64: 0, 0>}, %arg1: index, %arg2: index) {
  scf.forall (%arg3) in (%arg2) {
    %0 = memref.load %arg0[%arg3] : memref<8xf32>
    memref.store %0, %arg0[%arg1] : memref<8xf32>
  }
  func.return
}
```

Attributes of the arguments state whether the users of a binding read it, write it, or both. A binding that is
declared at a byte offset, or with several types, is an argument of bytes (`memref<?xi8>`) with a `memref.view` for each
declaration. Ops without effects that are the same in all workgroups stay before the loop; buffers stay inside, and
stack buffers there become heap buffers, which deallocation frees in each iteration. Memory spaces are removed, in the
whole module if a dispatch function has any: a host has one. A body of several blocks goes into an `scf.execute_region`.

With `check-sizes` the function returns two indices: the first is 0, or the number of the first check that failed, and
then nothing has run; the second is the size or the bytes that were needed. `inplace.size_checks` on the function
lists the argument and the dimension of each check. This is how `mi.compile` refuses arrays that are too small.

Everything that `inplace.interface` on a function lists is an argument even if it is unused; `mi.compile` records there
what the source declares, before anything is dropped.

Linear in the ops. Upstream has no counterpart.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import func

from ...dialects.support.frozen_classes import frozen
from ..analysis.dispatch.calls import find_dispatch_functions
from ..analysis.dispatch.interface import DispatchFunction, collect_dispatch_function
from ..analysis.dispatch.pinned_interface import INTERFACE
from ..analysis.dispatch.prologue import find_known_ahead, needed_ahead
from ..framework.base import Pass, Statistic
from ..framework.errors import OptionError
from ..framework.options import PassOptions, option
from ..functions.rewriting.results import update_function_type
from .rewriting.arguments import add_bindings, add_grid_number, add_push_constants, replace_all, replace_bindings
from .rewriting.grid import enclose
from .rewriting.host_memory import names_memory_spaces, to_default_space, to_heap
from .rewriting.size_checks import SizeCheck, checked_values, collect_size_checks, guard, require_known

_ID, _SIZE, _COUNT = "dispatch.workgroup_id", "dispatch.workgroup_size", "dispatch.workgroup_count"
_DIMENSIONS = range(3)


@frozen
class LowerDispatchOptions(PassOptions):
    """Options of `inplace-lower-dispatch`."""

    workgroups: str = option(
        "forall",
        help="what runs the workgroups: an scf.forall, scf.for loops, or the caller (ids become arguments)",
        choices=("forall", "loops", "arguments"),
    )
    workgroup_size: tuple[int, ...] = option((), help="x,y,z as constants; 0 leaves a dimension an argument")
    workgroup_count: tuple[int, ...] = option((), help="x,y,z as constants; 0 leaves a dimension an argument")
    check_sizes: bool = option(
        False, help="return whether each memory has the size that the program declares; run if so"
    )

    def __post_init__(self) -> None:
        """Refuses more than three numbers, and negative ones."""
        super().__post_init__()
        for name, numbers in (("workgroup-size", self.workgroup_size), ("workgroup-count", self.workgroup_count)):
            if len(numbers) > len(_DIMENSIONS) or any(number < 0 for number in numbers):
                raise OptionError(f"option '{name}' needs up to three numbers that are not negative, found {numbers}")
            if any(number >= 2**63 for number in numbers):
                raise OptionError(f"option '{name}' needs numbers that fit 64 bits, found {numbers}")


@frozen
class _Plan:
    """The plan of one function. `looped`: the dimensions of the loop over the grid."""

    dispatch: DispatchFunction
    checks: Sequence[SizeCheck]
    ahead: Sequence[ir.Operation]
    looped: Sequence[int]


def analyze_lowering(function: func.FuncOp, options: LowerDispatchOptions) -> _Plan:
    """Plan the lowering of a dispatch function. Changes nothing; raises `PassFailure` if it cannot be lowered."""
    dispatch = collect_dispatch_function(function)
    given = (_ID, _SIZE, _COUNT) if options.workgroups == "arguments" else (_SIZE, _COUNT)
    known = find_known_ahead(function.entry_block, dispatch.order, lambda op: op.name in given)
    checks = collect_size_checks(dispatch) if options.check_sizes else ()
    values = {*function.arguments, *(result for op in known for result in op.results)}
    require_known(dispatch, checks, values)
    wanted = [value for check in checks for value in checked_values(check)]
    # The outermost loop is over z: neighbours in x run one after the other.
    looped = [] if options.workgroups == "arguments" else [d for d in (2, 1, 0) if (_ID, d) in dispatch.grid]
    return _Plan(dispatch, checks, needed_ahead(function.entry_block, known, wanted), looped)


class LowerDispatchPass(Pass[LowerDispatchOptions]):
    """Lower every dispatch function of a module."""

    argument = "inplace-lower-dispatch"
    summary = "turn dispatch functions into plain functions: bindings become arguments, workgroups a loop"
    Options = LowerDispatchOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("dispatch-functions", "functions lowered"),
        Statistic("bindings", "arguments made of bindings"),
        Statistic("views", "views made of bindings that are declared at byte offsets"),
    )

    def run(self, op: ir.Operation) -> None:
        """Lower the functions; raises `PassFailure`, before any change, where one cannot be."""
        plans = [analyze_lowering(function, self.options) for function in find_dispatch_functions(op)]
        with op.context:
            if any(names_memory_spaces(plan.dispatch.function.operation) for plan in plans):
                to_default_space(op)
            for plan in plans:
                self._lower(plan)

    def _lower(self, plan: _Plan) -> None:
        dispatch = plan.dispatch
        doomed = [op for op in dispatch.order if op.name.startswith("dispatch.")]
        bindings = add_bindings(dispatch)
        constants = add_push_constants(dispatch)
        grid = self._add_grid(plan)
        returned = self._enclose(plan, bindings, grid)
        self.count("views", replace_bindings(dispatch, bindings))
        # Last: checks and views were built from the values of the ops that are erased.
        for constant, value in zip(dispatch.push_constants, constants, strict=True):
            replace_all(constant.ops, value)
        for key, value in grid.items():
            replace_all(dispatch.grid.get(key, ()), value)
        self.count("bindings", len(bindings))
        self.count("dispatch-functions")
        for op in doomed:
            op.erase()
        if INTERFACE in dispatch.function.attributes:
            del dispatch.function.attributes[INTERFACE]
        update_function_type(dispatch.function, [value.type for value in returned])

    def _add_grid(self, plan: _Plan) -> dict[tuple[str, int], ir.Value]:
        """Add arguments or constants for the numbers of the grid that the body, or its loop, uses."""
        dispatch, options, none = plan.dispatch, self.options, tuple[int, ...]()
        wanted = [(_SIZE, none, options.workgroup_size), (_COUNT, plan.looped, options.workgroup_count)]
        if options.workgroups == "arguments":
            wanted.append((_ID, none, none))
        return {
            (name, d): add_grid_number(dispatch.function, name, d, constants[d] if d < len(constants) else 0)
            for name, looped, constants in wanted
            for d in _DIMENSIONS
            if (name, d) in dispatch.grid or d in looped
        }

    def _enclose(
        self, plan: _Plan, bindings: Sequence[ir.Value], grid: dict[tuple[str, int], ir.Value]
    ) -> list[ir.Value]:
        """Put the body into its loop, after its checks; adds ids to `grid`, returns what the function returns."""
        if not plan.looped and not self.options.check_sizes:
            return []
        function = plan.dispatch.function
        constants = [ir.OpResult(value).owner.operation for value in grid.values() if isinstance(value, ir.OpResult)]
        bounds = [grid[_COUNT, d] for d in plan.looped]
        loop = enclose(function, [*constants, *plan.ahead], bounds, parallel=self.options.workgroups != "loops")
        for d, value in zip(plan.looped, loop.ids, strict=True):
            grid[_ID, d] = value
        if plan.looped:
            to_heap(loop.outer)
        least = {_SIZE: 1, _COUNT: 0}
        given = [(v, least[n]) for (n, _), v in grid.items() if n in least and isinstance(v, ir.BlockArgument)]
        return guard(function, loop, plan.checks, bindings, given) if self.options.check_sizes else []
