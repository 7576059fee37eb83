"""The Python in docs/python.md and in the README runs, block after block, as it stands."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import duets

SOURCE = pathlib.Path(os.environ["DUETS_SOURCE_DIR"])


def blocks(path):
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.M | re.S)


def test_docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    ran = 0
    for block in blocks(SOURCE / "docs" / "python.md"):
        if re.search(r"import (optuna|sklearn)|duets\.(optuna|sklearn)|from sklearn|duets\.Agent", block):
            compile(block, "docs/python.md", "exec")  # python/tests/pypi runs these, agent_test.py the like
            continue
        exec(compile(block, "docs/python.md", "exec"), names)
        ran += 1
    assert ran >= 6


def test_readme(tmp_path):
    (block,) = [block for block in blocks(SOURCE / "README.md") if "import duets" in block]
    out = subprocess.run([sys.executable, "-B", "-c", block], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert re.search(r"layers.*3.*opt.*adam", out, re.S), out
