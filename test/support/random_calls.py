"""Random modules of functions that call each other with buffers of many layouts, for execution against a reference.

Private functions, each callable by those before it and some by themselves, with a fuel argument that ends recursion.
What they pass on are arguments, new tensors, rows and tiles; what they return may be an argument, a part of one, a
choice or new. @main is the only entry point.
"""

from __future__ import annotations

import random

V, M = "tensor<4xf32>", "tensor<4x4xf32>"
ARGUMENTS = f"%m: {M}, %v: {V}, %f: f32, %i: index, %n: index, %p: i1"
ARGUMENT_TYPES = f"{M}, {V}, f32, index, index, i1"
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant dense<[-1.0, -2.0, -3.0, -4.0]> : tensor<4xf32>
"""


class _Body:
    """The ops of one function; ``callees`` are the functions it may call, itself among them if it may recur."""

    def __init__(self, generator: random.Random, callees: list[str]) -> None:
        self.random = generator
        self.callees = callees
        self.lines: list[str] = []
        self.vectors, self.matrices = ["%v"], ["%m"]
        self.count = 0
        self.calls = 0

    def emit(self, text: str, *pools: list[str]) -> list[str]:
        self.count += 1
        name = f"%x{self.count}"
        names = [name] if len(pools) == 1 else [f"{name}#{index}" for index in range(len(pools))]
        self.lines.append(f"  {name}{f':{len(pools)}' if len(pools) > 1 else ''} = {text}")
        for pool, one in zip(pools, names, strict=True):
            pool.append(one)
        return names

    def vector(self) -> str:
        return self.random.choice(self.vectors[-4:])

    def matrix(self) -> str:
        return self.random.choice(self.matrices[-3:])

    def offset(self) -> str:
        return self.random.choice(["0", "1", "2", "%i"])

    def step_insert(self) -> None:
        if self.random.random() < 0.5:
            self.emit(f"tensor.insert %f into {self.vector()}[%{self.random.choice(['i', 'c1'])}] : {V}", self.vectors)
        else:
            self.emit(f"tensor.insert %f into {self.matrix()}[%i, %c1] : {M}", self.matrices)

    def step_scale(self) -> None:
        source, pool, type_ = self.random.choice([(self.vector(), self.vectors, V), (self.matrix(), self.matrices, M)])
        target = source
        if self.random.random() < 0.5:
            target = f"%e{self.count}"
            self.lines.append(f"  {target} = tensor.empty() : {type_}")
        self.emit(f"linalg.exp ins({source} : {type_}) outs({target} : {type_}) -> {type_}", pool)

    def step_constant(self) -> None:
        self.vectors.append("%k")

    def step_row(self) -> None:
        text = self.random.choice(["[{}, 0] [1, 4]", "[0, {}] [4, 1]"]).format(self.offset())
        self.emit(f"tensor.extract_slice {self.matrix()}{text} [1, 1] : {M} to {V}", self.vectors)

    def step_update_row(self) -> None:
        """Extract, change by a call or here, put back."""
        matrix = self.matrix()
        text = self.random.choice(["[{}, 0] [1, 4] [1, 1]", "[0, {}] [4, 1] [1, 1]"]).format(self.offset())
        self.emit(f"tensor.extract_slice {matrix}{text} : {M} to {V}", self.vectors)
        row = self.vectors[-1]
        if self.callees and self.random.random() < 0.7:
            row = self.call(matrix if self.random.random() < 0.2 else self.matrix(), row)[1]
        else:
            row = self.emit(f"tensor.insert %f into {row}[%c2] : {V}", self.vectors)[0]
        self.emit(f"tensor.insert_slice {row} into {matrix}{text} : {V} into {M}", self.matrices)

    def call(self, matrix: str, vector: str) -> list[str]:
        if self.calls == 3:
            return [matrix, vector]
        self.calls += 1
        callee = self.random.choice(self.callees)
        return self.emit(
            f"func.call @{callee}({matrix}, {vector}, %f, %i, %d, %p) : ({ARGUMENT_TYPES}) -> ({M}, {V})",
            self.matrices,
            self.vectors,
        )

    def step_call(self) -> None:
        if self.callees:
            self.call(self.matrix(), self.vector())

    def step_select(self) -> None:
        self.emit(f"arith.select %p, {self.vector()}, {self.vector()} : {V}", self.vectors)

    def step_if(self) -> None:
        one, other = self.vector(), self.vector()
        self.emit(
            f"scf.if %p -> {V} {{\n    %y{self.count} = tensor.insert %f into {one}[%c0] : {V}\n"
            f"    scf.yield %y{self.count} : {V}\n  }} else {{\n    scf.yield {other} : {V}\n  }}",
            self.vectors,
        )

    def step_swap(self) -> None:
        one, other, n = self.vector(), self.vector(), self.count
        self.emit(
            f"scf.for %j{n} = %c0 to %n step %c1 iter_args(%p{n} = {one}, %q{n} = {other}) -> ({V}, {V}) {{\n"
            f"    %z{n} = tensor.insert %f into %p{n}[%j{n}] : {V}\n    scf.yield %q{n}, %z{n} : {V}, {V}\n  }}",
            self.vectors,
            self.vectors,
        )

    def text(self, steps: int) -> str:
        kinds = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("step_")]
        for _ in range(steps):
            self.random.choice(kinds)()
        return "\n".join(self.lines)


def _function(generator: random.Random, name: str, callees: list[str], *, public: bool) -> str:
    """A function that does nothing but return its arguments when its fuel %n is used up."""
    body = _Body(generator, callees)
    text = body.text(generator.randint(2, 6))
    visibility = "" if public else "private "
    results = f"{body.matrix()}, {body.vector()}"
    indented = text.replace("\n", "\n  ")
    return f"""func.func {visibility}@{name}({ARGUMENTS}) -> ({M}, {V}) {{{CONSTANTS}
  %more = arith.cmpi sgt, %n, %c0 : index
  %d = arith.subi %n, %c1 : index
  %r:2 = scf.if %more -> ({M}, {V}) {{
  {indented}
    scf.yield {results} : {M}, {V}
  }} else {{
    scf.yield %m, %v : {M}, {V}
  }}
  return %r#0, %r#1 : {M}, {V}
}}
"""


def random_calls(seed: int, *, recursive: bool) -> str:
    """A module with three to five functions. With ``recursive`` any may call any, itself included."""
    generator = random.Random(seed)
    names = [f"f{index}" for index in range(generator.randint(2, 4))]
    functions = [
        _function(generator, name, names if recursive else names[:index], public=False)
        for index, name in enumerate(names)
    ]
    return "\n".join([*functions, _function(generator, "main", names, public=True)])
