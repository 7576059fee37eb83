# The progress of a build: said while it goes on, in steps of ten per cent, and kept in the log.
source "$DUETS_SOURCE_DIR/tests/integration/expect.sh"
source "$DUETS_SOURCE_DIR/tools/common.sh"

mkfifo "$scratch/lines"
show_progress "$scratch/log" <"$scratch/lines" 2>"$scratch/said" &
exec 4>"$scratch/lines"
for i in {1..6}; do printf '[%d/12 %d.0s] Building\n' "$i" "$i" >&4; done

# The build goes on: the pipe is open.
for _ in {1..100}; do
  grep -q ' 50 %' "$scratch/said" && break
  sleep 0.1
done
expect "said before the build ends" 0 "duets: building: 50 %, 6 s" cat "$scratch/said"

printf 'a warning\n[12/12 9.9s] Linking\n' >&4
exec 4>&-
wait
expect "the end" 0 "duets: building: 100 %, 9 s" cat "$scratch/said"
expect "a line for every ten per cent at most" 0 "" test "$(grep -c building "$scratch/said")" = 4
expect "everything is in the log" 0 "a warning" cat "$scratch/log"
expect "every line is in the log" 0 "" test "$(grep -c . "$scratch/log")" = 8

printf '[1/2 0.1s] Building\n[2/2 0.2s] Linking\n' >"$scratch/short"
expect "a short build is silent" 0 "" show_progress "$scratch/log" <"$scratch/short"
finish
