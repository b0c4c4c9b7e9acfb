"""Threads, the interpreter's lock, Ctrl-C, progress and memory."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

import lmdi
from lmdi._running import n_threads, processors


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestRegressor(10, min_samples_leaf=3, random_state=0).fit(data.X, data.y)


def test_threads_do_not_change_results(data, forest):
    results = [
        lmdi.LMDIPlus(forest, n_jobs=jobs).fit(data.X, data.y).explain(data.X).values
        for jobs in (1, 2, 5, -1, None)
    ]
    assert all(np.array_equal(result, results[0]) for result in results)


def test_number_of_threads():
    assert n_threads(None) == n_threads(-1) == processors()
    assert n_threads(3) == 3
    assert n_threads(-1000) == 1


def test_other_threads_run_meanwhile(data):
    """A thread counts while a fit runs in another: the interpreter's lock is free."""
    X = np.random.default_rng(0).normal(size=(1000, 20))
    y = X[:, 0] + X[:, 1] * X[:, 2]
    model = RandomForestRegressor(10, min_samples_leaf=1, random_state=0).fit(X, y)
    explainer = lmdi.LMDIPlus(model, n_jobs=1)
    work = threading.Thread(target=explainer.fit, args=(X, y))
    work.start()
    ticks = 0
    while work.is_alive():
        time.sleep(0.001)
        ticks += 1
    assert ticks > 20


def test_ctrl_c_stops_a_fit():
    script = """
import numpy as np, lmdi, sys
from sklearn.ensemble import RandomForestRegressor
random = np.random.default_rng(0)
X = random.normal(size=(1000, 20)); y = X[:, 0] + X[:, 1] * X[:, 2]
forest = RandomForestRegressor(10, min_samples_leaf=1, random_state=0).fit(X, y)
forest.estimators_ = forest.estimators_ * 300
forest.bootstrap = False
print("fitting", flush=True)
try:
    lmdi.LMDIPlus(forest, n_jobs=1).fit(X, y)
except KeyboardInterrupt:
    print("stopped", flush=True)
    # What was interrupted leaves the package usable.
    forest.estimators_ = forest.estimators_[:1]
    lmdi.LMDIPlus(forest).fit(X, y).explain(X)
    sys.exit(3)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        assert process.wait(timeout=60) == 3
    finally:
        process.kill()


def test_progress_is_drawn_only_if_asked_for(data, forest, capsys):
    lmdi.LMDIPlus(forest).fit(data.X, data.y).explain(data.X)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    pytest.importorskip("tqdm")
    lmdi.LMDIPlus(forest, progress=True).fit(data.X, data.y)
    assert "LMDI+ fit: 100%" in capsys.readouterr().err


def test_a_progress_callback_that_raises_ends_the_work(data, forest):
    explainer = lmdi.LMDIPlus(forest).fit(data.X, data.y)
    cells = explainer.model_._read(data.X)

    def fail(done):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        explainer.explainer_.score(cells.table, "all", False, (1, fail))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the peak from /proc")
def test_explaining_needs_no_second_copy_of_the_table():
    """Peak memory grows by the scores (64 bits) and little more; a copy of the table would show."""
    script = """
import numpy as np, lmdi
from sklearn.ensemble import RandomForestRegressor

def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))

random = np.random.default_rng(0)
X = random.random((400_000, 50), dtype=np.float32)
y = X[:500, 0].astype(float)
explainer = lmdi.LMDIPlus(RandomForestRegressor(5, min_samples_leaf=20).fit(X[:500], y)).fit(X[:500], y)
for order in "CF":
    table = np.asarray(X, order=order)
    before = peak()
    e = explainer.explain(table)
    grown = peak() - before
    assert grown < e.values.nbytes + e.base_values.nbytes + 0.9 * X.nbytes, (order, grown)
    del e, table
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)
