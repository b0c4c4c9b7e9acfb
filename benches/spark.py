"""`./bench spark`: LMDI+ on Spark against one machine, XGBoost's own predictions, and shap in a pandas UDF.

Generated tables of 50 columns as Parquet files of 125,000 rows, and an XGBoost model of 100 trees of depth
6, trained on the first rows. For each number of rows (`--rows`, in thousands), on a `local-cluster` of one
and of two executors with one core each: seconds of the fit and of explaining all rows, of XGBoost's
prediction of the same rows in the same way (`mapInArrow`), the bytes that the fit shuffled (from Spark's
event log), and the most memory of the driver, Python and Java. Then the same Parquet files streamed on one
machine with two threads, and `shap.TreeExplainer` in a pandas UDF, timed on a sample and scaled up.

Every step runs once, after a warm-up on a few rows. Two executors can be faster than one only where the
machine has cores for both; the number of cores and the load before each step are printed.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import xgboost

sys.path.remove(str(pathlib.Path(__file__).resolve().parent))

import lmdi  # noqa: E402
import lmdi.spark  # noqa: E402

PART = 125_000
MEGA = 1024 * 1024


def part(seed, rows, columns):
    random = np.random.default_rng(seed)
    cells = random.normal(size=(rows, columns)).astype(np.float32)
    y = 2 * cells[:, 0] + (cells[:, 1] > 0) * cells[:, 2] + np.sin(3 * cells[:, 3])
    y = y + 0.5 * random.normal(size=rows)
    arrays = {f"x{at}": cells[:, at] for at in range(columns)}
    return pa.table({**arrays, "y": y, "id": np.arange(rows) + seed * PART})


def generate(folder, rows, columns):
    folder.mkdir(parents=True, exist_ok=True)
    for at in range(-(-rows // PART)):
        path = folder / f"part-{at:04}.parquet"
        if not path.exists():
            pa.parquet.write_table(part(at, min(PART, rows - at * PART), columns), path)


def session(executors, memory, events):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.memory": f"{memory}m",
        "spark.sql.shuffle.partitions": str(2 * executors),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{events}",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
    }
    builder = SparkSession.builder.master(f"local-cluster[{executors},1,{memory}]").appName("lmdi")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def seconds(what, work):
    print(f"  {what:44} load {os.getloadavg()[0]:5.1f}", end="", flush=True)
    started = time.perf_counter()
    result = work()
    took = time.perf_counter() - started
    print(f" {took:10.1f} s", flush=True)
    return took, result


def shuffled(events):
    """Bytes that all tasks so far wrote to shuffles."""
    newest = max(pathlib.Path(events).rglob("*"), key=lambda path: path.stat().st_mtime)
    total = 0
    with open(newest) as lines:
        for line in lines:
            if "Shuffle Bytes Written" in line:
                metrics = json.loads(line).get("Task Metrics") or {}
                total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def java_peak(spark):
    status = pathlib.Path(f"/proc/{spark.sparkContext._gateway.proc.pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


class Predict:
    """XGBoost's own prediction of a partition."""

    def __init__(self, booster, features):
        self.booster, self.features = bytes(booster.save_raw()), features

    def __call__(self, batches):
        booster = xgboost.Booster({"nthread": 1})
        booster.load_model(bytearray(self.booster))
        for batch in batches:
            cells = np.column_stack([batch.column(name).to_numpy() for name in self.features])
            found = booster.inplace_predict(cells)
            yield pa.RecordBatch.from_arrays(
                [batch.column(batch.schema.get_field_index("id")), pa.array(found, pa.float64())],
                names=["id", "prediction"],
            )


def on_spark(executors, memory, folder, model, features, sample):
    """Seconds and bytes of one cluster."""
    with tempfile.TemporaryDirectory() as events:
        spark = session(executors, memory, events)
        df = spark.read.parquet(str(folder))
        print(f" {executors} executor{'s' if executors > 1 else ''}, {df.rdd.getNumPartitions()} partitions")
        few = df.limit(1000)
        lmdi.spark.LMDIPlus(model, rounds=1).fit(few, target="y").explain(few).count()
        before = shuffled(events)
        fit, explainer = seconds("fit", lambda: lmdi.spark.LMDIPlus(model).fit(df, target="y", key="id"))

        moved = shuffled(events) - before

        def noop(frame):
            frame.write.format("noop").mode("overwrite").save()

        explain, _ = seconds("explain all rows", lambda: noop(explainer.explain(df)))
        predicting = Predict(model.get_booster(), features)
        predict, _ = seconds(
            "XGBoost's prediction of all rows",
            lambda: noop(df.mapInArrow(predicting, "id bigint, prediction double")),
        )
        shap_seconds = None
        if sample:
            rows = df.limit(sample).repartition(executors).cache()
            rows.count()
            took, _ = seconds(
                f"shap in a pandas UDF, {sample:,} rows",
                lambda: noop(rows.mapInPandas(Shap(model, features), "id bigint, values array<double>")),
            )
            shap_seconds = took
        java = java_peak(spark)
        spark.stop()
        found = {"fit": fit, "explain": explain, "predict": predict, "shap": shap_seconds, "java": java}
        return {**found, "shuffled": moved}


class Shap:
    """`shap.TreeExplainer` on the rows of a partition, as it is used today."""

    def __init__(self, model, features):
        self.booster, self.features = bytes(model.get_booster().save_raw()), features

    def __call__(self, frames):
        import shap

        booster = xgboost.Booster({"nthread": 1})
        booster.load_model(bytearray(self.booster))
        explainer = shap.TreeExplainer(booster)
        for frame in frames:
            values = explainer.shap_values(frame[self.features])
            yield frame[["id"]].assign(values=list(values))


ALONE = """
import json, resource, sys, time
import pyarrow.dataset, xgboost, lmdi
folder, path = sys.argv[1:]
model = xgboost.XGBRegressor()
model.load_model(path)
parts = pyarrow.dataset.dataset(folder, format="parquet")
started, worked = time.perf_counter(), time.process_time()
explainer = lmdi.LMDIPlus(model).fit(parts, "y", key="id")
fit, fit_work = time.perf_counter() - started, time.process_time() - worked
started, worked = time.perf_counter(), time.process_time()
rows = sum(len(e.values) for e in explainer.explain_batches(parts))
explain, explain_work = time.perf_counter() - started, time.process_time() - worked
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
work = {"fit_work": fit_work, "explain_work": explain_work}
print(json.dumps({"fit": fit, "explain": explain, "peak": peak, "rows": rows, **work}))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", default="1000,4000,16000", help="thousands of rows, for each run")
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--executor-memory", type=int, default=1536, help="MB of each executor")
    parser.add_argument("--shap-rows", type=int, default=2000)
    parser.add_argument("--folder", default="target/bench-spark", help="where the tables are kept")
    options = parser.parse_args()
    features = [f"x{at}" for at in range(options.columns)]
    train = part(0, 100_000, options.columns).to_pandas()
    model = xgboost.XGBRegressor(n_estimators=options.trees, max_depth=options.depth, learning_rate=0.1)
    model.fit(train[features], train["y"])
    folder = pathlib.Path(options.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    model.save_model(folder / "model.json")
    what = f"{options.trees} trees of depth {options.depth}, {options.columns} columns"
    print(f"{os.cpu_count()} cores; {what}")
    lines = []
    for thousands in (int(number) for number in options.rows.split(",")):
        rows = 1000 * thousands
        data = folder / f"rows-{thousands}k"
        generate(data, rows, options.columns)
        print(f"\n{rows:,} rows, {sum(f.stat().st_size for f in data.iterdir()) / MEGA:,.0f} MB of Parquet")
        for executors in (1, 2):
            sample = options.shap_rows if executors == 1 else 0
            found = on_spark(executors, options.executor_memory, data, model, features, sample)
            own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            lines.append((rows, f"Spark, {executors}", found, own))
        command = [sys.executable, "-c", ALONE, str(data), str(folder / "model.json")]
        print(f" one machine, streaming: load {os.getloadavg()[0]:.1f}")
        alone = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        lines.append((rows, "streaming", alone, alone["peak"]))
        print(f"  processor seconds: fit {alone['fit_work']:.1f}, explain {alone['explain_work']:.1f}")
    print(
        f"\n{'rows':>12} {'where':12} {'fit s':>8} {'explain s':>10} {'predict s':>10} {'ratio':>6}"
        f" {'shap s, scaled':>15} {'shuffled MB':>12} {'driver MB':>10} {'Java MB':>8}"
    )
    for rows, where, found, own in lines:
        predict, shap_seconds = found.get("predict"), found.get("shap")
        ratio = "" if predict is None else f"{found['explain'] / predict:.2f}"
        scaled = "" if not shap_seconds else f"{shap_seconds * rows / options.shap_rows:,.0f}"
        moved = "" if "shuffled" not in found else f"{found['shuffled'] / MEGA:,.1f}"
        java = "" if "java" not in found else f"{found['java'] / MEGA:,.0f}"
        print(
            f"{rows:12,} {where:12} {found['fit']:8.1f} {found['explain']:10.1f}"
            f" {'' if predict is None else format(predict, '.1f'):>10} {ratio:>6} {scaled:>15} {moved:>12}"
            f" {own / MEGA:10,.0f} {java:>8}"
        )


if __name__ == "__main__":
    main()
