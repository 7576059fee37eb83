# `duets tune`: one's own program without a study file, and every mistake that can be made in -p.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"
cat >train.py <<'END'
import json, sys
for line in sys.stdin:
    p = json.loads(line)["params"]
    assert isinstance(p["layers"], int) and p["opt"] in ("sgd", "adam") and 1e-5 <= p["lr"] <= 0.1
    print(json.dumps({"value": p["layers"] - 10 * p["lr"] + (p["opt"] == "adam")}), flush=True)
END
few=(--agents 3 --horizon 6)
space=(-p 'lr=1e-5..1e-1 log' -p 'layers=1..4 int' -p 'opt=sgd|adam')

duets tune "${space[@]}" "${few[@]}" -- python3 -S train.py
exits "tune" 0
holds "the summary" grep -q '^queries  *3 agents x 6 = 18$' out
holds "the report" test -s results/train/report.html
holds "the study file" grep -q '^name = "train"$' results/train.toml
says "where the study file is" "study file: results/train.toml"
says "the best value" "best value so far"
cp out first
duets run results/train.toml
exits "the study file runs" 0
says "and finds the finished study" "the study is finished"
holds "with the same summary" diff first out
duets tune "${space[@]}" "${few[@]}" -- python3 -S train.py -q
exits "another command line of the program" 0
duets tune "${space[@]}" --agents 4 --horizon 6 -- python3 -S train.py
exits "another study of the same name" 2
says "what differs" "study.agents is 3 there and 4 here"
duets tune "${space[@]}" --agents 4 --horizon 6 --overwrite -q -- python3 -S train.py
exits "begin again" 0
holds "no text when quiet" test ! -s err

# A script that is not changed at all: parameters in its command, its number on standard output.
cat >script.sh <<'END'
echo "training with $1 layers"
echo "$1"
END
duets tune -p 'layers=1..4 int' "${few[@]}" --minimize -- sh script.sh '{layers}'
exits "parameters in the command" 0
holds "the best is the smallest" grep -q '^best trial  *layers = 1$' out
says "its other lines are a log" "training with"

# The user's own file is not replaced.
mkdir -p own && echo "# mine" >own/result.toml
duets tune -p 'layers=1..4 int' "${few[@]}" -o own/result -- sh script.sh '{layers}'
exits "a study file of somebody else" 2
says "a study file of somebody else" "own/result.toml exists and has another study"
holds "it is unchanged" grep -qxF '# mine' own/result.toml
holds "nothing else is made" test ! -e own/result -a ! -e own/result.journal

# mistake TEXT EXPECTED: a parameter that is none.
mistake() {
  duets tune -p "$1" -- sh script.sh
  exits "-p '$1'" 2
  says "-p '$1'" "$2"
}
mistake 'lr' "has no '='"
mistake 'lr=1..' "has no HIGH after '..'"
mistake 'lr=0..1 log' "low = 0: must be positive when log = true"
mistake 'opt=a|a' "must all be different"
mistake 'domain=0..1' "domain"
holds "no study file of a mistake" test ! -e results/script.toml -o ! results/script.toml -nt own
duets tune -- sh script.sh
exits "no parameter" 2
says "no parameter" "--param"
duets tune -p 'x=0..1'
exits "no program" 2
says "no program" "program"
duets tune -p 'x=0..1' --agents 0 -- sh script.sh
exits "no agents" 2
duets tune -p 'x=0..1' -- ./no-such-program
exits "no such program" 2
holds "no study file of it" test ! -e results/no-such-program.toml

# What is for simulations is refused with a program, and the other way round.
duets run results/train.toml --participation x.toml
exits "--participation" 2
says "--participation" "is for simulations"
small_study small.toml
duets run small.toml --parallel 2
exits "--parallel with a built-in function" 2
says "--parallel with a built-in function" "is for a study with objective.command"

# The README's example: its command as it stands there, its program as README and page show it.
readme_command=$(sed -n "/^    .\/duets tune/,/train.py$/p" "$DUETS_SOURCE_DIR/README.md" | sed 's|./duets|duets|')
cp -r "$DUETS_SOURCE_DIR/examples" . && mv results earlier
eval "$readme_command"
exits "the README's command" 0
holds "finds the three best parameters" grep -Eq '^recommendation  *lr = 0.00[0-9]*, layers = 3, opt = adam$' out
body() { grep -E '^ +(p|score|print)\b' "$1" | sed 's/  *#.*//' | sort -u; }
for page in README.md docs/own-function.md; do
  holds "$page shows the program" diff <(body "$DUETS_SOURCE_DIR/$page" | grep -E 'loads|log10|dumps') <(body examples/tune/train.py)
done
finish
