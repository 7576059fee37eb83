"""Types and documentation of everything public, and the examples in docstrings."""

import ast
import doctest
import importlib
import inspect
import pathlib
import re

import pytest

import duets
from duets import _core

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


# The stub of the binding module: python/src/*.cc made it, and pybind11 writes the signatures into the docstrings.
STUB = pathlib.Path(duets.__file__).parent / "_core.pyi"


def is_property(function):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)


def stubbed():
    """Names of the stub: of a value, a function, a class, "class.member"."""
    found = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            assert node.name not in found
            found[node.name] = node
            for member in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(member, ast.FunctionDef):
                    assert f"{node.name}.{member.name}" not in found
                    found[f"{node.name}.{member.name}"] = member
    return found


def bound():
    """The same names of the module, each with what it is."""
    found = {}
    for name, thing in vars(_core).items():
        if name.startswith("__"):
            continue
        found[name] = thing
        for member, what in vars(thing).items() if inspect.isclass(thing) else []:
            made = member == "__init__" and "-> None" in (what.__doc__ or "")  # else it cannot be made in Python
            if made or not member.startswith("_"):
                found[f"{name}.{member}"] = what
    return found


def signature(thing):
    return (thing.fget if isinstance(thing, property) else thing).__doc__.strip().splitlines()[0]


def test_the_stub_names_what_the_module_has():
    assert stubbed().keys() == bound().keys()
    for name, thing in bound().items():
        node = stubbed()[name]
        if inspect.isclass(thing):
            assert isinstance(node, ast.ClassDef), name
        elif isinstance(thing, str):
            assert isinstance(node, ast.AnnAssign) and node.annotation.id == "str", name
        else:
            assert isinstance(node, ast.FunctionDef) and is_property(node) == isinstance(thing, property), name
            arguments = node.args.posonlyargs + node.args.args
            assert len(arguments) == len(re.findall(r"\b(?:self|arg\d+): ", signature(thing))), name


# How pybind11 2.10 (Debian 12) writes types, and how the stub does.
WRITTEN = [(r"duets\._core\.", ""), (r"numpy\.ndarray\[numpy\.float64\[m, n\]\]", "Points"),
           (r"numpy\.ndarray\[numpy\.float64(\[m, 1\])?\]", "Vector"),
           (r"numpy\.ndarray\[numpy\.uint64\[m, 1\]\]", "NDArray[np.uint64]"),
           (r"numpy\.ndarray\[bool\[m, 1\]\]", "NDArray[np.bool_]"), (r"\bTuple\[", "tuple["), (r"\bList\[", "list[")]


def test_the_stub_has_the_types_of_the_module():
    if "numpy.ndarray[numpy.float64[m, n]]" not in signature(_core.Kernel.gram):
        pytest.skip("this pybind11 writes signatures in another way than Debian's, which ./test compares")
    for name, thing in bound().items():
        if inspect.isclass(thing) or isinstance(thing, str):
            continue
        text = signature(thing)
        for pattern, replacement in WRITTEN:
            text = re.sub(pattern, replacement, text)
        node = stubbed()[name]
        taken = [ast.unparse(argument.annotation).replace("Sequence[", "list[") for argument in node.args.posonlyargs
                 if argument.annotation]
        given, returned = text.rsplit(") -> ", 1)
        given = re.split(r", arg\d+: ", given.split("(", 1)[1])
        given = given[1:] if "." in name else [re.sub(r"^arg0: ", "", one) for one in given if one]
        assert (taken, ast.unparse(node.returns)) == (given, returned), name
