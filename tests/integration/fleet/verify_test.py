"""`duets verify` of a changed export: digits in every file, files that are
missing or were added, bits of journal.bin. Every one ends with exit code 5 and the name of the file. And a
study with a preset and a list of epochs, which is exported and read again as the same study."""

import json
import pathlib
import random
import sys

import fleet


def verified(f, directory="export", *extra):
    return fleet.duets(f.scratch, "verify", directory, "--secret", f.secret, *extra)


def run(f, *words):
    result = fleet.duets(f.scratch, *words)
    fleet.check(f"duets {words[0]} {words[1]} ends well", result.returncode == 0, result.stderr)
    return result


class Found:
    """Counts edits by the name of the file, and says which of them were not found."""

    def __init__(self, f):
        self.f, self.counts, self.missed = f, {}, []

    def expect(self, name, what):
        result = verified(self.f)
        self.counts[name] = self.counts.get(name, 0) + 1
        if result.returncode != 5 or f"{name}: " not in result.stderr:
            self.missed.append(f"{name}, {what}: exit code {result.returncode}, {result.stderr}")

    def tell(self, what):
        fleet.check(f"{what}: found and named, {self.counts}", not self.missed,
                    "\n".join(self.missed[:3]))


def with_digit(data, place):
    """The text with one of its digits, at `place` of them (0 to 1), changed; or a letter."""
    digits = [i for i, c in enumerate(data) if chr(c).isdigit()] or [
        i for i, c in enumerate(data) if chr(c).isalpha()]
    at = digits[min(int(place * len(digits)), len(digits) - 1)]
    other = (data[at] - 48 + 1) % 10 + 48 if chr(data[at]).isdigit() else data[at] ^ 0x20
    return data[:at] + bytes([other]) + data[at + 1:]


def names(directory):
    return sorted(str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file())


def edited(scratch):
    study = fleet.study(scratch / "edited.toml", "box", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.start()
        fleet.check("it finishes", f.finish() is not None)
        run(f, "study", "export", "edited", "--storage", f.server.storage, "-o", "export",
            "--trials", *(a.journal for a in f.agents))
        export = f.scratch / "export"
        files = {name: (export / name).read_bytes() for name in names(export)}
        fleet.same("files of an export", list(files),
                   ["communication.csv", "digests.txt", "epochs.csv", "figures/communication.svg",
                    "figures/inducing.svg", "figures/region.svg", "journal.bin", "manifest.json",
                    "participation.toml", "report.html", "study.toml", "trials.csv"])
        untouched(f)
        digits(f, export, files)
        missing_and_added(f, export, files)
        bits(f, export, files["journal.bin"])
        result = verified(f)
        fleet.check("untouched again, it verifies", result.returncode == 0, result.stderr)


def untouched(f):
    result = verified(f)
    fleet.check("untouched, it verifies", result.returncode == 0, result.stdout + result.stderr)
    for part in ("trials.csv: 36 trials; the points of 36 recomputed; 18 values give the uploads",
                 "only by its digest: 18 of 36 values, which are in no upload",
                 "epochs.csv: recomputed from journal.bin: the same bytes"):
        fleet.contains("and says how", result.stderr, part)
    report = json.loads(verified(f, "export", "--format", "json").stdout)
    fleet.same("as JSON, every file once", sorted(x["file"] for x in report["files"] if x["ok"]),
               names(f.scratch / "export"))


def digits(f, export, files):
    found = Found(f)
    for name, data in files.items():
        if name == "journal.bin":
            continue
        for place in (0, 0.2, 0.4, 0.6, 0.8, 1):
            (export / name).write_bytes(with_digit(data, place))
            found.expect(name, f"digit at {place}")
        (export / name).write_bytes(data + b"\n")
        found.expect(name, "a line added")
        (export / name).write_bytes(data[:-1])
        found.expect(name, "a byte lost")
        (export / name).write_bytes(data)
    found.tell("digits and lengths of the tables")


def missing_and_added(f, export, files):
    found = Found(f)
    for name, data in files.items():
        (export / name).unlink()
        found.expect(name, "removed")
        (export / name).write_bytes(data)
    for name in ("notes.txt", "regret.csv", "journal.bin.orig", "figures/map.svg"):
        (export / name).write_text("something")
        found.expect(name, "added")
        (export / name).unlink()
    (export / "more").mkdir()
    found.expect("more", "added")
    (export / "more").rmdir()
    found.tell("files removed and added")


def bits(f, export, whole):
    """One bit in each of 64 equal parts of the file, and all of the head; the unit test of the format
    flips every bit."""
    journal = export / "journal.bin"
    choose = random.Random(7)
    parts = [choose.randrange(i * len(whole) * 8 // 64, (i + 1) * len(whole) * 8 // 64)
             for i in range(64)]
    found = Found(f)
    for bit in [*range(0, 160, 8), *parts]:
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        journal.write_bytes(data)
        found.expect("journal.bin", f"bit {bit}")
    # The study file inside it, a digit of a parameter.
    at = whole.index(b"lengthscale = 0.2") + len(b"lengthscale = 0.")
    journal.write_bytes(whole[:at] + b"3" + whole[at + 1:])
    found.expect("journal.bin", "the study inside")
    for data in (whole[:-1], whole + b"x", b"", whole[:40]):
        journal.write_bytes(data)
        found.expect("journal.bin", f"{len(data)} bytes")
    journal.write_bytes(whole)
    found.tell("bits and lengths of journal.bin")


def preset_with_epochs(scratch):
    study = scratch / "listed.toml"
    study.write_text('[study]\ndirection = "maximize"\nagents = 2\nhorizon = 10\nseed = 5\n'
                     '[duets]\npreset = "auto"\nepochs = [3, 7]\n[objective]\nbuiltin = "branin"\n')
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.start()
        got = f.finish()
        fleet.same("digests", got, f.reference())
        run(f, "study", "export", "listed", "--storage", f.server.storage, "-o", "export",
            "--trials", *(a.journal for a in f.agents))
        result = verified(f)
        fleet.check("the export verifies", result.returncode == 0, result.stdout + result.stderr)
        run(f, "run", f.scratch / "export" / "study.toml", "--secret", f.secret, "-o", "again", "-q")
        exported, again = (json.loads((f.scratch / d / "manifest.json").read_text())
                           for d in ("export", "again"))
        fleet.same("the exported study file is the same study and the same run",
                   (again["study_digest"], *fleet.digests(again)),
                   (exported["study_digest"], *got))


def left_out_and_infeasible(scratch):
    """The table says of an agent that was left out neither that a point was infeasible nor why; its
    journal does. That is no contradiction."""
    study = fleet.study(scratch / "left.toml", "box", agents=2, objective=[
        'command = ["unused"]', "infeasible_value = -2.0"])
    program = [sys.executable, "-S", "-B", pathlib.Path(__file__).parent / "misbehaving.py",
               scratch / "asked.log", "0-1-0=infeasible", f"0-1-1=wait:{scratch}/go"]
    with fleet.Fleet(scratch, study, agents=2, program=program) as f:
        f.start()
        fleet.wait("agent 1 has delivered, agent 0 is at its second query", lambda: (
            s := f.server.status()) and s["agent_status"][1]["uploaded"] and
            s["agent_status"][0]["answered"] == 1)
        run(f, "study", "close", "left", "--epoch", 1, "--server", f.server.address, "--insecure")
        (scratch / "go").touch()
        fleet.check("it finishes", f.finish() is not None)
        journals = [a.journal for a in f.agents]
        run(f, "study", "export", "left", "--storage", f.server.storage, "-o", "export", "--trials",
            *journals)
        fleet.contains("agent 0 was left out", (f.scratch / "export" / "trials.csv").read_text(),
                       "excluded")
        result = verified(f, "export", "--trials", *journals)
        fleet.same("table and journal agree: exit code", result.returncode, 0)
        fleet.check("and nothing is said of it", "another answer" not in result.stderr,
                    result.stderr)


fleet.main(edited, preset_with_epochs, left_out_and_infeasible)
