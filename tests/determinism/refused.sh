#!/usr/bin/env bash
# refused.sh COMPILER SOURCES: the strict files do not compile under settings that break them, and do
# without. (That a wrong rounding mode is refused at run time is tested in region/fingerprint_test.cc.)
set -uo pipefail

compiler=$1
sources=$2
status=0

compile() {
  "$compiler" -std=c++20 -fsyntax-only -ffp-contract=off -Wno-psabi -I"$sources" \
    "$sources/duets/numeric/strict.cc" "$@" 2>&1
}

if ! output=$(compile); then
  printf 'FAILED: the plain file does not compile\n%s\n' "$output"
  status=1
fi
for flags in -ffast-math -Ofast; do
  if output=$(compile "$flags"); then
    printf 'FAILED: %s was accepted\n' "$flags"
    status=1
  elif [[ $output != *"strict arithmetic"* ]]; then
    printf 'FAILED: %s is refused, but not for the right reason:\n%s\n' "$flags" "$output"
    status=1
  fi
done
exit "$status"
