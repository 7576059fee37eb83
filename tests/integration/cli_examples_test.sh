# The programs of examples/: an algorithm and a function of one's own work in every command.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"
built=$(dirname "$DUETS_PROGRAM")
examples=$DUETS_SOURCE_DIR/examples

DUETS_PROGRAM=$built/own_algorithm
duets algorithms
holds "the own algorithm is listed" grep -q 'explore-then-commit' out
duets compare "$studies/branin-finite.toml" --runs 2 --betas 0.2 -o algorithm \
  --algorithms duets,explore-then-commit,uniform
exits "an algorithm of one's own" 0
# 10 agents, 5 rounds of exploration, 2 reals a query; the broadcast is one index.
holds "its communication is what it sent" python3 -c 'import csv
rows = {r["algorithm"]: r for r in csv.DictReader(open("algorithm/summary.csv"))}
own = rows["ExploreThenCommit"]
assert own["beta"] == "", own
assert float(own["communication_figure"]) == 10 * 5 * 2, own
assert float(own["communication_paper"]) == 5 * 2 + 1, own
assert float(own["communication_links"]) == 100 + 10, own
assert float(own["regret_mean"]) < float(rows["uniform"]["regret_mean"]), rows'
duets reproduce --functions branin --preset paper --runs 1 --algorithms explore-then-commit -o r
exits "in the published study, too" 0

DUETS_PROGRAM=$built/own_function
duets algorithms
holds "the own function is listed" grep -q 'himmelblau' out
duets config check "$examples/himmelblau.toml"
exits "config check knows it" 0
duets run "$examples/himmelblau.toml" -o run
exits "run knows it" 0
holds "regret is against its maximum" python3 -c 'import csv
rows = list(csv.DictReader(open("run/trials.csv")))
assert all(float(r["regret"]) >= 0 for r in rows)'
duets compare "$examples/himmelblau.toml" --runs 2 --betas 0.5 -o function
exits "compare knows it" 0
duets run run/study.toml -o again
exits "its resolved study runs" 0

DUETS_PROGRAM=$built/duets
duets run "$examples/himmelblau.toml" -o unknown
exits "the plain program does not know it" 2
says "the plain program does not know it" "himmelblau"
finish
