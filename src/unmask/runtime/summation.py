"""A fixed order of summation: results do not depend on the number of linear algebra threads.

BLAS divides a sum among its threads, so last digits differ between machines and runs. One thread always adds in the
same order. Compiled kernels and miners in separate processes have a fixed order of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_one_order(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function with linear algebra limited to one thread while it runs."""

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> T:
        from threadpoolctl import threadpool_limits  # noqa: PLC0415 - `--help` needs no linear algebra

        with threadpool_limits(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
