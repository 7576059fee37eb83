# `duets reproduce --self-tuning` and the presets of `duets compare`: outputs, the same numbers from
# any number of threads and after an interruption, and flags that do not go together.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

digest() { json "$1/manifest.json" 'j["digest"]'; }
same_outputs() { diff -r --exclude=manifest.json "$1" "$2"; }

tiny=(reproduce --self-tuning --quick --conditions finite,units --functions branin,camel --runs 2)
duets "${tiny[@]}" -o t1 --threads 1
exits "a tiny comparison" 0
says "a tiny comparison" "A quick look"
holds "ratios are printed" grep -q '^Branin .* / ' out
holds "ingredients are printed" grep -q '^auto without floor *[0-9]' out
for file in self_tuning.csv means.csv report.html manifest.json figures/self_tuning.svg figures/recommendation.svg \
  runs/units-camel-2.csv; do
  holds "$file is there" test -s "t1/$file"
done
holds "ratios are those of the means" python3 -c 'import csv, math
rows = list(csv.DictReader(open("t1/self_tuning.csv")))
by = {(r["condition"], r["function"], r["name"]): r for r in rows}
for r in rows:
    if not r["reference"]: continue
    to = by[r["condition"], r["function"], r["reference"]]
    expected = float(r["regret_mean"]) / float(to["regret_mean"])
    assert math.isclose(float(r["regret_ratio"]), expected, rel_tol=1e-12), r
means = list(csv.DictReader(open("t1/means.csv")))
(mean,) = [m for m in means if (m["condition"], m["group"], m["name"]) == ("finite", "all", "auto")]
product = math.prod(float(by["finite", f, "auto"]["regret_ratio"]) for f in ("branin", "camel"))
assert math.isclose(float(mean["regret_ratio"]), math.sqrt(product), rel_tol=1e-12), mean'
holds "the report needs no other file" bash -c '! grep -Eq "(src|href)=\"[^#d]" t1/report.html'
duets "${tiny[@]}" -o t2 --threads 2 -q
holds "the same from one thread and from two" same_outputs t1 t2
rm t2/manifest.json t2/runs/units-camel-2.csv
duets "${tiny[@]}" -o t2 --resume -q
exits "going on" 0
holds "going on: only what was missing" \
  json t2/manifest.json '(j["runs"] - j["runs_loaded"]) == 11 or exit(1)'
holds "the same after going on" same_outputs t1 t2
holds "with the same digest" test "$(digest t1)" = "$(digest t2)"
duets "${tiny[@]}" -o t1 --overwrite -q --format json
exits "its own directory may be replaced" 0
holds "the summary is JSON" python3 -c 'import json
j = json.load(open("out"))
assert {"auto", "earn", "quick", "safe", "paper", "DisKernelUCB", "DisKernelUCB fitted"} <= {r["name"] for r in j["self_tuning"]}
assert {m["group"] for m in j["means"]} == {"all", "paper", "added"}'

duets reproduce --self-tuning --variants -o no
exits "two experiments at once" 2
duets reproduce --held-out -o no
exits "--held-out alone" 2
duets reproduce --self-tuning --held-out --conditions units -o no
exits "--held-out with conditions" 2
duets reproduce --self-tuning --conditions none -o no
exits "a condition that is not there" 2
says "a condition that is not there" "agents-100"
duets reproduce --self-tuning --held-out --functions camel -o no
exits "--held-out with another function" 2
says "--held-out with another function" "borehole"
says "--held-out with another function" "reaction"
duets reproduce --self-tuning --functions none -o no
exits "a function that is not there" 2
says "a function that is not there" "goldstein-price"
absent no

cat >box.toml <<'TOML'
[study]
agents = 3
horizon = 6
direction = "maximize"
[objective]
builtin = "camel"
TOML
duets compare box.toml --algorithms duets,duets-auto,duets-quick,duets-safe --betas 0.2 --runs 2 \
  -o c1 --format json
exits "compare with presets" 0
holds "a preset has no beta" python3 -c 'import json
rows = {r["algorithm"]: r for r in json.load(open("out"))["summary"]}
assert rows["DUETS auto"]["beta"] is None and rows["DUETS"]["beta"] == 0.2, rows
assert set(rows) == {"DUETS", "DUETS auto", "DUETS quick", "DUETS safe"}'
finish
