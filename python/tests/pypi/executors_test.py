"""Dask, Ray and mpi4py as executors: the real packages."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

import pytest

import duets

SPACE = {"x": duets.Float(0, 1), "opt": duets.Categorical(["sgd", "adam"])}
SMALL = dict(agents=3, horizon=6, progress=False)


def score(x, opt):
    return -((x - 0.3) ** 2) + (opt == "adam")


def fails_below(x, opt):
    if x < 0.2:
        raise ZeroDivisionError("too low")
    if x > 0.8:
        raise duets.Infeasible("too high")
    return score(x, opt)


def now(opt):
    return time.time() % 1000


def leaves(x, opt):
    raise SystemExit("enough")


def dies(x, opt):
    if x < 0.3:
        os._exit(1)
    return score(x, opt)


@pytest.fixture(scope="module")
def dask():
    import distributed
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client.get_executor()


@pytest.fixture(scope="module")
def ray():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")  # else it writes a token to the home directory
        here = str(pathlib.Path(__file__).parent)  # workers import this file
        patch.setenv("PYTHONPATH", os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])]))
        import ray as package
        folder = tempfile.mkdtemp(prefix="ray-")  # short: it has sockets
        package.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=folder)
        from duets.ray import RayExecutor
        with RayExecutor(max_retries=0) as executor:
            yield executor
        package.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["dask", "ray"])
def executor(request):
    return request.getfixturevalue(request.param)


def test_it_changes_nothing(executor):
    expected = duets.maximize(score, SPACE, **SMALL).run_digest
    assert duets.maximize(score, SPACE, executor=executor, **SMALL).run_digest == expected
    assert duets.maximize(lambda x, opt: score(x, opt), SPACE, executor=executor, max_pending=1,
                          **SMALL).run_digest == expected


def test_holes_and_infeasible_points(executor):
    expected = duets.maximize(fails_below, SPACE, infeasible_value=-2, **SMALL)
    with duets.Study(SPACE, agents=3, horizon=6, infeasible_value=-2) as study:
        found = study.run(fails_below, executor=executor, progress=False)
        failures = dict(study.failures)
    assert found.run_digest == expected.run_digest
    assert set(found.trials["state"]) == {"reward", "hole", "infeasible"}
    assert any('raise ZeroDivisionError("too low")' in why for why in failures.values())


def test_a_point_is_measured_as_often_as_it_is_queried(executor):
    found = duets.maximize(now, {"opt": SPACE["opt"]}, executor=executor, **SMALL)
    assert len(set(found.trials["value"])) == 18


def test_a_function_that_cannot_be_sent(executor):
    class Stays:
        def __call__(self, x, opt):
            return 0.0

        def __reduce__(self):
            raise TypeError("stays here")

    with pytest.raises((duets.ObjectiveError, TypeError), match="stays here|serialize"):
        duets.maximize(Stays(), SPACE, executor=executor, **SMALL)


def test_a_function_that_ends_the_process(executor):
    with pytest.raises(SystemExit, match="enough"):
        duets.maximize(leaves, SPACE, executor=executor, **SMALL)
    assert duets.maximize(score, SPACE, executor=executor, **SMALL).recommendation["opt"] == "adam"


def test_a_worker_that_dies(ray):
    with duets.Study(SPACE, agents=3, horizon=6) as study:
        found = study.run(dies, executor=ray, progress=False, max_failures=0)
        failures = study.failures
    assert 0 < len(failures) == sum(found.trials["x"] < 0.3)
    assert "worker died" in failures[0][1]


INTERRUPTED = """
    import sys, time, duets
    from duets.ray import RayExecutor
    began = sys.argv[1] + ".began"
    def f(x):
        with open(began, "a") as file:
            file.write("b")
        time.sleep(1)
        return x
    with RayExecutor() as executor:
        duets.maximize(f, {"x": duets.Float(0, 1)}, agents=4, horizon=8, path=sys.argv[1], executor=executor)
"""


def test_ctrl_c_finishes_running_calls_of_ray(tmp_path):
    folder = tempfile.mkdtemp(prefix="ray-")
    process = subprocess.Popen(
        [sys.executable, "-B", "-c", textwrap.dedent(INTERRUPTED), str(tmp_path / "s")], text=True,
        stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "RAY_TMPDIR": folder, "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"})
    began = pathlib.Path(f"{tmp_path}/s.began")
    deadline = time.monotonic() + 60
    while not (began.exists() and len(began.read_text()) >= 2):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, error = process.communicate(timeout=60)
    shutil.rmtree(folder, ignore_errors=True)
    assert process.returncode != 0 and "KeyboardInterrupt" in error
    assert "stopping after the current queries" in error
    with duets.Study({"x": duets.Float(0, 1)}, agents=4, horizon=8, path=tmp_path / "s") as study:
        assert study.num_told == len(began.read_text()) < 32
        assert not study.failures


MPI = """
    import json, os, duets
    from mpi4py.futures import MPIPoolExecutor
    SPACE = {"x": duets.Float(0, 1), "opt": duets.Categorical(["sgd", "adam"])}
    def score(x, opt):
        if x < 0.2:
            raise ZeroDivisionError("too low")
        return -((x - 0.3) ** 2) + (opt == "adam")
    def process(opt):
        return float(os.getpid())
    if __name__ == "__main__":
        with MPIPoolExecutor() as executor:
            there = duets.maximize(score, SPACE, agents=3, horizon=6, executor=executor, progress=False)
            workers = duets.maximize(process, {"opt": SPACE["opt"]}, agents=3, horizon=6, executor=executor,
                                     progress=False).trials["value"]
        here = duets.maximize(score, SPACE, agents=3, horizon=6, progress=False)
        print(json.dumps([there.run_digest, here.run_digest, list(there.trials["state"]).count("hole"),
                          os.getpid() in set(workers)]))
"""


def mpi(tmp_path, text, **more):
    (tmp_path / "tune.py").write_text(textwrap.dedent(text))
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", **more}
    return subprocess.run(["mpiexec", "-n", "3", sys.executable, "-B", "-m", "mpi4py.futures", "tune.py"], cwd=tmp_path,
                          env=environment, capture_output=True, text=True, timeout=120)


def test_mpi(tmp_path):
    done = mpi(tmp_path, MPI)
    assert done.returncode == 0, done.stderr
    there, here, holes, measured_here = json.loads(done.stdout)
    assert there == here and holes > 0 and not measured_here


MPI_DIES = """
    import os, duets
    from mpi4py.futures import MPIPoolExecutor
    def f(x):
        if x < 0.3 and "DIES" in os.environ:
            os._exit(1)
        return x
    if __name__ == "__main__":
        with MPIPoolExecutor() as executor:
            print(duets.maximize(f, {"x": duets.Float(0, 1)}, agents=3, horizon=6, path="s", executor=executor,
                                 progress=False).run_digest)
"""


def test_a_rank_that_dies(tmp_path):
    assert mpi(tmp_path, MPI_DIES, DIES="1").returncode != 0
    again = mpi(tmp_path, MPI_DIES)
    expected = duets.maximize(lambda x: x, {"x": duets.Float(0, 1)}, agents=3, horizon=6, progress=False)
    assert again.stdout == expected.run_digest + "\n", again.stderr
