"""Commands end quickly and report the true cause: an agent with nothing left to do ends, a coordinator that cannot
be reached is reported soon and correctly, and the storage shows how a study ended."""

import json
import os
import re
import signal
import socket
import threading
import time

import certificates
import fleet

QUICK = 3  # seconds, for commands that need a fraction of one on an idle machine


def upload_and_die(f):
    """Agent 0 of two uploads once; then it and the coordinator are killed."""
    f.server.start()
    f.agents[0].start()
    fleet.wait("its first upload", lambda: (s := f.server.status()) and s["waiting_for"] == [1])
    f.agents[0].kill()
    f.server.kill()


def complete_journal(scratch):
    """An agent that is started again after everything is over ends well; one that still has something to
    deliver waits."""
    study = fleet.study(scratch / "over.toml", "box", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.start()
        fleet.same("digests", f.finish(), f.reference())
        agent = f.agents[0].start()
        fleet.same("a complete journal, no coordinator: exit code", agent.wait(30), 0)
        fleet.contains("it says why", agent.err(), "nothing is left to do")
        f.server.start()
        agent.start()
        fleet.same("with the coordinator it asks it: exit code", agent.wait(), 0)
        fleet.check("and is not told of an end", "nothing is left to do" not in agent.err())
        f.server.stop()


def unfinished_journal(scratch):
    study = fleet.study(scratch / "open.toml", "box", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        upload_and_die(f)
        f.agents[0].start()
        fleet.wait("it to wait", lambda: "trying again" in f.agents[0].err())
        fleet.pause_while(7, f.agents[0].alive)
        fleet.check("an agent with an open study waits", f.agents[0].alive(), f.agents[0].tail())
        f.server.start()
        f.agents[1].start()
        fleet.same("digests", f.finish(), f.reference())


def timed(scratch, *words):
    begun = time.monotonic()
    result = fleet.duets(scratch, *words)
    return result, time.monotonic() - begun


def nothing_listens(scratch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"  # bound, but nothing listens
        there = ("--server", address, "--insecure")
        study = fleet.study(scratch / "s.toml", "box")
        (scratch / "answers.csv").write_text("epoch,slot,value\n1,0,1\n")
        for words in (["status"], ["best"], ["plan", "--agent", "0"], ["study", "list"],
                      ["submit", "--agent", "0", "answers.csv"], ["study", "show", "s"],
                      ["study", "stop", "s"], ["study", "delete", "s", "--yes"],
                      ["study", "close", "s", "--epoch", "1"], ["study", "create", study],
                      ["study", "export", "s"]):
            result, seconds = timed(scratch, *words, *there)
            name = " ".join(map(str, words[:2]))
            fleet.same(f"{name}: exit code", result.returncode, 4)
            fleet.contains(f"{name}: says so", result.stderr, f"cannot connect to {address}")
            fleet.check(f"{name}: within {QUICK} s", seconds < QUICK, f"{seconds:.1f} s")
        result, seconds = timed(scratch, "plan", "--agent", "0", "--give-up", "5", *there)
        fleet.check("who says how long to try is obeyed", result.returncode == 4 and seconds > 4.5,
                    f"{result.returncode}, {seconds:.1f} s")


class Listener:
    """Takes connections and does nothing but `each` with them."""

    def __init__(self, each):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.kept = []
        threading.Thread(target=self.run, args=(each,), daemon=True).start()

    def run(self, each):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.kept.append(connection)
            each(connection)


def overloaded(scratch):
    """What a coordinator looks like that has too much to do: TLS is not what is wrong with it."""
    closing = Listener(lambda connection: connection.close())
    result, _ = timed(scratch, "status", "--server", closing.address, "--insecure")
    fleet.same("connections are closed: exit code", result.returncode, 4)
    fleet.contains("it may be overloaded", result.stderr, "may be overloaded")
    fleet.check("nothing of TLS", "TLS" not in result.stderr, result.stderr)
    silent = Listener(lambda connection: None)
    result, _ = timed(scratch, "status", "--server", silent.address, "--insecure")
    fleet.same("nothing is answered: exit code", result.returncode, 4)
    fleet.contains("it does not answer", result.stderr, "may be overloaded")
    fleet.check("nothing of TLS", "TLS" not in result.stderr, result.stderr)


def really_tls(scratch):
    """With evidence it is said."""
    every = certificates.authority(scratch, "authority")
    server = fleet.Server(scratch, fleet.study(scratch / "tls.toml", "box"),
                          fleet.new_secret(scratch / "secret.key"))
    server.start("--certs", every, insecure=False)
    result, _ = timed(scratch, "status", "--server", server.address, "--insecure")
    fleet.same("plaintext to a TLS coordinator: exit code", result.returncode, 4)
    fleet.contains("says what to leave out", result.stderr, "uses TLS; leave out --insecure")


def stored(f, *words):
    return fleet.duets(f.scratch, *words, "--storage", f.server.storage)


def stored_status(f):
    return json.loads(stored(f, "status", "--format", "json").stdout)


def unserved(f):
    """What table and list say of a study that nobody serves."""
    begin = "not being served"
    row = next((line for line in stored(f, "status").stdout.splitlines() if line.startswith(begin)), "")
    text = row[len(begin):].strip().removesuffix("; continue with 'duets serve'")
    fleet.check("a row of the table", text, row)
    listed = stored(f, "study", "list").stdout.strip()
    # Between the two commands the time goes on.
    fleet.contains("the list says the same", re.sub(r"\d+ s ago", "", listed),
                   f", {begin}: " + re.sub(r"\d+ s ago", "", text))
    return text


def finished_and_killed(scratch):
    study = fleet.study(scratch / "ways.toml", "box", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.server.start()
        status = stored_status(f)
        fleet.same("while it is served", (status["state"], status["served"]), ("running", True))
        fleet.check("the table says nothing of it", "not being served" not in
                    stored(f, "status").stdout)
        f.server.kill()
        status = stored_status(f)
        fleet.same("killed", (status["state"], status["served"]), ("running", False))
        fleet.same("how it ended", status["ended"],
                   {"how": "not recorded", "why": "", "seconds_ago": None})
        fleet.same("for people", unserved(f), "its coordinator recorded no end: probably killed or crashed")
        f.server.start()
        fleet.same("a start forgets it", stored_status(f)["ended"], None)
        final = f.server.stop()
        fleet.same("serve itself says so", (final["served"], final["ended"]["how"]),
                   (False, "stopped by SIGINT"))
        fleet.same("a signal, stored", stored_status(f)["ended"]["how"], "stopped by SIGINT")
        fleet.check("when", stored_status(f)["ended"]["seconds_ago"] < fleet.CAP)
        fleet.check("for people", re.fullmatch(r"stopped by SIGINT \d+ s ago", unserved(f)), unserved(f))
        f.server.start()
        f.server.signal(signal.SIGTERM)
        f.server.wait()
        fleet.same("another one", stored_status(f)["ended"]["how"], "stopped by SIGTERM")
        f.server.start()
        f.server.kill()
        fleet.same("killed after an orderly end", stored_status(f)["ended"]["how"], "not recorded")
        f.start()
        fleet.same("digests", f.finish(), f.reference())
        fleet.same("finished", stored_status(f)["state"], "finished")
        text = stored(f, "status").stdout
        fleet.check("a finished study needs nobody", "ways, finished" in text and
                    "not being served" not in text, text)


def gave_up(scratch):
    """Nobody came: the reason that serve printed is stored, and a serve that never listened keeps it."""
    study = fleet.study(scratch / "alone.toml", "box", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        secrets = f.server.storage / "secrets"
        secrets.mkdir(parents=True, mode=0o700)
        fleet.new_secret(secrets / "alone.key", bytes.fromhex(f.secret.read_text()))
        create = fleet.duets(f.scratch, "study", "create", study, "--storage", f.server.storage)
        fleet.same("created without a coordinator: exit code", create.returncode, 0)
        fleet.same("never served", stored_status(f)["ended"], None)
        fleet.same("for people", unserved(f), "no coordinator runs on this storage")
        f.server.start("--give-up", 1)
        fleet.same("exit code", f.server.wait(), 7)
        why = "only 0 of the 3 agents that epoch 1 of study alone needs could be reached for 1 s"
        fleet.contains("serve says why", f.server.err(), why)
        ended = stored_status(f)["ended"]
        fleet.same("stored", (ended["how"], ended["why"]), ("gave up", why))
        fleet.check("for people", re.fullmatch(rf"gave up \d+ s ago: {why}", unserved(f)), unserved(f))
        (scratch / "changed").mkdir()
        changed = fleet.study(scratch / "changed" / "alone.toml", "box", agents=2)
        refused = fleet.duets(f.scratch, "serve", changed, "--storage", f.server.storage, "--insecure",
                              "--listen", "127.0.0.1:0")
        fleet.same("another study of the name: exit code", refused.returncode, 2)
        fleet.same("it served nobody: nothing is changed", stored_status(f)["ended"]["how"], "gave up")
        f.start()
        fleet.same("digests", f.finish(), f.reference())
        fleet.same("a study that is over needs no such text", stored_status(f)["ended"], None)


def failed(scratch):
    """Another study's secret: what agents have sent does not fit."""
    study = fleet.study(scratch / "failed.toml", "box", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        upload_and_die(f)
        key = f.server.storage / "secrets" / "failed.key"
        good = key.read_text()
        key.write_text(os.urandom(32).hex() + "\n")
        server = fleet.Process(f.scratch, "failing").launch(
            [fleet.PROGRAM, "serve", study, "--listen", "127.0.0.1:0", "--storage", f.server.storage,
             "--insecure"])
        fleet.same("a study that fails: exit code of serve", server.wait(), 1)
        fleet.contains("it says why", server.err(), "does not fit its epoch")
        status = stored_status(f)
        fleet.same("stored", (status["state"], status["served"]), ("failed", False))
        fleet.contains("with the reason", status["problem"], "does not fit its epoch")
        fleet.contains("the table has it", stored(f, "status").stdout,
                       "failed: coordinator records: a message that does not fit its epoch")
        fleet.contains("the list too", stored(f, "study", "list").stdout, "failed")
        key.write_text(good)
        f.start()
        fleet.same("with what it needs it goes on: digests", f.finish(), f.reference())
        fleet.same("and is not called failed any more", stored_status(f)["state"], "finished")


fleet.main(complete_journal, unfinished_journal, nothing_listens, overloaded, really_tls,
           finished_and_killed, gave_up, failed)
