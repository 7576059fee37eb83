"""What the system knows about a process: memory, handles, threads; and the bytes a network carried."""

import os
import pathlib


def _status(pid, field):
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    raise ProcessLookupError(f"process {pid} has no {field}")


def memory(pid):
    """KiB in memory now, without pages of files, which several processes share."""
    return _status(pid, "RssAnon")


def resident(pid):
    """KiB in memory now, program and libraries included."""
    return _status(pid, "VmRSS")


def threads(pid):
    return _status(pid, "Threads")


def handles(pid):
    """{number: what it is} of open files, sockets and others."""
    found = {}
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            found[int(entry.name)] = os.readlink(entry)
        except OSError:  # closed meanwhile
            pass
    return found


class Peak:
    """The most memory that a process was seen with, in KiB."""

    def __init__(self, process):
        self.process, self.kib = process, 0

    def look(self):
        """The system keeps the largest value itself; looking late enough is all it takes."""
        if self.process.alive():
            try:
                self.kib = _status(self.process.pid, "VmHWM")
            except (OSError, ProcessLookupError):
                pass


def loopback_bytes(pid):
    """Bytes over the loopback device of the network that the process is in, headers included."""
    with open(f"/proc/{pid}/net/dev", encoding="utf-8") as devices:
        for line in devices:
            name, _, numbers = line.partition(":")
            if name.strip() == "lo":
                return int(numbers.split()[8])
    raise OSError("no loopback device")


def mib(kib):
    return f"{kib / 1024:.1f} MiB"
