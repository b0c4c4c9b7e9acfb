"""Makes the expected Shapley values of scikit-learn's, XGBoost's and LightGBM's models.

    pip install -r requirements.txt
    python make.py

sklearn.json: models as benches/export_sklearn.py writes them, rows (null is missing) and shap's values:
`scores`, `interactions` and, against the rows `background`, `interventional`; each row by row, feature by
feature, output by output. Of two class shares only the second is kept. shap does not take gradient boosting
of three classes, so its scores are those of its trees, added up by class.

boosters.json.gz: models as the libraries write them to files, rows, and what the libraries' own engines say
(`pred_contribs`, `pred_contrib`): the last feature is the base. XGBoost gives 32-bit numbers.
"""

import gzip
import json
import pathlib
import sys

import lightgbm
import numpy as np
import pandas as pd
import shap
import xgboost
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "benches"))

from export_sklearn import model, numbers  # noqa: E402

N_TRAIN, N_NEW, N_BACKGROUND = 120, 12, 15


def data(missing):
    """Rows, a number and three classes to predict."""
    random = np.random.default_rng(30)
    x = random.normal(size=(N_TRAIN + N_NEW, 5))
    x[:, 3] = np.round(2 * x[:, 3])
    signal = x[:, 0] + np.abs(x[:, 1]) * x[:, 3] + random.normal(size=len(x)) / 4
    if missing:
        x[random.random(x.shape) < 0.15] = np.nan
    # Cells and thresholds in 32 bits: shap compares in 64 bits, scikit-learn in 32.
    x = x.astype(np.float32).astype(float)
    return x, signal, np.digitize(signal, [-0.7, 0.7])


def laid_out(values, dimensions=2):
    """Row by row; of two class shares, which come in one dimension more, the second."""
    values = np.asarray(values, dtype=float)
    if values.ndim > dimensions and values.shape[-1] == 2:
        values = values[..., 1:]
    return values.reshape(len(values), -1).tolist()


def by_tree(boosting, rows):
    """Scores and base of gradient boosting from those of its trees."""
    explainers = [[shap.TreeExplainer(tree) for tree in stage] for stage in boosting.estimators_]
    scores = [
        sum(stage[k].shap_values(rows) for stage in explainers) * boosting.learning_rate
        for k in range(boosting.estimators_.shape[1])
    ]
    start = boosting._raw_predict_init(rows[:1])[0]
    base = [
        start[k] + boosting.learning_rate * sum(np.ravel(stage[k].expected_value)[0] for stage in explainers)
        for k in range(boosting.estimators_.shape[1])
    ]
    return np.stack(scores, axis=-1), base


def sklearn_case(name, estimator, x, y, rows, names):
    estimator.fit(x, y)
    case = {"name": name, "model": model(estimator, len(x), names), "x": [numbers(row) for row in rows]}
    boosted_classes = isinstance(estimator, GradientBoostingClassifier) and estimator.n_classes_ > 2
    if boosted_classes:
        scores, base = by_tree(estimator, rows)
        return case | {"scores": laid_out(scores), "base": base}
    explainer = shap.TreeExplainer(estimator)
    base = np.ravel(explainer.expected_value)
    case["scores"] = laid_out(explainer.shap_values(rows))
    case["base"] = (base[1:] if len(base) == 2 else base).tolist()
    case["interactions"] = laid_out(explainer.shap_interaction_values(rows), 3)
    if not np.isnan(x).any():
        # shap does not follow missing cells of background rows.
        background = x[:N_BACKGROUND]
        explainer = shap.TreeExplainer(estimator, background, feature_perturbation="interventional")
        case["background"] = [numbers(row) for row in background]
        case["interventional"] = laid_out(explainer.shap_values(rows))
    return case


def sklearn_cases():
    grow = {"max_leaf_nodes": 20, "random_state": 4}
    cases = {
        "forest_regression": (RandomForestRegressor(5, **grow), "number", True),
        "forest_whole": (RandomForestRegressor(3, random_state=4), "number", False),
        "forest_two_classes": (RandomForestClassifier(5, **grow), "binary", True),
        "forest_three_classes": (RandomForestClassifier(4, **grow), "classes", False),
        "extra_trees_two_classes": (ExtraTreesClassifier(5, **grow), "binary", False),
        "tree": (DecisionTreeRegressor(**grow), "number", True),
        "boosting_regression": (GradientBoostingRegressor(n_estimators=6, **grow), "number", False),
        "boosting_two_classes": (GradientBoostingClassifier(n_estimators=6, **grow), "binary", False),
        "boosting_three_classes": (GradientBoostingClassifier(n_estimators=3, **grow), "classes", False),
    }
    names = [f"x{column}" for column in range(5)]
    for name, (estimator, response, missing) in cases.items():
        x, signal, classes = data(missing)
        y = {"number": signal, "classes": classes, "binary": signal > 0}[response][:N_TRAIN]
        yield sklearn_case(name, estimator, x[:N_TRAIN], y, x[N_TRAIN:], names)
    # Known by heart: the conjunction of the TreeSHAP paper, and one present cell among missing ones.
    both = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    yield sklearn_case(
        "conjunction", DecisionTreeRegressor(random_state=0), both, [0, 0, 0, 80], both, ["a", "b"]
    )
    one = np.array([[1], [np.nan], [np.nan], [np.nan], [100]])
    yield sklearn_case(
        "one_cell", DecisionTreeClassifier(random_state=0), one, [1, 0, 0, 0, 0], one, ["a"]
    )


def table(missing, categorical):
    """A frame with a column of categories or without, and a number to predict."""
    x, signal, classes = data(missing)
    frame = pd.DataFrame(x, columns=[f"x{column}" for column in range(5)])
    if categorical:
        codes = np.random.default_rng(31).integers(0, 7, len(x))
        signal = signal + np.where(np.isin(codes, [1, 4, 6]), 1.5, -0.5)
        frame["kind"] = pd.Categorical.from_codes(codes, categories=range(7))
    return frame, signal, classes


def cells(frame):
    """Numbers, and codes of categories."""
    columns = [c.cat.codes if hasattr(c, "cat") else c for _, c in frame.items()]
    return [numbers(row) for row in np.column_stack(columns).astype(float)]


def xgboost_case(name, frame, y, settings, rounds):
    train = xgboost.DMatrix(frame[:N_TRAIN], label=y[:N_TRAIN], enable_categorical=True)
    new = xgboost.DMatrix(frame[N_TRAIN:], enable_categorical=True)
    booster = xgboost.train({"max_depth": 5, "eta": 0.3, "seed": 1} | settings, train, rounds)
    shape = (N_NEW, settings.get("num_class", 1), -1)
    return {
        "name": f"xgboost_{name}",
        "file": bytes(booster.save_raw("json")).decode(),
        "x": cells(frame[N_TRAIN:]),
        "contributions": np.asarray(booster.predict(new, pred_contribs=True), dtype=float)
        .reshape(shape)
        .tolist(),
        "interactions": np.asarray(booster.predict(new, pred_interactions=True), dtype=float)
        .reshape(shape)
        .tolist(),
    }


def lightgbm_case(name, frame, y, settings, rounds):
    settings = {
        "num_leaves": 12, "min_data_in_leaf": 3, "max_cat_to_onehot": 1, "cat_smooth": 1,
        "min_data_per_group": 2, "verbosity": -1, "seed": 1, "num_threads": 1,
    } | settings  # fmt: skip
    booster = lightgbm.train(settings, lightgbm.Dataset(frame[:N_TRAIN], y[:N_TRAIN]), rounds)
    # The prediction of a random forest is the mean of its trees, LightGBM's contributions are their sum.
    trees_added_up = rounds if settings.get("boosting") == "rf" else 1
    return {
        "name": f"lightgbm_{name}",
        "file": booster.model_to_string(),
        "x": cells(frame[N_TRAIN:]),
        "contributions": (np.asarray(booster.predict(frame[N_TRAIN:], pred_contrib=True)) / trees_added_up)
        .reshape(N_NEW, settings.get("num_class", 1), -1)
        .tolist(),
    }


def booster_cases():
    """Every combination of a response, missing cells and categories; then other kinds of boosting."""
    sets = {"max_cat_to_onehot": 1}
    for missing in (False, True):
        for categorical in (False, True):
            frame, signal, classes = table(missing, categorical)
            end = ("_missing" if missing else "") + ("_categories" if categorical else "")
            for name, y, theirs, others in [
                ("regression", signal, {"objective": "reg:squarederror"}, {"objective": "regression"}),
                ("binary", signal > 0, {"objective": "binary:logistic"}, {"objective": "binary"}),
                (
                    "classes", classes, {"objective": "multi:softprob", "num_class": 3},
                    {"objective": "multiclass", "num_class": 3},
                ),
            ]:  # fmt: skip
                yield xgboost_case(name + end, frame, y, theirs | sets, 3)
                yield lightgbm_case(name + end, frame, y, others, 3)
    frame, signal, _ = table(True, True)
    one_hot = {"objective": "reg:squarederror", "max_cat_to_onehot": 100}
    yield xgboost_case("one_hot", frame, signal, one_hot, 3)
    forest = {"num_parallel_tree": 3, "subsample": 0.7, "eta": 1.0}
    yield xgboost_case("forest", frame, signal, forest, 1)
    yield xgboost_case("dart", frame, signal, {"booster": "dart", "rate_drop": 0.5}, 5)
    counts = np.abs(np.round(signal))
    yield xgboost_case("poisson", frame, counts, {"objective": "count:poisson"}, 4)
    yield lightgbm_case("poisson", frame, counts, {"objective": "poisson"}, 4)
    rows = {"bagging_fraction": 0.7, "bagging_freq": 1}
    yield lightgbm_case("forest", frame, signal, {"boosting": "rf"} | rows, 4)
    yield lightgbm_case("dart", frame, signal, {"boosting": "dart", "drop_rate": 0.5}, 5)
    yield lightgbm_case("zero_as_missing", frame, signal, {"zero_as_missing": True}, 3)
    yield lightgbm_case("no_missing", *table(False, False)[:2], {"use_missing": False}, 3)


def main():
    for file, cases in [("sklearn.json", sklearn_cases()), ("boosters.json.gz", booster_cases())]:
        text = json.dumps({"cases": list(cases)}, allow_nan=False, separators=(",", ":"))
        content = (text + "\n").encode()
        (HERE / file).write_bytes(gzip.compress(content, 9, mtime=0) if file.endswith(".gz") else content)


if __name__ == "__main__":
    main()
