"""Compares completions and the manual page of the program with its help texts.

    documents.py PROGRAM DIRECTORY

DIRECTORY holds completion.bash, completion.zsh, completion.fish and duets.1. Prints what is missing and ends with
exit code 1 then."""

import pathlib
import re
import subprocess
import sys

program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
problems = []


def read_help(path):
    """(subcommands, options) of a command, from its help text."""
    text = subprocess.run([program, *path, "--help"], capture_output=True, text=True, check=True).stdout
    below = re.search(r"^Subcommands:\n((?:  .*\n?)+)", text, flags=re.MULTILINE)
    names = re.findall(r"^  ([a-z-]+)", below.group(1), flags=re.MULTILINE) if below else []
    options = set()
    for line in re.findall(r"^  (-.*)$", text, flags=re.MULTILINE):
        options |= set(re.findall(r"(?<![\w-])-{1,2}[a-z][a-z-]*", re.split(r"\s", line)[0]))
    return names, options


def commands(path=()):
    names, options = read_help(path)
    yield path, names, options
    for name in names:
        yield from commands((*path, name))


def bash_offers(path, start):
    """What the completion offers after the command, for a word that begins with `start`."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _duets; printf "%s\\n" "${COMPREPLY[@]}"'
    words = ["duets", *path, start]
    out = subprocess.run(["bash", "-c", script, "bash", str(directory / "completion.bash"), *words],
                         capture_output=True, text=True, check=True).stdout
    return {word for word in out.split("\n") if word}


def expect(what, wanted, found):
    if wanted - found:
        problems.append(f"{what}: {sorted(wanted - found)} missing")


zsh = (directory / "completion.zsh").read_text()
fish = (directory / "completion.fish").read_text().split("\n")
manual = (directory / "duets.1").read_text().replace("\\-", "-")
sections = {part.split("\n", 1)[0]: part for part in manual.split("\n.SS ")[1:]}
count = 0
for path, names, options in commands():
    count += 1
    full = " ".join(("duets", *path))
    if not options:
        problems.append(f"{full}: no option was found in its help text")
    offered = bash_offers(path, "-") if path != ("help",) else options
    if offered != options:
        problems.append(f"bash, {full}: offers {sorted(offered)} instead of {sorted(options)}")
    if names:
        expect(f"bash, {full}", set(names), bash_offers(path, ""))
    function = re.search(rf"^_{'_'.join(('duets', *path))}\(\) {{\n(.*?)^}}", zsh, flags=re.MULTILINE | re.DOTALL)
    body = function.group(1) if function else ""
    expect(f"zsh, {full}", options, set(re.findall(r"'\([^)]*\)(-{1,2}[a-z][a-z-]*)", body)))
    expect(f"zsh, {full}", set(names), set(re.findall(r"^    '([a-z-]+):", body, flags=re.MULTILINE)))
    lines = [line for line in fish if f"'__duets_at {full}'" in line]
    expect(f"fish, {full}", {o for o in options if o.startswith("--")},
           {"--" + name for line in lines for name in re.findall(r" -l ([a-z-]+)", line)})
    expect(f"fish, {full}", set(names), {name for line in lines for name in re.findall(r" -a ([a-z-]+) -d", line)})
    text = sections.get(full, "") if not names else manual
    expect(f"manual page, {full}", options, set(re.findall(r"\\fB(-[a-z-]+)\\fR", text)))
if count < 20:
    problems.append(f"only {count} commands were found")
print("\n".join(problems))
sys.exit(1 if problems else 0)
