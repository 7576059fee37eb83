"""Types and documentation of everything public, and the examples in docstrings."""

import doctest
import importlib
import inspect
import pathlib
import typing

import pytest

import duets

MODULES = ["duets", "duets.errors", "duets.spaces", "duets.study", "duets.result", "duets.agent", "duets.models",
           "duets.research"]


def public(module):
    for name, thing in vars(module).items():
        if not name.startswith("_") and getattr(thing, "__module__", "").startswith("duets") and callable(thing):
            yield name, thing


def members(kind):
    for name, thing in vars(kind).items():
        if not name.startswith("_") and (callable(thing) or isinstance(thing, (property, classmethod))):
            yield name, thing


@pytest.mark.parametrize("name", MODULES)
def test_everything_public_is_documented_and_typed(name):
    module = importlib.import_module(name)
    assert module.__doc__
    for name, thing in public(module):
        assert thing.__doc__, name
        if inspect.isclass(thing):
            for member, what in members(thing):
                what = getattr(what, "__func__", what)
                what = what.fget if isinstance(what, property) else what
                if what.__name__ != "<lambda>":
                    assert what.__doc__ or "return" in what.__annotations__, (name, member)
        elif thing.__name__ != "<lambda>" and inspect.isfunction(thing):
            hints = inspect.signature(thing)
            assert hints.return_annotation is not inspect.Signature.empty, name
            for parameter in hints.parameters.values():
                assert parameter.annotation is not inspect.Parameter.empty, (name, parameter.name)


def test_the_package_is_typed():
    folder = pathlib.Path(duets.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_names():
    for name in duets.__all__:
        assert hasattr(duets, name)
