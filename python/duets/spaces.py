"""Search spaces: Float, Int, Categorical."""

from __future__ import annotations

import collections.abc
import dataclasses
from typing import Any, Mapping, Sequence, Union

import numpy as np

from . import _core
from .errors import InvalidError


def _number(what: str, given: Any) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        raise TypeError(f"{what} = {given!r}: must be a number") from None


@dataclasses.dataclass(frozen=True)
class Float:
    """A number, bounds included; ``log=True``: uniform in the exponent."""

    low: float
    high: float
    log: bool = False

    def _keys(self) -> dict:
        return {"type": "float", "low": _number("low", self.low), "high": _number("high", self.high),
                "log": bool(self.log)}

    def _value(self, number: float) -> float:
        return float(number)


@dataclasses.dataclass(frozen=True)
class Int:
    """A whole number, bounds included: low, low + step, ...; ``log=True``: uniform in the exponent."""

    low: int
    high: int
    log: bool = False
    step: int = 1

    def _keys(self) -> dict:
        return {"type": "int", "low": self.low, "high": self.high, "log": bool(self.log), "step": self.step}

    def _value(self, number: float) -> int:
        return int(number)


@dataclasses.dataclass(frozen=True)
class Categorical:
    """One of these values. The study file has ``str(value)`` of each; your function gets the value itself."""

    choices: Sequence[Any]

    def __post_init__(self):
        unordered = isinstance(self.choices, collections.abc.Set)  # another order in every process
        if isinstance(self.choices, str) or unordered or not isinstance(self.choices, collections.abc.Iterable):
            raise TypeError(f"Categorical({self.choices!r}): give a list of choices")
        object.__setattr__(self, "choices", tuple(self.choices))

    def _keys(self) -> dict:
        return {"type": "categorical", "choices": [str(choice) for choice in self.choices]}

    def _value(self, number: float) -> Any:
        return self.choices[int(number)]


Parameter = Union[Float, Int, Categorical]


def _known(core) -> Parameter:
    """A parameter that the core has read."""
    if core.type == "categorical":
        return Categorical(core.choices)
    if core.type == "int":
        return Int(int(core.low), int(core.high), core.log, int(core.step))
    return Float(core.low, core.high, core.log)


def _parameter(name: str, given: Any) -> Parameter:
    if isinstance(given, (Float, Int, Categorical)):
        return given
    if isinstance(given, tuple) and len(given) == 2:
        return Float(*given)
    raise TypeError(
        f"space[{name!r}] = {given!r}: must be Float(low, high), Int(low, high), Categorical(choices) "
        "or a tuple (low, high)"
    )


def _read(space: Any) -> tuple[dict[str, Parameter], bool]:
    """Parameters by name, and whether the function takes one array instead of keywords."""
    if isinstance(space, Mapping):
        named = {}
        for name, given in space.items():
            if not isinstance(name, str):
                raise TypeError(f"space: the name {name!r} must be a text")
            named[name] = _parameter(name, given)
        if not named:
            raise InvalidError("space = {}: must have a parameter: {'x': duets.Float(0, 1)}")
        return named, False
    if isinstance(space, np.ndarray):
        if space.ndim != 2 or space.shape[1] != 2:
            raise InvalidError(f"space = array of shape {space.shape}: must have a row (low, high) for each parameter")
        space = [tuple(row) for row in space.tolist()]
    if isinstance(space, Sequence) and not isinstance(space, (str, bytes)):
        if len(space) == 0:
            raise InvalidError("space = []: must have a parameter: [duets.Float(0, 1)]")
        if all(isinstance(text, str) for text in space):
            parsed = [_core.parse_parameter(text) for text in space]
            return {parameter.name: _known(parameter) for parameter in parsed}, False
        listed = {f"x{i}": _parameter(str(i - 1), given) for i, given in enumerate(space, 1)}
        if any(isinstance(parameter, Categorical) for parameter in listed.values()):
            raise TypeError("a Categorical has no place in an array: give a space with names, {'opt': Categorical(...)}")
        return listed, True
    raise TypeError(f"space = {space!r}: must be a dict of parameters by name, or a list of them")
