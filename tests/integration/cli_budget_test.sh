# More queries than planned, or fewer: --horizon, --for, --until-gain and duets study extend.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"
cat >train.py <<'END'
import json, os, sys
for line in sys.stdin:
    q = json.loads(line)
    x = q["params"]["x"]
    with open("asked", "a") as out:
        out.write(f"{x!r}\n")
    if os.path.exists("deadly") and sum(1 for _ in open("asked")) >= int(open("deadly").read()):
        os.kill(os.getppid(), 9)
    print(json.dumps({"value": -(x - 0.3) ** 2}), flush=True)
END
cat >study.toml <<'END'
[study]
name = "budget"
direction = "maximize"
agents = 3
horizon = 6
[space]
domain = "box"
[space.x]
low = 0.0
high = 1.0
[duets]
preset = "safe"
[objective]
command = ["python3", "-S", "train.py"]
END
asked() { sort -u asked | wc -l; }
digest() { grep '^state digest' "${1:-out}"; }
nothing_twice() { test "$(sort asked | uniq -d | wc -l)" = 0; }

duets run study.toml --parallel 2
exits "the planned run" 0
holds "18 queries" test "$(asked)" = 18
duets run study.toml --horizon 10 --parallel 2
exits "a larger horizon" 0
holds "12 queries more" test "$(asked)" = 30
holds "nothing is measured twice" nothing_twice
holds "the summary" grep -q '^queries  *3 agents x 10 = 30$' out
holds "the summary says why" grep -q '^horizon  *planned with 6 queries of each agent, extended to 10$' out
holds "the report says so" grep -q 'The horizon was changed' results/budget/report.html
holds "the manifest says so" grep -q '"horizon_changes": "planned with 6' results/budget/manifest.json
holds "the study file says so" grep -q '^earlier_horizons = \[6\]$' results/budget/study.toml
digest >extended
duets run study.toml
exits "the first command again" 0
says "it is finished" "the study is finished"
holds "with the same digest" test "$(digest)" = "$(cat extended)"
duets run study.toml --horizon 8
exits "a smaller horizon" 2
says "a smaller horizon" "horizon = 8: the study in"
says "what is there" "ends at 10 queries per agent"
duets study export budget --storage results/budget.journal -o export --trials results/budget.journal/answers.db
exits "the export" 0
duets verify export --secret results/budget.journal/secrets/budget.key --trials results/budget.journal/answers.db
exits "it verifies" 0
duets study extend budget --storage results/budget.journal --horizon 10
exits "not more" 2
says "not more" "must be larger than 10"
duets study extend budget --storage results/budget.journal --horizon 12
exits "an operator extends" 0
duets status budget --storage results/budget.journal
holds "it can be continued" grep -q "^study .*, stopped$" out
holds "its status says how" grep -q "^to continue .*repeat the 'duets run'" out
duets run study.toml
exits "and goes on" 0
holds "6 queries more" test "$(asked)" = 36
sed 's/^horizon = 6$/horizon = 13/' study.toml >longer.toml
duets run longer.toml
exits "a larger horizon in the file" 0
says "a larger horizon in the file" "3 agents x 13 queries = 39"
holds "3 queries more" test "$(asked)" = 39
holds "still nothing twice" nothing_twice
digest >undisturbed
duets study extend budget --server 127.0.0.1:1 --insecure --horizon 20
exits "a coordinator cannot" 2
says "a coordinator cannot" "use --storage"

# Killed in the middle of the extension, the same command has the same run.
rm -rf results asked
duets run study.toml -q
duets run study.toml --horizon 10 -q
echo 33 >deadly
duets run study.toml --horizon 12 --parallel 1 -q
rm deadly
duets run study.toml --horizon 12 -q
exits "after a kill" 0
duets run study.toml --horizon 13 -q
holds "the same run" test "$(digest)" = "$(cat undisturbed)"
holds "one query at most was asked twice" test "$(wc -l <asked)" -le 40

# Ended early, then continued.
rm -rf results asked
duets run study.toml --horizon 100000 --for 1s --parallel 2
exits "--for" 0
holds "it is shown" grep -q '^horizon .*ended early after epoch' out
holds "there is an answer" grep -q '^recommendation' out
digest >ended
duets run study.toml --for 0s
exits "no time" 2
says "no time" "--for = 0s: must be a positive time"
lines=$(wc -l <asked)
duets run results/budget/study.toml
exits "its study file is that of the journal" 0
holds "with the same digest" test "$(digest)" = "$(cat ended)"
duets config check results/budget/study.toml
exits "the file has a forecast" 0
duets run results/budget/study.toml -o replay --overwrite
exits "another journal has no answers" 2
says "another journal has no answers" "study.ended_after = ["
absent replay
holds "nothing was asked" test "$(wc -l <asked)" = "$lines"

# A study that learns ends when little can be gained.
duets tune -p 'x=0..1' --agents 4 --horizon 30 --until-gain 1000 -- python3 -S train.py
exits "--until-gain" 0
says "--until-gain" "ended early; best mean"
holds "nothing is left then" bash -c '! grep -q "0 queries per agent" err'
holds "it ends after two epochs" grep -q '^horizon .*ended early after epoch 2$' out
duets tune -p 'x=0..1' --agents 4 --horizon 31 -- python3 -S train.py
exits "and is continued" 0
holds "it is shown" grep -q 'ended early after epoch 2, extended to 31$' out
duets tune -p 'x=0..1' --agents 4 -- python3 -S train.py
exits "without --horizon" 0
says "without --horizon it is not changed" "4 agents x 31 queries = 124"
says "and only reported" "the study is finished"
holds "the study file has its horizon" grep -qx 'horizon = 31' results/train.toml
duets run results/train.toml
exits "the study file is that study" 0
says "and it is finished" "the study is finished"
duets tune -p 'x=0..2' --agents 4 --horizon 9 -- python3 -S train.py
exits "another space" 2
says "another space" "choose another --name or --output"

# What is refused removes nothing.
duets tune -p 'x=0..1' --agents 4 --goal earn --until-gain 0.1 --overwrite -- python3 -S train.py
exits "--until-gain without samples" 2
duets tune -p 'x=0..1' --agents 4 -- python3 -S train.py
says "the journal is still there" "the study is finished"

# A program that does not use its parameters.
echo 'for line in open(0): print(7, flush=True)' >flat.py
duets tune -p 'x=0..1' --agents 4 --horizon 4 -o flat/ -- python3 -S flat.py
exits "equal values" 0
says "equal values" "warning: all 16 values are 7: does the program use its parameters?"
holds "one slash" grep -q ' flat/report.html$' out

duets run study.toml --until-gain 0.1 -o other
exits "--until-gain without samples" 2
says "--until-gain without samples" 'needs duets.cut = "decision"'

# A simulation repeats what was known, to the same bits.
small_study small.toml
duets run small.toml -q
exits "a simulation" 0
cp results/small/epochs.csv before.csv
horizon=$(sed -n 's/^horizon = //p' results/small/study.toml)
duets run small.toml --horizon $((horizon + 5)) -q
exits "a simulation is extended" 0
holds "its epochs go on" test "$(head -n "$(wc -l <before.csv)" results/small/epochs.csv)" = "$(cat before.csv)"
holds "it is shown" grep -q "^horizon .*extended to $((horizon + 5))$" out
duets run small.toml --horizon $((horizon + 2)) -q
exits "a simulation is not shortened" 2
says "a simulation is not shortened" "a study can be extended, not shortened"
duets compare results/small/study.toml --algorithms duets --runs 1 -o compared -q
exits "its study file can be compared" 0
printf '[[absence]]\nepoch = 1\nexcluded = [2]\n' >away.toml
duets run small.toml --participation away.toml --overwrite -q
exits "a simulation with absent agents" 0
cp -r results/small kept
duets run small.toml --horizon $((horizon + 5)) -q
exits "another run does not take its place" 2
says "another run does not take its place" "another run, which this one does not go on with"
holds "it is unchanged" diff -r kept results/small
absent results/small.partial
duets run small.toml --horizon $((horizon + 5)) --participation away.toml -q
exits "with the same agents it is extended" 0
duets run small.toml --horizon $((horizon + 2)) --overwrite -q
exits "another horizon from the start" 0
holds "is another study" test "$(grep -c '^horizon .*extended' out)" = 0
duets run small.toml --for 1h
exits "--for with a simulation" 2
says "--for with a simulation" "is for a study with objective.command"
finish
