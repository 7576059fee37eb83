# What base/executor.h promises, over real processes: the checks that every executor passes.
source "$DUETS_SOURCE_DIR/tests/integration/mpi/mpi.sh"

for processes in 1 2 3 4; do
  # Rounds of seven bytes: every result is cut into many.
  start "$processes" "$DUETS_MPI_CONFORMANCE" 7 3
  holds "$processes processes, tiny rounds" test "$status,$(<out)" = "0,kept by $processes"
  start "$processes" "$DUETS_MPI_CONFORMANCE" 1000000000 20000
  holds "$processes processes, large results" test "$status,$(<out)" = "0,kept by $processes"
done
"$DUETS_MPI_CONFORMANCE" 100 3 >out 2>err </dev/null
holds "without mpirun there is one process" test "$?,$(<out)" = "0,kept by 1"

for rank in 0 1 2; do
  start 3 "$DUETS_MPI_CONFORMANCE" fail "$rank"
  holds "rank $rank fails: its exit code is that of all" test "$status" = 7
  holds "rank $rank fails: told once" test "$(grep -c 'broken on purpose' out)" = 1
done
holds "another rank is named with its machine" grep -q '^rank 2 of 3 on .*: broken on purpose$' out
finish
