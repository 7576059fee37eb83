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
    say "this is not a Debian system; going on with what is installed. Needed is what Debian 12"
    say "  calls: ${wanted[*]}"
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

# Libraries that a build takes when they are there. When one comes or goes, it is configured anew.
build_options() { command -v mpicxx || true; }

# prepare_build PRESET: build/PRESET exists, belongs to this place and machine, and is configured.
# The log of the configuration is build/PRESET.configure.log.
prepare_build() {
  local directory=$root/build/$1 log=$root/build/$1.configure.log
  local identity
  identity=$(build_identity)
  if [[ -e $directory && $(cat "$directory/identity" 2>/dev/null) != "$identity" ]]; then
    say "build/$1 was made at another place or for another processor: starting it anew"
    rm -rf "$directory"
  fi
  mkdir -p "$directory" || return 1
  printf '%s\n' "$identity" >"$directory/identity"
  # Changed presets and options are what ninja does not notice by itself.
  if [[ $directory/build.ninja -nt $root/CMakePresets.json &&
    $(cat "$directory/options" 2>/dev/null) == "$(build_options)" ]]; then
    return 0
  fi
  build_options >"$directory/options"
  if ! (cd "$root" && cmake --fresh --preset "$1") >"$log" 2>&1; then
    rm -f "$directory/options"
    say "configuring failed; the end of $log:"
    tail -n 30 "$log" >&2
    return 1
  fi
}
