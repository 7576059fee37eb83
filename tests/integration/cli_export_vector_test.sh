# The exported study of tests/golden/export, which other implementations compute again: `duets verify`
# does so from its secret, and finds a changed byte and another secret.
source "$DUETS_SOURCE_DIR/tests/integration/cli.sh"

golden=$DUETS_SOURCE_DIR/tests/golden/export
install -m 600 "$golden/three.key" three.key # a checkout lets others read it
verified() { duets verify "$1" --secret "$2"; }

# changed PLACE: a copy of the journal with another byte there, counted from the end if negative.
changed() {
  python3 - "$golden/journal.bin" changed.bin "$1" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[int(sys.argv[3])] ^= 1
open(sys.argv[2], "wb").write(data)
END
}

verified "$golden/journal.bin" three.key
exits "the export" 0
holds "all of it follows from the study and the secret" grep -q '^verified: .* follow from the study and the secret' err
holds "it goes to the end of the study" grep -q 'the records go to the end of the study' out
holds "study.toml is in journal.bin" python3 -c 'import sys
study, journal = (open(sys.argv[1] + "/" + name, "rb").read() for name in ("study.toml", "journal.bin"))
assert len(study).to_bytes(4, "little") + study in journal' "$golden"

for place in 4 16 40 1500 2500 -17 -1; do
  changed "$place"
  verified changed.bin three.key
  holds "byte $place is another: exit code 5" test "$status" = 5
  says "byte $place is another" "journal.bin: "
done

tr '0123456789abcdef' '123456789abcdef0' <three.key >other.key
chmod 600 other.key
duets verify "$golden/journal.bin" --secret other.key
holds "another secret: exit code 5" test "$status" = 5

finish
