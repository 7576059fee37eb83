# Every relative link of the documents leads to a file, and to a heading where it names one.
source "$DUETS_SOURCE_DIR/tests/integration/expect.sh"

check=$DUETS_SOURCE_DIR/tools/check_links.py
expect "the documents" 0 "" python3 "$check" "$DUETS_SOURCE_DIR"

printf '# A title, with words\n[here](#a-title-with-words) [there](b.md#two-1) `[no](link)`\n' >"$scratch/a.md"
printf '# One\n## Two\n## Two\n```\n[no](link)\n```\n[out](https://example.org/x)\n' >"$scratch/b.md"
expect "good links" 0 "" python3 "$check" "$scratch"
printf '[lost](no/such.md)\n' >"$scratch/c.md"
expect "no such file" 1 "c.md: no/such.md: no such file" python3 "$check" "$scratch"
printf '[lost](b.md#three)\n' >"$scratch/c.md"
expect "no such heading" 1 "c.md: b.md#three: no such heading" python3 "$check" "$scratch"
finish
