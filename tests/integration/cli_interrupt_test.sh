# Ctrl-C and SIGTERM in `duets run`: nothing half-done is left, and it says what to do next.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"
small_study small.toml
# Long enough to be stopped on any machine: it is never let to its end.
sed 's/^agents = 3/agents = 400/; s/^horizon = 12/horizon = 20000/' small.toml >long.toml

# start ARGUMENT...: a run in the background; returns when it has begun to write.
start() {
  "$DUETS_PROGRAM" run long.toml "$@" >out 2>err </dev/null &
  process=$!
  for _ in $(seq 1200); do
    [[ -e place.partial/trials.csv ]] && grep -q '^epoch 1:' err && return
    sleep 0.05
  done
  echo "FAILED the run did not begin"
  failures=$((failures + 1))
}
# stop SIGNAL: asks it to stop and waits; leaves `status`.
stop() {
  kill "-$1" "$process"
  wait "$process"
  status=$?
}

start -o place
stop INT
exits "Ctrl-C" 130
says "Ctrl-C" "stopping; press Ctrl-C again to stop at once and leave $PWD/place.partial behind"
holds "it says where it was and what is kept" \
  grep -Eq '^duets: stopped in epoch [0-9]+, after [0-9]+ of 8000000 queries; nothing of this run is kept; ' err
holds "it says how to start again" grep -qxF "  $DUETS_PROGRAM run long.toml -o place" err
absent place

start -o place
stop TERM
exits "SIGTERM" 143
absent place

# Earlier results stay as they were.
duets run small.toml -o place -q
cp -r place before
start -o place --overwrite
stop INT
exits "Ctrl-C with --overwrite" 130
says "Ctrl-C with --overwrite" "the earlier contents of place are unchanged"
holds "the earlier results are unchanged" diff -r before place
holds "nothing unfinished beside them" test ! -e place.partial
rm -r place

# A second one ends it at once. It may be over by then, with everything cleaned up.
start -o place
kill -INT "$process"
kill -INT "$process"
wait "$process"
status=$?
holds "twice: it ends by the signal, or as after one" test "$status" = 130
duets run small.toml -o place -q
exits "the next run removes what was left" 0
holds "nothing unfinished is left" test ! -e place.partial
finish
