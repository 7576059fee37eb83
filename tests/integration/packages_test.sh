# The install step of ./duets and ./test, with stand-ins for the package tools: silent when nothing
# is missing, installs exactly what is, and says what to type when it has no right to.
source "$DUETS_SOURCE_DIR/tests/integration/expect.sh"

# stub NAME BODY: a program NAME that comes first in the search path.
stub() {
  printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}

# install USER_ID: need_packages on a list of three in two sections.
install() {
  stub id "echo $1"
  PATH=$scratch/bin:$PATH root=$scratch bash -c \
    'source "$DUETS_SOURCE_DIR/tools/common.sh"; need_packages build test' </dev/null
}

mkdir -p "$scratch/bin" "$scratch/tools"
printf '# text\n[build]\nalpha\n\n[test]\nbeta\nalpha\n[long]\ngamma\n' >"$scratch/tools/packages.txt"
stub sudo 'exit 1'
stub apt-get 'echo "called: $*"'

stub dpkg-query 'printf "installed alpha\ninstalled beta\n"'
expect "nothing is missing" 0 "" install 1000

stub dpkg-query 'printf "installed alpha\nconfig-files beta\n"'
expect "a removed package counts as missing" 0 \
  "called: -q install -y --no-install-recommends beta" install 0
expect "no rights: what to type" 2 "apt-get install --no-install-recommends beta" install 1000

stub apt-get 'exit 100'
expect "an installation that fails" 2 "apt-get install --no-install-recommends beta" install 0
finish
