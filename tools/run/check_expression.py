"""The expressions of `inplace-run --check`: arithmetic on arrays, and nothing else.

An expression may come with a program from somebody else, in its `RUN:` line or its comments. So it is no Python in
general: what it is made of, the functions of NumPy and the attributes of arrays are listed here. None of them reads or
writes files, or runs code that is given as text.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..shared.command_line import UsageError

__all__ = ["compile_check"]

_NODES = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Tuple, ast.List, ast.Attribute, ast.Call, ast.keyword),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
    *(ast.Subscript, ast.Slice, ast.ListComp, ast.comprehension, ast.Store, ast.Starred),
)
_FUNCTIONS = (
    "all allclose amax amin any append arange argmax argmin argpartition argsort argwhere around array array_equal "
    "asarray atleast_1d atleast_2d atleast_3d average bincount block broadcast_arrays broadcast_to c_ choose clip "
    "column_stack compress concat concatenate convolve copy corrcoef correlate count_nonzero cov cross cumprod cumsum "
    "cumulative_prod cumulative_sum delete diag diag_indices diagflat diagonal diff digitize dot dstack dtype e "
    "einsum euler_gamma expand_dims extract eye fix flatnonzero flip fliplr flipud full full_like gradient histogram "
    "hstack i0 identity imag indices inf inner insert interp isclose iscomplex isin isreal ix_ kron lexsort linspace "
    "logspace matrix_transpose max mean median meshgrid mgrid min moveaxis nan nan_to_num nanmax nanmean nanmin "
    "nanprod nansum ndim newaxis nonzero ogrid ones ones_like outer pad partition percentile permute_dims pi polyval "
    "prod ptp quantile r_ ravel real repeat reshape resize roll rollaxis rot90 round s_ searchsorted select shape "
    "sinc size sort split squeeze stack std sum swapaxes take take_along_axis tensordot tile trace transpose "
    "trapezoid tri tril tril_indices triu triu_indices unique unravel_index vander var vdot vstack where zeros "
    "zeros_like"
)
_MODULES = ("fft", "linalg")
_OF_VALUES = (
    "T accumulate all any argmax argmin argsort astype at choose clip compress conj conjugate copy cumprod cumsum "
    "diagonal dot dtype flat flatten imag itemsize mT max mean min nbytes ndim nonzero outer prod ptp ravel real "
    "reduce reduceat repeat reshape round searchsorted shape size sort squeeze std strides sum swapaxes take tolist "
    "trace transpose var view"
)
_KNOWN, _KNOWN_OF_VALUES = frozenset(_FUNCTIONS.split()), frozenset(_OF_VALUES.split())


def compile_check(text: str, names: Sequence[str]) -> Any:
    """The code of a `--check` expression, which may use `np` and `names` only; raises `UsageError`."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UsageError(f"--check: '{text}' is no Python expression: {error}") from None
    nodes = list(ast.walk(tree))
    local = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in nodes:
        if not isinstance(node, _NODES):
            found = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__
            raise UsageError(f"--check: '{found}' is no arithmetic on arrays")
        if isinstance(node, ast.Name) and node.id not in {"np", *names, *local}:
            raise UsageError(f"--check: unknown name '{node.id}'; it may use np, {', '.join(names)}")
        if isinstance(node, ast.Attribute):
            _require_known(node)
    if "np" in local:
        raise UsageError("--check: 'np' is NumPy; take another name")
    return compile(tree, "--check", "eval")


def _require_known(node: ast.Attribute) -> None:
    """Raise `UsageError` for an attribute that is not listed."""
    base = ast.unparse(node.value)
    if base == "np":
        value = getattr(np, node.attr, None)
        known = node.attr in _KNOWN or isinstance(value, np.ufunc) or node.attr in _MODULES
        known = known or (isinstance(value, type) and issubclass(value, np.generic))
    elif base in {f"np.{module}" for module in _MODULES}:
        known = node.attr in getattr(np, base[3:]).__all__
    else:
        known = node.attr in _KNOWN_OF_VALUES
    if not known:
        raise UsageError(f"--check: '{ast.unparse(node)}' is no arithmetic on arrays that is known here")
