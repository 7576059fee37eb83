"""Runs a study with a function: one call after the other, or on an executor."""

from __future__ import annotations

import concurrent.futures
import contextlib
import numbers
import queue
import signal
import sys
import threading
import time
import uuid

from . import _core
from ._measure import failure_of, measure, measure_elsewhere
from .errors import Error, InvalidError

_MOST_PENDING = 10_000
_ENDS = (concurrent.futures.CancelledError, concurrent.futures.BrokenExecutor)


class _Progress:
    """tqdm's bar if it is installed, else a line for each epoch. On standard error."""

    def __init__(self, study, shown: bool):
        self._local = study._local
        self._maximize = study.direction == "maximize"
        self._shown = shown
        self._seen = 0
        self._best = None
        self._bar = None
        self._total = self._local.num_queries()
        if shown:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                pass
            else:
                self._bar = tqdm(total=self._total, desc=study.name, unit="query")
        self.look()

    def look(self):
        if not self._shown:
            return
        values = self._local.values_from(self._seen)
        self._seen += len(values)
        for value in values:
            if value is not None and (
                self._best is None or (value > self._best if self._maximize else value < self._best)
            ):
                self._best = value
        lines = self._local.take_lines()
        if self._bar is not None:
            self._bar.update(len(values))
            if self._best is not None:
                self._bar.set_postfix(best=f"{self._best:.6g}", refresh=False)
        elif lines:
            best = "no value yet" if self._best is None else f"best value so far {self._best:.6g}"
            for line in lines:
                print(f"{line}; {self._seen} of {self._total} queries, {best}", file=sys.stderr, flush=True)

    def close(self):
        if self._bar is not None:
            self._bar.close()


class _Interrupts:
    """Ctrl-C between two lines of the loop would lose a query: it interrupts the user's function, and is a flag
    elsewhere. Only where Python's own handler is in charge: in the main thread, without a handler of the user."""

    def __init__(self, wake=lambda: None):
        self.stop = False
        self.measuring = False
        self._wake = wake
        self._installed = False

    def __enter__(self):
        if threading.current_thread() is threading.main_thread() and \
                signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle)
            self._installed = True
        return self

    def __exit__(self, kind, *_):
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if self.stop and kind is None:
            raise KeyboardInterrupt

    def _handle(self, *_):
        if self.measuring or self.stop:
            raise KeyboardInterrupt
        self.stop = True
        self._wake()


def whole_number(name, value, least):
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} = {value!r}: must be a whole number")
    if value < least:
        raise InvalidError(f"{name} = {value}: must be at least {least}")


def run(study, function, executor, max_failures, max_pending, seconds, shown):
    if not callable(function):
        raise TypeError(f"function = {function!r}: must be callable")
    if executor is not None and not hasattr(executor, "submit"):
        raise TypeError(f"executor = {executor!r}: must have submit(), as those of concurrent.futures")
    whole_number("max_failures", max_failures, 0)
    if max_pending is not None:
        whole_number("max_pending", max_pending, 1)
    if seconds is not None:
        if isinstance(seconds, bool) or not isinstance(seconds, numbers.Real):
            raise TypeError(f"seconds = {seconds!r}: must be a number")
        if not 0 < seconds < float("inf"):
            raise InvalidError(f"seconds = {seconds}: must be positive")
    deadline = float("inf") if seconds is None else time.monotonic() + seconds

    def over():
        return time.monotonic() >= deadline and study._local.has_reward()

    study._local.begin_intake(max_failures)
    progress = _Progress(study, shown)
    try:
        if executor is None:
            _run_here(study, function, progress, over)
        else:
            _Pool(study, function, executor, max_pending or _MOST_PENDING, progress, over).run()
    finally:
        progress.close()


def _run_here(study, function, progress, over):
    local, parameters = study._local, study._parameters
    by_name = not parameters.as_array
    with _Interrupts() as interrupts:
        while not local.finished() and not interrupts.stop:
            if over():
                return local.end()
            query = local.ask(None)
            if query is None:
                local.give_up()
            try:
                try:
                    interrupts.measuring = True
                    outcome = measure(function, parameters.arguments(query), by_name)
                finally:
                    interrupts.measuring = False
                local.take([_core.Told(query, outcome.answer(), outcome.seconds)])
            except BaseException:
                with contextlib.suppress(Error):  # it may have its answer
                    local.give_back(query)
                raise
            progress.look()


class _Pool:
    """Queries on an executor."""

    def __init__(self, study, function, executor, limit, progress, over):
        self._local = study._local
        self._parameters = study._parameters
        self._function = function
        self._executor = executor
        self._limit = limit
        self._progress = progress
        self._over = over
        self._flying = {}
        self._done = queue.SimpleQueue()

    def run(self):
        try:
            with _Interrupts(wake=lambda: self._done.put(None)) as self._interrupts:
                while not self._local.finished() and not self._interrupts.stop:
                    self._submit()
                    if not self._flying:
                        if self._interrupts.stop:
                            break
                        if self._over():
                            return self._local.end()
                        self._local.give_up()
                    self._take(self._collect())
                    self._progress.look()
                if self._interrupts.stop:
                    self._finish()
        finally:
            for future, query in self._flying.items():
                future.cancel()
                with contextlib.suppress(Error):
                    self._local.give_back(query)

    def _submit(self):
        while len(self._flying) < self._limit and not self._interrupts.stop and not self._over():
            query = self._local.ask(None)
            if query is None:
                return
            try:
                future = self._executor.submit(
                    measure_elsewhere, self._function, self._parameters.arguments(query),
                    not self._parameters.as_array, uuid.uuid4().hex)
            except BaseException:
                self._local.give_back(query)
                raise
            self._flying[future] = query
            future.add_done_callback(self._done.put)

    def _collect(self):
        """Waits for one future, and takes all that are done."""
        futures = [self._done.get()]
        while not self._done.empty():
            futures.append(self._done.get())
        return futures

    def _take(self, futures):
        told, broken = [], None
        for future in futures:
            query = self._flying.pop(future, None)
            if query is None:
                continue
            error = concurrent.futures.CancelledError() if future.cancelled() else future.exception()
            outcome = future.result() if error is None else error
            if isinstance(outcome, _ENDS) or \
                    (isinstance(outcome, BaseException) and not isinstance(outcome, Exception)):
                self._local.give_back(query)
                broken = outcome
                continue
            if isinstance(outcome, Exception):  # the call could not be sent, or its answer not come back
                outcome = failure_of(outcome)
            told.append(_core.Told(query, outcome.answer(), outcome.seconds))
        self._local.take(told)
        if broken is not None:
            raise broken

    def _finish(self):
        """Cancels what has not begun, and tells what has."""
        for future in list(self._flying):
            if future.cancel():
                self._local.give_back(self._flying.pop(future))
        if self._flying:
            print("duets: stopping after the current queries; press Ctrl-C again to abandon them", file=sys.stderr)
        while self._flying:
            self._take(self._collect())
