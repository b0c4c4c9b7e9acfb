"""Spark DataFrames on a cluster of two executors, which are processes of their own.

One session serves all tests: starting it takes longest.
"""

import os
import pathlib
import re
import shutil
import signal
import sys
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from xgboost import XGBClassifier, XGBRegressor

import lmdi

pyspark = pytest.importorskip("pyspark", reason="Spark is not installed (pip install pyspark)")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java, and there is no java on the path", allow_module_level=True)

from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml import classification as classifiers  # noqa: E402
from pyspark.ml import regression as regressors  # noqa: E402
from pyspark.ml.feature import VectorAssembler, VectorIndexer  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

import lmdi.spark  # noqa: E402
from lmdi.spark.ml import LMDIPlus, LMDIPlusModel  # noqa: E402

FEATURES = ["a", "b", "c", "d"]
#: Of the largest score: for least squares, and for fits by Newton steps.
TOLERANCE = 1e-9
OF_STEPS = 1e-6


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support", category=FutureWarning)
    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1024m",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.sql.warehouse.dir": str(folder),
        "spark.local.dir": str(folder),
        # A task is tried again elsewhere when another copy of it takes long: no row may count twice.
        "spark.speculation": "true",
        "spark.speculation.multiplier": "1.5",
        "spark.speculation.quantile": "0.5",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("lmdi")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def table(n_rows=600, seed=0):
    random = np.random.default_rng(seed)
    cells = random.normal(size=(n_rows, 4))
    cells[:, 1] = random.integers(0, 4, n_rows)
    # Cells in steps, so that many are at thresholds.
    cells[:, 3] = np.round(cells[:, 3], 1)
    frame = pd.DataFrame(cells, columns=FEATURES)
    y = 2 * cells[:, 0] + (cells[:, 1] == 2) + cells[:, 3] + 0.5 * random.normal(size=n_rows)
    more = {"y": y, "yes": (y > 0).astype(float), "w": random.integers(1, 4, n_rows) * 1.0}
    return frame.assign(**more, three=np.digitize(y, [-1, 1]) * 1.0, id=range(n_rows))


@pytest.fixture(scope="module")
def rows():
    return table()


@pytest.fixture(scope="module")
def df(spark, rows):
    return spark.createDataFrame(rows).repartition(3).cache()


@pytest.fixture(scope="module")
def forest(rows):
    return RandomForestRegressor(8, min_samples_leaf=20, random_state=0).fit(rows[FEATURES], rows["y"])


def scores(frame, names=FEATURES):
    found = frame.toPandas().sort_values("id")
    return found["base"].to_numpy(), found[[f"score:{name}" for name in names]].to_numpy()


def same(found, expected, tolerance=TOLERANCE):
    size = np.abs(expected.values).max()
    assert np.abs(found[1] - expected.values).max() <= tolerance * size
    assert np.abs(found[0] - expected.base_values).max() <= tolerance * size


def test_the_fit_of_one_machine(df, rows, forest):
    explainer = lmdi.spark.LMDIPlus(forest).fit(df, target="y", key="id", sample_weight="w")
    alone = lmdi.LMDIPlus(forest).fit([rows], "y", key="id", sample_weight="w")
    same(scores(explainer.explain(df)), alone.explain(rows[FEATURES]))
    assert explainer.explain(df, keep=["a"]).columns[:3] == ["id", "a", "base"]
    arrays = explainer.explain(df.filter("id = 5"), array=True).collect()[0]
    assert np.allclose(arrays["scores"], alone.explain(rows[5:6][FEATURES]).values[0], atol=1e-9)
    assert explainer.explainer.explain(rows[FEATURES]).values.shape == (600, 4)


@pytest.mark.parametrize("partitions", ["1", "7", "50", "skewed and empty", "another order"])
def test_partitions_do_not_matter(spark, rows, partitions):
    model = XGBRegressor(n_estimators=8, max_depth=3).fit(rows[FEATURES], rows["y"])
    given = spark.createDataFrame(rows)
    if partitions == "another order":
        given = spark.createDataFrame(rows.sample(frac=1, random_state=1)).coalesce(2)
    elif partitions == "skewed and empty":
        given = given.repartition(6, F.when(given["id"] < 5, given["id"]).otherwise(9))
    else:
        given = given.repartition(int(partitions))
    explainer = lmdi.spark.LMDIPlus(model, rounds=1).fit(given, target="y", key="id")
    alone = lmdi.LMDIPlus(model, rounds=1).fit([rows], "y", key="id")
    same(scores(explainer.explain(given)), alone.explain(rows[FEATURES]))


@pytest.mark.parametrize("partitions", [1, 7])
def test_logistic_fits_take_newton_steps(spark, rows, partitions):
    model = RandomForestClassifier(5, min_samples_leaf=20, random_state=0).fit(rows[FEATURES], rows["yes"])
    given = spark.createDataFrame(rows).repartition(partitions)
    choices = {"preset": "data"}
    explainer = lmdi.spark.LMDIPlus(model, **choices).fit(given, target="yes", key="id", sample_weight="w")
    alone = lmdi.LMDIPlus(model, **choices).fit([rows], "yes", key="id", sample_weight="w")
    same(scores(explainer.explain(given)), alone.explain(rows[FEATURES]), OF_STEPS)


def test_logistic_fits_of_three_classes_and_a_partition_of_one(spark, rows):
    model = RandomForestClassifier(3, min_samples_leaf=20, random_state=0).fit(rows[FEATURES], rows["three"])
    given = spark.createDataFrame(rows).repartition(3, "three")
    explainer = lmdi.spark.LMDIPlus(model, preset="data").fit(given, target="three", key="id")
    alone = lmdi.LMDIPlus(model, preset="data").fit([rows], "three", key="id")
    found = explainer.explain(given, array=True).toPandas().sort_values("id")
    expected = alone.explain(rows[FEATURES]).values.transpose(0, 2, 1).reshape(len(rows), -1)
    found = np.stack(found["scores"].to_numpy())
    assert np.abs(found - expected).max() <= OF_STEPS * np.abs(expected).max()


def executors(spark):
    """Process ids of the executors of this session, which descend from its driver."""
    driver = spark.sparkContext._gateway.proc.pid
    parents, found = {}, []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if b"CoarseGrainedExecutorBackend" in words:
            found.append(int(folder.name))

    def descends(pid):
        return pid == driver or (pid in parents and descends(parents[pid]))

    return [pid for pid in found if descends(pid)]


def while_an_executor_dies(spark, started, work):
    """Does some work, and kills an executor once the work has begun."""
    killed = []

    def kill():
        while not started.exists():
            time.sleep(0.01)
        killed.append(executors(spark)[0])
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    found = work()
    thread.join()
    assert len(killed) == 1
    return found


def slow_rows(df, started):
    """The same rows, of which the last wait on their way, so that work lasts."""
    path = str(started)

    def wait(batches):
        for batch in batches:
            pathlib.Path(path).touch()
            time.sleep(0.7)
            yield batch

    return df.mapInArrow(wait, df.schema)


@pytest.mark.parametrize("stage", ["fit", "explain"])
def test_an_executor_that_dies_costs_no_result(spark, rows, forest, tmp_path, stage):
    given = spark.createDataFrame(rows).repartition(4)
    alone = lmdi.LMDIPlus(forest, rounds=1).fit([rows], "y", key="id")
    started = tmp_path / "started"
    slow = slow_rows(given, started)
    explainer = lmdi.spark.LMDIPlus(forest, rounds=1)
    if stage == "fit":
        while_an_executor_dies(spark, started, lambda: explainer.fit(slow, target="y", key="id"))
        found = scores(explainer.explain(given))
    else:
        explainer.fit(given, target="y", key="id")
        found = while_an_executor_dies(spark, started, lambda: scores(explainer.explain(slow)))
    same(found, alone.explain(rows[FEATURES]))


def test_a_task_that_is_tried_again_counts_once(spark, rows, forest, tmp_path):
    """Each partition fails once, after it has given its rows."""
    folder = str(tmp_path)

    def failing(batches):
        from pyspark import TaskContext

        yield from batches
        context = TaskContext.get()
        mark = pathlib.Path(folder) / f"{context.stageId()}-{context.partitionId()}"
        if not mark.exists():
            mark.touch()
            raise RuntimeError("a worker fails for a reason of its own")

    given = spark.createDataFrame(rows).repartition(2)
    explainer = lmdi.spark.LMDIPlus(forest, rounds=1)
    explainer.fit(given.mapInArrow(failing, given.schema), target="y", key="id")
    assert len(list(tmp_path.iterdir())) == 4
    alone = lmdi.LMDIPlus(forest, rounds=1).fit([rows], "y", key="id")
    same(scores(explainer.explain(given)), alone.explain(rows[FEATURES]))


def test_other_methods_and_classes(df, rows):
    model = RandomForestClassifier(6, min_samples_leaf=30, random_state=0).fit(rows[FEATURES], rows["three"])
    for there, here in [(lmdi.spark.TreeSHAP, lmdi.TreeSHAP), (lmdi.spark.Saabas, lmdi.Saabas)]:
        found = there(model).explain(df, key="id").toPandas().sort_values("id")
        expected = here(model).explain(rows[FEATURES])
        names = [f"score:1.0:{name}" for name in FEATURES]
        assert np.allclose(found[names], expected.values[..., 1], atol=1e-12)
        assert np.allclose(found["base:2.0"], expected.base_values[..., 2], atol=1e-12)
    fitted = lmdi.spark.LMDIPlus(model, rounds=1).fit(df, target="three", key="id")
    alone = lmdi.LMDIPlus(model, rounds=1).fit([rows], "three", key="id").explain(rows[FEATURES])
    found = fitted.explain(df).toPandas().sort_values("id")
    assert np.allclose(found[[f"score:0.0:{name}" for name in FEATURES]], alone.values[..., 0], atol=1e-9)


def test_odd_names(spark, rows):
    names = ["a, b", "c.d", "e`f", "g h"]
    renamed = rows.rename(columns=dict(zip(FEATURES, names)))
    model = LGBMRegressor(n_estimators=4, min_child_samples=50, verbose=-1)
    model.fit(renamed[["c.d", "e`f", "g h"]], rows["y"])
    given = spark.createDataFrame(renamed)
    found = lmdi.spark.LMDIPlus(model, rounds=1).fit(given, target="y", key="id").explain(given)
    alone = lmdi.LMDIPlus(model, rounds=1).fit([renamed], "y", key="id")
    expected = alone.explain(renamed[["c.d", "e`f", "g h"]])
    same(scores(found, ["c.d", "e`f", "g h"]), expected)
    plain = XGBRegressor(n_estimators=4, max_depth=2).fit(renamed[names].to_numpy(), rows["y"])
    found = lmdi.spark.TreeSHAP(plain, features=names).explain(given, key="id")
    same(scores(found, names), lmdi.TreeSHAP(plain).explain(renamed[names].to_numpy()))


def test_missing_cells_new_categories_and_bad_cells(spark, rows):
    text = rows.assign(b=rows["b"].map({0: "w", 1: "x", 2: "y", 3: "z"}))
    model = lmdi.GradientBoostingRegressor(n_estimators=6).fit(text[FEATURES], text["y"])
    gaps = text.copy()
    gaps.loc[3, "b"], gaps.loc[4, "a"], gaps.loc[5, "b"] = None, np.nan, "never seen"
    given = spark.createDataFrame(gaps)
    fitted = lmdi.spark.LMDIPlus(model, rounds=1).fit(given, target="y", key="id")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lmdi.LmdiWarning)
        alone = lmdi.LMDIPlus(model, rounds=1).fit([gaps], "y", key="id")
        expected = alone.explain(gaps[FEATURES])
    same(scores(fitted.explain(given)), expected)
    for column, cell in [("y", np.nan), ("y", None)]:
        bad = text.copy().astype({column: object})
        bad.loc[7, column] = cell
        bad = spark.createDataFrame(bad, spark.createDataFrame(text).schema).coalesce(1)
        with pytest.raises(ValueError, match=r"partition 0, batch 0: y is NaN in row 7.*column 'y'"):
            lmdi.spark.LMDIPlus(model).fit(bad, target="y")
    with pytest.raises(ValueError, match="no row to fit"):
        lmdi.spark.LMDIPlus(model).fit(given.filter("false"), target="y")


def test_what_is_refused_before_any_job(spark, df, forest):
    jobs = spark.sparkContext.statusTracker()
    explainer = lmdi.spark.LMDIPlus(forest)
    odd = df.withColumn("d", F.array("d")).withColumn("when", F.current_timestamp())
    for work, words in [
        (lambda: explainer.fit(df.drop("b", "c"), target="y"), "no column 'b', 'c'"),
        (lambda: explainer.fit(df, target="z"), "no column 'z'"),
        (lambda: explainer.fit(df, target="y", key="k"), "no column 'k'"),
        (lambda: explainer.fit(odd, target="y"), "column 'd' is of the type array<double>"),
        (lambda: explainer.fit(odd, target="y", key="when", features=["a"] * 4), "timestamp"),
        (lambda: explainer.fit(df, target="y", features=["a"]), "names 1 columns; the model reads 4"),
        (lambda: explainer.fit(df.select("*", df["a"]), target="y"), "more than one column 'a'"),
        (lambda: explainer.explain(df), "not fitted"),
        (lambda: lmdi.spark.TreeSHAP(forest).explain(df.drop("a")), "no column 'a'"),
        (lambda: lmdi.spark.TreeSHAP(forest).explain(df.withColumn("base", df["a"]), key="base"), "rename"),
    ]:
        with pytest.raises(ValueError, match=words):
            work()
    with pytest.raises(TypeError, match="unexpected"):
        lmdi.spark.LMDIPlus(forest, penalty=1)
    assert jobs.getActiveJobsIds() == []


@pytest.fixture(scope="module")
def vectors(df):
    """Vectors whose second element has categories."""
    assembled = VectorAssembler(inputCols=FEATURES, outputCol="raw").transform(df)
    indexer = VectorIndexer(inputCol="raw", outputCol="features", maxCategories=5)
    return indexer.fit(assembled).transform(assembled).cache()


@pytest.mark.parametrize(
    "kind", ["tree", "tree of classes", "forest", "forest of classes", "gbt", "gbt of classes"]
)
def test_models_of_spark(vectors, kind):
    labels = {"labelCol": "three" if kind == "forest of classes" else "yes" if "classes" in kind else "y"}
    estimator = {
        "tree": regressors.DecisionTreeRegressor(maxDepth=5, **labels),
        "tree of classes": classifiers.DecisionTreeClassifier(maxDepth=4, **labels),
        "forest": regressors.RandomForestRegressor(numTrees=4, maxDepth=4, seed=1, **labels),
        "forest of classes": classifiers.RandomForestClassifier(numTrees=4, maxDepth=4, seed=1, **labels),
        "gbt": regressors.GBTRegressor(maxIter=4, maxDepth=3, seed=1, **labels),
        "gbt of classes": classifiers.GBTClassifier(maxIter=4, maxDepth=3, seed=1, **labels),
    }[kind]
    estimator.setLeafCol("leaf")
    model = estimator.fit(vectors)
    found = model.transform(vectors).toPandas()
    cells = np.vstack([vector.toArray() for vector in found["features"]])
    trees = list(model.trees) if hasattr(model, "trees") else [model]
    taken = lmdi._models.model_of(model)
    text = "".join(tree.toDebugString for tree in trees)
    assert " in {" in text or "classes" in kind
    # Cells equal to thresholds and just beside them, and categories that no tree knows.
    odd = []
    for feature, threshold in re.findall(r"feature (\d) <= (-?[0-9.E-]+)\)", text)[:12]:
        for cell in (float(threshold), np.nextafter(float(threshold), np.inf)):
            row = np.array([0.0, 1.0, 0.0, 0.0])
            row[int(feature)] = cell
            odd.append(row)
    odd += [np.array([cell, code, 0.1, cell]) for code in (4.0, 9.0, 70.0) for cell in (-1.0, 1.0)]
    expected = np.vstack([getattr(leaf, "toArray", lambda leaf=leaf: [leaf])() for leaf in found["leaf"]])
    of_odd = [[tree.predictLeaf(Vectors.dense(row)) for tree in trees] for row in odd]
    expected, leaves = np.vstack([expected, of_odd]), taken.apply(np.vstack([cells, odd]))
    for tree in range(len(trees)):
        # Spark numbers the leaves from left to right, as our nodes are in order.
        order = {node: at for at, node in enumerate(all_leaves(trees[tree]))}
        assert [order[node] for node in leaves[:, tree]] == expected[:, tree].astype(int).tolist()
    if "classes" in kind:
        probability = np.vstack([vector.toArray() for vector in found["probability"]])
        assert np.allclose(taken.predict_proba(cells), probability, atol=1e-12)
    else:
        assert np.allclose(taken.predict(cells), found["prediction"], atol=1e-9)


def all_leaves(tree):
    """The places of the leaves among all nodes, parents before children, left before right."""
    found, count = [], 0

    def visit(node):
        nonlocal count
        at, count = count, count + 1
        if node.getClass().getSimpleName() == "InternalNode":
            visit(node.leftChild())
            visit(node.rightChild())
        else:
            found.append(at)

    visit(tree._java_obj.rootNode())
    return found


def test_a_pipeline_is_fitted_saved_and_loaded(spark, df, rows, tmp_path):
    assembler = VectorAssembler(inputCols=FEATURES, outputCol="features")
    forest = regressors.RandomForestRegressor(numTrees=4, maxDepth=4, seed=1, labelCol="y")
    stage = LMDIPlus(forest, labelCol="y", keyCol="id", choices={"rounds": 1})
    pipeline = Pipeline(stages=[assembler, stage])
    pipeline.write().overwrite().save(f"file://{tmp_path}/pipeline")
    again = Pipeline.load(f"file://{tmp_path}/pipeline")
    assert again.getStages()[1].getOrDefault("choices") == {"rounds": 1}
    fitted = again.fit(df)
    found = fitted.transform(df)
    assert found.columns == [*df.columns, "features", "base", "scores"]
    fitted.write().overwrite().save(f"file://{tmp_path}/model")
    loaded = PipelineModel.load(f"file://{tmp_path}/model")
    before, after = (frame.toPandas().sort_values("id") for frame in (found, loaded.transform(df)))
    assert np.array_equal(np.vstack(before["scores"]), np.vstack(after["scores"]))
    assert loaded.stages[1].feature_names == FEATURES
    trees = lmdi._models.model_of(forest.fit(assembler.transform(df)))
    alone = lmdi.LMDIPlus(trees, rounds=1).fit([rows], "y", key="id", features=FEATURES)
    expected = alone.explain(rows[FEATURES])
    same((np.vstack(after["base"])[:, 0], np.vstack(after["scores"])), expected)


def test_a_stage_of_a_model_that_is_there(df, rows, tmp_path):
    model = XGBClassifier(n_estimators=4, max_depth=2).fit(rows[FEATURES], rows["yes"])
    stage = LMDIPlus(model, labelCol="yes", scoresCol="why", choices={"rounds": 1})
    stage.save(f"file://{tmp_path}/stage")
    fitted = LMDIPlus.load(f"file://{tmp_path}/stage").fit(df)
    fitted.save(f"file://{tmp_path}/fitted")
    loaded = LMDIPlusModel.load(f"file://{tmp_path}/fitted")
    found = loaded.transform(df).toPandas().sort_values("id")
    expected = lmdi.LMDIPlus(model, rounds=1).fit([rows], "yes").explain(rows[FEATURES])
    same((np.vstack(found["base"])[:, 0], np.vstack(found["why"])), expected)
