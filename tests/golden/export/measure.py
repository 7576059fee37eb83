#!/usr/bin/env python3
"""The objective of this study: equal points have equal values, and one query has no answer."""
import json
import sys

SHIFT = {"red": 0.25, "green": 0.0, "blue": 0.5}

for line in sys.stdin:
    query = json.loads(line)
    p = query["params"]
    value = (p["x"] - 0.5) ** 2 + (p["y"] - 0.25) ** 2 + SHIFT[p["kind"]]
    print(json.dumps({"value": "none" if query["trial"] == "1-1-0" else value}), flush=True)
