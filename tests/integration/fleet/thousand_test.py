"""1000 agents on one machine, in ten processes: the study completes, gives the digests of a simulation,
and sends what the ledger says. Memory, calls per second and socket bytes are reported."""

import csv
import json
import subprocess
import time

import fleet
import measure
import network

AGENTS, PROCESSES = 1000, 10
SECONDS = 280  # the whole study; most of it is journals, a file for each agent


def own_network(scratch):
    """A network of our own, whose bytes are only ours, or None and a line that says why not."""
    try:
        return network.Machine(scratch, "all")
    except (OSError, subprocess.SubprocessError) as error:
        print(f"could not run: socket bytes, a network namespace is needed ({error})", flush=True)
        return None


def simulated(scratch, study, secret):
    """(digests, reals of the links ledger) of `duets run`."""
    result = fleet.duets(scratch, "run", study, "--secret", secret, "-o", "simulated", "-q")
    if result.returncode != 0:
        raise RuntimeError(f"duets run: exit code {result.returncode}\n{result.stderr}")
    manifest = json.loads((scratch / "simulated" / "manifest.json").read_text())
    with open(scratch / "simulated" / "communication.csv", newline="", encoding="utf-8") as file:
        ledger = list(csv.DictReader(file))[-1]
    return fleet.digests(manifest), int(ledger["links"])


def thousand(scratch):
    study = fleet.study(scratch / "thousand.toml", "finite", agents=AGENTS, horizon=20,
                        duets=['upload = "projection"'])
    machine = own_network(scratch)
    before = machine.before if machine else ()
    with fleet.Fleet(scratch, study, agents=0) as f:
        f.server.start(before=before, keep=False)
        share = AGENTS // PROCESSES
        f.agents = [fleet.Agent(scratch, f.server, f"{i}-{i + share - 1}")
                    for i in range(0, AGENTS, share)]
        peaks = [measure.Peak(process) for process in (f.server, *f.agents)]
        begun, at_start = time.monotonic(), measure.loopback_bytes(machine.holder.pid) if machine else 0
        for agent in f.agents:
            agent.start(before=before)

        def over():
            for peak in peaks:
                peak.look()
            return not any(process.alive() for process in (f.server, *f.agents))

        fleet.wait("the end of the study", over, SECONDS, every=0.1)
        seconds = time.monotonic() - begun
        for process in (f.server, *f.agents):
            fleet.same(f"{process.name} ends well", process.code, 0)
        status = fleet.final_status(f.server)
        fleet.same("the study is finished", status["state"], "finished")
        fleet.same("by all of its agents", status["agents"], AGENTS)
        fleet.check("no agent was left out", status["complete_participation"])

        digests, links = simulated(scratch, study, f.secret)
        fleet.same("digests as simulated", fleet.digests(status), digests)
        traffic = status["traffic"]
        fleet.same("reals over the links as simulated", traffic["reals_links"], links)
        payload = traffic["payload_up_bytes"] + traffic["payload_down_bytes"]
        fleet.check("serialized S, u and w within 10 % of 8 bytes a real",
                    0.9 * 8 * links <= payload <= 1.1 * 8 * links, f"{payload} of {8 * links}")

        queries = AGENTS * status["horizon"]
        print(f"{AGENTS} agents in {PROCESSES} processes: {queries} queries in {seconds:.1f} s, "
              f"{traffic['calls']} calls, {traffic['calls'] / seconds:.0f} a second")
        print(f"peak memory: coordinator {measure.mib(peaks[0].kib)}, agents' processes "
              f"{measure.mib(max(p.kib for p in peaks[1:]))} at most, "
              f"{measure.mib(sum(p.kib for p in peaks))} together")
        print(f"serialized S, u and w: {payload} bytes, {payload / links:.3f} a real "
              f"({links} reals); closing {traffic['closing_bytes']} bytes")
        if machine:
            socket = measure.loopback_bytes(machine.holder.pid) - at_start
            print(f"socket bytes, both directions, all headers: {socket}, {socket / payload:.2f} "
                  "times the serialized ones")


fleet.main(thousand)
