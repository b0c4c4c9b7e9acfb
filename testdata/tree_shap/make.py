"""Makes the expected Shapley values of scikit-learn's, XGBoost's and LightGBM's models.

    pip install -r requirements.txt
    python make.py

sklearn.json: models as benches/export_sklearn.py writes them, rows (null is missing) and shap's values:
`scores`, `interactions` and, against the rows `background`, `interventional`; each row by row, feature by
feature, output by output. Of two class shares only the second is kept. shap does not take gradient boosting
of three classes, so its scores are those of its trees, added up by class.

boosters.json: models as boosters.py writes them, rows, and what the libraries' own engines say
(`pred_contribs`, `pred_contrib`): the last feature is the base. XGBoost gives 32-bit numbers.
"""

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

from boosters import from_lightgbm, from_xgboost  # noqa: E402
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


def booster_cases():
    for missing, categorical, objective, classes in [
        (False, False, "reg:squarederror", 1),
        (True, True, "reg:squarederror", 1),
        (True, False, "binary:logistic", 1),
        (False, True, "multi:softprob", 3),
    ]:
        frame, signal, codes = table(missing, categorical)
        y = {1: signal > 0 if "binary" in objective else signal, 3: codes}[classes][:N_TRAIN]
        train = xgboost.DMatrix(frame[:N_TRAIN], label=y, enable_categorical=True)
        new = xgboost.DMatrix(frame[N_TRAIN:], enable_categorical=True)
        options = {"objective": objective, "max_depth": 5, "eta": 0.3, "max_cat_to_onehot": 1, "seed": 1}
        if classes > 1:
            options["num_class"] = classes
        booster = xgboost.train(options, train, 5)
        name = f"xgboost_{objective}_{missing}_{categorical}".lower()
        yield {
            "name": name,
            "model": from_xgboost(booster, classes, "binary" in objective),
            "x": cells(frame[N_TRAIN:]),
            "contributions": np.asarray(booster.predict(new, pred_contribs=True), dtype=float)
            .reshape(N_NEW, classes, -1)
            .tolist(),
            "interactions": np.asarray(booster.predict(new, pred_interactions=True), dtype=float)
            .reshape(N_NEW, classes, -1)
            .tolist(),
        }
        options = {
            "objective": {"reg": "regression", "bin": "binary", "mul": "multiclass"}[objective[:3]],
            "num_leaves": 12, "min_data_in_leaf": 3, "max_cat_to_onehot": 1, "cat_smooth": 1,
            "min_data_per_group": 2, "verbosity": -1, "seed": 1, "num_threads": 1,
        }  # fmt: skip
        if classes > 1:
            options["num_class"] = classes
        booster = lightgbm.train(options, lightgbm.Dataset(frame[:N_TRAIN], y), 5)
        yield {
            "name": name.replace("xgboost", "lightgbm"),
            "model": from_lightgbm(booster, classes, "binary" in objective),
            "x": cells(frame[N_TRAIN:]),
            "contributions": np.asarray(booster.predict(frame[N_TRAIN:], pred_contrib=True))
            .reshape(N_NEW, classes, -1)
            .tolist(),
        }


def main():
    for file, cases in [("sklearn.json", sklearn_cases()), ("boosters.json", booster_cases())]:
        text = json.dumps({"cases": list(cases)}, allow_nan=False, separators=(",", ":"))
        (HERE / file).write_text(text + "\n")


if __name__ == "__main__":
    main()
