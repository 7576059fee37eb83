# `duets reproduce --scaling` and `--variants`: outputs, the same numbers from any number of threads
# and after an interruption, and flags that do not go together.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

digest() { json "$1/manifest.json" 'j["digest"]'; }
same_outputs() { diff -r --exclude=manifest.json "$1" "$2"; }

scaling=(reproduce --scaling --quick --functions branin --runs 2)
duets "${scaling[@]}" -o s1 --threads 1
exits "a tiny scaling" 0
says "a tiny scaling" "A quick look"
holds "slopes are printed" grep -q '^branin *T *regret *-\?[0-9]' out
for file in scaling.csv slopes.csv rivals.csv ask_tell.csv report.html manifest.json figures/scaling.svg \
  figures/frontier.svg figures/recommendation.svg rival_slopes.csv \
  runs/scaling-branin-N10-T50-1.csv; do
  holds "$file is there" test -s "s1/$file"
done
holds "the CSV files parse" python3 -c 'import csv
sizes = list(csv.DictReader(open("s1/scaling.csv")))
assert len(sizes) == 8, len(sizes)
assert all(float(r["regret_mean"]) > 0 and float(r["gamma"]) > 0 for r in sizes)
by_queries = sorted((float(r["queries"]), float(r["gamma"])) for r in sizes)
assert [g for _, g in by_queries] == sorted(g for _, g in by_queries), by_queries
slopes = list(csv.DictReader(open("s1/slopes.csv")))
assert len(slopes) == 8 and all(float(r["low"]) < float(r["slope"]) < float(r["high"]) for r in slopes)'
holds "others stand beside DUETS" python3 -c 'import csv
rows = [r for r in csv.DictReader(open("s1/rivals.csv")) if r["agents"] == "10" and r["horizon"] == "800"]
by_name = {r["name"]: r for r in rows}
assert set(by_name) == {"DUETS (chosen beta)", "DUETS (auto)", "DUETS (earn)", "DUETS (safe)", "DisKernelUCB", "uniform"}, rows
assert float(by_name["uniform"]["communication_links"]) == 0
asked = [r for r in csv.DictReader(open("s1/ask_tell.csv")) if r["agents"] == "10" and r["horizon"] == "800"]
assert float(asked[0]["communication_links"]) == 10 * 800 * 3, asked
assert float(by_name["DisKernelUCB"]["regret_mean"]) < float(by_name["uniform"]["regret_mean"])'
holds "the report needs no other file" bash -c '! grep -Eq "(src|href)=\"[^#d]" s1/report.html'
duets "${scaling[@]}" -o s2 --threads 2 -q
holds "scaling: the same from one thread and from two" same_outputs s1 s2
rm s2/manifest.json s2/runs/scaling-branin-N10-T50-1.csv s2/runs/scaling-branin-N40-T400-2.csv
duets "${scaling[@]}" -o s2 --resume -q
exits "scaling: going on" 0
holds "scaling: only the two that were missing" \
  json s2/manifest.json '(j["runs"] - j["runs_loaded"]) == 2 * 25 or exit(1)'
holds "scaling: the same after going on" same_outputs s1 s2
holds "scaling: with the same digest" test "$(digest s1)" = "$(digest s2)"

variants=(reproduce --variants --quick --functions branin --runs 2)
duets "${variants[@]}" -o v1 --threads 1 --format json
exits "tiny variants" 0
holds "the summary is JSON" python3 -c 'import json
rows = json.load(open("out"))["variants"]
assert {"printed", "paired-doubling + greedy", "D = 10"} <= {r["variant"] for r in rows}
assert all(r["standing"] in ("frontier", "dominated", "open") for r in rows)'
for file in variants.csv differences.csv costs.csv report.html figures/variants.svg figures/recommendation.svg; do
  holds "$file is there" test -s "v1/$file"
done
holds "an upload rule changes reals, not regret" python3 -c 'import csv
rows = {r["variant"]: r for r in csv.DictReader(open("v1/variants.csv"))}
assert rows["auto"]["regret_mean"] == rows["printed"]["regret_mean"]
assert float(rows["auto"]["communication_paper"]) < float(rows["printed"]["communication_paper"])
assert rows["paired-doubling"]["exchanges"] == "8" and rows["printed"]["exchanges"] == "3"
assert float(rows["D = infinity"]["communication_links"]) == 0'
duets "${variants[@]}" -o v2 --threads 2 -q
holds "variants: the same from one thread and from two" same_outputs v1 v2

duets reproduce --scaling --variants -o no
exits "both at once" 2
duets reproduce --scaling --betas 1 -o no
exits "--scaling with betas" 2
duets reproduce --variants --preset paper -o no
exits "--variants with a preset" 2
duets reproduce --scaling --functions h1 -o no
exits "a function without scaling" 2
says "a function without scaling" "rkhs-se"
duets reproduce --variants --functions rkhs-se -o no
exits "a function without variants" 2
absent no
duets reproduce --scaling --quick --runs 2 --functions branin -o v1 --resume
exits "going on with another experiment" 2
says "going on with another experiment" "mode"
finish
