"""Ctrl-C ends the jobs of a fit, and a result that is being written leaves no part of itself.

The driver is a process of its own, which gets the signal.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed (pip install pyspark)")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java, and there is no java on the path", allow_module_level=True)

#: Seconds until something that must happen has happened.
PATIENCE = 400

DRIVER = '''
import json, pathlib, signal, sys, time
import numpy as np, pandas as pd
from sklearn.ensemble import RandomForestRegressor
from pyspark.sql import SparkSession
import lmdi.spark

folder, handler = pathlib.Path(sys.argv[1]), sys.argv[2]
builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("lmdi")
for name, value in json.loads(sys.argv[3]).items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
if handler == "python":
    # As in a notebook: PySpark's own handler, which cancels all jobs, is not there.
    signal.signal(signal.SIGINT, signal.default_int_handler)
random = np.random.default_rng(0)
rows = pd.DataFrame(random.normal(size=(200, 3)), columns=["a", "b", "y"])
model = RandomForestRegressor(4, min_samples_leaf=20, random_state=0).fit(rows[["a", "b"]], rows["y"])
given = spark.createDataFrame(rows).repartition(2)
path = str(folder)

def slow(name, seconds):
    def wait(batches):
        for batch in batches:
            (pathlib.Path(path) / name).touch()
            for _ in range(int(10 * seconds)):
                (pathlib.Path(path) / "beat").touch()
                time.sleep(0.1)
            yield batch
    return given.mapInArrow(wait, given.schema)

def interrupted(work):
    """Whether Ctrl-C ended some work, and its jobs and tasks are gone soon after."""
    try:
        work()
    except KeyboardInterrupt:
        pass
    else:
        return "not interrupted"
    tracker = spark.sparkContext.statusTracker()
    end = time.monotonic() + 90
    while tracker.getActiveJobsIds() or tracker.getActiveStageIds():
        if time.monotonic() > end:
            return "jobs are left"
        time.sleep(0.1)
    # A task that goes on touches the file. Spark gives tasks two seconds before it ends their workers.
    while time.time() - (folder / "beat").stat().st_mtime < 5:
        if time.monotonic() > end:
            return "tasks are left"
        time.sleep(0.5)
    return "cancelled"

setting = "spark.sql.execution.arrow.maxRecordsPerBatch"
before = spark.conf.get(setting)
explainer = lmdi.spark.LMDIPlus(model, rounds=1)
print("fit:", interrupted(lambda: explainer.fit(slow("fitting", 600), target="y")), flush=True)
assert spark.conf.get(setting) == before
assert not spark.sparkContext.getJobTags()
try:
    explainer.explain(given)
except ValueError as error:
    print("after:", error, flush=True)
explainer.fit(given, target="y")
try:
    explainer.explain(slow("explaining", 600)).write.parquet(str(folder / "scores"))
except KeyboardInterrupt:
    print("explain: interrupted", flush=True)
spark.stop()
'''


def wait_for(path, driver):
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert driver.poll() is None, driver.communicate()
        assert time.monotonic() < end, f"{path.name} did not begin"
        time.sleep(0.1)
    # Both executors are at work.
    time.sleep(1)


@pytest.mark.parametrize("handler", ["spark", "python"])
def test_ctrl_c_cancels_the_jobs(tmp_path, handler):
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "1024m",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.local.dir": str(tmp_path / "spark"),
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
    }
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    driver = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path), handler, json.dumps(settings)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        # The terminal would send the signal to the driver alone too: Spark starts Java apart from it.
        start_new_session=True,
    )
    try:
        for work in ("fitting", "explaining"):
            wait_for(tmp_path / work, driver)
            driver.send_signal(signal.SIGINT)
        out, err = driver.communicate(timeout=PATIENCE)
    finally:
        driver.kill()
    assert "fit: cancelled" in out, (out, err)
    assert "not fitted yet" in out, (out, err)
    assert "explain: interrupted" in out, (out, err)
    written = [file.name for file in pathlib.Path(tmp_path / "scores").rglob("*") if file.is_file()]
    assert not any(name.startswith(("part-", "_SUCCESS")) for name in written), written
