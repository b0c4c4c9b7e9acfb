"""What the benchmarks share: data sets, forests, the matrix file, and calls of our own binaries.

The data sets are no part of the repository: gzipped CSV files, target last, in the directory `$LMDI_DATA`
or `../shared/data`. Preparation as in the paper: at most 2,000 rows, 67/33 split, columns
standardised on the training part, cells rounded to 32 bits.

Matrix file: rows (u64), columns (u64), cells (f64) row by row, all little-endian.
"""

import csv
import json
import os
import pathlib
import platform
import subprocess
import time
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import ElasticNetCV, LogisticRegressionCV

ROOT = pathlib.Path(__file__).resolve().parent.parent
L1_RATIOS = [0.1, 0.5, 0.99]


@dataclass
class Sample:
    """A data set ready for use: the training rows come first in `rows`."""

    name: str
    names: list
    classes: bool
    train: np.ndarray
    response: np.ndarray
    rows: np.ndarray


def data_file(name):
    directory = pathlib.Path(os.environ.get("LMDI_DATA", ROOT.parent / "shared" / "data"))
    path = directory / f"{name}.csv.gz"
    if not path.exists():
        raise SystemExit(f"{path} does not exist; name the data directory in $LMDI_DATA")
    return path


def load(name, classes, n_rows=2000, seed=0):
    """The data set `name`, prepared."""
    frame = pd.read_csv(data_file(name))
    random = np.random.default_rng(seed)
    frame = frame.iloc[random.permutation(len(frame))[:n_rows]]
    x = frame.iloc[:, :-1].to_numpy(dtype=float)
    y = frame.iloc[:, -1].to_numpy(dtype=float)
    n_train = round(0.67 * len(x))
    mean, spread = x[:n_train].mean(axis=0), x[:n_train].std(axis=0)
    x = (x - mean) / np.where(spread > 0, spread, 1.0)
    x = x.astype(np.float32).astype(np.float64)
    y = y.astype(int) if classes else y
    return Sample(name, list(frame.columns[:-1]), classes, x[:n_train], y[:n_train], x)


def grow(sample, leaf, trees=100, seed=0):
    """The paper's forest on the training rows."""
    if sample.classes:
        kind, share = RandomForestClassifier, "sqrt"
    else:
        kind, share = RandomForestRegressor, 0.33
    forest = kind(trees, min_samples_leaf=leaf, max_features=share, random_state=seed, n_jobs=-1)
    return forest.fit(sample.train, sample.response)


def first_trees(forest, count):
    """The same forest with only its first trees."""
    few = type(forest)(**forest.get_params())
    few.__dict__.update(forest.__dict__)
    few.estimators_ = forest.estimators_[:count]
    few.n_estimators = count
    return few


def reference_glm(classes):
    """The GLM of the paper's experiments."""
    if classes:
        return LogisticRegressionCV(
            penalty="elasticnet",
            l1_ratios=L1_RATIOS,
            solver="saga",
            cv=3,
            tol=5e-4,
            max_iter=2000,
            random_state=0,
        )
    return ElasticNetCV(cv=3, l1_ratio=L1_RATIOS, max_iter=2000, random_state=0)


def fit_reference(sample, forest, n_jobs=None):
    """imodels' RF+ on a fitted forest."""
    from imodels.tree.rf_plus.rf_plus import rf_plus_models

    kind = "Classifier" if sample.classes else "Regressor"
    plus = getattr(rf_plus_models, f"RandomForestPlus{kind}")(
        rf_model=forest, prediction_model=reference_glm(sample.classes), verbose=False
    )
    plus.fit(sample.train, sample.response, n_jobs=n_jobs)
    return plus


def write_matrix(path, cells):
    """The matrix file of our binaries."""
    cells = np.atleast_2d(np.asarray(cells, dtype="<f8"))
    with open(path, "wb") as file:
        file.write(np.array(cells.shape, dtype="<u8").tobytes())
        file.write(np.ascontiguousarray(cells).tobytes())


def read_matrix(path):
    """A matrix that our binaries wrote."""
    content = pathlib.Path(path).read_bytes()
    rows, columns = np.frombuffer(content, dtype="<u8", count=2)
    return np.frombuffer(content, dtype="<f8", offset=16).reshape(rows, columns)


def build(name):
    """Compiles one of our benchmark binaries, optimised; returns its path.

    With the features of the whole workspace, so that what another build left behind is used again.
    """
    command = ["cargo", "build", "--release", "--quiet", "--workspace", "--bin", name]
    subprocess.run(command, cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / name


def run(binary, *options, threads):
    """Runs one of our binaries in a fresh process; returns the JSON it prints."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    command = [str(binary), *map(str, options)]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def hand_over(directory, sample, forest):
    """Writes forest and data for our binaries; returns the options that name them."""
    from export_sklearn import write_forest

    model = pathlib.Path(directory) / "model.json"
    write_forest(model, forest, len(sample.train), sample.names)
    return [model, *write_data(directory, sample)]


def write_data(directory, sample):
    """Writes training rows, responses and all rows as matrix files; returns their paths."""
    directory = pathlib.Path(directory)
    matrices = {"train": sample.train, "response": sample.response[:, None], "rows": sample.rows}
    for name, cells in matrices.items():
        write_matrix(directory / f"{name}.bin", cells)
    return [directory / f"{name}.bin" for name in matrices]


def seconds(work):
    """How long `work()` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def versions():
    """One line naming the software compared with."""
    from importlib.metadata import version

    names = ["scikit-learn", "imodels", "shap", "numpy"]
    return ", ".join(f"{name} {version(name)}" for name in names)


def machine(threads, binary):
    """The processor's name, and what of it is used."""
    name = platform.processor() or platform.machine()
    known = pathlib.Path("/proc/cpuinfo")
    if known.exists():
        lines = known.read_text().splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    profile = "release" if "release" in pathlib.Path(binary).parts else "development"
    return f"{name}, {threads} thread{'' if threads == 1 else 's'}, {profile} build"


def read_results(path):
    """Results that were kept, one dictionary per line; none before the first."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write_results(path, columns, lines):
    """Keeps results, one dictionary per line."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def with_table(text, begin, end, table):
    """The text of a page with a table between two marks."""
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return before + begin + table + end + after


def figure(value):
    """A time with two significant digits, a ratio of ten or more without decimals."""
    value = float(f"{float(value):.2g}")
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def put_table(page, begin, end, table):
    """Puts a table into a page of the docs, between two marks."""
    page.write_text(with_table(page.read_text(), begin, end, table))
