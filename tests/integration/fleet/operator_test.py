"""The commands of operators: studies are made, listed, shown, stopped, deleted and exported, at a coordinator and
beside it in its storage; an export is verified, and a changed one is not."""

import csv
import io
import json
import shutil

import fleet


def run(f, *words, code=0):
    """A command that ends with `code`; its CompletedProcess."""
    result = fleet.duets(f.scratch, *words)
    if result.returncode != code:
        fleet.check(f"duets {' '.join(map(str, words))}: exit code {code}", False,
                    f"{result.returncode}\n{result.stdout[-500:]}\n{result.stderr[-1500:]}")
    return result


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def looks(f, at, name, state):
    """Every format of every command that only looks."""
    listed = json.loads(run(f, "study", "list", *at, "--format", "json").stdout)
    mine = [s for s in listed if s["study"] == name]
    fleet.same("listed once, with its state", [s["state"] for s in mine], [state])
    table = [r for r in rows(run(f, "study", "list", *at, "--format", "csv").stdout)
             if r["study"] == name]
    fleet.same("as CSV", [r["state"] for r in table], [state])
    fleet.contains("as a table", run(f, "study", "list", *at).stdout, name)

    status = json.loads(run(f, "status", name, *at, "--format", "json").stdout)
    fleet.same("its status", (status["study"], status["state"]), (name, state))
    table = rows(run(f, "status", name, *at, "--format", "csv").stdout)
    fleet.same("a row per agent", [r["agent"] for r in table],
               [str(i) for i in range(status["agents"])])
    fleet.contains("as a table", run(f, "status", name, *at).stdout, status["study_digest"])

    shown = run(f, "study", "show", name, *at).stdout
    fleet.contains("show has the digest", shown, status["study_digest"])
    fleet.contains("and the study", shown, "[kernel]")

    best = json.loads(run(f, "best", name, *at, "--format", "json").stdout)
    table = {r["kind"]: r for r in rows(run(f, "best", name, *at, "--format", "csv").stdout)}
    fleet.same("best as CSV has what JSON has", set(table),
               {kind for kind in ("recommendation", "best_trial") if best[kind]})
    fleet.contains("best as a table", run(f, "best", name, *at).stdout, "recommendation")
    return status, best


def life_of_a_study(scratch):
    study = fleet.study(scratch / "first.toml", "finite", agents=2)
    second = fleet.study(scratch / "second.toml", "box", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.server.start()
        server = ("--server", f.server.address, "--insecure")
        storage = ("--storage", f.server.storage)
        made = run(f, "study", "create", second, *server)
        fleet.contains("it says the digest", made.stdout, "second ")
        run(f, "study", "create", second, *server)
        again = scratch / "again"
        again.mkdir()
        other = fleet.study(again / "second.toml", "box", agents=3)
        fleet.contains("a name is not taken twice, and what differs is named",
                       run(f, "study", "create", other, *server, code=2).stderr,
                       "study.agents is 2 there and 3 here")
        noisier = fleet.study(again / "second.toml", "box", agents=2)
        noisier.write_text(noisier.read_text().replace("noise = 0.2", "noise = 0.3"))
        fleet.contains("nor does the objective change",
                       run(f, "study", "create", noisier, *server, code=2).stderr,
                       "objective.noise = 0.3: study \"second\" was created with 0.2")
        for at in (server, storage):
            looks(f, at, "first", "running")
        fleet.contains("beside a coordinator nothing is changed",
                       run(f, "study", "stop", "first", *storage, code=6).stderr, "--server")
        for words in (["status", "third"], ["best", "third"], ["study", "stop", "third"],
                      ["study", "export", "third"], ["study", "show", "third"]):
            fleet.contains("there is no such study", run(f, *words, *server, code=2).stderr, "third")

        fleet.same("an agent must say which study", f.agents[0].start().wait(), 2)
        fleet.contains("which there are", f.agents[0].err(), "first, second")
        f.agents[0].start("--study", "first")
        fleet.wait("it to wait", lambda: "of epoch 1 delivered" in f.agents[0].err())
        fleet.contains("a study that runs is not deleted",
                       run(f, "study", "delete", "first", *server, "--yes", code=2).stderr, "first")
        fleet.contains("deleting has to be meant",
                       run(f, "study", "delete", "second", *server, code=2).stderr, "--yes")
        run(f, "study", "stop", "second", *server)
        key = f.server.storage / "secrets" / "second.key"
        fleet.check("the secret is there", key.exists())
        run(f, "study", "delete", "second", *server, "--yes")
        fleet.check("its secret goes with it", not key.exists())

        run(f, "study", "stop", "first", *server)
        code = f.agents[0].wait()
        fleet.check("agents of a stopped study end", code != 0, f.agents[0].tail())
        fleet.contains("and say why", f.agents[0].err(), "was stopped by an operator")
        late = f.agents[1].start("--study", "first")
        late.wait()
        fleet.contains("one that comes later, too", late.err(), "stopped")
        run(f, "study", "stop", "first", *server, code=2)
        f.server.stop()
        looks(f, storage, "first", "stopped")
        f.server.start()
        looks(f, server, "first", "stopped")
        f.server.stop()
        run(f, "study", "export", "first", *storage, "-o", "stopped")
        run(f, "study", "delete", "first", *storage, "--yes")
        fleet.same("nothing is left of it", json.loads(
            run(f, "study", "list", *storage, "--format", "json").stdout), [])


def finished_study(scratch):
    """The whole of a study, from the coordinator and from its files; verified (changed ones: fleet.verify)."""
    study = fleet.study(scratch / "whole.toml", "box", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.start()
        for agent in f.agents:
            fleet.check(f"{agent.name} ends well", agent.wait() == 0, agent.tail())
        server = ("--server", f.server.address, "--insecure")
        status, best = looks(f, server, "whole", "finished")
        journals = [a.journal for a in f.agents]
        run(f, "study", "export", "whole", *server, "-o", "live", "--trials", *journals)
        f.server.stop()
        storage = ("--storage", f.server.storage)
        stored, stored_best = looks(f, storage, "whole", "finished")
        fleet.same("the files say the same", (fleet.digests(stored), stored_best),
                   (fleet.digests(status), best))
        run(f, "study", "export", "whole", *storage, "-o", "files", "--trials", *journals)
        live, files = f.scratch / "live", f.scratch / "files"
        fleet.same("both exports are the same", fleet.contents(live), fleet.contents(files))
        manifest = json.loads((live / "manifest.json").read_text())
        fleet.same("digests", (fleet.digests(manifest), fleet.digests(status)), (f.reference(),) * 2)
        trials = rows((live / "trials.csv").read_text())
        fleet.same("all trials, once each", len({(t["agent"], t["epoch"], t["slot"])
                                                 for t in trials}), 3 * 12)
        value = max(float(t["value"]) for t in trials)
        fleet.same("the best trial is the best of them", best["best_trial"]["value"], value)
        fleet.contains("nothing is overwritten", run(
            f, "study", "export", "whole", *storage, "-o", "live", code=2).stderr, "live")

        run(f, "verify", "live", "--secret", f.secret)
        run(f, "verify", "live", "--secret", f.secret, "--trials", *journals)
        report = json.loads(run(f, "verify", "live", "--secret", f.secret, "--format",
                                "json").stdout)
        fleet.same("to the end", (report["ok"], report["finished"]), (True, True))
        run(f, "verify", "live", "--secret", fleet.new_secret(f.scratch / "other.key"), code=5)


def broken_up_export(scratch):
    """Journals of agents that contradict each other, or belong elsewhere, are named."""
    study = fleet.study(scratch / "merged.toml", "finite", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.start(keep=False)
        for process in (*f.agents, f.server):
            fleet.check(f"{process.name} ends well", process.wait() == 0, process.tail())
        storage = ("--storage", f.server.storage)
        together = f.scratch / "together"
        together.mkdir()
        for agent in f.agents:
            shutil.copy(agent.journal_file(), together)
        run(f, "study", "export", "merged", *storage, "-o", "merged", "--trials", together)
        trials = rows((f.scratch / "merged" / "trials.csv").read_text())
        fleet.same("a directory of journals: all trials", len(trials), 2 * 12)
        run(f, "study", "export", "merged", *storage, "-o", "twice", "--trials", together,
            *(a.journal for a in f.agents))
        fleet.same("twice is once", (f.scratch / "twice" / "trials.csv").read_bytes(),
                   (f.scratch / "merged" / "trials.csv").read_bytes())
        damaged = bytearray(f.agents[0].journal_file().read_bytes())
        for i in range(len(damaged) // 2, len(damaged)):
            damaged[i] ^= 0x55
        (together / "merged-0.db").write_bytes(damaged)
        fleet.contains("a damaged journal is named", run(
            f, "study", "export", "merged", *storage, "-o", "no", "--trials", together,
            code=6).stderr, "merged-0.db")
        fleet.check("and nothing is written", not (f.scratch / "no").exists())


fleet.main(life_of_a_study, finished_study, broken_up_export)
