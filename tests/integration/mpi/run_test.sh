# `mpirun -n K duets run --engine mpi`: every byte of the results is that of one process.
source "$DUETS_SOURCE_DIR/tests/integration/mpi/mpi.sh"
small_study box.toml
sed -i 's/^agents = 3/agents = 7/; s/^horizon = 12/horizon = 40/' box.toml
sed -e 's/^domain = "box"/domain = "finite"\ncandidates = 200/' box.toml >finite.toml
cat >absence.toml <<'END'
[[absence]]
epoch = 1
excluded = [2, 6]
[[absence]]
epoch = 2
holes = [{ agent = 0, slots = [1, 3] }]
END

digests() { json "$1/manifest.json" '(j["run_digest"], j["state_digest"])'; }

for study in box finite; do
  for record in "" absence.toml; do
    options=(${record:+--participation $record})
    name=$study${record:+-absence}
    duets run "$study.toml" "${options[@]}" -o results/one
    exits "$name, one process" 0
    mv out one.out
    mv results/one "one-$name"
    for processes in 1 2 3 4; do
      together "$processes" run "$study.toml" "${options[@]}" -o results/one
      exits "$name, $processes processes" 0
      holds "$name, $processes processes: the same digests" \
        test "$(digests results/one)" = "$(digests "one-$name")"
      holds "$name, $processes processes: the same files" same_results "one-$name" results/one
      holds "$name, $processes processes: the same on standard output" \
        diff <(grep -v seconds one.out) <(grep -v seconds out)
      rm -rf results/one
    done
  done
done
together 3 run finite.toml -o many --threads 2
says "what runs where" "3 processes on 1 machine, 2 threads each"
holds "threads of each process" test "$(digests many)" = "$(digests one-finite)"
together 2 run finite.toml -o separate --replay separate
holds "agents that draw for themselves" test "$(digests separate)" = "$(digests one-finite)"

# What is wrong everywhere is said once, with the exit code of one process.
together 3 run finite.toml -o many
holds "a directory that exists: exit code" test "$status" = 2
once "a directory that exists" "already exists"
holds "a directory that exists: untouched" same_results one-finite many
sed 's/"branin"/"brainin"/' box.toml >bad.toml
together 3 run bad.toml -o bad
holds "a bad study: exit code" test "$status" = 2
once "a bad study" "brainin"
absent bad

# Processes that do not know of each other would all write the same directory.
start 2 "$DUETS_PROGRAM" run box.toml -o strangers
holds "mpirun without --engine: exit code" test "$status" = 2
says "mpirun without --engine" "add --engine mpi"
absent strangers
start 1 "$DUETS_PROGRAM" run box.toml -o alone
exits "one process of mpirun needs no engine" 0
duets run box.toml --engine mpi -o singleton
exits "without mpirun" 0
holds "without mpirun: the same digests" test "$(digests singleton)" = "$(digests one-box)"
duets run box.toml --engine spark -o spark
exits "an engine that does not exist" 2
finish
