"""The logs of coordinator and agents: times, levels, JSON; every refusal is logged at most once a minute and counted;
connections that send nothing or garbage are logged and closed, and do no harm."""

import json
import os
import re
import socket
import sys
import time

import certificates
import disks
import fleet

LINE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warning|info|debug) +\S")
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def connect(server):
    host, port = server.address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=60)


def closed_after(connection):
    """Seconds until the other side closes it."""
    begun = time.monotonic()
    try:
        while connection.recv(1000):
            pass
    except ConnectionError:
        pass
    return time.monotonic() - begun


def counted(text, message):
    """How often something happened according to a log: its lines and what they count."""
    lines = [line for line in text.splitlines() if message in line]
    more = [re.search(r"\(and (\d+) more like it\)", line) for line in lines]
    return len(lines), len(lines) + sum(int(found[1]) for found in more if found)


def as_text(scratch):
    study = fleet.study(scratch / "plain.toml", "box", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.start()
        fleet.same("digests", f.finish(), f.reference())
        for process in [f.server, *f.agents]:
            lines = [line for line in process.err().splitlines() if line and "stopping" not in line]
            odd = [line for line in lines if not LINE.match(line)]
            fleet.check(f"{process.name}: every line has a time and a level", lines and not odd, odd)
        fleet.contains("lines name their study", f.server.err(), "info    plain: epoch 1 of")
        fleet.contains("and their agent", f.agents[1].err(), "info    plain: agent 1: joined")


def as_json(scratch):
    study = fleet.study(scratch / "object.toml", "box", agents=2, horizon=3, t1=None,
                        duets=["epochs = [1, 2]"], objective=['command = ["false"]'])
    script = fleet.SOURCE / "tests/integration/fleet/misbehaving.py"
    program = [sys.executable, "-S", "-B", script, scratch / "asked.log", "0-1-0=crash"]
    with fleet.Fleet(scratch, study, agents=2, program=program) as f:
        f.server.start("--log-format", "json")
        for agent in f.agents:
            agent.start("--log-format", "json")
        for agent in f.agents:
            fleet.same(f"{agent.name} ends well", agent.wait(), 0)
        f.server.stop()
        logs = {p.name: [json.loads(line) for line in p.err().splitlines()]
                for p in [f.server, *f.agents]}
        for name, log in logs.items():
            fleet.check(f"{name}: every line is an object", log and all(
                {"time", "level", "message"} <= set(line) for line in log), log)
        fleet.check("the coordinator's lines name the study", any(
            line.get("study") == "object" and "epoch 1 of 2" in line["message"]
            for line in logs["server"]), logs["server"])
        fleet.check("an agent's lines name study and agent", any(
            (line.get("study"), line.get("agent")) == ("object", 1) for line in logs["agent-1"]),
            logs["agent-1"])
        fleet.check("a failed query is a warning", any(
            line["level"] == "warning" and "0-1-0" in line["message"] for line in logs["agent-0"]),
            logs["agent-0"])
        fleet.check("what a program says is in the log too", any(
            "about to crash" in line["message"] for line in logs["agent-0"]), logs["agent-0"])
        lost = fleet.Agent(f.scratch, f.server, 1, journal=scratch / "none")
        lost.name = "lost"
        lost.start("--log-format", "json", "--give-up", "0.5")
        fleet.same("an agent that finds nobody: exit code", lost.wait(), 4)
        last = json.loads(lost.err().splitlines()[-1])
        fleet.same("its last word is an object too", (last["level"], "connection refused" in
                                                      last["message"]), ("error", True))


def levels(scratch):
    study = fleet.study(scratch / "levels.toml", "box", agents=2)
    for level, shown in (("error", []), ("warning", ["refused a call"]),
                         ("debug", ["refused a call", "listening on", "without sending anything"])):
        with fleet.Fleet(scratch, study, agents=2, name=level) as f:
            f.server.start("--log-level", level)
            fleet.same(f"{level}: no such study", fleet.duets(
                f.scratch, "status", "other", "--server", f.server.address,
                "--insecure").returncode, 2)
            connect(f.server).close()
            if shown:
                fleet.wait(f"{level}: its lines", lambda: all(t in f.server.err() for t in shown))
            f.server.stop()
            for text in ("refused a call", "listening on", "without sending anything"):
                fleet.same(f"{level}: {text}", text in f.server.err(), text in shown)
    result = fleet.duets(scratch, "serve", study, "--insecure", "--log-level", "loud")
    fleet.same("a level that does not exist", (result.returncode, "error, warning, info, debug" in
                                               result.stderr), (2, True))


def refusals_are_counted(scratch):
    study = fleet.study(scratch / "refused.toml", "box", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.server.start()
        for _ in range(5):
            fleet.duets(f.scratch, "status", "other", "--server", f.server.address, "--insecure")
        for _ in range(4):
            with connect(f.server) as stranger:
                stranger.sendall(os.urandom(40) + b"\xff")
                closed_after(stranger)
        for _ in range(3):
            with connect(f.server) as stranger:
                stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
                closed_after(stranger)
        with connect(f.server) as stranger:
            stranger.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 20)
            closed_after(stranger)
        f.start_agents()
        fleet.same("among strangers: digests", f.finish(), f.reference())
        for message, count in (("must be one of refused", 5), ("sent garbage", 4),
                               ("a web browser", 3), ("refused a TLS connection", 1)):
            lines, total = counted(f.server.err(), message)
            fleet.same(f'"{message}": all are counted', total, count)
            fleet.check(f'"{message}": in few lines', lines <= 2, lines)
        fleet.contains("who it was", f.server.err(), "(from 127.0.0.1:")


def certificates_are_told(scratch):
    every = certificates.authority(scratch, "authority")
    foreign = certificates.authority(scratch, "foreign")
    study = fleet.study(scratch / "secured.toml", "box", agents=2)
    server = fleet.Server(scratch, study, fleet.new_secret(scratch / "secret.key"))
    server.start("--certs", every, insecure=False)
    plain = fleet.duets(scratch, "status", "--server", server.address, "--insecure")
    fleet.same("plaintext is refused", plain.returncode, 4)
    # A client that does not look at its own certificate as ours do.
    import ssl
    for certs in (None, foreign):
        context = ssl.create_default_context(cafile=every / "ca.crt")
        context.set_alpn_protocols(["h2"])
        if certs:
            context.load_cert_chain(certs / "agent-0.crt", certs / "agent-0.key")
        try:
            with context.wrap_socket(connect(server), server_hostname="127.0.0.1") as secured:
                secured.recv(100)
        except (ssl.SSLError, ConnectionError):
            pass
    other = fleet.duets(scratch, "plan", "--server", server.address, "--certs",
                        certificates.handed_out(scratch, "own", every, "agent-1"), "--agent", "0")
    fleet.check("another agent's certificate", other.returncode in (2, 4), other.stderr)
    with connect(server) as late:
        late.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 20)
        seconds = closed_after(late)
    fleet.check("a handshake that stops is ended", 5 < seconds < 40, f"{seconds:.1f} s")
    server.stop()
    for text in ("refused a plaintext connection", "whose TLS handshake timed out"):
        fleet.contains("the log tells it", server.err(), text)
    fleet.same("certificates are counted", counted(server.err(), "refused a TLS connection")[1], 2)


def idle_connections(scratch):
    """Who says nothing is closed after ten seconds; an agent in a long query is not disturbed."""
    study = fleet.study(scratch / "idle.toml", "box", agents=1, horizon=1, t1=None,
                        duets=["epochs = [1]"], objective=['command = ["false"]'])
    script = fleet.SOURCE / "tests/integration/fleet/misbehaving.py"
    gate = scratch / "answer-now"
    program = [sys.executable, "-S", "-B", script, scratch / "asked.log", f"*=wait:{gate}"]
    with fleet.Fleet(scratch, study, agents=1, program=program) as f:
        f.start(lease=40)
        fleet.wait("the query", lambda: (scratch / "asked.log").exists())
        silent = [connect(f.server) for _ in range(20)]
        half = connect(f.server)
        half.sendall(PREFACE[:10])
        seconds = [closed_after(connection) for connection in silent]
        fleet.check("idle connections are closed", max(seconds) < 40, f"{max(seconds):.1f} s")
        fleet.check("not before their time", seconds[0] > 5, f"{seconds[0]:.1f} s")
        fleet.check("half a greeting is not enough", closed_after(half) < 40)
        fleet.check("the agent is live", f.server.status()["agent_status"][0]["presence"] == "live")
        gate.touch()
        fleet.check("and ends well", f.finish() is not None)
        fleet.same("all are counted", counted(f.server.err(), "sent nothing")[1], 20)
        fleet.same("and the half one", counted(f.server.err(), "whose HTTP/2 greeting timed out")[1], 1)


def full_disk_is_told(scratch):
    """While the disk is full the log says so, again and again but not every second."""
    study = fleet.study(scratch / "failing.toml", "finite")
    with fleet.Fleet(scratch, study) as f:
        f.start(fail_point="append.before:3-6:fail")
        got = f.finish()
        lines, total = counted(f.server.err(), "trying again every second")
        fleet.same("failed writes are counted", total, 4)
        fleet.check("in few lines", lines <= 2, lines)
        fleet.contains("as warnings", f.server.err(), "warning failing: ")
        fleet.same("digests", got, f.reference())
    if disks.why_not(scratch):
        return
    with fleet.Fleet(scratch, study, name="joining") as f:
        f.server.storage.mkdir()
        f.server.start(before=disks.small(f.server.storage, "2m"))
        filler = disks.fill(disks.seen_by(f.server, f.server.storage))
        f.start_agents()
        fleet.wait("the coordinator to say who cannot join", lambda: "cannot join" in f.server.err())
        filler.unlink()
        fleet.same("digests once there is room", f.finish(), f.reference())


fleet.main(as_text, as_json, levels, refusals_are_counted, certificates_are_told, idle_connections,
           full_disk_is_told)
