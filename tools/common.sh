# Shared by ./duets, ./test and tools/long.sh; sourced with `root` set to the checkout.
# Standard output belongs to the program's data, so everything said here goes to standard error.

say() { printf 'duets: %s\n' "$*" >&2; }

# packages_of SECTION...: the names listed in tools/packages.txt under these sections.
packages_of() {
  awk -v wanted=" $* " '
    /^#/ || NF == 0 { next }
    /^\[/ { name = substr($1, 2, length($1) - 2); take = index(wanted, " " name " "); next }
    take && !seen[$1]++ { print $1 }' "$root/tools/packages.txt"
}

# missing_packages NAME...: those of the named packages that are not installed.
missing_packages() {
  local installed name
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for name in "$@"; do
    grep -qxF "installed $name" <<<"$installed" || printf '%s\n' "$name"
  done
}

# as_root COMMAND...: runs it with the rights to install; 126 when there is no way to get them.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@" >&2
  elif command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
    sudo "$@" >&2
  else
    return 126
  fi
}

# need_packages SECTION...: installs what is missing. Returns 2, after saying what to type, when it
# cannot. On a system without dpkg it only says what the build needs.
need_packages() {
  local wanted missing
  mapfile -t wanted < <(packages_of "$@")
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "not a Debian system: packages are not installed automatically. If the build fails, install"
    say "  the equivalents of these Debian 12 packages: ${wanted[*]}"
    return 0
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  ((${#missing[@]})) || return 0
  say "installing ${missing[*]}"
  # A fresh machine has no package lists; an offline one cannot fetch them but may have a cache.
  as_root apt-get -q update || true
  if as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
    "${missing[@]}"; then
    return 0
  fi
  say "could not install the missing packages; as an administrator run"
  say "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  return 2
}

# What a build directory is good for: this path (CMake stores it) and this processor (the code is
# tuned for it; a home directory may be shared by different machines).
build_identity() {
  printf '%s\n' "$root"
  grep -m1 -E '^(flags|Features)' /proc/cpuinfo 2>/dev/null || uname -m
}

# Libraries that a build takes when they are there. When one comes or goes, it is configured again.
build_options() { command -v mpicxx || true; }

# build_directory PRESET: where CMakePresets.json puts it. The tests share the program's directory.
build_directory() { [[ $1 == test ]] && printf '%s\n' "$root/build/release" || printf '%s\n' "$root/build/$1"; }

has_tests() { grep -qx 'DUETS_TESTS:BOOL=ON' "$1/CMakeCache.txt" 2>/dev/null; }

# prepare_build PRESET: its directory exists, belongs to this place and machine, and is configured.
# The log of the configuration lies beside it.
prepare_build() {
  local preset=$1 directory log identity
  directory=$(build_directory "$preset")
  log=$directory.configure.log
  identity=$(build_identity)
  if [[ -e $directory && $(cat "$directory/identity" 2>/dev/null) != "$identity" ]]; then
    say "${directory#"$root/"} was built in another directory or for another processor: rebuilding it"
    rm -rf "$directory"
  fi
  mkdir -p "$directory" || return 1
  printf '%s\n' "$identity" >"$directory/identity"
  # Whoever ran ./test once keeps the tests in the build.
  [[ $preset == release ]] && has_tests "$directory" && preset=test
  # Changed presets and options are what ninja does not notice by itself.
  if [[ $directory/build.ninja -nt $root/CMakePresets.json &&
    $(cat "$directory/options" 2>/dev/null) == "$(build_options)" ]] &&
    { [[ $preset != test ]] || has_tests "$directory"; }; then
    return 0
  fi
  rm -f "$directory/options"
  if ! (cd "$root" && cmake --preset "$preset") >"$log" 2>&1; then
    say "configuring failed; the end of $log:"
    tail -n 30 "$log" >&2
    return 1
  fi
  build_options >"$directory/options"
}

# build_into DIRECTORY TARGET...: runs ninja and says on standard error how far it is, line by line
# where nobody watches. All output goes to DIRECTORY.log.
build_into() {
  local directory=$1 log=$1.log
  shift
  if ! NINJA_STATUS='[%f/%t %es] ' stdbuf -oL ninja -C "$directory" "$@" 2>&1 | show_progress "$log"; then
    say "the build failed; the end of $log:"
    tail -n 40 "$log" >&2
    return 1
  fi
}

# Not in awk: Debian's reads a pipe in blocks, and says everything minutes late.
show_progress() {
  local log=$1 line percent shown=0 step=10 start='' end=$'\n' status='^\[([0-9]+)/([0-9]+) ([0-9]+)\.[0-9]+s\]'
  [[ -t 2 ]] && step=1 start=$'\r' end=''
  while IFS= read -r line || [[ -n $line ]]; do
    printf '%s\n' "$line" >&3
    [[ $line =~ $status ]] && ((BASH_REMATCH[2] >= 10)) || continue
    percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    ((percent == 100 || percent >= shown + step)) || continue
    shown=$percent
    printf '%sduets: building: %d %%, %d s%s' "$start" "$percent" "${BASH_REMATCH[3]}" "$end" >&2
  done 3>"$log"
  [[ -n $end ]] || ((shown == 0)) || printf '\n' >&2
}

# build_shared PRESET TARGET...: builds in build/release, which ./duets and ./test share; one at a
# time, and remembers when. All targets by default.
build_shared() {
  local preset=$1
  shift
  mkdir -p "$root/build" || return 1
  exec 9>"$root/build/release.lock"
  flock 9
  touch "$root/build/release.started"
  prepare_build "$preset" && build_into "$root/build/release" "$@" || return 1
  # The time of the start, not of the end: an edit made while compiling must be noticed.
  touch -r "$root/build/release.started" "$root/build/release/built"
  exec 9>&-
}
