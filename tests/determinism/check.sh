#!/usr/bin/env bash
# check.sh PROGRAM [--rewrite]: PROGRAM (digests) prints the lines of expected.txt with one thread and
# with two, and the two agree on the state digests too. --rewrite makes expected.txt what it prints.
set -uo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# An emulator may stand before the program.
run() { ${DUETS_RUNNER-} "$program" "$@"; }

# same WHAT FILE FILE
same() {
  diff "$2" "$3" && return
  printf 'FAILED: %s\n' "$1"
  status=1
}

for threads in 1 2; do
  run "$threads" >"$scratch/run$threads" || exit 1
  run "$threads" states >"$scratch/state$threads" || exit 1
done
same "one thread and two print the same" "$scratch/run1" "$scratch/run2"
same "one thread and two transmit the same bits" "$scratch/state1" "$scratch/state2"
if [[ ${2-} == --rewrite ]]; then
  ((status)) || cp "$scratch/run1" "$here/expected.txt"
else
  same "this build prints tests/determinism/expected.txt" "$here/expected.txt" "$scratch/run1"
fi
exit "$status"
