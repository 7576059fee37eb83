"""docs/formats/json.md says which fields every command prints with --format json: all of them are present, with the
documented type, and no others. Every command that has --format json is on the page."""

import json
import re
import shutil

import fleet

PAGE = fleet.SOURCE / "docs" / "formats" / "json.md"
TYPES = {"string": str, "number": (int, float), "integer": int, "boolean": bool, "object": dict, "list": list,
         "null": type(None)}


class Page:
    """The tables of the page: command -> field -> types."""

    def __init__(self, text):
        self.tables, self.seen = {}, {}
        for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
            commands = re.findall(r"`duets ([^`]+)`", section.split("\n", 1)[0])
            fields = {}
            for row in re.findall(r"^\| (`.*)$", section, flags=re.MULTILINE):
                names, kinds = re.split(r"(?<!\\)\|", row)[:2]
                kinds = re.split(r"\\\||,| or ", kinds)
                for name in re.findall(r"`([^`]+)`", names):
                    fields[name] = tuple(TYPES[k.strip()] for k in kinds)
            for command in commands:
                self.tables[command] = fields
                self.seen[command] = set()

    def check(self, command, text, what=""):
        """Compares one answer with the page."""
        wrong = []
        answer = json.loads(text)
        if isinstance(answer, list) and "study" in self.tables[command]:
            for one in answer:  # several studies
                self.walk(command, one, "", wrong)
        else:
            self.walk(command, answer, "", wrong)
        fleet.check(f"duets {command} {what}: the fields of the page", not wrong, "\n".join(wrong[:20]))
        return answer

    def walk(self, command, value, path, wrong):
        if isinstance(value, list):
            for item in value:
                if isinstance(item, (dict, list)):
                    self.walk(command, item, path + "[]", wrong)
            return
        fields = self.tables[command]
        prefix = path + "." if path else ""
        children = {f for f in fields if f.startswith(prefix) and not re.search(r"[.]|\[\]", f[len(prefix):])}
        if children == {prefix + "*"}:
            names = {name: prefix + "*" for name in value}
        else:
            names = {name: prefix + name for name in value}
            wrong += [f"{prefix}{name} is not on the page" for name in value if prefix + name not in children]
            wrong += [f"{child} is missing" for child in children if child not in names.values()]
        for name, child in names.items():
            self.seen[command].add(child)
            kinds = fields.get(child, (object,))
            item = value[name]
            good = any(isinstance(item, k) for k in kinds)
            if isinstance(item, bool) and bool not in kinds:
                good = False
            if not good:
                wrong.append(f"{child} is {item!r}, which is not of the documented type")
            if isinstance(item, (dict, list)):
                self.walk(command, item, child, wrong)

    def all_seen(self, commands):
        for command in commands:
            unseen = {f for f in self.tables[command] if f not in self.seen[command]}
            fleet.check(f"duets {command}: every documented field was printed", not unseen, sorted(unseen))


def page():
    return Page(PAGE.read_text())


def run(scratch, *words, code=0):
    result = fleet.duets(scratch, *words, seconds=600)  # studies take a while under a sanitizer
    if result.returncode != code:
        fleet.check(f"duets {' '.join(map(str, words))}: exit code {code}", False,
                    f"{result.returncode}\n{result.stderr[-1500:]}")
    return result.stdout


def commands_with_format(scratch, path=()):
    """All commands whose help names --format json, from the help texts."""
    text = run(scratch, *path, "--help")
    below = re.search(r"^Subcommands:\n((?:  .*\n?)+)", text, flags=re.MULTILINE)
    if not below:
        return [" ".join(path)] if re.search(r"--format FORMAT .*json", text) else []
    names = re.findall(r"^  ([a-z-]+)", below.group(1), flags=re.MULTILINE)
    return [c for name in names for c in commands_with_format(scratch, (*path, name))]


def every_command_is_on_the_page(scratch):
    documented = {c for c in page().tables if "--" not in c}
    fleet.same("commands with --format json", sorted(commands_with_format(scratch)), sorted(documented))


def simulations(scratch):
    p = page()
    studies = fleet.SOURCE / "studies"
    box = fleet.study(scratch / "box.toml", "box")
    for name in ("mixed", "theory", "auto", "branin-finite"):
        p.check("config check", run(scratch, "config", "check", studies / f"{name}.toml", "--format", "json"), name)
    p.check("config check", run(scratch, "config", "check", studies / "fleet.toml", "--format", "json"), "fleet")
    one = fleet.study(scratch / "one.toml", "box", t1=1000)
    p.check("config check", run(scratch, "config", "check", one, "--format", "json"), "one epoch")
    p.check("run", run(scratch, "run", one, "-q", "--format", "json"), "one epoch")
    p.check("run", run(scratch, "run", studies / "auto.toml", "-q", "--format", "json"), "auto")
    p.check("run", run(scratch, "run", studies / "mixed.toml", "-q", "--format", "json"), "mixed")
    p.check("compare", run(scratch, "compare", box, "--runs", 2, "--betas", 1, "--algorithms", "duets,gp-ucb", "-q",
                           "--format", "json"))
    few = ("--functions", "branin", "--runs", 2, "-q", "--format", "json")
    p.check("reproduce", run(scratch, "reproduce", *few))
    p.check("reproduce --variants", run(scratch, "reproduce", "--variants", "--quick", *few))
    p.check("reproduce --scaling", run(scratch, "reproduce", "--scaling", "--quick", *few))
    p.check("reproduce --self-tuning", run(scratch, "reproduce", "--self-tuning", "--quick", "--conditions", "finite", *few))
    p.check("config keys", run(scratch, "config", "keys", "--format", "json"))
    p.check("algorithms", run(scratch, "algorithms", "--format", "json"))
    p.check("evaluate --space", run(scratch, "evaluate", "recipe", "--space"))
    p.check("version", run(scratch, "version", "--format", "json"))
    p.all_seen(["config check", "config keys", "run", "reproduce", "reproduce --variants", "reproduce --scaling",
                "reproduce --self-tuning", "algorithms", "evaluate --space", "version"])


def fleets(scratch):
    p = page()
    # Cuts by decision draw the samples that say what may have been missed.
    study = fleet.study(scratch / "whole.toml", "box", agents=2, duets=['cut = "decision"', 'epoch_cap = 0.6'])
    second = fleet.study(scratch / "second.toml", "box", agents=2)
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.server.start()
        p.check("study list", run(scratch, "study", "list", "--storage", f.server.storage, "--format", "json"), "served")
        f.server.stop()
        p.check("serve", f.server.out(), "stopped by a signal")
        for words in (["status"], ["study", "list"]):
            p.check(" ".join(words), run(scratch, *words, "--storage", f.server.storage, "--format", "json"), "not served")
        f.server.start()
        server = ("--server", f.server.address, "--insecure")
        as_json = (*server, "--format", "json")
        p.check("study create", run(scratch, "study", "create", second, *as_json))
        p.check("study show", run(scratch, "study", "show", "second", *as_json))
        p.check("study list", run(scratch, "study", "list", *as_json))
        p.check("status", run(scratch, "status", *as_json), "of two studies")
        p.check("best", run(scratch, "best", "second", *as_json), "before anything")
        offline(p, scratch, as_json)
        p.check("study stop", run(scratch, "study", "stop", "second", *as_json))
        p.check("study delete", run(scratch, "study", "delete", "second", "--yes", *as_json))
        for agent in f.agents:
            agent.start("--format", "json")
        for agent in f.agents:
            fleet.check(f"{agent.name} ends well", agent.wait() == 0, agent.tail())
            p.check("agent", agent.out())
        p.check("status", run(scratch, "status", *as_json), "finished")
        p.check("best", run(scratch, "best", *as_json), "finished")
        journals = [a.journal for a in f.agents]
        p.check("study export", run(scratch, "study", "export", "whole", *as_json, "-o", "whole", "--trials", *journals))
        secret = f.server.storage / "secrets" / "whole.key"
        for some in ((), ("--secret", secret)):
            p.check("report", run(scratch, "report", "whole", *some, "-o", "report", "--overwrite",
                                  "--format", "json"))
        p.check("verify", run(scratch, "verify", "whole", "--secret", secret, "--format", "json"))
        f.server.stop()
        p.check("serve", f.server.out())
        p.check("study extend", run(scratch, "study", "extend", "whole", "--storage", f.server.storage,
                                    "--horizon", 100, "--format", "json"))
    p.all_seen(["study create", "study show", "study list", "status", "serve", "best", "plan", "submit", "study stop",
                "study delete", "study close", "study set", "study retire", "study extend", "agent", "study export", "verify"])


def offline(p, scratch, as_json):
    """Agent 0 of the second study without a network: the plan, half the answers, the rest; then the epoch is closed."""
    agent = ("--study", "second", "--agent", 0, "--journal", scratch / "offline")
    plan = p.check("plan", run(scratch, "plan", *agent, *as_json))
    lines = [f"{q['epoch']},{q['slot']},1.5" for q in plan["queries"]]
    half, rest = scratch / "half.csv", scratch / "rest.csv"
    half.write_text("\n".join(["epoch,slot,value", *lines[:1]]) + "\n")
    rest.write_text("\n".join(["epoch,slot,value", *lines]) + "\n")
    part = p.check("submit", run(scratch, "submit", half, *agent, *as_json), "in part")
    fleet.same("the missing slots", len(part["missing"]), len(lines) - 1)
    whole = p.check("submit", run(scratch, "submit", rest, *agent, *as_json), "the rest")
    fleet.same("all of it", (whole["known"], whole["delivered"]), (1, True))
    p.check("study set", run(scratch, "study", "set", "second", "--quorum", 1, *as_json))
    p.check("study close", run(scratch, "study", "close", "second", "--epoch", 1, *as_json))
    p.check("study retire", run(scratch, "study", "retire", "second", "--agent", 1, *as_json))


def certificates(scratch):
    p = page()
    for words in (["init"], ["server", "--host", "localhost"], ["agent", "3"], ["operator"]):
        made = p.check(f"certs {words[0]}", run(scratch, "certs", *words, "--format", "json"))
        fleet.check("the files are there", all((scratch / made[k]).exists() for k in ("certificate", "key")), made)
    shutil.rmtree(scratch / "certs")


fleet.main(every_command_is_on_the_page, simulations, fleets, certificates)
