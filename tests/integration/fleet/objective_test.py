"""Programs that hang, crash, print garbage, NaN or nothing cost only their own query; agents that are
asked to stop finish it, or leave nothing behind."""

import collections
import os
import pathlib
import signal
import struct
import sys

import fleet

HERE = pathlib.Path(__file__).parent


def python(script, *arguments):
    return [sys.executable, "-S", "-B", HERE / script, *arguments]


def asked(log):
    """{trial: how often it was asked}"""
    text = log.read_text() if log.exists() else ""
    return collections.Counter(line.split()[1] for line in text.splitlines()
                               if line.startswith("asked"))


def own_query_only(scratch):
    """One agent per misfortune, in different epochs; the seventh has none."""
    study = fleet.study(scratch / "holes.toml", "box", agents=7, horizon=5, objective=[
        'command = ["unused"]', "timeout = 1.5", "infeasible_value = -2.0"])
    log = scratch / "asked.log"
    wrong = {0: ("0-1-0", "hang", "no answer within 1.5 s"),
             1: ("1-1-1", "crash", "signal 6"),
             2: ("2-2-0", "garbage", "502 Bad Gateway"),
             3: ("3-2-1", "nan", "NaN"),
             4: ("4-2-2", "nothing", "exit code 0"),
             5: ("5-2-2", "infeasible", "")}
    with fleet.Fleet(scratch, study, agents=7) as f:
        for agent in f.agents:
            trial, what, _ = wrong.get(agent.number, ("none", "none", ""))
            agent.program = python("misbehaving.py", log, f"{trial}={what}")
        f.start(lease=1)
        got = f.finish()
        fleet.check("the study completes", got is not None)
        status = f.last_status
        fleet.same("holes of the epochs", [e["holes"] for e in status["closed_epochs"]], [2, 3])
        fleet.same("no agent was left out", [e["excluded"] for e in status["closed_epochs"]],
                   [[], []])
        fleet.contains("the guarantee is withdrawn", status["guarantee"], "None")
        fleet.same("all queries were asked, each once", (len(asked(log)), max(
            asked(log).values())), (7 * 5, 1))
        for number, (trial, what, why) in wrong.items():
            said = f.agents[number].err()
            if what == "infeasible":
                fleet.check("infeasible is an answer, not a hole", "has no answer" not in said, said)
            else:
                fleet.contains(f"{what}: the agent says which trial and why", said,
                               f"trial {trial} has no answer: ")
                fleet.contains(f"{what}: the agent says why", said, why)
        fleet.contains("standard error of the program is passed on", f.agents[1].err(),
                       "about to crash in 1-1-1")
        export = fleet.duets(f.scratch, "study", "export", "holes", "--storage", f.server.storage,
                             "-o", "export", "--trials", *(a.journal for a in f.agents))
        fleet.check("the export has everything", export.returncode == 0, export.stderr)
        trials = (f.scratch / "export" / "trials.csv").read_text()
        fleet.same("rows of the trials", len(trials.splitlines()), 1 + 7 * 5)
        fleet.same("the infeasible one is marked", trials.count("infeasible"), 1)
        record = (f.scratch / "export" / "participation.toml").read_text()
        for part in ("{ agent = 0, slots = [0] }", "{ agent = 1, slots = [1] }",
                     "{ agent = 2, slots = [0] }", "{ agent = 3, slots = [1] }",
                     "{ agent = 4, slots = [2] }"):
            fleet.contains("the record names the hole", record, part)
        verified = fleet.duets(f.scratch, "verify", "export", "--secret", f.secret, "--trials",
                               *(a.journal for a in f.agents))
        fleet.check("the export is verified, answers included", verified.returncode == 0,
                    verified.stdout + verified.stderr)


def poisonous_value(scratch):
    """One answer of 1e308 costs one query of a study that learns its model, and is not in the journal."""
    study = scratch / "poison.toml"
    study.write_text("""[study]
name = "poison"
direction = "maximize"
agents = 3
horizon = 12
seed = 5

[space]
domain = "box"
dimension = 2

[objective]
command = ["unused"]
""")
    log = scratch / "asked.log"
    with fleet.Fleet(scratch, study, agents=3) as f:
        for agent in f.agents:
            what = "1-2-0=huge" if agent.number == 1 else "none=none"
            agent.program = python("misbehaving.py", log, what)
        f.start(lease=1)
        fleet.check("the study completes", f.finish() is not None)
        status = f.last_status
        fleet.same("one hole", sum(e["holes"] for e in status["closed_epochs"]), 1)
        fleet.same("no agent was left out", [e["excluded"] for e in status["closed_epochs"] if
                                           e["excluded"]], [])
        fleet.contains("the agent says why", f.agents[1].err(),
                       "trial 1-2-0 has no answer: value = 1e+308: must be finite")
        journals = [path for path in f.agents[1].journal.rglob("*") if path.is_file()]
        fleet.check("there is a journal", bool(journals))
        poison = struct.pack("<d", 1e308)
        fleet.same("files of the journal with the value", [p.name for p in journals if poison in p.read_bytes()], [])


def retried(scratch):
    """A query that fails is asked again as often as the study says, and holes show in the status."""
    study = fleet.study(scratch / "retried.toml", "box", agents=1, horizon=2, objective=[
        'command = ["unused"]', "retries = 2"])
    log = scratch / "asked.log"
    with fleet.Fleet(scratch, study, agents=1,
                     program=python("misbehaving.py", log, "0-1-0=nan",
                                    f"0-1-1=wait:{scratch}/go")) as f:
        f.start(lease=1)
        fleet.wait("the hole in the status", lambda: (s := f.server.status()) and
                   s["agent_status"][0]["holes"] == 1)
        fleet.contains("and why", f.server.status()["agent_status"][0]["problem"], "trial 0-1-0")
        (scratch / "go").touch()
        fleet.check("the study completes", f.finish() is not None)
        fleet.same("asked three times", asked(log), {"0-1-0": 3, "0-1-1": 1})


def gives_up(scratch):
    """Exit code 8: too many failures in a row, or an infeasible point of which the study knows no
    value. With a better program the same command goes on."""
    study = fleet.study(scratch / "given-up.toml", "box", agents=1, horizon=6)
    log = scratch / "asked.log"
    with fleet.Fleet(scratch, study, agents=1) as f:
        f.server.start()
        agent = f.agents[0]
        agent.program = python("misbehaving.py", log, "0-1-1=infeasible")
        fleet.same("infeasible without a value: exit code", agent.start().wait(), 8)
        fleet.contains("it says what to do", agent.err(), "infeasible_value")
        fleet.contains("and why the point cannot be measured", agent.err(), "too hot")
        agent.program = python("misbehaving.py", log, "*=nan")
        fleet.same("too many failures: exit code", agent.start("--max-failures", 3).wait(), 8)
        fleet.contains("it says how many, and why", agent.err(), "failed 3 times in a row")
        agent.program = python("misbehaving.py", log)
        agent.start("--max-failures", 1)
        fleet.check("with a better program it goes on", f.finish() is not None)
        fleet.same("what was answered is not asked again", max(
            times for trial, times in asked(log).items() if trial != "0-1-1"), 1)


def no_such_program(scratch):
    study = fleet.study(scratch / "nowhere.toml", "box", agents=1)
    with fleet.Fleet(scratch, study, agents=1, program=["./not-there"]) as f:
        f.server.start()
        fleet.same("a program that is not there: exit code", f.agents[0].start().wait(), 2)
        fleet.contains("it is named", f.agents[0].err(), "not-there")


def at_work(scratch, agent, seconds):
    """An agent whose program is in a query, and has a child in its group: (trial, pids)."""
    log = scratch / f"{agent.name}.log"
    children = scratch / f"{agent.name}.children"
    agent.program = ["sh", "-c", 'sleep 100000 & echo $! $$ >"$0"; exec "$@"', children,
                     *python("objective.py", log, seconds)]
    agent.start()
    fleet.wait("a query under way", lambda: asked(log))
    return next(iter(asked(log))), [int(pid) for pid in children.read_text().split()]


def gone(pids):
    fleet.wait(f"the end of processes {pids}", lambda: not any(map(fleet.is_process, pids)),
               seconds=20)
    return True


def asked_to_stop(scratch):
    study = fleet.study(scratch / "stopped.toml", "box", agents=1, horizon=2)
    with fleet.Fleet(scratch, study, agents=1) as f:
        f.server.start()
        agent = f.agents[0]
        trial, pids = at_work(scratch, agent, 2)
        agent.signal(signal.SIGINT)
        fleet.same("SIGINT once: exit code", agent.wait(), 0)
        log = (scratch / "agent-0.log").read_text()
        fleet.contains("the query under way was finished", log, f"answered {trial} ")
        fleet.same("and no other was begun", len(asked(scratch / "agent-0.log")), 1)
        fleet.check("no process of the program is left", gone(pids))
        fleet.same("the agent has left", f.server.status()["agent_status"][0]["presence"], "left")
        (scratch / "agent-0.log").unlink()

        trial, pids = at_work(scratch, agent, 100000)
        fleet.same("started again, it goes on with the next", trial, "0-1-1")
        agent.signal(signal.SIGINT)
        fleet.wait("it to say so", lambda: "press Ctrl-C again" in agent.err())
        fleet.check("it waits for the query", agent.alive())
        agent.signal(signal.SIGINT)
        agent.wait(20)
        print(f"   exit code {agent.code} after the second SIGINT")
        fleet.check("SIGINT twice: no process of the program is left", gone(pids))
        (scratch / "agent-0.log").unlink()

        trial, pids = at_work(scratch, agent, 100000)
        fleet.same("the query that was given up is asked again", trial, "0-1-1")
        os.kill(agent.pid, signal.SIGKILL)
        agent.wait()
        fleet.wait("the end of the program", lambda: not fleet.is_process(pids[1]), seconds=20)
        fleet.check("kill -9: the program is gone as well", True)
        if fleet.is_process(pids[0]):  # nobody was left to end what the program had started
            os.kill(pids[0], signal.SIGKILL)
        (scratch / "agent-0.log").unlink()
        at_work(scratch, agent, 0)
        fleet.check("the study completes", f.finish() is not None)


fleet.main(own_query_only, poisonous_value, retried, gives_up, no_such_program, asked_to_stop)
