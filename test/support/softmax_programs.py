"""Softmax of rows, as six ops on tensors."""

from __future__ import annotations

MAPS = """
  #ij = affine_map<(i, j) -> (i, j)>
  #i = affine_map<(i, j) -> (i)>
  #j = affine_map<(i, j) -> (j)>
"""
BY_ROW = 'iterator_types = ["parallel", "reduction"]'
EACH = 'iterator_types = ["parallel", "parallel"]'


def softmax(source: str, result: str, matrix: str, row: str) -> str:
    """Ops that compute `result`, the softmax of the rows of `source`."""
    return f"""
      %lowest = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0.0 : f32
      %rows = tensor.empty() : {row}
      %whole = tensor.empty() : {matrix}
      %least = linalg.fill ins(%lowest : f32) outs(%rows : {row}) -> {row}
      %nothing = linalg.fill ins(%zero : f32) outs(%rows : {row}) -> {row}
      %largest = linalg.generic {{indexing_maps = [#ij, #i], {BY_ROW}}}
          ins({source} : {matrix}) outs(%least : {row}) {{
      ^bb0(%x: f32, %y: f32):
        %m = arith.maximumf %x, %y : f32
        linalg.yield %m : f32
      }} -> {row}
      %powers = linalg.generic {{indexing_maps = [#ij, #i, #ij], {EACH}}}
          ins({source}, %largest : {matrix}, {row}) outs(%whole : {matrix}) {{
      ^bb0(%x: f32, %y: f32, %o: f32):
        %d = arith.subf %x, %y : f32
        %e = math.exp %d : f32
        linalg.yield %e : f32
      }} -> {matrix}
      %sum = linalg.generic {{indexing_maps = [#ij, #i], {BY_ROW}}}
          ins(%powers : {matrix}) outs(%nothing : {row}) {{
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        linalg.yield %s : f32
      }} -> {row}
      {result} = linalg.generic {{indexing_maps = [#ij, #i, #ij], {EACH}}}
          ins(%powers, %sum : {matrix}, {row}) outs(%whole : {matrix}) {{
      ^bb0(%x: f32, %y: f32, %o: f32):
        %q = arith.divf %x, %y : f32
        linalg.yield %q : f32
      }} -> {matrix}"""
