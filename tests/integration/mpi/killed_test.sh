# A process that dies takes the job with it, and nothing that was written.
source "$DUETS_SOURCE_DIR/tests/integration/mpi/mpi.sh"
small_study small.toml
few=(--betas 0.5,1 --algorithms duets,uniform)
options=(--runs 24 "${few[@]}")
digest() { json "$1/manifest.json" 'j["digest"]'; }
units() { find "$1/runs" -name '*.csv' | wc -l; }
has_units() { (($(units "$1") >= $2)); }

# launch ARGUMENT...: two processes in the background; `job` is mpirun, `second` its rank 1.
launch() {
  "$DUETS_MPIRUN" -n 2 "$DUETS_PROGRAM" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
  job=$!
  soon "rank 1 begins" eval 'second=$(rank_process "$job" 1); [[ -n $second ]]'
}

duets compare small.toml "${options[@]}" -o expected
exits "one process" 0

# Rank 1 stands still as soon as there is a unit, perhaps one of its own; rank 0 ends its own twelve
# and waits.
launch compare --engine mpi small.toml "${options[@]}" -o killed
soon "a unit is there" has_units killed 1
kill -STOP "$second"
soon "rank 0 has ended its share" has_units killed 12
find killed/runs -name '*.csv' | sort >before
kill -KILL "$second"
wait "$job"
status=$?
holds "a killed rank ends the job" test "$status" != 0
says "a killed rank is named" "process rank 1"
says "a killed rank is named" "signal 9"
find killed/runs -name '*.csv' | sort >after
holds "no unit is lost" test -z "$(comm -23 before after)"
kept=$(units killed)
holds "it is not called finished" test ! -e killed/manifest.json
together 3 compare small.toml "${options[@]}" -o killed --resume
exits "it goes on" 0
says "it goes on" "units already finished: $kept"
holds "nothing differs" same_results expected killed
holds "the same digest" test "$(digest killed)" = "$(digest expected)"

# SIGTERM, as schedulers send it before they kill: whole units are kept, and it says how to go on.
launch compare --engine mpi small.toml "${few[@]}" --runs 400 -o stopped
soon "a unit is there" has_units stopped 1
kill -TERM "$second" "$(rank_process "$job" 0)"
wait "$job"
status=$?
holds "asked to stop: exit code" test "$status" = 143
once "asked to stop" "duets: stopped: "
says "asked to stop" "mpirun ... $DUETS_PROGRAM compare"
together 2 compare small.toml "${options[@]}" -o stopped --overwrite
holds "afterwards" same_results expected stopped

# An earlier result directory of a run stays as it was.
sed 's/^agents = 3/agents = 40/; s/^horizon = 12/horizon = 2000/' small.toml >longer.toml
duets run small.toml -o earlier
cp -r earlier copy
launch run --engine mpi longer.toml -o earlier --overwrite
soon "the run begins" test -e earlier.partial
kill -KILL "$second"
wait "$job"
status=$?
holds "a run with a killed rank" test "$status" != 0
says "a run with a killed rank" "process rank 1"
holds "the earlier results are whole" diff -r copy earlier
together 2 run small.toml -o earlier --overwrite
exits "and can be replaced" 0
holds "and can be replaced: nothing is left" test ! -e earlier.partial
finish
