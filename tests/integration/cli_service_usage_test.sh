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
usage "--seed" serve small.toml --insecure --seed -1
usage "--seed" serve small.toml --insecure --seed 1 --secret key
usage "--server is required" agent
usage "--agents" agent --server localhost:1 --agent 1 --agents 0-3
usage "--agents = 5-3" agent --server localhost:1 --insecure --agents 5-3
usage "duets certs agent 3" agent --server localhost:1 --agent 3
usage "--retries" agent --server localhost:1 --retries -1
usage "--agent is required" plan --server localhost:1
usage "--server HOST:PORT" status
usage "--storage" status --server localhost:1 --storage there
usage "there" status --storage there
usage "has no studies" study stop small --storage there
usage "duets study needs a subcommand: create, export, list" study
usage '"exprt" is not a subcommand of duets study; did you mean export?' study exprt
usage '"dance" is not a subcommand of duets study: create, export' study dance
usage "not expected: --agnet" agent --server localhost:1 --agnet 3 -- ./measure
holds "only what is wrong is named" bash -c '! grep -q measure err'
usage "no such directory" verify nosuch --secret small.toml
mkdir empty
usage "has no journal.bin" verify empty --secret small.toml
usage "--journal: small.toml is not a directory" agent --server localhost:1 --insecure --journal small.toml
usage "--storage: small.toml is not a directory" serve small.toml --insecure --storage small.toml
usage "--storage: small.toml is not a directory" status --storage small.toml
usage "--listen = here" serve small.toml --insecure --listen here
usage "name is required" study show --server localhost:1
usage "--yes" study delete small --storage there
usage "--epoch is required" study close small --server localhost:1
usage "--server HOST:PORT" study close small --epoch 1 --storage there
usage "--agent is required" study retire small --server localhost:1
usage "--server HOST:PORT" study retire small --agent 1 --storage there
usage "give --quorum K" study set small --server localhost:1 --insecure
usage "--quorum = 1.5" study set small --quorum 1.5 --server localhost:1 --insecure
usage "--deadline = 0.5" study set small --deadline 0.5 --server localhost:1 --insecure
usage "--server HOST:PORT" study set small --quorum 2 --storage there
usage "duets certs" study list --server localhost:1
printf 'epoch,slot,value\n1,0,1\n1,1,many\n1,two,3\n' >bad.csv
usage "bad.csv:3: value = many" submit --server localhost:1 --insecure --agent 0 bad.csv
says "every bad row is named" "bad.csv:4: slot = two"
usage "missing.csv" submit --server localhost:1 --insecure --agent 0 missing.csv
sed 's/^\[objective\]/[coordinator]\ndeadline = 2.0\n[objective]/' small.toml >deadline.toml
usage "coordinator.quorum" serve deadline.toml --insecure
duets serve small.toml --insecure --listen 192.0.2.7:0
exits "an address of another machine" 4
says "an address of another machine" "it is not an address of this machine"
duets serve small.toml --insecure --listen 'no such host:0'
exits "an unknown host" 4
says "an unknown host" "host no such host: "
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
holds "show says when epochs close" grep -q '^# epochs close with all 3 agents$' out
there study delete small --yes
exits "a running study is not deleted" 2
duets serve small.toml --insecure --listen 127.0.0.1:0
exits "a second coordinator" 6
duets study stop small --storage duets-storage
exits "stop beside a coordinator" 6
says "stop beside a coordinator" "--server"
duets status --storage duets-storage
exits "status beside a coordinator" 0
duets serve one.toml --insecure --listen "$address" --storage other
exits "a taken port" 4
says "a taken port" "another process is using the port"
holds "a taken port leaves no storage" test ! -e other
there study create small.toml
exits "the same study again" 0
says "the same study again" "already exists and was not changed"
there study create one.toml
exits "a second study" 0
holds "a new study is not an old one" bash -c '! grep -q "already exists" err'
there status one
holds "one agent" grep -q "1 agent x 12 = 12" out
there agent --agent 0
exits "which study" 2
says "which study" "--study"
there study stop one
there study delete one --yes
exits "delete" 0
there agent --agents 0-5
exits "more agents than there are" 2
says "more agents than there are" "--agents 0-5"
there status small --format json
holds "none of them has run" test \
  "$(json out '[a["presence"] for a in j["agent_status"]]')" = \
  "['never seen', 'never seen', 'never seen']"
duets plan --server "$address" --agent 0
exits "plaintext must be typed" 2
there plan --agent 7
exits "no such agent" 2
says "no such agent" "has agents 0 to 2"
kill -TERM "$pid"
server_ends "SIGTERM" 0
holds "says how to go on" grep -q "stopped; run the same command again to continue" serve.err

sed 's/^\[objective\]/[coordinator]\nquorum = 2\ndeadline = 2.0\n[objective]/' small.toml >quorum.toml
sed -i 's/^\[study\]/[study]\nname = "small"/' quorum.toml
usage "coordinator.quorum" serve quorum.toml --insecure --listen 127.0.0.1:0
says "a running study stays as it is" "cannot be changed"

start_server small.toml --give-up 1
server_ends "nobody came" 7
start_server small.toml
holds "goes on" grep -q "small: continues where it was" serve.err
duets agent --server "$address" --insecure --agent 0 --max-failures 2 -q -- false
exits "a program that always fails" 8
says "a program that always fails" "failed 2 times in a row"
says "a program that always fails" "Fix the program, then run the same command again"
duets agent --server "$address" --insecure --agent 1 --max-failures 1 -q -- sh -c \
  'echo starting; echo oh no >&2; echo "accuracy: 0.93"'
exits "a program whose last line is no answer" 8
says "a program whose last line is no answer" "failed 1 time in a row"
says "a program whose last line is no answer" 'not an answer: "accuracy: 0.93"'
duets agent --server "$address" --insecure --agent 1 --max-failures 1 -q -- \
  sh -c 'echo "{\"infeasible\": \"too hot\"}"'
exits "infeasible without a value" 8
says "infeasible without a value" "started without objective.infeasible_value and cannot be changed"
says "infeasible without a value: what to do" "start a new study that sets the key"
duets agent --server "$address" --insecure --agent 1 -q -- ./no-such-program
exits "no such program" 2
"$DUETS_PROGRAM" agent --server "$address" --insecure --agents 0-2 >agents.out 2>agents.err </dev/null
holds "a fleet in one process: exit code 0" test $? = 0
holds "agents print no data" test ! -s agents.out
server_ends "finished" 0
holds "the end is on standard output" grep -q "^study  *small, finished" serve.out
holds "what failed is told" grep -q "3 queries without an answer" serve.out
holds "agents of a finished study are done" grep -q "^0  *done" serve.out
start_server small.toml
server_ends "a finished study" 0
holds "a finished study is called so" grep -q "small: is already finished" serve.err
holds "nobody is called for a finished study" bash -c '! grep -q "duets agent --server" serve.err'
holds "the end again" grep -q "^study  *small, finished" serve.out

duets best small --storage duets-storage --format json
holds "best has two things" json out 'j["recommendation"]["mean"], j["best_trial"]["value"]'
duets study export small --storage duets-storage --trials duets-agent -o small-export
exits "export" 0
for file in study.toml journal.bin participation.toml manifest.json epochs.csv communication.csv trials.csv \
  digests.txt; do
  holds "the export has $file" test -s "small-export/$file"
done
holds "every trial is there" test "$(wc -l <small-export/trials.csv)" = 37
holds "no secret in the export" bash -c \
  '! grep -rqaF "$(tr -d "\n" <duets-storage/secrets/small.key)" small-export'
duets verify small-export --secret duets-storage/secrets/small.key
exits "verify" 0
says "verify" "verified: "
says "verify" "trials.csv: 36 trials; the points of 36 recomputed"
says "verify" "only by its digest: "
duets verify small-export --secret nosuch
exits "no such secret" 2
printf '%064d\n' 1 >other.key
chmod 600 other.key
"$DUETS_PROGRAM" verify small-export --secret other.key >out 2>err
holds "another secret" test $? = 5
holds "another secret is told shortly" test "$(cat out err | wc -l)" -lt 20
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

# Another run of the same study: its export does not take the first run's journals.
mv duets-agent first-agents
start_server small.toml
there agent --agents 0-2 -q
exits "a second run" 0
server_ends "a second run" 0
duets study export small --storage duets-storage --trials first-agents -o mixed
exits "journals of another run" 5
says "journals of another run" "first-agents/small-0.db"
absent mixed
duets verify small-export --secret duets-storage/secrets/small.key --trials duets-agent
exits "verify with journals of another run" 5

# A program that is broken does not burn the study: ten failures are enough.
sed 's/^horizon = 12/horizon = 30/; s/^t1 = 2/t1 = 15/; s/"one"/"broken"/' one.toml >broken.toml
start_server broken.toml --keep --storage broken
duets agent --server "$address" --insecure --journal broken-agents -q -- false
exits "ten failures in a row" 8
says "ten failures in a row" "failed 10 times in a row"
duets agent --server "$address" --insecure --journal broken-agents -q --max-failures 0 -- false
exits "never give up" 0
there status broken
holds "every query failed" grep -q "none: every query failed" out
there study delete broken --yes
exits "delete a finished study" 0
kill -TERM "$pid"
server_ends "all studies deleted" 0

# An agent without a network: plan, measure, submit, epoch after epoch.
start_server one.toml --storage lab-storage
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
  says "a part" "still unanswered in epoch $epoch: $((length - 1)) "
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
