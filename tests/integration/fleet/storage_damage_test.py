"""Truncated, changed and foreign files: detected, named, exit code 6, nothing overwritten. With the
files restored the run ends with the same digests. (optuna #815: corrupted storage.)"""

import os
import random
import shutil
import sqlite3

import fleet


def cut(path, part):
    os.truncate(path, int(path.stat().st_size * part))


def flip(path, offset, bit=0x10):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ bit]))


def flip_entry(path):
    """Changes one byte in the middle of a stored entry."""
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as connection:
        entry = max((row[0] for row in connection.execute("SELECT bytes FROM entries")), key=len)
    data = path.read_bytes()
    start = data.find(entry[:64])
    assert start >= 0, "no entry in the file"
    flip(path, start + min(len(entry), 200) // 2)


def write(path, data):
    path.write_bytes(data)


DAMAGES = {
    "cut in half": lambda file: cut(file, 0.5),
    "cut to 100 bytes": lambda file: os.truncate(file, 100),
    "cut by a page": lambda file: os.truncate(file, file.stat().st_size - 4096),
    "empty": lambda file: os.truncate(file, 0),
    "a byte of an entry flipped": flip_entry,
    "a byte of the header flipped": lambda file: flip(file, 1),
    "garbage": lambda file: write(file, random.Random(1).randbytes(20000)),
    "text": lambda file: write(file, b"not a database\n" * 100),
}


def in_the_middle(f):
    """A storage and journals as a kill -9 in the middle of a run leaves them: epoch 2 waits for the
    last agent."""
    f.server.start()
    for agent in f.agents[:-1]:
        agent.start()
    # Its journal: joined, S_1, two answers, the cut, S_2, and four answers.
    f.agents[-1].start(fail_point="append.after:8:kill")
    fleet.same("the last agent dies in the middle", f.agents[-1].wait(), -9)
    fleet.wait("the coordinator to wait for it", lambda: (s := f.server.status()) and
               s["epoch"] == 2 and s["waiting_for"] == [len(f.agents) - 1])
    f.kill()


def settled(f):
    """The same after a clean stop: everything is in the file itself."""
    in_the_middle(f)
    f.server.start()
    return fleet.digests(f.server.stop())


def refused(what, process, file, directory, damaged):
    """The process just started has ended, or will without having taken part."""
    try:
        process.wait(20)
    except fleet.GaveUp:
        process.kill()
    fleet.same(f"{what}: exit code", process.code, 6)
    fleet.contains(f"{what}: names the file", process.err(), str(file))
    fleet.same(f"{what}: nothing was overwritten", fleet.contents(directory), damaged)


def restore(copy, directory):
    shutil.rmtree(directory)
    shutil.copytree(copy, directory)


def coordinator_file(scratch):
    study = fleet.study(scratch / "file.toml", "finite")
    with fleet.Fleet(scratch, study) as f:
        settled(f)
        storage, copy = f.server.storage, scratch / "copy"
        shutil.copytree(storage, copy)
        file = storage / "duets.db"
        for what, damage in DAMAGES.items():
            damage(file)
            damaged = fleet.contents(storage)
            f.server.start()
            refused(f"duets.db {what}", f.server, file, storage, damaged)
            restore(copy, storage)
        file.unlink()
        file.mkdir()
        f.server.start()
        fleet.same("duets.db a directory: exit code", f.server.wait(), 6)
        restore(copy, storage)
        f.server.start()
        f.start_agents()
        fleet.same("with its files back: digests", f.finish(), f.reference())


def coordinator_log(scratch):
    """What is not yet in the file itself but in its -wal, after a kill."""
    study = fleet.study(scratch / "log.toml", "box")
    with fleet.Fleet(scratch, study) as f:
        in_the_middle(f)
        storage, copy = f.server.storage, scratch / "copy"
        shutil.copytree(storage, copy)
        wal = storage / "duets.db-wal"
        damages = {"cut in half": lambda: cut(wal, 0.5), "cut by a byte": lambda: os.truncate(wal, wal.stat().st_size - 1),
                   "with a flipped byte": lambda: flip(wal, wal.stat().st_size // 2),
                   "removed": wal.unlink, "alone": (storage / "duets.db").unlink}
        for what, damage in damages.items():
            damage()
            damaged = fleet.contents(storage)
            f.server.start()
            refused(f"duets.db-wal {what}", f.server, storage / "duets.db", storage, damaged)
            restore(copy, storage)
        secret = storage / "secrets" / "log.key"
        secret.unlink()
        f.server.start()
        fleet.same("a missing secret: exit code", f.server.wait(), 6)
        fleet.contains("a missing secret: names the file", f.server.err(), str(secret))
        shutil.copy2(copy / "secrets" / "log.key", secret)
        f.server.start()
        f.start_agents()
        fleet.same("with its files back: digests", f.finish(), f.reference())


def any_byte(scratch):
    """A flipped byte anywhere is refused, or nobody can tell the difference (unused space)."""
    study = fleet.study(scratch / "any.toml", "finite", agents=3)
    rng = random.Random(11)
    with fleet.Fleet(scratch, study, agents=3) as f:
        before = settled(f)
        storage, copy = f.server.storage, scratch / "copy"
        shutil.copytree(storage, copy)
        file = storage / "duets.db"
        refusals = 0
        offsets = sorted(rng.sample(range(file.stat().st_size), 40))
        for offset in [*offsets, file.stat().st_size - 1]:
            if offset in offsets:
                flip(file, offset, 1 << rng.randrange(8))
            else:
                os.truncate(file, offset)  # the last byte is missing
            damaged = fleet.contents(storage)
            f.server.start()
            if f.server.alive():
                same = fleet.digests(f.server.stop()) == before
                same or fleet.check(f"byte {offset}", False, "changed the run unnoticed")
            else:
                refusals += 1
                good = (f.server.code == 6 and str(file) in f.server.err() and
                        fleet.contents(storage) == damaged)
                good or fleet.check(f"byte {offset}", False, f.server.tail())
            restore(copy, storage)
        # Most of a small store is unused space; what holds entries is tested byte by byte elsewhere.
        fleet.check(f"any byte: {refusals} of 41 refused, the others in unused space",
                    0 < refusals < 41, "not a test of both")


def agent_journal(scratch):
    study = fleet.study(scratch / "journal.toml", "finite")
    with fleet.Fleet(scratch, study) as f:
        in_the_middle(f)
        f.server.start()
        agent = f.agents[3]
        # Opened once more and stopped, so that everything is in the file itself.
        agent.start()
        fleet.wait("agent 3 to join", lambda: "joined study" in agent.err() or not agent.alive())
        agent.signal()
        fleet.same("agent 3 stops when asked", agent.wait(), 0)
        file, copy = agent.journal_file(), scratch / "copy"
        shutil.copytree(agent.journal, copy)
        for what, damage in DAMAGES.items():
            damage(file)
            damaged = fleet.contents(agent.journal)
            agent.start()
            refused(f"journal {what}", agent, file, agent.journal, damaged)
            restore(copy, agent.journal)
        fleet.check("the coordinator does not care", f.server.alive(), f.server.tail())
        f.start_agents()
        fleet.same("with its journal back: digests", f.finish(), f.reference())


fleet.main(coordinator_file, coordinator_log, any_byte, agent_journal)
