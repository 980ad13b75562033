"""The command line of the programs that call functions: flags as LLVM's tools take them, and the values of `--arg`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...runtime.interface.signature import Parameter, Signature
from .values import ArgumentError, make_argument


class UsageError(Exception):
    """The command line makes no sense; the message is one line."""


class Parser(argparse.ArgumentParser):
    """argparse, with its complaints as exceptions."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)

    def parse_like_llvm(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The settings; long flags may have one dash. Raises `UsageError`."""
        names = {name for action in self._actions for name in action.option_strings if name.startswith("--")}
        doubled = [f"-{text}" if f"-{text.partition('=')[0]}" in names else text for text in arguments]
        return self.parse_args(_joined(doubled))


def _joined(arguments: Sequence[str]) -> list[str]:
    """`--arg -3` as `--arg=-3`: argparse would take the number for a flag."""
    joined: list[str] = []
    for text in arguments:
        if joined and joined[-1] == "--arg":
            joined[-1] = f"--arg={text}"
        else:
            joined.append(text)
    return joined


def make_arguments(given: Sequence[str], signature: Signature, seed: int) -> list[Any]:
    """The arguments of a call, from one text for each; raises `ArgumentError`, also for one too many or too few."""
    parameters = signature.parameters
    if len(given) > len(parameters):
        raise ArgumentError(
            f"'{signature.name}' takes {len(parameters)} arguments, but --arg is given {len(given)} times"
        )
    if len(given) < len(parameters):
        missing = parameters[len(given)]
        raise ArgumentError(
            f"{missing.label} of '{signature.name}' ({missing.type.spelling}) is missing; "
            f"give it with {_example(missing)}, or --arg and a .npy file"
        )
    random = np.random.default_rng(seed)
    return [make_argument(text, parameter, random) for text, parameter in zip(given, parameters, strict=True)]


def _example(parameter: Parameter) -> str:
    """An `--arg` that would do for a parameter."""
    if not parameter.type.is_array:
        return "--arg 1"
    if parameter.type.is_static:
        return "--arg random"
    sizes = "x".join("8" if size is None else str(size) for size in parameter.type.shape)
    return f"--arg {sizes}x{parameter.type.element.spelling}:random"
