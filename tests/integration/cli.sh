# Shared by the tests of the program: runs it as a user would, in a scratch directory.
source "$DUETS_SOURCE_DIR/tests/integration/expect.sh"
cd "$scratch" || exit 1
studies=$DUETS_SOURCE_DIR/studies

# duets ARGUMENT...: leaves `status`, and the files out and err.
duets() {
  "$DUETS_PROGRAM" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}

# holds WHAT COMMAND...: the command succeeds.
holds() {
  local what=$1 output
  shift
  if output=$("$@" 2>&1); then
    printf 'ok %s\n' "$what"
    return
  fi
  printf 'FAILED %s: %s\n%s\n' "$what" "$*" "$output"
  [[ -s $scratch/err ]] && { echo "standard error of the program:"; tail -n 5 "$scratch/err"; }
  failures=$((failures + 1))
}

# exits WHAT CODE: the last call of duets ended so; with a code above 0 it printed no data and said
# why in one line that begins with "duets: ".
exits() {
  holds "$1: exit code $2" test "$status" = "$2"
  (($2 == 0)) && return
  holds "$1: no data on standard output" test ! -s "$scratch/out"
  holds "$1: the reason on standard error" grep -q '^duets: .' "$scratch/err"
}

# says WHAT TEXT: standard error of the last call has it.
says() { holds "$1: says '$2'" grep -qF -- "$2" "$scratch/err"; }

# absent PATH: neither the result directory nor its unfinished form exists.
absent() { holds "nothing is left at $1" test ! -e "$1" -a ! -e "$1.partial"; }

# A field of the JSON object in FILE: json FILE EXPRESSION, with the object as `j`.
json() { python3 -c "import json, sys; j = json.load(open(sys.argv[1])); print($2)" "$1"; }

# small_study FILE: a study of a few milliseconds: 3 agents, epochs of 2, 4 and 6.
small_study() {
  cat >"$1" <<'END'
[study]
direction = "maximize"
agents = 3
horizon = 12

[space]
domain = "box"
dimension = 2

[kernel]
name = "squared-exponential"
lengthscale = 0.2

[noise]
lambda = 0.2

[duets]
t1 = 2
beta = 0.5

[objective]
builtin = "branin"
noise = 0.2
END
}
