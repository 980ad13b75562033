"""`compile`: from a tensor or memref program to functions on NumPy arrays. `build.py` has the steps."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlir import ir

from ...passes.analysis.schedule.machine import detect_machine
from ...passes.framework.entered_context import entered
from ...passes.framework.interpreter_exit import in_bindings
from ...passes.pipeline.pipeline import Pipeline, as_pipeline
from ..call.bound_call import BoundCall
from ..call.entry_point import EntryPoint
from ..call.held_arguments import NOTHING_HELD, HeldArguments, hold
from ..call.process_bound import ProcessBound
from ..call.results import NativeCode
from ..interface.dtypes import describe_value
from ..interface.signature import Signature
from ..interface.signature_reading import NameOf, name_in_location
from ..memory.statistics import MemoryStats
from ..native.engine import library_paths
from ..native.openmp import find_openmp
from ..native.thread_team import has_team
from ..source import IR, Source, parse_source
from .build import Build, build, usable_place
from .disk_cache import cache_place
from .garbage import collection_paused
from .preparation import Prepared, prepare
from .settings import Settings
from .shared_trampolines import shared_trampolines
from .stages import makes_parts

if TYPE_CHECKING:
    from ..message_passing.communicators import Communicators
    from ..message_passing.ranks import Ranks
    from ..report import BufferizationReport

MOST_THREADS = 1024
"""The most threads that a program may run on; OpenMP takes a number of 32 bits, and no system has as many."""


def compile(  # noqa: A001, PLR0913
    source: Source,
    *,
    pipeline: str | Pipeline | None = None,
    optimize: bool = False,
    opt_level: int = 2,
    memory_stats: bool = False,
    runtime_checks: bool = False,
    shared_libs: Sequence[str] = (),
    threads: int = 1,
    machine: str = "",
    cache: bool | str | os.PathLike[str] | None = None,
    comm: Any = None,
) -> Program:
    """Compile a program for the host CPU; the source is not changed.

    A compiled function never changes a tensor argument, unless it says `bufferization.writable = true` (then a result
    that is the updated tensor IS the caller's array, and one that is one of several such arguments, as after a loop
    that swaps them, is the array that it is). A memref argument is written as the program says. Other results are fresh
    arrays. The memory of large ones (1 MB and more) that the caller has dropped is reused by later calls: a
    function keeps up to two blocks for each result. Large temporaries are kept too, for all programs together, 256 MiB
    at most (see `release_memory`).

    A `cf.assert` that fails raises `AssertionError` in the caller, with the location and the message; a division of
    integers by zero `ZeroDivisionError`, of the least one by -1 `OverflowError`; memory that the system refuses
    `MemoryError`; recursion without an end `RecursionError`. Allocations of the call are freed then; its writes are not
    undone.

    A dispatch function takes an array for each of its bindings, then its push constants, then workgroup sizes and
    counts (see `inplace-lower-dispatch`); it writes into the arrays of bindings that it may write.

    Args:
        source: a module (of any context), MLIR text or bytecode, or the path of a file. A program in StableHLO
            (portable artifacts too), in the torch dialect of torch-mlir or in TOSA is lowered to linalg first.
        pipeline: replaces bufferization: it gets the source, and must leave entry points on memrefs.
        optimize: fuse, tile and vectorize on tensors before bufferization. Sums of floating-point numbers are then
            added up in another order, products that are added are rounded once, and quotients of a row by one number
            may be off by 1.5 units in the last place.
        opt_level: LLVM's optimization level, 0 to 3.
        memory_stats: count allocations and copies in each call (`Program.memory_stats`), which costs a little time.
        runtime_checks: assert that indices and slices are inside of their tensors, sizes agree and are not negative;
            what fails names the op. For programs that are not trusted yet: it costs time, and keeps ops apart that
            `optimize` would fuse.
        shared_libs: libraries with functions that the program declares but does not define.
        threads: how many threads, at most 1024, an `scf.forall` runs on, those that `optimize` makes among them. They
            take iterations as they get free. Results do not depend on the number. With `memory_stats` it is one.
            Elsewhere than on Linux they need an OpenMP runtime; without one, a warning says so and everything runs on
            one thread.
        machine: properties of the machine for `optimize` that differ from the detected ones, such as
            `"vector-bits=256 l2=524288"` (see `inplace-schedule`); `autotune` finds the best for a program.
        cache: keep machine code in this folder, and take it from there if the same program was compiled before with the
            same settings, versions and processor (on x86-64 Linux; see `disk_cache.py`). True: in the user's cache
            folder; False: nowhere. None: in the folder that the environment variable MLIR_INPLACE_CACHE names, nowhere
            if it is 0, and if it is not set in the user's cache folder what takes 0.3 s and more to compile, without a
            `pipeline` and op models of other packages. For a program from the cache there are no remarks of passes.
        comm: the communicator of mpi4py, such as `MPI.COMM_WORLD`, whose ranks compile and call the program together
            (extra `mpi`; see docs/SHARDING.md): a partitioned one (`shard`), or one that sends messages by the `mpi`
            dialect. An error on one rank is raised on all.

    Raises:
        ir.MLIRError: the text does not parse; the diagnostics are in the message.
        PassError: a pass refused the program, or something in it cannot be lowered; with diagnostics.
        PipelineError: `pipeline` is wrong (a ValueError).
        OSError: the file, or a shared library, cannot be read.
        TypeError, ValueError: an argument of this function is wrong.
    """
    detect_machine().override(machine)  # raises if it makes no sense
    if type(opt_level) is not int or opt_level not in range(4):
        raise ValueError(f"opt_level must be 0, 1, 2 or 3, got {opt_level!r}")
    for name, flag in (("optimize", optimize), ("memory_stats", memory_stats), ("runtime_checks", runtime_checks)):
        if type(flag) is not bool:
            raise TypeError(f"{name} must be True or False, got {flag!r}")
    route = None if pipeline is None else as_pipeline(pipeline)
    libraries = library_paths(shared_libs)
    if _checked_threads(threads) > 1 and not has_team():
        runtime = find_openmp()
        if runtime is None:
            warnings.warn(NO_OPENMP, RuntimeWarning, stacklevel=2)
            threads = 1
        else:
            libraries = (*libraries, runtime)
    communicator = None
    if comm is not None:
        from ..message_passing.communicators import Communicators
        from ..message_passing.library import loaded_mpi

        communicator = Communicators(comm)
        libraries = (*libraries, loaded_mpi().path)
    settings = Settings(
        route,
        opt_level,
        memory_stats,
        libraries,
        optimize=optimize,
        threads=threads,
        machine=machine,
        cache=cache_place(cache),
        runtime_checks=runtime_checks,
        ranks=communicator is not None,
        in_parts=makes_parts(),
    )

    def make() -> Program:
        with in_bindings(), collection_paused():
            module, names = parse_source(source)
            verified = not isinstance(source, IR)
            return Program(module, settings, verified=verified, name_of=names.name_of, communicator=communicator)

    if communicator is None:
        return make()
    cached = usable_place(settings.cache, piped=route is not None) is not None
    return communicator.together(make, one_first=cached)


def _checked_threads(threads: int) -> int:
    if type(threads) is not int:
        raise TypeError(f"threads must be an integer, got {type(threads).__name__}")
    if threads < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    if threads > MOST_THREADS:
        raise ValueError(f"threads must be at most {MOST_THREADS}, got {threads}")
    return threads


NO_OPENMP = (
    "there is no OpenMP runtime, so everything runs on one thread; install one: pip install 'mlir-inplace[openmp]', or "
    "apt-get install libomp5"
)
_FEW = 4
"""How many functions a short description names."""


class Program(ProcessBound):
    """A compiled program: its public functions are attributes (`program.main(a, b)`) and items (`program["main"]`).

    Made by `compile`. Code is generated for contiguous tensors at first; when a call brings a tensor with other
    strides, a second version that takes any strides is compiled, once, and used for such calls.
    """

    def __init__(
        self,
        source: ir.Module,
        settings: Settings,
        *,
        verified: bool = False,
        name_of: NameOf = name_in_location,
        communicator: Communicators | None = None,
    ) -> None:
        prepared = prepare(source, settings, verified=verified, name_of=name_of)
        self._source, self._settings = prepared.source, prepared.settings
        self._signatures, self._unsupported = prepared.signatures, prepared.unsupported
        self._ranks = None if communicator is None else _ranks(communicator, prepared)
        self._lock = threading.Lock()
        self._builds: dict[bool, Build] = {}
        self._last_stats: MemoryStats | None = None
        self._make_entries({})
        self._build(contiguous=True)

    @property
    def entry_points(self) -> tuple[str, ...]:
        """The names of the functions that can be called, in the order of the source."""
        return tuple(self._entries)

    @property
    def all_names(self) -> tuple[str, ...]:
        """The entry points, and the functions that would be ones if NumPy had their types."""
        return (*self._entries, *self._unsupported)

    @property
    def memory_stats(self) -> MemoryStats:
        """The memory traffic of the last call. Raises `RuntimeError` if nothing was counted."""
        if not self._settings.memory_stats:
            raise RuntimeError("memory is not counted: compile with memory_stats=True")
        if self._last_stats is None:
            raise RuntimeError("there are no memory statistics before the first call")
        return self._last_stats

    def bind(self, /, *arguments: Any, function: str | None = None, out: Any = None, **named: Any) -> BoundCall:
        """Check and pack the arguments of a function now, for calls that take under a microsecond (see `BoundCall`).

        Args:
            arguments: what each call is made with, by position.
            function: the name of the entry point; the only one if None.
            out: an array that receives the result, or a tuple with an array or None for each of several.
            named: further arguments, by name.

        Raises `ValueError` if there is not exactly one entry point and none is named, `KeyError` if there is none of
        that name, and what a call with these arguments raises.
        """
        return self[self._function_name(function)].bind(*arguments, out=out, **named)

    def hold(self, arguments: Mapping[str | int, Any], *, function: str | None = None) -> Program:
        """The same program with some array arguments of a function given for good, such as a model's weights.

        Calls take the other arguments, and `help` and messages speak of these. The arrays are checked now, passed by
        pointer and kept alive: each call reads what they hold then, and updates those that are
        `bufferization.writable`. They may be of another package, or mapped from a file. Machine code is shared with
        this program, which still takes all arguments.

        Args:
            arguments: arrays by the name or the number of the argument.
            function: the name of the entry point; the only one if None.

        Raises what `bind` raises for the function, `TypeError` for an argument that is none or no array, and what a
        call raises for an array that does not fit.
        """
        entry = self[self._function_name(function)]
        held = hold(self._signatures[entry.__name__], entry.held, arguments)
        program = object.__new__(Program)
        program._share(self, {entry.__name__: held})
        return program

    def explain(self) -> BufferizationReport:
        """Say which allocations and copies bufferization leaves in the program, and why (see `bufferize`).

        The source is bufferized once more, after the same passes. With a `pipeline` of yours, the report is of the
        `inplace-one-shot-bufferize` in it.
        """
        from .explanation import explain_program

        with entered(self._source.context), collection_paused():
            return explain_program(self._source, self._settings)

    def fill_memory_with(self, byte: int) -> None:
        """Let memory that a checked program allocates from now on hold this byte until it is written."""
        for built in self._builds.values():
            for code in built.codes.values():
                if code.recorder is not None:
                    code.recorder.fill_with(byte)

    def refuse_memory(self, allocation: int) -> None:
        """Let an allocation of native code fail once, to test what follows: the program counts memory.

        It is that of the given number from now on, from 1, of the versions of the program that have been called; 0 for
        none.
        """
        for built in self._builds.values():
            for code in built.codes.values():
                if code.recorder is not None:
                    code.recorder.refuse(allocation)

    def __getitem__(self, name: str) -> EntryPoint:
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"expected the name of a function, got {describe_value(name)}")
        if name in self._entries:
            return self._entries[name]
        if name in self._unsupported:
            raise self._unsupported[name]
        raise KeyError(no_such_entry(name, self.all_names))

    def __getattr__(self, name: str) -> EntryPoint:
        # Called only for names that are no attributes; private ones may be looked up before __init__ has run.
        if name.startswith("_") and name not in self.__dict__.get("_unsupported", {}):
            raise AttributeError(f"'Program' object has no attribute {name!r}")
        if name in self._unsupported:
            raise self._unsupported[name]
        raise AttributeError(no_such_entry(name, self.all_names))

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._entries})

    def __repr__(self) -> str:
        known = [entry.signature.brief for entry in list(self._entries.values())[:_FEW]]
        more = [f"{len(self._entries) - _FEW} more"] if len(self._entries) > _FEW else []
        return f"<Program with {', '.join(known + more) or 'no entry points'}>"

    def _function_name(self, given: str | None) -> str:
        """The entry point that is meant: the only one if none is `given`."""
        if given is not None:
            return given
        if len(self.all_names) != 1:
            raise ValueError(
                f"say which function to bind; the program has {len(self.all_names)}: {', '.join(self.all_names)}"
                if self.all_names
                else "there is nothing to bind: the program has no entry points"
            )
        return self.all_names[0]

    def _share(self, other: Program, held: Mapping[str, HeldArguments]) -> None:
        """Be the program `other`, with the same machine code; some functions hold other arguments."""
        vars(self).update({name: value for name, value in vars(other).items() if name not in other._entries})
        self._last_stats = None
        self._make_entries({**{name: entry.held for name, entry in other._entries.items()}, **held})

    def _make_entries(self, held: Mapping[str, HeldArguments]) -> None:
        self._entries: dict[str, EntryPoint] = {}
        for name, signature in self._signatures.items():
            self._entries[name] = self._entry_point(signature, held.get(name, NOTHING_HELD))
            if not hasattr(type(self), name) and name not in vars(self):
                # In the instance itself: __getattr__ would cost each call 0.3 µs.
                setattr(self, name, self._entries[name])

    def _entry_point(self, signature: Signature, held: HeldArguments) -> EntryPoint:
        def native(contiguous: bool) -> NativeCode:
            return self._build(contiguous=contiguous).codes[signature.name]

        if self._ranks is not None:
            return self._ranks.entry_point(signature, native, self._keep_stats, held)
        return EntryPoint(signature, native, self._keep_stats, shared_trampolines, held)

    def _keep_stats(self, stats: MemoryStats) -> None:
        self._last_stats = stats

    def _build(self, *, contiguous: bool) -> Build:
        with self._lock:
            if contiguous not in self._builds:
                with entered(self._source.context), collection_paused():
                    built = build(self._source, self._signatures, self._settings, contiguous=contiguous)
                if self._ranks is not None:
                    self._ranks.communicator.attach(built.engine)
                self._builds[contiguous] = built
            return self._builds[contiguous]


def no_such_entry(name: str, known: Iterable[str]) -> str:
    """The message for a function that is none of the entry points `known`."""
    names = ", ".join(known) or "none; make a function with a body public"
    return f"the program has no entry point {name!r}; it has: {names}"


def _ranks(communicator: Communicators, prepared: Prepared) -> Ranks:
    from ..message_passing.ranks import Ranks

    with entered(prepared.source.context):
        return Ranks(communicator, prepared.source, prepared.signatures)


def native_code(program: Program, *, contiguous: bool) -> Build:
    """The version of a program for contiguous arguments, or for any, which is compiled if it was not needed yet."""
    return program._build(contiguous=contiguous)  # pyright: ignore[reportPrivateUsage]


def code_addresses(program: Program, name: str) -> dict[bool, int]:
    """The address of the function `name` in each version that was compiled; the keys are as for `native_code`."""
    builds = program._builds  # pyright: ignore[reportPrivateUsage]
    return {contiguous: built.codes[name].address for contiguous, built in builds.items()}
