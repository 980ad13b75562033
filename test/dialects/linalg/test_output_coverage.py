"""Whether a linalg op writes all of its init: against NumPy, which marks the elements that each iteration reaches."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from mlir import ir
from mlir.dialects import linalg

from mlir_inplace.dialects.linalg.output_coverage import why_uncovered

Shape = Sequence[int | str]


def generic(output: str, loops: Shape, shape: Shape) -> str:
    """An op with one input that has `loops` as its sizes, and an init of `shape` under the map to `output`."""
    dims = ", ".join(f"d{i}" for i in range(len(loops)))
    kinds = ", ".join(['"parallel"'] * len(loops))
    source, init = ("tensor<" + "x".join([*map(str, sizes), "f32"]) + ">" for sizes in (loops, shape))
    return f"""func.func @f(%a: {source}, %b: {init}) -> {init} {{
      %0 = linalg.generic {{
        indexing_maps = [affine_map<({dims}) -> ({dims})>, affine_map<({dims}) -> ({output})>],
        iterator_types = [{kinds}]}} ins(%a : {source}) outs(%b : {init}) {{
        ^bb0(%x: f32, %y: f32):
          linalg.yield %x : f32
      }} -> {init}
      return %0 : {init}
    }}"""


def reason(output: str, loops: Shape, shape: Shape) -> str | None:
    with ir.Context():
        module = ir.Module.parse(generic(output, loops, shape))
        op = module.body.operations[0].regions[0].blocks[0].operations[0].operation
        maps = linalg.get_indexing_maps(op)
        assert maps is not None
        return why_uncovered(op, maps, 1)


@pytest.mark.parametrize(
    ("output", "loops", "shape"),
    [
        ("d1, d0", ("?", "?"), ("?", "?")),
        ("d0", (4, 3), (4,)),
        ("d0, 0", ("?",), ("?", 1)),
        ("d0 * 2 + d1", (3, 2), (6,)),
        ("-d0 + 3", (4,), (4,)),
        ("d0 floordiv 2", (6,), (3,)),
        ("d0 mod 2", (6,), (2,)),
        ("d0, d0", (1,), (1, 1)),
        ("d1", ("?", 0), (0,)),
        ("d0 * 1000 + d1", (1000, 1000), (1000000,)),
    ],
)
def test_covers(output: str, loops: Shape, shape: Shape) -> None:
    assert reason(output, loops, shape) is None


@pytest.mark.parametrize(
    ("output", "loops", "shape", "words"),
    [
        ("d0", (4, "?"), (4,), "loop d1, which is none of the output's, may have no iteration: its size is dynamic"),
        ("d0", (4, 0), (4,), "loop d1, which is none of the output's, has no iteration"),
        ("d0, d0", (3,), (3, 3), "the output map reaches only some elements along dimensions 0, 1"),
        ("d0, 1", (3,), (3, 2), "the output map reaches only some elements along dimension 1"),
        ("d0, 0", (3,), (3, "?"), "which elements the output map reaches along dimension 1 depends on dynamic sizes"),
        ("d0 * 3 + d1", (3, 2), (8,), "the output map reaches only some elements along dimension 0"),
        ("d0 * 2", (3,), (5,), "the output map reaches only some elements along dimension 0"),
        (
            "d0 + d1",
            ("?", 2),
            ("?",),
            "which elements the output map reaches along dimension 0 depends on dynamic sizes",
        ),
        (
            "d0 floordiv 2",
            (5000,),
            (2500,),
            "the output map has too many points along dimension 0 to look at each of them",
        ),
    ],
)
def test_leaves_elements_out(output: str, loops: Shape, shape: Shape, words: str) -> None:
    assert reason(output, loops, shape) == words


def random_result(rng: random.Random, count: int) -> str:
    terms = [f"{rng.choice((1, 1, 2, 3, -1))} * d{rng.randrange(count)}" for _ in range(rng.randint(0, 3))]
    text = " + ".join([*terms, str(rng.choice((0, 0, 0, 1, 2)))])
    return rng.choice([text, text, f"({text}) floordiv 2", f"({text}) mod 3"])


@pytest.mark.parametrize("seed", range(40))
def test_random_maps(seed: int) -> None:
    """Exact, with small static sizes: compared with an array in which the elements are marked."""
    rng = random.Random(seed)
    answers: set[bool] = set()
    while answers != {False, True}:
        loops = [rng.randint(0, 4) for _ in range(rng.randint(1, 3))]
        results = [random_result(rng, len(loops)) for _ in range(rng.randint(1, 2))]
        indices = np.indices(loops).reshape(len(loops), -1)
        names = {f"d{i}": indices[i] for i in range(len(loops))}
        places = [
            np.broadcast_to(eval(result.replace("floordiv", "//").replace("mod", "%"), names), indices.shape[1])
            for result in results
        ]
        if any(place.size and place.min() < 0 for place in places):
            continue
        shape = [int(place.max()) + 1 if place.size else rng.randint(0, 2) for place in places]
        marked = np.zeros(shape, bool)
        marked[tuple(places)] = True
        try:
            found = reason(", ".join(results), loops, shape)
        except ir.MLIRError:
            continue  # Linalg's verifier wants what it can infer of shapes to be so.
        assert (found is None) == marked.all(), (results, loops, shape, found)
        answers.add(bool(marked.all()))
