"""One order of summation: numbers that are published do not depend on how many threads linear algebra has.

BLAS divides a sum among its threads, so that last digits differ from machine to machine and from run to run. One thread
always adds in the same order. Compiled kernels and miners in processes of their own keep their order by themselves.
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
