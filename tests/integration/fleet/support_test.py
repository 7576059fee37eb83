"""The tests' own tools: keys are derived as the program does, and a leaked one is found."""

import base64
import hashlib
import os

import fleet


def known_answers(_scratch):
    """coins() against the known answers of tests/golden/coins.kat."""
    checked = 0
    for line in (fleet.SOURCE / "tests/golden/coins.kat").read_text().splitlines():
        if not line.startswith("key "):
            continue
        _, seed, coin, wanted = line.split()
        secret = hashlib.blake2b(b"duets-study-seed" + int(seed).to_bytes(8, "little"),
                                 digest_size=32).digest()
        names = {"public": "public coin", "problem": "problem coin", "0": "coin of agent 0"}
        if coin in names:
            assert fleet.coins(secret)[names[coin]].hex() == wanted, line
            checked += 1
    fleet.check("keys are those of the known answers", checked >= 12, f"only {checked}")


def planted_leaks(scratch):
    key = fleet.new_secret(scratch / "planted.key")
    secret = bytes.fromhex(key.read_text())
    fleet.same("a secret in its own file is none that leaked", fleet.leaks(scratch), [])
    coin = fleet.coins(secret)["coin of agent 7"]
    for name, text in {"hex": secret.hex().encode(), "upper": coin.hex().upper().encode(),
                       "base64": base64.b64encode(coin), "bytes": b"\0\1" + coin + b"\2"}.items():
        file = scratch / "some.log"
        file.write_bytes(b"before " + text + b" after\n")
        fleet.check(f"a leak as {name} is found", [p for p, _ in fleet.leaks(scratch)] == [file])
        file.unlink()
    os.chmod(key, 0o644)
    fleet.same("a key file that others may read counts as no secret's own file",
               fleet.is_secret_file(key), False)


def processes(scratch):
    sleeper = fleet.Process(scratch, "sleeper").launch(["sh", "-c", "sleep 1000 & sleep 1000"])
    group = sleeper.pid
    fleet.wait("two sleepers", lambda: len(members(group)) >= 2)
    fleet.end_all()
    fleet.same("a killed process", sleeper.code, -9)
    fleet.wait("the end of its group", lambda: not members(group))
    fleet.check("a killed process leaves none of its group behind", True)


def members(group):
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.getpgid(int(entry)) == group:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as stat:
                    found += [entry] if stat.read().rsplit(")", 1)[1].split()[0] != "Z" else []
        except OSError:
            continue
    return found


fleet.main(known_answers, planted_leaks, processes)
