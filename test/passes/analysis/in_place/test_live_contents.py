"""What buffers cost at least: what is needed at once is in different ones, and what may spare one is not counted."""

from __future__ import annotations

from unittest import mock

import pytest
from analysed import Analysed, analyse_with
from fast_run import scaled
from generated import SUBJECTS, program

from mlir_inplace.passes.analysis.in_place import improvement
from mlir_inplace.passes.analysis.in_place.cost_model import CostModel
from mlir_inplace.passes.analysis.in_place.function_tables import FunctionTables
from mlir_inplace.passes.analysis.in_place.live_contents import least_allocations
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions

_T = "tensor<4x4xf32>"
_BYTES = 64
_OPTIONS = AnalysisOptions(boundaries=True)


def _buffers(body: str, writable: str = "false") -> tuple[float, float]:
    """How many buffers of 4x4 elements a function costs, and how many it costs at least."""
    a = analyse_with(
        f"""func.func @f(%t: {_T} {{bufferization.writable = {writable}}}, %n: index) -> {_T} {{
          %c = arith.constant 1.0 : f32
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %two = arith.constant 2 : index
          %four = arith.constant 4 : index
          %e = tensor.empty() : {_T}
          {body}
          return %r : {_T}
        }}""",
        _OPTIONS,
    )
    return _cost(a) / _BYTES, _least(a) / _BYTES


def _cost(a: Analysed) -> int:
    return CostModel(a.analysis.effects).cost(a.function()).weighed


def _least(a: Analysed) -> int:
    effects, function = a.analysis.effects, a.function()
    costs = CostModel(effects)
    values = FunctionTables(effects, function.function).values
    return least_allocations(effects, costs, function.function, values, costs.cost(function)).weighed


def _fill(name: str, init: str = "e") -> str:
    return f"%{name} = linalg.fill ins(%c : f32) outs(%{init} : {_T}) -> {_T}\n"


def _op(name: str, op: str, a: str, b: str, init: str) -> str:
    return f"%{name} = linalg.{op} ins(%{a}, %{b} : {_T}, {_T}) outs(%{init} : {_T}) -> {_T}\n"


def _sweep(name: str, init: str, body: str, trips: str = "four") -> str:
    return f"""%{name} = scf.for %{name}i = %zero to %{trips} step %one iter_args(%{name}x = %{init}) -> ({_T}) {{
      {body}
      scf.yield %{name}y : {_T}
    }}
    """


def _insert(name: str, row: str, column: str = "zero", element: str = "c") -> str:
    return f"%{name}y = tensor.insert %{element} into %{name}x[%{row}, %{column}] : {_T}\n"


def test_contents_that_are_read_together_are_in_different_buffers() -> None:
    three = _fill("a") + _fill("b") + _fill("d")
    assert _buffers(three + _op("x", "matmul", "a", "b", "d") + _op("r", "matmul", "x", "t", "b")) == (3, 3)


def test_a_content_that_is_not_read_any_more_leaves_its_buffer() -> None:
    body = _fill("a") + _op("x", "add", "a", "t", "e") + _fill("b") + _op("r", "matmul", "x", "x", "b")
    assert _buffers(body) == (2, 2)
    assert _buffers(_fill("a") + _op("x", "add", "a", "t", "e") + _op("r", "add", "x", "t", "e")) == (1, 1)


def test_an_op_that_reads_what_it_writes_next_is_apart_from_it() -> None:
    assert _buffers(_fill("a") + _fill("b") + _op("r", "matmul", "a", "t", "b")) == (2, 2)
    assert _buffers(_fill("a") + _op("r", "add", "a", "t", "e")) == (1, 1)


def test_a_writable_argument_holds_one_content_unless_it_is_read() -> None:
    body = _fill("a", "t") + _fill("b") + _op("r", "matmul", "a", "a", "b")
    assert _buffers(body, writable="false")[1] == 2
    assert _buffers(body, writable="true")[1] == 1
    read = _fill("a", "t") + _fill("b") + _op("x", "matmul", "a", "a", "b") + _op("r", "matmul", "x", "t", "a")
    assert _buffers(read, writable="true")[1] == 2


def test_groups_count_together_and_pay_for_an_empty_tensor_once() -> None:
    two = _fill("a") + _fill("b") + _op("x", "matmul", "a", "a", "b")
    assert _buffers(two + _op("r", "add", "x", "t", "e")) == (2, 2)
    later = _fill("d") + _fill("g") + _op("y", "matmul", "d", "d", "g")
    assert _buffers(two + _op("z", "add", "x", "t", "e") + later + _op("r", "matmul", "y", "z", "e")) == (4, 4)


def test_a_loop_writes_what_it_yields() -> None:
    loops = _sweep("a", "e", _insert("a", "ai")) + _sweep("b", "e", _insert("b", "bi"))
    assert _buffers(loops + _op("x", "add", "a", "b", "a") + _op("r", "matmul", "a", "b", "x"))[1] == 3
    yields = f"%b = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> ({_T}) {{ scf.yield %x : {_T} }}\n"
    assert _buffers(_fill("a") + yields + _op("x", "add", "a", "b", "e") + _op("r", "matmul", "a", "b", "x"))[1] == 2


@pytest.mark.parametrize(
    ("read", "written", "least"),
    [
        # Nothing tells the elements that are read from those that the loop writes.
        ("%n, %zero", ("bi", "bi"), 2),
        ("%zero, %zero", ("bi", "bi"), 2),
        ("%n, %two", ("n", "bi"), 2),
        # Another column, whatever the row is; what is known of both by the same symbol.
        ("%zero, %two", ("bi", "zero"), 1),
        ("%n, %two", ("n", "one"), 1),
    ],
)
def test_elements_that_may_be_apart_need_no_buffers(read: str, written: tuple[str, str], least: int) -> None:
    body = _fill("a") + _sweep("b", "a", _insert("b", *written))
    body += f"%v = tensor.extract %a[{read}] : {_T}\n%r = tensor.insert %v into %b[%one, %one] : {_T}"
    assert _buffers(body)[1] == least


def test_an_iteration_reads_what_an_earlier_one_wrote() -> None:
    """If the loop runs more than once; what moves with the loop may be what it writes."""
    result = f"%r = tensor.insert %c into %b[%one, %one] : {_T}"

    def least(index: str, trips: str = "four") -> float:
        body = f"%v = tensor.extract %a[%{index}, %zero] : {_T}\n" + _insert("b", index, element="v")
        return _buffers(_fill("a") + _sweep("b", "e", body, trips) + result)[1]

    assert least("n") == 2
    assert least("n", trips="one") == 1
    assert least("bi") == 1


def _map_slices(read: str, read_at: str, op: str, written: str, written_at: str) -> str:
    """What an iteration computes of a slice of %a, inserted into a slice of what the loop carries."""
    source, target = f"tensor<{read.replace(', ', 'x')}xf32>", f"tensor<{written.replace(', ', 'x')}xf32>"
    return f"""%v = tensor.extract_slice %a[{read_at}] [{read}] [1, 1] : {_T} to {source}
      %w = tensor.extract_slice %bx[{written_at}] [{written}] [1, 1] : {_T} to {target}
      %m = linalg.{op.format(f"ins(%v : {source}) outs(%w : {target})")}
      %by = tensor.insert_slice %m into %bx[{written_at}] [{written}] [1, 1] : {target} into {_T}
    """


def test_an_iteration_reads_a_row_across_columns_that_earlier_ones_wrote() -> None:
    """As a transposed tile does; not so if each row becomes a row."""

    def least(body: str, trips: str = "four") -> float:
        return _buffers(_fill("a") + _sweep("b", "e", body, trips) + _op("r", "add", "b", "t", "b"))[1]

    transposed = _map_slices("1, 4", "%bi, 0", "transpose {} permutation = [1, 0]", "4, 1", "0, %bi")
    assert least(transposed) == 2
    assert least(transposed, "n") == 2
    assert least(transposed, "one") == 1
    assert least(_map_slices("1, 4", "%bi, 0", "exp {} -> tensor<1x4xf32>", "1, 4", "%bi, 0")) == 1
    # A row of the left half, into the right half.
    assert least(_map_slices("1, 2", "%bi, 0", "exp {} -> tensor<1x2xf32>", "1, 2", "%bi, 2")) == 1


@pytest.mark.parametrize(("row", "column", "least"), [("di", "zero", 2), ("zero", "di", 2), ("di", "two", 1)])
def test_a_later_loop_may_read_what_is_written(row: str, column: str, least: int) -> None:
    """The first loop writes the first row, or column %one of each; elements of one column are apart from it."""
    written = ("zero", "bi") if least == 2 else ("bi", "one")
    body = _fill("a") + _sweep("b", "a", _insert("b", *written))
    read = f"%v = tensor.extract %a[%{row}, %{column}] : {_T}\n" + _insert("d", "di", element="v")
    cost, found = _buffers(body + _sweep("d", "b", read) + _op("r", "add", "d", "t", "d"))
    assert found == least <= cost


def test_a_vector_that_reaches_beyond_the_end_reads_all() -> None:
    """Of each row, written by an earlier iteration or by another loop."""
    read = f"""%z = vector.transfer_read %a[%n, %zero], %c : {_T}, vector<8xf32>
      %v = vector.extract %z[0] : f32 from vector<8xf32>
    """
    result = f"%r = tensor.insert %c into %b[%one, %one] : {_T}"
    body = read + _insert("b", "n", "bi", element="v")
    assert _buffers(_fill("a") + _sweep("b", "e", body) + result)[1] == 2


def test_what_is_only_inserted_into_its_place_is_not_written() -> None:
    """The insertion of what was computed before the loop may write nothing."""
    loop = f"""%s = tensor.extract_slice %a[0, 0] [1, 4] [1, 1] : {_T} to tensor<1x4xf32>
    %b = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> ({_T}) {{
      %y = tensor.insert_slice %s into %x[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> into {_T}
      scf.yield %y : {_T}
    }}
    """
    cost, least = _buffers(_fill("a") + loop + _op("r", "add", "a", "b", "a"))
    assert least == 1
    assert cost >= least


def test_memory_of_which_a_content_is_half_may_hold_two() -> None:
    halves = """%w = tensor.empty() : tensor<8x4xf32>
    %s = tensor.extract_slice %w[0, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
    %u = tensor.extract_slice %w[4, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
    """
    cost, least = _buffers(halves + _fill("a", "s") + _fill("b", "u") + _op("r", "matmul", "a", "b", "t"), "true")
    assert cost == 2
    assert least == 0


def test_two_contents_of_an_iteration_may_be_in_buffers_of_one_op() -> None:
    """What an op in a loop allocates in the iteration before, and in this one, is paid for as one expense."""
    body = f"""%r = scf.for %i = %zero to %n step %one iter_args(%x = %t) -> ({_T}) {{
      %f = tensor.empty() : {_T}
      %a = linalg.fill ins(%c : f32) outs(%f : {_T}) -> {_T}
      %b = linalg.fill ins(%c : f32) outs(%f : {_T}) -> {_T}
      %m = linalg.matmul ins(%a, %b : {_T}, {_T}) outs(%x : {_T}) -> {_T}
      scf.yield %m : {_T}
    }}"""
    cost, least = _buffers(body, "true")
    assert least <= 10 < cost


def test_a_part_whose_cost_is_the_bound_is_not_searched() -> None:
    body = _fill("a") + _fill("b") + _fill("d") + _op("x", "matmul", "a", "b", "d") + _op("r", "matmul", "x", "t", "b")
    with mock.patch.object(improvement, "PartSearch", side_effect=AssertionError("searched")) as searched:
        assert _buffers(body) == (3, 3)
    assert not searched.called


def test_no_search_finds_what_costs_less() -> None:
    """The trials that the bound spares would have found nothing, with more of them than there are usually."""
    proved = 0
    for subject in SUBJECTS:
        for seed in range(700, 700 + scaled(10, 2)):
            text = program(subject, seed).text
            quick = analyse_with(text, _OPTIONS)
            with mock.patch.object(improvement, "least_allocations", wraps=least_allocations) as asked:
                asked.side_effect = lambda *_: improvement.Price()
                full = analyse_with(text, _OPTIONS)
            costs, others = CostModel(quick.analysis.effects), CostModel(full.analysis.effects)
            for one, other in zip(quick.analysis.functions, full.analysis.functions, strict=True):
                assert costs.cost(one) <= others.cost(other), (subject, seed)
            proved += asked.called
    assert proved > 3
