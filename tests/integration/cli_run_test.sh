# `duets run`: what a user gets from the first command of the README, and from its flags.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

digests() { json "$1/manifest.json" '(j["study_digest"], j["run_digest"], j["state_digest"])'; }
run_digest() { json "$1/manifest.json" 'j["run_digest"]'; }
# different A B: both are there and not the same.
different() { [[ -n $1 && -n $2 && $1 != "$2" ]]; }
rows() { [[ $(wc -l <"$1") == "$2" ]]; }
plain() { ! grep -qP '[^\x09\x0a\x20-\x7e]' "$1"; }

duets run "$studies/branin.toml"
exits "the first command" 0
for file in study.toml manifest.json summary.json trials.csv epochs.csv regret.csv communication.csv report.html \
  figures/regret.svg figures/communication.svg figures/region.svg figures/inducing.svg \
  figures/map.svg; do
  holds "results/branin/$file is there" test -s "results/branin/$file"
done
holds "the unfinished directory is gone" test ! -e results/branin.partial
holds "no colours and no bars without a terminal" plain err
holds "no colours in the data" plain out
holds "standard error has a line per epoch" grep -q '^epoch 3: ' err
holds "standard error says N x T" grep -q '10 agents x 50 queries = 500' err
holds "one row a query" rows results/branin/trials.csv 501
holds "one row a time" rows results/branin/regret.csv 51
holds "three closed epochs" rows results/branin/epochs.csv 4
holds "the second cut leaves three pieces" python3 -c 'import csv
rows = list(csv.DictReader(open("results/branin/epochs.csv")))
assert [r["pieces"] for r in rows] == ["1", "1", "3"], [r["pieces"] for r in rows]'
holds "recommendation beside best trial" grep -q '^best trial ' out
holds "the table shows the manifest's digest" grep -q "$(run_digest results/branin)" out
holds "the manifest has the smallest margin" json results/branin/manifest.json \
  'j["smallest_margin"] + j["epochs"][0]["smallest_margin"] > 0 or exit(1)'
holds "the manifest has version, compiler, processor" json results/branin/manifest.json \
  '[j["build"][k] for k in ("version", "compiler", "processor")]'
holds "figures are XML" python3 -c 'import sys, xml.dom.minidom
for f in sys.argv[1:]: xml.dom.minidom.parse(f)' results/branin/figures/*.svg
holds "the report needs no other file" bash -c '! grep -Eq "(src|href)=\"[^#d]" results/branin/report.html'

for threads in 1 2; do
  duets run "$studies/branin.toml" -o "threads$threads" --threads "$threads"
  exits "--threads $threads" 0
done
holds "the same digests from one thread and from two" \
  test "$(digests threads1)" = "$(digests threads2)"
holds "the same trials, too" cmp threads1/trials.csv threads2/trials.csv
holds "the same digest as the first command" \
  test "$(run_digest threads1)" = "$(run_digest results/branin)"
duets run "$studies/branin.toml" -o seed2 --seed 2
holds "another seed is another run" different "$(run_digest threads1)" "$(run_digest seed2)"
holds "the resolved study has the seed that was used" grep -q '^seed = 2' seed2/study.toml

# The resolved study is the same study and the same run: of studies that ship, of another seed, and of
# presets with a list of epochs.
for preset in paper auto quick safe; do
  printf '[study]\ndirection = "maximize"\nagents = 2\nhorizon = 10\n[duets]\npreset = "%s"\n%s' \
    "$preset" $'epochs = [3, 7]\n[objective]\nbuiltin = "branin"\n' >"epochs-$preset.toml"
done
without_comments() { grep -v '^#' "$1/study.toml"; }
for study in "$studies"/*-finite.toml "$studies"/{mixed,branin,auto,theory}.toml seed2/study.toml \
  epochs-*.toml; do
  name=$(basename "$study" .toml)
  duets run "$study" -o "a-$name" -q
  exits "$name" 0
  duets run "a-$name/study.toml" -o "b-$name" -q
  exits "$name from its resolved study" 0
  holds "$name: the resolved study gives the same digests" \
    test "$(digests "a-$name")" = "$(digests "b-$name")"
  holds "$name: resolving is done once" \
    test "$(without_comments "a-$name")" = "$(without_comments "b-$name")"
done

small_study small.toml
duets run small.toml -o json --format json
exits "--format json" 0
holds "json parses and agrees with the manifest" \
  test "$(json out 'j["run_digest"]')" = "$(run_digest json)"
holds "json has the recommendation with its interval" \
  json out 'j["recommendation"]["low"] <= j["recommendation"]["mean"] <= j["recommendation"]["high"] or exit(1)'
duets run small.toml -o csv --format csv
exits "--format csv" 0
holds "csv parses" python3 -c 'import csv
rows = list(csv.DictReader(open("out")))
assert len(rows) == 1 and rows[0]["agents"] == "3" and len(rows[0]["run_digest"]) == 32, rows
assert None not in rows[0] and None not in rows[0].values(), rows'
duets run small.toml -o quiet --quiet
exits "--quiet" 0
holds "--quiet says nothing on standard error" test ! -s err
holds "--quiet still prints the data" grep -q '^run digest' out
duets run small.toml -o verbose -v
holds "-v says how regions are sampled" grep -q 'sampled by rejection' err
# The theory study in which coins leave points out (p < 1).
duets run "$studies/theory-fleet.toml" -q -o theory
exits "the theory study" 0
holds "coins leave points out" python3 -c 'import csv
rows = list(csv.DictReader(open("theory/epochs.csv")))
assert any(0 < float(r["p"] or 0) < 1 and int(r["selected"]) < int(r["points"]) for r in rows), rows'
finish
