"""Bad input has a stated outcome (docs/python.md)."""

import os
import sys

import numpy as np
import pytest

import duets

SMALL = dict(agents=2, horizon=4, progress=False)
ONE = {"x": duets.Float(0, 1)}


@pytest.mark.parametrize("space, error, text", [
    ({}, duets.InvalidError, "must have a parameter"),
    ([], duets.InvalidError, "must have a parameter"),
    (None, TypeError, "a dict of parameters"),
    ("x", TypeError, "a dict of parameters"),
    (7, TypeError, "a dict of parameters"),
    ({1: duets.Float(0, 1)}, TypeError, "must be a text"),
    ({"x": 3}, TypeError, "Float"),
    ({"x": (0, 1, 2)}, TypeError, "Float"),
    ({"x": duets.Float("a", 1)}, TypeError, "low = 'a': must be a number"),
    ({"x": duets.Float(1, 0)}, duets.InvalidError, "space.x.high"),
    ({"x": duets.Float(0, 1, log=True)}, duets.InvalidError, "space.x.low"),
    ({"x": duets.Float(float("nan"), 1)}, duets.InvalidError, "space.x.low"),
    ({"x": duets.Float(0, float("inf"))}, duets.InvalidError, "space.x.high"),
    ({"x": duets.Int(0, 2.5)}, duets.InvalidError, "space.x.high"),
    ({"x": duets.Int(0, 4, step=0)}, duets.InvalidError, "space.x.step"),
    ({"x": duets.Categorical([])}, duets.InvalidError, "choices"),
    ({"x": duets.Categorical(["a", "a"])}, duets.InvalidError, "choices"),
    ({"x": duets.Categorical([1, "1"])}, duets.InvalidError, "choices"),
    (np.zeros((2, 3)), duets.InvalidError, "a row"),
    ([duets.Categorical(["a"])], TypeError, "names"),
    (["x=0..1 lg"], duets.InvalidError, "'lg' must be"),
])
def test_spaces(space, error, text):
    with pytest.raises(error, match=text):
        duets.Study(space)


@pytest.mark.parametrize("choices", ["abc", {"a", "b"}, frozenset("ab"), 3])
def test_a_categorical_is_a_list(choices):
    with pytest.raises(TypeError, match="list of choices"):
        duets.Categorical(choices)


def test_spaces_as_on_the_command_line():
    with duets.Study(["x=1e-3..1 log", "n=1..4 int", "c=a|b"]) as text, \
         duets.Study({"x": duets.Float(1e-3, 1, log=True), "n": duets.Int(1, 4),
                      "c": duets.Categorical(["a", "b"])}) as own:
        assert text.study_file == own.study_file


@pytest.mark.parametrize("options, error, text", [
    ({"agents": 0}, duets.InvalidError, "study.agents = 0"),
    ({"agents": -1}, duets.InvalidError, "study.agents = -1"),
    ({"agents": 2.5}, duets.InvalidError, "study.agents"),
    ({"agents": "many"}, duets.InvalidError, "study.agents"),
    ({"horizon": 2**40}, duets.InvalidError, "study.horizon"),
    ({"seed": -1}, duets.InvalidError, "study.seed"),
    ({"name": "a/b"}, duets.InvalidError, "study.name"),
    ({"name": 'a"\nagents = 3'}, duets.InvalidError, "study.name"),
    ({"direction": "up"}, duets.InvalidError, "study.direction"),
    ({"beta": float("nan")}, duets.InvalidError, "duets.beta = nan"),
    ({"beta": object()}, TypeError, "must be a number"),
    ({"variance": 1.0}, duets.InvalidError, "kernel.variance"),
    ({"threads": -1}, duets.InvalidError, "threads = -1"),
    ({"until_gain": float("nan")}, duets.InvalidError, "until_gain = nan: must be positive"),
    ({"until_gain": -1}, duets.InvalidError, "until_gain = -1: must be positive"),
    ({"until_gain": "little"}, TypeError, "until_gain = 'little': must be a number"),
    ({"nonsense": 1}, TypeError, "'nonsense'"),
    ({"kernel": {"nonsense": 1}}, duets.InvalidError, "nonsense"),
])
def test_settings(options, error, text):
    with pytest.raises(error, match=text):
        duets.Study(ONE, **options)


@pytest.mark.parametrize("returned, why", [
    (None, "returned None, a NoneType: must be one number"),
    ("0.5", "returned '0.5', a str"),
    ([0.5], r"returned \[0.5\], a list"),
    (np.array([0.5]), r"returned an array of shape \(1,\)"),
    (np.zeros((2, 2)), r"returned an array of shape \(2, 2\)"),
    (1 + 2j, "a complex: must be one number"),
    (float("nan"), "nan"),
    (float("inf"), "inf"),
    (-np.inf, "inf"),
    (1e308, "1e"),
    (10**400, "too large"),
])
def test_what_is_no_reward_is_a_hole(returned, why):
    with duets.Study(ONE, agents=2, horizon=4) as study:
        answers = iter([0.5, returned] + [0.25] * 6)
        study.run(lambda x: next(answers), progress=False)
        assert len(study.failures) == 1
        import re
        assert re.search(why, study.failures[0][1])


@pytest.mark.parametrize("returned", [1, True, np.float32(0.5), np.int64(3), np.array(0.5), np.bool_(True)])
def test_what_is_one_number_is_a_value(returned):
    found = duets.maximize(lambda x: returned, ONE, **SMALL)
    assert set(found.trials["value"]) == {float(returned)}


@pytest.mark.parametrize("value, error", [
    (float("nan"), duets.InvalidError), (np.inf, duets.InvalidError), (1e308, duets.InvalidError), (None, TypeError),
    ("1", TypeError), (np.zeros(1), TypeError)])
def test_tell_refuses_and_changes_nothing(value, error):
    with duets.Study(ONE) as study:
        query = study.ask()
        with pytest.raises(error):
            study.tell(query, value)
        assert study.num_told == 0
        study.tell(query, 1.0)
        with pytest.raises(duets.InvalidError, match="already has an answer"):
            study.tell(query, 2.0)
        with pytest.raises(duets.ObjectiveError):
            study.tell_infeasible(study.ask(), "hot")
        assert study.num_told == 1


def test_a_query_of_another_epoch_is_refused():
    with duets.Study(ONE, agents=2, horizon=4) as study:
        first = study.ask()
        study.tell(first, 0.0)
        while study.epoch == 1:
            study.tell(query := study.ask(), query.x[0])
        with pytest.raises(duets.InvalidError, match="was not asked for"):
            study.tell(first, 0.0)


def test_arguments_of_run():
    with duets.Study(ONE) as study:
        with pytest.raises(TypeError, match="must be callable"):
            study.run(3)
        with pytest.raises(TypeError, match="submit"):
            study.run(lambda x: x, executor="threads")
        for options, error, text in [
            ({"max_pending": 0}, duets.InvalidError, "max_pending = 0: must be at least 1"),
            ({"max_pending": "3"}, TypeError, "max_pending = '3': must be a whole number"),
            ({"max_failures": -1}, duets.InvalidError, "max_failures = -1: must be at least 0"),
            ({"max_failures": 2.5}, TypeError, "max_failures = 2.5: must be a whole number"),
            ({"seconds": -1}, duets.InvalidError, "seconds = -1: must be positive"),
            ({"seconds": "2h"}, TypeError, "seconds = '2h': must be a number"),
        ]:
            with pytest.raises(error, match=text):
                study.run(lambda x: x, **options)
        with pytest.raises(duets.InvalidError, match="agent = -1"):
            study.ask(-1)
        with pytest.raises(TypeError, match=r"query = 3: must be a Query that ask\(\) gave"):
            study.tell(3, 1.0)


def test_an_exception_of_several_lines_keeps_its_type():
    def f(x):
        raise ValueError("out of memory\n  tried to allocate 3 GiB\n")
    with duets.Study(ONE) as study:
        query = study.ask()
        try:
            f(0)
        except ValueError as error:
            study.tell_failure(query, error)
        assert study.failures[0][1].startswith("ValueError: out of memory")


def test_exits_pass_through():
    with duets.Study(ONE) as study:
        with pytest.raises(SystemExit):
            study.run(lambda x: sys.exit(3), progress=False)
        assert study.num_told == 0 and study.ask() is not None


def test_a_child_that_comes_back_from_the_function_ends(capfd):
    """Only the parent goes on: the study gets one answer for each query."""
    children = []

    def f(x):
        child = os.fork()
        if child == 0:
            return 1e6
        children.append(os.waitpid(child, 0)[1])
        return x

    found = duets.maximize(f, ONE, **SMALL)
    assert children == [0] * 8
    assert max(found.trials["value"]) <= 1
    assert capfd.readouterr().err.count("came back from it and ends here") == 8


def test_a_child_cannot_use_the_study():
    with duets.Study(ONE) as study:
        child = os.fork()
        if child == 0:
            try:
                study.ask()
            except duets.ProtocolError as error:
                os._exit(0 if "belongs to process" in str(error) else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert study.ask() is not None


def test_a_function_that_cannot_be_sent_says_so():
    import concurrent.futures
    with concurrent.futures.ProcessPoolExecutor(1) as executor, duets.Study(ONE) as study:
        with pytest.raises(duets.ObjectiveError, match="[Pp]ickle"):
            study.run(lambda x: x, executor=executor, progress=False)
        assert study.num_told == 0


def test_a_worker_that_dies_ends_the_run_and_the_study_goes_on():
    import concurrent.futures
    with duets.Study(ONE, agents=2, horizon=4) as study:
        with concurrent.futures.ProcessPoolExecutor(1) as executor:
            with pytest.raises(concurrent.futures.BrokenExecutor):
                study.run(os_exit, executor=executor, progress=False)
        assert study.num_told == 0
        study.run(identity, progress=False)
        assert study.finished


def os_exit(x):
    os._exit(1)


def identity(x):
    return x


def test_errors_are_a_hierarchy():
    assert issubclass(duets.InvalidError, (duets.Error, ValueError))
    for name in duets.errors.__dict__:
        kind = getattr(duets.errors, name)
        if isinstance(kind, type) and name.endswith("Error"):
            assert issubclass(kind, duets.Error)
