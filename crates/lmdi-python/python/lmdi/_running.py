"""How work runs: number of threads and progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def n_threads(n_jobs: int | None) -> int:
    """Threads for `n_jobs`: None and -1 are all processors, -2 all but one, and so on."""
    if n_jobs is None:
        return processors()
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__"):
        raise TypeError(f"n_jobs is {n_jobs!r}; expected a whole number or None")
    n_jobs = n_jobs.__index__()
    if n_jobs == 0:
        raise ValueError("n_jobs is 0; expected a positive number of threads, or -1 for all")
    return n_jobs if n_jobs > 0 else max(1, processors() + 1 + n_jobs)


@contextmanager
def running(
    n_jobs: Any, progress: bool, what: str, total: int | None
) -> Iterator[tuple[int, Callable[[int], Any] | None]]:
    """The `run` argument of compiled functions; a bar is drawn if requested and tqdm is
    installed."""
    threads = n_threads(n_jobs)
    if progress:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            progress = False
    if not progress:
        yield threads, None
        return
    with tqdm(total=total, desc=what) as bar:
        yield threads, lambda done: bar.update(done - bar.n)
