#!/usr/bin/env python3
"""A program for `duets tune`: it stays, and answers every query with the score of its parameters."""
import json
import math
import sys

for line in sys.stdin:
    p = json.loads(line)["params"]  # {"lr": 0.001, "layers": 3, "opt": "adam"}
    score = -(math.log10(p["lr"]) + 3) ** 2 - 0.1 * (p["layers"] - 3) ** 2 + (p["opt"] == "adam")
    print(json.dumps({"value": score}), flush=True)
