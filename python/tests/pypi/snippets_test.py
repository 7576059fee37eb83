"""The blocks of docs/python.md that need other libraries run as they stand, after the block at its top."""

import os
import pathlib
import re

import optuna

SOURCE = pathlib.Path(os.environ["DUETS_SOURCE_DIR"])


def test_docs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    blocks = re.findall(r"^```python\n(.*?)^```", (SOURCE / "docs" / "python.md").read_text(), re.M | re.S)
    names = {}
    ran = 0
    for number, block in enumerate(blocks):
        if number == 0 or re.search(r"import optuna|from sklearn", block):
            exec(compile(block, "docs/python.md", "exec"), names)
            ran += 1
    assert ran == 3
    printed = capsys.readouterr().out.splitlines()
    assert [line.count("'opt': 'adam'") for line in printed] == [1, 1]
    fitted = names["search"].fit([[i, -i] for i in range(20)], [0] * 10 + [1] * 10)
    assert set(fitted.best_params_) == {"C", "kernel"}
