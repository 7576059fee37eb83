# Shared by the tests of several processes: starts them with Open MPI, on this machine alone.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

# Root may be all there is in a container, and more processes than cores are meant.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
# Shared memory without the kernel's cross-process copy, which containers forbid; no other network.
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_pml=ob1
export OMPI_MCA_oob_tcp_if_include=lo
# Names of sockets must be short, and nothing may stay behind.
export OMPI_MCA_orte_tmpdir_base=$scratch

# start NUM PROGRAM ARGUMENT...: leaves `status`, and the files out and err.
start() {
  "$DUETS_MPIRUN" -n "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}

# together NUM ARGUMENT...: NUM processes of duets share the work.
together() {
  local processes=$1 command=$2
  shift 2
  start "$processes" "$DUETS_PROGRAM" "$command" --engine mpi "$@"
}

# once WHAT TEXT: standard error of the last call has a line of the program with it, exactly once.
once() {
  holds "$1: says '$2' once" test "$(grep -cF -- "$2" "$scratch/err")" = 1
  holds "$1: no second message" test "$(grep -c '^duets: ' "$scratch/err")" = 1
}

# same_results A B: everything that was written, but for what says where it was computed.
same_results() { diff -r --exclude=manifest.json "$1" "$2"; }

# rank_process MPIRUN RANK: the process id of a rank that was started by the process MPIRUN.
rank_process() {
  local process
  for process in $(cat /proc/"$1"/task/*/children); do
    if tr '\0' '\n' <"/proc/$process/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$2"; then
      echo "$process"
    fi
  done
}

# soon WHAT COMMAND...: the command succeeds within a minute.
soon() {
  local what=$1 i
  shift
  for ((i = 0; i < 600; ++i)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  printf 'FAILED %s: not within a minute\n' "$what"
  failures=$((failures + 1))
}
