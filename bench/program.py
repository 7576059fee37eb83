"""A call of the program as a user makes it, and what it took."""

import dataclasses
import os
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Call:
    output: str
    seconds: float
    processor: float  # user and system time of all its threads, in seconds
    peak: int  # bytes


def call(*arguments):
    """Runs DUETS_PROGRAM; a call that fails is a RuntimeError with the end of what it said."""
    command = [os.environ["DUETS_PROGRAM"], *map(str, arguments)]
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        with process.stdout:
            output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if status != 0:
            errors.seek(0)
            raise RuntimeError(f"{' '.join(command)}: {errors.read().strip()[-400:]}")
    return Call(output, time.monotonic() - begun, usage.ru_utime + usage.ru_stime,
                usage.ru_maxrss * 1024)
