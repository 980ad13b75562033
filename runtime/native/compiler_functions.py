"""Functions that code generation calls and no library of this process has, as a part of each module.

Arithmetic on bf16 is computed in f32 by the time that native code is made of it (`compilation/lowering.py`), with its
rounding spelled out. But where a processor has no registers for bf16, code generation also rounds numbers that are only
handed on, such as results of functions, by `__truncsfbf2`, which libraries of compilers have, and those not before GCC
13.
"""

from __future__ import annotations

from mlir import ir

from .linking import link

__all__ = ["COMPILER_FUNCTIONS", "link_compiler_functions"]

COMPILER_FUNCTIONS = """
// To the nearest, of two as near the even one. A number that bf16 has comes back bit for bit, signaling NaN too, since
// the loop around an atomic update compares what it was handed with what memory has; other NaN become quiet ones. The
// lowest lane is the result, in the register where one of type bf16 would be: with that for its type, the function
// might call itself.
llvm.func @__truncsfbf2(%number: f32) -> vector<8xi16> {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %half = llvm.mlir.constant(16 : i32) : i32
  %below_half = llvm.mlir.constant(32767 : i32) : i32
  %low_half = llvm.mlir.constant(65535 : i32) : i32
  %quiet = llvm.mlir.constant(4194304 : i32) : i32
  %word = llvm.bitcast %number : f32 to i32
  %high = llvm.lshr %word, %half : i32
  %odd = llvm.and %high, %one : i32
  %more = llvm.add %below_half, %odd : i32
  %rounded = llvm.add %word, %more : i32
  %low = llvm.and %word, %low_half : i32
  %is_exact = llvm.icmp "eq" %low, %zero : i32
  %bit = llvm.select %is_exact, %zero, %quiet : i1, i32
  %quieted = llvm.or %word, %bit : i32
  %is_nan = llvm.fcmp "uno" %number, %number : f32
  %chosen = llvm.select %is_nan, %quieted, %rounded : i1, i32
  %moved = llvm.lshr %chosen, %half : i32
  %narrow = llvm.trunc %moved : i32 to i16
  %none = llvm.mlir.poison : vector<8xi16>
  %result = llvm.insertelement %narrow, %none[%zero : i32] : vector<8xi16>
  llvm.return %result : vector<8xi16>
}
"""


def link_compiler_functions(module: ir.Module) -> None:
    """Make the functions a part of `module`, which is in the LLVM dialect. Constant in its size."""
    link(module, COMPILER_FUNCTIONS)
