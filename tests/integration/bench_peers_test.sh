#!/usr/bin/env bash
# bench/peers reads what `duets compare` and `duets evaluate` write; Optuna and cma, which are not installed
# here, are replaced by uniform play.
source "$DUETS_SOURCE_DIR/tests/integration/expect.sh"

cat >"$scratch/peers.py" <<'END'
import argparse, importlib.machinery, importlib.util, math, os, random
path = os.path.join(os.environ["DUETS_SOURCE_DIR"], "bench", "peers")
loader = importlib.machinery.SourceFileLoader("peers", path)
peers = importlib.util.module_from_spec(importlib.util.spec_from_loader("peers", loader))
loader.exec_module(peers)

def uniform(function, observe, agents, horizon, seed):
    draws = random.Random(seed)
    points = [function.point([draws.random() for _ in function.parameters]) for _ in range(agents * horizon)]
    return max(points, key=observe)

peers.run_tpe = peers.run_cma = uniform
args = argparse.Namespace(algorithms=["duets-auto", "random"], runs=2, agents=3, horizon=8, noise=0.1, seed=1)
entries = []
for name in ("branin", "trainer"):
    function = peers.Function(name)
    noise = args.noise * function.deviation
    entries += peers.compare_ours(function, noise, args) + peers.compare_peers(function, noise, args)
    function.close()
assert [e["algorithm"] for e in entries] == 2 * ["duets-auto", "random", "tpe", "cma-es"], entries
for e in entries:
    assert e["runs"] == 2 and 0 <= e["lost"] <= 1, e
    assert 0 <= e["recommendation_regret"] < 10 and 0 < e["regret"] < 1000, e
# The means of uniform play with the same noise are of one size, whoever measures them.
by = {(e["function"], e["algorithm"]): e["regret"] for e in entries}
for name in ("branin", "trainer"):
    assert 0.4 < by[name, "random"] / by[name, "tpe"] < 2.5, by
means = {m["algorithm"]: m for m in peers.means_of(entries, args)}
least = [min(e["regret"] for e in entries if e["function"] == f and e["algorithm"] != "duets-auto")
         for f in ("branin", "trainer")]
ours = [by[f, "duets-auto"] for f in ("branin", "trainer")]
wanted = math.sqrt(ours[0] * ours[1] / (least[0] * least[1]))
assert math.isclose(means["duets-auto"]["regret_to_best_peer"], wanted), means
peers.show(entries, list(means.values()), args)
END
expect "bench/peers: with today's output of the program" 0 "best peer" python3 -B "$scratch/peers.py"
finish
