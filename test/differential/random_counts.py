"""How often our bufferization allocates or copies more than upstream's default, on random programs.

    python test/differential/random_counts.py --seeds 0..1000
    python test/differential/random_counts.py --kind structured --seeds 17..18 --reduce

Both bufferize the same program, and are cleaned up in the same way. The program counts as worse if ours has more
allocations or more copies, in the text or in an execution by the evaluator. It is not compared where upstream refuses
it, or where the values of its result are wrong: those are counted by themselves. Where ours has more, both are run with
other arguments too, each function by itself as well; then with other scalar ops, other numbers to fill with and other
conditions of branches, on which no decision depends: what goes wrong then is right by chance. What upstream refuses for
loops that return buffers is tried with `allow-return-allocs-from-loops`.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import mlir_inplace as mi

if __name__ == "__main__":  # As conftest.py does for tests.
    sys.path.append(str(Path(__file__).parents[1] / "support"))

import numpy as np
import oracle
from generated import SUBJECTS
from mlir import ir

from mlir_inplace.checking.checker.isolation import isolated
from mlir_inplace.checking.checker.reduction import Reducer
from mlir_inplace.checking.evaluator import Evaluation, EvaluationError, Evaluator
from mlir_inplace.checking.fuzzing.outcomes import Trial, copies_of, difference
from mlir_inplace.checking.generator import GeneratedProgram, generate, generate_structured
from mlir_inplace.passes.framework.errors import PassError

OURS = "inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}"
RETURNS = oracle.DEFAULT.replace("}", " allow-return-allocs-from-loops=true}")
CLEAN_UP = f"builtin.module({oracle.CLEAN_UP.replace('canonicalize', 'inplace-canonicalize')})"
"""Upstream's folding of sizes makes ops that its verifier refuses, mostly where nothing ever runs; this mends them."""
STEPS = 3_000_000
REINTERPRETS = re.compile(r"arith\.index_cast.*tensor<")
"""Upstream makes a cast of memrefs of this, which is no program that can be run."""
VARIATIONS = 60
"""How many other argument sets are tried."""
CALLS = 20
"""How many argument sets are tried for each of its functions by itself."""
SIBLINGS = 40
"""How many other programs are tried."""
SWAPPED: dict[str, tuple[str, ...]] = {
    r"arith\.cmpi \w+": tuple(f"arith.cmpi {name}" for name in ("eq", "ne", "slt", "sge")),
    r"arith\.\w+i (?=%\w+, %\w+ : i\d\d?\b)(?!.* : i1$)": ("arith.addi ", "arith.subi ", "arith.muli "),
    r"arith\.\w+i (?=%(?:in|out)\w*, %(?:in|out)\w* : index$)": ("arith.addi ", "arith.subi ", "arith.muli "),
    r"arith\.(?:and|or|xor|add|sub|mul)i (?=%\w+, %\w+ : i1$)": ("arith.andi ", "arith.ori ", "arith.xori "),
    r"arith\.\w+f (?=%\w+, %\w+ : \w*f\d\d$)": tuple(f"arith.{name}f " for name in ("add", "sub", "mul", "maximum")),
}
"""Scalar ops that can stand for one another. Index arithmetic is not among them: it says which slices overlap; that of
a payload's elements is."""
FILL = r"^(?P<fill> *%\w+ = linalg\.fill )ins\(%\w+ : (?P<type>b?f\d+|i\d\d?|index)\)"
"""A fill; no decision depends on its number, and equal ones hide that one fill has overwritten another."""
BRANCHES: dict[str, str] = {
    r"^.*(?:cf\.cond_br|scf\.if|scf\.condition\() ?(?P<flag>%\w+)(?:,| \{| ->|\)).*$": "i1",
    r"^.*cf\.switch (?P<flag>%\w+) : i32, \[.*$": "i32",
    r"^.*scf\.index_switch (?P<flag>%\w+) .*$": "index",
}
"""The branches of a program, and the types of their conditions. No decision of upstream's depends on a condition."""
DECIDE = """
  memref.global "private" @drawn : memref<i32> = dense<0>
  func.func private @decide_i32() -> i32 {
    %factor = arith.constant 1664525 : i32
    %offset = arith.constant 1013904223 : i32
    %bits = arith.constant 30 : i32
    %memory = memref.get_global @drawn : memref<i32>
    %before = memref.load %memory[] : memref<i32>
    %product = arith.muli %before, %factor : i32
    %after = arith.addi %product, %offset : i32
    memref.store %after, %memory[] : memref<i32>
    %decision = arith.shrui %after, %bits : i32
    return %decision : i32
  }
  func.func private @decide_i1() -> i1 {
    %two = arith.constant 2 : i32
    %number = func.call @decide_i32() : () -> i32
    %decision = arith.cmpi slt, %number, %two : i32
    return %decision : i1
  }
  func.func private @decide_index() -> index {
    %number = func.call @decide_i32() : () -> i32
    %decision = arith.index_cast %number : i32 to index
    return %decision : index
  }
}
"""
"""Conditions that nobody can tell in advance: another one each time."""
WAYS = 12
"""How many ways through such a program are tried."""
SECONDS = 60
"""The processor time that one program may take."""
COUNTING = 5
"""The processor time before any search: some of upstream's passes do not end, or take all memory."""
SEARCH = "the search for arguments and siblings"
REFUTING = 40
"""The processor time after which upstream is taken to be right."""

KINDS: dict[str, Callable[[int], GeneratedProgram]] = {
    **{name: partial(generate, size=6, features=features) for name, features in SUBJECTS.items()},
    "structured": partial(generate_structured, size=6),
}
"""The kinds of random programs. Dispatch functions are not among them: upstream does not know their ops."""


@dataclass(frozen=True)
class Costs:
    """The allocations and copies of a program in memrefs: in the text, and in the calls with all its arguments."""

    allocations: int
    copies: int
    allocated: int = 0
    copied: int = 0
    copied_bytes: int = 0

    def exceeds(self, other: Costs) -> list[str]:
        """What is more than in another program."""
        return [name for name, number in vars(self).items() if number > vars(other)[name]]


@dataclass(frozen=True)
class Tries:
    """How long a run may be, and how many argument sets are tried, of the program and of each of its functions."""

    steps: int = STEPS
    arguments: int = VARIATIONS
    calls: int = CALLS
    until: float = float("inf")
    """The processor time of this process from which on nothing more is tried."""


@dataclass(frozen=True)
class Comparison:
    """What is known of one program: an outcome, the costs of both, and what ours has more of."""

    outcome: str
    ours: Costs = Costs(0, 0)
    upstream: Costs = Costs(0, 0)
    more: tuple[str, ...] = ()


def compare(
    program: GeneratedProgram, module: ir.Module, begin: Callable[[str], None] = lambda part: None
) -> Comparison:
    """Bufferize and run `module`, the program, both ways. Upstream's passes may crash, or not end.

    What may crash is told to `begin` first.
    """
    begin("upstream's bufferization")
    try:
        source, theirs = upstream(module)
    except oracle.Refused as refused:
        return Comparison(f"refused by upstream: {message(refused)}")
    begin("our bufferization")
    ours = source.operation.clone()
    try:
        with oracle.context():
            mi.run_pipeline(ours, f"builtin.module({OURS})")
    except PassError as error:
        return Comparison(f"refused by ours: {message(error)}")
    texts = functions(theirs)
    counts: list[Costs] = []
    for name, made in (("ours", ours), ("upstream", theirs)):
        begin(f"the clean-up after {name}")
        try:
            counts.append(counted(made))
        except (ir.MLIRError, PassError) as error:
            return Comparison(f"not cleaned up after {name}: {message(error)}")
    begin("the evaluator")
    try:
        wanted = run(module, program)
    except EvaluationError as error:
        return Comparison(f"no reference: {message(error)}", *counts)
    both: list[Costs] = []
    for name, made, count in zip(("ours", "upstream"), (ours, theirs), counts, strict=True):
        try:
            found = run(made, program)
        except EvaluationError as error:
            return Comparison(f"wrong in {name}: {message(error)}", *counts)
        if any(map(partial(is_wrong, program), found, wanted)):
            return Comparison(f"wrong in {name}", *counts)
        numbers = [sum(getattr(one, name) for one in found) for name in ("allocations", "copies", "copied_bytes")]
        both.append(replace(count, **dict(zip(("allocated", "copied", "copied_bytes"), numbers, strict=True))))
    more = tuple(both[0].exceeds(both[1]))
    if not more:
        return Comparison("fewer" if both[1].exceeds(both[0]) else "same", *both)
    begin(SEARCH)
    wrong = refuted(program, module, {"ours": ours, "upstream": theirs}, Tries(until=REFUTING))
    wrong = wrong or refuted_by_a_caller(program, module, texts, REFUTING)
    wrong = wrong or refuted_by_siblings(program, module, counts[1], REFUTING)
    return Comparison(f"wrong in {wrong}" if wrong else "more", *both, () if wrong else more)


def is_wrong(program: GeneratedProgram, found: Evaluation, wanted: Evaluation) -> bool:
    """Whether results, or arguments that the program keeps, are not what the reference says, or undefined."""
    problem = difference((found.results, found.arguments), wanted, program.kept, Trial())
    return problem is not None or any_undefined(found)


def any_undefined(found: Evaluation) -> bool:
    return any(mask is not None and np.any(mask) for mask in found.undefined)


def refuted(program: GeneratedProgram, module: ir.Module, made: dict[str, ir.Module], tries: Tries = Tries()) -> str:
    """The first name in `made` of what is wrong for arguments other than those `program` comes with; empty if none is.

    Arguments for which the program is not defined say nothing: the reference refuses them.
    """
    reference, evaluators = Evaluator(module), {name: Evaluator(each) for name, each in made.items()}
    for function, kept, given in calls(program, module, tries):
        if time.process_time() > tries.until:
            return ""
        called = replace(program, function=function, kept=kept)
        try:
            wanted = reference.run(function, copies_of(given), steps=tries.steps)
        except EvaluationError:
            continue
        if any_undefined(wanted):
            continue
        for name, evaluator in evaluators.items():
            try:
                if is_wrong(called, evaluator.run(function, copies_of(given), steps=4 * tries.steps), wanted):
                    return f"{name}, with other arguments"
            except EvaluationError:
                return f"{name}, with other arguments"
    return ""


def calls(
    program: GeneratedProgram, module: ir.Module, tries: Tries
) -> Iterator[tuple[str, Sequence[int], tuple[Any, ...]]]:
    """Calls of the program, and of its functions by themselves: their names, the arguments they keep, and arguments.

    A program may call a function without using what it returns, or always with the same arguments.
    """
    for given in itertools.islice(variations(program, module), tries.arguments):
        yield program.function, program.kept, given
    draw = np.random.default_rng(program.seed)
    for function in module.body.operations:
        if function.operation.name != "func.func" or function.is_external:
            continue
        name, types = function.name.value, function.type.inputs
        if name == program.function or not all(is_drawn(type_) for type_ in types):
            continue
        for _ in range(tries.calls):
            usual = int(draw.integers(1, 5))
            yield name, (), tuple(drawn(type_, usual, draw) for type_ in types)


def is_drawn(type_: ir.Type) -> bool:
    """Whether there are random arguments of a type."""
    if isinstance(type_, ir.RankedTensorType):
        return str(type_.element_type) in oracle.DTYPES
    return str(type_) in oracle.DTYPES


def drawn(type_: ir.Type, usual: int, draw: np.random.Generator) -> Any:
    """A random argument; `usual` is what most indices and dynamic sizes are, so that sizes fit one another."""

    def size() -> int:
        return usual if draw.random() < 0.9 else int(draw.integers(6))

    if not isinstance(type_, ir.RankedTensorType):
        if str(type_) == "index":
            return size()
        dtype = oracle.DTYPES[str(type_)]
        return draw.integers(9, size=()).astype(dtype)[()]
    sizes = [size() if type_.is_dynamic_dim(n) else type_.get_dim_size(n) for n in range(type_.rank)]
    return draw.integers(9, size=sizes).astype(oracle.DTYPES[str(type_.element_type)])


def refuted_by_siblings(program: GeneratedProgram, module: ir.Module, costs: Costs, until: float = float("inf")) -> str:
    """What is wrong for programs that differ in scalar ops, and in which upstream's allocations and copies are `costs`.

    Other conditions take other paths. With another payload it shows that an op has run twice, or on the wrong values.
    """
    draw = random.Random(program.seed)
    for number in range(SIBLINGS):
        if time.process_time() > until:
            return ""
        text = str(module)
        for pattern, choices in SWAPPED.items():
            text = re.sub(pattern, partial(swapped, choices, draw), text, flags=re.MULTILINE)
        text = with_other_fills(text, draw)
        is_open = number % 2 == 1
        try:
            sibling = oracle.parse(with_any_conditions(text, draw) if is_open else text)
            _, theirs = upstream(sibling)
            ours = sibling.operation.clone()
            with oracle.context():
                mi.run_pipeline(ours, f"builtin.module({OURS})")
            is_alike = counted(theirs) == costs
        except (ir.MLIRError, PassError, oracle.Refused):
            continue
        made = {"ours": ours, "upstream": theirs}
        if is_alike and is_open:
            wrong = next(filter(None, (refuted_on_a_way(program, sibling, made, draw, until) for _ in range(WAYS))), "")
        else:
            wrong = refuted(program, sibling, made, Tries(STEPS // 100, until=until)) if is_alike else ""
        if wrong:
            return f"{wrong} and {'conditions' if is_open else 'scalar ops'}"
    return ""


def refuted_by_a_caller(program: GeneratedProgram, module: ir.Module, texts: dict[str, str], until: float) -> str:
    """What is wrong for a caller that overwrites what it got, and calls again; upstream makes `texts` of the functions.

    Upstream returns the memory of mutable globals, for example, which the next call overwrites.
    """
    try:
        sibling = oracle.parse(with_a_caller(module, program.function))
        _, theirs = upstream(sibling)
        ours = sibling.operation.clone()
        with oracle.context():
            mi.run_pipeline(ours, f"builtin.module({OURS})")
    except (ir.MLIRError, PassError, oracle.Refused):
        return ""
    if texts.items() - functions(theirs).items():
        return ""
    called = replace(program, function="caller", kept=())
    wrong = refuted(called, sibling, {"ours": ours, "upstream": theirs}, Tries(arguments=10, calls=0, until=until))
    return f"{wrong} and called twice" if wrong else ""


def functions(module: ir.Module) -> dict[str, str]:
    """The text of each function."""
    return {op.name.value: str(op) for op in module.body.operations if op.operation.name == "func.func"}


def with_a_caller(module: ir.Module, function: str) -> str:
    """The program with a function that calls `function` twice, and fills the tensors of the first call in between."""
    type_ = ir.SymbolTable(module.operation)[function].attributes["function_type"].value
    names = [f"%given_{n}" for n in range(len(type_.inputs))]
    inputs, results = (", ".join(map(str, types)) for types in (type_.inputs, type_.results))
    call = f"func.call @{function}({', '.join(names)}) : ({inputs}) -> ({results})"
    lines, first = [f"%first:{len(type_.results)} = {call}"], []
    for n, result in enumerate(type_.results):
        first.append(f"%first#{n}")
        if isinstance(result, ir.RankedTensorType) and str(result.element_type) in oracle.DTYPES:
            element = str(result.element_type)
            number = "true" if element == "i1" else "11.0" if "f" in element else "11"
            first[-1] = f"%filled_first_{n}"
            lines.append(f"%with_{n} = arith.constant {number}" + ("" if element == "i1" else f" : {element}"))
            lines.append(
                f"{first[-1]} = linalg.fill ins(%with_{n} : {element}) outs(%first#{n} : {result}) -> {result}"
            )
    second = [f"%second#{n}" for n in range(len(first))]
    lines += [f"%second:{len(first)} = {call}", f"return {', '.join(first + second)} : {results}, {results}"]
    arguments = ", ".join(f"{name}: {each}" for name, each in zip(names, type_.inputs, strict=True))
    body = "\n".join(lines)
    text = f"func.func @caller({arguments}) -> ({results}, {results}) {{\n{body}\n}}\n}}\n"
    return str(module).rstrip().removesuffix("}") + text


def refuted_on_a_way(
    program: GeneratedProgram, module: ir.Module, made: dict[str, ir.Module], draw: random.Random, until: float
) -> str:
    """What is wrong for some way through a program with any conditions."""
    asked, *others = (each.operation.clone() for each in (module, *made.values()))
    number = draw.randrange(1 << 31)
    for each in (asked, *others):
        # Not in the text: upstream cannot read back every cf.switch that it prints.
        drawn = ir.SymbolTable(each)["drawn"].operation
        drawn.attributes["initial_value"] = ir.Attribute.parse(f"dense<{number}> : tensor<i32>", each.context)
    return refuted(program, asked, dict(zip(made, others, strict=True)), Tries(STEPS // 100, 6, 4, until))


def swapped(choices: Sequence[str], draw: random.Random, found: re.Match[str]) -> str:
    """Another op, for about every second one: most conditions that stay let loops run on."""
    return draw.choice(choices) if draw.random() < 0.5 else found[0]


def with_other_fills(text: str, draw: random.Random) -> str:
    """The program with numbers of their own for about every second fill."""
    names = itertools.count()

    def replaced(found: re.Match[str]) -> str:
        type_, number = found["type"], draw.randrange(2, 9)
        if type_ == "i1" or draw.random() < 0.5:
            return found[0]
        name = f"%filled_{next(names)}"
        literal = number if type_ == "index" or type_.startswith("i") else float(number)
        return f"{name} = arith.constant {literal} : {type_}\n{found['fill']}ins({name} : {type_})"

    return re.sub(FILL, replaced, text, flags=re.MULTILINE)


def with_any_conditions(text: str, draw: random.Random) -> str:
    """The program with branches of which nobody can tell which way they go; some stay as they are."""
    numbers = itertools.count()

    def replaced(type_: str, found: re.Match[str]) -> str:
        if draw.random() < 0.2:
            return found[0]
        name, first = f"%decision_{next(numbers)}", found.start()
        branch = found[0][: found.start("flag") - first] + name + found[0][found.end("flag") - first :]
        return f"{name} = func.call @decide_{type_}() : () -> {type_}\n{branch}"

    for pattern, type_ in BRANCHES.items():
        text = re.sub(pattern, partial(replaced, type_), text, flags=re.MULTILINE)
    return text.rstrip().removesuffix("}") + DECIDE


def variations(program: GeneratedProgram, module: ir.Module) -> Iterator[tuple[Any, ...]]:
    """Argument sets like those of the program: other conditions, indices, dynamic sizes and orders of elements."""
    draw = random.Random(program.seed)
    function = ir.SymbolTable(module.operation)[program.function]
    types = function.attributes["function_type"].value.inputs
    shapes = [list(ir.ShapedType(type_).shape) if isinstance(type_, ir.ShapedType) else [] for type_ in types]
    for _ in range(VARIATIONS):
        # One number stands for sizes that are equal, so all of them change alike.
        numbers = [number if draw.random() < 0.5 else draw.randrange(6) for number in range(10)]
        given = draw.choice(program.argument_sets)
        yield tuple(varied(value, shape, numbers, draw) for value, shape in zip(given, shapes, strict=True))


def varied(value: Any, shape: Sequence[int], numbers: Sequence[int], draw: random.Random) -> Any:
    """Another argument of the type of `value`; small integers become what `numbers` has at their place."""
    if isinstance(value, (bool, np.bool_)):
        return draw.random() < 0.5
    if isinstance(value, int):
        return numbers[value] if 0 <= value < len(numbers) else value
    if not isinstance(value, np.ndarray):
        return value
    dynamic = ir.ShapedType.get_dynamic_size()
    sizes = [numbers[n] if d == dynamic and n < len(numbers) else n for d, n in zip(shape, value.shape, strict=True)]
    order = slice(None, None, draw.choice((1, -1)))
    return np.resize(value.reshape(-1)[order], sizes).astype(value.dtype)


def upstream(module: ir.Module) -> tuple[ir.Module, ir.Module]:
    """The program that upstream takes, lowered first where it wants that, and what it makes of it."""
    lowerings = list(dict.fromkeys(oracle.LOWERED_FIRST.values()))
    for first in lowerings if REINTERPRETS.search(str(module)) else ["", *lowerings]:
        source = module.operation.clone()
        if first:
            oracle.run_passes(source, first)
        for bufferization in (oracle.DEFAULT, RETURNS):
            made = source.operation.clone()
            try:
                oracle.run_passes(made, bufferization)
            except ir.MLIRError as error:
                refused = oracle.Refused(str(error))
                continue
            return source, made
    raise refused


def counted(module: ir.Module) -> Costs:
    """The static counts, after the clean-up; shape assumptions are made assertions, which the evaluator knows."""
    if "shape." in str(module):
        oracle.run_passes(module, oracle.ASSUMPTIONS)
    with oracle.context():
        mi.run_pipeline(module, CLEAN_UP)
    counts = oracle.counts(module)
    return Costs(counts.allocations, counts.copies)


def run(module: ir.Module, program: GeneratedProgram) -> list[Evaluation]:
    evaluator = Evaluator(module)
    return [evaluator.run(program.function, copies_of(given), steps=STEPS) for given in program.argument_sets]


def message(error: Exception) -> str:
    """The first line of an error, without names and numbers."""
    lines = str(error).splitlines()
    line = next((line for line in lines if "error:" in line), (lines or [""])[0]).rpartition("error: ")[2]
    kept = ("…" if word.startswith("%") or any(c.isdigit() for c in word) else word for word in line.split())
    return " ".join(kept)[:100]


def attempt(kind: str, seed: int, text: str | None = None, first: str = "") -> Comparison:
    """Compare a program in a child process, after upstream's passes `first`."""

    def work(send: Callable[[str], None]) -> Comparison:
        def begin(part: str) -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS if part == SEARCH else COUNTING, SECONDS))
            send(part)

        begin("the clean-up before")
        program = KINDS[kind](seed)
        module = oracle.parse(text or program.text)
        try:
            oracle.run_passes(module, first)
        except ir.MLIRError as error:
            return Comparison(f"not cleaned up before: {message(error)}")
        return compare(program, module, begin)

    ended = isolated(work, 10 * SECONDS)
    if ended.error is not None:
        raise ended.error
    return ended.value or Comparison(f"crash or hang in {ended.messages[-1]}: {ended.cause[:60]}")


def reduced(kind: str, seed: int, more: Sequence[str], first: str = "") -> str:
    """The smallest program found in which ours has more of the same."""

    def is_worse(module: ir.Module) -> bool:
        found = attempt(kind, seed, str(module), first)
        return found.outcome == "more" and set(more) <= set(found.more)

    module = oracle.parse(KINDS[kind](seed).text)
    reducer = Reducer(module, "main", is_worse, keeps_arguments=True)
    reducer.run()
    return reducer.text


def report(outcomes: Counter[str], totals: tuple[Counter[str], Counter[str]], worse: Counter[str]) -> str:
    """What was found, in a few lines."""
    compared = sum(outcomes[name] for name in ("more", "fewer", "same"))
    rate = 100 * outcomes["more"] / max(compared, 1)
    lines = [f"{compared} programs compared, ours has more in {outcomes['more']} ({rate:.2f} %)"]
    lines += [f"  more {name}: {count} ({100 * count / max(compared, 1):.2f} %)" for name, count in worse.items()]
    lines += [f"{count} × {outcome}" for outcome, count in outcomes.most_common()]
    lines += [f"{name}: ours {totals[0][name]}, upstream {totals[1][name]}" for name in totals[0]]
    return "\n".join(lines)


def main() -> None:
    """Compare the programs of all seeds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", default="0..200", help="A..B, B excluded")
    parser.add_argument("--kind", default="all", choices=("all", *KINDS), help="all: each in turn")
    parser.add_argument("--first", default="", metavar="PASSES", help="passes of upstream's that come first: cse,…")
    parser.add_argument("--reduce", action="store_true", help="print a small program for each that is worse")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no program after this time")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(".."))
    names = list(KINDS) if options.kind == "all" else [options.kind]
    outcomes, worse = Counter[str](), Counter[str]()
    totals = Counter[str](), Counter[str]()
    begin = time.monotonic()
    for seed in range(first, last):
        if time.monotonic() - begin > options.seconds:
            print(f"stopped before seed {seed}")
            break
        kind = names[seed % len(names)]
        found = attempt(kind, seed, first=options.first)
        outcomes[found.outcome] += 1
        if found.outcome in ("more", "fewer", "same"):
            for total, costs in zip(totals, (found.ours, found.upstream), strict=True):
                total.update(vars(costs))
        worse.update(found.more)
        if found.more:
            print(f"seed {seed}, {kind}: {found.ours}, upstream {found.upstream}: {' '.join(found.more)}", flush=True)
            if options.reduce:
                print(reduced(kind, seed, found.more[:1], options.first), flush=True)
        elif found.outcome.startswith(("wrong", "crash", "refused by ours", "no ref", "not cleaned up after ours")):
            print(f"seed {seed}, {kind}: {found.outcome}", flush=True)
    print(report(outcomes, totals, worse))


if __name__ == "__main__":
    main()
