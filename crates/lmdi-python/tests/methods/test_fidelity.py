"""The explanation of a model is of that model: libraries x losses x tables.

Measured on rows that neither the model nor the explainer has seen: the share of the variation in the
model's own raw output that base values plus scores reproduce (R²). The model's output comes from the library.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.model_selection import train_test_split

import lmdi

xgboost = pytest.importorskip("xgboost")
lightgbm = pytest.importorskip("lightgbm")
catboost = pytest.importorskip("catboost")

ROUNDS = 60


def _diabetes():
    return load_diabetes(return_X_y=True)


def _two_classes():
    return load_breast_cancer(return_X_y=True)


def _three_classes():
    return load_wine(return_X_y=True)


def _counts():
    """A count that depends on two columns, one of them beyond what a line can follow."""
    random = np.random.default_rng(5)
    X = random.normal(size=(600, 5))
    return X, random.poisson(np.exp(1 + 0.4 * X[:, 0] + 0.5 * np.sin(3 * X[:, 1]))) + 1.0


def _xgb(kind, **options):
    return getattr(xgboost, kind)(n_estimators=ROUNDS, max_depth=4, learning_rate=0.2, **options)


def _lgb(kind, **options):
    return getattr(lightgbm, kind)(n_estimators=ROUNDS, num_leaves=15, verbose=-1, **options)


def _cat(kind, **options):
    options = {"iterations": ROUNDS, "learning_rate": 0.2, "depth": 4, **options}
    return getattr(catboost, kind)(verbose=0, allow_writing_files=False, random_seed=0, **options)


def _lgb_forest(kind):
    return _lgb(kind, boosting_type="rf", bagging_freq=1, bagging_fraction=0.6)


NUMBERS = {
    "forest": lambda: ensemble.RandomForestRegressor(ROUNDS, random_state=0),
    "forest, leaves of 5": lambda: ensemble.RandomForestRegressor(ROUNDS, min_samples_leaf=5, random_state=0),
    "extra trees": lambda: ensemble.ExtraTreesRegressor(ROUNDS, random_state=0),
    "xgboost forest": lambda: xgboost.XGBRFRegressor(n_estimators=ROUNDS, max_depth=6),
    "lightgbm forest": lambda: _lgb_forest("LGBMRegressor"),
    "lmdi forest": lambda: lmdi.RandomForestRegressor(n_estimators=ROUNDS, random_state=0),
    "sklearn": lambda: ensemble.GradientBoostingRegressor(n_estimators=ROUNDS, random_state=0),
    "sklearn subsample": lambda: ensemble.GradientBoostingRegressor(
        n_estimators=ROUNDS, subsample=0.5, random_state=0
    ),
    "hist": lambda: ensemble.HistGradientBoostingRegressor(max_iter=ROUNDS),
    "hist penalised": lambda: ensemble.HistGradientBoostingRegressor(max_iter=ROUNDS, l2_regularization=50.0),
    "xgboost": lambda: _xgb("XGBRegressor"),
    "xgboost subsample": lambda: _xgb("XGBRegressor", subsample=0.5, colsample_bytree=0.7),
    "lightgbm": lambda: _lgb("LGBMRegressor"),
    "lightgbm goss": lambda: _lgb("LGBMRegressor", data_sample_strategy="goss"),
    "catboost": lambda: _cat("CatBoostRegressor"),
    "catboost posterior sampling": lambda: _cat("CatBoostRegressor", posterior_sampling=True),
    "lmdi": lambda: lmdi.GradientBoostingRegressor(n_estimators=ROUNDS, random_state=0),
}

CLASSES = {
    "forest": lambda: ensemble.RandomForestClassifier(ROUNDS, random_state=0),
    "extra trees": lambda: ensemble.ExtraTreesClassifier(ROUNDS, random_state=0),
    "xgboost forest": lambda: xgboost.XGBRFClassifier(n_estimators=ROUNDS, max_depth=6),
    "lightgbm forest": lambda: _lgb_forest("LGBMClassifier"),
    "lmdi forest": lambda: lmdi.RandomForestClassifier(n_estimators=ROUNDS, random_state=0),
    "sklearn": lambda: ensemble.GradientBoostingClassifier(n_estimators=ROUNDS, random_state=0),
    "hist": lambda: ensemble.HistGradientBoostingClassifier(max_iter=ROUNDS),
    "xgboost": lambda: _xgb("XGBClassifier"),
    "lightgbm": lambda: _lgb("LGBMClassifier"),
    "catboost": lambda: _cat("CatBoostClassifier"),
    "lmdi": lambda: lmdi.GradientBoostingClassifier(n_estimators=ROUNDS, random_state=0),
}

LOG_LINKS = {
    "hist poisson": lambda: ensemble.HistGradientBoostingRegressor(max_iter=ROUNDS, loss="poisson"),
    "hist gamma": lambda: ensemble.HistGradientBoostingRegressor(max_iter=ROUNDS, loss="gamma"),
    "xgboost poisson": lambda: _xgb("XGBRegressor", objective="count:poisson"),
    "xgboost gamma": lambda: _xgb("XGBRegressor", objective="reg:gamma"),
    "xgboost tweedie": lambda: _xgb("XGBRegressor", objective="reg:tweedie"),
    "lightgbm poisson": lambda: _lgb("LGBMRegressor", objective="poisson"),
    "lightgbm gamma": lambda: _lgb("LGBMRegressor", objective="gamma"),
    "lightgbm tweedie": lambda: _lgb("LGBMRegressor", objective="tweedie"),
    "catboost poisson": lambda: _cat("CatBoostRegressor", loss_function="Poisson", iterations=300),
    "catboost tweedie": lambda: _cat(
        "CatBoostRegressor", loss_function="Tweedie:variance_power=1.5", iterations=300
    ),
}

CASES = [
    *[pytest.param(_diabetes, make, id=f"diabetes-{name}") for name, make in NUMBERS.items()],
    *[pytest.param(_two_classes, make, id=f"two classes-{name}") for name, make in CLASSES.items()],
    *[pytest.param(_three_classes, make, id=f"three classes-{name}") for name, make in CLASSES.items()],
    *[pytest.param(_counts, make, id=f"counts-{name}") for name, make in LOG_LINKS.items()],
]


def _predictions(model, explainer, X) -> tuple[np.ndarray, np.ndarray]:
    """What the model and the explanation predict: numbers, or the probability of every class."""
    name = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    expected, found = (np.asarray(getattr(one, name)(X)) for one in (model, explainer))
    return expected.reshape(len(X), -1), found.reshape(len(X), -1)


def _r2(model, explained) -> float:
    left = ((model - explained) ** 2).sum()
    return 1 - left / ((model - model.mean(axis=0)) ** 2).sum()


@pytest.mark.parametrize("table, make", CASES)
def test_the_explanation_reproduces_the_model(table, make):
    X, y = table()
    X, unseen, y, _ = train_test_split(X, y, test_size=0.3, random_state=0)
    model = make().fit(X, y)
    explainer = lmdi.LMDIPlus(model).fit(X, y)
    expected, found = _predictions(model, explainer, unseen)
    assert _r2(expected, found) > 0.9
    if expected.shape[1] > 1:
        assert (expected.argmax(axis=1) == found.argmax(axis=1)).mean() > 0.95


@pytest.mark.parametrize("table, make", CASES)
def test_least_squares_over_splits_gives_the_model_back(table, make):
    """To 1e-3 of its variation: libraries add in 32 bits, and cell by cell their order differs."""
    X, y = table()
    model = make().fit(X, y)
    explainer = lmdi.LMDIPlus(model, glm="ols", include_raw=False).fit(X, y)
    expected, found = _predictions(model, explainer, X)
    assert _r2(expected, found) > 1 - 1e-3


@pytest.mark.parametrize(
    "make",
    [
        lambda: _lgb("LGBMClassifier", class_weight="balanced"),
        lambda: _lgb("LGBMClassifier", class_weight={0: 8.0, 1: 1.0}),
        lambda: _lgb("LGBMClassifier", is_unbalance=True),
        lambda: _lgb("LGBMClassifier", scale_pos_weight=6.0),
        lambda: _xgb("XGBClassifier", scale_pos_weight=6.0),
        lambda: _cat("CatBoostClassifier", auto_class_weights="Balanced"),
        lambda: _cat("CatBoostClassifier", auto_class_weights="SqrtBalanced"),
        lambda: _cat("CatBoostClassifier", class_weights=[1.0, 6.0]),
        lambda: ensemble.HistGradientBoostingClassifier(max_iter=ROUNDS, class_weight="balanced"),
        lambda: ensemble.RandomForestClassifier(class_weight="balanced", min_samples_leaf=5, random_state=0),
    ],
)
def test_class_weights_of_training_are_those_of_the_explanation(make):
    assert _fidelity_on_rare_classes(make()) > 0.85


@pytest.mark.parametrize("leaf", [1, 5])
@pytest.mark.parametrize("forest", ["RandomForestClassifier", "ExtraTreesClassifier"])
def test_class_weights_inside_trees_count_as_far_as_they_show(forest, leaf):
    """Pure leaves predict the same shares with any weights, so full weights would explain another model."""
    weight = "balanced_subsample" if forest.startswith("Random") else "balanced"
    make = getattr(ensemble, forest)
    plain = _fidelity_on_rare_classes(make(min_samples_leaf=leaf, random_state=0))
    weighted = make(min_samples_leaf=leaf, class_weight=weight, random_state=0)
    assert _fidelity_on_rare_classes(weighted) > min(plain, 0.85) - 0.1


def _fidelity_on_rare_classes(model) -> float:
    random = np.random.default_rng(3)
    X = random.normal(size=(1500, 4))
    y = (random.random(1500) < 1 / (1 + np.exp(2.5 - 1.5 * X[:, 0] - X[:, 1] * X[:, 2]))).astype(int)
    X, unseen, y, _ = train_test_split(X, y, test_size=0.3, random_state=0)
    model.fit(X, y)
    return _r2(*_predictions(model, lmdi.LMDIPlus(model).fit(X, y), unseen))


def test_class_weights_survive_a_file(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    model = _xgb("XGBClassifier", scale_pos_weight=9.0).fit(X, y)
    before = lmdi.LMDIPlus(model).fit(X, y)
    before.save(tmp_path / "model.lmdi")
    trees = lmdi.load(tmp_path / "model.lmdi").model_
    after = lmdi.LMDIPlus(trees).fit(X, y)
    assert np.array_equal(before.explain(X).values, after.explain(X).values)


def test_a_target_that_is_not_the_models_is_told():
    X, y = load_diabetes(return_X_y=True)
    model = ensemble.GradientBoostingRegressor(random_state=0).fit(X, y)
    for other in (np.random.default_rng(0).permutation(y), np.log(y), y[::-1]):
        with pytest.warns(lmdi.LmdiWarning, match="y does not fit the model's own predictions"):
            lmdi.LMDIPlus(model).fit(X, other)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lmdi.LMDIPlus(model).fit(X, y)


def test_raw_terms_stop_at_the_training_range():
    X, y = load_diabetes(return_X_y=True)
    forest = ensemble.RandomForestRegressor(50, random_state=0).fit(X, y)
    explainer = lmdi.LMDIPlus(forest).fit(X, y)
    rows = np.repeat(X[:1], 4, axis=0)
    rows[:, 2] = [-999.0, X[:, 2].min(), X[:, 2].max(), 60.0]
    below, lowest, highest, above = explainer.explain(rows).values[:, 2]
    assert below == lowest and above == highest
    unbounded = lmdi.LMDIPlus(forest, bound_raw=False).fit(X, y).explain(rows).values[:, 2]
    assert unbounded[0] < 10 * lowest
