# `mpirun -n K duets compare --engine mpi` and `duets reproduce`: units are shared by the processes.
source "$DUETS_SOURCE_DIR/tests/integration/mpi/mpi.sh"
small_study small.toml
few=(--betas 0.5,1 --algorithms duets,uniform)
options=(--runs 5 "${few[@]}")
digest() { json "$1/manifest.json" 'j["digest"]'; }

duets compare small.toml "${options[@]}" -o one
exits "one process" 0
mv one expected
mv out one.out
for processes in 1 2 3 4 7; do
  together "$processes" compare small.toml "${options[@]}" -o one
  exits "$processes processes" 0
  holds "$processes processes: the same digest" test "$(digest one)" = "$(digest expected)"
  holds "$processes processes: the same files" same_results expected one
  holds "$processes processes: the same on standard output" diff one.out out
  holds "$processes processes: the manifest counts them" \
    test "$(json one/manifest.json 'j["build"]["processes"]')" = "$processes"
  rm -r one
done

# More runs are added by another number of processes; what is there is not run again.
together 2 compare small.toml "${few[@]}" --runs 3 -o one
exits "fewer runs" 0
together 3 compare small.toml "${options[@]}" -o one --resume
exits "more runs" 0
says "more runs" "units already finished: 6"
holds "more runs: the same files" same_results expected one
# Three runs of three contenders, and three that choose between two of them.
holds "more runs: none twice" test "$(json one/manifest.json 'j["runs_loaded"]')" = 15

together 3 compare small.toml "${options[@]}" -o one
holds "a directory that exists: exit code" test "$status" = 2
once "a directory that exists" "already exists"
together 3 compare missing.toml -o none
holds "a study that is missing: exit code" test "$status" = 2
once "a study that is missing" "missing.toml"
absent none
# One process sees the file, the other does not: rank and machine are named.
mkdir folder
start 1 "$DUETS_PROGRAM" compare --engine mpi small.toml "${options[@]}" -o split \
  : -wdir "$scratch/folder" -n 1 "$DUETS_PROGRAM" compare --engine mpi small.toml "${options[@]}" -o split
holds "a file that one process lacks: exit code" test "$status" = 2
once "a file that one process lacks" "duets: rank 1 of 2 on "

quick=(--quick --runs 2 --preset paper --functions h1,branin --algorithms duets,uniform --betas 0.2)
duets reproduce "${quick[@]}" -o reproduced
exits "reproduce, one process" 0
for processes in 2 3; do
  together "$processes" reproduce "${quick[@]}" -o "together$processes"
  exits "reproduce, $processes processes" 0
  holds "reproduce, $processes processes: the same files" same_results reproduced "together$processes"
done
finish
