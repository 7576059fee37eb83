# `duets reproduce`: outputs, the same numbers from any number of threads and after an interruption,
# and what happens to directories that are there already.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

small=(reproduce --functions branin --preset paper)
tiny=("${small[@]}" --runs 2 --betas 0.2)
digest() { json "$1/manifest.json" 'j["digest"]'; }
columns() { [[ $(head -n 1 "$1") == "$2" ]]; }
# same_outputs A B: everything but the manifest is the same bytes.
same_outputs() { diff -r --exclude=manifest.json "$1" "$2"; }

duets "${tiny[@]}" -o a --threads 1
exits "a tiny study" 0
for file in summary.csv curves.csv differences.csv report.html manifest.json settings.json \
  runs/paper-branin-1.csv runs/paper-branin-2.csv figures/paper.svg figures/paper-recommendation.svg; do
  holds "$file is there" test -s "a/$file"
done
holds "nothing half written is left" test -z "$(find a -name '*.tmp')"
holds "summary.csv has its columns" columns a/summary.csv \
  preset,function,algorithm,beta,runs,regret_mean,regret_std,communication_paper,communication_figure,communication_links,communication_indices,communication_literal,rounds,variant,chosen,regret_low,regret_high,recommendation_regret_mean,recommendation_regret_std,recommendation_regret_low,recommendation_regret_high,lost
holds "curves.csv has its columns" columns a/curves.csv \
  preset,function,algorithm,variant,beta,t,regret_mean,regret_std,regret_low,regret_high,communication_paper,communication_figure,communication_links,communication_indices,communication_literal
holds "differences.csv has its columns" columns a/differences.csv \
  preset,function,measure,first,first_beta,second,second_beta,runs,mean,std,low,high,verdict
holds "the CSV files parse" python3 -c 'import csv
rows = list(csv.DictReader(open("a/summary.csv")))
assert len(rows) == 4 and {r["algorithm"] for r in rows} == {
  "DUETS", "DisKernelUCB", "ApproxDisKernelUCB", "N-KernelUCB"}, rows
assert all(r["runs"] == "2" and float(r["regret_mean"]) > 0 for r in rows), rows
assert len(list(csv.DictReader(open("a/curves.csv")))) == 4 * 50
unit = list(csv.DictReader(l for l in open("a/runs/paper-branin-1.csv") if l[0] != "#"))
assert len(unit) == 4 * 50 and unit[-1]["t"] == "50", len(unit)'
holds "the mean of the runs is in the summary" python3 -c 'import csv
last = {}
for seed in (1, 2):
  for r in csv.DictReader(l for l in open(f"a/runs/paper-branin-{seed}.csv") if l[0] != "#"):
    last.setdefault(r["algorithm"], {})[seed] = float(r["regret"])
for r in csv.DictReader(open("a/summary.csv")):
  mean = sum(last[r["algorithm"]].values()) / 2
  assert abs(mean - float(r["regret_mean"])) <= 1e-12 * mean, (r, mean)'
holds "the figure is XML" python3 -c 'import xml.dom.minidom
xml.dom.minidom.parse("a/figures/paper.svg")'
holds "the manifest" json a/manifest.json \
  '[j["build"][k] for k in ("version", "compiler", "processor")], j["seconds"], j["settings"]["betas"]'
holds "the report needs no other file" bash -c '! grep -Eq "(src|href)=\"[^#d]" a/report.html'
if command -v rsvg-convert >/dev/null; then
  holds "PNG" bash -c 'head -c 4 a/figures/paper.png | grep -q PNG'
  holds "PDF" bash -c 'head -c 5 a/figures/paper.pdf | grep -q "%PDF-"'
fi

duets "${tiny[@]}" -o b --threads 2
holds "the same digest from one thread and from two" test "$(digest a)" = "$(digest b)"
holds "the same files, too" same_outputs a b
duets "${tiny[@]}" -o seed --seed 7
holds "another first seed gives other numbers" test "$(digest a)" != "$(digest seed)"

# Directories that are there already.
duets "${tiny[@]}" -o a
exits "a finished directory" 2
says "a finished directory" "already exists"
cp a/manifest.json before.json
duets "${tiny[@]}" -o a --resume
exits "resuming what is finished" 0
holds "nothing was computed again" json a/manifest.json 'j["runs_loaded"] == j["runs"] or exit(1)'
holds "the outputs are the same" same_outputs a b
duets "${small[@]}" --runs 2 --betas 0.5 -o a --resume
exits "resuming with other betas" 2
says "resuming with other betas" "betas = \"0.5\""
duets "${small[@]}" --runs 1 --betas 0.2 -o a --resume
exits "resuming with fewer runs" 2
says "resuming with fewer runs" "runs can only be added"
duets "${tiny[@]}" -o a --resume --overwrite
exits "--resume with --overwrite" 2
holds "refusals change nothing" same_outputs a b
duets "${small[@]}" --runs 3 --betas 0.2 -o b --resume
exits "more runs" 0
holds "only the new ones are computed" json b/manifest.json 'j["runs_loaded"] == 8 or exit(1)'
duets "${small[@]}" --runs 3 --betas 0.2 -o c
holds "as if all had been computed at once" same_outputs b c
holds "with the same digest" test "$(digest b)" = "$(digest c)"
duets "${tiny[@]}" -o b --overwrite
exits "--overwrite" 0
holds "--overwrite starts anew" same_outputs a b
mkdir mine && echo text >mine/notes.txt
for marker in manifest settings; do
  mkdir "$marker" && echo '{"name": "my app", "runs": 3}' >"$marker/$marker.json" && echo text >"$marker/notes.txt"
  duets "${tiny[@]}" -o "$marker" --overwrite
  exits "--overwrite on another program's $marker.json" 2
  holds "its notes are still there" grep -q text "$marker/notes.txt"
done
cp -r a guest && echo text >guest/notes.txt
duets "${tiny[@]}" -o guest --overwrite
exits "--overwrite on results with a guest" 2
holds "the guest is still there" grep -q text guest/notes.txt
mkdir empty
duets "${tiny[@]}" -o empty
exits "an empty directory" 0
holds "is as good as a new one" same_outputs a empty
for flag in --overwrite --resume; do
  duets "${tiny[@]}" -o mine "$flag"
  exits "$flag on a directory that is not ours" 2
done
holds "what is not ours is untouched" test "$(ls mine)" = notes.txt
duets run "$studies/branin.toml" -o run -q
duets "${tiny[@]}" -o run --resume
exits "resuming the result of another command" 2
duets "${tiny[@]}" -o run --overwrite
exits "--overwrite on the result of another command" 2

# Damage and foreign files are named and left alone.
cp -r a damaged && rm damaged/manifest.json
duets "${tiny[@]}" -o damaged
exits "an unfinished directory" 2
says "an unfinished directory" "unfinished: --resume continues it, --overwrite starts over"
sed -i '20s/,$/x/' damaged/runs/paper-branin-2.csv
cp damaged/runs/paper-branin-2.csv bytes
duets "${tiny[@]}" -o damaged --resume
exits "a damaged unit" 6
says "a damaged unit" "paper-branin-2.csv"
holds "it is not overwritten" cmp bytes damaged/runs/paper-branin-2.csv
cp seed/runs/paper-branin-7.csv damaged/runs/paper-branin-2.csv
duets "${tiny[@]}" -o damaged --resume
exits "a foreign unit" 6
says "a foreign unit" "paper-branin-2.csv"
rm damaged/runs/paper-branin-2.csv
duets "${tiny[@]}" -o damaged --resume
exits "a missing unit" 0
holds "is computed again" same_outputs a damaged

# Interruption: the signal comes when the first unit is there. More runs than can be done by then.
many=(reproduce --functions branin --runs 40 --betas 0.2,1 --preset paper --threads 1)
"$DUETS_PROGRAM" "${many[@]}" -o stopped >out 2>err </dev/null &
process=$!
for _ in $(seq 600); do
  [[ -n $(find stopped/runs -name '*.csv' 2>/dev/null) ]] && break
  sleep 0.05
done
kill -INT "$process"
wait "$process"
status=$?
exits "an interrupted study" 130
says "an interrupted study" "--resume"
says "an interrupted study" "of 80 units (a unit is all runs of one seed and function) are kept"
says "an interrupted study" "the runs of unfinished units are lost"
holds "it is unfinished" test ! -e stopped/manifest.json
holds "finished units are kept" test "$(find stopped/runs -name '*.csv' | wc -l)" -gt 0
holds "not all were finished" test "$(find stopped/runs -name '*.csv' | wc -l)" -lt 80
# The printed command, as a user would paste it.
holds "the command that was printed goes on" bash -c "$(grep -- --resume err)"
holds "some runs were loaded" json stopped/manifest.json '0 < j["runs_loaded"] < j["runs"] or exit(1)'
duets "${many[@]}" -o undisturbed
holds "the same digest as undisturbed" test "$(digest stopped)" = "$(digest undisturbed)"
holds "the same files as undisturbed" same_outputs stopped undisturbed

# Standard output and standard error.
holds "progress without a terminal has no control characters" bash -c "! grep -aq $'[\r\e]' err out"
duets "${tiny[@]}" -o a --resume --format json
holds "json parses" json out 'j["digest"], [r["regret_mean"] for r in j["summary"]], j["winners"][0]["text"]'
duets "${tiny[@]}" -o a --resume --format csv
holds "csv is summary.csv" cmp out a/summary.csv
duets "${tiny[@]}" -o a --resume -q
holds "--quiet says nothing" test ! -s err
holds "the table has the digest" grep -q "$(digest a)" out

# Without the converter there is SVG, and it is said.
mkdir nothing
PATH=$scratch/nothing duets "${tiny[@]}" -o plain
exits "without rsvg-convert" 0
says "without rsvg-convert" "rsvg-convert is not installed"
holds "SVG is there" test -s plain/figures/paper.svg
holds "PNG is not" test ! -e plain/figures/paper.png
holds "the manifest says so" json plain/manifest.json 'j["figures"] == ["svg"] and j["figures_note"] or exit(1)'
printf '#!/bin/sh\necho broken >&2\nexit 1\n' >nothing/rsvg-convert
chmod +x nothing/rsvg-convert
PATH=$scratch/nothing duets "${tiny[@]}" -o failing
exits "a converter that fails" 0
says "a converter that fails" "paper.p"
holds "the manifest says why" json failing/manifest.json '"broken" in j["figures_note"] or exit(1)'
holds "the tables are there" cmp failing/summary.csv a/summary.csv

# Mistakes: exit code 2, the flag and the value named, nothing left behind.
mistake() { # mistake TEXT ARGUMENT...
  local text=$1
  shift
  duets reproduce -o wrong "$@"
  exits "reproduce $*" 2
  says "reproduce $*" "$text"
  absent wrong
}
mistake "nonsense" --preset nonsense
mistake "nonsense" --functions h1,nonsense
mistake "nonsense" --algorithms nonsense
mistake "--betas = -1" --betas -1
mistake "--betas = nan" --betas 0.2,nan
mistake "--betas = inf" --betas inf
mistake "--betas = x" --betas x
mistake "--betas" --betas 0.2,,1
mistake "--betas" --betas 1,1.0
mistake "--functions" --functions branin,branin
mistake "--algorithms" --algorithms duets,duets
mistake "--runs" --runs 0
mistake "--runs" --runs -3
mistake "--runs" --runs 1.5
mistake "--seed" --seed -1
mistake "--seed" --seed 18446744073709551615
mistake "--threads" --threads 0
mistake "--format" --format xml
mistake "more" more
mistake "not expected: --threshold" --threshold 2
mistake "Try: duets reproduce --help" --threshold 2
mistake "--seed" --seed 9223372036854775807 --runs 2
mistake "--seed" --seed 9223372036854775808
for flag in --betas --algorithms --functions --preset --output; do
  mistake "$flag: must not be empty" "$flag" ''
done

duets reproduce --help
for flag in --preset --quick --runs --functions --algorithms --betas --seed --output --overwrite \
  --resume --threads --format --quiet; do
  holds "reproduce --help names $flag" grep -q -- "$flag" out
done
duets reproduce --quick --functions branin --preset as-plotted -o quick
exits "--quick" 0
says "--quick" "2 runs"
holds "the report says what was left out" grep -q "quick look" quick/report.html
duets "${tiny[@]}" --quick -o whole
holds "--quick that left nothing out says nothing about it" bash -c '! grep -q "quick look" err whole/report.html'
says_quick() { grep "quick look" "$1" | grep -q "cannot decide"; }
holds "--quick says that it cannot decide" says_quick quick/report.html
# Betas are chosen on other seeds than those that are shown.
holds "the runs that choose are kept" test -s quick/runs/as-plotted-selection-branin-1000001.csv
duets reproduce --quick --functions branin --preset as-plotted -o quick --resume --format json
holds "the seeds that choose are named" json out 'j["seeds"] == [1, 2] and j["selection_seeds"] == [1000001, 1000002] or exit(1)'
holds "they choose" python3 -c 'import csv, glob
regrets = {}
for name in glob.glob("quick/runs/as-plotted-selection-branin-*.csv"):
  last = {}
  for r in csv.DictReader(l for l in open(name) if l[0] != "#"):
    last[r["algorithm"], r["beta"]] = float(r["regret"])
  for key, value in last.items(): regrets[key] = regrets.get(key, 0) + value
chosen = [r for r in csv.DictReader(open("quick/summary.csv")) if r["chosen"] == "1"]
assert len(chosen) == 4, chosen
for r in chosen:
  grid = {beta: v for (name, beta), v in regrets.items() if name == r["algorithm"]}
  assert len(grid) == 5 and min(grid, key=grid.get) == r["beta"], (r, grid)'
duets reproduce --preset wide-grid --functions branin --algorithms duets --runs 1 -o wide
holds "wide-grid goes below the printed betas" python3 -c 'import csv
betas = [float(r["beta"]) for r in csv.DictReader(open("wide/summary.csv"))]
assert betas == [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5], betas'
duets reproduce --help
holds "--help has the runs of each mode" grep -q "default 50; scaling 16, variants 50" out
finish
