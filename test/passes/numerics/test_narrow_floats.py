"""Arithmetic on f16 and bf16: rounded after each op, and none on bf16 is left to the processor, which may have none."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.compilation import lowering

_OPS = {
    "arith.addf %x, %y": np.add,
    "arith.subf %x, %y": np.subtract,
    "arith.mulf %x, %y": np.multiply,
    "arith.divf %x, %y": np.divide,
    "arith.remf %x, %y": np.fmod,
    "arith.negf %x": lambda x, _: -x,
    "arith.maximumf %x, %y": np.maximum,
    "arith.minnumf %x, %y": np.fmin,
    "math.absf %x": lambda x, _: abs(x),
    "math.sqrt %x": lambda x, _: np.sqrt(x),
    "math.floor %x": lambda x, _: np.floor(x),
    "math.copysign %x, %y": np.copysign,
    "math.fma %x, %y, %x": lambda x, y: x * y + x,
}
_TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


def _program(op: str, type_: str) -> str:
    name, operands = op.split(" ", 1)
    return f"""
        #id = affine_map<(d0) -> (d0)>
        func.func @f(%a: tensor<37x{type_}>, %b: tensor<37x{type_}>) -> tensor<37x{type_}> {{
          %e = tensor.empty() : tensor<37x{type_}>
          %r = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}}
              ins(%a, %b : tensor<37x{type_}>, tensor<37x{type_}>) outs(%e : tensor<37x{type_}>) {{
          ^bb0(%x: {type_}, %y: {type_}, %o: {type_}):
            %0 = {name} {operands} : {type_}
            linalg.yield %0 : {type_}
          }} -> tensor<37x{type_}>
          return %r : tensor<37x{type_}>
        }}
    """


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("type_", _TYPES)
@pytest.mark.parametrize("op", _OPS)
def test_results_are_those_of_f32_rounded(op: str, type_: str, optimize: bool) -> None:
    rng, dtype = np.random.default_rng(5), _TYPES[type_]
    a, b = (rng.uniform(0.25, 30, 37).astype(np.float32).astype(dtype) for _ in range(2))
    result = mi.compile(_program(op, type_), optimize=optimize).f(a, b)
    np.testing.assert_array_equal(result, _OPS[op](a.astype(np.float32), b.astype(np.float32)).astype(dtype))


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("op", _OPS)
def test_no_bf16_is_left_to_the_processor(op: str, optimize: bool) -> None:
    with ir.Context():
        module = ir.Module.parse(_program(op, "bf16"))
        optimizing = lowering.OPTIMIZE if optimize else ()
        phases = (*optimizing, *lowering.BUFFERIZE, *lowering.BOUNDARY, *lowering.DEALLOCATE)
        for phase in (*phases, *lowering.OUTLINE, *lowering.llvm_phases()):
            mi.run_pipeline(module, f"builtin.module({','.join(phase.passes)})")
        ops = _ops(module)
        names = {op.name for op in ops}
        left = {op.name for op in ops if any("bf16" in str(value.type) for value in (*op.operands, *op.results))}
        casts = [op.operands[0] for op in ops if op.name == "llvm.bitcast" and "bf16" in str(op.operands[0].type)]
    is_compared = op.startswith(("arith.max", "arith.min"))  # by its bits; all others are rounded
    assert ("llvm.ashr" if is_compared else "llvm.lshr") in names
    assert left <= {"llvm.bitcast", "llvm.mlir.constant"}  # a cast of a constant is one
    assert {value.owner.name for value in casts} <= {"llvm.mlir.constant"}


def _ops(module: ir.Module) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


_TWO = """
#id = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<64xTYPE>, %b: tensor<64xTYPE>) -> tensor<64xTYPE> {
  %e = tensor.empty() : tensor<64xTYPE>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xTYPE>, tensor<64xTYPE>) outs(%e : tensor<64xTYPE>) {
  ^bb0(%x: TYPE, %y: TYPE, %o: TYPE):
    %0 = FIRST : TYPE
    %1 = SECOND : TYPE
    linalg.yield %1 : TYPE
  } -> tensor<64xTYPE>
  return %r : tensor<64xTYPE>
}
"""


@pytest.mark.each_value
@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("type_", _TYPES)
@pytest.mark.parametrize(
    ("first", "second"), [("arith.addf %x, %y", "arith.subf %0, %y"), ("math.sqrt %x", "math.powf %0, %two")]
)
def test_what_an_op_hands_to_the_next_is_rounded(first: str, second: str, type_: str, optimize: bool) -> None:
    text = _TWO.replace("FIRST", first).replace("SECOND", second)
    text = text.replace("    %0 =", "    %two = arith.constant 2.0 : TYPE\n    %0 =").replace("TYPE", type_)
    dtype = _TYPES[type_]
    a, b = (np.random.default_rng(seed).uniform(1, 9, 64).astype(dtype) for seed in (1, 2))
    between = a + b if "addf" in first else np.sqrt(a.astype(np.float32)).astype(dtype)
    wanted = between - b if "addf" in first else (between.astype(np.float32) ** 2).astype(dtype)
    assert (wanted != a).any()  # which they would be if nothing was rounded in between
    np.testing.assert_array_equal(mi.compile(text, optimize=optimize).f(a, b), wanted)


_ATOMIC = """
func.func @f(%a: tensor<?xTYPE>, %b: tensor<?xTYPE>) -> (tensor<?xTYPE>, tensor<?xTYPE>) {
  %zero = arith.constant 0 : index
  %size = tensor.dim %a, %zero : tensor<?xTYPE>
  %empty = tensor.empty(%size) : tensor<?xTYPE>
  %one = arith.constant 1 : index
  %both:2 = scf.for %i = %zero to %size step %one iter_args(%news = %empty, %olds = %empty)
      -> (tensor<?xTYPE>, tensor<?xTYPE>) {
    %x = tensor.extract %a[%i] : tensor<?xTYPE>
    %y = tensor.extract %b[%i] : tensor<?xTYPE>
    %cell = memref.alloc() : memref<TYPE>
    memref.store %x, %cell[] : memref<TYPE>
    %old = memref.atomic_rmw KIND %y, %cell[] : (TYPE, memref<TYPE>) -> TYPE
    %new = memref.load %cell[] : memref<TYPE>
    memref.dealloc %cell : memref<TYPE>
    %more_news = tensor.insert %new into %news[%i] : tensor<?xTYPE>
    %more_olds = tensor.insert %old into %olds[%i] : tensor<?xTYPE>
    scf.yield %more_news, %more_olds : tensor<?xTYPE>, tensor<?xTYPE>
  }
  return %both#0, %both#1 : tensor<?xTYPE>, tensor<?xTYPE>
}
"""
_SPECIAL = [
    [np.inf, np.inf, np.nan, 3.3e38, 1, 1, -0.0, 0.0, np.nan],
    [1, -np.inf, 1, 3.3e38, 2**-8, 3 * 2**-8, 0.0, -0.0, np.nan],
]
_KINDS = {
    "addf": np.add,
    "maximumf": np.maximum,
    "minimumf": np.minimum,
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
    "assign": lambda _, y: y,
}


# The loop around an atomic update compares what was loaded with what is in memory: bits that change on the way to it
# would keep it from ending.
@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("type_", _TYPES)
@pytest.mark.parametrize("kind", _KINDS)
def test_atomic_updates_are_rounded_to_even(kind: str, type_: str, optimize: bool) -> None:
    dtype, rng = np.dtype(_TYPES[type_]), np.random.default_rng(6)
    words = np.stack([np.arange(1 << 16), rng.permutation(1 << 16)]).astype(np.uint16).view(dtype)
    near = rng.uniform(-2, 2, (2, 4000)).astype(dtype)  # Exponents close to each other: one sum in four is a tie.
    with np.errstate(all="ignore"):
        a, b = np.concatenate([words, near, np.array(_SPECIAL).astype(dtype)], axis=1)
        wanted = _KINDS[kind](a.astype(np.float32), b.astype(np.float32)).astype(dtype)
    text = _ATOMIC.replace("TYPE", type_).replace("KIND", kind)
    news, olds = mi.compile(text, optimize=optimize).f(a, b)
    np.testing.assert_array_equal(olds.view(np.uint16), a.view(np.uint16))
    with np.errstate(all="ignore"):
        is_nan, is_zero = np.isnan(wanted), wanted == 0
        assert np.isnan(news[is_nan]).all()
    if kind.startswith("m"):  # NumPy gives either of two zeros
        assert (news[is_zero] == 0).all()
        is_nan |= is_zero
    np.testing.assert_array_equal(news[~is_nan].view(np.uint16), wanted[~is_nan].view(np.uint16))


_ALL = 1 << 16
_EACH = """
#id = affine_map<(d0) -> (d0)>
FUNCTIONS
func.func @f(%a: tensor<65536xTYPE>, %n: index, %choice: i1) -> tensor<65536xTYPE> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<65536xTYPE>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<65536xTYPE>) outs(%e : tensor<65536xTYPE>) {
  ^bb0(%x: TYPE, %o: TYPE):
    BODY
    linalg.yield %y : TYPE
  } -> tensor<65536xTYPE>
  return %r : tensor<65536xTYPE>
}
"""
_PAIR = """
func.func private @pair(%x: TYPE, %n: index, %choice: i1) -> (TYPE, TYPE) attributes {no_inline} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %pair:2 = scf.if %choice -> (TYPE, TYPE) {
    scf.yield %x, %x : TYPE, TYPE
  } else {
    %less = arith.subi %n, %one : index
    %is_last = arith.cmpi eq, %n, %zero : index
    %inner:2 = func.call @pair(%x, %less, %is_last) : (TYPE, index, i1) -> (TYPE, TYPE)
    scf.yield %inner#1, %inner#0 : TYPE, TYPE
  }
  return %pair#0, %pair#1 : TYPE, TYPE
}
"""
_ROWS = """
func.func private @rows(%x: vector<3x4xTYPE>, %n: index, %choice: i1) -> (vector<3x4xTYPE>, i1) attributes {no_inline} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows:2 = scf.if %choice -> (vector<3x4xTYPE>, i1) {
    scf.yield %x, %choice : vector<3x4xTYPE>, i1
  } else {
    %less = arith.subi %n, %one : index
    %is_last = arith.cmpi eq, %n, %zero : index
    %inner:2 = func.call @rows(%x, %less, %is_last) : (vector<3x4xTYPE>, index, i1) -> (vector<3x4xTYPE>, i1)
    scf.yield %inner#0, %inner#1 : vector<3x4xTYPE>, i1
  }
  return %rows#0, %rows#1 : vector<3x4xTYPE>, i1
}
"""
_HANDED_ON = {
    "results": (
        _PAIR,
        """
        %v:2 = func.call @pair(%x, %n, %choice) : (TYPE, index, i1) -> (TYPE, TYPE)
        %y = arith.select %choice, %v#0, %v#1 : TYPE
        """,
    ),
    "vectors": (
        _ROWS,
        """
        %v = vector.broadcast %x : TYPE to vector<3x4xTYPE>
        %w:2 = func.call @rows(%v, %n, %choice) : (vector<3x4xTYPE>, index, i1) -> (vector<3x4xTYPE>, i1)
        %c = arith.constant dense<1.5> : vector<3x4xTYPE>
        %z = arith.select %w#1, %w#0, %c : vector<3x4xTYPE>
        %y = vector.extract %z[2, 1] : TYPE from vector<3x4xTYPE>
        """,
    ),
    "an indirect call": (
        _PAIR,
        """
        %g = func.constant @pair : (TYPE, index, i1) -> (TYPE, TYPE)
        %v:2 = func.call_indirect %g(%x, %n, %choice) : (TYPE, index, i1) -> (TYPE, TYPE)
        %y = arith.select %choice, %v#0, %v#1 : TYPE
        """,
    ),
    "a loop": (
        "",
        """
        %c = arith.constant 2.0 : TYPE
        %v:2 = scf.for %i = %zero to %n step %one iter_args(%p = %c, %q = %x) -> (TYPE, TYPE) {
          scf.yield %q, %p : TYPE, TYPE
        }
        %y = arith.select %choice, %v#1, %v#0 : TYPE
        """,
    ),
    "a select": (
        "",
        """
        %c = arith.constant 2.0 : TYPE
        %bit = arith.cmpi ult, %n, %one : index
        %v = arith.select %bit, %c, %x : TYPE
        %y = arith.select %choice, %c, %v : TYPE
        """,
    ),
}


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("type_", _TYPES)
@pytest.mark.parametrize("by", _HANDED_ON)
def test_what_is_only_handed_on_keeps_its_bits(by: str, type_: str, optimize: bool) -> None:
    functions, body = _HANDED_ON[by]
    text = _EACH.replace("FUNCTIONS", functions).replace("BODY", body).replace("TYPE", type_)
    words = np.arange(_ALL, dtype=np.uint16)
    found = mi.compile(text, optimize=optimize).f(words.view(_TYPES[type_]), 3, False)
    np.testing.assert_array_equal(found.view(np.uint16), words)


_REVERSED = """
func.func @f(%a: tensor<SIZExTYPE>) -> tensor<SIZExTYPE> {
  %size = arith.constant SIZE : index
  %one = arith.constant 1 : index
  %last = arith.subi %size, %one : index
  %e = tensor.generate {
  ^bb0(%i: index):
    %j = arith.subi %last, %i : index
    %x = tensor.extract %a[%i] : tensor<SIZExTYPE>
    %w = tensor.extract %a[%j] : tensor<SIZExTYPE>
    BODY
    tensor.yield RESULT : TYPE
  } : tensor<SIZExTYPE>
  return %e : tensor<SIZExTYPE>
}
"""
_LLVM_OPS = {
    "llvm.fmul %x, %w : TYPE": lambda x: x * x[::-1],
    "llvm.fsub %x, %w : TYPE": lambda x: x - x[::-1],
    "llvm.fdiv %x, %w : TYPE": lambda x: x / x[::-1],
    "llvm.fneg %x : TYPE": lambda x: -x,
    "llvm.intr.fabs(%x) : (TYPE) -> TYPE": abs,
    "llvm.intr.copysign(%x, %w) : (TYPE, TYPE) -> TYPE": lambda x: np.copysign(x, x[::-1]),
    "llvm.intr.sqrt(%x) : (TYPE) -> TYPE": np.sqrt,
    "llvm.intr.floor(%x) : (TYPE) -> TYPE": np.floor,
    "llvm.intr.fma(%x, %x, %x) : (TYPE, TYPE, TYPE) -> TYPE": lambda x: x.astype(np.float64) * x + x,
    "llvm.fpext %x : TYPE to f64 ; llvm.fptrunc %0 : f64 to f32 ; llvm.fptrunc %1 : f32 to TYPE": lambda x: x,
    "llvm.fptosi %x : TYPE to i64 ; llvm.sitofp %0 : i64 to TYPE": lambda x: np.trunc(x) + 0.0,
    'llvm.fcmp "olt" %x, %w : TYPE ; llvm.uitofp %0 : i1 to TYPE': lambda x: (x < x[::-1]) * 1.0,
}


# The emulation of arithmetic comes before the LLVM dialect, so it does not see these.
@pytest.mark.parametrize("op", _LLVM_OPS)
def test_ops_of_the_llvm_dialect_are_rounded(op: str) -> None:
    a = np.arange(_ALL, dtype=np.uint16).view(ml_dtypes.bfloat16)
    if "fptosi" in op:
        a = a[abs(a.astype(np.float32)) < 2.0**62]
    steps = op.split(" ; ")
    body = "\n".join(f"%{number} = {step}" for number, step in enumerate(steps))
    text = _REVERSED.replace("BODY", body).replace("RESULT", f"%{len(steps) - 1}")
    text = text.replace("SIZE", str(len(a))).replace("TYPE", "bf16")
    found = mi.compile(text).f(a)
    with np.errstate(all="ignore"):
        wanted = _LLVM_OPS[op](a.astype(np.float32)).astype(np.float32).astype(a.dtype)
        is_nan = np.isnan(wanted)
        np.testing.assert_array_equal(np.isnan(found), is_nan)
    np.testing.assert_array_equal(found[~is_nan].view(np.uint16), wanted[~is_nan].view(np.uint16))


_RECURSIVE = """
func.func private @turn(%x: bf16, %y: bf16, %n: index) -> (bf16, bf16) attributes {no_inline} {
  %zero = arith.constant 0 : index
  %is_last = arith.cmpi eq, %n, %zero : index
  %pair:2 = scf.if %is_last -> (bf16, bf16) {
    scf.yield %x, %y : bf16, bf16
  } else {
    %one = arith.constant 1 : index
    %less = arith.subi %n, %one : index
    %inner:2 = func.call @turn(%y, %x, %less) : (bf16, bf16, index) -> (bf16, bf16)
    scf.yield %inner#0, %inner#1 : bf16, bf16
  }
  return %pair#0, %pair#1 : bf16, bf16
}
func.func @f(%x: bf16, %y: bf16, %n: index) -> (bf16, bf16) {
  %pair:2 = func.call @turn(%x, %y, %n) : (bf16, bf16, index) -> (bf16, bf16)
  return %pair#0, %pair#1 : bf16, bf16
}
"""


@pytest.mark.parametrize("turns", [0, 3])
@pytest.mark.parametrize("words", [(0x3FC0, 0xC0E0), (0x0001, 0x807F), (0x7F81, 0xFFFF)])
def test_pairs_of_bf16_are_handed_on(words: tuple[int, int], turns: int) -> None:
    x, y = np.array(words, np.uint16).view(ml_dtypes.bfloat16)
    found = mi.compile(_RECURSIVE).f(x, y, turns)
    assert tuple(int(np.asarray(value).view(np.uint16)) for value in found) == (words[::-1] if turns else words)
