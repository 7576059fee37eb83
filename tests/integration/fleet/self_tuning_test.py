"""A study that learns its model, as processes: agents and a coordinator that die and come back continue with the
model, the strata and the floor of an undisturbed run."""

import fleet

TEXT = """[study]
direction = "maximize"
agents = 3
horizon = 24
seed = 5

[space]
{space}

[objective]
builtin = "branin"
noise = 0.2
"""
SPACES = {"box": 'domain = "box"\ndimension = 2',
          "finite": 'domain = "finite"\nshape = "cube"\ndimension = 2\ncandidates = 300'}


def study(scratch, name):
    path = scratch / f"{name}.toml"
    path.write_text(TEXT.format(space=SPACES[name]))
    return path


def undisturbed(scratch):
    for name in SPACES:
        with fleet.Fleet(scratch, study(scratch, name), agents=3, name=name) as f:
            f.server.start()
            f.start_agents()
            fleet.same(f"{name}: digests as simulated", f.finish(), f.reference())


def killed(scratch):
    with fleet.Fleet(scratch, study(scratch, "box"), agents=3) as f:
        f.server.start()
        f.agents[0].start(fail_point="append.after:9:kill")
        f.agents[1].start()
        f.agents[2].start()
        fleet.same("agent 0 dies", f.agents[0].wait(), -9)
        f.server.kill()
        f.server.start()
        f.agents[0].start()
        fleet.same("digests as simulated", f.finish(), f.reference())


fleet.main(undisturbed, killed)
