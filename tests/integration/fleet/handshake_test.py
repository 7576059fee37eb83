"""Two sides that are not in the same study, or not at the same point of it, detect that before anything is
computed; the message names both."""

import json
import re

import fleet

DIGEST = re.compile(r"\b[0-9a-f]{32}\b")


def digest_of(scratch, storage):
    result = fleet.duets(scratch, "status", "--storage", storage, "--format", "json")
    return json.loads(result.stdout)["study_digest"]


def another_study(scratch):
    """The same name, another study: an agent's journal does not fit."""
    first = fleet.study(scratch / "same.toml", "box", agents=2)
    (scratch / "changed").mkdir()
    second = fleet.study(scratch / "changed" / "same.toml", "box", agents=2, horizon=20)
    secret = fleet.new_secret(scratch / "secret.key")
    one = fleet.Server(scratch, first, secret, name="one").start()
    two = fleet.Server(scratch, second, secret, name="two").start()
    agent = fleet.Agent(scratch, one, 0).start(fail_point="append.after:2:kill")
    fleet.same("agent 0 has begun the first", agent.wait(), -9)
    agent.server = two
    agent.start()
    fleet.same("at the second: exit code", agent.wait(), 5)
    wanted = {digest_of(scratch, one.storage), digest_of(scratch, two.storage)}
    fleet.same("the agent names both studies", set(DIGEST.findall(agent.err())), wanted)
    fleet.same("the coordinator too", set(DIGEST.findall(two.err())) & wanted, wanted)
    fleet.contains("it says what to do", agent.err(), "--journal")
    agent.server = one
    other = fleet.Agent(scratch, one, 1).start()
    agent.start()
    fleet.same("at the first it goes on", (agent.wait(), other.wait()), (0, 0))
    fleet.same("digests", fleet.digests(one.stop()), fleet.reference(scratch, first, secret))


def changed_file(scratch):
    """A coordinator that is started with another study of a name it has."""
    study = fleet.study(scratch / "same.toml", "box", agents=2)
    server = fleet.Server(scratch, study, fleet.new_secret(scratch / "secret.key")).start()
    server.stop()
    before = fleet.contents(server.storage)
    study.write_text(study.read_text().replace("horizon = 12", "horizon = 13"))
    server.start()
    fleet.same("a changed study file: exit code", server.code, 2)
    fleet.contains("it names the study", server.err(), "same")
    fleet.same("the storage is as it was", fleet.contents(server.storage), before)


def another_secret(scratch):
    """The same study begun anew with another secret: other points, so an old journal does not fit."""
    study = fleet.study(scratch / "anew.toml", "finite", agents=2)
    with fleet.Fleet(scratch, study, agents=2, name="first") as f:
        f.server.start()
        f.agents[1].start(fail_point="append.after:6:kill")
        f.agents[0].start()
        fleet.same("agent 1 dies in epoch 2", f.agents[1].wait(), -9)
        f.kill()
        journal = f.agents[1].journal
    with fleet.Fleet(scratch, study, agents=2, name="second") as f:
        f.start()
        fleet.check("the study with the other secret completes",
                    all(agent.wait() == 0 for agent in f.agents))
        old = fleet.Agent(f.scratch, f.server, 1, journal=journal)
        old.name = "old"
        old.start("--take-over")
        fleet.same("the old journal: exit code", old.wait(), 5)
        fleet.contains("it says why", old.err(), "belongs to another run of the study")


fleet.main(another_study, changed_file, another_secret)
