"""From keyword arguments to the text of a study file. The keys are those of ``duets config keys``."""

from __future__ import annotations

import functools
import json
from typing import Any, Mapping

import numpy as np

from . import _core

_SPACE = ("space", "space.NAME")


@functools.lru_cache(maxsize=None)
def _tables() -> dict[str, set[str]]:
    tables: dict[str, set[str]] = {}
    for table, key, _, _ in _core.keys():
        if table not in _SPACE:
            tables.setdefault(table, set()).add(key)
    return tables


def _place(keyword: str) -> tuple[str, str]:
    found = [table for table, keys in _tables().items() if keyword in keys]
    if not found:
        raise TypeError(f"unexpected keyword argument '{keyword}': neither a table nor a key of a study file "
                        "(`duets config keys` lists them)")
    if "study" in found:
        found = ["study"]
    if len(found) > 1:
        ways = " or ".join(f"{table}={{'{keyword}': ...}}" for table in found)
        raise TypeError(f"the keyword argument '{keyword}' is a key of several tables: write {ways}")
    return found[0], keyword


def settings_of(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Keywords are keys (``beta=0.5``) or whole tables (``kernel={"name": "matern-5/2"}``)."""
    tables: dict[str, dict[str, Any]] = {"study": {}, "duets": {}}
    for keyword, value in given.items():
        if value is None:
            continue
        if keyword in _tables() and isinstance(value, Mapping):
            tables.setdefault(keyword, {}).update(value)
        else:
            table, key = _place(keyword)
            tables.setdefault(table, {})[key] = value
    return tables


def _toml(field: str, value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(field, one) for one in value) + "]"
    raise TypeError(f"{field} = {value!r}: must be a number, a text, True or False, or a list of these")


def toml_of(tables: Mapping[str, Mapping[str, Any]], parameters: Mapping[str, Any]) -> str:
    lines = []

    def write(head: str, name: str, keys: Mapping[str, Any]):
        lines.append(f"[{head}]")
        lines.extend(f"{json.dumps(str(key))} = {_toml(f'{name}.{key}', value)}" for key, value in keys.items())
        lines.append("")

    write("study", "study", tables["study"])
    for name, parameter in parameters.items():
        write("space." + _toml("space", name), f"space.{name}", parameter._keys())
    for table, keys in tables.items():
        if table != "study" and keys:
            write(table, table, keys)
    return "\n".join(lines)
