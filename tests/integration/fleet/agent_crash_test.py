"""kill -9 of agents: with its journal an agent continues where it stopped, the digests are those of an
undisturbed run, and no answered query is repeated. (optuna #485, #1641, #3215: the
trials of dead workers stay "running".)"""

import collections
import pathlib
import random
import sys

import fleet

OBJECTIVE = pathlib.Path(__file__).resolve().with_name("objective.py")


def program(log, seconds):
    return [sys.executable, "-S", "-B", OBJECTIVE, log, seconds]


def lines(log):
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


def times_asked(log):
    return collections.Counter(trial for what, trial, _ in lines(log) if what == "asked")


def asked_again(log):
    """{agent: how many of its queries were asked more than once}"""
    again = collections.Counter()
    for trial, times in times_asked(log).items():
        again[int(trial.split("-")[0])] += times - 1
    return again


def undisturbed(scratch, study, log, secret):
    with fleet.Fleet(scratch, study, program=program(log, 0), secret=secret, name="undisturbed") as f:
        return f.start().finish()


def restart_the_dead(f, deaths):
    """Starts every agent again that was killed; one that ended by itself has to have ended well."""
    for agent in f.agents:
        if agent.alive() or agent.code == 0:
            continue
        if agent.code != -9:
            raise RuntimeError(f"it ended by itself\n{agent.tail()}")
        deaths[agent.number] += 1
        agent.start()


def random_kills(scratch):
    study = fleet.study(scratch / "random.toml", "finite", horizon=20)
    secret = fleet.new_secret(scratch / "secret.key")
    quiet = undisturbed(scratch, study, scratch / "quiet.log", secret)
    log = scratch / "asked.log"
    rng = random.Random(4)
    deaths = collections.Counter()
    with fleet.Fleet(scratch, study, program=program(log, 0.1), secret=secret, name="killed") as f:
        f.start()
        while any(agent.alive() for agent in f.agents):
            pause = rng.uniform(0.02, 0.3)
            fleet.pause_while(pause, lambda: any(agent.alive() for agent in f.agents))
            alive = [agent for agent in f.agents if agent.alive()]
            if alive and sum(deaths.values()) < 40:
                rng.choice(alive).kill()
            restart_the_dead(f, deaths)
        got = f.finish()
        fleet.check(f"{sum(deaths.values())} agents were killed at random times",
                    sum(deaths.values()) >= 10, "too few for a test")
        fleet.same("the digests are those of the undisturbed run", got, quiet)
        fleet.same("they have the study's queries in all", len(times_asked(log)), 8 * 20)
        again = asked_again(log)
        fleet.check("only what was under way at a kill is asked again",
                    all(again[a] <= deaths[a] for a in range(8)), f"{again} after {deaths}")
        fleet.same("nothing is missing and nobody was left out",
                   (f.last_status["complete_participation"],
                    sum(e["holes"] for e in f.last_status["closed_epochs"])), (True, 0))


def every_answer(scratch, name, fail_point, repeats):
    """One agent dies at every boundary of its journal."""
    study = fleet.study(scratch / f"{name}.toml", "box", agents=2)
    secret = scratch / "secret.key"
    log = scratch / "asked.log"
    with fleet.Fleet(scratch, study, agents=2, program=program(log, 0), secret=secret,
                     name=name) as f:
        f.server.start()
        f.agents[1].start()
        deaths = 0
        while True:
            f.agents[0].start(fail_point=fail_point)
            if f.agents[0].wait() != -9:
                break
            deaths += 1
            if deaths > 200:
                raise RuntimeError("the agent does not get on")
        fleet.same(f"{name}: the agent ends well after {deaths} deaths", f.agents[0].code, 0)
        # 12 answers and the broadcasts of three epochs.
        fleet.check(f"{name}: it died at every boundary", deaths >= 12, f"{deaths} deaths")
        got = f.finish()
        asked = times_asked(log)
        fleet.same(f"{name}: every query was asked", len(asked), 2 * 12)
        fleet.check(f"{name}: nothing is asked more often than {repeats} times",
                    max(asked.values()) <= repeats, str(asked))
        return got


def every_answer_as_undisturbed(scratch, name, fail_point, repeats):
    """The digests are those of the same study without deaths."""
    secret = fleet.new_secret(scratch / "secret.key")
    study = fleet.study(scratch / "quiet.toml", "box", agents=2)
    study.write_text(study.read_text().replace('"quiet"', f'"{name}"'))
    with fleet.Fleet(scratch, study, agents=2, secret=secret, name="undisturbed",
                     program=program(scratch / "quiet.log", 0)) as f:
        quiet = f.start().finish()
    fleet.same(f"{name}: digests of the undisturbed run",
               every_answer(scratch, name, fail_point, repeats), quiet)


def after_every_entry(scratch):
    """What is in the journal is not asked again, not even once."""
    every_answer_as_undisturbed(scratch, "after", "append.after:1:kill", 1)


def before_every_entry(scratch):
    """What did not get into the journal is asked once more."""
    every_answer_as_undisturbed(scratch, "before", "append.before:2:kill", 2)


def no_orphans(scratch):
    """The program of an agent that was killed goes with it."""
    study = fleet.study(scratch / "orphans.toml", "box")
    log = scratch / "asked.log"
    with fleet.Fleet(scratch, study, agents=1, program=program(log, 1000)) as f:
        f.start()
        asked = fleet.wait("the first query", lambda: lines(log))
        pid = int(asked[0][2])
        fleet.check("the program is at work", fleet.is_process(pid))
        f.agents[0].kill()
        fleet.wait("the end of the program", lambda: not fleet.is_process(pid))
        fleet.check("the program of a killed agent is gone", True)


def while_joining(scratch):
    """Agents die when the coordinator has let them in and they do not know it yet: they come back as
    the same ones, and not as others that find the place taken."""
    for name, numbered in (("numbered", True), ("unnumbered", False)):
        study = fleet.study(scratch / f"{name}.toml", "finite")
        with fleet.Fleet(scratch, study, name=f"fleet-{name}") as f:
            f.server.start()
            for agent in f.agents:
                joined = f.server.err().count(" joined from ")
                agent.start(numbered=numbered)
                fleet.wait("the coordinator to let it in",
                           lambda: f.server.err().count(" joined from ") > joined, every=0)
                agent.kill()
            for agent in f.agents:
                agent.start(numbered=numbered)
            fleet.same(f"{name}: digests after everybody died while joining", f.finish(),
                       f.reference())


fleet.main(while_joining, random_kills, after_every_entry, before_every_entry, no_orphans)
