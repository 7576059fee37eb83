# Where `duets run` may write: never over something that is not its own, and nothing half-done.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"
small_study small.toml

duets run small.toml -o out1 -q
exits "a new directory" 0
cp -r out1 before
duets run small.toml -o out1 -q
exits "an existing directory" 2
says "an existing directory" "--overwrite"
holds "it is untouched" diff -r before out1
holds "nothing unfinished beside it" test ! -e out1.partial
duets run small.toml -o out1 --overwrite --seed 5 -q
exits "--overwrite" 0
holds "--overwrite replaced it" grep -q '^seed = 5' out1/study.toml
duets run small.toml -o out1/ --overwrite --seed 6 -q
exits "--overwrite with a slash at the end" 0
holds "--overwrite replaced it again" grep -q '^seed = 6' out1/study.toml
holds "nothing strange inside" test ! -e out1/.partial
duets run small.toml -o slash/ -q
exits "a new directory with a slash at the end" 0
holds "it is complete" test -s slash/manifest.json

mkdir precious && echo text >precious/thesis.txt
duets run small.toml -o precious --overwrite -q
exits "--overwrite on a directory of something else" 2
says "--overwrite on a directory of something else" "is not the result of a run"
holds "the thesis is still there" grep -q text precious/thesis.txt
holds "nothing unfinished beside it" test ! -e precious.partial
# A name alone makes nothing ours: another program's manifest, a comparison, a guest in our results.
echo '{"name": "my app"}' >precious/manifest.json
duets run small.toml -o precious --overwrite -q
exits "--overwrite on another program's manifest" 2
duets compare small.toml --runs 1 --betas 1 --algorithms uniform -o comparison -q
duets run small.toml -o comparison --overwrite -q
exits "run --overwrite on a comparison" 2
duets run small.toml -o guest -q
echo text >guest/thesis.txt
duets run small.toml -o guest --overwrite -q
exits "--overwrite on results with a guest" 2
holds "the guest is still there" grep -q text guest/thesis.txt
mkdir guest2.partial && echo text >guest2.partial/thesis.txt
duets run small.toml -o guest2 -q
exits "somebody else's directory with the unfinished name" 2
holds "it is still there" grep -q text guest2.partial/thesis.txt
mkdir blank
duets run small.toml -o blank -q
exits "an empty directory without a flag" 0
holds "it is complete" test -s blank/manifest.json
# Every file may grow to 1 KiB only, which stands for a full disk.
(trap '' XFSZ && ulimit -f 1 && exec "$DUETS_PROGRAM" run small.toml -o large -q) >out 2>err </dev/null
status=$?
exits "a file that cannot be written" 1
says "a file that cannot be written" "File too large"
absent large
for words in "run small.toml -o full -q" "algorithms" "version" "--help" "run --help"; do
  "$DUETS_PROGRAM" $words >/dev/full 2>err </dev/null
  status=$?
  holds "$words into a full device: exit code 1" test "$status" = 1
  says "$words into a full device" "cannot write standard output: No space left on device"
done
# What people are told may be lost; the run is not.
"$DUETS_PROGRAM" run small.toml -o untold >out 2>/dev/full </dev/null
status=$?
holds "standard error on a full device: exit code 0" test "$status" = 0
holds "standard error on a full device: results" test -s untold/manifest.json
"$DUETS_PROGRAM" run missing.toml >out 2>/dev/full </dev/null
status=$?
holds "an error on a full device: its exit code" test "$status" = 2
echo text >file
duets run small.toml -o file --overwrite -q
exits "--overwrite on a file" 2
holds "the file is still there" grep -q text file
: >empty
duets run small.toml -o empty --overwrite -q
exits "--overwrite on an empty file" 2
holds "the empty file is still a file" test -f empty
mkdir hollow
duets run small.toml -o hollow --overwrite -q
exits "--overwrite on an empty directory" 0

# Below a file nobody can make a directory, root included.
duets run small.toml -o file/results -q
exits "an output that cannot be made" 1
says "an output that cannot be made" "file/results"
duets run small.toml -o deep/er/results -q
exits "an output whose parents are missing" 0
holds "the parents were made" test -s deep/er/results/manifest.json
duets run small.toml -o "with space & <sign>" -q
exits "an output with strange characters" 0

# The default place, from the name of the study.
duets run small.toml -q
exits "no --output" 0
holds "results/<study>" test -s results/small/manifest.json
finish
