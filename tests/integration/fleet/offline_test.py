"""A laboratory without a network: its agent takes part by `duets plan` and `duets submit` while the others
are live, and the run is the one that a fleet of live agents gives."""

import csv
import io
import math
import pathlib
import sys

import fleet

OBJECTIVE = pathlib.Path(__file__).with_name("objective.py")
HEAD = "epoch,slot,value\n"


class Lab:
    """Agent 2, by hand."""

    def __init__(self, f):
        self.f = f
        self.at = ("--server", f.server.address, "--insecure", "--agent", 2, "--journal",
                   f.scratch / "lab")

    def plan(self, *extra):
        return fleet.duets(self.f.scratch, "plan", *self.at, *extra)

    def submit(self, text):
        file = self.f.scratch / "rewards.csv"
        file.write_text(text)
        return fleet.duets(self.f.scratch, "submit", *self.at, file)

    def queries(self):
        result = self.plan("--wait", 30)
        if result.returncode != 0:
            raise RuntimeError(f"duets plan: {result.returncode}\n{result.stderr}")
        return list(csv.DictReader(io.StringIO(result.stdout)))


def measure(row):
    """As objective.py does."""
    ripple = (2 + int(row["epoch"]) + int(row["slot"])) % 7
    x = [float(text) for name, text in row.items() if name not in ("epoch", "slot")]
    return math.cos(3 * sum(x)) + 0.05 * ripple


def answer(row, value=None):
    return f"{row['epoch']},{row['slot']},{measure(row)!r}\n" if value is None else (
        f"{row['epoch']},{row['slot']},{value}\n")


def refused(what, lab, text, *complaints):
    result = lab.submit(text)
    fleet.same(f"{what}: exit code", result.returncode, 2)
    for complaint in complaints:
        fleet.contains(f"{what}: it says so", result.stderr, complaint)


def laboratory(scratch):
    study = fleet.study(scratch / "lab.toml", "box", agents=3)
    secret = fleet.new_secret(scratch / "secret.key")
    program = [sys.executable, "-S", "-B", OBJECTIVE, scratch / "asked.log", 0]
    with fleet.Fleet(scratch, study, agents=3, secret=secret, program=program,
                     name="undisturbed") as f:
        quiet = f.start().finish()
    with fleet.Fleet(scratch, study, agents=2, secret=secret, program=program, name="offline") as f:
        f.start()
        lab = Lab(f)
        first = lab.queries()
        fleet.same("the plan has the epoch's queries", [(r["epoch"], r["slot"]) for r in first],
                   [("1", "0"), ("1", "1")])
        fleet.same("a second look shows the same", lab.queries(), first)
        refused("bad rows", lab, HEAD + answer(first[0]) + "1,1,warm\n1,x,2\n1\n7,0,1\n",
                "rewards.csv:3: value = warm", "rewards.csv:4: slot = x", "rewards.csv:5: ",
                "no answer was accepted")
        refused("rows that do not fit", lab, HEAD + answer(first[0]) + answer(first[0]) +
                "2,0,1\n9,0,1\n1,5,1\n", "rewards.csv:3: a second row",
                "rewards.csv:4: epoch 2 has not begun", "rewards.csv:5: epoch = 9",
                "rewards.csv:6: slot = 5", "no answer was accepted")
        refused("NaN", lab, HEAD + answer(first[0], "nan"), "rewards.csv:2: value = nan")
        refused("no column", lab, "epoch,slot,reward\n1,0,2\n", 'no column "value"')
        refused("infeasible without a value", lab, HEAD + answer(first[0], "infeasible"),
                "infeasible_value")
        fleet.same("all queries are still open", lab.queries(), first)

        part = lab.submit(HEAD + answer(first[1]))
        fleet.check("a part is taken", part.returncode == 0, part.stderr)
        fleet.contains("it says what is missing", part.stderr, "slots 0")
        fleet.same("the plan has the rest", lab.queries(), first[:1])
        refused("another value for the same query", lab, HEAD + answer(first[1], "0.5") +
                answer(first[0]), "rewards.csv:2: epoch 1, slot 1 already has the answer")
        rest = lab.submit(HEAD + answer(first[1]) + answer(first[0]))
        fleet.check("the rest, and the part again", rest.returncode == 0, rest.stderr)
        fleet.contains("it says how many are new", rest.stderr, "1 answer accepted, 1 already stored")

        for epoch, length in ((2, 4), (3, 6)):
            rows = lab.queries()
            fleet.same(f"queries of epoch {epoch}", (len(rows), rows[0]["epoch"]),
                       (length, str(epoch)))
            late = answer(first[0]) if epoch == 2 else ""
            result = lab.submit(HEAD + late + "".join(map(answer, rows)))
            fleet.check(f"epoch {epoch} is delivered", result.returncode == 0, result.stderr)
        fleet.same("a laboratory by hand: digests", f.finish(), quiet)
        fleet.check("no agent was left out", f.last_status["complete_participation"])


def waits_and_holes(scratch):
    """Nothing to measure yet: exit code 3. Queries that failed are holes."""
    study = fleet.study(scratch / "holes.toml", "finite", agents=3, horizon=5)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start()
        f.agents[0].start()
        lab = Lab(f)
        rows = lab.queries()
        result = lab.submit(HEAD + answer(rows[0], "failed") + answer(rows[1], "0.25"))
        fleet.check("a query without an answer", result.returncode == 0, result.stderr)
        early = lab.plan()
        fleet.same("nothing is open: exit code", early.returncode, 3)
        fleet.contains("it says so", early.stderr, "no open queries")
        fleet.contains("and for whom all wait", early.stderr, "waiting for agent 1 in epoch 1")
        f.agents[1].start()
        rows = lab.queries()
        result = lab.submit(HEAD + "".join(answer(row, "1.5") for row in rows))
        fleet.check("the last epoch", result.returncode == 0, result.stderr)
        for agent in f.agents[:2]:
            fleet.check(f"{agent.name} ends well", agent.wait() == 0, agent.tail())
        over = lab.plan()
        fleet.same("afterwards there is nothing to do", (over.returncode,
                                                         len(over.stdout.splitlines())), (0, 1))
        fleet.contains("and it says so", over.stderr, "over")
        status = f.server.stop()
        fleet.same("holes", [e["holes"] for e in status["closed_epochs"]], [1, 0])


fleet.main(laboratory, waits_and_holes)
