"""Rules about freeing buffers. Data."""

from __future__ import annotations

from disabling import Rule

_FREE = "passes.analysis.lifetimes.module:"
_RETURNED = "passes.analysis.lifetimes.returned_buffers:"
_REGION = "passes.analysis.lifetimes.regions:RegionLifetimes."
_LOOP = "passes.analysis.lifetimes.loops:"
_GRAPH = "passes.analysis.lifetimes.blocks:GraphLifetimes."

FREEING = (
    Rule("returned buffers are owned", "what it may not own", _FREE + "_owned_return", "return None"),
    Rule(
        "a buffer is returned once",
        "a buffer returned twice",
        _FREE + "_owned_returns",
        "earlier = []",
        "earlier = list(dict.fromkeys(other for root in owned for other in holders.get(root, ())))",
    ),
    Rule(
        "borrowed buffers are cloned",
        "what it may not own",
        _FREE + "_is_borrowed",
        "False",
        "root.kind is RootKind.BORROWED and not root.returnable",
    ),
    Rule(
        "results may be arguments of private functions",
        "whose callers are all known",
        _RETURNED + "read_returned",
        "frozenset()",
        "frozenset(handle.arg_number for handle in handles if isinstance(handle, ir.BlockArgument))",
    ),
    Rule(
        "results may be constants of private functions",
        "whose callers are all known",
        _RETURNED + "read_returned",
        "frozenset()",
        "frozenset(handle for handle in handles if isinstance(handle, GlobalBuffer))",
    ),
    Rule(
        "results that may be one new buffer",
        "whose callers are all known",
        _RETURNED + "read_returned",
        "shared += [(number, number) for root in new]",
        "shared += [(number, first.setdefault(root, number)) for root in new]",
    ),
    Rule(
        "functions of a cycle answer the same",
        "whose callers are all known",
        _FREE + "_Plans._ask_again",
        "if True:",
        "if all(self._returned.get(name) == one for name, one in before.items()):",
    ),
    Rule("what a block gives away is not freed", "## 7. Freeing", _FREE + "_given_away", "return []"),
    Rule(
        "freed after the last use",
        "A buffer is freed where no memref that may lie\nin it is used any more",
        _REGION + "_after_last_use",
        "following = self._next.get(root.handles[0].owner.operation)",
        "following = self._next.get(root.last_use) if root.last_use else None",
    ),
    Rule("uses inside of regions", "## 7. Freeing", _REGION + "scan_block", "pass", "scan.outer.add(number)"),
    Rule(
        "views are uses",
        "through views",
        _REGION + "_pass_on",
        "self.sets[result] = NONE",
        "self.sets[result] = self.sets.get(result, NONE) | self.sets[source]",
    ),
    Rule(
        "what leaves a block surely is not freed",
        "## 7. Freeing",
        _REGION + "free_own",
        "if False:",
        "if any(self.is_certain(self.sets[value]) for value in out):",
    ),
    Rule(
        "what may leave a block is compared",
        "addresses are compared",
        _REGION + "free_own",
        "out = []",
        "out = [value for value in leaving if root.number in self.sets[value]]",
    ),
    Rule(
        "joined roots are not what they may be",
        "addresses are compared",
        _REGION + "add_frees",
        "others = [*unless]",
        "others = [*unless, *self.handles(root.avoid)]",
    ),
    Rule(
        "handles of one root are freed once",
        "## 7. Freeing",
        _REGION + "add_frees",
        "(*others,)",
        "(*others, *root.handles[:position])",
    ),
    Rule(
        "branches make one or the other",
        "## 7. Freeing",
        _REGION + "_scan_branches",
        "fresh += []",
        "fresh += [(number, first.setdefault(root, number)) for root in made]",
    ),
    Rule(
        "results of branches may be one buffer",
        "results that yield one new buffer",
        _REGION + "_scan_branches",
        "number",
        "first.setdefault(root, number)",
    ),
    Rule(
        "branches pass on outer buffers",
        "## 7. Freeing",
        _REGION + "_scan_branches",
        "outer[number] = outer.get(number, NONE)",
        "outer[number] = outer.get(number, NONE) | (roots - made)",
    ),
    Rule(
        "addresses are kept by unknown ops",
        "## 7. Freeing",
        _REGION + "scan_op",
        "if False:",
        'if name == _TAKES_ADDRESS or name.partition(".")[0] not in _KEEPS_NO_ADDRESS:',
    ),
    Rule(
        "buffers that the program frees",
        "## 7. Freeing",
        _REGION + "free_own",
        "if False:",
        "if root.freed_by_program:",
    ),
    Rule(
        "carried buffers are not outer ones",
        "its address is none of the outer buffers'",
        _REGION + "free_carried",
        "unless = [*passed]",
        "unless: list[Handle] = [*passed, *self.handles(outer)]",
    ),
    Rule(
        "carried buffers are not passed on",
        "**Loops that pass buffers on**",
        _REGION + "free_carried",
        "unless = [*self.handles(outer)]",
        "unless: list[Handle] = [*passed, *self.handles(outer)]",
    ),
    Rule(
        "carried buffers are freed once",
        "**Loops that pass buffers on**",
        _REGION + "free_carried",
        "pass",
        "unless.append(argument)",
    ),
    Rule(
        "carried buffers are freed",
        "**Loops that pass buffers on**",
        _LOOP + "_Body.free",
        "given = []",
        "given = [argument for place, argument in sorted(self.arguments.items()) if place in fresh]",
    ),
    Rule(
        "places hold what others made",
        "least solution over its edges",
        _LOOP + "_Places.close",
        "if joined != outer[n]:",
        "if joined != outer[n] or (n not in fresh and not fresh.isdisjoint(others)):",
    ),
    Rule(
        "places hold what others got from outside",
        "least solution over its edges",
        _LOOP + "_Places.close",
        "joined = outer[n]",
        "joined = outer[n].union(*(outer[other] for other in others))",
    ),
    Rule("what is passed is surely made", "What is passed and surely allocated", _REGION + "is_made_in", "return True"),
    Rule(
        "handed over only if dead",
        "only if that root is dead in the target",
        _GRAPH + "_is_still_needed",
        "return False",
    ),
    Rule("owners get allocations", "ownership starts at allocations", _GRAPH + "_owns", "return True"),
    Rule("what is lent stays live", "What is lent is a root that dominates", _GRAPH + "_given", "return 0, 0"),
    Rule("what is live is dominated", "The handle dominates the place", _GRAPH + "_check_dominance", "return None"),
    Rule(
        "buffers that are handed twice",
        "Two arguments that are handed one buffer",
        _GRAPH + "_hand_over",
        "if True:",
        "if not self._handed_on.get(edge, 0) >> root & 1:",
    ),
    Rule(
        "buffers that die together",
        "Of those that die in one place each is compared",
        _GRAPH + "_free_together",
        "mutual = set(numbers & root.avoid)",
        "mutual = {other for other in numbers & root.avoid if number in self.roots[other].avoid}",
    ),
    Rule(
        "arguments are not what they were lent",
        "unless its address is one of those",
        _GRAPH + "place_frees",
        "self.roots[number].avoid = frozenset()",
        "self.roots[number].avoid = frozenset(_bits(self._whole[number])) - {number}",
    ),
    Rule("roots die once on each path", "A root dies once on each path", _GRAPH + "_place_on_edges", "return None"),
    Rule(
        "liveness flows backwards", "A root dies once on each path", _GRAPH + "_flow", "while False:", "while changed:"
    ),
)
