#!/usr/bin/env bash
# The stages of ./test --long: tools/long.sh [STAGE...], all of them by default. Each stage writes
# build/long/STAGE.log. The table at the end names what passed, what failed and what could not be
# run and why; the exit code is 0 only when nothing failed.
#
# A stage is a function stage_NAME. It reports a reason not to run with `cannot`, for itself or for
# a named part of it, and otherwise fails by its exit code.
set -uo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd -P)
source "$root/tools/common.sh"
logs=$root/build/long
all_stages=(format standalone tidy determinism sanitize thread fuzz statistics fleet python mutation bench outside clone)
fuzz_seconds=${DUETS_FUZZ_SECONDS:-60}

# cannot REASON: ends the stage as not run.
cannot() {
  printf 'could not run: %s\n' "$*"
  exit 77
}

# need SECTION...: the packages of a stage, or the end of the stage.
need() { need_packages build test "$@" 2>&1 || cannot "packages missing: $(packages_of "$@" | xargs)"; }

sources() { (cd "$root" && find src tests bench python -name '*.h' -o -name '*.cc') 2>/dev/null; }

stage_format() {
  need format
  (cd "$root" && sources | xargs clang-format --dry-run --Werror)
}

# Every file by itself, read and checked but not translated: elsewhere twenty are compiled as one,
# which hides a missing include.
stage_standalone() {
  local build=$root/build/standalone
  need
  rm -rf "$build"
  (cd "$root" && cmake --preset development -B "$build") && ninja -C "$build" duets_proto || return 1
  "$root/tools/standalone.py" "$build"
}

# The library and the program in the units that ./duets compiles, whose headers are then read once for
# twenty files; test macros expand to code that no linter likes. The options there are those of GCC,
# some of which clang does not know.
stage_tidy() {
  local build=$root/build/tidy
  need tidy
  rm -rf "$build"
  (cd "$root" && cmake --preset release -B "$build") && ninja -C "$build" duets_proto || return 1
  sed -nE 's/^ *"file": "(.*)",?$/\1/p' "$build/compile_commands.json" | grep -v /duets_proto.dir/ |
    tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet --warnings-as-errors='*' \
      --checks=-bugprone-suspicious-include --extra-arg=-Wno-unknown-warning-option -p "$build"
}

stage_determinism() {
  local script=$root/tests/determinism/matrix.sh
  [[ -e $script ]] || cannot "tests/determinism/matrix.sh does not exist"
  need determinism
  bash "$script"
}

# suite PRESET COMMAND...: builds the preset and runs its fast suite, both under COMMAND. Tests of
# fleets spend half of their time waiting.
suite() {
  local preset=$1
  shift
  need
  prepare_build "$preset" || return 1
  "$@" cmake --build "$root/build/$preset" &&
    (cd "$root" && "$@" ctest --preset "$preset" --parallel "$(($(nproc) + 2))")
}

stage_sanitize() { suite sanitize env ASAN_OPTIONS=detect_stack_use_after_return=1; }

stage_thread() {
  # The runtime of GCC 12 needs its address range free, which strong randomisation may take.
  if setarch -R true 2>/dev/null; then suite thread setarch -R; else suite thread env; fi
}

stage_fuzz() {
  local program name status=0 ran=0
  [[ -e $root/tests/fuzz/CMakeLists.txt ]] || cannot "there are no fuzz targets in tests/fuzz"
  need fuzz
  prepare_build fuzz || return 1
  cmake --build "$root/build/fuzz" --target tests/fuzz/all || return 1
  rm -rf "$logs/seeds"
  "$root/build/fuzz/tests/fuzz/make_seeds" "$logs/seeds" || return 1
  for program in "$root"/build/fuzz/tests/fuzz/fuzz_*; do
    [[ -f $program && -x $program ]] || continue
    name=$(basename "$program")
    fuzz_one "$program" "$name" || { status=1; printf 'FAILED %s\n' "$name"; }
    ran=1
  done
  ((ran)) || { echo "no fuzz program was built"; return 1; }
  return "$status"
}

# Seeds are the files of tests/fuzz/corpus/NAME, written by hand, and of build/long/seeds/NAME, made
# by make_seeds; what is found goes to build/long/corpus/NAME.
fuzz_one() {
  local found=$logs/corpus/$2 name=$2 seeds
  mkdir -p "$found"
  printf 'fuzzing %s for %s seconds\n' "$2" "$fuzz_seconds"
  set -- "$1" -max_total_time="$fuzz_seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$logs/$2-" "$found"
  for seeds in "$root/tests/fuzz/corpus/$name" "$logs/seeds/$name"; do
    [[ -d $seeds ]] && set -- "$@" "$seeds"
  done
  "$@"
}

# long_tests TARGETS SELECTION...: builds these targets and runs the tests with the label long that
# ctest selects so.
long_tests() {
  local targets
  read -ra targets <<<"$1"
  shift
  need
  build_shared test "${targets[@]}" || return 1
  ctest --test-dir "$root/build/release" -N -L '^long$' "$@" | grep -q '^Total Tests: 0$' &&
    cannot "no test has the label long"
  ctest --test-dir "$root/build/release" -L '^long$' "$@" --parallel "$(nproc)" --output-on-failure
}

stage_statistics() { long_tests 'duets paper_long_test' -LE '^(fleet|python)-long$'; }

# A coordinator and agents as processes: every crash, and a soak of DUETS_SOAK_SECONDS (ten minutes).
stage_fleet() { long_tests 'duets duets_breakable' -L '^fleet-long$' --verbose; }

# The package as a user gets it: pip install into a clean environment with the real Optuna, scikit-learn, Jupyter,
# Dask, Ray and mpi4py; all of its tests, the adapters', the tutorial, and fifty kills.
stage_python() {
  local venv=$logs/python
  need python
  build_shared test duets || return 1
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv" || cannot "python3-venv is missing"
  "$venv/bin/pip" install -q optuna scikit-learn nbclient nbformat ipykernel pytest pandas matplotlib tqdm \
    distributed ray mpi4py ||
    cannot "PyPI cannot be reached"
  "$venv/bin/pip" install -q "$root" || return 1
  cmp <("$venv/bin/duets" version) <("$root/build/release/duets" version) || return 1
  (cd / && env -u PYTHONPATH MPLBACKEND=agg PYTHONDONTWRITEBYTECODE=1 DUETS_SOURCE_DIR="$root" \
    DUETS_PROGRAM="$root/build/release/duets" "$venv/bin/python" -m pytest -q -p no:cacheprovider \
    "$root/python/tests" "$root/python/tests/pypi")
}

# Deliberate mistakes, one at a time: the tests must notice each (tools/mutations.txt).
stage_mutation() {
  need
  python3 "$root/tools/mutation.py"
}

# Every benchmark works and every answer is right; the figures mean nothing.
stage_bench() {
  need bench
  "$root/bench/run" --quick
}

# The library alone, as ./duets builds it but without the packages of the command line, used by a
# project of its own.
stage_outside() {
  local work=$logs/outside
  need
  rm -rf "$work"
  (cd "$root" && cmake --preset release -B "$work/build" -DDUETS_CLI=OFF \
    -DCMAKE_INSTALL_PREFIX="$work/prefix") &&
    cmake --build "$work/build" && cmake --install "$work/build" &&
    cmake -S "$root/tests/outside" -B "$work/project" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_PREFIX_PATH="$work/prefix" &&
    cmake --build "$work/project" && "$work/project/outside"
}

# A fresh clone at a path with a space, used from elsewhere: the first minutes of a new user.
stage_clone() {
  local work="$logs/a clone"
  need
  git -C "$root" rev-parse HEAD >/dev/null || cannot "this is not a git checkout"
  [[ -e $root/src/duets/cli/main.cc ]] || cannot "there is no program yet"
  rm -rf "$work"
  git clone -q "$root" "$work" || return 1
  cd / && "$work/duets" version >"$logs/clone.stdout" || return 1
  "$work/duets" version 2>"$logs/clone.stderr" | cmp - "$logs/clone.stdout" || return 1
  [[ ! -s $logs/clone.stderr ]] || { echo "the second call was not silent"; return 1; }
}

run_stage() {
  local name=$1 start=$SECONDS status outcome
  say "stage $name (log: build/long/$name.log)"
  (stage_"$name") >"$logs/$name.log" 2>&1
  status=$?
  case $status in
    0) outcome=passed ;;
    77) outcome=could-not-run ;;
    *) outcome=failed; failures=$((failures + 1)) ;;
  esac
  [[ $outcome == failed ]] && tail -n 15 "$logs/$name.log" >&2
  table+=$(printf '%-12s %-14s %5d s' "$name" "$outcome" $((SECONDS - start)))$'\n'
  # Parts of a stage that could not be run are named even when the rest of it passed.
  table+=$(sed -nE 's/^([0-9]+: )?could not run: /    could not run: /p' "$logs/$name.log")$'\n'
}

stages=("$@")
(($#)) || stages=("${all_stages[@]}")
for name in "${stages[@]}"; do
  if [[ " ${all_stages[*]} " != *" $name "* ]]; then
    say "no stage '$name'; there are: ${all_stages[*]}"
    exit 2
  fi
done
mkdir -p "$logs"
failures=0
table=
for name in "${stages[@]}"; do run_stage "$name"; done
printf '\n%-12s %-14s %7s\n' stage outcome time
sed '/^$/d' <<<"$table"
printf '%d of %d stages failed\n' "$failures" "${#stages[@]}"
((failures == 0))
