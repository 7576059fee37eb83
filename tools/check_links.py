#!/usr/bin/env python3
"""Relative links of the Markdown files below a directory: the file must exist, and the heading in it.

    tools/check_links.py DIR

Prints one line for each link that leads nowhere; exit code 1 when there is one."""
import os
import re
import sys

SKIPPED = {".git", "build", "results"}


def documents(root):
    for directory, below, names in os.walk(root):
        below[:] = [name for name in below if name not in SKIPPED]
        yield from (os.path.join(directory, name) for name in names if name.endswith(".md"))


def prose(path):
    """The text without code, which may look like links and headings."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```", "", file.read(), flags=re.DOTALL | re.MULTILINE)


def anchors(path):
    """The names that GitHub gives to the headings."""
    names = set()
    for heading in re.findall(r"^#+ (.*)$", prose(path), flags=re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while name + (f"-{number}" if number else "") in names:
            number += 1
        names.add(name + (f"-{number}" if number else ""))
    return names


def problem(path, link):
    target, _, anchor = link.partition("#")
    file = os.path.join(os.path.dirname(path), target) if target else path
    if not os.path.exists(file):
        return "no such file"
    if anchor and file.endswith(".md") and anchor not in anchors(file):
        return "no such heading"
    return None


def main(root):
    wrong = 0
    for path in sorted(documents(root)):
        text = re.sub(r"`[^`\n]*`", "", prose(path))
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            what = None if re.match(r"\w+:", link) else problem(path, link)
            if what:
                print(f"{os.path.relpath(path, root)}: {link}: {what}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
