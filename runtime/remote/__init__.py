"""Work for other machines: tasks on the workers of a Dask scheduler, each in a process of its own."""

from __future__ import annotations

from .scheduler import SchedulerError, remote_results

__all__ = ["SchedulerError", "remote_results"]
