# Shared by the script tests: a scratch directory and expectations that say what they saw.
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect WHAT STATUS PATTERN COMMAND...: the exit code, and a fixed string somewhere in the output.
# An empty PATTERN expects no output at all.
expect() {
  local what=$1 wanted=$2 pattern=$3 output status
  shift 3
  output=$("$@" 2>&1)
  status=$?
  if [[ $status != "$wanted" ]]; then
    printf 'FAILED %s: exit code %s instead of %s\n%s\n' "$what" "$status" "$wanted" "$output"
  elif [[ -z $pattern && -n $output ]]; then
    printf 'FAILED %s: unexpected output\n%s\n' "$what" "$output"
  elif [[ $output != *"$pattern"* ]]; then
    printf 'FAILED %s: "%s" is not in the output\n%s\n' "$what" "$pattern" "$output"
  else
    printf 'ok %s\n' "$what"
    return
  fi
  failures=$((failures + 1))
}

# Call at the end: the test's exit code.
finish() { exit $((failures > 0)); }
