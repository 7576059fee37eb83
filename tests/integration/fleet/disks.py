"""Disks for tests: small or read-only ones, in a private mount namespace of one process."""

import os
import pathlib
import subprocess


def _script(setup):
    return ["unshare", "-m", "--propagation", "private", "sh", "-c", f'{setup} && exec "$@"', "sh"]


def small(directory, size):
    """Arguments before a command that then sees an empty disk of `size` at `directory`."""
    return _script(f"mount -t tmpfs -o size={size},mode=0700 tmpfs '{directory}'")


def read_only(directory):
    """Arguments before a command that then cannot write below `directory`."""
    return _script(f"mount --bind '{directory}' '{directory}' && "
                   f"mount -o remount,bind,ro '{directory}'")


def why_not(scratch):
    """Why there can be no disks of our own on this machine; empty when there can."""
    probe = scratch / "probe"
    probe.mkdir()
    for before in (small(probe, "64k"), read_only(probe)):
        try:
            result = subprocess.run([*before, "true"], capture_output=True, text=True, timeout=60)
        except OSError as error:
            return str(error)
        if result.returncode != 0:
            return result.stderr.strip() or f"exit code {result.returncode}"
    return ""


def seen_by(process, directory):
    """The directory as a process in another mount namespace has it."""
    return pathlib.Path(f"/proc/{process.pid}/root") / directory.relative_to("/")


def fill(directory):
    """Writes until nothing more fits, to the last byte. Returns the file to remove."""
    filler = directory / "filler"
    with open(filler, "wb", buffering=0) as file:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    os.sync()
    return filler
