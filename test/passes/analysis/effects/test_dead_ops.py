"""Which ops compute nothing that is used, and that they are not bufferized. The values are right without them."""

from __future__ import annotations

import numpy as np
import pytest
from analysed import Analysed, analyse, analyse_with, context, function, loop, parse

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluator
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions

WRITE = '%w = tensor.insert %f into %t[%i] : !v loc("w")\n'
USE = "return %t : !v"


def analysed(body: str, arguments: str | None = None) -> Analysed:
    text = function(body) if arguments is None else function(body, arguments)
    return analyse_with(text, AnalysisOptions(boundaries=True, skip_dead=True))


def dead(body: str, arguments: str | None = None) -> set[str]:
    """The dead ops, apart from constants and payloads."""
    a = analysed(body, arguments)
    assert not a.refused
    (found,) = a.analysis.functions
    labels = {a.op_label(op) for op in a.analysis.effects.dead_ops(found.function)}
    return labels - {"arith.constant", "math.exp", "linalg.yield"}


def test_an_op_is_dead_if_only_dead_ops_use_it() -> None:
    chain = WRITE + '%r = tensor.extract %w[%j] : !v loc("r")\n%a = arith.addf %r, %r : f32 loc("a")\n'
    assert dead(chain + USE) == {"w", "r", "a"}
    assert dead(chain + "return %a : f32") == set()
    assert dead(WRITE + 'tensor.extract %w[%j] : !v loc("r")\nreturn %w : !v') == {"r"}


def test_ops_with_regions() -> None:
    unused = loop("%a = %t", '%x = tensor.insert %f into %a[%k] : !v loc("x")\nscf.yield %x : !v loc("y")')
    assert dead(unused + USE) == {"for", "x", "y"}
    inside = f'%q = scf.if %p -> (!v) {{\n{unused} scf.yield %l : !v\n}} else {{\nscf.yield %t : !v\n}} loc("if")\n'
    assert dead(inside + USE) == {"if", "for", "x", "y", "scf.yield"}
    assert dead(inside + "return %q : !v") == set()


def test_threads_and_regions_run_once() -> None:
    parallel = """
      %q = scf.parallel (%k) = (%c0) to (%n) step (%c1) init (%f) -> f32 {
        %x = tensor.insert %f into %t[%k] : !v loc("x")
        %e = tensor.extract %x[%k] : !v loc("e")
        scf.reduce(%e : f32) {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32 loc("s")
          scf.reduce.return %s : f32
        }
      } loc("parallel")
    """
    once = '%o = scf.execute_region -> f32 {\nscf.yield %f : f32\n} loc("once")\n'
    inside = {"scf.reduce", "scf.reduce.return", "scf.yield"}
    assert dead(parallel + once + USE) - inside == {"parallel", "x", "e", "s", "once"}
    assert dead(parallel + once + "return %q, %o : f32, f32") == set()


@pytest.mark.parametrize(
    "effect",
    [
        "memref.store %f, %m[%k] : memref<8xf32>",
        "func.call @other() : () -> ()",
        'cf.assert %p, "no"',
        "%z = scf.while (%s = %i) : (index) -> index {\nscf.condition(%p) %s : index\n} do {\n^bb0(%u: index):\n"
        "scf.yield %u : index\n}",
    ],
)
def test_an_op_with_an_effect_inside_stays(effect: str) -> None:
    """So does what it uses; what is dead inside of it is dead all the same."""
    body = f'%x = tensor.insert %f into %a[%k] : !v loc("x")\n{effect}\nscf.yield %a : !v'
    arguments = "%t: !v, %m: memref<8xf32>, %f: f32, %i: index, %n: index, %p: i1"
    text = function(loop("%a = %t", body) + USE, arguments) + "func.func private @other()"
    a = analyse_with(text, AnalysisOptions(boundaries=True, skip_dead=True))
    found = a.analysis.functions[0]
    labels = {a.op_label(op) for op in a.analysis.effects.dead_ops(found.function)}
    assert "x" in labels
    assert "for" not in labels


def test_a_dead_op_reads_and_writes_nothing() -> None:
    """Were it alive, the write would be to a copy, and so would the one that is alive."""
    body = '%d = tensor.insert %f into %t[%j] : !v loc("d")\n' + WRITE + "return %w : !v"
    assert analysed(body).not_in_place == {}
    assert analyse(body).not_in_place == {"d#1": "copy: READ_AFTER_WRITE write=d#1 read=w#1 value=t"}
    used = body.replace("return %w : !v", "return %w, %d : !v, !v")
    assert list(analysed(used).not_in_place) == ["d#1"]


def test_the_end_of_a_tensor_is_no_use_of_it() -> None:
    """What is copied only to be ended need not be there when the write destroys it."""
    copied = '%c = bufferization.alloc_tensor() copy(%t) : !v loc("c")\n'
    end = 'bufferization.dealloc_tensor %c : !v loc("end")\n'
    inside = f"scf.if %p {{\n{copied}{end}}}\n"
    for body in (copied + end, inside):
        assert dead(body + USE) - {"scf.yield"} == {"c", "end"}
        assert dead(body.replace(end, '%r = tensor.extract %c[%j] : !v loc("r")\n' + end) + USE) >= {"c", "r", "end"}
    assert dead("bufferization.dealloc_tensor %t : !v\nreturn %f : f32") == set()
    assert dead(f"{copied}%r = tensor.extract %c[%j] : !v\n{end}return %r : f32") == set()


KEPT = {
    "tensor.insert": "%w = tensor.insert %f into %t[%i] : !v",
    "insert_slice": "%w = tensor.insert_slice %h into %t[%i] [4] [1] : !h into !v",
    "transfer_write": "%w = vector.transfer_write %y, %t[%i] : vector<4xf32>, !v",
}
READ = """%w = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : !v) {
      ^bb0(%out: f32):
        %s = arith.addf %out, %f : f32
        linalg.yield %s : f32
      } -> !v"""
OVERWRITTEN = """{} loc("w")
  %x = linalg.fill ins(%f : f32) outs({} : !v) -> !v loc("x")
  return %x, %t{} : !v, !v{}
"""
KEEPING = "%t: !v, %h: !h, %y: vector<4xf32>, %f: f32, %i: index, %p: i1"


@pytest.mark.parametrize("write", KEPT.values(), ids=KEPT)
def test_what_a_write_leaves_is_not_needed_if_nobody_reads_it(write: str) -> None:
    unread = analysed(OVERWRITTEN.format(write, "%w", "", ""), KEEPING)
    assert [cost.partition(":")[0] for cost in unread.costs] == ["alloc"]
    read = analysed(OVERWRITTEN.format(write, "%w", ", %w", ", !v"), KEEPING)
    assert [cost.partition(":")[0] for cost in read.costs] == ["alloc", "copy"]


def test_what_a_loop_or_branch_hands_on_is_read_behind_it() -> None:
    """The result of the loop is read, so what is inserted into is needed."""
    body = '%x = tensor.insert %f into %a[%k] : !v loc("x")\nscf.yield %x : !v'
    text = loop("%a = %t", body) + "return %l, %t : !v, !v"
    assert [cost.partition(":")[0] for cost in analysed(text).costs] == ["copy"]
    text = loop("%a = %t", body) + "%z = linalg.fill ins(%f : f32) outs(%l : !v) -> !v\nreturn %z, %t : !v, !v"
    assert [cost.partition(":")[0] for cost in analysed(text).costs] == ["alloc"]


def test_what_the_payload_computes_with_is_needed() -> None:
    assert [cost.partition(":")[0] for cost in analysed(OVERWRITTEN.format(READ, "%w", "", ""), KEEPING).costs] == [
        "copy"
    ]


def test_an_op_without_a_model_is_not_refused_if_it_is_dead() -> None:
    op = "%b = tensor.bitcast %u : tensor<*xf32> to tensor<*xi32>\n"
    assert analysed(op + USE, "%t: !v, %u: tensor<*xf32>").refused == []
    assert len(analysed(op + "return %b : tensor<*xi32>", "%t: !v, %u: tensor<*xf32>").refused) == 1


NEXT = (
    WRITE
    + """
  cf.cond_br %p, ^one(%w : !v), ^two(%u : !v)
^one(%x: !v):
  {}
  cf.br ^two(%t : !v)
^two(%y: !v):
  return {} : !v
"""
)
THREE = "%t: !v, %u: !v, %f: f32, %i: index, %j: index, %p: i1"


@pytest.mark.parametrize(
    ("used", "returned", "found"),
    [
        ("", "%t", {"w"}),
        ('%d = tensor.extract %x[%j] : !v loc("d")', "%t", {"w", "d"}),
        ('%d = tensor.insert %f into %x[%j] : !v loc("d")\ncf.br ^two(%d : !v)', "%t", {"w", "d"}),
        ('%d = tensor.insert %f into %x[%j] : !v loc("d")\ncf.br ^two(%d : !v)', "%y", set()),
        ("cf.br ^two(%x : !v)", "%y", set()),
        ("return %x : !v", "%t", set()),
        ("bufferization.dealloc_tensor %x : !v", "%t", {"w", "bufferization.dealloc_tensor"}),
    ],
)
def test_what_is_forwarded_to_an_argument_that_nobody_uses(used: str, returned: str, found: set[str]) -> None:
    text = NEXT.replace("{}", used, 1).replace("{}", returned)
    if "^two" in used or "return" in used:
        text = text.replace("  cf.br ^two(%t : !v)\n", "")
    assert dead(text, THREE) == found


def test_an_op_that_one_edge_needs_is_not_dead() -> None:
    text = (
        WRITE
        + "cf.cond_br %p, ^one(%w : !v), ^two(%w : !v)\n^one(%x: !v):\nreturn %t : !v\n^two(%y: !v):\nreturn %y : !v"
    )
    assert dead(text, THREE) == set()
    assert dead(text.replace("return %y", "return %t"), THREE) == {"w"}


LOOP = """
func.func @main(%t: tensor<4xf32>, %f: f32, %i: index, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %t, %t : index, tensor<4xf32>, tensor<4xf32>)
^head(%k: index, %a: tensor<4xf32>, %b: tensor<4xf32>):
  %x = tensor.insert %f into %a[%k] : tensor<4xf32>
  %y = linalg.add ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  %next = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^head(%next, %x, %y : index, tensor<4xf32>, tensor<4xf32>), ^end
^end:
  return %x, RETURNED : tensor<4xf32>, tensor<4xf32>
}
"""


BUFFERIZE = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})"


@pytest.mark.parametrize(("returned", "allocations"), [("%t", 1), ("%b", 3)])
def test_values_of_a_loop_of_blocks(returned: str, allocations: int) -> None:
    """Nothing is computed in each iteration for an argument that nobody uses."""
    module = parse(LOOP.replace("RETURNED", returned))
    with context():
        mi.run_pipeline(module.operation, BUFFERIZE)
        module.operation.verify()
    t = np.arange(4, dtype=np.float32)
    found = Evaluator(module).run("main", (t, np.float32(99), 3, 2))
    np.testing.assert_array_equal(found.results[0], [99, 99, 2, 3])
    np.testing.assert_array_equal(found.results[1], t if returned == "%t" else t + t)
    assert found.allocations == allocations


CARRIED = """
  cf.br ^loop(%i, %t, %t : index, !v, !v)
^loop(%k: index, %a: !v, %b: !v):
  %x = tensor.insert %f into %a[%k] : !v loc("x")
  %e = linalg.exp ins(%x : !v) outs(%b : !v) -> !v loc("e")
  %next = arith.addi %k, %k : index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^loop(%next, %x, %e : index, !v, !v), ^last(%b : !v) loc("b")
^last(%c: !v):
  return {} : !v
"""


def test_what_a_loop_of_blocks_carries_for_nobody_is_dead() -> None:
    """Each use of %a and %b leads back to these arguments."""
    assert dead(CARRIED.format("%t")) == {"x", "e"}
    assert analysed(CARRIED.format("%t")).not_in_place == {}
    assert dead(CARRIED.format("%a")) == {"e"}
    assert dead(CARRIED.format("%c")) == set()
    assert analysed(CARRIED.format("%c").replace("^last(%b", "^last(%t")).not_in_place == {}


def test_the_end_of_a_dead_argument_is_left_out() -> None:
    end = 'bufferization.dealloc_tensor %b : !v loc("end")\n%next'
    assert dead(CARRIED.format("%t").replace("%next", end, 1)) == {"x", "e", "end"}
    assert dead(CARRIED.format("%c").replace("%next", end, 1)) == set()


def test_more_arguments_than_are_looked_through() -> None:
    """Each is used by an op for the next one, and the last one is returned; %z is left alone then."""
    count = 12
    names = [f"%a{n}" for n in range(count)]
    ops = [f'%x{n} = tensor.insert %f into {name}[%i] : !v loc("x{n}")' for n, name in enumerate(names)]
    body = """
      cf.br ^loop({starts}, %t : {types}, !v)
    ^loop({arguments}, %z: !v):
      {ops}
      %w = tensor.insert %f into %z[%j] : !v loc("w")
      cf.cond_br %p, ^loop({names}, %w : {types}, !v), ^last
    ^last:
      return {last} : !v
    """.format(
        starts=", ".join(["%t"] * count),
        types=", ".join(["!v"] * count),
        arguments=", ".join(f"{name}: !v" for name in names),
        ops="\n".join(ops),
        names=", ".join(["%t", *(f"%x{n}" for n in range(count - 1))]),
        last="LAST",
    )
    arguments = "%t: !v, %f: f32, %i: index, %j: index, %p: i1"
    assert dead(body.replace("LAST", names[3]), arguments) == {"w", *(f"x{n}" for n in range(3, count))}
    assert dead(body.replace("LAST", names[-1]), arguments) == {f"x{count - 1}"}


PROGRAM = """
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index, %p: i1) -> (tensor<4xf32>, f32) {
  %a = tensor.insert %f into %t[%i] : tensor<4xf32>
  %b = linalg.add ins(%a, %u : tensor<4xf32>, tensor<4xf32>) outs(%u : tensor<4xf32>) -> tensor<4xf32>
  cf.cond_br %p, ^next(%u : tensor<4xf32>), ^next(%t : tensor<4xf32>)
^next(%x: tensor<4xf32>):
  %c = tensor.insert %f into %x[%i] : tensor<4xf32>
  %d = tensor.extract %x[%i] : tensor<4xf32>
  %e = linalg.exp ins(%x : tensor<4xf32>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return %x, %d : tensor<4xf32>, f32
}
"""


def test_values_without_the_dead_ops() -> None:
    """One of them is the first op of a block with a tensor argument."""
    program = mi.compile(PROGRAM, opt_level=0, memory_stats=True)
    t, u = np.arange(4, dtype=np.float32), np.arange(10, 14, dtype=np.float32)
    for p, taken in ((True, u), (False, t)):
        x, d = program.main(t, u, 99.0, 2, p)
        assert np.array_equal(x, taken)
        assert d == taken[2]
    assert program.memory_stats.allocations <= 2
    assert program.memory_stats.leaked_bytes == 0


IN_A_LOOP = """
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %n: index) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^loop(%c0, %t, %u, %u : index, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
^loop(%k: index, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
  %x = tensor.insert %f into %a[%k] : tensor<4xf32>
  %e = linalg.exp ins(%x : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %y = tensor.insert %f into %c[%k] : tensor<4xf32>
  %next = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^loop(%next, %x, %e, %y : index, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>),
                    ^last(%y, %e : tensor<4xf32>, tensor<4xf32>)
^last(%r: tensor<4xf32>, %s: tensor<4xf32>):
  %d = tensor.extract %t[%c0] : tensor<4xf32>
  return %r, %d : tensor<4xf32>, f32
}
"""


def test_values_without_the_dead_arguments() -> None:
    """Were %a and %b alive, %t would be copied."""
    module = parse(IN_A_LOOP)
    with context():
        mi.run_pipeline(module.operation, BUFFERIZE)
    assert "memref.alloc" not in str(module)
    assert str(module).count("memref.store") == 1
    program = mi.compile(IN_A_LOOP, opt_level=0, memory_stats=True)
    t, u = np.arange(4, dtype=np.float32), np.arange(10, 14, dtype=np.float32)
    r, d = program.main(t, u, 99.0, 3)
    assert np.array_equal(r, [99, 99, 99, 13])
    assert d == t[0] == 0
    assert program.memory_stats.allocations == 1
    assert program.memory_stats.leaked_bytes == 0
