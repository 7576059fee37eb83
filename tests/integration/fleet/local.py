"""Shared by the tests of `duets run` with a program: a study, a program that writes down what it
measures, and runs that are killed."""

import collections
import csv
import json
import sys

import fleet

SEED = 11
# Answers from a table, by trial; notes every measurement. Pauses, so that there is time to be killed.
LOOKUP = """
import json, sys, time
values = json.load(open(sys.argv[1]))
for line in sys.stdin:
    trial = json.loads(line)["trial"]
    with open(sys.argv[2], "a") as log:
        log.write(trial + "\\n")
    time.sleep(float(sys.argv[3]))
    print(values[trial], flush=True)
"""


class Local:
    """A study with a built-in function, simulated, and the same study with a program that gives the
    same values."""

    def __init__(self, scratch, name="local", pause=0.0, agents=3, **study_options):
        self.scratch, self.name = scratch, name
        self.simulation = fleet.study(scratch / f"{name}.toml", agents=agents, **study_options)
        result = fleet.duets(scratch, "run", self.simulation, "-o", f"{name}-simulated", "-q",
                             "--seed", SEED)
        assert result.returncode == 0, result.stderr
        self.manifest = self.read(f"{name}-simulated", "manifest.json")
        with open(scratch / f"{name}-simulated" / "trials.csv", encoding="utf-8") as file:
            self.values = {f"{t['agent']}-{t['epoch']}-{t['slot']}": float(t["value"])
                           for t in csv.DictReader(file)}
        table = scratch / f"{name}.json"
        table.write_text(json.dumps(self.values))
        self.log = scratch / f"{name}.log"
        self.command = [sys.executable, "-S", "-c", LOOKUP, str(table), str(self.log), str(pause)]
        lines = self.simulation.read_text().replace('builtin = "branin"\nnoise = 0.2',
                                                    f"command = {json.dumps(self.command)}")
        folder = scratch / f"{name}-command"
        folder.mkdir()
        self.study = folder / f"{name}.toml"
        self.study.write_text(lines)
        self.process = fleet.Process(scratch, f"{name}-run")

    def read(self, directory, file):
        return json.loads((self.scratch / directory / file).read_text())

    def arguments(self, *extra, program=fleet.PROGRAM):
        return [program, "run", self.study, "-o", self.name, "--seed", SEED, *extra]

    def run(self, *extra):
        return fleet.duets(self.scratch, *self.arguments(*extra)[1:])

    def start(self, *extra, fail_point=None):
        return self.process.launch(
            self.arguments(*extra, program=fleet.BREAKABLE if fail_point else fleet.PROGRAM),
            {"DUETS_FAIL_POINT": fail_point})

    def measured(self):
        """How often each trial was measured."""
        return collections.Counter(self.log.read_text().split() if self.log.exists() else [])

    def num_measured(self):
        return sum(self.measured().values())

    def check_end(self, what, under_way):
        """The run of the simulation, and nothing measured twice but what was under way."""
        fleet.same(f"{what}: digests", fleet.digests(self.read(self.name, "manifest.json")),
                   fleet.digests(self.manifest))
        measured = self.measured()
        fleet.same(f"{what}: all trials were measured", set(measured), set(self.values))
        again = sum(measured.values()) - len(self.values)
        fleet.check(f"{what}: {again} measured again, at most {under_way} under way",
                    again <= under_way)
        with open(self.scratch / self.name / "trials.csv", encoding="utf-8") as file:
            got = {f"{t['agent']}-{t['epoch']}-{t['slot']}": float(t["value"])
                   for t in csv.DictReader(file)}
        fleet.same(f"{what}: values in trials.csv", got, self.values)


def killed_at_random(scratch, kills, parallel, **options):
    """kill -9 whenever a few more queries were made, until the run is through."""
    run = Local(scratch, pause=0.01, **options)
    killed = 0
    while True:
        run.start("--parallel", parallel, "-q")
        target = run.num_measured() + 3
        fleet.wait("progress", lambda: run.num_measured() >= target or not run.process.alive())
        if killed < kills and run.process.alive():
            run.process.kill()
            killed += 1
            continue
        fleet.same("the last run ends well", run.process.wait(), 0)
        break
    fleet.same("times that it was killed", killed, kills)
    run.check_end(f"killed {killed} times", killed * parallel)
