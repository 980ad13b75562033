"""The C header of a library, which C++ reads too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ... import __version__
from ...passes.framework.contract import RETURNED
from ..interface.forms import Form
from ..interface.signature import Parameter, ValueType
from .c_types import ArrayType, array_type, element_name, is_complex
from .interface import CFunction, CResult
from .library import Library
from .message_header import message_functions, shard_text

__all__ = ["header_text"]

_THREADS = """ They may be
   called from several threads at once."""
_ARRAYS = f"""\
/* Arrays are structs. Sizes and strides are numbers of elements, strides in row-major order where the comment of the
   function says so. `memory` matters only in results: it is what the caller gives to free(), and NULL where the data
   belongs to an argument or to another result. Arrays that a call writes may not overlap any other.

   Functions return 0, or the number of an error. Nothing was written before unless an assertion failed, memory was
   refused, or recursion was too deep; then there are no results, and all that the call allocated is freed.{_THREADS} */
"""


def header_text(library: Library, source: str, links: Sequence[str]) -> str:
    """The header; `source` is the name of the program, and `links` are libraries that the code needs."""
    prefix = library.wanted.prefix
    guard = f"{prefix.upper()}_H"
    complexes = sorted({element_name(one.element, prefix) for one in _types(library) if is_complex(one.element)})
    arrays = {array_type(one, prefix): None for one in _types(library) if one.is_array}
    loosest = library.forms[min(library.forms)]
    functions = (_function(function, loosest[function.signature.name], library) for function in library.functions)
    parts = [
        f"/* Functions of {_comment(source)}, compiled by mlir-inplace {__version__} for "
        f"{', '.join(target.name for target in library.wanted.targets)}.\n   Link with {' '.join(links)}. */",
        f"#ifndef {guard}\n#define {guard}\n\n"
        f"{'#include <mpi.h>' + chr(10) if library.messages else ''}"
        "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>",
        '#ifdef __cplusplus\nextern "C" {\n#endif',
        _ARRAYS.rstrip() if library.messages is None else _ARRAYS.replace(_THREADS, "").rstrip(),
        *(_complex(name) for name in complexes),
        *map(_array, arrays),
        _errors(library),
        *_common_functions(library),
        *functions,
        "#ifdef __cplusplus\n}\n#endif\n\n#endif",
    ]
    return "\n\n".join(parts) + "\n"


def _types(library: Library) -> Iterable[ValueType]:
    """The types of everything that has a parameter."""
    for function in library.functions:
        yield from (parameter.type for _, parameter in function.parameters)
        yield from (result.type for result in function.results)


def _complex(name: str) -> str:
    part = "float" if name.endswith("64") else "double"
    return f"typedef struct {{\n  {part} re, im;\n}} {name};"


def _array(type_: ArrayType) -> str:
    name, rank = type_.name, type_.rank
    members = [f"  {type_.element} *data;"]
    members += [f"  int64_t sizes[{rank}];", f"  int64_t strides[{rank}];"] if rank else []
    members.append("  void *memory;")
    sizes = [f"size{axis}" for axis in range(rank)]
    strides = [" * ".join(sizes[axis + 1 :]) or "1" for axis in range(rank)]
    values = [f"{{{', '.join(sizes)}}}", f"{{{', '.join(strides)}}}"] if rank else []
    listed = "".join(f", int64_t {size}" for size in sizes)
    lines = [
        "typedef struct {",
        *members,
        f"}} {name};\n",
        "/* A contiguous array in row-major order. */",
        f"static inline {name} {name}_of({type_.element} *data{listed}) {{",
        f"  {name} array = {{{', '.join(['data', *values, 'NULL'])}}};",
        "  return array;\n}",
    ]
    return "\n".join(lines)


def _errors(library: Library) -> str:
    prefix = library.wanted.prefix.upper()
    names = zip(library.errors.names, library.errors.texts, strict=True)
    lines = [f"  {prefix}_{name} = {number}, /* {_comment(text)} */" for number, (name, text) in enumerate(names)]
    lines[-1] = lines[-1].replace(", /*", " /*", 1)
    return "\n".join(["enum {", *lines, "};"])


def _common_functions(library: Library) -> list[str]:
    prefix = library.wanted.prefix
    found = [
        f"/* The text of an error. It is a constant. */\nconst char *{prefix}_message(int error);",
        "/* The processor whose code runs here: one of those above; NULL if it runs on none of them. */\n"
        f"const char *{prefix}_cpu(void);",
    ]
    if library.guarded:
        text = "/* How many bytes the system refused the last time that a call on this thread was given up for it. */"
        found.append(f"{text}\nsize_t {prefix}_refused_bytes(void);")
    if library.pooled:
        text = "/* Free the large temporaries that are kept for later calls, 256 MiB at most. */"
        found.append(f"{text}\nvoid {prefix}_release_memory(void);")
    return found if library.messages is None else [*found, *message_functions(library.messages, prefix)]


def _function(function: CFunction, form: Form, library: Library) -> str:
    prefix, messages, name = library.wanted.prefix, library.messages, function.signature.name
    lines = [_comment(str(function.signature)), ""]
    declared = [_declared(name, parameter.type, prefix) for name, parameter in function.parameters]
    for c_name, parameter in function.parameters:
        shard = shard_text(messages.parameter(name, parameter.index)) if messages else ""
        lines.append(f"{c_name}: {_parameter_text(parameter, form)}{shard}")
    for result in function.results:
        shard = shard_text(messages.result(name, result.number)) if messages else ""
        declared.append(_result_declared(result, prefix))
        lines.append(f"{result.name}: {_result_text(result)}{shard}")
    count = len(function.signature.parameters)
    for number, place in enumerate(function.result_places):
        if RETURNED != place < count:
            lines.append(f"result {number} is in {function.parameter_names[place]}")
    text = "\n   ".join(map(_comment, lines)).replace("\n   \n", "\n\n")
    return f"/* {text} */\nint {function.name}({', '.join(declared) or 'void'});"


def _result_declared(result: CResult, prefix: str) -> str:
    if not result.type.is_array:
        return f"{element_name(result.type.element, prefix)} *{result.name}"
    name = f"{array_type(result.type, prefix).name} *{result.name}"
    return name if result.out is None else f"const {name}"


def _result_text(result: CResult) -> str:
    if not result.type.is_array:
        return f"{result.type.spelling}, stored there"
    if result.out is None:
        return f"{result.type.spelling}, a struct to fill; free() its `memory`"
    aligned = _aligned(max(result.out.alignment, result.type.element.alignment))
    return f"{result.type.spelling}, memory to write it to, in row-major order{aligned}"


def _declared(name: str, type_: ValueType, prefix: str) -> str:
    if type_.is_array:
        return f"const {array_type(type_, prefix).name} *{name}"
    element = element_name(type_.element, prefix)
    return f"const {element} *{name}" if is_complex(type_.element) else f"{element} {name}"


def _parameter_text(parameter: Parameter, form: Form) -> str:
    type_, layout = parameter.type, form.layouts[parameter.index]
    if layout is None:
        return type_.spelling
    used = "written in place" if parameter.writable else "read"
    if layout.identity:
        order = ", in row-major order"
    elif any(stride is not None for stride in layout.strides):
        order = f", strides {', '.join('any' if one is None else str(one) for one in layout.strides)}"
    else:
        order = ", with any strides"
    return f"{type_.spelling}, {used}{order}{_aligned(layout.alignment)}"


def _aligned(alignment: int) -> str:
    return f", aligned to {alignment} bytes" if alignment > 1 else ""


def _comment(text: str) -> str:
    """`text` as it may stand in a comment."""
    return text.replace("*/", "* /").replace("/*", "/ *")
