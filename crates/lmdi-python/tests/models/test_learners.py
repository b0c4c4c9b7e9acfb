"""Our learners keep scikit-learn's conventions."""

import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import lmdi

#: Rows of equal cells, or a weight instead: the same in theory. Splits that gain the same are told apart
#: by the last digits of their sums, which repeated rows change, and bootstraps draw other rows.
NOT_THE_SAME_DRAW = "repeated rows and weights lead to other draws and to other ties between splits"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": NOT_THE_SAME_DRAW,
    "check_sample_weight_equivalence_on_sparse_data": NOT_THE_SAME_DRAW,
}
LEARNERS = [
    lmdi.RandomForestRegressor(5),
    lmdi.RandomForestClassifier(5),
    lmdi.ExtraTreesRegressor(5),
    lmdi.ExtraTreesClassifier(5),
    lmdi.GradientBoostingRegressor(5, min_samples_leaf=1),
    lmdi.GradientBoostingClassifier(5, min_samples_leaf=1),
]


#: Without a bootstrap, forests treat a weight as so many rows.
WITHOUT_DRAWS = [
    lmdi.RandomForestRegressor(5, bootstrap=False),
    lmdi.RandomForestClassifier(5, bootstrap=False),
]


def expected(learner):
    return (
        {}
        if getattr(learner, "bootstrap", None) is False and "Extra" not in type(learner).__name__
        else EXPECTED
    )


@parametrize_with_checks([*LEARNERS, *WITHOUT_DRAWS], expected_failed_checks=expected)
def test_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_the_seed_decides_and_threads_do_not(data, learner):
    y = data.three if hasattr(learner, "predict_proba") else data.y
    results = [
        clone(learner).set_params(random_state=seed, n_jobs=jobs).fit(data.X_missing, y).apply(data.X)
        for seed, jobs in [(1, 1), (1, 2), (2, 1)]
    ]
    assert np.array_equal(results[0], results[1])
    boosting = "Boosting" in type(learner).__name__
    assert boosting or not np.array_equal(results[0], results[2])


def test_learners_learn(data):
    assert cross_val_score(lmdi.RandomForestRegressor(50, random_state=0), data.X, data.y).mean() > 0.7
    assert cross_val_score(lmdi.GradientBoostingRegressor(50), data.X, data.y).mean() > 0.7
    assert cross_val_score(lmdi.ExtraTreesClassifier(50, random_state=0), data.X, data.two).mean() > 0.75
    assert cross_val_score(lmdi.GradientBoostingClassifier(50), data.X, data.two).mean() > 0.75


def test_parameters_are_searched(data):
    search = GridSearchCV(lmdi.RandomForestRegressor(5, random_state=0), {"max_depth": [1, 6]})
    assert search.fit(data.X, data.y).best_params_ == {"max_depth": 6}


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_learners_are_explained(data, learner):
    y = data.two if hasattr(learner, "predict_proba") else data.y
    model = clone(learner).set_params(random_state=0).fit(data.X, y)
    e = lmdi.LMDIPlus(model).fit(data.X, y).explain(data.X)
    assert e.values.shape == data.X.shape and e.importance().argmax() == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 0}, "n_trees"),
        ({"criterion": "gini2"}, "`criterion` is gini2"),
        ({"max_depth": 0}, "max_depth"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"max_features": "half"}, "max_features is 'half'"),
        ({"max_features": 1.5}, "max_features"),
        ({"max_samples": 0.0}, "max_samples"),
        ({"bootstrap": False, "max_samples": 5}, "bootstrap turned on"),
    ],
)
def test_parameters_out_of_range(data, options, message):
    with pytest.raises(ValueError, match=message):
        lmdi.RandomForestRegressor(**options).fit(data.X, data.y)


@pytest.fixture(scope="module")
def texts(data):
    """A frame as people have them: texts, categories, truth values and numbers, all with missing cells."""
    random = np.random.default_rng(0)
    n_rows = len(data.X)
    frame = pd.DataFrame(
        {
            "size": data.X[:, 0],
            "colour": random.choice(["red", "green", "blue"], n_rows),
            "town": pd.Categorical(random.choice(["Oslo", "Rome"], n_rows)),
            "sold": random.choice([True, False], n_rows),
            "note": "same",
            "id": [f"row {at}" for at in range(n_rows)],
        }
    )
    frame.loc[::9, "size"] = np.nan
    frame.loc[::11, "colour"] = None
    frame.loc[::13, "town"] = np.nan
    y = frame["size"].fillna(0) + 2.0 * (frame["colour"] == "red") + frame["sold"]
    return frame, y.to_numpy()


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_learners_take_texts(texts, learner):
    X, y = texts
    y = np.where(y > 0.5, "high", "low") if hasattr(learner, "predict_proba") else y
    model = clone(learner).set_params(random_state=0, n_estimators=20).fit(X, y)
    assert model.score(X, y) > 0.6
    assert list(model.feature_names_in_) == list(X.columns) and model.n_features_in_ == 6
    assert np.array_equal(model.predict(X[X.columns[::-1]]), model.predict(X))
    assert np.array_equal(model.apply(pl.from_pandas(X.drop(columns=["note", "id"]))), model.apply(X))
    with pytest.warns(lmdi.LmdiWarning, match="column 'colour' holds 'mauve'"):
        model.predict(X.assign(colour="mauve"))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))


def test_explanations_of_texts_are_of_the_users_columns(texts, tmp_path):
    X, y = texts
    forest = lmdi.RandomForestRegressor(20, random_state=0).fit(X, y)
    for explainer in (lmdi.TreeSHAP(forest), lmdi.LMDIPlus(forest).fit(X, y), lmdi.TreeSHAP(forest, X[:30])):
        e = explainer.explain(X)
        assert e.feature_names == ["size", "colour", "town", "sold"]
        assert e.display_data[1:4, 1].tolist() == X["colour"].tolist()[1:4]
        assert e.importance().sort_values().index[-2:].tolist() in (["size", "colour"], ["colour", "size"])
        explainer.save(tmp_path / "explainer")
        again = lmdi.load(tmp_path / "explainer").explain(X)
        assert np.array_equal(again.values, e.values) and again.feature_names == e.feature_names
    e = lmdi.TreeSHAP(forest).explain(X)
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), forest.predict(X), atol=1e-9)
    pairs = lmdi.TreeSHAP(forest).interactions(X[:10])
    np.testing.assert_allclose(pairs.sum(axis=2), e.values[:10], atol=1e-9)


def test_texts_are_read_as_the_command_reads_them(texts, tmp_path):
    """The same table as a file: the same columns of the trees."""
    command = os.environ.get("LMDI_COMMAND")
    if not command:
        pytest.skip("LMDI_COMMAND names the command")
    X, y = texts
    X.assign(y=y).to_csv(tmp_path / "table.csv", index=False)
    subprocess.run(
        [command, "train", tmp_path / "table.csv", "--target", "y", "--save", tmp_path / "forest.lmdi"],
        check=True,
        capture_output=True,
    )
    theirs = lmdi.load(tmp_path / "forest.lmdi")
    ours = lmdi.RandomForestRegressor(5, random_state=0).fit(X, y).model_
    assert ours.feature_names == theirs.feature_names


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_importances_and_trees(data, texts, learner):
    classifies = hasattr(learner, "predict_proba")
    y = data.two if classifies else data.y
    model = clone(learner).set_params(random_state=0).fit(data.X, y)
    found = model.feature_importances_
    assert found.shape == (6,) and found.argmax() == 0
    np.testing.assert_allclose(found.sum(), 1)
    trees = model.estimators_
    assert len(trees) == model.model_.n_trees
    if "Boosting" not in type(learner).__name__:
        mean = np.mean([tree.predict_raw(data.X) for tree in trees], axis=0)
        expected = model.predict_proba(data.X) if classifies else model.predict(data.X)[:, np.newaxis]
        np.testing.assert_allclose(mean, expected, atol=1e-12)
    X, target = texts
    target = np.where(target > 0.5, "high", "low") if classifies else target
    found = clone(learner).set_params(random_state=0).fit(X, target).feature_importances_
    assert found.shape == (6,) and not found[4:].any()


def test_out_of_bag_scores(data):
    forest = lmdi.RandomForestRegressor(100, oob_score=True, random_state=0).fit(data.X, data.y)
    theirs = RandomForestRegressor(100, oob_score=True, random_state=0).fit(data.X, data.y)
    assert abs(forest.oob_score_ - theirs.oob_score_) < 0.05
    residual = data.y - forest.oob_prediction_
    np.testing.assert_allclose(forest.oob_score_, 1 - (residual**2).mean() / data.y.var())
    classes = lmdi.RandomForestClassifier(100, oob_score=True, random_state=0).fit(data.X, data.three)
    labels = classes.classes_[classes.oob_decision_function_.argmax(axis=1)]
    assert classes.oob_score_ == (labels == data.three).mean() > 0.6
    assert not hasattr(lmdi.RandomForestRegressor(5).fit(data.X, data.y), "oob_score_")
    with pytest.raises(ValueError, match="only available if bootstrap=True"):
        lmdi.ExtraTreesRegressor(5, oob_score=True).fit(data.X, data.y)
    with pytest.warns(lmdi.LmdiWarning, match="seen by every tree"):
        lmdi.RandomForestRegressor(1, oob_score=True).fit(data.X, data.y)
