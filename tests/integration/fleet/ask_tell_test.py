"""Processes of the example ask_tell form a fleet, and kill -9 in the middle changes nothing."""

import pathlib

import fleet

ASK_TELL = pathlib.Path(fleet.PROGRAM).resolve().parent / "ask_tell"


def ask_tell(f, agent):
    return fleet.Process(f.scratch, f"ask_tell-{agent}").launch([ASK_TELL, f.server.address, agent])


def run(scratch, name, study, secret=None, kill=False):
    with fleet.Fleet(scratch, study, agents=0, secret=secret, name=name) as f:
        f.server.start()
        first = ask_tell(f, 0)
        if kill:
            journal = f.scratch / "duets-agent" / f"{study.stem}-0.db"
            fleet.wait("a journal", journal.exists)
            first.kill()
            first.launch([ASK_TELL, f.server.address, 0])
        f.agents = [first, ask_tell(f, 1)]
        return f.finish(), f


def same_with_and_without_a_crash(scratch):
    study = fleet.study(scratch / "own.toml", agents=2)
    undisturbed, f = run(scratch, "undisturbed", study)
    fleet.check("its best is what it measured", f.last_status["best_trial"]["value"] <= 1,
                f.last_status["best_trial"])
    disturbed, _ = run(scratch, "disturbed", study, secret=f.secret, kill=True)
    fleet.same("digests after a crash", disturbed, undisturbed)


fleet.main(same_with_and_without_a_crash)
