"""The bufferization plan: which tensors share a buffer by which rule, and which rule keeps others apart."""

from analysed import ARGUMENTS, function, parse
from plans import class_of, plans_of

from mlir_inplace.passes.analysis.conflicts.decisions import Rule
from mlir_inplace.passes.analysis.dispatch.plan_data import (
    FunctionPlan,
    SeparationRule,
    StorageKind,
    Union,
    UnionKind,
    UnionRule,
)

READ_ONLY = ARGUMENTS.replace('%u: !v loc("u")', '%u: !v {bufferization.writable = false} loc("u")')


def plan(body: str, arguments: str = ARGUMENTS) -> FunctionPlan:
    return plans_of(parse(function(body, arguments)))["f"]


def union_of(found: FunctionPlan, name: str) -> Union:
    """The one union that brings the value called `name` into its class."""
    unions = [union for union in class_of(found, name).unions if union.value.name == name]
    assert len(unions) == 1, unions
    return unions[0]


def rules(found: FunctionPlan) -> list[tuple[str, object, bool]]:
    """The separations: value, rule, and whether it costs a copy."""
    return [(s.value.name, s.rule, s.copies) for s in found.separations]


class TestUnions:
    def test_an_update_is_its_destination(self) -> None:
        found = plan('%r = tensor.insert %f into %t[%i] : !v loc("r")\nreturn %r : !v')
        union = union_of(found, "r")
        assert (union.source.name, union.kind, union.rule) == ("t", UnionKind.SAME, UnionRule.UPDATE)
        assert [storage.kind for storage in class_of(found, "r").storages] == [StorageKind.ARGUMENT]
        assert not found.separations

    def test_what_is_computed_in_a_slice_lies_in_the_destination(self) -> None:
        found = plan(
            """
            %s = tensor.extract_slice %t[%i] [4] [1] : !v to !h loc("s")
            %w = linalg.fill ins(%f : f32) outs(%s : !h) -> !h loc("w")
            %r = tensor.insert_slice %w into %t[%i] [4] [1] : !h into !v loc("r")
            return %r : !v"""
        )
        assert {member.name for member in class_of(found, "t").members} == {"t", "s", "w", "r"}
        views = {u.value.name for u in class_of(found, "t").unions if u.kind is UnionKind.SLICE}
        assert views == {"s", "w"}
        rules_of_w = {union.rule for union in class_of(found, "w").unions if union.value.name == "w"}
        assert rules_of_w == {UnionRule.INIT_OVERWRITTEN, UnionRule.STORED_VALUE}
        assert union_of(found, "s").kind is UnionKind.SLICE
        assert union_of(found, "s").rule is UnionRule.VIEW
        assert not found.separations

    def test_an_init_that_the_payload_reads(self) -> None:
        found = plan(
            """
            %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
                ins(%u : !v) outs(%t : !v) {
              ^bb0(%x: f32, %y: f32):
                %z = arith.addf %x, %y : f32
                linalg.yield %z : f32
              } -> !v loc("w")
            return %w : !v"""
        )
        assert union_of(found, "w").rule is UnionRule.INIT_READ
        assert union_of(found, "w").source.name == "t"

    def test_an_elementwise_input_that_is_the_init_as_well(self) -> None:
        found = plan("""
            %w = linalg.exp ins(%t : !v) outs(%t : !v) -> !v loc("w")
            return %w : !v""")
        assert union_of(found, "w").rule is UnionRule.INPUT_REUSED

    def test_views_of_other_shapes_and_types(self) -> None:
        found = plan("""
            %e = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : !v into tensor<2x4xf32> loc("e")
            %c = tensor.cast %e : tensor<2x4xf32> to tensor<?x4xf32> loc("c")
            %x = tensor.extract %c[%i, %j] : tensor<?x4xf32>
            return %x : f32""")
        assert (union_of(found, "e").kind, union_of(found, "e").rule) == (UnionKind.RESHAPE, UnionRule.VIEW)
        assert union_of(found, "c").rule is UnionRule.VIEW
        assert class_of(found, "c") == class_of(found, "t")

    def test_a_loop_and_what_it_carries(self) -> None:
        found = plan("""
            %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> !v {
              %w = tensor.insert %f into %a[%k] : !v loc("w")
              scf.yield %w : !v
            } loc("r")
            return %r : !v""")
        kinds = {(union.value.name, union.rule) for union in class_of(found, "r").unions}
        assert ("r", UnionRule.CARRIED) in kinds
        assert ("r", UnionRule.YIELDED) in kinds
        assert ("w", UnionRule.UPDATE) in kinds
        assert len(class_of(found, "r").storages) == 1

    def test_a_choice_has_two_storages(self) -> None:
        found = plan("""
            %r = arith.select %p, %t, %u : !v loc("r")
            %x = tensor.extract %r[%i] : !v
            return %x : f32""")
        assert [storage.value.name for storage in class_of(found, "r").storages] == ["t", "u"]
        unions = class_of(found, "r").unions
        assert {(u.source.name, u.kind, u.rule) for u in unions} == {
            ("t", UnionKind.MAYBE, UnionRule.CHOSEN),
            ("u", UnionKind.MAYBE, UnionRule.CHOSEN),
        }

    def test_blocks_and_calls(self) -> None:
        found = plan("""
            cf.cond_br %p, ^a(%t : !v), ^a(%t : !v)
          ^a(%x: !v loc("x")):
            %r = func.call @g(%x) : (!v) -> !v loc("r")
            return %r : !v
          }
          func.func private @g(%y: !v) -> !v {
            return %y : !v""")
        assert {union.rule for union in class_of(found, "t").unions} == {UnionRule.BRANCHED, UnionRule.CALLED}


class TestSeparations:
    def test_a_later_read_keeps_an_update_apart(self) -> None:
        found = plan("""
            %r = tensor.insert %f into %t[%i] : !v loc("r")
            %x = tensor.extract %t[%j] : !v loc("x")
            %y = tensor.extract %r[%j] : !v
            return %x, %y : f32, f32""")
        assert rules(found) == [("t", Rule.READ_AFTER_WRITE, True)]
        assert class_of(found, "r") != class_of(found, "t")
        storage = class_of(found, "r").storages[0]
        assert (storage.kind, storage.detail) == (StorageKind.NEW, "with a copy of t")
        texts = [text for text, _ in found.separations[0].notes]
        assert texts == [
            "operand #1 of 'tensor.insert' writes the buffer",
            "operand #0 of 'tensor.extract' reads the old content",
            "the content is defined here",
        ]

    def test_a_read_only_argument_is_not_written(self) -> None:
        found = plan('%r = linalg.fill ins(%f : f32) outs(%u : !v) -> !v loc("r")\nreturn %r : !v', READ_ONLY)
        assert rules(found) == [("u", Rule.NOT_WRITABLE, False)]
        assert class_of(found, "r").storages[0].detail == ""

    def test_what_is_inserted_from_elsewhere_is_copied(self) -> None:
        found = plan(
            """
            %k = arith.constant dense<2.0> : !h loc("k")
            %e = tensor.empty() : !h loc("e")
            %w = linalg.fill ins(%f : f32) outs(%e : !h) -> !h loc("w")
            %s = tensor.extract_slice %u[0] [4] [1] : !v to !h loc("s")
            %1 = tensor.insert_slice %k into %t[0] [4] [1] : !h into !v loc("1")
            %2 = tensor.insert_slice %w into %1[%i] [4] [1] : !h into !v loc("2")
            %3 = tensor.insert_slice %s into %2[4] [4] [1] : !h into !v loc("3")
            return %3 : !v""",
            READ_ONLY,
        )
        assert rules(found) == [
            ("k", SeparationRule.CONSTANT, True),
            ("w", SeparationRule.OWN_BUFFER, True),
            ("s", SeparationRule.ARGUMENT, True),
        ]
        assert found.copies == 3

    def test_another_part_of_the_same_buffer_is_copied(self) -> None:
        found = plan("""
            %s = tensor.extract_slice %t[4] [4] [1] : !v to !h loc("s")
            %r = tensor.insert_slice %s into %t[0] [4] [1] : !h into !v loc("r")
            return %r : !v""")
        assert class_of(found, "s") == class_of(found, "r")
        assert rules(found) == [("s", SeparationRule.OTHER_PART, True)]

    def test_a_loop_that_copies_into_what_it_carries(self) -> None:
        text = function(
            """
            %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> !v {
              %e = tensor.empty() : !v
              %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
                  ins(%u : !v) outs(%e : !v) {
                ^bb0(%x: f32, %y: f32):
                  linalg.yield %x : f32
                } -> !v loc("w")
              scf.yield %w : !v
            } loc("r")
            return %r : !v"""
        )
        found = plans_of(parse(text), return_allocs=False)["f"]
        carried = [s for s in found.separations if s.carried]
        assert [(s.op, s.value.name, s.copies) for s in carried] == [("scf.yield", "w", True)]


class TestStorages:
    def test_a_shape_needs_no_buffer(self) -> None:
        found = plan("""
            %e = tensor.empty() : !v loc("e")
            return""")
        assert [s.kind for s in class_of(found, "e").storages] == [StorageKind.UNUSED]

    def test_an_input_that_the_payload_does_not_use(self) -> None:
        """The tensor that is used by nothing else needs no buffer, the one that is read does."""
        body = """
            %e = tensor.empty() : !v loc("e")
            %w = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
                ins(%e : !v) outs(%t : !v) {{
              ^bb0(%x: f32, %y: f32):
                linalg.yield {used} : f32
              }} -> !v
            return %w : !v"""
        found = [class_of(plan(body.format(used=used)), "e").storages[0].kind for used in ("%f", "%x")]
        assert found == [StorageKind.UNUSED, StorageKind.NEW]

    def test_a_new_buffer_and_a_constant(self) -> None:
        found = plan("""
            %e = tensor.empty() : !v loc("e")
            %w = linalg.fill ins(%f : f32) outs(%e : !v) -> !v loc("w")
            %k = arith.constant dense<1.0> : !v loc("k")
            %x = tensor.extract %k[%i] : !v
            return %w, %x : !v, f32""")
        assert [s.kind for s in class_of(found, "w").storages] == [StorageKind.NEW]
        assert [s.kind for s in class_of(found, "k").storages] == [StorageKind.CONSTANT]

    def test_memory_that_others_give(self) -> None:
        found = plan(
            """
            %x = bufferization.to_tensor %m restrict : memref<8xf32> to !v loc("x")
            %y = tensor.extract %x[%i] : !v
            return %y : f32""",
            ARGUMENTS + ", %m: memref<8xf32>",
        )
        assert [s.kind for s in class_of(found, "x").storages] == [StorageKind.GIVEN]


class TestReading:
    def test_members_are_parted_into_classes(self) -> None:
        """Every tensor is in one class, and every union stays within one."""
        found = plan("""
            %s = tensor.extract_slice %t[%i] [4] [1] : !v to !h loc("s")
            %w = linalg.fill ins(%f : f32) outs(%s : !h) -> !h loc("w")
            %x = tensor.extract %t[%i] : !v
            %r = tensor.insert_slice %w into %t[%i] [4] [1] : !h into !v loc("r")
            return %r, %x : !v, f32""")
        numbers = [member.number for each in found.classes for member in each.members]
        assert len(numbers) == len(set(numbers)) == 5
        for each in found.classes:
            inside = {member.number for member in each.members}
            assert all({union.value.number, union.source.number} <= inside for union in each.unions)

    def test_values_without_names_are_called_as_printed(self) -> None:
        found = plan("%r = tensor.insert %f into %t[%i] : !v\nreturn %r : !v", ARGUMENTS.replace(' loc("t")', ""))
        assert class_of(found, "%inserted").members[0].name == "%arg0"

    def test_text(self) -> None:
        found = plan("""
            %r = tensor.insert %f into %t[%i] : !v loc("r")
            %x = tensor.extract %t[%j] : !v loc("x")
            return %r, %x : !v, f32""")
        (separation,) = found.separations
        notes = [text for text, _ in separation.notes]
        assert [found.summary, *map(str, found.classes), str(separation), *notes] == [
            "plan of @f: 3 classes, 0 stored, 1 copy",
            "class 0: function argument, as t",
            "class 1: function argument, as u",
            "class 2: new buffer (with a copy of t), as r",
            "t, operand #1 of 'tensor.insert', is copied into a new buffer: a value that is read later would be "
            "overwritten",
            "operand #1 of 'tensor.insert' writes the buffer",
            "operand #0 of 'tensor.extract' reads the old content",
            "the content is defined here",
        ]
