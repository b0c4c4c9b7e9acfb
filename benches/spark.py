"""`./bench spark`: LMDI+ on Spark against one machine, XGBoost's own predictions, and shap in a pandas UDF.

Generated tables of 50 columns as Parquet files of 125,000 rows, and an XGBoost model of 100 trees of depth
6, trained on the first rows. For each number of rows (`--rows`, in thousands), on a `local-cluster` of one
and of two executors with one core each: seconds of the fit and of explaining all rows, of XGBoost's
prediction of the same rows in the same way (`mapInArrow`), and the bytes that the fit shuffled (from Spark's
event log). An executor is two processes, Java and Python, which can keep two cores busy. One executor is
therefore also timed on a single core, to be compared with two executors on two cores. The driver is a process
of its own for each of them: its memory is the most that Python took and what is in use of Java's heap after the fit. Then the same Parquet files streamed on one machine with two threads.

`shap.TreeExplainer` in a pandas UDF takes too long for all rows. After a warm-up of the workers it is timed on
two samples; the seconds per row are the difference of their times over that of their rows, so that what it costs to
start does not count, and the seconds of all rows are scaled up from there.

Every step runs once, after a warm-up on a few rows. Two executors can be faster than one only where the
machine has cores for both; the number of cores and the load before each step are printed. `--write` keeps the results
in benches/results and puts their table into docs/scale.md.
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

import common

# Another benchmark here has the name of the package.
sys.path.remove(str(pathlib.Path(__file__).resolve().parent))

import lmdi  # noqa: E402
import lmdi.spark  # noqa: E402

PART = 125_000
MEGA = 1024 * 1024
RESULTS = common.ROOT / "benches" / "results" / "spark.csv"
PAGE = common.ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- ./bench spark -->\n", "<!-- end of ./bench spark -->\n"
WHERE = ["Spark, 1 executor on one core", "Spark, 1 executor", "Spark, 2 executors", "one machine, streaming"]
COLUMNS = (
    "rows where load fit_seconds explain_seconds predict_seconds shap_seconds_scaled shap_rows shuffled_mb "
    "python_peak_mb java_heap_mb"
).split()


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
        # Over TCP, a task that reads and writes much can wait for minutes in the kernel.
        "spark.python.unix.domain.socket.enabled": "true",
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
    print(f"  {what:44} load {os.getloadavg()[0]:5.1f}", end="", flush=True, file=sys.stderr)
    started = time.perf_counter()
    result = work()
    took = time.perf_counter() - started
    print(f" {took:10.1f} s", flush=True, file=sys.stderr)
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


def heap_in_use(spark):
    """Bytes of the driver's Java heap that are not garbage."""
    runtime = spark._jvm.java.lang.Runtime.getRuntime()
    spark._jvm.java.lang.System.gc()
    return runtime.totalMemory() - runtime.freeMemory()


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


def on_spark(executors, memory, folder, path, samples, one_core):
    """Seconds and bytes of one cluster; this process is its driver and does nothing else."""
    if one_core:
        # The processes of the cluster inherit it.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    model = xgboost.XGBRegressor()
    model.load_model(path)
    features = model.get_booster().feature_names

    def noop(frame):
        frame.write.format("noop").mode("overwrite").save()

    with tempfile.TemporaryDirectory() as events:
        spark = session(executors, memory, events)
        df = spark.read.parquet(str(folder))
        few = df.limit(1000)
        lmdi.spark.LMDIPlus(model, rounds=1).fit(few, target="y").explain(few).count()
        before, load = shuffled(events), os.getloadavg()[0]
        fit, explainer = seconds("fit", lambda: lmdi.spark.LMDIPlus(model).fit(df, target="y", key="id"))
        found = {"load": load, "fit": fit, "shuffled": shuffled(events) - before, "java": heap_in_use(spark)}
        found["python"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        found["explain"], _ = seconds("explain all rows", lambda: noop(explainer.explain(df)))
        predicting = Predict(model.get_booster(), features)
        found["predict"], _ = seconds(
            "XGBoost's prediction of all rows",
            lambda: noop(df.mapInArrow(predicting, "id bigint, prediction double")),
        )
        if samples:
            found["shap"] = shap_per_row(df, Shap(model, features), executors, samples, noop)
        spark.stop()
    return found


def shap_per_row(df, work, executors, samples, run):
    """Seconds that a row more takes, from two samples, after the workers have seen a few rows."""
    took = []
    for rows in (200, *samples):
        some = df.limit(rows).repartition(executors).cache()
        some.count()
        job = some.mapInPandas(work, "id bigint, values array<double>")
        took.append(seconds(f"shap in a pandas UDF, {rows:,} rows", lambda job=job: run(job))[0])
    return (took[2] - took[1]) / (samples[1] - samples[0])


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


def streamed(data, path):
    """What a process of its own says about the same files on one machine."""
    load = os.getloadavg()[0]
    command = [sys.executable, "-c", ALONE, str(data), str(path)]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    print(f"  processor seconds: fit {found['fit_work']:.1f}, explain {found['explain_work']:.1f}")
    return found | {"load": load, "python": found["peak"]}


def measured(options, where, data, model, samples):
    """What a driver of its own says about one cluster."""
    executors = 2 if "2 executors" in where else 1
    command = [sys.executable, __file__, "--driver", str(executors), "--folder", str(data), "--model", str(model)]
    command += ["--executor-memory", str(options.executor_memory)]
    command += ["--shap-rows", ",".join(map(str, samples))]
    command += ["--pin"] if "one core" in where else []
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(ran.stdout.splitlines()[-1])


def line_of(rows, where, found, samples):
    shap_seconds = found.get("shap")
    numbers = {
        "rows": rows,
        "where": where,
        "load": round(found["load"], 1),
        "fit_seconds": round(found["fit"], 1),
        "explain_seconds": round(found["explain"], 1),
        "predict_seconds": round(found["predict"], 1) if "predict" in found else None,
        "shap_seconds_scaled": round(shap_seconds * rows) if shap_seconds else None,
        "shap_rows": samples[1] if shap_seconds else None,
        "shuffled_mb": round(found["shuffled"] / MEGA, 1) if "shuffled" in found else None,
        "python_peak_mb": round(found["python"] / MEGA),
        "java_heap_mb": round(found["java"] / MEGA) if "java" in found else None,
    }
    return [numbers[name] for name in COLUMNS]


def table(results):
    """The table of the guide."""
    lines = [
        "",
        "| rows | where | load | fit | explain | XGBoost's prediction | shap, scaled up | shuffled by the fit"
        " | driver: Python, Java |",
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|",
    ]

    def cell(value, form):
        return "-" if value is None or np.isnan(value) else form.format(value)

    for one in results.to_dict("records"):
        memory = cell(one["python_peak_mb"], "{:,.0f} MB")
        memory += cell(one["java_heap_mb"], ", {:,.0f} MB") if not np.isnan(one["java_heap_mb"]) else ""
        lines.append(
            f"| {one['rows']:,} | {one['where']} | {one['load']} | {cell(one['fit_seconds'], '{:,.0f} s')}"
            f" | {cell(one['explain_seconds'], '{:,.0f} s')} | {cell(one['predict_seconds'], '{:,.0f} s')}"
            f" | {cell(one['shap_seconds_scaled'], '{:,.0f} s')} | {cell(one['shuffled_mb'], '{:,.1f} MB')}"
            f" | {memory} |"
        )
    return "\n".join([*lines, "", ""])


def keep(results):
    """Writes results in place of kept ones of the same rows and place."""
    kept = common.pd.read_csv(RESULTS) if RESULTS.exists() else results[:0]
    whole = common.pd.concat([part for part in (kept, results) if len(part)])
    whole = whole.drop_duplicates(["rows", "where"], keep="last")
    whole["where"] = common.pd.Categorical(whole["where"], WHERE)
    whole.sort_values(["rows", "where"]).to_csv(RESULTS, index=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", default="1000,4000,16000", help="thousands of rows, for each run")
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--executor-memory", type=int, default=1536, help="MB of each executor")
    parser.add_argument("--shap-rows", default="5000,25000", help="rows of the two samples")
    parser.add_argument("--folder", default="target/bench-spark", help="where the tables are kept")
    parser.add_argument("--write", action="store_true", help="keep the results and put their table into the docs")
    parser.add_argument("--table", action="store_true", help="only put the table into the docs")
    parser.add_argument("--where", nargs="+", choices=WHERE, default=WHERE, help="what is timed; all of them")
    parser.add_argument("--driver", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--pin", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--model", help=argparse.SUPPRESS)
    options = parser.parse_args()
    samples = [int(rows) for rows in options.shap_rows.split(",") if rows]
    folder = pathlib.Path(options.folder).resolve()
    if options.driver:
        found = on_spark(
            options.driver, options.executor_memory, folder, options.model, samples, options.pin
        )
        print(json.dumps(found))
        return
    if not options.table:
        run(options, folder, samples)
    if options.write or options.table:
        common.put_table(PAGE, BEGIN, END, table(common.pd.read_csv(RESULTS)))


def run(options, folder, samples):
    features = [f"x{at}" for at in range(options.columns)]
    train = part(0, 100_000, options.columns).to_pandas()
    model = xgboost.XGBRegressor(n_estimators=options.trees, max_depth=options.depth, learning_rate=0.1)
    model.fit(train[features], train["y"])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "model.json"
    model.save_model(path)
    what = f"{options.trees} trees of depth {options.depth}, {options.columns} columns"
    print(f"{os.cpu_count()} cores; {what}")
    lines, shap_of_a_row = [], None
    for thousands in (int(number) for number in options.rows.split(",")):
        rows = 1000 * thousands
        data = folder / f"rows-{thousands}k"
        generate(data, rows, options.columns)
        print(f"\n{rows:,} rows, {sum(f.stat().st_size for f in data.iterdir()) / MEGA:,.0f} MB of Parquet")
        for where in (where for where in WHERE if where in options.where):
            print(f" {where}", flush=True)
            if where == "one machine, streaming":
                found = streamed(data, path)
            else:
                # What a row costs shap does not depend on how many there are.
                is_first = where == "Spark, 1 executor" and shap_of_a_row is None
                own = samples if is_first else []
                found = measured(options, where, data, path, own)
                shap_of_a_row = found.get("shap", shap_of_a_row)
                if where == "Spark, 1 executor":
                    found["shap"] = shap_of_a_row
            lines.append(line_of(rows, where, found, samples))
        results = common.pd.DataFrame(lines, columns=COLUMNS)
        print(results.to_string(index=False), flush=True)
        if options.write:
            keep(results)


if __name__ == "__main__":
    main()
