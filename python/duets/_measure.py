"""One call of the user's function, in this process or another."""

from __future__ import annotations

import numbers
import os
import sys
import time
import traceback
from typing import Any, Callable, NamedTuple

import numpy as np

from . import _core
from .errors import Infeasible

_LOG_BYTES = 4096


class Outcome(NamedTuple):
    kind: str  # "value", "infeasible", "failure"
    value: float
    why: str
    log: str
    seconds: float

    def answer(self):
        if self.kind == "value":
            return _core.Value(self.value)
        if self.kind == "infeasible":
            return _core.Infeasible(self.why)
        return _core.Failure(self.why, self.log)


def number_of(value: Any) -> float:
    """A Python or NumPy number, or an array of no dimension. TypeError, ValueError."""
    if isinstance(value, np.ndarray):
        if value.ndim != 0:
            raise TypeError(f"an array of shape {value.shape}: must be one number")
        value = value[()]
    if hasattr(value, "item") and not isinstance(value, (numbers.Real, np.generic)) and getattr(value, "ndim", 1) == 0:
        value = value.item()  # a tensor of no dimension
    if not isinstance(value, (numbers.Real, np.bool_)):
        raise TypeError(f"{value!r:.80}, a {type(value).__name__}: must be one number")
    return float(value)


def failure_of(error: BaseException, seconds: float = 0.0) -> Outcome:
    """A hole, with the exception and its traceback."""
    lines = "".join(traceback.format_exception_only(type(error), error)).splitlines()
    why = next((line for line in lines if line and not line[0].isspace()), type(error).__name__)
    log = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return Outcome("failure", 0.0, why[:500], log[-_LOG_BYTES:], seconds)


def _end_child(error: BaseException | None):
    """The function has forked, and its child came back: the parent's result counts."""
    sys.stderr.write("duets: a child process that your function has forked came back from it and ends here\n")
    if error is not None:
        traceback.print_exception(type(error), error, error.__traceback__)
    sys.stderr.flush()
    os._exit(1 if error is not None else 0)


def measure(function: Callable, arguments: Any, by_name: bool) -> Outcome:
    """Calls the function. Interrupts (KeyboardInterrupt, SystemExit) pass through."""
    process = os.getpid()
    begin = time.perf_counter()
    try:
        returned = function(**arguments) if by_name else function(arguments)
        if os.getpid() != process:
            _end_child(None)
        seconds = time.perf_counter() - begin
        try:
            return Outcome("value", number_of(returned), "", "", seconds)
        except (TypeError, ValueError, OverflowError) as error:
            return Outcome("failure", 0.0, f"the function returned {error}", "", seconds)
    except Infeasible as infeasible:
        if os.getpid() != process:
            _end_child(infeasible)
        return Outcome("infeasible", 0.0, str(infeasible) or "infeasible", "", time.perf_counter() - begin)
    except BaseException as error:
        if os.getpid() != process:
            _end_child(error)
        if not isinstance(error, Exception):
            raise
        return failure_of(error, time.perf_counter() - begin)


def measure_elsewhere(function: Callable, arguments: Any, by_name: bool, call: str) -> Outcome | BaseException:
    """For an executor. An interrupt is returned: raised it could end a worker. ``call`` is another text for each call:
    an executor that remembers results, as Dask does, has to call again at the same point."""
    try:
        return measure(function, arguments, by_name)
    except BaseException as interrupt:
        return interrupt
