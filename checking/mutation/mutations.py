"""Random mutations of MLIR text, as inputs that must be refused with a diagnostic or processed.

`mutate` depends only on its arguments and the random generator, so a seed reproduces a trial. Some mutations destroy
the text (truncation, flipped bytes, dropped braces). Others keep most of it well-formed (one type is replaced by
another, values are swapped, numbers become extreme), so that they reach verifiers, analyses and rewriters, not only the
parser.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable

__all__ = ["mutate", "mutate_pipeline"]

_TOKEN = re.compile(r'\s+|//[^\n]*|"(?:[^"\\\n]|\\.)*"|[%@!#^]?[\w$.]+|->|.', re.DOTALL)
_NUMBER = re.compile(r"(?<![\w%@#^.])-?\d+(?![\w.])|(?<=[<x])\d+(?=x)")
_VALUE = re.compile(r"%[\w$.]+(?:#\d+)?")
_TYPE = re.compile(r"\b(?:tensor|memref|vector)<[^<>\n]*>|(?<=[x: <(])(?:f16|bf16|f32|f64|i1|i8|i32|i64|index)\b")
_ATTRIBUTE = re.compile(r"(?<=[\w.\"] = )(?:[\w.-]+|\"[^\"\n]*\"|[\[{<][^\[\]{}<>\n]*[\]}>])")
_OPERATION = re.compile(r"\b[a-z_]+\.[a-z_0-9.]+\b")

_NUMBERS = ("0", "1", "-1", "2", "1000000", "2147483648", "4294967295", "9223372036854775807", "-9223372036854775808")
_HUGE = "1" + "0" * 40
_TYPES = (
    *("f16", "bf16", "f32", "f64", "f8E4M3FN", "f128", "tf32", "i1", "i3", "i8", "i64", "i128", "i16777215", "si8"),
    *("index", "none", "complex<f32>", "vector<4xf32>", "vector<[4]xf32>", "!dispatch.readonly<tensor<4xf32>>"),
    *("tensor<*xf32>", "tensor<0xf32>", "tensor<f32>", "tensor<?x?xf32>", "tensor<4x?xi1>", "tensor<4xvector<2xf32>>"),
    *("memref<?xf32>", "memref<*xf32>", "memref<4xf32, strided<[?], offset: ?>>", "memref<4xf32, 3>", "()"),
    *(
        "!llvm.ptr",
        "tensor<4xf32, 1>",
        'tensor<4xf32, "x">',
        "tensor<4294967296x4294967296x4294967296xf64>",
        "tuple<f32>",
    ),
    *("memref<4xf32, affine_map<(d0) -> (d0 * 2)>>", "memref<0xf32>", "tensor<4xindex>", "!llvm.ptr"),
)
_ATTRIBUTES = (
    *("unit", "true", "-1", "[]", "{}", '""', '"\\00"', "@f", "f32", "dense<0> : tensor<4xi8>", "array<i64: 0, -1>"),
    *("dense<> : tensor<0xf32>", "affine_map<(d0) -> (d0 floordiv 0)>", "array<i64>", '["true", "false"]', "1.0e400"),
    *("affine_set<(d0) : (d0 >= 0)>", "[[[]]]", "{a = {a = {}}}", "@f::@g", "strided<[1]>", "loc(unknown)"),
)
_OURS = (
    *("inplace.interface", "inplace.contiguous", "inplace.size_checks", "inplace.result_arguments", "inplace.planned"),
    *("inplace.read_only", "inplace.binding", "inplace.alignment", "inplace.count_alignment", "inplace.out_result"),
    *("inplace.trial_slice", "inplace.trial_init", "inplace.trial_insertion", "memory_space"),
    *("bufferization.writable", "bufferization.buffer_layout", "bufferization.access", "__inplace_operands_attr__"),
    *("__opresult_alias_set_attr__", "__bbarg_alias_set_attr__", "__equivalent_func_args__", "operandSegmentSizes"),
    *("llvm.emit_c_interface", "static_offsets", "sym_visibility", "arg_attrs", "res_attrs", "function_type"),
)
_ELEMENTS = (
    "f16",
    "bf16",
    "f64",
    "i1",
    "i3",
    "i8",
    "i64",
    "i1000",
    "index",
    "complex<f32>",
    "f8E4M3FN",
    "vector<2xf32>",
)
_RELATIVES = {
    "arith": ["arith.addf", "arith.addi", "arith.divsi", "arith.constant", "arith.maximumf", "arith.select"],
    "tensor": ["tensor.cast", "tensor.empty", "tensor.dim", "tensor.insert_slice", "tensor.extract_slice"],
    "linalg": ["linalg.matmul", "linalg.add", "linalg.copy", "linalg.fill", "linalg.transpose", "linalg.index"],
    "scf": ["scf.for", "scf.yield", "scf.if", "scf.while", "scf.forall", "scf.parallel", "scf.reduce"],
    "memref": ["memref.alloc", "memref.copy", "memref.dealloc", "memref.subview", "memref.load", "memref.cast"],
}
_NESTS = ("[", "{", "(", "<", "tensor<", "tuple<", "complex<", "module {", "affine_map<(d0) -> ((", "loc(fused[", "-(")
_DEPTHS = (10, 300, 5_000, 200_000)


def mutate(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """`data` after one to three mutations; it may be spliced with `other`. Linear in both.

    Most inputs get only mutations that often keep text well-formed, since the bugs are behind the parser.
    """
    text, donor = data.decode(errors="replace"), other.decode(errors="replace")
    splicers = [functools.partial(splicer, donor) for splicer in SPLICERS]
    mutators = GENTLE if rng.random() < 0.7 else (*GENTLE, *DESTRUCTIVE, *splicers)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3))):
        text = rng.choice(mutators)(text, rng)
    mutated = text.encode(errors="replace")
    return _break_bytes(mutated, rng) if mutators is not GENTLE and rng.random() < 0.15 else mutated


def mutate_pipeline(pipeline: str, rng: random.Random) -> str:
    """A pipeline's text with one or two tokens deleted, doubled, replaced or made extreme."""
    for _ in range(rng.randint(1, 2)):
        mutator = rng.choice((_delete_token, _double_token, _swap_tokens, _change_number, _drop_bracket, _truncate))
        pipeline = mutator(pipeline, rng)
    return pipeline


def _break_bytes(data: bytes, rng: random.Random) -> bytes:
    """Flips a few bits, or puts in bytes that are not text."""
    broken = bytearray(data or b" ")
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(broken))
        if rng.random() < 0.5:
            broken[place] ^= 1 << rng.randrange(8)
        else:
            broken[place:place] = rng.choice((b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\r", b"ML\xefR"))
    return bytes(broken)


def _truncate(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _splice(donor: str, text: str, rng: random.Random) -> str:
    """The first lines of one text, the last lines of another."""
    first, second = text.split("\n"), donor.split("\n")
    return "\n".join(first[: rng.randrange(len(first) + 1)] + second[rng.randrange(len(second) + 1) :])


def _tokens(text: str) -> tuple[list[str], list[int]]:
    """All tokens, and the positions of the significant ones."""
    tokens = _TOKEN.findall(text)
    return tokens, [place for place, token in enumerate(tokens) if not (token.isspace() or token.startswith("//"))]


def _delete_token(text: str, rng: random.Random) -> str:
    tokens, places = _tokens(text)
    if places:
        del tokens[rng.choice(places)]
    return "".join(tokens)


def _double_token(text: str, rng: random.Random) -> str:
    tokens, places = _tokens(text)
    if places:
        place = rng.choice(places)
        tokens.insert(place, f"{tokens[place]} ")
    return "".join(tokens)


def _swap_tokens(text: str, rng: random.Random) -> str:
    tokens, places = _tokens(text)
    if places:
        first, second = rng.choice(places), rng.choice(places)
        tokens[first], tokens[second] = tokens[second], tokens[first]
    return "".join(tokens)


def _take_token(donor: str, text: str, rng: random.Random) -> str:
    """Replaces a token by one of the other text."""
    (tokens, places), (others, candidates) = _tokens(text), _tokens(donor)
    if places and candidates:
        tokens[rng.choice(places)] = others[rng.choice(candidates)]
    return "".join(tokens)


def _drop_bracket(text: str, rng: random.Random) -> str:
    return _replace_one(re.compile(r"[\[\](){}<>]"), text, lambda _: "", rng)


def _drop_line(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def _double_line(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    place = rng.randrange(len(lines))
    lines[place:place] = [lines[place]] * rng.choice((1, 1, 3, 200))
    return "\n".join(lines)


def _swap_lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines)


def _change_number(text: str, rng: random.Random) -> str:
    return _replace_one(_NUMBER, text, lambda _: rng.choice((*_NUMBERS, _HUGE)), rng)


def _change_numbers(text: str, rng: random.Random) -> str:
    """All occurrences of one number become another, so that types still match."""
    return _replace_all_of_one(_NUMBER, text, rng.choice(_NUMBERS), rng)


def _change_size(text: str, rng: random.Random) -> str:
    """A size of one type, or of all such types, becomes dynamic or another one."""
    size = re.compile(r"(?<=[<x])(?:\d+|\?)(?=x)")
    choice = rng.choice(("?", "0", "1", "4", "1000000", "4611686018427387904"))
    return _replace_one(size, text, lambda _: choice, rng) if rng.random() < 0.4 else size.sub(choice, text)


def _change_type(text: str, rng: random.Random) -> str:
    return _replace_one(_TYPE, text, lambda _: rng.choice(_TYPES), rng)


def _change_types(text: str, rng: random.Random) -> str:
    return _replace_all_of_one(_TYPE, text, rng.choice(_TYPES), rng)


def _change_element_types(text: str, rng: random.Random) -> str:
    """All elements of one type become elements of another, in tensors and scalars alike."""
    element = re.compile(r"(?<![\w.%@])(?:(?<=x)|(?<!x))(?:f16|bf16|f32|f64|i1|i8|i32|i64|index)\b")
    return _replace_all_of_one(element, text, rng.choice(_ELEMENTS), rng)


def _swap_operations(text: str, rng: random.Random) -> str:
    """An op becomes another one of its dialect that is in the text, or one of the same arity known to be hard."""
    names = sorted(set(_OPERATION.findall(text)))

    def other(name: str) -> str:
        dialect = name.partition(".")[0]
        return rng.choice([n for n in names if n.startswith(f"{dialect}.")] + _RELATIVES.get(dialect, []))

    return _replace_one(_OPERATION, text, other, rng)


def _change_value(text: str, rng: random.Random) -> str:
    """A use becomes the use of another value, which often has the same type."""
    return _replace_one(_VALUE, text, lambda _: rng.choice(_VALUE.findall(text)), rng)


def _change_operation(donor: str, text: str, rng: random.Random) -> str:
    candidates = _OPERATION.findall(donor) or ["test.unknown"]
    return _replace_one(_OPERATION, text, lambda _: rng.choice((*candidates, "test.unknown")), rng)


def _change_attribute(text: str, rng: random.Random) -> str:
    return _replace_one(_ATTRIBUTE, text, lambda _: rng.choice(_ATTRIBUTES), rng)


def _add_attribute(text: str, rng: random.Random) -> str:
    """An attribute that passes read, with an unintended value, at an op, an argument or a function."""
    added = f"{rng.choice(_OURS)} = {rng.choice(_ATTRIBUTES)}"
    kind = rng.randrange(3)
    if kind == 0:
        return _replace_one(re.compile(r"(?<=\)) \{\n"), text, lambda _: f" attributes {{{added}}} {{\n", rng)
    if kind == 1:
        return _replace_one(re.compile(r"(?<=>)(?=[,)])"), text, lambda _: f" {{{added}}}", rng)
    return _replace_one(re.compile(r"(?<=[\w)\]]) :(?= )"), text, lambda _: f" {{{added}}} :", rng)


def _nest(text: str, rng: random.Random) -> str:
    """The same bracket again and again, at one place."""
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(_NESTS) * rng.choice(_DEPTHS) + text[place:]


def _wrap(text: str, rng: random.Random) -> str:
    depth = rng.choice((1, 2, 50))
    return "module {\n" * depth + text + "\n}" * depth


def _replace_one(pattern: re.Pattern[str], text: str, make: Callable[[str], str], rng: random.Random) -> str:
    found = [match.span() for match in pattern.finditer(text)]
    if not found:
        return text
    start, end = rng.choice(found)
    return text[:start] + make(text[start:end]) + text[end:]


def _replace_all_of_one(pattern: re.Pattern[str], text: str, replacement: str, rng: random.Random) -> str:
    found = pattern.findall(text)
    if not found:
        return text
    chosen = rng.choice(found)
    return pattern.sub(lambda match: replacement if match[0] == chosen else match[0], text)


Mutator = Callable[[str, random.Random], str]

GENTLE: tuple[Mutator, ...] = (
    *(_drop_line, _double_line, _swap_lines, _change_number, _change_numbers, _change_numbers, _change_size),
    *(_change_size, _change_size, _change_type, _change_types, _change_types, _change_element_types, _change_value),
    *(_change_value, _change_value, _change_value, _change_attribute, _add_attribute, _add_attribute, _swap_operations),
)
DESTRUCTIVE: tuple[Mutator, ...] = (
    *(_truncate, _delete_token, _double_token, _swap_tokens, _drop_bracket, _nest, _wrap),
)
SPLICERS: tuple[Callable[[str, str, random.Random], str], ...] = (_splice, _take_token, _change_operation)
