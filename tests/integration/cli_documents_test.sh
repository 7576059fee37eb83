# What the program says of itself: --version, help, completions and the manual page. All of them are
# compared with the help texts, so that no command and no option can be missing.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

duets --version
exits "--version" 0
holds "--version is one line" grep -Eqx 'duets [0-9]+\.[0-9]+\.[0-9]+' out
holds "and only one" test "$(wc -l <out)" = 1

# same_help WORDS...: `duets help WORDS` prints what `duets WORDS --help` does.
same_help() {
  duets "$@" --help
  cp out wanted
  duets help "$@"
  exits "help $*" 0
  holds "help $*: as --help" cmp wanted out
}
same_help
same_help run
same_help study
same_help study create
duets help comapre
exits "help of a misspelt command" 2
says "help of a misspelt command" '"comapre" is not a command; did you mean compare?'
duets help dance
exits "help of an unknown command" 2
says "help of an unknown command" '"dance" is not a command: run, tune, reproduce, '
duets help study crate
says "help of a misspelt subcommand" '"crate" is not a subcommand of duets study; did you mean create?'
duets help run fast
exits "help of a subcommand where there is none" 2
says "help of a subcommand where there is none" "which has none"
duets stats
exits "a misspelt command" 2
says "a misspelt command" 'did you mean status?'
duets certs
exits "a missing subcommand" 2
says "a missing subcommand" "duets certs needs a subcommand: init, server, agent, operator"
duets certs sever
says "a misspelt subcommand" '"sever" is not a subcommand of duets certs; did you mean server?'
duets completion tcsh
exits "completion for another shell" 2
says "completion for another shell" '"tcsh" must be one of bash, zsh, fish'

for shell in bash zsh fish; do
  duets completion "$shell"
  exits "completion $shell" 0
  cp out "completion.$shell"
done
duets man
exits "man" 0
cp out duets.1
holds "the manual page has no warnings" test -z "$(groff -ww -man -Tutf8 -P-cbou duets.1 2>&1 >duets.txt)"
holds "it shows every exit code" bash -c 'for code in 0 1 2 3 4 5 6 7 8 130 143; do
  grep -Eq "^ +$code +[a-z]" duets.txt || exit 1; done'

# Every option of every command is in all four, in the place of its command.
holds "every command and option is completed and described" \
  python3 "$DUETS_SOURCE_DIR/tests/integration/documents.py" "$DUETS_PROGRAM" .

# completes WANTED WORD...: what bash offers for the last word, sorted.
completes() {
  local wanted=$1 got
  shift
  got=$(bash -c 'source completion.bash
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _duets
    printf "%s\n" "${COMPREPLY[@]}" | sort | paste -sd " "' bash "$@")
  holds "bash completes '$*'" test "$got" = "$wanted"
}
mkdir place
: >place/inner.toml
: >a.toml
: >b.txt
completes "algorithms" duets al
completes "--format" duets run --form
completes "csv json table" duets run --format ""
completes "json" duets run --format j
completes "json" duets run --format = j
completes "csv json table" duets run --format =
completes "csv json" duets plan --format ""
completes "all none sampled" duets run --trials ""
completes "a.toml place" duets run ""
completes "place/inner.toml" duets run place/
completes "place" duets run --output ""
completes "a.toml" duets run --participation a
completes "" duets run --seed ""
completes "export" duets study exp
completes "--study" duets agent --st
completes "--storage" duets status --st
completes "create" duets study cr
completes "bash fish zsh" duets completion ""
completes "study" duets help stu
completes "create" duets help study cr
completes "b.txt" duets agent --server host:1 -- program b
holds "bash offers programs after --" bash -c 'source completion.bash
  COMP_WORDS=(duets agent -- tru) COMP_CWORD=3
  _duets
  [[ " ${COMPREPLY[*]} " == *" true "* ]]'

# Where an installation puts them.
holds "the program is installed" cmake --install "$(dirname "$DUETS_PROGRAM")" --prefix "$scratch/prefix" --component program
share=$scratch/prefix/share
holds "the manual page is installed" cmp duets.1 "$share/man/man1/duets.1"
holds "bash finds its completion" cmp completion.bash "$share/bash-completion/completions/duets"
holds "zsh finds its completion" cmp completion.zsh "$share/zsh/site-functions/_duets"
holds "fish finds its completion" cmp completion.fish "$share/fish/vendor_completions.d/duets.fish"
finish
