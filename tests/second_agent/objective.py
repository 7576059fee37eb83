"""What the fleets of the test measure, as a function and as a program of `duets agent` and `duets run`."""

import hashlib
import json
import sys


def measure(trial, params):
    """The value of a trial, with noise that follows from its name; None where it fails."""
    value = 0.0
    for k, x in enumerate(x for name, x in params.items() if name != "wild"):
        if isinstance(x, str):
            value += 0.25 * (len(x) - 3)
        else:
            y = x / (1.0 + abs(x))
            value += (1.0 - k / 8) * y * (0.7 - y)
    noise = hashlib.sha256(trial.encode()).digest()
    if noise[0] < 24 and not trial.endswith("-0"):
        return None
    if "wild" in params and noise[0] > 236 and int(trial.split("-")[1]) >= params["wild"]:  # the first epoch with outliers
        value = (noise[2] - 127.5) * 10.0 ** (noise[3] % 8 + 6) * value
    return 3.0 * value + (noise[1] - 127.5) / 512


if __name__ == "__main__":
    for line in sys.stdin:
        query = json.loads(line)
        value = measure(query["trial"], query["params"])
        print(json.dumps({"value": float("nan") if value is None else value}), flush=True)
