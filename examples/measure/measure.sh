#!/bin/sh
# An objective as a shell script: it reads one line, prints one line and ends. It is started for
# every query. Here the "measurement" is a formula with a little noise.
read -r line
x1=$(printf '%s' "$line" | sed -n 's/.*"x1":\([-0-9.e+]*\).*/\1/p')
x2=$(printf '%s' "$line" | sed -n 's/.*"x2":\([-0-9.e+]*\).*/\1/p')
awk -v x="$x1" -v y="$x2" -v seed="$$" 'BEGIN {
  srand(seed)
  value = 1 - (x - 0.3) ^ 2 - (y - 0.7) ^ 2 + 0.1 * (rand() - 0.5)
  printf "{\"value\": %.6f}\n", value
}'
