"""Which value a tensor is tied to, one op up and at the top: by the op models, for every kind of op."""

from __future__ import annotations

import pytest
from mlir import ir

from mlir_inplace.passes.analysis.destinations.costs import TRIAL_OPTIONS
from mlir_inplace.passes.analysis.destinations.tied_inits import Destinations
from mlir_inplace.passes.analysis.whole_module.module import analyze_module

ARGUMENTS = "%d: tensor<?xf32>, %e: tensor<?xf32>, %s: tensor<8xf32>, %f: f32, %n: index, %c: i1, %i: index"
CONSTANTS = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index"


def ties(body: str) -> dict[str, tuple[str | None, str]]:
    """The tied value and the top of each named result in `body`."""
    with ir.Context():
        module = ir.Module.parse(f"func.func @f({ARGUMENTS}) {{\n{CONSTANTS}\n{body}\nreturn\n}}")
        effects = analyze_module(module.operation, TRIAL_OPTIONS).effects
        s, destinations = effects.snapshot, Destinations(effects)
        found: dict[str, tuple[str | None, str]] = {}
        block = module.body.operations[0].regions[0].blocks[0]
        names = {argument: f"%{name}" for argument, name in zip(block.arguments, "desfnci", strict=True)}
        labels = iter("ABCDEFGH")
        for op in block.operations:
            if op.operation.name.startswith("arith.constant"):
                continue
            label = next(labels, "-")
            for number, result in enumerate(op.operation.results):
                names[result] = f"{label}{number}"
        # The last one first: what lies in front must not have been asked before.
        for op in reversed(list(block.operations)):
            for result in op.operation.results:
                if result in names:
                    value = s.value_id(result)
                    tied, top = destinations.tied(value), destinations.top(value)
                    found[names[result]] = (None if tied < 0 else names[s.values[tied]], names[s.values[top]])
        return found


def test_chains() -> None:
    found = ties("""
      %a = linalg.fill ins(%f : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
      %b = tensor.insert %f into %a[%i] : tensor<?xf32>
      %x = tensor.extract_slice %s[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
      %g = tensor.insert_slice %x into %b[%i] [2] [1] : tensor<2xf32> into tensor<?xf32>
      %p = tensor.empty(%n) : tensor<?xf32>
    """)
    assert found["A0"] == ("%d", "%d")
    assert found["B0"] == ("A0", "%d")
    assert found["C0"] == (None, "C0")
    assert found["D0"] == ("B0", "%d")
    assert found["E0"] == (None, "E0")


def test_casts_lead_up_to_values_of_the_same_type() -> None:
    found = ties("""
      %a = linalg.fill ins(%f : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
      %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
      %x = linalg.fill ins(%f : f32) outs(%b : tensor<?xf32>) -> tensor<?xf32>
      %g = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
    """)
    assert found["B0"] == ("A0", "B0")
    assert found["C0"] == ("B0", "B0")
    assert found["D0"] == ("C0", "%s")


@pytest.mark.parametrize(
    ("yielded", "expected"),
    [
        ("%a", ("%d", "%d")),
        ("%x", (None, "A0")),
        ("%e", (None, "A0")),
        ("%d", ("%d", "%d")),
        ("%y", (None, "A0")),
    ],
)
def test_loops(yielded: str, expected: tuple[str | None, str]) -> None:
    """A loop's result is tied to its init iff what it yields was computed in the argument or the init."""
    found = ties(f"""
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%o = %d) -> tensor<?xf32> {{
        %a = tensor.insert %f into %o[%k] : tensor<?xf32>
        %x = tensor.empty(%k) : tensor<?xf32>
        %y = linalg.fill ins(%f : f32) outs(%x : tensor<?xf32>) -> tensor<?xf32>
        scf.yield {yielded} : tensor<?xf32>
      }}
    """)
    assert found["A0"] == expected


@pytest.mark.parametrize(("second", "tied"), [("%d", True), ("%e", False)])
def test_a_swap(second: str, *, tied: bool) -> None:
    """Buffers that change places have one top if they started in one place."""
    found = ties(f"""
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%o = %d, %p = {second}) -> (tensor<?xf32>, tensor<?xf32>) {{
        scf.yield %p, %o : tensor<?xf32>, tensor<?xf32>
      }}
    """)
    assert found["A0"][0] == ("%d" if tied else None)
    assert found["A1"][0] == ("%d" if tied else None)


@pytest.mark.parametrize(
    ("first", "second", "tied"), [("%y", "%d", "%d"), ("%y", "%e", None), ("%d", "%d", "%d"), ("%z", "%d", None)]
)
def test_branches(first: str, second: str, tied: str | None) -> None:
    found = ties(f"""
      %r = scf.if %c -> tensor<?xf32> {{
        %y = linalg.fill ins(%f : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
        %z = tensor.empty(%n) : tensor<?xf32>
        scf.yield {first} : tensor<?xf32>
      }} else {{
        scf.yield {second} : tensor<?xf32>
      }}
    """)
    assert found["A0"][0] == tied


def test_parallel_and_while_loops() -> None:
    found = ties("""
      %x = tensor.extract_slice %s[0] [1] [1] : tensor<8xf32> to tensor<1xf32>
      %r = scf.forall (%k) in (%n) shared_outs(%o = %d) -> tensor<?xf32> {
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %x into %o[%k] [1] [1] : tensor<1xf32> into tensor<?xf32>
        }
      }
      %w = scf.while (%a = %r) : (tensor<?xf32>) -> tensor<?xf32> {
        scf.condition(%c) %a : tensor<?xf32>
      } do {
      ^bb0(%g : tensor<?xf32>):
        %y = linalg.fill ins(%f : f32) outs(%g : tensor<?xf32>) -> tensor<?xf32>
        scf.yield %y : tensor<?xf32>
      }
    """)
    assert found["B0"] == ("%d", "%d")
    assert found["C0"] == ("B0", "%d")


def test_what_may_be_one_of_several_is_not_tied() -> None:
    found = ties("%r = arith.select %c, %d, %e : tensor<?xf32>")
    assert found["A0"] == (None, "A0")


def test_regions_with_branches_are_not_followed() -> None:
    found = ties("""
      %r = scf.execute_region -> tensor<?xf32> {
        cf.cond_br %c, ^one, ^two
      ^one:
        scf.yield %d : tensor<?xf32>
      ^two:
        scf.yield %d : tensor<?xf32>
      }
    """)
    assert found["A0"] == (None, "A0")


def test_each_result_has_its_own_init() -> None:
    with ir.Context():
        module = ir.Module.parse("""
          func.func @f(%d: tensor<8xf32>, %e: tensor<8xf32>) {
            %0:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                iterator_types = ["parallel"]} outs(%e, %d : tensor<8xf32>, tensor<8xf32>) {
              ^bb0(%a: f32, %b: f32):
                linalg.yield %a, %b : f32, f32
            } -> (tensor<8xf32>, tensor<8xf32>)
            return
          }""")
        effects = analyze_module(module.operation, TRIAL_OPTIONS).effects
        s, generic = effects.snapshot, effects.snapshot.op_name.index("linalg.generic")
        inits = [s.operand_value[operand] for operand in s.operands(generic)]
        assert list(map(Destinations(effects).tied, s.results(generic))) == inits


def test_a_long_chain_is_not_recursive() -> None:
    count = 3000
    lines = [f"%t{i + 1} = tensor.insert %f into %t{i}[%i] : tensor<8xf32>" for i in range(count)]
    with ir.Context():
        body = "\n".join(lines)
        module = ir.Module.parse(f"func.func @f(%t0: tensor<8xf32>, %f: f32, %i: index) {{\n{body}\nreturn\n}}")
        block = module.body.operations[0].regions[0].blocks[0]
        last = list(block.operations)[count - 1].operation.results[0]
        effects = analyze_module(module.operation, TRIAL_OPTIONS).effects
        top = Destinations(effects).top(effects.snapshot.value_id(last))
        assert effects.snapshot.values[top] == block.arguments[0]
