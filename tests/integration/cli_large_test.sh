# `duets run` of large studies: what is said before and kept after, and what does not change.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

digests() { json "$1/manifest.json" '(j["run_digest"], j["state_digest"])'; }
rows() { [[ $(wc -l <"$1") == "$2" ]]; }

# study FILE AGENTS HORIZON EPOCHS: candidates of a finite set, so that only the queries cost.
study() {
  cat >"$1" <<END
[study]
direction = "maximize"
agents = $2
horizon = $3
[space]
domain = "finite"
shape = "cube"
dimension = 2
candidates = 50
[kernel]
name = "squared-exponential"
lengthscale = 0.2
[noise]
lambda = 0.2
[duets]
schedule = "explicit"
epochs = $4
beta = 0.5
[objective]
builtin = "branin"
noise = 0.2
END
}

# Just above a million queries, up to which all trials are kept.
study million.toml 100 10001 "[200, 9801]"
duets run million.toml -o sampled
exits "more than a million queries" 0
says "more than a million queries" "note: a large run; memory about "
says "more than a million queries" \
  "note: trials.csv gets the queries with (agent + t) mod 11 == 0; change this with --trials all or none"
holds "a line says how far it is" grep -Eq '^  epoch 2: 20000 of 1000100 queries' err
holds "the manifest has the rule" test \
  "$(json sampled/manifest.json 'j["trials"]["kept"], j["trials"]["rule"]')" = \
  "sampled (agent + t) mod 11 == 0"
holds "the sample follows the rule" python3 -c 'import csv
rows = list(csv.DictReader(open("sampled/trials.csv")))
assert 90000 < len(rows) < 92000, len(rows)
assert all((int(r["agent"]) + int(r["t"])) % 11 == 0 for r in rows)
assert len({(r["agent"], r["t"]) for r in rows}) == len(rows)
keys = [(int(r["epoch"]), int(r["agent"]), int(r["slot"])) for r in rows]
assert keys == sorted(keys)'
holds "regret has the first, the last and the ends of epochs" python3 -c 'import csv
rows = list(csv.DictReader(open("sampled/regret.csv")))
times = [int(r["t"]) for r in rows]
assert times == sorted(set(times)) and len(times) < 2010, len(times)
assert times[0] == 1 and times[-1] == 10001 and 200 in times, times[:5]'
holds "the map says that it has a part of the points" \
  grep -q '5,000 of 1,000,100 points' sampled/figures/map.svg
holds "the figures are small" test "$(stat -c %s sampled/figures/regret.svg)" -lt 300000

duets run million.toml -o none --trials none -q --threads 1 --replay separate
exits "--trials none" 0
holds "the head alone" rows none/trials.csv 1
holds "separate points, one thread, no trials: the same digests" \
  test "$(digests none)" = "$(digests sampled)"
holds "the same regret" cmp none/regret.csv sampled/regret.csv
holds "the report is there" test -s none/report.html
holds "the manifest says so" test "$(json none/manifest.json 'j["trials"]["kept"]')" = none
duets run million.toml -o none --overwrite --trials none -q
exits "--overwrite of results without trials" 0

study small.toml 3 12 "[4, 8]"
duets run small.toml -o small
exits "a small run" 0
holds "all trials" rows small/trials.csv 37
holds "nothing is said about memory" bash -c '! grep -q memory err'
duets run small.toml -o small-sampled --trials sampled -q
holds "a sample of a small run is all of it" cmp small/trials.csv small-sampled/trials.csv
study one.toml 1 1 "[1]"
duets run one.toml -o one --trials sampled --replay separate
exits "one agent, one query" 0
holds "one row" rows one/trials.csv 2

# A hundred thousand agents.
study agents.toml 100000 10 "[2, 8]"
duets run agents.toml -o agents --trials none -q
exits "a hundred thousand agents" 0
duets run small.toml -o bad --trials some -q
exits "--trials some" 2
duets run small.toml -o bad --replay twice -q
exits "--replay twice" 2
absent bad

# What was said about memory, against what it took. A run has the smaller parts at other times, and
# the allocator its own ideas: half of it is normal, more than it is an error of the formula. A
# sanitizer takes several times the memory for itself.
at_most=1.1
[[ -z ${DUETS_SANITIZED-} ]] || at_most=10
holds "the estimate of memory" env at_most=$at_most python3 -c '
import os, re, resource, subprocess, sys
words = [os.environ["DUETS_PROGRAM"], "run", "million.toml", "-o", "memory", "--trials", "none"]
done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
told = float(re.search(r"memory about (\d+) MB", done.stderr).group(1))
took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
print(f"told {told} MB, took {took:.0f} MB")
assert 0.4 * told <= took <= float(os.environ["at_most"]) * told, (told, took)'

duets config check million.toml
exits "config check" 0
holds "config check has the points of each epoch" grep -Eq '^points of an epoch +20000, 980100' out
holds "config check has the memory" grep -Eq '^forecast memory +about [0-9]+ MB at most' out

# Killed in the middle: nothing has the final name, and the next run is not in its way.
"$DUETS_PROGRAM" run million.toml -o killed --trials all -q >/dev/null 2>&1 &
killed=$!
for _ in $(seq 500); do
  [[ -s killed.partial/trials.csv ]] && break
  sleep 0.02
done
kill -KILL "$killed"
wait "$killed" 2>/dev/null
holds "killed: nothing with the final name" test ! -e killed
holds "killed: what is left says that it is not finished" test -e killed.partial
duets run small.toml -o killed -q
exits "a run after a killed one" 0
holds "the remains are gone" test ! -e killed.partial
finish
