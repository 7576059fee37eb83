"""An operator retires agents: the study continues without them for good, exactly like a simulation with the
recorded participation, whenever the coordinator is killed. Quorum and deadline of a study that runs are
changed, and stay changed. `duets status` says how far a study is and who holds it up."""

import pathlib
import shutil
import sys

import fleet

MISBEHAVING = pathlib.Path(__file__).with_name("misbehaving.py")


def operate(f, *words, code=0):
    """`duets study WORDS` at the coordinator, which ends with `code`; its standard error."""
    result = fleet.duets(f.scratch, "study", *words, "--server", f.server.address, "--insecure")
    fleet.same(f"study {' '.join(map(str, words))}: exit code", result.returncode, code)
    if result.returncode != code:
        print(result.stderr)
    return result.stderr


def text(f):
    """The table that people see."""
    return fleet.duets(f.scratch, "status", "--server", f.server.address, "--insecure").stdout


def wait_in_epoch(f, epoch, waiting_for):
    fleet.wait(f"epoch {epoch} to wait for {waiting_for}", lambda: (s := f.server.status()) and
               s["epoch"] == epoch and s["waiting_for"] == waiting_for)


def participation(status):
    return [(e["excluded"], e["why"]) for e in status["closed_epochs"]]


def as_simulated(f, name):
    """The export verifies, and a simulation with its record of who took part is the same run."""
    status = f.server.stop()
    export = f.scratch / "export"
    made = fleet.duets(f.scratch, "study", "export", name, "--storage", f.server.storage, "-o", export)
    fleet.check("it can be exported", made.returncode == 0, made.stderr)
    verified = fleet.duets(f.scratch, "verify", export, "--secret", f.secret)
    fleet.check("the export verifies", verified.returncode == 0, verified.stdout + verified.stderr)
    fleet.same("a simulation with the record of who took part: digests",
               fleet.reference(f.scratch, f.study_file, f.secret, "--participation",
                               export / "participation.toml"), fleet.digests(status))
    return status


def ends_well(agents):
    for agent in agents:
        fleet.check(f"{agent.name} ends well", agent.wait() == 0, agent.tail())


def turned_away(agent, number):
    fleet.same(f"{agent.name} ends with", agent.wait(), 4)
    fleet.contains("and says why", agent.err(), f"agent {number} was retired by an operator")


def lost_disk(scratch):
    """With data = "surviving" an agent without its journal cannot come back: it is retired."""
    study = fleet.study(scratch / "lost.toml", "box", agents=3, duets=['data = "surviving"'])
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start(lease=1)
        lost = f.agents[2]
        f.agents[0].start()
        f.agents[1].start()
        # Joined, S_1, two answers, the cut, S_2, and an answer of epoch 2.
        lost.start(fail_point="append.after:6:kill")
        fleet.same("agent 2 dies", lost.wait(), -9)
        shutil.rmtree(lost.journal)
        wait_in_epoch(f, 2, [2])
        fleet.wait("it to count as lost", lambda: (s := f.server.status()) and
                   s["agent_status"][2]["state"] == "lost")
        fleet.contains("status names who holds everybody up", text(f), "waiting for agent 2 in epoch 2")
        lost.start()
        fleet.same("without its journal it is refused", lost.wait(), 5)
        operate(f, "retire", "lost", "--agent", 2)
        ends_well(f.agents[:2])
        lost.start()
        turned_away(lost, 2)
        status = as_simulated(f, "lost")
        fleet.same("who took part", participation(status),
                   [([], "complete"), ([2], "retired"), ([2], "retired")])
        fleet.same("who is retired", [a["retired"] for a in status["agent_status"]],
                   [False, False, True])


def at_work(scratch):
    """Agents that are retired while they measure, or while they wait: both end by themselves."""
    study = fleet.study(scratch / "work.toml", "finite", agents=4)
    go = [scratch / f"go-{i}" for i in range(4)]
    with fleet.Fleet(scratch, study, agents=4) as f:
        gates = {0: [f"0-1-1=wait:{go[0]}"], 1: [], 2: [f"2-1-1=wait:{go[2]}"], 3: []}
        for agent in f.agents:
            agent.program = [sys.executable, "-S", "-B", MISBEHAVING, scratch / "log",
                             *gates[agent.number]]
        f.start(lease=2)
        wait_in_epoch(f, 1, [0, 2])
        fleet.wait("heartbeats that say how far they are", lambda: (s := f.server.status()) and
                   [a["answered"] for a in s["agent_status"]] == [1, 2, 1, 2] and s["seconds_left"])
        status, shown = f.server.status(), text(f)
        fleet.same("what they do", [a["state"] for a in status["agent_status"]],
                   ["measuring", "delivered", "measuring", "delivered"])
        fleet.same("nobody holds anybody up", status["holding_up"], [])
        fleet.check("and nobody is waited for", "waiting for" not in shown, shown)
        fleet.check("progress", abs(status["progress"] - (1 + 2 + 1 + 2) / 48) < 1e-9,
                    str(status["progress"]))
        fleet.contains("for people", shown, "epoch 1 of 3, 12 % of all queries, about")
        fleet.contains("and agents", shown, "2 measuring, 2 delivered")

        operate(f, "retire", "work", "--agent", 3)
        turned_away(f.agents[3], 3)
        operate(f, "retire", "work", "--agent", 2)
        go[2].touch()
        turned_away(f.agents[2], 2)
        fleet.wait("the last one to be named", lambda: (s := f.server.status()) and
                   s["holding_up"] == [0])
        go[0].touch()
        ends_well(f.agents[:2])
        status = f.server.stop()
        fleet.same("an upload before counts, nothing after", participation(status),
                   [([2], "retired"), ([2, 3], "retired"), ([2, 3], "retired")])
        made = fleet.duets(f.scratch, "study", "export", "work", "--storage", f.server.storage, "-o",
                           "export", "--trials", *(a.journal for a in f.agents))
        fleet.check("it can be exported", made.returncode == 0, made.stderr)
        verified = fleet.duets(f.scratch, "verify", "export", "--secret", f.secret, "--trials",
                               *(a.journal for a in f.agents))
        fleet.check("the export verifies, answers included", verified.returncode == 0,
                    verified.stdout + verified.stderr)


def refusals(scratch):
    study = fleet.study(scratch / "few.toml", "finite", agents=3,
                        extra="[coordinator]\nquorum = 2\ndeadline = 3.0\n")
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start()
        fleet.contains("no such agent", operate(f, "retire", "few", "--agent", 3, code=2),
                       "has agents 0 to 2")
        offline = fleet.duets(f.scratch, "study", "retire", "few", "--agent", 0, "--storage",
                              f.server.storage)
        fleet.same("only at the coordinator", offline.returncode, 2)
        operate(f, "retire", "few", "--agent", 0)
        operate(f, "retire", "few", "--agent", 0)
        fleet.contains("the quorum is kept", operate(f, "retire", "few", "--agent", 1, code=2),
                       "1 agent would be left, but the quorum is 2")
        fleet.contains("a quorum that cannot be met",
                       operate(f, "set", "few", "--quorum", 3, code=2), "must be at most 2")
        operate(f, "set", "few", "--quorum", 1)
        operate(f, "retire", "few", "--agent", 1)
        fleet.contains("the last one stays", operate(f, "retire", "few", "--agent", 2, code=2),
                       "is the last one; use `duets study stop few`")
        f.agents[2].start()
        ends_well(f.agents[2:])
        fleet.same("alone", participation(as_simulated(f, "few")), [([0, 1], "retired")] * 3)


def killed(scratch):
    """The coordinator dies between the decision and the end of the epoch, and at every commit after."""
    study = fleet.study(scratch / "killed.toml", "finite", agents=3)
    for where in ("before", "after"):
        with fleet.Fleet(scratch, study, agents=3, name=f"fleet-{where}") as f:
            # Commits: the epoch is opened, two uploads are taken, the epoch is closed.
            f.server.start(fail_point=f"append.{where}:4:kill")
            f.agents[0].start()
            f.agents[1].start()
            wait_in_epoch(f, 1, [2])
            result = fleet.duets(f.scratch, "study", "retire", "killed", "--agent", 2, "--server",
                                 f.server.address, "--insecure")
            fleet.check("the operator hears of it", result.returncode in (3, 4), result.stderr)
            fleet.same("the coordinator dies", f.server.wait(), -9)
            kills = 0
            while any(a.alive() for a in f.agents[:2]):
                if not f.server.alive():
                    kills += 1
                    f.server.start(fail_point=f"append.{where}:2:kill")
                fleet.wait("a kill or the end", lambda: not f.server.alive() or
                           not any(a.alive() for a in f.agents[:2]))
            ends_well(f.agents[:2])
            if not f.server.alive():
                f.server.start()
            fleet.check(f"killed {kills} times more", kills >= 2, str(kills))
            f.agents[2].start()
            turned_away(f.agents[2], 2)
            fleet.same("retired all the time", participation(as_simulated(f, "killed")),
                       [([2], "retired")] * 3)


def policy(scratch):
    """Quorum and deadline of a study that runs: at once, after a restart, and no more."""
    study = fleet.study(scratch / "policy.toml", "finite", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start()
        f.agents[0].start()
        f.agents[1].start()
        wait_in_epoch(f, 1, [2])
        for words, what in ((["--quorum", 4], "quorum = 4"), (["--deadline", 2], "needs a quorum"),
                            (["--quorum", "some"], "--quorum = some"),
                            (["--quorum", 0], "--quorum = 0"),
                            (["--deadline", 0.5], "--deadline = 0.5"),
                            (["--deadline", "nan"], "--deadline = nan"), ([], "--quorum")):
            fleet.contains("it is refused", operate(f, "set", "policy", *words, code=2), what)
        fleet.contains("it says what holds now",
                       operate(f, "set", "policy", "--quorum", 2, "--deadline", 1),
                       "epochs close with all 3 agents, or with 2 after 1 x the expected time")
        ends_well(f.agents[:2])
        f.server.stop()
        f.server.start()
        fleet.wait("the study to be read", lambda: (s := f.server.status()) and
                   s["state"] == "finished")
        status = f.server.status()
        fleet.same("after a restart, with the old study file", (status["quorum"], status["deadline"]),
                   (2, 1.0))
        fleet.same("nothing changes once it is over", fleet.duets(
            f.scratch, "study", "set", "policy", "--deadline", "none", "--server", f.server.address,
            "--insecure").returncode, 2)
        fleet.same("who took part", participation(as_simulated(f, "policy")), [([2], "deadline")] * 3)


def waits_again(scratch):
    """--deadline none: everybody is waited for again, also after a restart."""
    study = fleet.study(scratch / "again.toml", "finite", agents=3,
                        extra="[coordinator]\nquorum = 2\ndeadline = 1.0\n")
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start()
        operate(f, "set", "again", "--deadline", "none", "--quorum", "all")
        f.agents[0].start()
        f.agents[1].start()
        wait_in_epoch(f, 1, [2])
        f.server.stop()
        f.server.start()
        wait_in_epoch(f, 1, [2])
        fleet.same("no deadline", (f.server.status()["deadline"], f.server.status()["quorum"]),
                   (None, 3))
        fleet.contains("for people", text(f), "with all 3 agents\n")
        f.agents[2].start()
        fleet.same("digests", f.finish(), f.reference())


fleet.main(lost_disk, at_work, refusals, killed, policy, waits_again)
