"""Two functions that call each other, and never end for large or negative numbers."""

from __future__ import annotations

ODD_AND_EVEN = """
func.func @odd(%n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %p = arith.cmpi eq, %n, %c0 : i64
  %r = scf.if %p -> i64 {
    scf.yield %c0 : i64
  } else {
    %m = arith.subi %n, %c1 : i64
    %a = func.call @even(%m) : (i64) -> i64
    %b = arith.addi %n, %a : i64
    %c = arith.muli %b, %b : i64
    scf.yield %c : i64
  }
  return %r : i64
}
func.func @even(%n: i64) -> i64 {
  %r = func.call @odd(%n) : (i64) -> i64
  %c1 = arith.constant 1 : i64
  %b = arith.subi %c1, %r : i64
  return %b : i64
}
"""
