"""Random nests (`nest_model.py`) as MLIR text."""

from __future__ import annotations

from collections.abc import Sequence

from .nest_model import FILLING, SIZE, Affine, Branch, Loop, Nest, Node, Update, nodes_of

__all__ = ["text_of"]

T = f"tensor<{SIZE}xf64>"
Current = dict[int, str]
"""The SSA value of each carried tensor."""


def text_of(nest: Nest) -> str:
    """The function; bindings are what is given, what is added, two targets, and what shows the outcome once more."""
    return _Text(nest).text()


class _Text:
    def __init__(self, nest: Nest) -> None:
        self._nest = nest
        self._lines: list[str] = []
        self._last = 0

    def text(self) -> str:
        current = self._begin()
        end = self._body(self._nest.body, (), current)
        for k, shown in enumerate(self._nest.shown):
            self._add(f"dispatch.store {end[k]}, %out{k} : {T} -> {self._type(k)}")
            if shown:
                self._add(f"dispatch.store {end[k]}, %show{k} : {T} -> !dispatch.writeonly<{T}>")
        return "\n".join(["func.func @main() {", *self._lines, "return", "}"])

    def _type(self, tensor: int) -> str:
        return f"!dispatch.{'readwrite' if self._nest.readable[tensor] else 'writeonly'}<{T}>"

    def _begin(self) -> Current:
        for number in range(SIZE + 3):
            self._add(f"%k{number} = arith.constant {number} : index")
        self._add(f"%filling = arith.constant {FILLING} : f64")
        kinds = {"given": f"!dispatch.readonly<{T}>", "add": f"!dispatch.readonly<{T}>"}
        tensors = range(len(self._nest.sources))
        kinds |= {f"out{k}": self._type(k) for k in tensors} | {
            f"show{k}": f"!dispatch.writeonly<{T}>" for k in tensors
        }
        for number, (name, type_) in enumerate(kinds.items()):
            self._add(f"%{name} = dispatch.binding set(0) binding({number}) : {type_}")
        self._add(f"%a = dispatch.load %add : {kinds['add']} -> {T}")
        current: Current = {}
        for k, source in enumerate(self._nest.sources):
            name = {"in-place": f"out{k}", "other": f"out{1 - k}"}.get(source, "given")
            current[k] = (
                self._made(f"tensor.empty() : {T}")
                if source == "empty"
                else self._made(f"dispatch.load %{name} : {kinds[name]} -> {T}")
            )
            if source == "computed":
                current[k] = self._sum(current[k], current[k], T, f"tensor.empty() : {T}")
        if self._nest.has_grid:
            self._lines += [f"%{what} = dispatch.workgroup_{what} 0 : index" for what in ("id", "count", "size")]
            self._lines += ["%first = arith.muli %id, %size : index", "%stride = arith.muli %count, %size : index"]
        return current

    # --- lines -------------------------------------------------------------------------------------------------

    def _add(self, line: str) -> None:
        self._lines.append(line)

    def _name(self) -> str:
        self._last += 1
        return f"%v{self._last}"

    def _made(self, line: str) -> str:
        name = self._name()
        self._add(f"{name} = {line}")
        return name

    def _sum(self, first: str, second: str, type_: str, empty: str) -> str:
        into = self._made(empty)
        return self._made(f"linalg.add ins({first}, {second} : {type_}, {type_}) outs({into} : {type_}) -> {type_}")

    def _index(self, affine: Affine, variables: Sequence[str]) -> str:
        if not any(affine[:-1]):
            return f"%k{affine[-1]}"
        dims = ", ".join(f"d{d}" for d in range(len(variables)))
        terms = " + ".join([*(f"d{d} * {factor}" for d, factor in enumerate(affine[:-1])), str(affine[-1])])
        return self._made(f"affine.apply affine_map<({dims}) -> ({terms})>({', '.join(variables)})")

    # --- nodes -------------------------------------------------------------------------------------------------

    def _body(self, nodes: Sequence[Node], variables: Sequence[str], current: Current) -> Current:
        for node in nodes:
            if isinstance(node, Update):
                value = self._value(node, variables, current)
                current = current | {node.tensor: self._inserted(node, value, variables, current[node.tensor])}
            elif isinstance(node, Branch):
                current = self._branch(node, variables, current)
            elif node.kind == "forall":
                current = self._forall(node, variables, current)
            elif node.kind in ("while", "before"):
                current = self._while(node, variables, current)
            else:
                current = self._for(node, variables, current)
        return current

    def _value(self, update: Update, variables: Sequence[str], current: Current) -> tuple[str, str, str]:
        """Compute what is put in, unless it is everywhere the same: its name, where, and how much."""
        if update.kind == "fill":
            return "%filling", "", ""
        place = self._index(update.at, variables)
        size = str(update.size)
        if update.kind == "tile":
            bound = f"affine_map<(d0)[s0] -> (s0, {SIZE} - d0)>({place})[%size]"
            size = self._made(f"affine.min {bound}")
        tile = "tensor<?xf64>" if update.kind == "tile" else f"tensor<{size}xf64>"
        value = self._part(update, "%a", place, size)
        for tensor, at in update.reads:
            other = self._part(update, current[tensor], self._index(at, variables), size)
            if update.kind in ("element", "vector"):
                type_ = "f64" if update.kind == "element" else f"vector<{size}xf64>"
                value = self._made(f"arith.addf {value}, {other} : {type_}")
            else:
                empty = f"tensor.empty({size if update.kind == 'tile' else ''}) : {tile}"
                value = self._sum(value, other, tile, empty)
        return value, place, size

    def _part(self, update: Update, tensor: str, place: str, size: str) -> str:
        if update.kind == "element":
            return self._made(f"tensor.extract {tensor}[{place}] : {T}")
        if update.kind == "vector":
            end = f"%filling {{in_bounds = [true]}} : {T}, vector<{size}xf64>"
            return self._made(f"vector.transfer_read {tensor}[{place}], {end}")
        length = "?" if update.kind == "tile" else size
        return self._made(f"tensor.extract_slice {tensor}[{place}] [{size}] [1] : {T} to tensor<{length}xf64>")

    def _inserted(self, update: Update, found: tuple[str, str, str], variables: Sequence[str], into: str) -> str:
        value, place, size = found
        if update.kind == "fill":
            return self._made(f"linalg.fill ins({value} : f64) outs({into} : {T}) -> {T}")
        if update.kind == "element":
            return self._made(f"tensor.insert {value} into {into}[{place}] : {T}")
        if update.kind == "vector":
            end = f"{{in_bounds = [true]}} : vector<{size}xf64>, {T}"
            return self._made(f"vector.transfer_write {value}, {into}[{place}] {end}")
        length = "?" if update.kind == "tile" else size
        return self._made(
            f"tensor.insert_slice {value} into {into}[{place}] [{size}] [1] : tensor<{length}xf64> into {T}"
        )

    # --- loops and branches ------------------------------------------------------------------------------------

    def _carried(self, nodes: Sequence[Node]) -> list[int]:
        """The tensors that are updated; all if any loop hands two on."""
        found = list(nodes_of(nodes))
        if any(isinstance(node, Loop) and node.swaps for node in found):
            return list(range(len(self._nest.sources)))
        return sorted({node.tensor for node in found if isinstance(node, Update)})

    def _for(self, loop: Loop, variables: Sequence[str], current: Current) -> Current:
        bounds = {"each": ("%id", "%count"), "tiles": ("%first", "%stride")}.get(
            loop.kind, (f"%k{loop.lower}", f"%k{loop.step}")
        )
        carried, variable = self._carried([loop]), self._name()
        upper = self._upper(loop, variables)
        inner = current | {k: self._name() for k in carried}
        inits = ", ".join(f"{inner[k]} = {current[k]}" for k in carried)
        head = f"scf.for {variable} = {bounds[0]} to {upper} step {bounds[1]}"
        result = self._opened(f"{head} iter_args({inits}) -> ({', '.join([T] * len(carried))})", carried)
        end = self._body(loop.body, (*variables, variable), inner)
        self._closed("scf.yield", self._handed_on(loop, end, carried))
        return current | result

    def _upper(self, loop: Loop, variables: Sequence[str]) -> str:
        return self._made(f"arith.addi {variables[-1]}, %k1 : index") if loop.is_triangular else f"%k{loop.upper}"

    def _handed_on(self, loop: Loop, end: Current, carried: Sequence[int]) -> list[str]:
        names = [end[k] for k in carried]
        return names[::-1] if loop.swaps else names

    def _opened(self, head: str, carried: Sequence[int], more: int = 0) -> Current:
        name = self._name()
        count = len(carried) + more
        self._add(f"{name}{f':{count}' if count > 1 else ''} = {head} {{")
        return {k: f"{name}#{place}" if count > 1 else name for place, k in enumerate(carried)}

    def _closed(self, name: str, values: Sequence[str], more: str = "") -> None:
        types = ", ".join([T] * len(values) + ["index"] * bool(more))
        self._lines += [f"{name} {', '.join([*values, *([more] if more else [])])} : {types}", "}"]

    def _while(self, loop: Loop, variables: Sequence[str], current: Current) -> Current:
        """Either region may do the work; the other one hands on."""
        carried, upper = self._carried([loop]), self._upper(loop, variables)
        first, variable, after = self._name(), self._name(), self._name()
        inner = current | {k: self._name() for k in carried}
        inits = ", ".join([f"{inner[k]} = {current[k]}" for k in carried] + [f"{variable} = %k{loop.lower}"])
        types = ", ".join([T] * len(carried) + ["index"])
        result = self._opened(f"scf.while ({inits}) : ({types}) -> ({types})", carried, 1)
        if loop.kind == "before":
            # Both tensors change places before the condition as well.
            inner = self._body(loop.body, (*variables, variable), inner)
            names = self._handed_on(loop, inner, carried)
        else:
            names = [inner[k] for k in carried]
        self._add(f"{first} = arith.cmpi slt, {variable}, {upper} : index")
        self._add(f"scf.condition({first}) {', '.join([*names, variable])} : {types}")
        inner = current | {k: self._name() for k in carried}
        arguments = ", ".join([f"{inner[k]}: {T}" for k in carried] + [f"{after}: index"])
        self._lines += ["} do {", f"^bb0({arguments}):"]
        if loop.kind == "while":
            inner = self._body(loop.body, (*variables, after), inner)
            names = self._handed_on(loop, inner, carried)
        else:
            names = [inner[k] for k in carried]
        following = self._made(f"arith.addi {after}, %k{loop.step} : index")
        self._closed("scf.yield", names, following)
        return current | result

    def _branch(self, branch: Branch, variables: Sequence[str], current: Current) -> Current:
        carried = self._carried((*branch.then, *branch.otherwise))
        rest = self._made(f"arith.remui {variables[-1]}, %k2 : index")
        condition = self._made(f"arith.cmpi eq, {rest}, %k1 : index")
        result = self._opened(f"scf.if {condition} -> ({', '.join([T] * len(carried))})", carried)
        for place, nodes in enumerate((branch.then, branch.otherwise)):
            self._lines += ["} else {"] * place
            end = self._body(nodes, variables, current)
            self._lines.append(f"scf.yield {', '.join(end[k] for k in carried)} : {', '.join([T] * len(carried))}")
        self._add("}")
        return current | result

    def _forall(self, loop: Loop, variables: Sequence[str], current: Current) -> Current:
        carried, variable = self._carried([loop]), self._name()
        inner = current | {k: self._name() for k in carried}
        outs = ", ".join(f"{inner[k]} = {current[k]}" for k in carried)
        head = f"scf.forall ({variable}) = ({loop.lower}) to ({loop.upper}) step ({loop.step}) shared_outs({outs})"
        result = self._opened(f"{head} -> ({', '.join([T] * len(carried))})", carried)
        updates = [node for node in loop.body if isinstance(node, Update)]
        found = [self._value(update, (*variables, variable), inner) for update in updates]
        self._add("scf.forall.in_parallel {")
        for update, (value, place, size) in zip(updates, found, strict=True):
            into = f"{inner[update.tensor]}[{place}] [{size}] [1] : tensor<{size}xf64> into {T}"
            self._add(f"tensor.parallel_insert_slice {value} into {into}")
        self._lines += ["}", "}"]
        return current | result
