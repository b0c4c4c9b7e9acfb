#!/usr/bin/env python3
"""Makes models of other libraries, and what the libraries themselves say about rows.

    make.py [ENVIRONMENT...]    all, or some of the environments below

Every environment is a virtual environment with pinned versions, made under $IMPORT_VENVS (default: a
temporary directory) by the Python that runs this, 3.11, or by the older one that PYTHONS names. Written here are, for every case NAME, the model file as the library writes it (NAME.json.gz, NAME.ubj.gz or
NAME.txt.gz) and NAME.expected.json.gz:

    rounds   how many rounds were used to predict
    rows     cells row by row: a number, null for NaN, or the text of a category
    leaf     the leaf of each row in each tree, by the library's own numbers
    margin   the raw output of each row, before the link

Rows are random ones, rows exactly at every threshold of the model and one step beside it in 32 and in 64
bits, and rows with NaN, zeros, tiny numbers and unknown categories in every column. The tests are in
crates/lmdi/tests/it/forest/import_golden.rs.

Cases train_... have NAME.training.json.gz instead: the training rows, their targets y, and the raw outputs. They
are trained without any penalty on leaf values, so that a leaf's value is the learning rate times the mean of its
rows' working targets, as crates/lmdi/tests/it/importance/lmdi_plus/imported.rs wants to see it.
"""

import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SHARED = ["numpy==1.26.4", "scipy==1.11.4"]
ENVIRONMENTS = {
    "xgboost-1.7.6": ("xgboost", SHARED + ["pandas==1.5.3", "xgboost==1.7.6"]),
    "xgboost-2.1.4": ("xgboost", SHARED + ["pandas==2.2.3", "xgboost-cpu==2.1.4"]),
    "xgboost-3.0.5": ("xgboost", SHARED + ["pandas==2.2.3", "xgboost-cpu==3.0.5"]),
    "xgboost-3.1.3": ("xgboost", SHARED + ["pandas==2.2.3", "xgboost-cpu==3.1.3"]),
    "xgboost-3.2.0": ("xgboost", SHARED + ["pandas==2.2.3", "xgboost-cpu==3.2.0"]),
    "lightgbm-3.3.5": ("lightgbm", SHARED + ["pandas==1.5.3", "scikit-learn==1.3.2", "lightgbm==3.3.5"]),
    "lightgbm-4.0.0": ("lightgbm", SHARED + ["pandas==2.2.3", "scikit-learn==1.3.2", "lightgbm==4.0.0"]),
    "lightgbm-4.7.0": ("lightgbm", SHARED + ["pandas==2.2.3", "scikit-learn==1.3.2", "lightgbm==4.7.0"]),
    "catboost-1.0.6": ("catboost", ["numpy==1.23.5", "scipy==1.10.1", "pandas==1.5.3", "catboost==1.0.6"]),
    "catboost-1.2": ("catboost", SHARED + ["pandas==2.2.3", "catboost==1.2"]),
    "catboost-1.2.10": ("catboost", SHARED + ["pandas==2.2.3", "catboost==1.2.10"]),
}
# Interpreters of versions that have no wheel for this one.
PYTHONS = {"catboost-1.0.6": "python3.10"}
# Environments with every case; the others have those whose format changed.
FULL = {"xgboost-3.2.0", "lightgbm-4.7.0", "catboost-1.2.10"}


def compressed(data):
    return gzip.compress(data, 9, mtime=0)


def save(name, ending, model, rounds, rows, leaf, margin):
    import numpy as np

    cells = [
        [None if isinstance(x, float) and np.isnan(x) else x for x in row] for row in rows
    ]
    leaf = np.asarray(leaf).reshape(len(rows), -1).astype(int).tolist()
    margin = np.asarray(margin, dtype=float).reshape(len(rows), -1).tolist()
    expected = {"rounds": rounds, "rows": cells, "leaf": leaf, "margin": margin}
    (HERE / f"{name}.{ending}.gz").write_bytes(compressed(model))
    text = json.dumps(expected, separators=(",", ":"))
    (HERE / f"{name}.expected.json.gz").write_bytes(compressed(text.encode()))


def save_training(name, ending, model, x, y, margin):
    """A model with the rows it was trained on."""
    import numpy as np

    margin = np.asarray(margin, dtype=float).reshape(len(x), -1).tolist()
    expected = {"rows": np.asarray(x, dtype=float).tolist(), "y": np.asarray(y, dtype=float).tolist()}
    text = json.dumps({**expected, "margin": margin}, separators=(",", ":"))
    (HERE / f"{name}.{ending}.gz").write_bytes(compressed(model))
    (HERE / f"{name}.training.json.gz").write_bytes(compressed(text.encode()))


def table(seed, n=400):
    """Columns 0 to 2 are numbers (the last with many zeros and tiny values), column 3 a code."""
    import numpy as np

    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 4))
    x[:, 1] = np.round(x[:, 1], 1)
    x[:, 2] = np.where(random.random(n) < 0.6, 0.0, x[:, 2])
    x[:20, 2] = 1e-36
    x[:, 3] = random.integers(0, 6, n)
    signal = x[:, 0] + 2 * (x[:, 1] > 0.3) - (x[:, 2] > 0) + np.isin(x[:, 3], [1, 4]) * 1.5
    return x, signal + 0.2 * random.normal(size=n), random


def with_nan(x, random, columns=(0, 2)):
    import numpy as np

    x = x.copy()
    for column in columns:
        x[random.random(len(x)) < 0.15, column] = np.nan
    return x


def probing_rows(x, thresholds, codes, random):
    """Rows of cells; `thresholds` has pairs of column and number, `codes` the columns of categories."""
    import numpy as np

    base = x[random.choice(len(x), 30, replace=False)]
    rows = [list(map(float, row)) for row in base]
    finite = base[~np.isnan(base).any(axis=1)]

    def put(column, cell):
        row = list(map(float, finite[len(rows) % len(finite)]))
        row[column] = float(cell)
        rows.append(row)

    for column, threshold in sorted(set(thresholds)):
        single = np.float32(threshold)
        for cell in [
            threshold,
            np.nextafter(threshold, -np.inf),
            np.nextafter(threshold, np.inf),
            single,
            np.nextafter(single, np.float32(-np.inf)),
            np.nextafter(single, np.float32(np.inf)),
        ]:
            put(column, cell)
    tiny = np.float64(np.float32(1e-35))
    for column in range(x.shape[1]):
        cells = [np.nan, 0.0, -0.0, 1e-36, -1e-36, 1e-35, -1e-35, tiny, -tiny, 1e-34, -1e-34]
        cells += [np.nextafter(tiny, 1), np.nextafter(-tiny, -1), 1e30, -1e30]
        if column in codes:
            cells = [np.nan, -0.0, *range(8), 1.5, 63.0, 64.0, 1e6]
            cells += codes[column]
        for cell in cells:
            put(column, cell)
    return rows


# --- XGBoost ---------------------------------------------------------------------------------------


def xgboost_cases(version):
    import numpy as np
    import pandas as pd
    import xgboost as xgb

    assert xgb.__version__ == version
    full = f"xgboost-{version}" in FULL
    types = ["q", "q", "q", "c"]

    def thresholds(booster):
        trees = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]
        trees = trees.get("model", trees.get("gbtree", {}).get("model"))["trees"]
        for tree in trees:
            kinds = tree.get("split_type") or [0] * len(tree["left_children"])
            for node, left in enumerate(tree["left_children"]):
                if left != -1 and kinds[node] == 0:
                    yield tree["split_indices"][node], float(np.float32(tree["split_conditions"][node]))

    def case(name, y, options, rounds=3, categorical=False, ending="json", missing=True, **more):
        x, _, random = table(len(name))
        if missing:
            x = with_nan(x, random)
        options = {"max_depth": 3, "seed": 1, "nthread": 1, "base_score": None, **options}
        options = {key: value for key, value in options.items() if value is not None}
        if categorical:
            kinds = {"feature_types": types, "enable_categorical": True}
            options = {"tree_method": "hist", "max_cat_to_onehot": 3, **options}
        else:
            kinds = {}
        data = xgb.DMatrix(x, y, **kinds)
        used = {}
        if more.get("stop"):
            held = xgb.DMatrix(x[:100], np.roll(y[:100], 7), **kinds)
            booster = xgb.train(
                options, data, 30, evals=[(held, "held")], early_stopping_rounds=3, verbose_eval=False
            )
            rounds = booster.best_iteration + 1
            used = {"iteration_range": (0, rounds)}
        else:
            booster = xgb.train(options, data, rounds)
        codes = {3: [-1.0, -0.5, 16777216.0, 16777217.0]} if categorical else {}
        rows = probing_rows(x, thresholds(booster), codes, random)
        probe = xgb.DMatrix(np.array(rows), **kinds)
        leaf = booster.predict(probe, pred_leaf=True, **used)
        margin = booster.predict(probe, output_margin=True, **used)
        model = bytes(booster.save_raw(ending))
        save(f"xgboost-{version}-{name}", ending, model, rounds, rows, leaf, margin)

    _, signal, random = table(0)
    binary = (signal > np.median(signal)).astype(int)
    three = np.digitize(signal, np.quantile(signal, [0.3, 0.6]))
    positive = np.exp(signal / 3)
    count = random.poisson(positive)

    case("regression", signal * 100 + 1000, {})
    case("binary", binary, {"objective": "binary:logistic"}, ending="ubj")
    case("base_score", binary, {"objective": "binary:logistic", "base_score": 0.3})
    case("multiclass", three, {"objective": "multi:softprob", "num_class": 3}, rounds=2)
    case("poisson", count, {"objective": "count:poisson"})
    case("categorical", signal, {}, categorical=True)
    case("dart", signal, {"booster": "dart", "rate_drop": 0.5, "one_drop": 1}, rounds=5)
    forest = {"num_parallel_tree": 4, "subsample": 0.6, "eta": 1.0}
    case("forest", signal * 10, forest, rounds=1)
    case("stopped", signal, {"eta": 0.8, "max_depth": 2}, stop=True)
    case("logitraw", binary, {"objective": "binary:logitraw"}, rounds=2)
    if full:
        case("gamma", positive, {"objective": "reg:gamma"})
        case("tweedie", count, {"objective": "reg:tweedie", "tweedie_variance_power": 1.3})
        case("softmax", three, {"objective": "multi:softmax", "num_class": 3}, rounds=2, ending="ubj")
        case("categorical_multi", three, {"objective": "multi:softprob", "num_class": 3}, 2, True, "ubj")
        case("dart_binary", binary, {"booster": "dart", "rate_drop": 0.5, "one_drop": 1, "objective": "binary:logistic"}, 4, ending="ubj")
        case("forest_binary", binary, {**forest, "objective": "binary:logistic"}, rounds=1)
        case("forest_multi", three, {**forest, "objective": "multi:softprob", "num_class": 3}, rounds=1)
        case("boosted_forest", signal, {**forest, "num_parallel_tree": 2, "eta": 0.3}, rounds=3)
        case("boosted_forest_multi", three, {**forest, "num_parallel_tree": 2, "objective": "multi:softprob", "num_class": 3}, rounds=2)
        case("pruned", signal, {"tree_method": "exact", "gamma": 8.0, "max_depth": 5}, missing=False)
        case("reg_logistic", binary, {"objective": "reg:logistic"}, rounds=2)
        case("constant", np.full(400, 3.5), {}, rounds=1)
        for name, y, options in [
            ("regression", signal * 10 + 100, {}),
            ("binary", binary, {"objective": "binary:logistic"}),
            ("multiclass", three, {"objective": "multi:softprob", "num_class": 3}),
            ("gamma", positive, {"objective": "reg:gamma"}),
            ("tweedie", count, {"objective": "reg:tweedie", "tweedie_variance_power": 1.3}),
            ("dart", signal, {"booster": "dart"}),
            ("boosted_forest", signal, {"num_parallel_tree": 3, "colsample_bynode": 0.5, "tree_method": "hist"}),
            ("forest", signal + 7, {"num_parallel_tree": 3, "colsample_bynode": 0.5, "eta": 1.0, "tree_method": "hist"}),
        ]:
            x = np.float32(table(1, 150)[0])
            options = {"max_depth": 2, "eta": 0.2, "lambda": 0.0, "min_child_weight": 0.0, "nthread": 1,
                       "max_delta_step": 0.0, "tree_method": "exact", **options}  # fmt: skip
            data = xgb.DMatrix(x, y[:150])
            booster = xgb.train(options, data, 1 if name == "forest" else 4)
            margin = booster.predict(data, output_margin=True)
            model = bytes(booster.save_raw("json"))
            save_training(f"xgboost-{version}-train_{name}", "json", model, x, y[:150], margin)
    if tuple(map(int, version.split("."))) >= (3, 1, 0):
        for ending in ["json", "ubj"] if full else ["ubj"]:
            x, y, random = table(5)
            # In ASCII: of other names XGBoost writes too few bytes.
            texts = np.array(["e", "b", "a b", "x", "", "z"])[x[:, 3].astype(int)]
            numbers = np.array([10, 3, 7])[x[:, 3].astype(int) % 3]
            frame = pd.DataFrame(
                {"x": x[:, 0], "text": pd.Categorical(texts), "number": pd.Categorical(numbers)}
            )
            data = xgb.DMatrix(frame, y, enable_categorical=True)
            booster = xgb.train({"max_depth": 3, "nthread": 1, "max_cat_to_onehot": 2}, data, 3)
            rows = [[float(a), b, str(c)] for a, b, c in frame[:60].itertuples(index=False)]
            probe = frame[:60].copy()
            probe.loc[50:, "text"] = None
            for row in rows[50:]:
                row[1] = None
            probe = xgb.DMatrix(probe, enable_categorical=True)
            leaf = booster.predict(probe, pred_leaf=True)
            margin = booster.predict(probe, output_margin=True)
            model = bytes(booster.save_raw(ending))
            save(f"xgboost-{version}-named_{ending}", ending, model, 3, rows, leaf, margin)


# --- LightGBM --------------------------------------------------------------------------------------


def lightgbm_cases(version):
    import lightgbm as lgb
    import numpy as np
    import pandas as pd

    assert lgb.__version__ == version
    full = f"lightgbm-{version}" in FULL

    def thresholds(text):
        for block in text.split("Tree=")[1:]:
            lines = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
            if "threshold" not in lines:
                continue
            columns = lines["split_feature"].split()
            kinds = lines["decision_type"].split()
            for column, threshold, kind in zip(columns, lines["threshold"].split(), kinds):
                if int(kind) & 1 == 0:
                    yield int(column), float(threshold)

    def case(name, y, options, rounds=3, categorical=False, missing=True, factor=1.0):
        x, _, random = table(len(name))
        if missing:
            x = with_nan(x, random)
        if name == "categorical":
            x = with_nan(x, random, [3])
        options = {"num_leaves": 7, "min_data_in_leaf": 5, "min_data_per_group": 5, "seed": 1, "verbose": -1,
                   "num_threads": 1, "cat_smooth": 1, "max_cat_to_onehot": 2, **options}  # fmt: skip
        chosen = {"categorical_feature": [3]} if categorical else {}
        data = lgb.Dataset(x, y, params={"verbose": -1, **options}, free_raw_data=False, **chosen)
        booster = lgb.train(options, data, rounds)
        text = booster.model_to_string()
        codes = {3: [-1.0, -0.5, -0.99, 3e9]} if categorical else {}
        rows = probing_rows(x, thresholds(text), codes, random)
        leaf = booster.predict(np.array(rows), pred_leaf=True)
        margin = booster.predict(np.array(rows), raw_score=True) * factor
        if options.get("boosting") == "rf":
            # The raw score is the sum over rounds; predictions come from their mean.
            margin = margin / rounds
            if "objective" not in options:
                assert np.allclose(margin, booster.predict(np.array(rows)))
        rounds = booster.current_iteration()
        save(f"lightgbm-{version}-{name}", "txt", text.encode(), rounds, rows, leaf, margin)

    _, signal, random = table(0)
    binary = (signal > np.median(signal)).astype(int)
    three = np.digitize(signal, np.quantile(signal, [0.3, 0.6]))
    positive = np.exp(signal / 3)
    count = random.poisson(positive)

    case("regression", signal * 100 + 1000, {})
    case("sigmoid", binary, {"objective": "binary", "sigmoid": 0.7}, factor=0.7)
    case("multiclass", three, {"objective": "multiclass", "num_class": 3}, rounds=2)
    case("categorical", signal, {}, categorical=True)
    case("zero_as_missing", signal, {"zero_as_missing": True})
    case("no_missing", signal, {"use_missing": False})
    case("never_missing", signal, {}, missing=False)
    bags = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
    case("forest", signal * 10 + 30, bags)
    if full:
        case("binary", binary, {"objective": "binary"})
        case("ova", three, {"objective": "multiclassova", "num_class": 3, "sigmoid": 1.5}, 2, factor=1.5)
        case("poisson", count, {"objective": "poisson"})
        case("gamma", positive, {"objective": "gamma"})
        case("tweedie", count, {"objective": "tweedie", "tweedie_variance_power": 1.3})
        case("cross_entropy", binary * 0.8 + 0.1, {"objective": "cross_entropy"})
        case("forest_binary", binary, {**bags, "objective": "binary"})
        case("forest_multi", three, {**bags, "objective": "multiclass", "num_class": 3}, rounds=2)
        case("dart", signal + 5, {"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.0}, rounds=5)
        case("goss", signal, {"boosting": "goss", "learning_rate": 0.5}, rounds=4)
        case("from_zero", signal + 5, {"boost_from_average": False})
        case("zero_as_missing_categorical", signal, {"zero_as_missing": True}, categorical=True)
        case("no_missing_categorical", signal, {"use_missing": False}, categorical=True)
        case("constant", np.full(400, 3.5), {})
        for name, y, options in [
            ("regression", signal * 10 + 100, {}),
            ("binary", binary, {"objective": "binary", "sigmoid": 0.8}),
            ("multiclass", three, {"objective": "multiclass", "num_class": 3}),
            ("ova", three, {"objective": "multiclassova", "num_class": 3}),
            ("poisson", count, {"objective": "poisson"}),
            ("from_zero", signal, {"boost_from_average": False}),
        ]:
            x = table(1, 150)[0]
            options = {"num_leaves": 4, "learning_rate": 0.2, "min_data_in_leaf": 3, "verbose": -1,
                       "min_sum_hessian_in_leaf": 0.0, "num_threads": 1, **options}  # fmt: skip
            booster = lgb.train(options, lgb.Dataset(x, y[:150]), 4)
            margin = booster.predict(x, raw_score=True) * options.get("sigmoid", 1.0)
            text = booster.model_to_string().encode()
            save_training(f"lightgbm-{version}-train_{name}", "txt", text, x, y[:150], margin)
    x, y, random = table(5)
    texts = np.array(["été", "b", "a b", "x", "", "z"])[x[:, 3].astype(int)]
    numbers = np.array([10, 3, 7])[x[:, 3].astype(int) % 3]
    frame = pd.DataFrame({"number": pd.Categorical(numbers), "x": x[:, 0], "text": pd.Categorical(texts)})
    options = {"num_leaves": 7, "min_data_per_group": 5, "cat_smooth": 1, "verbose": -1, "num_threads": 1}
    booster = lgb.train(options, lgb.Dataset(frame, y), 3)
    rows = [[str(a), float(b), c] for a, b, c in frame[:60].itertuples(index=False)]
    probe = frame[:60].copy()
    probe["text"] = probe["text"].cat.add_categories(["new"])
    probe.loc[40:49, "text"] = "new"
    probe.loc[50:, "text"] = None
    for at, row in enumerate(rows):
        row[2] = row[2] if at < 40 else "new" if at < 50 else None
    leaf = booster.predict(probe, pred_leaf=True)
    margin = booster.predict(probe, raw_score=True)
    save(f"lightgbm-{version}-named", "txt", booster.model_to_string().encode(), 3, rows, leaf, margin)


# --- CatBoost --------------------------------------------------------------------------------------


def catboost_cases(version):
    import catboost
    import numpy as np
    import pandas as pd

    assert catboost.__version__ == version
    full = f"catboost-{version}" in FULL

    def borders(model):
        def nested(node):
            if "split" in node:
                yield node["split"]
                yield from nested(node["left"])
                yield from nested(node["right"])

        floats = {f["feature_index"]: f["flat_feature_index"] for f in model["features_info"]["float_features"]}
        for tree in model.get("oblivious_trees", []) + model.get("trees", []):
            for split in tree["splits"] or [] if "splits" in tree else nested(tree):
                if split["split_type"] == "FloatFeature":
                    yield floats[split["float_feature_index"]], float(np.float32(split["border"]))

    def case(name, y, options, rounds=3, categorical=False, missing=True):
        x, _, random = table(len(name))
        if missing:
            x = with_nan(x, random)
        options = {"depth": 3, "random_seed": 1, "verbose": 0, "thread_count": 1, "allow_writing_files": False,
                   "learning_rate": 0.3, "iterations": rounds, **options}  # fmt: skip
        if categorical:
            names = np.array(["été", "b", "a b", "x", "7", "z"])
            # Categories first, so that numbers of float features are not those of columns.
            frame = pd.DataFrame({"kind": names[x[:, 3].astype(int)]})
            frame = frame.assign(a=x[:, 0], b=x[:, 1], c=x[:, 2], flag=np.where(x[:, 1] > 0.3, "yes", "no"))
            options["one_hot_max_size"] = 20
            pool = catboost.Pool(frame, y, cat_features=["kind", "flag"])
        else:
            pool = catboost.Pool(x, y)
        model = catboost.CatBoost(options).fit(pool)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.json"
            model.save_model(str(path), format="json", pool=pool if categorical else None)
            text = path.read_bytes()
        if categorical:
            rows = [list(row) for row in frame[:40].itertuples(index=False)]
            numbers = probing_rows(x[:, :3], [(c - 1, t) for c, t in borders(json.loads(text))], {}, random)
            for at, cells in enumerate(numbers):
                kind = ["new", "été", "7", "z"][at % 4]
                rows.append([kind, *cells, ["yes", "no"][at % 2]])
            rows = [[float(c) if isinstance(c, float) else c for c in row] for row in rows]
            probe = catboost.Pool(pd.DataFrame(rows, columns=frame.columns), cat_features=["kind", "flag"])
        else:
            rows = probing_rows(x, borders(json.loads(text)), {}, random)
            # Without missing cells in training CatBoost takes none in prediction either.
            if not missing:
                rows = [row for row in rows if not np.isnan(row).any()]
            else:
                rows = [row for row in rows if not np.isnan([row[1], row[3]]).any()]
            probe = catboost.Pool(np.array(rows))
        leaf = model.calc_leaf_indexes(probe)
        margin = model.predict(probe, prediction_type="RawFormulaVal")
        save(f"catboost-{version}-{name}", "json", text, rounds, rows, leaf, margin)

    _, signal, random = table(0)
    binary = (signal > np.median(signal)).astype(int)
    three = np.digitize(signal, np.quantile(signal, [0.3, 0.6]))
    count = random.poisson(np.exp(signal / 3))
    case("regression", signal * 100 + 1000, {"loss_function": "RMSE"})
    case("categorical", signal, {"loss_function": "RMSE"}, categorical=True)
    case("depthwise", signal, {"loss_function": "RMSE", "grow_policy": "Depthwise"})
    case("lossguide", signal, {"loss_function": "RMSE", "grow_policy": "Lossguide", "max_leaves": 6, "depth": 4})
    case("multiclass", three, {"loss_function": "MultiClass"})
    if full:
        case("nan_max", signal, {"loss_function": "RMSE", "nan_mode": "Max"})
        case("never_missing", signal, {"loss_function": "RMSE"}, missing=False)
        case("logloss", np.array(["nay", "yea"])[binary], {"loss_function": "Logloss"})
        case("cross_entropy", binary * 0.8 + 0.1, {"loss_function": "CrossEntropy"})
        case("one_vs_all", three, {"loss_function": "MultiClassOneVsAll"})
        case("poisson", count, {"loss_function": "Poisson"})
        case("tweedie", count, {"loss_function": "Tweedie:variance_power=1.3"})
        case("depthwise_categorical", signal, {"loss_function": "RMSE", "grow_policy": "Depthwise"}, categorical=True)
        for name, y, options in [
            ("regression", signal * 10 + 100, {"loss_function": "RMSE"}),
            ("logloss", binary, {"loss_function": "Logloss"}),
            ("depthwise", signal, {"loss_function": "RMSE", "grow_policy": "Depthwise"}),
        ]:
            x = np.float32(table(1, 150)[0])
            options = {"depth": 2, "learning_rate": 0.2, "iterations": 4, "l2_leaf_reg": 0.0, "verbose": 0,
                       "bootstrap_type": "No", "leaf_estimation_method": "Newton", "leaf_estimation_iterations": 1,
                       "leaf_estimation_backtracking": "No", "allow_writing_files": False, **options}  # fmt: skip
            model = catboost.CatBoost(options).fit(x, y[:150])
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "model.json"
                model.save_model(str(path), format="json")
                text = path.read_bytes()
            margin = model.predict(x, prediction_type="RawFormulaVal")
            save_training(f"catboost-{version}-train_{name}", "json", text, x, y[:150], margin)
        case("depthwise_multi", three, {"loss_function": "MultiClass", "grow_policy": "Depthwise"}, rounds=2)


# --- Environments ----------------------------------------------------------------------------------


def main(arguments):
    if arguments[:1] == ["--inside"]:
        library, version = re.fullmatch(r"(\w+)-([\d.]+)", arguments[1]).groups()
        {"xgboost": xgboost_cases, "lightgbm": lightgbm_cases, "catboost": catboost_cases}[library](version)
        return
    root = pathlib.Path(os.environ.get("IMPORT_VENVS") or tempfile.mkdtemp())
    for name in arguments or ENVIRONMENTS:
        _, packages = ENVIRONMENTS[name]
        python = root / name / "bin" / "python"
        if not python.exists():
            subprocess.run([PYTHONS.get(name, sys.executable), "-m", "venv", root / name], check=True)
            # The CUDA packages that xgboost names are not needed to run it.
            for package in packages:
                more = ["--no-deps"] if package.startswith("xgboost==") else []
                subprocess.run([python, "-m", "pip", "install", "-q", *more, package], check=True)
        for old in HERE.glob(f"{name}-*.gz"):
            old.unlink()
        subprocess.run([python, __file__, "--inside", name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
