#!/usr/bin/env python3
"""An objective as a Python program that stays: it reads queries line by line until there are no
more. Start-up work (loading data, connecting to a device) is done once."""
import json
import random
import sys

noise = random.Random()

for line in sys.stdin:
    params = json.loads(line)["params"]
    x, y = params["x1"], params["x2"]
    if x + y > 1.9:
        answer = {"infeasible": "x1 + x2 above 1.9 overheats"}
    else:
        value = 1 - (x - 0.3) ** 2 - (y - 0.7) ** 2
        answer = {"value": value + noise.gauss(0, 0.05)}
    print(json.dumps(answer), flush=True)
