"""A benchmark's time beside the figure that it is held against."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture


def beside(benchmark: BenchmarkFixture, what: str, whose: str, seconds: float) -> None:
    """Print our median and least time beside a peer's or a goal, and how many times as fast we are."""
    if benchmark.stats is None:  # benchmarks are disabled
        return
    stats = benchmark.stats.stats
    ratio = seconds / stats.median
    print(f"\n{what:44} {stats.median:8.3f} s (least {stats.min:.3f}), {whose} {seconds:7.3f} s: {ratio:6.1f}x")
