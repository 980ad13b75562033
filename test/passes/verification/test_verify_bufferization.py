"""`inplace-verify-bufferization` finds wrong programs: each is a right one in which one thing is changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mlir import ir
from verification_runs import only_when_asked, run  # noqa: F401 - the fixture is for all tests here

from mlir_inplace.passes.analysis.conflicts.joining import Joiner
from mlir_inplace.passes.framework.errors import PassError
from mlir_inplace.passes.verification.checker.execution import SymbolicExecution
from mlir_inplace.passes.verification.checker.recording import ATTRIBUTE, VARIABLE

RECORD = "inplace-verify-bufferization{record=true}"
BUFFERIZE = "inplace-one-shot-bufferize{function-boundaries=true warn-written-arguments=false}"
VERIFY = "inplace-verify-bufferization{report=true}"

V = "tensor<8xf32>"


def ops(module: ir.Module, name: str) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def broken(text: str, change: Callable[[ir.Module], None]) -> str:
    """The message for the memref form of ``text`` after ``change``; before that, nothing is wrong with it."""
    with ir.Context():
        module = ir.Module.parse(text)
        run(module, RECORD, BUFFERIZE)
        right = ir.Module.parse(module.operation.get_asm(enable_debug_info=True))
        run(right, VERIFY)
        change(module)
        assert module.operation.verify()
        with pytest.raises(PassError) as error:
            run(module, VERIFY)
        assert ATTRIBUTE in module.operation.attributes
        return str(error.value.diagnostics[0].message)


def only(module: ir.Module, name: str) -> ir.Operation:
    (op,) = ops(module, name)
    return op


UPDATE = f"""func.func @main(%t: {V}, %u: {V}, %x: f32, %i: index) -> (f32, f32, {V}) {{
  %a = tensor.extract %t[%i] : {V}
  %b = tensor.extract %u[%i] : {V}
  %r = tensor.insert %x into %t[%i] : {V}
  return %a, %b, %r : f32, f32, {V}
}}"""


def test_a_load_behind_the_store_that_destroys_it() -> None:
    def change(module: ir.Module) -> None:
        ops(module, "memref.load")[0].move_after(only(module, "memref.store"))

    assert broken(UPDATE, change) == (
        "wrong bufferization: operand 0 of 'tensor.extract' must be a part of argument 0 of 'func.func', "
        "but the memory holds a scalar"
    )


def test_a_store_to_another_buffer() -> None:
    def change(module: ir.Module) -> None:
        store = only(module, "memref.store")
        store.operands[1] = ops(module, "memref.load")[1].operands[0]

    assert broken(UPDATE, change) == (
        "wrong bufferization: operand 2 of 'func.return' must be an update of argument 0 of 'func.func', "
        "but the memory holds argument 0 of 'func.func'"
    )


def test_a_load_of_another_buffer() -> None:
    def change(module: ir.Module) -> None:
        first, second = ops(module, "memref.load")
        second.operands[0] = first.operands[0]

    assert broken(UPDATE, change) == (
        "wrong bufferization: operand 0 of 'tensor.extract' must be a part of argument 1 of 'func.func', "
        "but the memory holds a part of argument 0 of 'func.func'"
    )


KEPT = f"""func.func @main(%t: {V} {{bufferization.writable = false}}, %x: f32, %i: index) -> ({V}, f32) {{
  %r = tensor.insert %x into %t[%i] : {V}
  %a = tensor.extract %t[%i] : {V}
  return %r, %a : {V}, f32
}}"""


def test_a_copy_that_is_missing() -> None:
    assert broken(KEPT, lambda module: only(module, "memref.copy").erase()) == (
        "wrong bufferization: operand 0 of 'func.return' must be an update of argument 0 of 'func.func', "
        "but the memory holds an update of a tensor without content"
    )


def test_a_copy_the_other_way_round() -> None:
    def change(module: ir.Module) -> None:
        copy = only(module, "memref.copy")
        source, target = copy.operands
        copy.operands[0], copy.operands[1] = target, source

    assert broken(KEPT, change) == (
        "wrong bufferization: operand 0 of 'tensor.extract' must be a part of argument 0 of 'func.func', "
        "but nothing was ever written there"
    )


def test_memory_that_is_freed_too_early() -> None:
    def change(module: ir.Module) -> None:
        returned = only(module, "func.return")
        with ir.InsertionPoint(returned), ir.Location.unknown():
            ir.Operation.create("memref.dealloc", operands=[returned.operands[0]])

    assert broken(KEPT, change) == (
        "wrong bufferization: operand 0 of 'func.return' must be an update of argument 0 of 'func.func', "
        "but that memory was freed"
    )


LOOP = f"""func.func @main(%t: {V}, %x: f32, %n: index) -> ({V}, f32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %sum = %zero) -> ({V}, f32) {{
    %b = tensor.insert %x into %a[%i] : {V}
    %old = tensor.extract %t[%i] : {V}
    %next = arith.addf %sum, %old : f32
    scf.yield %b, %next : {V}, f32
  }}
  return %r, %s : {V}, f32
}}"""


def test_a_loop_that_writes_what_later_runs_read() -> None:
    def change(module: ir.Module) -> None:
        only(module, "memref.store").operands[1] = only(module, "memref.copy").operands[0]

    assert broken(LOOP, change) == (
        "wrong bufferization: operand 0 of 'tensor.extract' must be a part of argument 0 of 'func.func', "
        "but the memory holds a scalar"
    )


BRANCH = f"""func.func @main(%t: {V}, %x: f32, %i: index, %p: i1) -> ({V}, f32) {{
  %r = scf.if %p -> {V} {{
    %a = tensor.insert %x into %t[%i] : {V}
    scf.yield %a : {V}
  }} else {{
    scf.yield %t : {V}
  }}
  %y = tensor.extract %t[%i] : {V}
  return %r, %y : {V}, f32
}}"""


def test_a_branch_that_writes_what_is_read_behind_it() -> None:
    def change(module: ir.Module) -> None:
        store = only(module, "memref.store")
        function = only(module, "func.func")
        store.operands[1] = function.regions[0].blocks[0].arguments[0]

    assert "must be a part of argument 0 of 'func.func'" in broken(BRANCH, change)


CALL = f"""func.func private @callee(%t: {V}, %i: index) -> f32 {{
  %y = tensor.extract %t[%i] : {V}
  return %y : f32
}}
func.func @main(%t: {V}, %u: {V}, %i: index) -> (f32, f32) {{
  %a = call @callee(%t, %i) : ({V}, index) -> f32
  %b = call @callee(%u, %i) : ({V}, index) -> f32
  return %a, %b : f32, f32
}}"""


def test_a_call_with_the_wrong_buffer() -> None:
    def change(module: ir.Module) -> None:
        first, second = ops(module, "func.call")
        second.operands[0] = first.operands[0]

    assert broken(CALL, change) == (
        "wrong bufferization: operand 0 of 'func.call' must be argument 1 of 'func.func', "
        "but the memory holds argument 0 of 'func.func'"
    )


THREADS = f"""func.func @main(%t: {V}, %u: {V}) -> {V} {{
  %r = scf.forall (%i) in (8) shared_outs(%o = %u) -> {V} {{
    %s = tensor.extract_slice %t[%i] [1] [1] : {V} to tensor<1xf32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into {V}
    }}
  }}
  return %r : {V}
}}"""


def test_a_thread_that_inserts_nothing_is_not_taken_for_right() -> None:
    with ir.Context():
        module = ir.Module.parse(THREADS)
        run(module, RECORD, BUFFERIZE)
        copy = only(module, "memref.copy")
        copy.operands[1] = copy.operands[0]
        assert "0 reads are right, 2 were not checked" in run(module, VERIFY)


MATRIX = "tensor<4x4xf32>"
TRANSPOSED = f"""func.func @main(%t: {MATRIX}) -> {MATRIX} {{
  %e = tensor.empty() : {MATRIX}
  %r = linalg.transpose ins(%t : {MATRIX}) outs(%e : {MATRIX}) permutation = [1, 0]
  return %r : {MATRIX}
}}"""


def test_a_transposition_in_place() -> None:
    def change(module: ir.Module) -> None:
        op = only(module, "linalg.transpose")
        with op.context, op.location:
            cast = ir.Operation.create(
                "memref.cast", [op.operands[1].type], [op.operands[0]], ip=ir.InsertionPoint(op)
            ).result
        op.operands[1] = cast
        only(module, "func.return").operands[0] = cast

    text = TRANSPOSED.replace(
        f"%t: {MATRIX}", f"%t: {MATRIX} {{bufferization.buffer_layout = affine_map<(d0, d1) -> (d0, d1)>}}"
    )
    assert broken(text, change) == (
        "wrong bufferization: operand 0 of 'linalg.transpose' must be argument 0 of 'func.func', "
        "but the memory is that of an op that writes what it reads"
    )


# --- what is not known -----------------------------------------------------------------------------------------------


def test_what_is_not_followed_is_counted_with_its_reason() -> None:
    text = f"""func.func private @unknown(%t: {V}) -> {V}
    func.func @main(%t: {V}, %i: index) -> f32 {{
      %u = call @unknown(%t) : ({V}) -> {V}
      %y = tensor.extract %t[%i] : {V}
      return %y : f32
    }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        run(module, RECORD, BUFFERIZE)
        # The call is given a copy, as it may write it; without that, nobody knows what the memory holds.
        call = only(module, "func.call")
        call.operands[0] = only(module, "memref.copy").operands[0]
        assert "1 reads are right, 1 were not checked" in run(module, VERIFY)


# --- decisions that are wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["inplace-one-shot-bufferize", "inplace-plan-bufferize"])
def test_the_option_refuses_what_a_wrong_analysis_made(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Joiner, "_conflict", lambda *_: None)
    text = KEPT.replace(" {bufferization.writable = false}", "")
    with ir.Context():
        module = ir.Module.parse(text)
        before = str(module)
        with pytest.raises(PassError, match="must be a part of argument 0 of 'func.func'") as error:
            run(module, f"{name}{{function-boundaries=true verify-bufferization=true}}")
        assert str(module) == before
        assert "inplace.tensor-op" not in str(error.value)


def test_the_environment_turns_the_check_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    monkeypatch.setattr(Joiner, "_conflict", lambda *_: None)
    with ir.Context(), pytest.raises(PassError, match="wrong bufferization"):
        run(ir.Module.parse(KEPT.replace(" {bufferization.writable = false}", "")), BUFFERIZE)


def test_the_checker_uses_nothing_that_decides() -> None:
    """It knows the snapshot, how large elements are, and of op models the question whether a type is a tensor."""
    import ast
    from pathlib import Path

    from mlir_inplace.passes.verification import checker as verification

    allowed = {"analysis.ir.snapshot", "dialects.bufferizable", "dialects.support.element_sizes", "framework.errors"}
    for path in Path(verification.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level > 1:
                assert node.module in allowed, path.name
                if node.module == "dialects.bufferizable":
                    assert [alias.name for alias in node.names] == ["is_tensor"]


# --- programs that are right -----------------------------------------------------------------------------------------


def told_of(text: str) -> str:
    """What the checker says of the memref form of ``text``."""
    with ir.Context():
        module = ir.Module.parse(text)
        run(module, RECORD, BUFFERIZE)
        return run(module, VERIFY)


def nest(depth: int) -> str:
    """Loops in loops that carry two tensors, swap them and insert in the innermost one."""
    lines = [f"func.func @main(%a0: {V}, %b0: {V}, %x: f32, %n: index) -> ({V}, {V}) {{"]
    lines += ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
    lines += [
        f"%r{d}:2 = scf.for %i{d} = %c0 to %n step %c1 iter_args(%a{d + 1} = %a{d}, %b{d + 1} = %b{d}) -> ({V}, {V}) {{"
        for d in range(depth)
    ]
    lines += [f"%w = tensor.insert %x into %a{depth}[%i0] : {V}", f"scf.yield %b{depth}, %w : {V}, {V} }}"]
    lines += [f"scf.yield %r{d}#1, %r{d}#0 : {V}, {V} }}" for d in range(depth - 1, 0, -1)]
    return "\n".join([*lines, f"return %r0#1, %r0#0 : {V}, {V} }}"])


def test_deep_nests_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    run_block = SymbolicExecution.run_block
    monkeypatch.setattr(
        SymbolicExecution, "run_block", lambda self, block: (runs.append(block), run_block(self, block))[1]
    )
    counts: list[int] = []
    for depth in (3, 6, 12):
        runs.clear()
        assert "2 reads are right, 0 were not checked" in told_of(nest(depth))
        counts.append(len(runs))
    # Twice as many loops take at most twice as many passes, not a power of them.
    assert counts[1] <= 4 * counts[0]
    assert counts[2] <= 4 * counts[1]


TWO_WRITES = """func.func @main(%v: vector<4xf32>, %w: vector<4xf32>) -> tensor<32xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %e = tensor.empty() : tensor<32xf32>
  %r = scf.for %i = %c0 to %c32 step %c8 iter_args(%a = %e) -> (tensor<32xf32>) {
    %b = vector.transfer_write %v, %a[%i] {in_bounds = [true]} : vector<4xf32>, tensor<32xf32>
    %j = arith.addi %i, %c4 : index
    %c = vector.transfer_write %w, %b[%j] {in_bounds = [true]} : vector<4xf32>, tensor<32xf32>
    scf.yield %c : tensor<32xf32>
  }
  return %r : tensor<32xf32>
}"""


@pytest.mark.parametrize("missing", [None, 0, 1])
def test_a_loop_that_writes_in_pieces(missing: int | None) -> None:
    """What the head lost on the way around comes and goes from pass to pass; the search for it ends all the same."""
    with ir.Context():
        module = ir.Module.parse(TWO_WRITES)
        run(module, RECORD, BUFFERIZE)
        if missing is not None:
            ops(module, "vector.transfer_write")[missing].erase()
        right, others = (1, 0) if missing is None else (0, 1)
        assert run(module, VERIFY).startswith(f"{right} reads are right, {others} were not checked")


@pytest.mark.parametrize(
    "body",
    [
        # A branch that yields one tensor on all ways is that tensor, which has no content here.
        "%r = scf.if %p -> TYPE { scf.yield %e : TYPE } else { scf.yield %e : TYPE }",
        # A part of what is inserted has no content.
        "%r = tensor.insert_slice %h into %t[0] [4] [1] : tensor<4xf32> into TYPE",
        # What is inserted last is right, whatever it lies over.
        """%s = tensor.insert %x into %t[%i] : TYPE
        %u = tensor.insert_slice %g into %s[2] [4] [1] : tensor<4xf32> into TYPE
        %r = tensor.insert %x into %u[%c3] : TYPE""",
        # There is one index only.
        """%s = tensor.extract_slice %t[2] [1] [1] : TYPE to tensor<1xf32>
        %u = tensor.insert %x into %s[%i] : tensor<1xf32>
        %r = tensor.insert_slice %u into %t[2] [1] [1] : tensor<1xf32> into TYPE""",
        # Nothing is inserted.
        "%r = tensor.insert_slice %z into %t[0] [%c0] [1] : tensor<?xf32> into TYPE",
    ],
)
def test_no_false_alarms(body: str) -> None:
    text = f"""func.func @main(%t: TYPE, %g: tensor<4xf32>, %z: tensor<?xf32>, %x: f32, %i: index, %p: i1)
        -> (TYPE, TYPE) {{
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %e = tensor.empty() : TYPE
      %h = tensor.empty() : tensor<4xf32>
      {body}
      %o = linalg.add ins(%r, %r : TYPE, TYPE) outs(%e : TYPE) -> TYPE
      return %o, %r : TYPE, TYPE
    }}"""
    assert ", 0 were not checked" in told_of(text.replace("TYPE", V)), told_of(text.replace("TYPE", V))


def test_a_copied_part_is_not_taken_for_wrong_where_all_of_it_was_not_kept() -> None:
    """Each run writes two elements of %s in place, and copies element 8 of it, which is none of these."""
    update = """linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%p : tensor<1xi32>) {
      ^bb0(%o: i32):
        %y = arith.xori %o, %x : i32
        linalg.yield %y : i32
    } -> tensor<1xi32>"""
    text = f"""func.func @main(%n: index, %x: i32) -> tensor<24xi32> {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      %e = tensor.empty() : tensor<24xi32>
      %s = linalg.fill ins(%x : i32) outs(%e : tensor<24xi32>) -> tensor<24xi32>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s) -> (tensor<24xi32>) {{
        %p = tensor.extract_slice %s[%c8] [1] [1] : tensor<24xi32> to tensor<1xi32>
        %u = {update}
        %b = tensor.insert_slice %u into %a[%c8] [1] [1] : tensor<1xi32> into tensor<24xi32>
        %k = arith.muli %i, %c3 : index
        %q = tensor.extract_slice %s[%k] [2] [1] : tensor<24xi32> to tensor<2xi32>
        %v = linalg.add ins(%q, %q : tensor<2xi32>, tensor<2xi32>) outs(%q : tensor<2xi32>) -> tensor<2xi32>
        %c = tensor.insert_slice %v into %b[%k] [2] [1] : tensor<2xi32> into tensor<24xi32>
        scf.yield %c : tensor<24xi32>
      }}
      return %r : tensor<24xi32>
    }}"""
    assert told_of(text) == "0 reads are right, 4 were not checked"


def test_a_loop_that_carries_on_a_view_without_elements() -> None:
    text = """func.func @main(%t: tensor<?xf32>, %x: f32, %n: index) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<?xf32>) {
        %b = linalg.add ins(%a, %a : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
        %s = tensor.extract_slice %b[0] [%c0] [1] : tensor<?xf32> to tensor<?xf32>
        %f = linalg.fill ins(%x : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
        scf.yield %f : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }"""
    assert told_of(text) == "0 reads are right, 3 were not checked"


def test_what_a_function_passes_to_itself_need_not_be_written() -> None:
    """%t is written over in each run before it is passed on, so @main may pass memory that holds nothing yet."""
    text = f"""
      func.func private @countdown(%n: index, %a: {V}, %t: {V}) -> ({V}, {V}) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %one = arith.constant 1.0 : f32
        %ends = arith.cmpi sle, %n, %c0 : index
        %r:2 = scf.if %ends -> ({V}, {V}) {{
          scf.yield %a, %a : {V}, {V}
        }} else {{
          %u = linalg.fill ins(%one : f32) outs(%t : {V}) -> {V}
          %e = tensor.extract %u[%c0] : {V}
          %b = tensor.insert %e into %a[%c0] : {V}
          %less = arith.subi %n, %c1 : index
          %s:2 = func.call @countdown(%less, %b, %t) : (index, {V}, {V}) -> ({V}, {V})
          scf.yield %s#0, %s#1 : {V}, {V}
        }}
        return %r#0, %r#1 : {V}, {V}
      }}
      func.func @main(%n: index, %f: f32) -> ({V}, {V}) {{
        %e = tensor.empty() : {V}
        %v = linalg.fill ins(%f : f32) outs(%e : {V}) -> {V}
        %r:2 = call @countdown(%n, %v, %v) : (index, {V}, {V}) -> ({V}, {V})
        return %r#0, %r#1 : {V}, {V}
      }}"""
    assert told_of(text) == "7 reads are right, 2 were not checked"


def test_a_function_that_is_not_followed_may_write_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlir_inplace.passes.verification.checker.execution._MOST_RUNS", 0)
    with ir.Context():
        module = ir.Module.parse(CALL)
        run(module, RECORD, BUFFERIZE)
        assert "0 reads are right" in run(module, VERIFY)


# --- tensors that stay ---------------------------------------------------------------------------------------------

FILTERED = f"""func.func @main(%t: {V}, %i: index) -> ({V}, f32) {{
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : {V}
  %r = linalg.add ins(%t, %c : {V}, {V}) outs(%c : {V}) -> {V}
  %x = tensor.extract %c[%i] : {V}
  return %r, %x : {V}, f32
}}"""
FILTER = "inplace-one-shot-bufferize{dialect-filter=tensor,arith}"


def test_an_op_that_stays_on_tensors_writes_no_memory() -> None:
    with ir.Context():
        module = ir.Module.parse(FILTERED)
        run(module, RECORD, FILTER)
        assert "4 reads are right, 0 were not checked" in run(module, VERIFY)


def test_an_op_that_stays_on_tensors_reads_memory() -> None:
    with ir.Context():
        module = ir.Module.parse(FILTERED)
        run(module, RECORD, FILTER)
        constant = only(module, "memref.get_global")
        with ir.InsertionPoint.after(constant), constant.location:
            other = ir.Operation.create(
                "memref.alloc",
                [constant.results[0].type],
                [],
                {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])},
            ).result
        first = ops(module, "bufferization.to_tensor")[0]
        first.operands[0] = other
        with pytest.raises(
            PassError, match="operand 1 of 'linalg.add' must be a constant, but nothing was ever written"
        ):
            run(module, VERIFY)


# --- what must not be written ----------------------------------------------------------------------------------------

PROTECTED = f"""func.func @main(%t: {V} {{bufferization.writable = false}}, %x: f32, %i: index) -> {V} {{
  %r = tensor.insert %x into %t[%i] : {V}
  return %r : {V}
}}"""


def test_an_argument_that_must_not_be_written() -> None:
    def change(module: ir.Module) -> None:
        copy = only(module, "memref.copy")
        only(module, "memref.store").operands[1] = copy.operands[0]
        cast = ops(module, "func.return")[0]
        cast.operands[0] = copy.operands[0]
        copy.erase()

    layout = "bufferization.writable = false, bufferization.buffer_layout = affine_map<(d0) -> (d0)>"
    text = PROTECTED.replace("bufferization.writable = false", layout)
    assert broken(text, change) == (
        "wrong bufferization: argument 0 of 'func.func' must not be changed, "
        "but the memory holds an update of argument 0 of 'func.func'"
    )
    text = text.replace("writable = false", "writable = true")
    with ir.Context():
        module = ir.Module.parse(text)
        run(module, RECORD, BUFFERIZE)
        assert "1 reads are right, 0 were not checked" in run(module, VERIFY)
