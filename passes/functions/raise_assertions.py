r"""Let a failed assertion end the function that is called, and not the process.

In: `cf.assert` in functions of blocks, after loops and conditions have become branches. Out: a branch to a block that
records the message and returns undefined values. A caller of a function that may have failed returns as well, and so do
the body of a parallel loop and the function around that loop. At the end the runtime takes the message by
`inplace_take_failure`, and raises it.

```mlir
func.func @f(%ok: i1) -> i32 {
  cf.assert %ok, "not ok"
  %c1_i32 = arith.constant 1 : i32
  return %c1_i32 : i32
}
```

becomes, with the message, the global that records it, and the function that takes it:

```mlir
llvm.mlir.global internal constant @inplace_failure_0("-:2:3: not ok\00") {addr_space = 0 : i32}
func.func @f(%ok: i1) -> i32 {
  cf.cond_br %ok weights([1048576, 1]), ^rest, ^failed
^rest:
  %c1_i32 = arith.constant 1 : i32
  return %c1_i32 : i32
^leave:
  %0 = ub.poison : i32
  return %0 : i32
^failed:
  %1 = llvm.mlir.addressof @inplace_failure_0 : !llvm.ptr
  %2 = llvm.ptrtoint %1 : !llvm.ptr to i64
  %3 = llvm.mlir.addressof @inplace_failure : !llvm.ptr
  llvm.store %2, %3 : i64, !llvm.ptr
  cf.br ^leave
}
llvm.mlir.global internal @inplace_failure(0 : i64) {addr_space = 0 : i32} : i64
func.func @inplace_take_failure() -> i64 {
  %0 = llvm.mlir.addressof @inplace_failure : !llvm.ptr
  %1 = llvm.load %0 : !llvm.ptr -> i64
  %2 = llvm.mlir.constant(0 : i64) : i64
  llvm.store %2, %0 : i64, !llvm.ptr
  return %1 : i64
}
```

Only one call at a time may run, since all record their failures in one global. Memory that a function has allocated is
not freed if it fails. Left alone, to end the process: assertions in regions other than those of functions and parallel
loops, and all assertions of a module in which a function that may fail is referenced by an op other than a call.

Linear in the operations; a module without assertions is walked once.

Upstream counterpart: none. `convert-cf-to-llvm` prints the message and calls `abort`.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import cf, func, llvm, ub

from ..analysis.ir.symbols import may_name_functions, named_symbols
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.contract import TAKE_FAILURE
from ..framework.diagnostics import located
from ..framework.options import PassOptions

_FAILURE = "inplace_failure"
_ASSERT, _CALL, _FUNCTION = "cf.assert", "func.call", "func.func"
_PARALLEL_BODY = "omp.loop_nest"
_WEIGHTS = [1 << 20, 1]
"""That nothing fails is what code is made for."""
_SUPPORT = f"""
  llvm.mlir.global internal @{_FAILURE}(0 : i64) {{addr_space = 0 : i32}} : i64
  func.func @{TAKE_FAILURE}() -> i64 {{
    %place = llvm.mlir.addressof @{_FAILURE} : !llvm.ptr
    %found = llvm.load %place : !llvm.ptr -> i64
    %none = llvm.mlir.constant(0 : i64) : i64
    llvm.store %none, %place : i64, !llvm.ptr
    return %found : i64
  }}"""


@dataclass(frozen=True)
class FailingRegion:
    """A region that is left where an op in it fails: an assertion, a call, or a parallel loop around assertions.

    `places` are those ops, by block and number in the block, in their order.
    """

    owner: ir.Operation
    places: tuple[tuple[ir.Block, tuple[int, ...]], ...]


def analyze_assertions(module: ir.Operation) -> tuple[FailingRegion, ...]:
    """Return the regions of `module` that may fail; none if one of them cannot be left. Changes nothing."""
    failing = [op for op in find_ops(module, _ASSERT) if _region_owner(op) is not None]
    if not failing:
        return ()
    callers: dict[str, list[ir.Operation]] = {}
    for call in find_ops(module, _CALL):
        callers.setdefault(ir.FlatSymbolRefAttr(call.attributes["callee"]).value, []).append(call)
    seen, owners, functions = set(failing), dict[ir.Operation, None](), set[str]()
    while failing:
        owner = _region_owner(failing.pop())
        if owner is None:
            return ()
        if owner in owners:
            continue
        owners[owner] = None
        users = [_loop_around(owner)]
        if owner.name == _FUNCTION:
            name = ir.StringAttr(owner.attributes["sym_name"]).value
            functions.add(name)
            users = callers.get(name, [])
        failing += [user for user in users if user not in seen]
        seen.update(users)
    if any(not functions.isdisjoint(named_symbols(op)) for op in _other_users(module)):
        return ()
    return tuple(FailingRegion(owner, _places(owner, seen)) for owner in owners)


def _region_owner(op: ir.Operation) -> ir.Operation | None:
    """The function, or body of a parallel loop, that `op` is in; None if it is in another region."""
    parent = op.parent
    return parent.operation if parent is not None and parent.name in (_FUNCTION, _PARALLEL_BODY) else None


def _loop_around(body: ir.Operation) -> ir.Operation:
    """The outermost op of the parallel loop that `body` belongs to."""
    op = body
    while op.parent is not None and _region_owner(op) is None:
        op = op.parent.operation
    return op


def _other_users(module: ir.Operation) -> list[ir.Operation]:
    """The ops that may name functions otherwise than by a call."""
    return find_ops(module, where=lambda op: may_name_functions(op.name) and op.name not in (_CALL, _FUNCTION))


def _places(owner: ir.Operation, failing: set[ir.Operation]) -> tuple[tuple[ir.Block, tuple[int, ...]], ...]:
    found: list[tuple[ir.Block, tuple[int, ...]]] = []
    for block in owner.regions[0]:
        numbers = tuple(number for number, op in enumerate(block.operations) if op.operation in failing)
        found += [(block, numbers)] if numbers else []
    return tuple(found)


class _Rewriter:
    """Lets the regions of one module be left where they fail."""

    def __init__(self, module: ir.Operation) -> None:
        self._top = module.regions[0].blocks[0]
        self._symbols: dict[str, str] = {}
        self._integer, self._pointer = ir.IntegerType.get_signless(64), ir.Type.parse("!llvm.ptr")
        support = ir.Module.parse(_SUPPORT)
        for op in list(support.body.operations):
            op.operation.detach_from_parent()
            self._top.append(op)

    def rewrite(self, region: FailingRegion) -> None:
        """Go on in another block behind each op that may fail, or leave the region."""
        blocks = region.owner.regions[0].blocks
        leave = blocks[len(blocks) - 1].create_after()
        with ir.InsertionPoint(leave), region.owner.location:
            if region.owner.name == _FUNCTION:
                results = ir.FunctionType(ir.TypeAttr(region.owner.attributes["function_type"]).value).results
                func.ReturnOp([ub.poison(type_) for type_ in results])
            else:
                ir.Operation.create("omp.yield")
        for block, numbers in region.places:
            ops = [op.operation for op in block.operations]
            parts = [block]
            for number, end in zip(numbers, (*numbers[1:], len(ops)), strict=True):
                parts.append(parts[-1].create_after())
                for op in ops[number + 1 : end + 1]:
                    parts[-1].append(op)
            for part, rest, number in zip(parts, parts[1:], numbers, strict=False):
                with ir.InsertionPoint(part), ops[number].location:
                    self._branch(ops[number], rest, leave)

    def _branch(self, op: ir.Operation, rest: ir.Block, leave: ir.Block) -> None:
        if op.name == _ASSERT:
            fail = leave.create_after()
            cf.cond_br(op.operands[0], [], [], rest, fail, branch_weights=_WEIGHTS)
            with ir.InsertionPoint(fail):
                self._note(op)
                cf.br([], leave)
            op.erase()
            return
        found = llvm.load(self._integer, llvm.mlir_addressof(self._pointer, _FAILURE))
        fine = llvm.icmp(llvm.ICmpPredicate.eq, found, self._zero())
        cf.cond_br(fine, [], [], rest, leave, branch_weights=_WEIGHTS)

    def _zero(self) -> ir.Value:
        return llvm.mlir_constant(ir.IntegerAttr.get(self._integer, 0))

    def _note(self, assertion: ir.Operation) -> None:
        """Store the address of the message where the caller looks for it."""
        text = located(assertion.location, ir.StringAttr(assertion.attributes["msg"]).value)
        message = llvm.ptrtoint(self._integer, llvm.mlir_addressof(self._pointer, self._message(text)))
        llvm.store(message, llvm.mlir_addressof(self._pointer, _FAILURE))

    def _message(self, text: str) -> str:
        """The symbol of the constant that is `text`, with a zero at the end."""
        if text not in self._symbols:
            symbol = self._symbols[text] = f"{_FAILURE}_{len(self._symbols)}"
            content = text.replace("\0", " ").encode(errors="replace") + b"\0"
            with ir.InsertionPoint.at_block_begin(self._top):
                ir.Operation.create(
                    "llvm.mlir.global",
                    attributes={
                        "sym_name": ir.StringAttr.get(symbol),
                        "global_type": ir.TypeAttr.get(ir.Type.parse(f"!llvm.array<{len(content)} x i8>")),
                        "linkage": ir.Attribute.parse("#llvm.linkage<internal>"),
                        "value": ir.StringAttr.get(content),
                        "addr_space": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 0),
                        "constant": ir.UnitAttr.get(),
                    },
                    regions=1,
                )
        return self._symbols[text]


class RaiseAssertionsPass(Pass[PassOptions]):
    """Let a failed assertion end the function that is called."""

    argument = "inplace-raise-assertions"
    summary = "let a failed cf.assert return to the caller with its message, instead of ending the process"
    anchor = "builtin.module"
    statistics = (Statistic("failing-regions", "functions and parallel loops that may fail"),)

    def run(self, op: ir.Operation) -> None:
        regions = analyze_assertions(op)
        if not regions:
            return
        with op.context, ir.Location.unknown():
            rewriter = _Rewriter(op)
            for region in regions:
                rewriter.rewrite(region)
        self.count("failing-regions", len(regions))
