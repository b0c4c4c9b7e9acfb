"""Targets that are not those of the model's training are told or refused."""

import warnings

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeRegressor

import lmdi

MISFIT = "y does not fit the model's own predictions"


def shuffled(y):
    return np.random.default_rng(1).permutation(y)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(20, min_samples_leaf=5, random_state=0),
        RandomForestRegressor(20, max_depth=2, random_state=0),
        ExtraTreesRegressor(10, min_samples_leaf=5, random_state=0),
        DecisionTreeRegressor(max_depth=3),
        GradientBoostingRegressor(n_estimators=20, random_state=0),
    ],
    ids=repr,
)
def test_numbers_that_are_not_the_models_are_told(model):
    X, y = load_diabetes(return_X_y=True)
    model.fit(X, y)
    for other in (shuffled(y), np.log(y), y[::-1]):
        with pytest.warns(lmdi.LmdiWarning, match=MISFIT):
            lmdi.LMDIPlus(model, glm="ridge").fit(X, other)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lmdi.LMDIPlus(model, glm="ridge").fit(X, y)


def test_a_shifted_or_stretched_target_of_a_forest_is_told():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    for other in (y + 1000, y * 100):
        with pytest.warns(lmdi.LmdiWarning, match="the mean of y is"):
            lmdi.LMDIPlus(forest, glm="ridge").fit(X, other)


def test_classes_that_are_not_the_models_are_told():
    X, y = load_wine(return_X_y=True)
    for model in (
        RandomForestClassifier(20, random_state=0).fit(X, y),
        RandomForestClassifier(20, class_weight="balanced", random_state=0).fit(X, y),
        HistGradientBoostingClassifier(max_iter=10).fit(X, y),
    ):
        with pytest.warns(lmdi.LmdiWarning, match=MISFIT):
            lmdi.LMDIPlus(model, glm="ridge").fit(X, shuffled(y))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lmdi.LMDIPlus(model, glm="ridge").fit(X, y)


def test_weak_and_weighted_models_are_no_cause_for_a_warning():
    """Models that hold back, know little, or were trained on classes of very different weight."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    noise = random.normal(size=400)
    rare = (X[:, 0] + random.normal(size=400) > 2.2).astype(int)
    cases = [
        (xgboost.XGBRegressor(n_estimators=2, base_score=0.5, max_depth=3), 150 + 10 * X[:, 0]),
        (xgboost.XGBRegressor(n_estimators=5, learning_rate=0.01), X[:, 0]),
        (RandomForestRegressor(10, max_depth=1, random_state=0), noise),
        (RandomForestRegressor(10, min_samples_leaf=250, random_state=0), noise),
        (DecisionTreeRegressor(max_depth=1), noise),
        (RandomForestClassifier(10, max_depth=2, class_weight="balanced", random_state=0), rare),
        (lightgbm.LGBMClassifier(n_estimators=5, class_weight="balanced", verbose=-1), rare),
    ]
    for model, y in cases:
        model.fit(X, y)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            lmdi.LMDIPlus(model, glm="ridge").fit(X, y)
        assert not [one for one in told if MISFIT in str(one.message)], model


def test_other_fitted_methods_tell_too():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(10, min_samples_leaf=5, random_state=0).fit(X, y)
    for explainer in (lmdi.MAPLE(forest, n_columns=2), lmdi.MDIPlus(forest)):
        with pytest.warns(lmdi.LmdiWarning, match=MISFIT):
            explainer.fit(X, shuffled(y))


def test_indexes_that_differ_are_refused():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    mixed = y.sample(frac=1.0, random_state=0)
    with pytest.raises(ValueError, match=r"row 0 is 0 in X and \d+ in y. Pass y.loc\[X.index\]"):
        lmdi.LMDIPlus(forest).fit(X, mixed)
    with pytest.raises(ValueError, match="Pass the y of these rows, or y.to_numpy()"):
        lmdi.LMDIPlus(forest).fit(X, y.set_axis(np.arange(442) + 7))
    with pytest.raises(ValueError, match="the indexes of X and sample_weight differ"):
        lmdi.LMDIPlus(forest).fit(X, y, sample_weight=pd.Series(np.ones(442), index=mixed.index))
    for explainer in (lmdi.MAPLE(forest), lmdi.MDIPlus(forest), lmdi.Permutation(forest)):
        with pytest.raises(ValueError, match="the indexes of X and y differ"):
            explainer.fit(X, mixed)
    lmdi.LMDIPlus(forest, glm="ridge").fit(X, y.to_numpy())
    lmdi.LMDIPlus(forest, glm="ridge").fit(X.to_numpy(), y)


def test_labels_of_another_type_are_named_as_such():
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    message = (
        r"y holds labels of the type str \('0', '1', '2'\), the model was trained on labels of the type int "
        r"\(0, 1, 2\); pass y as it was in training, such as y.astype\(int\)"
    )
    with pytest.raises(ValueError, match=message):
        lmdi.LMDIPlus(forest).fit(X, y.astype(str))
    with pytest.raises(ValueError, match="does not know the classes '7' of y; it was trained on '0', '1'"):
        lmdi.LMDIPlus(forest).fit(X, np.where(y == 0, 7, y))


@pytest.mark.parametrize("family", ["numbers", "classes"])
def test_a_search_that_ends_too_soon_is_told(family):
    if family == "numbers":
        X, y = load_diabetes(return_X_y=True)
        forest = RandomForestRegressor(5, min_samples_leaf=5, random_state=0).fit(X, y)
    else:
        X, y = load_breast_cancer(return_X_y=True)
        forest = RandomForestClassifier(5, min_samples_leaf=5, random_state=0).fit(X, y)
    with pytest.warns(lmdi.LmdiWarning, match="fits of the search for their penalties"):
        lmdi.LMDIPlus(forest, max_iterations=1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lmdi.LMDIPlus(forest).fit(X, y)


def test_more_folds_than_rows_are_refused():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(2, max_depth=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="`folds` is 1000, with 442 rows; expected at most one fold per row"):
        lmdi.LMDIPlus(forest, folds=1000).fit(X, y)
