# `--participation FILE`: replays who took part, and refuses what the study does not have.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"
small_study small.toml

digest() { json "$1/manifest.json" 'j["run_digest"]'; }
duets run small.toml -o whole -q
cat >absence.toml <<END
[[absence]]
epoch = 1
excluded = [2]
[[absence]]
epoch = 2
holes = [{ agent = 0, slots = [1, 3] }]
END
duets run small.toml -o partial1 --participation absence.toml
exits "exclusions and holes" 0
says "exclusions and holes" "2 holes"
holds "the two holes are in the trials" test "$(grep -c ',hole,,$' partial1/trials.csv)" = 2
holds "an absent agent queries nothing" \
  test "$(grep -c '^2,1,' partial1/trials.csv)" = 0
holds "the epochs say who took part" python3 -c 'import csv
rows = list(csv.DictReader(open("partial1/epochs.csv")))
assert [r["participants"] for r in rows] == ["2", "3"], rows
assert [r["holes"] for r in rows] == ["0", "2"], rows'
holds "another run" test "$(digest whole)" != "$(digest partial1)"
duets run small.toml -o partial2 --participation absence.toml -q --threads 1
holds "replayed" test "$(digest partial1)" = "$(digest partial2)"
: >nobody-missing.toml
duets run small.toml -o all --participation nobody-missing.toml -q
holds "an empty record is full participation" test "$(digest whole)" = "$(digest all)"

refused() { # refused WHAT TEXT LINE...: a record of these lines is exit code 2 with the text
  local what=$1 text=$2
  shift 2
  printf '%s\n' "$@" >bad.toml
  duets run small.toml -o bad --participation bad.toml
  exits "$what" 2
  says "$what" "$text"
  holds "$what: names file, line and column" grep -Eq '^duets: bad\.toml:[0-9]+:[0-9]+: ' err
  absent bad
}
refused "an epoch beyond the last" "1 to 3" '[[absence]]' 'epoch = 4' 'excluded = [0]'
refused "epoch 0" "1 to 3" '[[absence]]' 'epoch = 0'
refused "an unknown agent" "0 to 2" '[[absence]]' 'epoch = 1' 'excluded = [3]'
refused "a negative agent" "0 to 2" '[[absence]]' 'epoch = 1' 'excluded = [-1]'
refused "an unknown slot" "0 to 1" '[[absence]]' 'epoch = 1' 'holes = [{ agent = 0, slots = [2] }]'
refused "an epoch twice" "twice" '[[absence]]' 'epoch = 1' '[[absence]]' 'epoch = 1'
refused "nobody" "at least one agent must take part" '[[absence]]' 'epoch = 1' 'excluded = [0, 1, 2]'
refused "an unknown key" "unknown key" '[[absence]]' 'epoch = 1' 'absent = [0]'
refused "no epoch" "epoch" '[[absence]]' 'excluded = [0]'
refused "a wrong type" "list" '[[absence]]' 'epoch = 1' 'excluded = 1'
refused "not TOML" "bad.toml" '[[absence'
duets run small.toml -o bad --participation missing.toml
exits "a record that is not there" 2
says "a record that is not there" "missing.toml"
absent bad
mkdir folder
duets run small.toml -o bad --participation folder
exits "a folder as record" 2
absent bad

# Everything an agent does in an epoch fails: the run goes on without those rewards.
printf '%s\n' '[[absence]]' 'epoch = 2' 'holes = [{ agent = 1, slots = [0, 1, 2, 3] }]' >all-holes.toml
duets run small.toml -o holes -q --participation all-holes.toml
exits "all queries of an agent fail" 0
finish
