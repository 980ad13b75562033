"""Slices of dynamic sizes that are whole tensors, and their neighbours that are not."""

from __future__ import annotations

import pytest
from analysed import Analysed, analyse

ARGUMENTS = '%t: !d loc("t"), %q: tensor<?x?xf32> loc("q"), %f: f32, %m: index, %n: index, %p: i1'
SLICE = "%s = tensor.extract_slice %t[5] [%n] [1] : !d to !d\n"
ALL = '%w = tensor.extract_slice %s[0] [%n] [1] : !d to !d loc("w")\n'


def loop(size: str) -> str:
    """A loop that carries a slice of %n elements, and slices of `size` from then on."""
    return f"""
    %r = scf.for %k = %c0 to %m step %c1 iter_args(%a = %s) -> !d {{
      %w = tensor.extract_slice %a[0] [%n] [1] : !d to !d loc("w")
      %x = tensor.insert %f into %w[%c0] : !d
      %y = tensor.extract_slice %t[1] [{size}] [1] : !d to !d
      %g = linalg.copy ins(%x : !d) outs(%y : !d) -> !d
      scf.yield %g : !d
    }}"""


WHOLE = {
    "slice of a slice": SLICE + ALL,
    "what is computed in it": SLICE.replace("%s", "%x") + "%s = linalg.fill ins(%f : f32) outs(%x : !d) -> !d\n" + ALL,
    "size that is asked for": "%k = tensor.dim %t, %c0 : !d\n"
    + '%w = tensor.extract_slice %t[0] [%k] [1] : !d to !d loc("w")',
    "size of what it was cut to": SLICE
    + '%k = tensor.dim %s, %c0 : !d\n%w = tensor.extract_slice %s[0] [%k] [1] : !d to !d loc("w")',
    "equal sums": """
    %a = arith.addi %n, %c2 : index
    %b = arith.addi %c2, %n : index
    %s = tensor.extract_slice %t[5] [%a] [1] : !d to !d
    %w = tensor.extract_slice %s[0] [%b] [1] : !d to !d loc("w")""",
    "constants as values": """
    %s = tensor.cast %z : !v to !d
    %c8 = arith.constant 8 : index
    %w = tensor.extract_slice %s[0] [%c8] [1] : !d to !d loc("w")""",
    "new tensor": "%s = tensor.empty(%n) : !d\n" + ALL,
    "new buffer": "%s = bufferization.alloc_tensor(%n) : !d\n" + ALL,
    "inserted": "%s = tensor.empty(%n) : !d\n"
    "%u = tensor.extract_slice %t[5] [%n] [1] : !d to !d\n"
    '%w = tensor.insert_slice %u into %s[0] [%n] [1] : !d into !d loc("w")',
    "two dimensions": """
    %a = tensor.dim %q, %c0 : tensor<?x?xf32>
    %b = tensor.dim %q, %c1 : tensor<?x?xf32>
    %w = tensor.extract_slice %q[0, 0] [%a, %b] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32> loc("w")""",
    "carried, of one size": SLICE + loop("%n"),
}

NOT_WHOLE = {
    "another offset": SLICE + ALL.replace("[0]", "[1]"),
    "another stride": SLICE + ALL.replace("[1]", "[2]"),
    "another size": SLICE + ALL.replace("[%n]", "[%m]"),
    "size plus one": SLICE + "%k = arith.addi %n, %c1 : index\n" + ALL.replace("[%n]", "[%k]"),
    "copy of a tensor": "%s = bufferization.alloc_tensor() copy(%t) : !d\n" + ALL,
    "size of another tensor": SLICE + "%k = tensor.dim %t, %c0 : !d\n" + ALL.replace("[%n]", "[%k]"),
    "dimensions swapped": WHOLE["two dimensions"].replace("[%a, %b]", "[%b, %a]"),
    "dimension dropped": """
    %x = tensor.extract_slice %q[2, 2] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
    %w = tensor.extract_slice %x[0, 0] [1, %n] [1, 1] : tensor<1x?xf32> to !d loc("w")""",
    "another type": """
    %s = tensor.cast %z : !v to !d
    %w = tensor.extract_slice %s[0] [8] [1] : !d to !v loc("w")""",
    "carried, of another size": SLICE + loop("%m"),
    "size of a tensor without a rank": """
    %x = tensor.cast %t : !d to tensor<*xf32>
    %s = tensor.cast %x : tensor<*xf32> to !d
    %w = tensor.extract_slice %s[0] [%n] [1] : !d to !d loc("w")""",
    "dimension that there is not": """
    %k = tensor.dim %t, %c1 : !d
    %w = tensor.extract_slice %t[0] [%k] [1] : !d to !d loc("w")""",
    "one of two sizes": SLICE
    + "%u = tensor.extract_slice %t[5] [%m] [1] : !d to !d\n"
    + "%x = arith.select %p, %s, %u : !d\n"
    + ALL.replace("%s", "%x"),
}


def analysed(body: str) -> Analysed:
    return analyse(body, f'{ARGUMENTS}, %z: !v loc("z")')


@pytest.mark.parametrize("name", WHOLE)
def test_slices_that_are_all(name: str) -> None:
    a = analysed(WHOLE[name])
    operand = a.operand("w#1" if name == "inserted" else "w#0")
    effects = a.analysis.effects
    assert operand in effects.whole_slices
    assert operand not in effects.slices
    assert not effects.reads[operand]
    assert effects.is_same_buffer(operand, a.value("w"))


@pytest.mark.parametrize("name", NOT_WHOLE)
def test_slices_that_may_be_a_part(name: str) -> None:
    a = analysed(NOT_WHOLE[name])
    assert a.analysis.effects.whole_slices == set()
    assert a.operand("w#0") in a.analysis.effects.slices


def test_blocks_hand_on_slices_of_several_sizes() -> None:
    """What comes from one branch only has its size; what comes from two may have either."""
    blocks = """
    cf.cond_br %p, ^a(%s : !d), ^b(%s : !d)
    ^a(%x: !d):
      cf.br ^b(%u : !d)
    ^b(%y: !d):
      %w = tensor.extract_slice BLOCK[0] [%n] [1] : !d to !d loc("w")
      return
    """
    cut = SLICE + "%u = tensor.extract_slice %t[5] [%m] [1] : !d to !d\n"
    assert not analysed(cut + blocks.replace("BLOCK", "%y")).analysis.effects.whole_slices
    inside = blocks.replace("cf.br ^b(%u : !d)", "cf.br ^b(%v : !d)").replace(
        "^a(%x: !d):", '^a(%x: !d):\n%v = tensor.extract_slice %x[0] [%n] [1] : !d to !d loc("v")'
    )
    a = analysed(cut + inside.replace("BLOCK", "%y"))
    assert a.analysis.effects.whole_slices == {a.operand("v#0")}


def test_what_is_inserted_into_its_place_is_not_copied() -> None:
    back = '%r = tensor.insert_slice %w into %t[5] [%n] [1] : !d into !d loc("r")\nreturn %r : !d'
    fill = "%s = linalg.fill ins(%f : f32) outs(%x : !d) -> !d\n"
    a = analysed(SLICE.replace("%s", "%x") + fill + ALL + back)
    assert a.redundant == {"r#1"}
    assert a.not_in_place == {}
    a = analysed(SLICE.replace("%s", "%x") + fill + ALL.replace("[%n]", "[%m]") + back.replace("[%n]", "[%m]"))
    assert a.redundant == set()


def test_the_whole_is_still_copied_before_it_changes() -> None:
    written = '%x = tensor.insert %f into %w[%m] : !d loc("x")\n'
    a = analysed(SLICE + ALL + written + '%y = tensor.extract %s[%m] : !d loc("y")')
    assert [cost.partition(" value")[0] for cost in a.costs] == ["copy: READ_AFTER_WRITE write=x#1 read=y#0"]
