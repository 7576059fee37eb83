"""A fleet with a seed is the simulation with that seed, with a built-in function and with a program that
gives the same values; a study keeps its seed."""

import csv
import json
import sys

import fleet

SEED = 11


def simulated(scratch, study, *extra):
    """(manifest, {trial: value}) of `duets run`."""
    result = fleet.duets(scratch, "run", study, "-o", "simulated", "-q", "--overwrite", *extra)
    assert result.returncode == 0, result.stderr
    manifest = json.loads((scratch / "simulated" / "manifest.json").read_text())
    trials = csv.DictReader((scratch / "simulated" / "trials.csv").read_text().splitlines())
    return manifest, {f"{t['agent']}-{t['epoch']}-{t['slot']}": float(t["value"]) for t in trials}


def builtin(scratch):
    for domain in ("box", "finite"):
        study = fleet.study(scratch / f"{domain}.toml", domain, agents=3)
        with fleet.Fleet(scratch, study, agents=3, name=domain, seed=SEED) as f:
            got = f.start().finish()
            fleet.contains("the server says what a seed is", f.server.err(), "for tests only")
            fleet.same("the study's seed is that of the run", simulated(
                f.scratch, study, "--secret", f.server.storage / "secrets" / f"{domain}.key",
                "--seed", SEED)[0]["run_digest"], got[0])
        manifest, _ = simulated(scratch, study, "--seed", SEED)
        fleet.same(f"{domain}: run and state digest", got, fleet.digests(manifest))
        other, _ = simulated(scratch, study)  # the file's own seed
        fleet.check("another seed is another run", other["run_digest"] != got[0])


def program(scratch):
    study = fleet.study(scratch / "values.toml", "box", agents=3)
    manifest, values = simulated(scratch, study, "--seed", SEED)
    table = scratch / "values.json"
    table.write_text(json.dumps(values))
    lookup = ("import json, sys\nvalues = json.load(open(sys.argv[1]))\n"
              "for line in sys.stdin: print(values[json.loads(line)['trial']], flush=True)")
    with fleet.Fleet(scratch, study, agents=3, seed=SEED,
                     program=[sys.executable, "-S", "-c", lookup, table]) as f:
        fleet.same("digests with a program that gives the same values", f.start().finish(),
                   fleet.digests(manifest))


def kept(scratch):
    study = fleet.study(scratch / "kept.toml", "box", agents=1)
    with fleet.Fleet(scratch, study, agents=1, seed=SEED) as f:
        f.server.start()
        f.server.stop()
        again = f.server.start()
        fleet.check("the same seed goes on", again.alive(), again.err())
        again.stop()
        f.server.seed = SEED + 1
        fleet.same("another seed: exit code", f.server.start().wait(), 2)
        fleet.contains("another seed is named", f.server.err(),
                       f'study.seed = {SEED + 1}: study "kept" was created with {SEED}')
        nothing = fleet.duets(scratch, "serve", "--storage", f.server.storage, "--insecure",
                              "--seed", SEED)
        fleet.same("a seed without a study file", nothing.returncode, 2)
        fleet.contains("needs one", nothing.stderr, "needs a study file")


fleet.main(builtin, program, kept)
