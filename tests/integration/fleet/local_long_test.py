"""kill -9 of `duets run` with a program, fifty times, with one program and with several at a time."""

import fleet
import local


def alone(scratch):
    local.killed_at_random(scratch, kills=50, parallel=1, agents=8, horizon=30)


def several(scratch):
    local.killed_at_random(scratch, kills=50, parallel=4, agents=12, horizon=100)


fleet.main(alone, several)
