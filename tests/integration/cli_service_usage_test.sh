# The commands of the service as a person types them: mistakes, exit codes, and a small fleet.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"
small_study small.toml
sed 's/^agents = 3/agents = 1/; s/^\[study\]/[study]\nname = "one"/' small.toml >one.toml

usage() { # usage TEXT ARGUMENT...: exit code 2, and standard error has the text
  local text=$1
  shift
  duets "$@"
  exits "duets $*" 2
  says "duets $*" "$text"
}
usage "--lease" serve small.toml --lease 0
usage "--threads" serve small.toml --threads 0
usage "--certs" serve small.toml --insecure --certs certs
usage "missing.toml" serve missing.toml --insecure
usage "have this name" serve small.toml small.toml --insecure
usage "exactly one study" serve small.toml one.toml --insecure --secret key
usage "duets certs" serve small.toml
usage "--server is required" agent
usage "--agents" agent --server localhost:1 --agent 1 --agents 0-3
usage "--agents = 5-3" agent --server localhost:1 --insecure --agents 5-3
usage "duets certs agent 3" agent --server localhost:1 --agent 3
usage "--retries" agent --server localhost:1 --retries -1
usage "--agent is required" plan --server localhost:1
usage "--server HOST:PORT" status
usage "--storage" status --server localhost:1 --storage there
usage "there" status --storage there
usage "holds no studies" study stop small --storage there
usage "subcommand" study
usage "name is required" study show --server localhost:1
usage "--yes" study delete small --storage there
usage "--epoch is required" study close small --server localhost:1
usage "--server HOST:PORT" study close small --epoch 1 --storage there
usage "duets certs" study list --server localhost:1
printf 'epoch,slot,value\n1,0,1\n1,1,many\n1,two,3\n' >bad.csv
usage "bad.csv:3: value = many" submit --server localhost:1 --insecure --agent 0 bad.csv
says "every bad row is named" "bad.csv:4: slot = two"
usage "missing.csv" submit --server localhost:1 --insecure --agent 0 missing.csv
sed 's/^\[objective\]/[coordinator]\ndeadline = 2.0\n[objective]/' small.toml >deadline.toml
usage "coordinator.quorum" serve deadline.toml --insecure
for path in there duets-storage duets-agent; do
  holds "mistakes leave no $path" test ! -e "$path"
done

duets agent --server 127.0.0.1:1 --insecure --give-up 0.5
exits "nobody listens" 4

# start_server ARGUMENT...: in the background, with `pid` and `address`; files serve.out, serve.err.
start_server() {
  rm -f address
  "$DUETS_PROGRAM" serve "$@" --insecure --listen 127.0.0.1:0 --address-file address \
    >serve.out 2>serve.err </dev/null &
  pid=$!
  for ((i = 0; i < 600; ++i)); do
    [[ -s address ]] && break
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  address=$(cat address)
}
trap 'kill "${pid:-}" 2>/dev/null; rm -rf "$scratch"' EXIT
there() { duets "$@" --server "$address" --insecure; }
# server_ends WHAT CODE: the server ends by itself, or after a signal, with the code.
server_ends() {
  wait "$pid"
  holds "$1: exit code $2" test $? = "$2"
  pid=
}

start_server small.toml
holds "says where it listens" grep -q "listening on $address" serve.err
holds "says N x T" grep -q "3 agents x 12 queries = 36" serve.err
holds "says what to type" grep -q "duets agent --server $address --insecure" serve.err
there status
exits "status" 0
holds "status names who is missing" grep -q "waiting for agents 0, 1, 2 in epoch 1" out
there status small --format json
holds "status as json" test "$(json out 'j["state"], j["waiting_for"]')" = "running [0, 1, 2]"
there status other
exits "no such study" 2
there study list
holds "list" grep -q "^small  running" out
there study show small
holds "show prints the study file" grep -q '^builtin = "branin"' out
there study delete small --yes
exits "a running study is not deleted" 2
duets serve small.toml --insecure --listen 127.0.0.1:0
exits "a second coordinator" 6
duets study stop small --storage duets-storage
exits "stop beside a coordinator" 6
says "stop beside a coordinator" "--server"
duets status --storage duets-storage
exits "status beside a coordinator" 0
duets plan --server "$address" --agent 0
exits "plaintext must be typed" 2
there plan --agent 7
exits "no such agent" 2
says "no such agent" "has agents 0 to 2"
kill -TERM "$pid"
server_ends "SIGTERM" 0
holds "says how to go on" grep -q "stopped; the same command goes on" serve.err

start_server small.toml --give-up 1
server_ends "nobody came" 7
start_server small.toml
holds "goes on" grep -q "small: goes on where it was" serve.err
duets agent --server "$address" --insecure --agent 0 --max-failures 2 -q -- false
exits "a program that always fails" 8
duets agent --server "$address" --insecure --agent 1 -q -- ./no-such-program
exits "no such program" 2
"$DUETS_PROGRAM" agent --server "$address" --insecure --agents 0-2 >agents.out 2>agents.err </dev/null
holds "a fleet in one process: exit code 0" test $? = 0
holds "agents print no data" test ! -s agents.out
server_ends "finished" 0
holds "the end is on standard output" grep -q "^study  *small, finished" serve.out
holds "what failed is told" grep -q "holes" serve.out

duets best small --storage duets-storage --format json
holds "best has two things" json out 'j["recommendation"]["mean"], j["best_trial"]["value"]'
duets study export small --storage duets-storage --trials duets-agent -o small-export
exits "export" 0
for file in study.toml journal.bin participation.toml manifest.json epochs.csv communication.csv trials.csv; do
  holds "the export has $file" test -s "small-export/$file"
done
holds "every trial is there" test "$(wc -l <small-export/trials.csv)" = 37
holds "no secret in the export" bash -c \
  '! grep -rqaF "$(tr -d "\n" <duets-storage/secrets/small.key)" small-export'
duets verify small-export --secret duets-storage/secrets/small.key
exits "verify" 0
duets verify small-export --secret duets-storage/secrets/small.key --trials duets-agent --format json
exits "verify with the agents' journals" 0
holds "all messages follow from the answers" test "$(json out \
  'sum(f["ok"] and "from its answers" in f["what"] for f in j["findings"])')" = 9
duets run small.toml --secret duets-storage/secrets/small.key \
  --participation small-export/participation.toml -o again -q
exits "simulated with the deployment's coins" 0
digests() { json "$1/manifest.json" 'j["run_digest"], j["state_digest"]'; }
holds "simulation and deployment are the same run" test "$(digests again)" = "$(digests small-export)"
duets study export small --storage duets-storage -o small-export
exits "an export is not overwritten" 2
# The same study and secret once more, with an agent that measures something else.
start_server small.toml --storage elsewhere --secret duets-storage/secrets/small.key
there plan --agent 1 --journal changed
awk -F, -v OFS=, '{ print $1, $2, NR == 1 ? "value" : 1000 }' out >changed.csv
there submit --agent 1 --journal changed changed.csv
exits "other answers" 0
kill -TERM "$pid"
server_ends "the server of the other answers" 0
duets verify small-export --secret duets-storage/secrets/small.key --trials changed/small-1.db
holds "a journal with other answers: exit code 5" test "$status" = 5
says "a journal with other answers" "epoch 1: message of agent 1, from its answers"
duets study delete small --storage duets-storage --yes
exits "delete" 0
duets study list --storage duets-storage --format json
holds "nothing is left" test "$(json out j)" = "[]"

# An agent without a network: plan, measure, submit, epoch after epoch.
start_server one.toml
offline() { there "$@" --agent 0 --journal lab; }
epoch=0
for length in 2 4 6; do
  epoch=$((epoch + 1))
  offline plan
  exits "plan of $length" 0
  holds "the plan has $length points" test "$(wc -l <out)" = $((length + 1))
  awk -F, -v OFS=, 'NR == 1 { print $0, "value"; next } { print $0, NR == 3 ? "failed" : $3 }' \
    out >answers.csv
  head -n 2 answers.csv >part.csv
  offline submit part.csv
  exits "a part" 0
  says "a part" "still without an answer in epoch $epoch: $((length - 1)) "
  sed '2s/[^,]*$/1e9/' answers.csv >changed.csv
  offline submit changed.csv
  exits "another answer" 2
  says "another answer" "changed.csv:2: "
  offline submit answers.csv
  exits "the rest" 0
  says "the rest" "the coordinator has"
done
server_ends "the offline study" 0
finish
