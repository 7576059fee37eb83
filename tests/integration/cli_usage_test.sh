# Usage, help, version and config check; every mistake is exit code 2 and leaves nothing behind.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"
small_study small.toml

usage() { # usage TEXT ARGUMENT...: exit code 2, and standard error has the text
  local text=$1
  shift
  duets "$@"
  exits "duets $*" 2
  says "duets $*" "$text"
}
usage "subcommand"
usage "\"dance\" is not a command" dance
usage "study is required" run
usage "--colour" run small.toml --colour
usage "--threads" run small.toml --threads 0
usage "--threads" run small.toml --threads many
usage "--seed" run small.toml --seed -1
usage "--seed" run small.toml --seed 1.5
usage "--format" run small.toml --format xml
usage "must be one of table, json, csv" run small.toml --format xml
usage "small.toml" run small.toml small.toml
usage "--seed" run small.toml --seed 9223372036854775808
usage "Try: duets config check --help" config check small.toml --colour
usage "missing.toml" run missing.toml
usage "missing.toml" config check missing.toml
usage "subcommand" config
absent results
absent results/small

# bad WHAT SED_SCRIPT TEXT: the study, changed so, is refused with file, line, column and the text.
bad() {
  sed "$2" small.toml >bad.toml
  holds "$1 is a change" bash -c '! cmp -s small.toml bad.toml'
  duets run bad.toml -o bad
  exits "$1" 2
  says "$1" "$3"
  holds "$1: names file, line and column" grep -Eq '^duets: bad\.toml:[0-9]+:[0-9]+: ' err
  absent bad
  duets config check bad.toml
  exits "config check: $1" 2
}
bad "an unknown key" 's/^t1 = 2/tee1 = 2/' tee1
bad "a wrong type" 's/^agents = 3/agents = "three"/' 'study.agents'
bad "out of range" 's/^beta = 0.5/beta = -0.5/' 'duets.beta'
bad "not a number" 's/^lambda = 0.2/lambda = nan/' 'noise.lambda'
bad "a missing direction" '/^direction/d' 'direction'
bad "an unknown function" 's/"branin"/"brainin"/' 'brainin'
bad "an unknown kernel" 's/"squared-exponential"/"cubic"/' 'cubic'
bad "broken TOML" 's/^\[kernel\]/[kernel/' 'bad.toml'
bad "a contradiction" 's/^domain = "box"/domain = "box"\nradius = 2/' 'radius'
bad "a file that is not there" \
  's/^domain = "box".*/domain = "finite"\nfile = "points.csv"/; s/^dimension = 2//' 'points.csv'
bad "a whole number that is none" 's/^agents = 3/agents = 2.5/' \
  'study.agents = 2.5: must be a whole number'
sed 's/^agents = 3/agents = 3.0/; s/^horizon = 12/horizon = 1.2e1/' small.toml >floats.toml
duets run floats.toml -q -o floats
exits "whole numbers written as floats" 0
duets run small.toml -q -o integers
holds "are the same numbers" test "$(json floats/manifest.json 'j["run_digest"]')" = \
  "$(json integers/manifest.json 'j["run_digest"]')"
rm -r floats integers

# A program has its own noise, and must be there.
sed 's/^builtin.*/command = [".\/measure"]/' small.toml >command.toml
usage "objective.noise = 0.2: belongs to a built-in function: remove it" run command.toml
sed -i '/^noise = 0.2/d' command.toml
usage './measure' run command.toml
holds "a missing program leaves no journal" test ! -e results/command.journal
# What studies/mixed.toml says about a program of one's own works.
holds "mixed.toml says what to replace" grep -q "replace the three keys of \[objective\]" "$studies/mixed.toml"
sed '/^\[objective\]/,$d' "$studies/mixed.toml" >own.toml
printf '[objective]\ncommand = ["./measure"]\n' >>own.toml
holds "three keys were replaced" test "$(sed -n '/^\[objective\]/,$p' "$studies/mixed.toml" | grep -c =)" = 3
duets config check own.toml
exits "mixed.toml with a command" 0

# One of a thing is one.
sed 's/^agents = 3/agents = 1/; s/^horizon = 12/horizon = 1/; s/^t1 = 2/t1 = 1/' small.toml >single.toml
duets config check single.toml
exits "a study of one query" 0
says "one warning" "1 warning"
holds "one warning is not many" bash -c '! grep -q "1 warnings" err'
holds "one agent" grep -q "1 agent x 1 = 1" out
duets run single.toml -o single
says "one query" "1 agent x 1 query = 1"
rm -r single
mkdir directory.toml
usage "directory.toml" run directory.toml
head -c 3000 /dev/urandom >noise.toml
usage "noise.toml:" run noise.toml -o noise
absent noise

# Every key of the reference page, with its default.
duets config keys
exits "config keys" 0
for word in '[space.NAME]' '[duets]' agents beta side_floor infeasible_value 'default: 0.5'; do
  holds "config keys has $word" grep -qF -- "$word" out
done
holds "plain text" test "$(grep -c '`' out)" = 0
holds "no default is required" test "$(grep -c 'default: required' out)" = 0
holds "some keys are" grep -qx '    required' out
duets config keys --format csv
holds "a line for each key of the page" test "$(($(wc -l <out) - 1))" = "$(sed '/^### Presets/,/^## /d; /^### Built-in/,/^## /d' \
  "$DUETS_SOURCE_DIR/docs/formats/study.md" | grep -c '^| `')"

duets --help
exits "--help" 0
for word in run config version; do holds "--help names $word" grep -q "^ *$word" out; done
duets run --help
exits "run --help" 0
for flag in --output --overwrite --seed --threads --format --quiet --verbose --participation; do
  holds "run --help names $flag" grep -q -- "$flag" out
done
duets config check --help
exits "config check --help" 0

duets version
exits "version" 0
holds "version" grep -Eq '^duets [0-9]+\.[0-9]+\.[0-9]+$' out
holds "version has the fingerprint" grep -Eq '^fingerprint +[0-9a-f]{32}$' out
holds "version says nothing on standard error" test ! -s err
duets version --format json
holds "version as json" json out 'j["version"], j["compiler"], j["fingerprint"]'

for study in "$studies"/*.toml; do
  duets config check "$study" --format json
  exits "config check $(basename "$study")" 0
  holds "its json parses" json out 'j["epochs"], j["warnings"]'
done
duets config check small.toml
exits "config check" 0
holds "config check prints facts" test "$(wc -l <out)" -gt 5
holds "config check leaves nothing" test ! -e results
duets config check small.toml --format csv
holds "config check as csv" python3 -c 'import csv
assert {r["name"]: r["value"] for r in csv.DictReader(open("out"))}["queries"] == "3 agents x 12 = 36"'
duets version --format csv
holds "version as csv" test "$(head -n 1 out)" = name,value
duets config check small.toml -q
holds "config check -q says nothing on standard error" test ! -s err
finish
