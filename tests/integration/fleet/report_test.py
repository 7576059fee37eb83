"""One result, however a study ran: `duets run`, the end of `duets serve`, `duets report` of a storage
directory and of an export write the same files, as far as each of them can know what is in them."""

import json
import sys

import fleet

POINTS = {"regret.csv", "figures/regret.svg", "figures/map.svg"}  # need the agents' points


def run(f, *words, code=0):
    result = fleet.duets(f.scratch, *words)
    fleet.check(f"duets {words[0]} {words[1]}: exit code {code}", result.returncode == code,
                result.stdout + result.stderr)
    return result


def files(directory):
    return {str(p.relative_to(directory)): p.read_bytes() for p in sorted(directory.rglob("*"))
            if p.is_file()}


def manifest(directory, *without):
    return {k: v for k, v in json.loads((directory / "manifest.json").read_text()).items()
            if k not in ("build", *without)}


def same_result(what, got, wanted, without=()):
    """Every file but `without`, and the manifest but for the machine."""
    a, b = files(got), files(wanted)
    left = {"manifest.json", *without}
    fleet.same(f"{what}: the same files", sorted(set(a) - left), sorted(set(b) - left))
    other = [name for name in a if name not in left and a[name] != b.get(name)]
    fleet.check(f"{what}: the same bytes", not other, f"other bytes in {other}")
    fleet.same(f"{what}: the same manifest", manifest(got, *without), manifest(wanted, *without))


def finish(f):
    for agent in f.agents:
        fleet.same(f"{agent.name} ends well", agent.wait(), 0)
    fleet.same("the coordinator ends well by itself", f.server.wait(), 0)


def compare_all(f, name):
    d = f.scratch
    journals = [a.journal for a in f.agents]
    run(f, "study", "export", name, "--storage", f.server.storage, "-o", "export", "--trials",
        *journals)
    run(f, "run", f.study_file, "--secret", f.secret, "--participation",
        d / "export" / "participation.toml", "-o", "simulated", "-q")
    run(f, "report", f.server.storage, "--trials", *journals, "-o", "reported")
    same_result("report of the storage", d / "reported", d / "simulated")
    run(f, "report", "export", "--secret", f.secret, "-o", "from-export")
    same_result("report of the export, with the secret", d / "from-export", d / "simulated")
    # The coordinator never sees a trial.
    same_result("serve --output", d / "served", d / "simulated", without=("trials.csv", "trials"))

    run(f, "report", "export", "-o", "open")
    simulated, exported, public = (files(d / x) for x in ("simulated", "export", "open"))
    fleet.same("without the secret there is no regret and no map", set(simulated) - set(public),
               POINTS)
    tables = ["epochs.csv", "communication.csv", "figures/communication.svg", "figures/region.svg",
              "figures/inducing.svg"]
    for other in (exported, public):
        fleet.same("the other tables and figures are the same",
                   [n for n in tables if other.get(n) != simulated[n]], [])
    fleet.contains("the page of the export says where the best trial was",
                   exported["report.html"].decode(), "value observed, noise included")
    fleet.check("and so does not send anybody to a journal",
                b"the point is in the agent's journal" not in exported["report.html"])
    result = run(f, "verify", "export", "--secret", f.secret)
    for part in ("report.html", "figures/region.svg", "epochs.csv"):
        fleet.contains("verify makes it again", result.stderr,
                       f"{part}: recomputed from journal.bin: the same bytes")


def undisturbed(scratch):
    for domain in ("box", "finite"):
        study = fleet.study(scratch / f"{domain}.toml", domain, agents=3)
        with fleet.Fleet(scratch, study, agents=3, name=f"fleet-{domain}") as f:
            f.server.start("-o", "served", keep=False)
            f.start_agents()
            finish(f)
            fleet.contains("the server says where", f.server.err(), "results are in")
            compare_all(f, domain)


def absences(scratch):
    """An agent that was not there in the first epoch, and its answers of later ones."""
    study = fleet.study(scratch / "late.toml", "box", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start("-o", "served", keep=False)
        for agent in f.agents[:2]:
            agent.start()
        fleet.wait("two agents have delivered", lambda: (s := f.server.status()) and all(
            s["agent_status"][i]["uploaded"] for i in (0, 1)))
        run(f, "study", "close", "late", "--epoch", 1, "--server", f.server.address, "--insecure")
        f.agents[2].start()
        finish(f)
        compare_all(f, "late")
        fleet.same("one agent less", manifest(f.scratch / "served")["guarantee"][:5], "None:")


def own_program(scratch):
    """Nobody knows the truth: no regret, and the best trial is what `duets best` says."""
    study = fleet.study(scratch / "own.toml", "box", agents=2, objective=['command = ["unused"]'])
    program = [sys.executable, "-S", "-c",
               "import json, sys\nfor line in sys.stdin: print(json.loads(line)['params']['x1'], flush=True)"]
    with fleet.Fleet(scratch, study, agents=2, program=program) as f:
        f.start()
        fleet.check("it finishes", f.finish() is not None)
        best = json.loads(run(f, "best", "--storage", f.server.storage, "--format", "json").stdout)
        shown = json.loads(run(f, "report", f.server.storage, "-o", "out", "--format",
                               "json").stdout)
        fleet.same("best trial", shown["best_trial"]["params"], best["best_trial"]["params"])
        fleet.same("its value", shown["best_trial"]["value"], best["best_trial"]["value"])
        fleet.same("recommendation, without the truth", shown["recommendation"],
                   best["recommendation"] | {"true_value": None})
        fleet.same("no regret", (shown["cumulative_regret"], shown["best_possible"],
                                 (f.scratch / "out" / "regret.csv").exists()), (None, None, False))
        fleet.check("a map all the same", (f.scratch / "out" / "figures" / "map.svg").exists())
        run(f, "report", f.server.storage, "-o", "out", code=2)
        run(f, "report", f.server.storage, "-o", "out", "--overwrite")
        fleet.contains("something else is no study",
                       run(f, "report", f.scratch, "-o", "no", code=2).stderr, "neither an export")


def cut_off(scratch):
    """A study that goes on: what is closed so far; the results of a finished one replace it."""
    study = fleet.study(scratch / "part.toml", "box", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.server.start("-o", "served")
        f.agents[0].start()
        fleet.wait("agent 0 has delivered", lambda: (s := f.server.status()) and
                   s["agent_status"][0]["uploaded"])
        run(f, "study", "close", "part", "--epoch", 1, "--server", f.server.address, "--insecure")
        fleet.wait("agent 0 has delivered again", lambda: (s := f.server.status()) and
                   s["epoch"] == 2 and s["agent_status"][0]["uploaded"])
        f.server.stop()
        fleet.check("nothing is written of a study that goes on",
                    not (f.scratch / "served").exists())
        run(f, "report", f.server.storage, "-o", "part")
        rows = (f.scratch / "part" / "epochs.csv").read_text().splitlines()
        fleet.same("one closed epoch", len(rows), 2)
        fleet.check("no regret yet", not (f.scratch / "part" / "regret.csv").exists())
        f.server.start("-o", "served", keep=False)
        f.agents[1].start()
        finish(f)
        first = files(f.scratch / "served")
        f.server.start("-o", "served", keep=False)
        fleet.same("the same command again ends well", f.server.wait(), 0)
        fleet.same("and writes the same", files(f.scratch / "served"), first)


fleet.main(undisturbed, absences, own_program, cut_off)
