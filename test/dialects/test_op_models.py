"""The op models: which op reads and writes what, and that the answers of one model agree with each other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from analysed import ARGUMENTS, analyse_module, context, function, parse
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects import registry
from mlir_inplace.dialects.bufferizable import OpModel, Relation, is_tensor
from mlir_inplace.dialects.registry import ModelClashError, find_model, register_models

EMPTY = "%{} = tensor.empty() : tensor<{}xf32>\n"
MATRICES = EMPTY.format("x", "4x4") + EMPTY.format("y", "4x4") + EMPTY.format("z", "4x4")

# What an op does to its operands: r it reads, w it writes, =n it may become result n, ~n a part of it may, - nothing.
OPS = {
    "arith.constant": ("%o = arith.constant dense<1.0> : !v", ""),
    "arith.select": ("%o = arith.select %p, %t, %u : !v", ". ~0 ~0"),
    "arith.select elementwise": (
        "%c = tensor.empty() : tensor<8xi1>\n%o = arith.select %c, %t, %u : tensor<8xi1>, !v",
        "r rw=0 r",
    ),
    "arith.addf": ("%o = arith.addf %t, %u : !v", "rw=0 r"),
    "arith.cmpf": ("%o = arith.cmpf olt, %t, %u : !v", "r r"),
    "arith.addui_extended": (
        "%x = tensor.empty() : tensor<8xi32>\n%o:2 = arith.addui_extended %x, %x : tensor<8xi32>, tensor<8xi1>",
        "rw=0 r",
    ),
    "arith.mulsi_extended": (
        "%x = tensor.empty() : tensor<8xi32>\n%o:2 = arith.mulsi_extended %x, %x : tensor<8xi32>",
        "rw=0 rw=1",
    ),
    "math.exp": ("%o = math.exp %t : !v", "rw=0"),
    "bufferization.alloc_tensor": ("%o = bufferization.alloc_tensor(%n) : !d", "."),
    "bufferization.alloc_tensor copy": (
        "%o = bufferization.alloc_tensor() copy(%t) : !v\n%x = tensor.extract %o[%i] : !v",
        "r",
    ),
    "bufferization.materialize_in_destination": (
        "%o = bufferization.materialize_in_destination %u in %t : (!v, !v) -> !v",
        "r w=0",
    ),
    "bufferization.materialize_in_destination memref": (
        "bufferization.materialize_in_destination %u in restrict writable %b : (!v, memref<8xf32>) -> ()",
        "r .",
    ),
    "bufferization.to_tensor": ("%o = bufferization.to_tensor %b restrict : memref<8xf32> to !v", "."),
    "bufferization.to_buffer": ("%o = bufferization.to_buffer %t : !v to memref<8xf32>", "rw"),
    "bufferization.to_buffer read_only": ("%o = bufferization.to_buffer %t read_only : !v to memref<8xf32>", "r"),
    "func.return": ("return %t, %f : !v, f32", "r ."),
    "linalg.fill": ("%o = linalg.fill ins(%f : f32) outs(%t : !v) -> !v", ". w=0"),
    "linalg.copy": ("%o = linalg.copy ins(%u : !v) outs(%t : !v) -> !v", "r w=0"),
    "linalg.exp": ("%o = linalg.exp ins(%u : !v) outs(%t : !v) -> !v", "r w=0"),
    "linalg.add": ("%o = linalg.add ins(%u, %u : !v, !v) outs(%t : !v) -> !v", "r r w=0"),
    "linalg.matmul": (MATRICES + "%o = linalg.matmul ins(%x, %y : !m, !m) outs(%z : !m) -> !m", "r r rw=0"),
    "linalg.dot": (
        EMPTY.format("x", "").replace("<xf32", "<f32")
        + "%o = linalg.dot ins(%t, %u : !v, !v) outs(%x : tensor<f32>) -> tensor<f32>",
        "r r rw=0",
    ),
    "linalg.pack": (
        """%x = tensor.empty() : tensor<2x4xf32>
        %o = linalg.pack %t padding_value(%f : f32) inner_dims_pos = [0] inner_tiles = [4] into %x
          : !v -> tensor<2x4xf32>""",
        "r w=0 .",
    ),
    "linalg.softmax": ("%o = linalg.softmax dimension(0) ins(%t : !v) outs(%u : !v) -> !v", "r w=0"),
    "linalg.transpose": (MATRICES + "%o = linalg.transpose ins(%x : !m) outs(%y : !m) permutation = [1, 0]", "r w=0"),
    "linalg.broadcast": (
        EMPTY.format("x", "8x2") + "%o = linalg.broadcast ins(%t : !v) outs(%x : tensor<8x2xf32>) dimensions = [1]",
        "r w=0",
    ),
    "linalg.map": ("%o = linalg.map { arith.addf } ins(%t, %u : !v, !v) outs(%t : !v)", "r r w=0"),
    "linalg.map reading its init": (
        """%o = linalg.map ins(%t : !v) outs(%u : !v) (%x: f32, %y: f32) {
          %s = arith.addf %x, %y : f32
          linalg.yield %s : f32
        }""",
        "r rw=0",
    ),
    "linalg.reduce": (
        EMPTY.format("x", "4")
        + MATRICES.replace("%x", "%w")
        + "%o = linalg.reduce { arith.addf } ins(%y : !m) outs(%x : !h) dimensions = [1]",
        "r rw=0",
    ),
    "linalg.pooling_nhwc_max": (
        EMPTY.format("x", "1x8x8x2")
        + EMPTY.format("y", "3x3")
        + EMPTY.format("z", "1x6x6x2")
        + """%o = linalg.pooling_nhwc_max ins(%x, %y : tensor<1x8x8x2xf32>, tensor<3x3xf32>)
             outs(%z : tensor<1x6x6x2xf32>) -> tensor<1x6x6x2xf32>""",
        "r - rw=0",
    ),
    "linalg.unpack": (
        """%x = tensor.empty() : tensor<2x4xf32>
        %o = linalg.unpack %x inner_dims_pos = [0] inner_tiles = [4] into %t : tensor<2x4xf32> -> !v""",
        "r w=0",
    ),
    "linalg.generic of two results": (
        """%o:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
             ins(%t : !v) outs(%t, %u : !v, !v) {
           ^bb0(%x: f32, %y: f32, %z: f32):
             linalg.yield %x, %z : f32, f32
           } -> (!v, !v)""",
        "r w=0 rw=1",
    ),
    "tensor.bitcast": ("%o = tensor.bitcast %t : !v to tensor<8xi32>", "r"),
    "tensor.bitcast of the shape alone": ("%o = tensor.bitcast %t : !v to !d", "=0"),
    "shape.assuming": (
        """%x = shape.const_witness true
        %o = shape.assuming %x -> (!v) {
          shape.assuming_yield %t : !v
        }""",
        ".",
    ),
    **{
        f"shard.{name}": (f"%o = shard.{name} %t on @ranks {rest}", facts)
        for name, rest, facts in (
            ("all_reduce", "grid_axes = [0] : !v -> !v", "rw=0"),
            ("broadcast", "grid_axes = [0] root = [0] : (!v) -> !v", "rw=0"),
            ("send", "grid_axes = [0] destination = [1] : (!v) -> !v", "r=0"),
            ("recv", "grid_axes = [0] source = [1] : (!v) -> !v", "w=0"),
            ("update_halo", "split_axes = [[0]] halo_sizes = [1, 1] : !v", "rw=0"),
            ("all_gather", "grid_axes = [0] gather_axis = 0 : !v -> tensor<16xf32>", "r"),
            ("reduce_scatter", "grid_axes = [0] scatter_dim = 0 : !v -> !h", "r"),
            ("all_slice", "grid_axes = [0] slice_axis = 0 : !v -> !h", "~0"),
            ("all_to_all", "grid_axes = [0] split_axis = 0 concat_axis = 0 : !v -> !v", "r"),
            ("shift", "grid_axes = [0] shift_axis = 0 offset = 1 rotate : !v -> !v", "r"),
        )
    },
    "tensor.cast": ("%o = tensor.cast %t : !v to !d", "=0"),
    "tensor.cast to unranked": ("%o = tensor.cast %t : !v to tensor<*xf32>", "=0"),
    "tensor.concat": ("%o = tensor.concat dim(0) %t, %u : (!v, !v) -> tensor<16xf32>", "r r"),
    "tensor.collapse_shape": (MATRICES + "%o = tensor.collapse_shape %x [[0, 1]] : !m into tensor<16xf32>", "~0"),
    "tensor.dim": ("%o = tensor.dim %t, %c0 : !v", "- ."),
    "tensor.rank": ("%o = tensor.rank %t : !v", "-"),
    "tensor.empty": ("%o = tensor.empty(%n) : !d", "."),
    "tensor.expand_shape": (
        "%o = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : !v into tensor<2x4xf32>",
        "~0",
    ),
    "tensor.extract": ("%o = tensor.extract %t[%i] : !v", "r ."),
    "tensor.extract_slice": ("%o = tensor.extract_slice %t[%i] [4] [1] : !v to !h", "~0 ."),
    "tensor.from_elements": ("%o = tensor.from_elements %f, %f : tensor<2xf32>", ". ."),
    "tensor.gather": (
        "%x = tensor.empty() : tensor<3x1xindex>\n"
        "%o = tensor.gather %t[%x] gather_dims([0]) : (!v, tensor<3x1xindex>) -> tensor<3xf32>",
        "r r",
    ),
    "tensor.generate": ("%o = tensor.generate %n {\n^bb0(%x: index):\n tensor.yield %f : f32\n} : !d", "."),
    "tensor.insert": ("%o = tensor.insert %f into %t[%i] : !v", ". rw=0 ."),
    "tensor.insert_slice": (
        EMPTY.format("x", "4") + "%o = tensor.insert_slice %x into %t[%i] [4] [1] : !h into !v",
        "r rw=0 .",
    ),
    "tensor.pad": (
        "%o = tensor.pad %t low[1] high[1] {\n^bb0(%x: index):\n tensor.yield %f : f32\n} : !v to tensor<10xf32>",
        "r",
    ),
    "tensor.reshape": (
        "%x = tensor.empty() : tensor<2xindex>\n%o = tensor.reshape %t(%x) : (!v, tensor<2xindex>) -> tensor<2x4xf32>",
        "~0 -",
    ),
    "tensor.reshape to sizes it reads": (
        "%x = tensor.empty() : tensor<2xindex>\n%o = tensor.reshape %t(%x) : (!v, tensor<2xindex>) -> tensor<2x?xf32>",
        "~0 r",
    ),
    "tensor.scatter": (
        "%x = tensor.empty() : tensor<3x1xindex>\n%y = tensor.empty() : tensor<3xf32>\n"
        "%o = tensor.scatter %y into %t[%x] scatter_dims([0]) unique : (tensor<3xf32>, !v, tensor<3x1xindex>) -> !v",
        "r rw=0 r",
    ),
    "tensor.splat": ("%o = tensor.splat %f : !v", "."),
    "vector.gather": (
        """%x = vector.step : vector<4xindex>
        %k = vector.constant_mask [2] : vector<4xi1>
        %q = vector.broadcast %f : f32 to vector<4xf32>
        %o = vector.gather %t[%i] [%x], %k, %q
          : !v, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>""",
        "r . . . .",
    ),
    "vector.scatter": (
        """%x = vector.step : vector<4xindex>
        %k = vector.constant_mask [2] : vector<4xi1>
        %q = vector.broadcast %f : f32 to vector<4xf32>
        %o = vector.scatter %t[%i] [%x], %k, %q : !v, vector<4xindex>, vector<4xi1>, vector<4xf32> -> !v""",
        "rw=0 . . . .",
    ),
    "vector.mask": (
        """%k = vector.constant_mask [2] : vector<4xi1>
        %q = vector.broadcast %f : f32 to vector<4xf32>
        %o = vector.mask %k { vector.transfer_write %q, %t[%i] : vector<4xf32>, !v } : vector<4xi1> -> !v""",
        ".",
    ),
    "vector.transfer_read": ("%o = vector.transfer_read %t[%i], %f : !v, vector<4xf32>", "r . ."),
    "vector.transfer_write": (
        "%x = vector.broadcast %f : f32 to vector<4xf32>\n%o = vector.transfer_write %x, %t[%i] : vector<4xf32>, !v",
        ". rw=0 .",
    ),
}


def found(op: ir.Operation, model: OpModel) -> str:
    """What `model` answers for each operand of `op`, in the notation of OPS."""
    answers = []
    for index, value in enumerate(op.operands):
        answer = ""
        if is_tensor(value.type):
            answer += "r" * model.bufferizes_to_memory_read(op, index)
            answer += "w" * model.bufferizes_to_memory_write(op, index)
            for alias in model.aliasing_values(op, index):
                exact = alias.relation is Relation.EQUIVALENT and alias.definite
                answer += f"{'=' if exact else '~'}{alias.result}"
            answer = answer or "-"
        answers.append(answer or ".")
    return " ".join(answers)


@pytest.mark.parametrize("name", OPS)
def test_what_ops_do_to_their_operands(name: str) -> None:
    text, expected = OPS[name]
    with context():
        module = parse("shard.grid @ranks(shape = 2)\n" + function(text, ARGUMENTS + ", %b: memref<8xf32>"))
        block = module.body.operations[1].regions[0].blocks[0]
        op = [o.operation for o in block.operations if o.name == name.partition(" ")[0]][-1]
        model = find_model(op.name)
        assert model is not None
        assert model.refuse(op) is None
        assert found(op, model) == expected
        check_agreement(op, model)


def check_agreement(op: ir.Operation, model: OpModel) -> None:
    """Operands and results name each other, and only tensors have anything to do with buffers."""
    tensors = [index for index, value in enumerate(op.operands) if is_tensor(value.type)]
    tied = {a.result for index in tensors for a in model.aliasing_values(op, index)}
    results = [index for index, value in enumerate(op.results) if is_tensor(value.type)]
    assert tied <= set(results)
    for index in results:
        allocates = model.bufferizes_to_allocation(op, index)
        assert not (allocates and index in tied)
        if model.result_is_undefined(op, index):
            assert allocates
    for index in tensors:
        source = model.redundant_source(op, index)
        assert source is None or (model.bufferizes_to_memory_write(op, index) and source != index)
        subset = model.subset(op, index)
        rank = ir.ShapedType(op.operands[index].type).rank
        assert subset is None or len(subset.offsets) == len(subset.sizes) == len(subset.strides) == rank


def test_the_defaults_describe_an_op_that_reads_and_allocates() -> None:
    with context():
        module = parse(function('%o = "test.op"(%t, %f) : (!v, f32) -> !v'))
        op = list(module.body.operations[0].regions[0].blocks[0].operations)[-2].operation
        assert op.name == "test.op"
        model = OpModel()
        assert found(op, model) == "r ."
        assert model.bufferizes_to_allocation(op, 0)
        assert model.is_writable(op, 0)
        assert not model.result_is_undefined(op, 0)
        assert not model.must_bufferize_in_place(op, 0)
        assert not model.escapes(op, 0)
        assert not model.is_not_conflicting(op, 0, 0)
        assert not model.is_repetitive_region(op, 0)
        assert not model.is_parallel_region(op, 0)
        assert not model.are_exclusive_regions(op)
        assert not model.reads_before_regions(op)
        with ir.Location.unknown():
            assert str(model.buffer_type(op, 0, {})) == "memref<8xf32>"
        assert model.forwardings(op) == ()
        assert model.refuse(op) is None
        with pytest.raises(NotImplementedError, match=r"test\.op"):
            model.bufferize(op, SimpleNamespace())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            """%x = tensor.empty() : tensor<8xi32>
            %o = linalg.softmax dimension(0) ins(%x : tensor<8xi32>) outs(%x : tensor<8xi32>) -> tensor<8xi32>""",
            "'linalg.softmax' needs floating-point elements, but has i32; convert them first",
        ),
        (
            "%x = vector.constant_mask [2] : vector<4xi1>\n%o = vector.mask %x, %t { vector.yield %u : !v } "
            ": vector<4xi1> -> !v",
            "'vector.mask' with a tensor as passthru is not supported; mask a vector, or write to the passthru",
        ),
        (
            "%b = bufferization.to_tensor %m : memref<8xf32> to !v",
            "'bufferization.to_tensor' without restrict may alias any other memref, which the analysis cannot follow; "
            "add restrict if the tensor is the only way to this memory",
        ),
        (
            "bufferization.materialize_in_destination %t in writable %m : (!v, memref<8xf32>) -> ()",
            "'bufferization.materialize_in_destination' into a memref needs the attribute restrict, or one "
            "bufferization.to_tensor of the memref in front of it; "
            "add it if the memref is written through this op only",
        ),
        (
            "%c = tensor.cast %t : !v to tensor<*xf32>\n%b = tensor.bitcast %c : tensor<*xf32> to tensor<*xi32>",
            "'tensor.bitcast' makes tensor<*xi32> of tensor<*xf32>, but the elements of a buffer are converted one by "
            "one, for which its rank must be known; cast one of them to a ranked tensor",
        ),
        (
            "%s = arith.constant dense<[2, 4]> : tensor<2xi32>\n"
            "%c = tensor.reshape %q(%s) : (tensor<*xf32>, tensor<2xi32>) -> tensor<2x4xf32>",
            "'tensor.reshape' of tensor<*xf32> needs elements that lie contiguously, but nothing is known about the "
            "layout of an unranked tensor; cast it to a ranked tensor first",
        ),
        (
            "%c = tensor.pad %t low[1] high[-2] {\n^bb0(%x: index):\n tensor.yield %f : f32\n} : !v to tensor<7xf32>",
            "'tensor.pad' has the padding -2 in dimension 0, but must not be negative; take elements away with "
            "tensor.extract_slice",
        ),
        (
            '%e = tensor.empty() : tensor<4xf32, "sparse">',
            'tensor<4xf32, "sparse"> has an encoding, but only dense tensors have buffers here; '
            "lower or remove the encoding, or set use-encoding-for-memory-space=true if it is a memory space",
        ),
    ],
)
def test_what_a_model_refuses(text: str, message: str) -> None:
    a = analyse_module(function(text, ARGUMENTS + ", %m: memref<8xf32>, %q: tensor<*xf32>"))
    assert message in a.refused


# --- the registry ----------------------------------------------------------------------------------------------------


def test_an_exact_name_comes_before_the_dialect() -> None:
    table = registry._ModelTable()
    dialect, exact = OpModel(), OpModel()
    dialect.op_names, exact.op_names = ("test.*",), ("test.one",)
    table.register((dialect, exact), "tests")
    assert table.find("test.one") is exact
    assert table.find("test.two") is dialect
    assert table.find("other.one") is None


def test_a_model_registered_later_is_found() -> None:
    table = registry._ModelTable()
    assert table.find("test.one") is None
    model = OpModel()
    model.op_names = ("test.one",)
    table.register((model,), "tests")
    assert table.find("test.one") is model


def test_two_models_for_one_op_name_both_owners() -> None:
    assert find_model("arith.select") is not None
    model = OpModel()
    model.op_names = ("arith.select",)
    with pytest.raises(ModelClashError) as error:
        register_models((model,), "somebody")
    assert str(error.value) == (
        "op 'arith.select' has a bufferization model from 'mlir_inplace.dialects.arith' and another one from "
        "'somebody'; uninstall one of them"
    )
    assert find_model("arith.select") is not model


def test_models_that_the_process_adds_are_known_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    table = registry._ModelTable()
    monkeypatch.setattr(registry, "_TABLE", table)
    model = OpModel()
    model.op_names = ("test.one",)
    assert find_model("arith.select") is not None
    assert not registry.has_process_models()
    register_models((model,), "somebody")
    assert registry.has_process_models()
    table.has_own = False
    model.op_names = ("test.two",)
    registry.register_op_model(model)
    assert registry.has_process_models()


def test_packages_bring_models_through_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    model = OpModel()
    model.op_names = ("toy.add",)
    asked: list[str] = []

    def entry_points(*, group: str) -> list[SimpleNamespace]:
        asked.append(group)
        return [SimpleNamespace(name="toy", value="toy.models", load=lambda: SimpleNamespace(MODELS=(model,)))]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    table = registry._ModelTable()
    assert table.find("toy.add") is model
    assert table.find("tensor.cast") is not None
    assert asked == ["mlir_inplace.op_models"]
    clash = OpModel()
    clash.op_names = ("toy.add",)
    with pytest.raises(ModelClashError, match=r"from 'toy\.models \(entry point toy\)' and another one from 'me'"):
        table.register((clash,), "me")


class TestPublicRegistration:
    """`mi.register_op_model`."""

    @pytest.fixture(autouse=True)
    def own_table(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing is loaded at first, and nothing stays."""
        monkeypatch.setattr(registry, "_TABLE", registry._ModelTable())

    def test_models_of_one_class_for_several_ops(self) -> None:
        first, second = OpModel("my.first"), OpModel("my.second", "my.third")
        mi.register_op_model(first)
        mi.register_op_model(second)
        assert (find_model("my.first"), find_model("my.third")) == (first, second)

    def test_a_cell_that_is_run_again_replaces_its_model(self) -> None:
        mi.register_op_model(OpModel("my.op"))
        again = OpModel("my.op")
        mi.register_op_model(again)
        assert find_model("my.op") is again

    def test_a_clash_with_a_model_that_is_not_loaded_yet_changes_nothing(self) -> None:
        with pytest.raises(mi.ModelClashError, match="op 'tensor.insert' has a bufferization model from 'mlir_inplace"):
            mi.register_op_model(OpModel("my.op", "tensor.insert"))
        assert find_model("my.op") is None
        assert type(find_model("tensor.insert")).__module__ == "mlir_inplace.dialects.tensor"

    @pytest.mark.parametrize(
        ("model", "message"),
        [(OpModel, "expected an instance of OpModel, got <class"), (OpModel(), "OpModel needs op_names, the names of")],
    )
    def test_no_models(self, model: Any, message: str) -> None:
        with pytest.raises(TypeError, match=message):
            mi.register_op_model(model)
