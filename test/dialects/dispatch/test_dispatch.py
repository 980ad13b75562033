"""The dispatch dialect: what the builders make, what its operations do to memory, and where it is loaded."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest
from mlir import ir
from mlir.passmanager import PassManager

from mlir_inplace.dialects import dispatch
from mlir_inplace.dialects.dispatch import Access, ReadOnly, ReadWrite, Slot, WriteOnly
from mlir_inplace.runtime.source import private_copy
from mlir_inplace.tools.shared.input import Source
from mlir_inplace.tools.shared.source_ir import parse_module

DYNAMIC = ir.ShapedType.get_dynamic_size()
WHOLE = "static_offsets = array<i64>, static_sizes = array<i64>, static_strides = array<i64>"
BINDING = (
    '%b = "dispatch.binding"() {set = 0, binding = 0, operandSegmentSizes = array<i32: 0, 0>}'
    " : () -> !dispatch.readwrite<tensor<4xf32>>"
)


@pytest.fixture
def context() -> Iterator[ir.Context]:
    with ir.Context() as context, ir.Location.unknown():
        dispatch.register(context)
        yield context


@pytest.fixture
def module(context: ir.Context) -> Iterator[ir.Module]:
    """An empty module; what the test builds goes into it."""
    module = ir.Module.create(ir.Location.unknown(context))
    with ir.InsertionPoint(module.body):
        yield module


def tensor(*shape: int | None) -> ir.RankedTensorType:
    return ir.RankedTensorType.get([DYNAMIC if size is None else size for size in shape], ir.F32Type.get())


def lines(module: ir.Module) -> list[str]:
    return [str(op) for op in module.body.operations]


def optimized(body: str) -> list[str]:
    """The names of the ops that are left of a function after canonicalize and cse."""
    with ir.Context() as context:
        dispatch.register(context)
        module = ir.Module.parse(f"func.func private @use(tensor<4xf32>, index)\nfunc.func @f() {{\n{body}\nreturn\n}}")
        PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
        (block,) = list(module.body.operations)[1].regions[0]
        return [op.operation.name.removeprefix("dispatch.") for op in block.operations]


def load(name: str) -> str:
    return (
        f'%{name} = "dispatch.load"(%b) {{operandSegmentSizes = array<i32: 1, 0, 0, 0>, {WHOLE}}}'
        f" : (!dispatch.readwrite<tensor<4xf32>>) -> tensor<4xf32>\n"
    )


def store(name: str) -> str:
    return (
        f'"dispatch.store"(%{name}, %b) {{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, {WHOLE}}}'
        f" : (tensor<4xf32>, !dispatch.readwrite<tensor<4xf32>>) -> ()\n"
    )


def use(name: str) -> str:
    return f"%i_{name} = arith.constant 0 : index\ncall @use(%{name}, %i_{name}) : (tensor<4xf32>, index) -> ()\n"


@pytest.mark.usefixtures("context")
def test_types() -> None:
    for cls, access in ((ReadOnly, Access.READ_ONLY), (WriteOnly, Access.WRITE_ONLY), (ReadWrite, Access.READ_WRITE)):
        built = cls(tensor(4, None))
        assert str(built) == f"!dispatch.{access.value}<tensor<4x?xf32>>"
        parsed = ir.Type.parse(str(built))
        assert (type(parsed), parsed) == (cls, built)
        assert dispatch.is_dispatch_type(parsed)
        assert dispatch.access_of(parsed) is access
        assert dispatch.tensor_type_of(parsed) == tensor(4, None)


@pytest.mark.usefixtures("context")
def test_other_types_are_none_of_the_dialect() -> None:
    for type_ in (tensor(4), ir.IndexType.get(), ir.Type.parse("memref<4xf32>")):
        assert not dispatch.is_dispatch_type(type_)
        with pytest.raises(TypeError, match="expected a type of the dispatch dialect"):
            dispatch.access_of(type_)
    with pytest.raises(TypeError, match="!dispatch.readonly holds a ranked tensor type, not 'f32'"):
        ReadOnly(ir.F32Type.get())
    with pytest.raises(TypeError, match="!dispatch.readonly holds a ranked tensor type, not '!dispatch.writeonly<"):
        ReadOnly(WriteOnly(tensor(4)))


def test_accesses() -> None:
    assert [(access.reads, access.writes) for access in Access] == [(True, False), (False, True), (True, True)]


def test_builders_of_bindings(module: ir.Module) -> None:
    size = dispatch.push_constant(0)
    dispatch.push_constant(1, ir.IntegerType.get_signless(32))
    row = dispatch.workgroup_id(2)
    plain = dispatch.binding(0, 1, ReadOnly(tensor(4)))
    full = dispatch.binding(2, 3, ReadWrite(tensor(None, 4)), byte_offset=row, sizes=[size])
    tied = dispatch.tie_shape(full, [size])
    assert lines(module) == [
        '%0 = "dispatch.push_constant"() {index = 0 : i64} : () -> index',
        '%1 = "dispatch.push_constant"() {index = 1 : i64} : () -> i32',
        '%2 = "dispatch.workgroup_id"() {dimension = 2 : i64} : () -> index',
        '%3 = "dispatch.binding"() {binding = 1 : i64, operandSegmentSizes = array<i32: 0, 0>, set = 0 : i64}'
        " : () -> !dispatch.readonly<tensor<4xf32>>",
        '%4 = "dispatch.binding"(%2, %0) {binding = 3 : i64, operandSegmentSizes = array<i32: 1, 1>, set = 2 : i64}'
        " : (index, index) -> !dispatch.readwrite<tensor<?x4xf32>>",
        '%5 = "dispatch.tie_shape"(%4, %0) {operandSegmentSizes = array<i32: 1, 1>}'
        " : (!dispatch.readwrite<tensor<?x4xf32>>, index) -> !dispatch.readwrite<tensor<?x4xf32>>",
    ]
    assert (dispatch.slot_of(plain.owner), dispatch.slot_of(full.owner)) == (Slot(0, 1), Slot(2, 3))
    assert (dispatch.byte_offset_of(plain.owner), dispatch.byte_offset_of(full.owner)) == (None, row)
    assert [dispatch.sizes_of(value.owner) for value in (plain, full, tied)] == [[], [size], [size]]
    assert [dispatch.binding_of(value) for value in (plain, tied)] == [plain.owner, full.owner]
    assert dispatch.binding_of(size) is None


def test_builders_of_accesses(module: ir.Module) -> None:
    i = dispatch.workgroup_id(0)
    source = dispatch.binding(0, 0, ReadWrite(tensor(4, None)))
    tile = dispatch.load(source, [i, 0], [1, i], [1, 2])
    row = dispatch.load(source, [i, 0], [1, 3], [1, 1], result=tensor(3))
    whole = dispatch.load(source)
    stored = dispatch.store(row, source, [i, i], [1, 3], [1, 1])
    stored_whole = dispatch.store(whole, source)
    assert [value.type for value in (tile, row, whole)] == [tensor(1, None), tensor(3), tensor(4, None)]
    assert dispatch.subset_of(tile.owner).sizes == (1, i)
    assert dispatch.subset_of(tile.owner).strides == (1, 2)
    assert dispatch.subset_of(row.owner).offsets == (i, 0)
    assert dispatch.subset_of(stored).offsets == (i, i)
    assert dispatch.subset_of(whole.owner) is None
    assert dispatch.subset_of(stored_whole) is None
    assert module.operation.verify()


def test_builders_of_what_promotion_makes(module: ir.Module) -> None:
    target = dispatch.binding(0, 0, WriteOnly(tensor(4)))
    content = dispatch.contents(target)
    dispatch.commit(content, content)
    dispatch.workgroup_size(0)
    dispatch.workgroup_count(1)
    assert lines(module)[1:] == [
        '%1 = "dispatch.contents"(%0) : (!dispatch.writeonly<tensor<4xf32>>) -> tensor<4xf32>',
        '"dispatch.commit"(%1, %1) : (tensor<4xf32>, tensor<4xf32>) -> ()',
        '%2 = "dispatch.workgroup_size"() {dimension = 0 : i64} : () -> index',
        '%3 = "dispatch.workgroup_count"() {dimension = 1 : i64} : () -> index',
    ]
    assert module.operation.verify()


def test_equal_loads_merge() -> None:
    left = optimized(BINDING + "\n" + load("x") + load("y") + use("x") + use("y"))
    assert left.count("load") == 1


def test_loads_do_not_merge_across_a_store() -> None:
    left = optimized(BINDING + "\n" + load("x") + store("x") + load("y") + use("x") + use("y"))
    assert left.count("load") == 2
    assert left.index("store") < len(left) - 1 - left[::-1].index("load")


def test_a_dead_load_goes_and_a_store_stays() -> None:
    left = optimized(BINDING + "\n" + load("dead") + load("x") + store("x") + load("unused"))
    assert left == ["binding", "load", "store", "func.return"]


def test_unused_bindings_go_and_equal_ones_merge() -> None:
    other = BINDING.replace("%b", "%same")
    third = BINDING.replace("%b", "%third").replace("set = 0", "set = 1")
    left = optimized(BINDING + "\n" + other + "\n" + third + "\n" + load("x") + store("x").replace("%b", "%same"))
    assert left == ["binding", "load", "store", "func.return"]


def test_contents_reads_and_commit_writes() -> None:
    contents = '%{} = "dispatch.contents"(%b) : (!dispatch.readwrite<tensor<4xf32>>) -> tensor<4xf32>\n'
    commit = '"dispatch.commit"(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> ()\n'
    left = optimized(BINDING + "\n" + contents.format("unused") + contents.format("c") + load("x") + commit)
    assert left == ["binding", "contents", "load", "commit", "func.return"]
    left = optimized(BINDING + "\n" + contents.format("c") + load("x") + commit + contents.format("y") + use("y"))
    assert left.count("contents") == 2


def test_it_is_loaded_once() -> None:
    with ir.Context() as context:
        for _ in range(3):
            dispatch.register(context)
        assert context.is_dialect_loaded("dispatch")


@pytest.mark.parametrize("loaded_before", [False, True])
def test_threads_are_turned_off(loaded_before: bool) -> None:
    kernels = "\n".join(f"func.func @f{n}() {{ %0 = dispatch.workgroup_id 0 : index return }}" for n in range(20))
    with ir.Context() as context:
        if loaded_before:
            dispatch.register(context)
        context.enable_multithreading(True)
        module = dispatch.parse(kernels, context)  # With threads this would never return.
        PassManager.parse("builtin.module(func.func(cse))").run(module.operation)
        assert context.get_num_threads() == 1


def test_it_is_loaded_for_what_mentions_it() -> None:
    with ir.Context() as context:
        dispatch.register_for("module { // no kernel here\n}", context)
        assert not context.is_dialect_loaded("dispatch")
        dispatch.register_for(BINDING, context)
        assert context.is_dialect_loaded("dispatch")


class Recorder(MetaPathFinder):
    """Notes which modules are searched for."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> None:
        self.names.append(fullname)


def test_nobody_searches_the_disk_for_it(context: ir.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    monkeypatch.setattr(sys, "meta_path", [recorder, *sys.meta_path])
    module = dispatch.parse(BINDING, context)
    assert dispatch.is_dispatch_type(module.body.operations[0].result.type)
    assert [name for name in recorder.names if "dispatch" in name] == []


def test_a_context_with_it_dies() -> None:
    with ir.Context() as context:
        dispatch.register(context)
        ir.Module.parse(BINDING)
    died = weakref.ref(context)
    del context
    gc.collect()
    assert died() is None


def test_the_tools_load_it() -> None:
    with ir.Context() as context:
        module = parse_module(Source("kernel.mlir", f"module {{\n{BINDING}\n}}"), context)
        assert dispatch.binding_of(module.regions[0].blocks[0].operations[0].result) is not None


def test_what_compile_reads_loads_it(tmp_path: Path) -> None:
    path = tmp_path / "kernel.mlir"
    path.write_text(BINDING)
    with path.with_suffix(".mlirbc").open("wb") as file, ir.Context() as context:
        dispatch.register(context)
        ir.Module.parse(BINDING).operation.write_bytecode(file)
    for source in (BINDING + "\n", path, path.with_suffix(".mlirbc"), path.with_suffix(".mlirbc").read_bytes()):
        copy = private_copy(source)
        assert str(copy.body.operations[0]).startswith('%0 = "dispatch.binding"')
