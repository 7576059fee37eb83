# On a terminal there is a progress bar that clears itself; elsewhere there is none.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

# on_terminal FILE ARGUMENT...: runs the program on a pseudo-terminal, all it shows goes to FILE.
on_terminal() {
  local file=$1 words
  shift
  printf -v words '%q ' "$DUETS_PROGRAM" "$@"
  script -qec "$words" "$file" >/dev/null </dev/null
}

# Long enough for a bar, which is drawn every tenth of a second at most.
cat >long.toml <<'END'
[study]
direction = "maximize"
agents = 20
horizon = 10000
[space]
domain = "finite"
shape = "cube"
dimension = 2
candidates = 50
[kernel]
name = "squared-exponential"
lengthscale = 0.2
[noise]
lambda = 0.2
[duets]
t1 = 2000
beta = 0.5
[objective]
builtin = "branin"
noise = 0.2
END
holds "a run on a terminal" on_terminal typescript run long.toml -o long
holds "it shows a bar with the time left" grep -aqE '\[#*\.*\] +[0-9]+ %.* left' typescript
escape=$'\e'
holds "the last bar is followed by a clearing" python3 -c 'import re
text = open("typescript", "rb").read().decode()
last = text.rindex(" left")
assert "\r\x1b[K" in text[last:], text[last:][:200]'
holds "no other control sequences" bash -c "! sed 's/$escape\[K//g' typescript | grep -aq '$escape'"
holds "--quiet on a terminal" on_terminal quiet run long.toml -o quiet-long -q
holds "--quiet shows no bar" bash -c '! grep -aqE "left|epoch 1" quiet'
duets run long.toml -o piped
holds "no bar without a terminal" bash -c "! grep -aq $'[\r\e]' err out"
finish
