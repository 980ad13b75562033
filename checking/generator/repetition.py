"""The body of a generated program several times, one behind the other, as the layers of a model are.

Each round begins with arguments that are twice those of the round before, so that no two compute the same; the program
returns the results of all rounds. For programs of one function and one block, as `generate_structured` writes them.
"""

from __future__ import annotations

import re
from dataclasses import replace

from .program import GeneratedProgram

__all__ = ["with_repeated_body"]

_NAME = re.compile(r"%[A-Za-z]\w*")
_BRANCH = re.compile(r"\bcf\.")
_PARAMETER = re.compile(r"(%\w+): (tensor<[^>]*>)")


def with_repeated_body(program: GeneratedProgram, times: int = 3) -> GeneratedProgram:
    """Return `program` with its body `times` times. Linear in the text that is returned.

    Raises `ValueError` if it has other functions, or blocks.
    """
    head, *body, end = program.text.rstrip().removesuffix("}").rstrip().split("\n")
    is_one = program.text.count("func.func") == 1 and not _BRANCH.search(program.text)
    if not is_one or not end.lstrip().startswith("return "):
        raise ValueError("expected a program of one function and one block; take one of generate_structured")
    signature, results = head.split(" -> (")
    names, types = end.lstrip().removeprefix("return ").split(" : ")
    parameters = dict(_PARAMETER.findall(signature))
    fixed = set(_NAME.findall(signature)).difference(parameters)
    lines = [f"{signature} -> ({', '.join([results.rstrip(' {').rstrip(')')] * times)}) {{"]
    returned: list[str] = []
    for turn in range(times):
        known = dict.fromkeys(parameters, "") if not turn else {}

        def renamed(text: str, turn: int = turn, known: dict[str, str] = known) -> str:
            return _NAME.sub(lambda m: m[0] if m[0] in fixed or m[0] in known else f"{m[0]}_{turn}", text)

        lines += _doubled(parameters, turn) if turn else []
        lines += [renamed(line) for line in body]
        returned.append(renamed(names))
    lines += [f"  return {', '.join(returned)} : {', '.join([types] * times)}", "}"]
    return replace(program, text="\n".join(lines) + "\n")


def _doubled(parameters: dict[str, str], turn: int) -> list[str]:
    """Return the lines that make the arguments of a round from those of the round before."""
    before = {name: name if turn == 1 else f"{name}_{turn - 1}" for name in parameters}
    return [
        f"  {name}_{turn} = linalg.add ins({before[name]}, {before[name]} : {type_}, {type_})"
        f" outs({before[name]} : {type_}) -> {type_}"
        for name, type_ in parameters.items()
    ]
