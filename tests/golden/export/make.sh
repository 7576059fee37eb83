#!/usr/bin/env bash
# Makes the files of this directory again: make.sh PROGRAM. Needed when the version of journal.bin changes.
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat > "$scratch/three.toml" <<'END'
[study]
name = "three"
direction = "minimize"
agents = 3
horizon = 16

[space.x]
low = -2.0
high = 2.0

[space.y]
low = 0.0
high = 1.0

[space.kind]
type = "categorical"
choices = ["red", "green", "blue"]

[objective]
command = ["./measure.py"]

[duets]
preset = "auto"
END
install -m 600 three.key "$scratch/three.key"  # a checkout lets others read it
"$program" serve "$scratch/three.toml" --insecure --listen 127.0.0.1:0 --storage "$scratch/storage" --secret "$scratch/three.key" \
  --address-file "$scratch/address" --give-up 60 -q > "$scratch/status" &
until [[ -s $scratch/address ]]; do
  kill -0 $!
  sleep 0.1
done
"$program" agent --insecure --server "$(cat "$scratch/address")" --agents 0-2 --journal "$scratch/journals" -q -- ./measure.py
wait
"$program" study export three --storage "$scratch/storage" -o "$scratch/export" --trials "$scratch/journals" -q
cp "$scratch"/export/{journal.bin,study.toml,trials.csv} .
