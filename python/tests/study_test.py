"""Ask and tell, run, executors, resuming."""

import concurrent.futures
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import duets

SPACE = {"lr": duets.Float(1e-5, 1e-1, log=True), "layers": duets.Int(1, 4), "opt": duets.Categorical(["sgd", "adam"])}
SMALL = dict(agents=3, horizon=6, progress=False)


def score(lr, layers, opt):
    return -((np.log10(lr) + 3) ** 2) - 0.1 * (layers - 3) ** 2 + (opt == "adam")


def digest(**options):
    return duets.maximize(score, SPACE, **{**SMALL, **options}).run_digest


def test_finds_the_maximum():
    # Without noise and with 200 queries: the basin is a fifth of the exponents' range wide.
    found = duets.maximize(score, SPACE, progress=False)
    assert found.recommendation["opt"] == "adam"
    assert abs(np.log10(found.recommendation["lr"]) + 3) < 0.3
    low, high = found.interval
    assert low <= found.mean <= high


def test_minimize_is_maximize_of_the_negative():
    up = duets.maximize(score, SPACE, **SMALL)
    down = duets.minimize(lambda **params: -score(**params), SPACE, **SMALL)
    assert up.recommendation == down.recommendation
    assert up.mean == -down.mean


def test_an_array_for_a_space_without_names():
    seen = []

    def f(x):
        seen.append(x)
        return -float(np.sum((x - 0.3) ** 2))

    found = duets.maximize(f, np.array([[0.0, 1.0], [0.0, 1.0]]), **SMALL)
    assert all(isinstance(x, np.ndarray) and x.shape == (2,) for x in seen)
    assert found.x.shape == (2,)
    assert found.run_digest == duets.maximize(f, [(0, 1), duets.Float(0, 1)], **SMALL).run_digest


def test_choices_keep_their_type():
    seen = set()

    def f(width, flag):
        seen.add((width, flag))
        return 0.0 if flag is None else float(width)

    found = duets.maximize(f, {"width": duets.Categorical([16, 32]), "flag": duets.Categorical([None, True])}, **SMALL)
    assert seen == {(16, None), (16, True), (32, None), (32, True)}
    assert found.recommendation == {"width": 32, "flag": True}
    assert found.best_trial["params"]["width"] == 32


@pytest.mark.parametrize("kind", [concurrent.futures.ThreadPoolExecutor, concurrent.futures.ProcessPoolExecutor])
def test_an_executor_changes_nothing(kind):
    with kind(3) as executor:
        assert digest(executor=executor) == digest()
        assert digest(executor=executor, max_pending=1) == digest()


class Distant:
    """An executor of another library: its futures are not those of concurrent.futures."""

    class Future:
        def __init__(self, call):
            self._callbacks, self._done, self._lock = [], False, threading.Lock()
            threading.Thread(target=self._run, args=(call,)).start()

        def _run(self, call):
            self._value = call()
            with self._lock:
                self._done = True
            for callback in self._callbacks:
                callback(self)

        def add_done_callback(self, callback):
            with self._lock:
                if not self._done:
                    return self._callbacks.append(callback)
            callback(self)

        def result(self):
            return self._value

        def cancelled(self):
            return False

        def exception(self):
            return None

        def cancel(self):
            return False

    def submit(self, function, *arguments):
        return self.Future(lambda: function(*arguments))


def test_an_executor_of_another_library():
    assert digest(executor=Distant()) == digest()


def test_threads_ask_and_tell_together():
    with duets.Study(SPACE, agents=3, horizon=6) as study:
        def work():
            while not study.finished:
                query = study.ask()
                if query is not None:
                    study.tell(query, score(**query.params))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert study.run_digest == digest()


def test_ask_and_tell_in_any_order():
    with duets.Study(SPACE, agents=3, horizon=6) as study:
        while not study.finished:
            queries = study.ask_all()
            assert study.ask() is None
            study.tell_all((query, score(**query.params)) for query in reversed(queries))
        assert study.num_told == 18
        assert study.ask() is None and study.ask(0) is None
        assert study.result().run_digest == digest()


def test_one_agent_and_a_query_given_back():
    with duets.Study(SPACE, agents=3, horizon=6) as study:
        queries = study.ask_all(agent=1)
        assert {query.agent for query in queries} == {1}
        assert len(queries) == study.epoch_lengths[0]
        study.give_back(queries[0])
        assert study.ask(1).name == queries[0].name
        with pytest.raises(duets.InvalidError, match="agents 0 to 2"):
            study.ask(3)


def test_settings_are_the_keys_of_a_study_file():
    with duets.Study(SPACE, agents=2, horizon=4, goal="earn", kernel={"name": "matern-5/2"}, infeasible_value=-1.5,
                     volume_floor=0.25) as study:
        for line in ['goal = "earn"', 'name = "matern-5/2"', "infeasible_value = -1.5", "volume_floor = 0.25"]:
            assert line in study.study_file
    with pytest.raises(TypeError, match="'betta'"):
        duets.Study(SPACE, betta=1)
    with pytest.raises(duets.InvalidError, match="duets.volume_floor = "):
        duets.Study(SPACE, volume_floor=7)


def test_a_study_file(tmp_path):
    own = duets.Study(SPACE, agents=3, horizon=6)
    (tmp_path / "own.toml").write_text(own.study_file)
    with duets.Study.from_file(tmp_path / "own.toml") as study:
        assert study.run(score, progress=False).run_digest == digest()
    with duets.Study.from_file(tmp_path / "own.toml", seed=2) as study:
        assert study.run(score, progress=False).run_digest == digest(seed=2) != digest()


def test_failures_are_holes_with_their_traceback():
    calls = []

    def f(**params):
        calls.append(params)
        if len(calls) % 5 == 4:
            raise ZeroDivisionError("no luck")
        return score(**params)

    with duets.Study(SPACE, agents=3, horizon=6) as study:
        found = study.run(f, progress=False)
        failures = study.failures
    assert len(failures) == 3
    assert failures[0][1].startswith("ZeroDivisionError: no luck\n") and 'raise ZeroDivisionError("no luck")' in failures[0][1]
    assert list(found.trials["state"]).count("hole") == 3


def test_a_function_that_never_works_leaves_the_study_as_new(tmp_path):
    def broken(**params):
        raise KeyError("typo")

    options = dict(agents=3, horizon=6, path=tmp_path / "s")
    with duets.Study(SPACE, **options) as study:
        with pytest.raises(duets.ObjectiveError, match="typo"):
            study.run(broken, progress=False)
        assert study.num_told == 0
        assert study.run(score, progress=False).run_digest == digest()


def test_infeasible_points_count_as_their_value():
    def f(**params):
        if params["layers"] == 1:
            raise duets.Infeasible("too small")
        return score(**params)

    found = duets.maximize(f, SPACE, infeasible_value=-20, **SMALL)
    assert set(found.trials["state"]) == {"reward", "infeasible"}
    with pytest.raises(duets.ObjectiveError, match="infeasible_value"):
        duets.maximize(f, SPACE, **SMALL)


def test_the_same_call_continues(tmp_path):
    path = tmp_path / "results" / "s"
    measured = []

    def until(count):
        def f(**params):
            if len(measured) == count:
                raise KeyboardInterrupt
            measured.append(tuple(params.items()))
            return score(**params)
        return f

    for count in (1, 7, 8, 15):
        with pytest.raises(KeyboardInterrupt):
            duets.maximize(until(count), SPACE, path=path, **SMALL)
    found = duets.maximize(until(-1), SPACE, path=path, **SMALL)
    assert len(measured) == len(set(measured)) == 18
    assert found.run_digest == digest()
    again = duets.maximize(until(18), SPACE, path=path, **SMALL)  # only reported again
    assert again.run_digest == digest()
    with pytest.raises(duets.InvalidError, match="horizon"):
        duets.maximize(score, SPACE, path=path, **{**SMALL, "horizon": 5})
    with pytest.raises(duets.InvalidError, match="seed|secret|another"):
        duets.maximize(score, SPACE, path=path, seed=9, **SMALL)
    longer = duets.maximize(score, SPACE, path=path, **{**SMALL, "horizon": 8})
    assert len(longer.trials) == 24 and longer.run_digest != digest()
    found = duets.maximize(score, SPACE, path=path, overwrite=True, **{**SMALL, "horizon": 7})
    assert len(found.trials) == 21


def test_ending_early():
    with duets.Study(SPACE, agents=3, horizon=6) as study:
        with pytest.raises(duets.InvalidError):
            study.end()
        study.tell(query := study.ask(), score(**query.params))
        study.end()
        assert study.finished and study.result().recommendation is not None
    slow = lambda **params: (time.sleep(0.02), score(**params))[1]
    found = duets.maximize(slow, SPACE, agents=3, horizon=60, seconds=0.1, progress=False)
    assert found.recommendation and len(found.trials) < 180
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        found = duets.maximize(slow, SPACE, agents=3, horizon=60, seconds=0.1, executor=executor, progress=False)
    assert found.recommendation
    found = duets.maximize(score, SPACE, agents=3, horizon=60, until_gain=1e6, progress=False)
    assert found.recommendation and len(found.trials) < 180
    with pytest.raises(ValueError, match="seconds"):
        duets.maximize(score, SPACE, seconds=-1)


def test_overwrite_removes_journals_only(tmp_path):
    (tmp_path / "s.journal").mkdir()
    (tmp_path / "s.journal" / "photo.jpg").write_text("mine")
    with pytest.raises(duets.InvalidError, match="is not the journal of a run"):
        duets.Study(SPACE, path=tmp_path / "s", overwrite=True)
    assert (tmp_path / "s.journal" / "photo.jpg").exists()


def test_a_path_in_use_is_refused_before_anything_is_measured(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "photo.jpg").write_text("mine")
    calls = []
    for overwrite, text in [(False, "^path = .*/s: already exists; choose another path or give overwrite=True"),
                            (True, "^path = .*/s: is not the result of a run")]:
        with pytest.raises(duets.InvalidError, match=text):
            duets.maximize(lambda **p: calls.append(p) or 1.0, SPACE, path=tmp_path / "s", overwrite=overwrite, **SMALL)
    assert not calls and not (tmp_path / "s.journal").exists()
    assert (tmp_path / "s" / "photo.jpg").exists()


def test_one_process_at_a_time(tmp_path):
    with duets.Study(SPACE, path=tmp_path / "s"):
        with pytest.raises(duets.StorageError):
            duets.Study(SPACE, path=tmp_path / "s")
    duets.Study(SPACE, path=tmp_path / "s").close()


def run_script(text, *words, **options):
    return subprocess.Popen([sys.executable, "-B", "-c", textwrap.dedent(text), *words], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


INTERRUPTED = """
    import concurrent.futures, contextlib, os, sys, time, duets
    def f(x):
        os.write(1, b"begin\\n")  # a whole line, also where Python does not buffer
        time.sleep(0.5)
        return x
    with {executor} as executor:
        duets.maximize(f, {{"x": duets.Float(0, 1)}}, agents=4, horizon=8, path=sys.argv[1], executor=executor)
"""


def test_ctrl_c_interrupts_the_function(tmp_path):
    process = run_script(INTERRUPTED.format(executor="contextlib.nullcontext()"), str(tmp_path / "s"))
    for _ in range(3):
        assert process.stdout.readline() == "begin\n"
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode != 0 and "KeyboardInterrupt" in error
    study = duets.Study({"x": duets.Float(0, 1)}, agents=4, path=tmp_path / "s")
    assert study.num_told == 2 and study.horizon == 8


@pytest.mark.parametrize("executor", ["ThreadPoolExecutor", "ProcessPoolExecutor"])
def test_ctrl_c_finishes_running_calls(tmp_path, executor):
    process = run_script(INTERRUPTED.format(executor=f"concurrent.futures.{executor}(2)"), str(tmp_path / "s"))
    assert process.stdout.readline() == "begin\n"
    assert process.stdout.readline() == "begin\n"
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode != 0 and "KeyboardInterrupt" in error
    assert "stopping after the current queries" in error
    study = duets.Study({"x": duets.Float(0, 1)}, agents=4, horizon=8, path=tmp_path / "s")
    assert 2 <= study.num_told < 32


def test_progress_lines_and_the_functions_output():
    process = run_script("""
        import duets
        duets.maximize(lambda x: (print("mine"), x)[1], {"x": duets.Float(0, 1)}, agents=2, horizon=4)
        duets.maximize(lambda x: x, {"x": duets.Float(0, 1)}, agents=2, horizon=4, progress=False)
    """)
    out, error = process.communicate(timeout=60)
    assert out == "mine\n" * 8
    if importlib.util.find_spec("tqdm"):
        assert "8/8" in error and "best=" in error
    else:
        assert error.count("of 8 queries, best value so far") == error.count("\n") >= 1


def test_the_line_of_a_closing_epoch_names_no_cut(tmp_path):
    for horizon in (8, 16):  # the second goes on with the first
        with duets.Study(SPACE, agents=3, horizon=horizon, path=tmp_path / "s") as study:
            study.run(score, progress=False)
            *others, last = study._local.take_lines()
        assert "the closing epoch cuts nothing; " in last and "the cut keeps" not in last
        assert others and all("the cut keeps " in line and "closing" not in line for line in others)


def test_closed_studies_say_so():
    study = duets.Study(SPACE)
    study.close()
    study.close()
    with pytest.raises(duets.ProtocolError, match="is closed"):
        study.ask()


def test_the_gil_is_free_while_the_coordinator_computes():
    counting, ended = [0], threading.Event()

    def count():
        while not ended.is_set():
            counting[0] += 1
            time.sleep(0)  # the only place where it lets others run

    old = sys.getswitchinterval()
    with duets.Study([(0, 1)] * 3, agents=50, horizon=20) as study:
        queries = study.ask_all()
        thread = threading.Thread(target=count)
        sys.setswitchinterval(1000)  # only a call that releases the GIL lets the thread run
        try:
            thread.start()
            before = counting[0]
            study._local.tell([duets._core.Told(q._core, duets._core.Value(q.x[0]), 0.0) for q in queries])
            after = counting[0]
        finally:
            ended.set()
            sys.setswitchinterval(old)
            thread.join()
    assert after > before
