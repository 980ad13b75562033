"""What programs on many ranks would cost: a model fitted to collectives and kernels that are measured here.

    python benchmarks/rank_costs.py
    python benchmarks/rank_costs.py --latency 1.5e-6 --bandwidth 12.5e9 --ranks 64 4096

A message of n bytes takes alpha + beta n seconds. A collective of p ranks takes as many latencies, and bytes on each
rank's link, as the algorithms that MPI libraries choose for long messages:

| collective | latencies | bytes that each rank sends |
|---|---|---|
| exchange of n bytes with a neighbour | 1 | n |
| all-gather to n bytes | log2 p, rounded up | n (p - 1) / p |
| all-reduce of n bytes | 2 log2 p, rounded up | 2 n (p - 1) / p |

Both numbers are fitted for each collective to compiled programs of that collective on two ranks, by least squares of
relative errors. What a rank computes takes the time of the program on one rank, by its share of the operations. Nothing
overlaps. The second table compares the model with what two ranks were measured to take.

The third has weak scaling: how much of the time is computation, with links as measured here, which are memory, and with
those that `--latency` and `--bandwidth` tell; what each rank sends in a call; and what takes the most time there. Its
last column is from how many ranks on one problem that keeps its size (16 times as large as that on one rank in each
dimension but the steps and the width of heads) communicates for longer than it computes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sharded import available_cores, measured, rows_of_ranks
from subjects.sharded_programs import PROGRAMS, grid_of, parts

COLLECTIVES = ("exchange", "all-gather", "all-reduce")
BYTES = [1 << power for power in range(6, 25, 2)]
MOST = 1 << 20
"""The most ranks that are tried for strong scaling."""


@dataclass(frozen=True)
class Collective:
    """One collective of a call: its kind, its bytes, how many ranks take part, and how many times it happens."""

    kind: str
    bytes: float
    ranks: int
    times: int = 1

    @property
    def latencies(self) -> float:
        """How many messages wait for each other."""
        rounds = math.ceil(math.log2(self.ranks))
        return self.times * {"exchange": min(rounds, 1), "all-gather": rounds, "all-reduce": 2 * rounds}[self.kind]

    @property
    def sent(self) -> float:
        """How many bytes each rank sends."""
        share = (self.ranks - 1) / self.ranks
        factor = {"exchange": float(self.ranks > 1), "all-gather": share, "all-reduce": 2 * share}[self.kind]
        return self.times * self.bytes * factor


@dataclass(frozen=True)
class Link:
    """Seconds of a message without bytes, and of a byte."""

    latency: float
    byte: float

    def seconds(self, collective: Collective) -> tuple[float, float]:
        """What a collective takes: for latencies, and for bytes."""
        return collective.latencies * self.latency, collective.sent * self.byte


Links = Mapping[str, Link]


def collectives_of(name: str, sizes: Mapping[str, float], ranks: int) -> list[Collective]:
    """What a program of `subjects/sharded_programs.py` communicates in a call."""
    if name == "matmul":
        rows, columns = grid_of(ranks)
        left, right = sizes["m"] / rows * sizes["k"], sizes["k"] * sizes["n"] / columns
        return [Collective("all-gather", 4 * left, columns), Collective("all-gather", 4 * right, rows)]
    if name == "stencil":
        return [Collective("exchange", 4 * sizes["columns"], ranks, 2 * int(sizes["steps"]))]
    if name == "training":
        return [Collective("all-reduce", 4 * sizes["features"] * sizes["outputs"], ranks)]
    return [Collective("all-gather", 4 * sizes["tokens"] * sizes["width"], ranks, 2)]


def communication(links: Links, collectives: Sequence[Collective]) -> tuple[float, float]:
    """Seconds for latencies and for bytes, of a call."""
    found = [links[one.kind].seconds(one) for one in collectives]
    return sum(latency for latency, _ in found), sum(bytes_ for _, bytes_ in found)


def main() -> None:
    """Measure, fit and predict."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS), metavar="NAME")
    parser.add_argument("--ranks", nargs="+", type=int, default=[64, 256, 1024, 4096])
    parser.add_argument("--latency", type=float, default=2e-6, help="seconds of a message on a network, without bytes")
    parser.add_argument("--bandwidth", type=float, default=12.5e9, help="bytes in a second on a link of it")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--divide", type=int, default=1, help="divide all sizes by this, for a test")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        measure_collectives(options.rounds)
        return
    options.scaling = ["strong", "weak"]
    links = fitted(samples(options.rounds))
    network = {kind: Link(options.latency, 1 / options.bandwidth) for kind in COLLECTIVES}
    one, two = ({name: measured(options, name, ranks) for name in options.only} for ranks in (1, 2))
    print("| collective | alpha, µs | 1/beta, GB/s |\n|---|---|---|")
    for kind, link in links.items():
        print(f"| {kind} | {link.latency * 1e6:.2f} | {1e-9 / link.byte if link.byte else math.inf:.2f} |")
    print("\n| program | one rank, ms | two ranks, ms | by the model | communication in it |\n|---|---|---|---|---|")
    for name in options.only:
        for before, after in zip(one[name], two[name], strict=True):
            print(compared(before, after, links))
    print(
        "\n| program | ranks | a rank computes, ms | sends, MB | latencies | efficiency, links as here "
        f"| links of {options.latency * 1e6:g} µs, {options.bandwidth * 1e-9:g} GB/s | most time there "
        "| half, one size |\n|---|---|---|---|---|---|---|---|---|"
    )
    for name in options.only:
        for ranks in options.ranks:
            print(predicted(name, ranks, one[name][0], links, network))


def compared(before: Mapping[str, Any], after: Mapping[str, Any], links: Links) -> str:
    """A row of the second table, from what one rank and two ranks were measured to take."""
    told = sum(communication(links, collectives_of(after["program"], after["sizes"], 2)))
    total = before["ours"] * after["work"] / before["work"] / 2 + told
    return (
        f"| {after['program']}, {after['scaling']} | {before['ours'] * 1e3:.2f} | {after['ours'] * 1e3:.2f} "
        f"| {total * 1e3:.2f} | {told * 1e3:.2f} |"
    )


def predicted(name: str, ranks: int, one: Mapping[str, Any], links: Links, network: Links) -> str:
    """A row of the last table: weak scaling from what one rank was measured to take."""
    program = PROGRAMS[name]
    grown, power = program.grows
    sizes = {**one["sizes"], grown: one["sizes"][grown] * ranks**power}
    if name == "matmul":  # Blocks that stay square.
        sizes = {key: one["sizes"][key] * ranks**0.5 for key in sizes}
    work = program.work({key: int(size) for key, size in sizes.items()})
    computed = one["ours"] * work / one["work"] / ranks
    collectives = collectives_of(name, sizes, ranks)
    here, there = communication(links, collectives), communication(network, collectives)
    limit = "computation" if computed > sum(there) else "latency" if there[0] > there[1] else "bandwidth"
    return (
        f"| {name} | {ranks} | {computed * 1e3:.1f} | {sum(c.sent for c in collectives) * 1e-6:.3g} "
        f"| {sum(c.latencies for c in collectives):.0f} | {computed / (computed + sum(here)):.3f} "
        f"| {computed / (computed + sum(there)):.3f} | {limit} | {half_at(name, one, network)} |"
    )


def half_at(name: str, one: Mapping[str, Any], network: Links) -> str:
    """From how many ranks on a problem of one size communicates for longer than it computes."""
    sizes = {key: size if key in ("steps", "width") else 16 * size for key, size in one["sizes"].items()}
    whole = one["ours"] * PROGRAMS[name].work(sizes) / one["work"]
    ranks = 4
    while ranks < MOST and sum(communication(network, collectives_of(name, sizes, ranks))) < whole / ranks:
        ranks *= 4
    return f"{ranks}" if ranks < MOST else f"over {MOST}"


def samples(rounds: int) -> list[dict[str, Any]]:
    """The seconds of each collective in each size, on two ranks."""
    return rows_of_ranks(2, __file__, ["--rounds", str(rounds)])


def fitted(found: Sequence[Mapping[str, Any]]) -> dict[str, Link]:
    """The link of each collective that has the least relative errors; neither part is negative."""
    links: dict[str, Link] = {}
    for kind in COLLECTIVES:
        mine = [(Collective(kind, one["bytes"], 2), one["seconds"]) for one in found if one["kind"] == kind]
        shares = np.array([[c.latencies / seconds, c.sent / seconds] for c, seconds in mine])
        for kept in ([True, True], [True, False], [False, True]):
            solved = np.linalg.lstsq(shares * kept, np.ones(len(mine)), rcond=None)[0]
            if (solved >= 0).all():
                break
        links[kind] = Link(float(solved[0]), float(solved[1]))
    return links


def measure_collectives(rounds: int) -> None:
    """One rank of two: rank 0 prints a line of JSON for each collective in each size."""
    from mpi4py import MPI

    import mlir_inplace as mi

    comm = MPI.COMM_WORLD
    cores = sorted(available_cores())
    os.sched_setaffinity(0, {cores[comm.rank % len(cores)]})
    program = mi.compile(TEXT.format(ranks=comm.size), comm=comm, optimize=True)
    for kind in COLLECTIVES:
        for size in BYTES:
            # Two messages of an exchange cross the link one after the other, as each rank of two has one neighbour.
            count, messages = max(size // 4, comm.size), 2 if kind == "exchange" else 1
            arrays = {
                "exchange": [np.ones((4, count), np.float32)],
                "all-gather": [np.ones(parts(count, comm.size)[comm.rank], np.float32), np.ones(count, np.float32)],
                "all-reduce": [np.zeros(count, np.float32)],
            }[kind]
            call = program[kind.replace("-", "_")].bind(*arrays)
            repeated = max(1, min(200, (1 << 22) // size))
            taken: list[float] = []
            for _ in range(rounds + 1):
                comm.Barrier()
                begin = time.perf_counter()
                for _ in range(repeated):
                    call()
                seconds = comm.allreduce(time.perf_counter() - begin, MPI.MAX)
                taken.append(seconds / repeated / messages)
            if comm.rank == 0:
                print(json.dumps({"kind": kind, "bytes": 4 * count, "seconds": statistics.median(taken[1:])}))


TEXT = """
shard.grid @grid(shape = {ranks})
func.func @exchange(%a: tensor<4x?xf32> {{bufferization.writable = true}}) -> tensor<4x?xf32> {{
  %0 = shard.update_halo %a on @grid split_axes = [[0]] halo_sizes = [1, 1] : tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}}
func.func @all_reduce(%a: tensor<?xf32> {{bufferization.writable = true}}) -> tensor<?xf32> {{
  %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}}
func.func @all_gather(%a: memref<?xf32>, %b: memref<?xf32>) {{
  %c = mpi.comm_world : !mpi.comm
  mpi.allgather(%a, %b, %c) : memref<?xf32>, memref<?xf32>
  return
}}
"""


if __name__ == "__main__":
    main()
