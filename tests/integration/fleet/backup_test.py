"""The coordinator's storage is replaced by an older copy, and its agents are further ahead: they detect it, send
what is missing again from their journals, and the study ends with the digests of an undisturbed run."""

import shutil

import fleet


def wait_in_epoch(f, epoch, waiting_for):
    fleet.wait(f"epoch {epoch} to wait for {waiting_for}", lambda: (s := f.server.status()) and
               s["epoch"] == epoch and s["waiting_for"] == waiting_for)


def back_up(f):
    f.server.stop()
    shutil.copytree(f.server.storage, f.scratch / "copy")
    f.server.start()


def set_back(f):
    f.server.stop()
    shutil.rmtree(f.server.storage)
    shutil.copytree(f.scratch / "copy", f.server.storage)
    f.server.start()


def never_ended(agents):
    for agent in agents:
        fleet.check(f"{agent.name} goes on by itself", agent.starts == 1 and agent.alive(),
                    agent.tail())


def part_of_an_epoch(scratch):
    """The copy lacks agent 1: its start and its upload."""
    study = fleet.study(scratch / "part.toml", "box", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start()
        f.agents[0].start()
        wait_in_epoch(f, 1, [1, 2])
        back_up(f)
        f.agents[1].start()
        wait_in_epoch(f, 1, [2])
        set_back(f)
        wait_in_epoch(f, 1, [2])
        never_ended(f.agents[:2])
        fleet.contains("agent 1 noticed", f.agents[1].err(), "was set back to an older copy")
        f.agents[2].start()
        fleet.same("a part of an epoch lost: digests", f.finish(), f.reference())


def whole_epochs(scratch):
    for data in ("epoch", "surviving"):
        study = fleet.study(scratch / f"{data}.toml", "box", agents=3, duets=[f'data = "{data}"'])
        with fleet.Fleet(scratch, study, agents=3, name=f"fleet-{data}") as f:
            f.server.start()
            f.agents[0].start()
            f.agents[1].start()
            wait_in_epoch(f, 1, [2])
            back_up(f)
            # Joined, S_1, two answers, the cut, S_2, and an answer of epoch 2.
            f.agents[2].start(fail_point="append.after:6:kill")
            fleet.same("agent 2 dies in epoch 2", f.agents[2].wait(), -9)
            wait_in_epoch(f, 2, [2])
            set_back(f)
            wait_in_epoch(f, 1, [2])
            fleet.wait("agents to join again", lambda: all(
                "sending the lost results again" in a.err() for a in f.agents[:2]))
            never_ended(f.agents[:2])
            fleet.contains("the coordinator says so", f.server.err(), "set back to an older copy")
            f.agents[2].start()
            fleet.same(f"an epoch lost, data = {data}: digests", f.finish(), f.reference())
            fleet.check("no agent was left out", f.last_status["complete_participation"])


def all_but_the_secret(scratch):
    """A study that has finished comes back from the journals alone, and no query is asked again."""
    study = fleet.study(scratch / "all.toml", "finite", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.start()
        before = f.finish()
        journals = [fleet.contents(a.journal) for a in f.agents]
        shutil.rmtree(f.server.storage)
        f.server.start()
        f.start_agents()
        fleet.same("everything lost: digests", f.finish(), before)
        fleet.same("of the undisturbed run", before, f.reference())
        fleet.same("the journals are as they were", [fleet.contents(a.journal) for a in f.agents],
                   journals)


def closed_by_hand(scratch):
    """Epoch 1 was closed without agent 2, after the copy: agent 2 sends nothing for it, and the operator
    closes it once more. Another end is noticed."""
    study = fleet.study(scratch / "hand.toml", "finite", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start()
        back_up(f)
        close = ("study", "close", "hand", "--epoch", 1, "--server", f.server.address, "--insecure")
        f.agents[0].start()
        f.agents[1].start()
        wait_in_epoch(f, 1, [2])
        fleet.same("epoch 1 is closed", fleet.duets(f.scratch, *close).returncode, 0)
        wait_in_epoch(f, 2, [2])
        # Joined, S_1, the cut, S_2, and an answer.
        f.agents[2].start(fail_point="append.after:4:kill")
        fleet.same("agent 2 dies in epoch 2", f.agents[2].wait(), -9)

        set_back(f)
        f.agents[1].kill()
        f.agents[2].start()
        wait_in_epoch(f, 1, [1, 2])
        fleet.wait("agent 2 to join", lambda: "sending the lost results again" in f.agents[2].err())
        fleet.same("closed with agent 0 only", fleet.duets(f.scratch, *close).returncode, 0)
        fleet.same("another end: exit code", f.agents[0].wait(), 5)
        fleet.contains("it says so", f.agents[0].err(), "ended differently than before")
        fleet.same("agent 2, too", f.agents[2].wait(), 5)

        set_back(f)
        f.start_agents()
        wait_in_epoch(f, 1, [2])
        fleet.same("closed as before", fleet.duets(f.scratch, *close).returncode, 0)
        for agent in f.agents:
            fleet.check(f"{agent.name} ends well", agent.wait() == 0, agent.tail())
        status = f.server.stop()
        fleet.same("who took part", [e["excluded"] for e in status["closed_epochs"]], [[2], [], []])
        made = fleet.duets(f.scratch, "study", "export", "hand", "--storage", f.server.storage, "-o",
                           "export")
        fleet.check("it can be exported", made.returncode == 0, made.stderr)
        fleet.same("digests", fleet.digests(status), fleet.reference(
            f.scratch, f.study_file, f.secret, "--participation",
            f.scratch / "export" / "participation.toml"))


fleet.main(part_of_an_epoch, whole_epochs, all_but_the_secret, closed_by_hand)
