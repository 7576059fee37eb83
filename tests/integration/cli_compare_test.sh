# `duets compare`: any study with a function, and what a user adds in a file of their own.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

digest() { json "$1/manifest.json" 'j["digest"]'; }
same_outputs() { diff -r --exclude=manifest.json "$1" "$2"; }
small_study small.toml
tiny=(--runs 2 --betas 0.5,1)

duets compare small.toml "${tiny[@]}"
exits "compare on a box" 0
for file in summary.csv curves.csv differences.csv report.html manifest.json settings.json \
  study.toml figures/small.svg runs/small-branin-1.csv runs/small-branin-2.csv; do
  holds "$file is there" test -s "results/compare-small/$file"
done
holds "every algorithm and beta" python3 -c 'import csv
rows = list(csv.DictReader(open("results/compare-small/summary.csv")))
assert len(rows) == 2 + 2 * 4 + 2 * 2 + 2 and {r["beta"] for r in rows} == {"0.5", "1"}, rows
assert {r["variant"] for r in rows if r["algorithm"] == "DisKernelUCB"} == {
  "D = 0.1", "D = 0.5", "D = 2", "D = 10"}, rows
assert sum(r["chosen"] == "1" for r in rows) == 4, rows'
holds "nothing about published values" bash -c '! grep -qiE "<h2>.*published" results/compare-small/report.html'
duets compare small.toml "${tiny[@]}" -o one --threads 1
holds "the same from one thread" same_outputs one results/compare-small
holds "the same digest" test "$(digest one)" = "$(digest results/compare-small)"
duets compare one/study.toml "${tiny[@]}" -o again
holds "the resolved study gives the same digest" test "$(digest one)" = "$(digest again)"

# Other domains, directions and parameters.
sed -e 's/^domain = "box"/domain = "finite"\ncandidates = 50/' small.toml >finite.toml
sed -e 's/"maximize"/"minimize"/; s/^noise = 0.2$/noise = 0.2\noffset = -1\nscale = 2/' finite.toml >minimize.toml
sed -e 's/^domain = "box"/domain = "ball"/; s/"branin"/"h2"/' small.toml >ball.toml
cat >points.csv <<'END'
0.1,0.1
0.5,0.5
0.9,0.2
END
sed -e 's/^domain = "box"/domain = "finite"\nfile = "points.csv"/; /^dimension/d' small.toml >given.toml
for study in finite minimize ball given; do
  duets compare $study.toml --runs 2 --betas 1 -o "$study"
  exits "compare on $study" 0
  holds "$study: regret is positive" python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])): assert float(r["regret_mean"]) > 0, r' "$study/summary.csv"
done
for study in "$studies"/mixed.toml "$studies"/theory.toml; do
  duets compare "$study" --runs 1 --betas 0.5,1 --algorithms duets,uniform -o "$(basename "$study")"
  exits "compare on $(basename "$study")" 0
done
holds "theory has no beta: one contender" python3 -c 'import csv
rows = [r for r in csv.DictReader(open("theory.toml/summary.csv")) if r["algorithm"] == "DUETS"]
assert len(rows) == 1 and rows[0]["beta"] == "", rows'
duets compare finite.toml --runs 1 --betas 1 -o every \
  --algorithms duets,dis-kernel-ucb,approx-dis-kernel-ucb,n-kernel-ucb,reds,bpe,gp-ucb,uniform,batch-gp,random
exits "every algorithm" 0
holds "everybody recommends a candidate" python3 -c 'import csv
for r in csv.DictReader(open("every/summary.csv")):
    assert float(r["recommendation_regret_mean"]) >= 0 and r["lost"] in ("0", "1"), r'

# A mixed function brings its space; the known maximum is the reference.
printf '[study]\ndirection = "maximize"\nagents = 4\nhorizon = 8\n[objective]\nbuiltin = "trainer"\nnoise = 0.1\n' > trainer.toml
duets compare trainer.toml --runs 1 --algorithms duets-auto,batch-gp,random -o trainer
exits "compare on a mixed function" 0
holds "batch-gp asks and tells" python3 -c 'import csv
rows = {r["algorithm"]: r for r in csv.DictReader(open("trainer/summary.csv"))}
assert float(rows["batch-gp"]["communication_links"]) == 4 * 8 * (3 + 1), rows
assert all(float(r["recommendation_regret_mean"]) >= 0 for r in rows.values()), rows'

duets evaluate trainer --space
exits "evaluate --space" 0
holds "evaluate gives the maximum at the best setting" bash -c '"$1" evaluate trainer \
  <<<"{\"learning_rate\": 0.0007943282347242813, \"layers\": 5, \"optimizer\": \"adam\"}" | grep -q "^3.39424408"' _ "$DUETS_PROGRAM"
duets evaluate nothing --space
exits "evaluate an unknown function" 2

# A study that is edited is another study.
duets compare finite.toml --runs 2 --betas 1 -o finite --resume
exits "resume" 0
sed -i 's/lambda = 0.2/lambda = 0.3/' finite.toml
duets compare finite.toml --runs 2 --betas 1 -o finite --resume
exits "resume with an edited study" 2
says "resume with an edited study" 'study = "lambda = 0.3"'
duets compare minimize.toml --runs 1 --betas 1 --algorithms dis-kernel-ucb -o never --threshold inf
duets compare minimize.toml --runs 2 --betas 1 --algorithms dis-kernel-ucb -o never --threshold inf --resume
exits "resume with an infinite threshold" 0
holds "the report names the threshold" grep -q 'Threshold D' never/report.html
duets compare minimize.toml --runs 2 --betas 1 --algorithms dis-kernel-ucb -o never --resume
exits "resume with another threshold" 2
says "resume with another threshold" "threshold"
duets compare minimize.toml --runs 1 --betas 1 --algorithms dis-kernel-ucb -o d10
duets compare minimize.toml --runs 1 --betas 1 --algorithms dis-kernel-ucb -o d1 --threshold 1
holds "--threshold changes how often is spoken" test "$(digest d10)" != "$(digest d1)"

mistake() { # mistake TEXT ARGUMENT...
  local text=$1
  shift
  duets compare -o wrong "$@"
  exits "compare $*" 2
  says "compare $*" "$text"
  absent wrong
}
mistake "study is required"
mistake "missing.toml" missing.toml
mistake "nonsense" small.toml --algorithms duets,nonsense
mistake "dis-kernel-ucb" small.toml --algorithms nonsense
mistake "--betas = -0.5" small.toml --betas -0.5
mistake "--betas = nan" small.toml --betas nan
mistake "--betas = 0" small.toml --betas 0
mistake "--runs" small.toml --runs 0
mistake "must be one of table, json, csv" small.toml --format xml
mistake "Try: duets compare --help" small.toml --format xml
mistake "--threshold" small.toml --threshold 0
mistake "--threshold" small.toml --threshold nan
mistake "--threshold" small.toml --threshold 1,2,1.0
mistake "--seed" small.toml --seed 9223372036854775807 --runs 2
mistake "--seed" small.toml --seed 9223372036854775808
sed 's/^direction/seed = 9223372036854775807\ndirection/' small.toml >late.toml
mistake "study.seed = 9223372036854775807" late.toml
for flag in --betas --algorithms --output; do mistake "$flag: must not be empty" small.toml "$flag" ''; done
sed 's/^builtin.*/command = [".\/measure"]/; /^noise = 0.2/d' small.toml >command.toml
mistake "objective.command" command.toml
sed 's/"branin"/"brainin"/' small.toml >bad.toml
mistake "brainin" bad.toml

duets compare small.toml --runs 1 --betas '0.5, 1' --algorithms 'duets, uniform' -o blanks
exits "blanks in lists" 0
says "one run" "1 run of 3 contenders"
# Every file may grow to 2 KiB only, which stands for a full disk.
(trap '' XFSZ && ulimit -f 2 && exec "$DUETS_PROGRAM" compare small.toml "${tiny[@]}" -o full) >out 2>err </dev/null
status=$?
exits "a file that cannot be written" 1
says "a file that cannot be written" "File too large"
holds "the command that was printed goes on" bash -c "$(grep -- --resume err)"
holds "the same outputs" same_outputs full results/compare-small

duets algorithms
exits "algorithms" 0
for word in duets dis-kernel-ucb uniform branin hartmann4 rkhs; do
  holds "algorithms names $word" grep -q " $word " out
done
duets algorithms --format json
holds "algorithms as json" json out '[(a["kind"], a["name"], a["description"]) for a in j]'
duets algorithms --format csv
holds "algorithms as csv" python3 -c 'import csv
assert all(r["description"] for r in csv.DictReader(open("out")))'
finish
