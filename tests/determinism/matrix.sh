#!/usr/bin/env bash
# The same digests from every compiler, optimisation level, instruction set, vector width and thread
# count: builds strict_digests (many legs, seconds each) and digests (whole runs, few legs) and
# compares with expected.txt. Prints a table; the exit code is not 0 when a leg differs or does not
# build. A leg this machine cannot run is named by a line "could not run: ...".
#   matrix.sh [PATTERN]    only the legs whose name matches the pattern
set -uo pipefail

here=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd -P)
root=$(cd -- "$here/../.." && pwd -P)
work=$root/build/long/determinism
arm=$work/arm64
wanted=${1:-*}
# What the processor must be able to do, by instruction set.
declare -A needs=([x86-64]=sse2 [x86-64-v2]=sse4_2 [x86-64-v3]=avx2 [x86-64-v4]=avx512f)

# A leg: program, compiler, optimisation, instruction set, vector bytes (0: as the set suggests).
legs=()
add() { legs+=("$*"); }
for compiler in g++ clang++; do
  for level in -O0 -O2 -O3; do
    for set in x86-64 x86-64-v3; do add strict "$compiler" "$level" "$set" 0; done
  done
  add strict "$compiler" -O3 x86-64-v4 0
  add strict "$compiler" -O2 x86-64 64
  add strict "$compiler" -O2 x86-64-v4 16
  add strict "$compiler" -O2 x86-64-v4 32
done
add strict g++ -Os native 0
add strict g++ -O2 x86-64-v2 32
for level in -O0 -O2 -O3; do add strict aarch64-linux-gnu-g++ "$level" armv8-a 0; done
add strict aarch64-linux-gnu-g++ -O2 armv8-a 64
add runs g++ -O0 x86-64 0
add runs g++ -O2 x86-64 0
add runs g++ -O2 x86-64-v3 0
add runs g++ -O3 x86-64-v4 0
add runs clang++ -O2 x86-64 0
add runs clang++ -O2 x86-64-v3 16
add runs clang++ -O3 native 0
add runs aarch64-linux-gnu-g++ -O2 armv8-a 0

# Libraries for aarch64, unpacked beside the builds: the system's own packages stay as they are.
fetch_arm() {
  [[ -e $arm/complete ]] && return 0
  mkdir -p "$arm/cache/archives/partial" "$arm/lists/partial" "$arm/root"
  : >"$arm/status"
  local apt=(apt-get -q -o Dir::State="$arm" -o Dir::State::status="$arm/status"
    -o Dir::Cache="$arm/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)")
  (cd "$arm" && "${apt[@]}" update &&
    "${apt[@]}" download libsodium23 libsodium-dev libfmt9 libfmt-dev &&
    for package in *.deb; do dpkg -x "$package" root || exit 1; done) >"$arm.log" 2>&1 &&
    : >"$arm/complete"
}

# obstacle COMPILER SET: prints why this machine cannot run the leg, if so.
obstacle() {
  command -v "$1" >/dev/null || { echo "$1 is not installed"; return; }
  if [[ $1 == aarch64* ]]; then
    command -v qemu-aarch64 >/dev/null || { echo "qemu-aarch64 is not installed"; return; }
    fetch_arm || echo "the libraries for aarch64 could not be fetched, see ${arm#"$root/"}.log"
  elif [[ -n ${needs[$2]-} ]]; then
    grep -qwm1 "${needs[$2]}" /proc/cpuinfo || echo "this processor has no ${needs[$2]}"
  fi
}

# build NAME TARGET COMPILER FLAGS: modules in units of twenty files, which is quicker.
build() {
  local name=$1 target=$2 compiler=$3 flags=$4 cross=()
  if [[ $compiler == aarch64* ]]; then
    export PKG_CONFIG_SYSROOT_DIR=$arm/root PKG_CONFIG_PATH=
    export PKG_CONFIG_LIBDIR=$arm/root/usr/lib/aarch64-linux-gnu/pkgconfig
    cross=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
      -DCMAKE_PREFIX_PATH="$arm/root/usr")
  fi
  cmake -S "$here" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=20 \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" "${cross[@]}" &&
    cmake --build "$work/$name" --target "$target"
}

# compare TARGET PROGRAM: diff lines "< expected" "> here" and an exit code.
compare() {
  if [[ $1 == digests ]]; then
    bash "$here/check.sh" "$2"
  else
    diff <(grep -vE '^(run|function|noise)/' "$here/expected.txt") <($DUETS_RUNNER "$2")
  fi
}

# run_leg PROGRAM COMPILER LEVEL SET BYTES: one row of the table.
run_leg() {
  local name=$1-$2$3-$4 target=strict_digests flags="$3 -march=$4" reason result
  [[ $1 == runs ]] && target=digests
  (($5)) && name+=-bytes$5 flags+=" -DDUETS_VECTOR_BYTES=$5"
  # shellcheck disable=SC2053
  [[ $name == $wanted ]] || return 0
  reason=$(obstacle "$2" "$4")
  if [[ -n $reason ]]; then
    printf 'could not run: determinism leg %s (%s)\n' "$name" "$reason"
    missed=$((missed + 1))
    return 0
  fi
  export DUETS_RUNNER=
  [[ $2 == aarch64* ]] && DUETS_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=\
${arm#"$root/"}/root/usr/lib/aarch64-linux-gnu:/usr/aarch64-linux-gnu/lib"
  if ! (build "$name" "$target" "$2" "$flags") >"$work/$name.log" 2>&1; then
    tail -n 15 "$work/$name.log"
    result="DOES NOT BUILD"
  elif compare "$target" "$work/$name/$target" >"$work/$name.diff" 2>&1; then
    result=same
  else
    result="DIFFERS first in: $(grep -m1 '^[<>F]' "$work/$name.diff")"
  fi
  [[ $result == same ]] || failed=$((failed + 1))
  printf '%-7s %-22s %-44s %s\n' "$1" "$2" "$flags" "$result"
  ran=$((ran + 1))
}

mkdir -p "$work"
cd "$root" || exit 1  # the emulator's library path is relative: it must not hold a space
ran=0
failed=0
missed=0
printf '%-7s %-22s %-44s %s\n' program compiler flags result
for leg in "${legs[@]}"; do
  # shellcheck disable=SC2086
  run_leg $leg
done
printf '%d legs, %d different, %d could not run\n' "$ran" "$failed" "$missed"
((failed == 0 && ran > 0))
