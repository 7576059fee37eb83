"""What programs may print and what they receive: log lines, bare numbers, wrong answers, environment,
words of the command, and whole numbers that stay whole."""

import csv
import json
import pathlib
import re
import sys

import fleet

HERE = pathlib.Path(__file__).parent
COMMAND = ['command = ["unused"]']


def python(script, *arguments):
    return [sys.executable, "-S", "-B", HERE / script, *arguments]


def forgiving(scratch):
    """Log lines and bare numbers give the run of a program that prints JSON only."""
    study = fleet.study(scratch / "forgiving.toml", "box", agents=3, horizon=5, objective=COMMAND)
    log = scratch / "asked.log"
    with fleet.Fleet(scratch, study, agents=3, name="plain", seed=5,
                     program=python("objective.py", log)) as f:
        plain = f.start().finish()
    with fleet.Fleet(scratch, study, agents=3, name="chatty", seed=5) as f:
        f.agents[0].program = python("misbehaving.py", log, "*=chatter")
        f.agents[1].program = python("misbehaving.py", log, "*=number")
        f.agents[2].program = python("misbehaving.py", log, "*=number", "ignored={trial}")
        f.start()
        fleet.same("digests of both runs", f.finish(), plain)
        for agent in f.agents:
            fleet.contains("log lines are passed on", agent.err(),
                           f"agent {agent.number}: loading model ...\n")
            fleet.check("nothing is missing", "has no answer" not in agent.err(), agent.err()[-800:])
            fleet.check("a long line is cut", len(agent.err()) < 40000, len(agent.err()))


def wrong_at_once(scratch):
    """What was meant as an answer costs no timeout, which is ten minutes here."""
    wrong = {"bare-nan": '"nan"', "dict": "{'value': 1.0}", "object": '{"loss": 0.5}',
             "twice": '"0.5" and then "0.75"'}
    study = fleet.study(scratch / "wrong.toml", "box", agents=len(wrong), horizon=2,
                        objective=COMMAND)
    with fleet.Fleet(scratch, study, agents=len(wrong)) as f:
        for agent, what in zip(f.agents, wrong):
            agent.program = python("misbehaving.py", scratch / "asked.log",
                                   f"{agent.number}-1-0={what}")
        f.start()
        fleet.check("the study completes", f.finish() is not None)
        for agent, (what, why) in zip(f.agents, wrong.items()):
            fleet.contains(f"{what}: the trial", agent.err(),
                           f"trial {agent.number}-1-0 has no answer: ")
            fleet.contains(f"{what}: the reason", agent.err(), why)


def told(scratch):
    """Two agents in one process, each with its own device; a process for each trial."""
    seen = scratch / "seen"
    script = f'cat >/dev/null; echo "$GPU $DUETS_STUDY $DUETS_AGENT $DUETS_EPOCH $DUETS_TRIAL $0 $1" >>{seen}; echo 1'
    command = ["env", "GPU=cuda:{agent}", "sh", "-c", script, "{study}/{epoch}/{trial}", "{other}"]
    study = fleet.study(scratch / "told.toml", "box", agents=2, horizon=5,
                        objective=[f"command = {json.dumps(command)}"])
    with fleet.Fleet(scratch, study, agents=0) as f:
        f.agents = [fleet.Agent(f.scratch, f.server, "0-1")]
        fleet.check("the study completes", f.start().finish() is not None)
    trials = {f"{agent}-{epoch}-{slot}": (agent, epoch)
              for agent in (0, 1) for epoch, length in ((1, 2), (2, 3)) for slot in range(length)}
    fleet.same("every trial knows itself", sorted(seen.read_text().splitlines()), sorted(
        f"cuda:{agent} told {agent} {epoch} {trial} told/{epoch}/{trial} {{other}}"
        for trial, (agent, epoch) in trials.items()))


MIXED = """[space.rate]
low = 1e-5
high = 1.0
log = true
[space.batch]
type = "int"
low = 1000000
high = 90000000
step = 1000000
[space.color]
type = "categorical"
choices = ["red", "4", "x, y"]
"""


def whole(what, params):
    """An int that is one as text and as JSON, and a choice that is one of the three."""
    fleet.check(f"{what}: batch is whole", re.fullmatch(r"\d+000000", str(params["batch"])), params)
    fleet.check(f"{what}: color is a choice", params["color"] in ("red", "4", "x, y"), params)


def rows(text):
    return list(csv.DictReader(text.splitlines()))


def ints_are_ints(scratch):
    study = scratch / "mixed.toml"
    text = fleet.study(study, "box", agents=1, horizon=5, objective=COMMAND).read_text()
    study.write_text(text.replace('domain = "box"\ndimension = 2\n', "").replace("[space]\n", MIXED))
    log = scratch / "queries"
    program = ["sh", "-c", 'while read -r line; do echo "$line" >>"$0"; echo 0.5; done', log]
    with fleet.Fleet(scratch, study, agents=1, program=program) as f:
        f.server.start()
        plan = fleet.duets(scratch, "plan", "--server", f.server.address, "--insecure", "--agent", 0,
                           "--journal", f.agents[0].journal)
        fleet.same("rows of the plan", len(rows(plan.stdout)), 2)
        for row in rows(plan.stdout):
            whole("plan", row)
        f.start_agents()
        f.agents[0].wait()
        for line in log.read_text().splitlines():
            whole("program", json.loads(line)["params"])
        for command in ("best", "status"):
            shown = json.loads(fleet.duets(scratch, command, "--server", f.server.address,
                                           "--insecure", "--format", "json").stdout)
            for kind in ("recommendation", "best_trial"):
                whole(f"{command} {kind}", shown[kind]["params"])
        for kind in rows(fleet.duets(scratch, "best", "--server", f.server.address, "--insecure",
                                     "--format", "csv").stdout):
            whole("best as csv", kind)
        f.finish()
        # Without a study file the server knows the parameters from its storage.
        again = fleet.Process(scratch, "again")
        again.launch([fleet.PROGRAM, "serve", "--storage", f.server.storage, "--insecure", "--listen",
                      "127.0.0.1:0", "--address-file", "address", "--format", "json"])
        fleet.wait("the server", lambda: (scratch / "address").exists() or not again.alive())
        again.signal()
        again.wait()
        whole("serve", fleet.final_status(again)["recommendation"]["params"])
        fleet.duets(scratch, "study", "export", "mixed", "--storage", f.server.storage, "-o",
                    "export", "--trials", f.agents[0].journal)
        for row in rows((scratch / "export" / "trials.csv").read_text()):
            whole("trials.csv of an export", row)
    study.write_text(study.read_text().replace(COMMAND[0], 'builtin = "rkhs"'))
    ran = json.loads(fleet.duets(scratch, "run", study, "-q", "-o", "ran", "--format", "json").stdout)
    for kind in ("recommendation", "best_trial"):
        whole(f"run {kind}", ran[kind]["params"])
    for row in rows((scratch / "ran" / "trials.csv").read_text()):
        whole("trials.csv of a run", row)
    page = (scratch / "ran" / "report.html").read_text()
    fleet.check("report", re.search(r"batch = \d+000000, color = ", page), page[:0])


fleet.main(forgiving, wrong_at_once, told, ints_are_ints)
