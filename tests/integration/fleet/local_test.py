"""`duets run` with a program: coordinator, agents and programs on one machine, one command."""

import json
import signal
import sys

import fleet
import local


def three_ways(scratch):
    """The same study, seed and values: simulated, with a program, as a fleet."""
    for domain in ("box", "finite"):
        run = local.Local(scratch, domain, domain=domain)
        result = run.run("--format", "json")
        fleet.same("exit code", result.returncode, 0)
        fleet.same("the summary's digest", json.loads(result.stdout)["run_digest"],
                   run.manifest["run_digest"])
        fleet.same("nothing is known of the regret",
                   json.loads(result.stdout)["cumulative_regret"], None)
        run.check_end(domain, 0)
        files = {p.name for p in (scratch / domain).iterdir()}
        fleet.same("the files of a simulation but for the regret", files,
                   {p.name for p in (scratch / f"{domain}-simulated").iterdir()} - {"regret.csv"})
        with fleet.Fleet(scratch, run.simulation, agents=3, name=f"{domain}-fleet",
                         seed=local.SEED, program=run.command) as f:
            fleet.same(f"{domain}: a fleet", f.start().finish(), fleet.digests(run.manifest))


def killed(scratch):
    local.killed_at_random(scratch, kills=5, parallel=2)


def killed_at_writes(scratch):
    """The process dies around its writes, each time a few later: first the study and its answers,
    then the ends of epochs."""
    run = local.Local(scratch)
    deaths = 0
    for place in ("before", "after") * 40:
        count = 1 + deaths % 5
        code = run.start("--parallel", 1, "-q", fail_point=f"append.{place}:{count}:kill").wait()
        if code == 0:
            break
        fleet.same("it was killed", code, -9)
        deaths += 1
    fleet.check(f"{deaths} deaths", deaths > 5)
    run.check_end(f"after {deaths} deaths", deaths)


def interrupted(scratch):
    run = local.Local(scratch, pause=0.05)
    run.start("--parallel", 2)
    fleet.wait("a few queries", lambda: run.num_measured() >= 4)
    run.process.signal(signal.SIGINT)
    fleet.same("Ctrl-C: exit code", run.process.wait(), 130)
    fleet.contains("it says how far it came", run.process.err(), "of 36 queries; continue with")
    fleet.same("no data", run.process.out(), "")
    status = fleet.duets(scratch, "status", "--storage", "local.journal")
    for word in ("stopped", "repeat the 'duets run'"):
        fleet.contains(f"its status has {word}", status.stdout, word)
    for word in ("never seen", "duets serve", "held up"):
        fleet.check(f"no {word} in it", word not in status.stdout)
    before = run.num_measured()
    result = run.run()
    fleet.same("the same command goes on", result.returncode, 0)
    fleet.contains("it says so", result.stderr, f"with {before} of 36 queries answered")
    run.check_end("after Ctrl-C", 0)
    again = run.run()
    fleet.same("once more", again.returncode, 0)
    fleet.contains("nothing is left to do", again.stderr, "the study is finished")
    fleet.same("the same answer", again.stdout, result.stdout)
    run.check_end("after a second report", 0)
    status = fleet.duets(scratch, "status", "--storage", "local.journal", "--format", "json")
    fleet.same("its journal is a storage", json.loads(status.stdout)["run_digest"],
               run.manifest["run_digest"])
    export = fleet.duets(scratch, "study", "export", "local", "--storage", "local.journal", "-o", "export",
                         "--trials", "local.journal/answers.db")
    fleet.same("it can be exported", export.returncode, 0)
    verify = fleet.duets(scratch, "verify", "export", "--secret",
                         "local.journal/secrets/local.key")
    fleet.same("and verified", verify.returncode, 0)


def programs(scratch):
    """What a program can do wrong, and the values that it is started with."""
    run = local.Local(scratch)
    text = run.study.read_text()
    command = f"command = {json.dumps(run.command)}"

    def use(*words, more=""):
        run.study.write_text(text.replace(command, f"command = {json.dumps(words)}\n{more}"))

    use("./no-such-program")
    missing = run.run()
    fleet.same("no such program: exit code", missing.returncode, 2)
    fleet.check("no journal", not (scratch / "local.journal").exists())
    use(sys.executable, "no-such-script.py")
    broken = run.run("--parallel", 2)
    fleet.same("a program that never answers: exit code", broken.returncode, 8)
    fleet.contains("how often", broken.stderr, "failed in every query of the first epoch (6)")
    fleet.contains("nothing is lost", broken.stderr, "No query is lost. Fix the program")
    use(sys.executable, "-S", "-c", 'import sys\nif sys.argv[1] == "1-1-0": sys.exit(3)\n'
        'print("x" + sys.argv[2])\nprint(float(sys.argv[3]) - float(sys.argv[4]))',
        "{trial}", "{worker}", "{x1}", "{x2}")
    mended = run.run("--parallel", 2, "--format", "json")
    fleet.same("the mended program goes on", mended.returncode, 0)
    fleet.contains("a failed query is said", mended.stderr, "trial 1-1-0 has no answer")
    with open(scratch / "local" / "trials.csv", encoding="utf-8") as file:
        rows = file.read().splitlines()
    fleet.same("every query has a row", len(rows), 37)
    fleet.same("one is a hole", sum(",hole," in row for row in rows), 1)
    use(sys.executable, "-c", "pass", more="infeasible_value = 1.0")
    other = run.run()
    fleet.same("another study in the journal: exit code", other.returncode, 2)
    fleet.contains("which field", other.stderr, "objective.infeasible_value = 1.0")
    fleet.contains("what to do", other.stderr, "--overwrite")
    use(sys.executable, "-S", "-c",
        'import sys\nfor _ in sys.stdin: print(\'{"infeasible": "hot"}\', flush=True)')
    hot = run.run("--overwrite")
    fleet.same("infeasible without a value: exit code", hot.returncode, 8)
    fleet.contains("which key", hot.stderr, "infeasible_value")


def one_at_a_time(scratch):
    run = local.Local(scratch, pause=0.2)
    run.start("--parallel", 1, "-q")
    fleet.wait("a query", lambda: run.num_measured() >= 1)
    second = run.run()
    fleet.same("a second process: exit code", second.returncode, 6)
    replaced = run.run("--overwrite")
    fleet.same("nor may it begin again", replaced.returncode, 6)
    run.process.kill()
    fleet.check("the journal is still there", (scratch / "local.journal" / "answers.db").exists())


fleet.main(three_ways, killed, killed_at_writes, interrupted, programs, one_at_a_time)
