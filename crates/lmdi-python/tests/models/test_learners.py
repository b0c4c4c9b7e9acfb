"""Our learners keep scikit-learn's conventions."""

import datetime
import decimal
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import lmdi

LEARNERS = [
    lmdi.RandomForestRegressor(5),
    lmdi.RandomForestClassifier(5),
    lmdi.ExtraTreesRegressor(5),
    lmdi.ExtraTreesClassifier(5),
    lmdi.GradientBoostingRegressor(5, min_samples_leaf=1),
    lmdi.GradientBoostingClassifier(5, min_samples_leaf=1),
]


#: The other way to draw rows of each kind.
OTHER_DRAWS = [
    lmdi.RandomForestRegressor(5, bootstrap=False),
    lmdi.RandomForestClassifier(5, bootstrap=False),
    lmdi.ExtraTreesRegressor(5, bootstrap=True),
    lmdi.ExtraTreesClassifier(5, bootstrap=True),
]


@parametrize_with_checks([*LEARNERS, *OTHER_DRAWS])
def test_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", [lmdi.RandomForestRegressor, lmdi.ExtraTreesClassifier])
@pytest.mark.parametrize("max_samples", [None, 0.4, 30])
def test_a_weight_is_so_many_rows(data, learner, max_samples):
    X, y = data.X_missing[:60], (data.three if hasattr(learner, "predict_proba") else data.y)[:60]
    weight = np.arange(60) % 4
    forest = learner(
        20, bootstrap=True, max_samples=max_samples, min_samples_leaf=3, max_leaf_nodes=9, random_state=0
    )
    weighted = clone(forest).fit(X, y, sample_weight=weight)
    order = np.random.default_rng(0).permutation(weight.sum())
    repeated = clone(forest).fit(X.repeat(weight, 0)[order], y.repeat(weight)[order])
    assert np.array_equal(weighted.apply(data.X_missing), repeated.apply(data.X_missing))
    work = "predict_proba" if hasattr(learner, "predict_proba") else "predict"
    found = [getattr(model, work)(data.X_missing) for model in (weighted, repeated)]
    assert np.array_equal(*found)


def test_large_weights_are_chances(data):
    """Their size does not matter, and rows stay out of bag."""
    weight = 1.0 + np.arange(len(data.y)) % 4
    forest = lmdi.RandomForestRegressor(50, oob_score=True, random_state=0)
    fits = [clone(forest).fit(data.X, data.y, weight * by) for by in (0.37, 10, 1e6, 1e-9)]
    assert all(np.array_equal(fits[0].apply(data.X), fit.apply(data.X)) for fit in fits)
    assert not np.isnan(fits[0].oob_prediction_).any()


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
        ({"n_estimators": 0}, "n_estimators is 0; expected a whole number of at least 1"),
        ({"n_estimators": -1}, "n_estimators is -1"),
        ({"n_estimators": 2.5}, "n_estimators is 2.5"),
        ({"n_estimators": 100_000_000}, "`n_estimators` is 100000000"),
        ({"criterion": "gini"}, "criterion is 'gini'; expected 'squared_error' or 'poisson'"),
        ({"criterion": 3}, "criterion is 3"),
        ({"max_depth": -1}, "max_depth is -1"),
        ({"max_depth": 2.0}, "max_depth is 2.0"),
        ({"max_depth": 0}, "max_depth"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"min_samples_leaf": 0.1}, "min_samples_leaf is 0.1"),
        (
            {"max_features": "half"},
            "max_features is 'half'; expected a whole number, a share, 'sqrt', 'log2'",
        ),
        ({"max_features": -1}, "max_features is -1; expected a whole number of at least 1"),
        ({"max_features": 1.5}, "max_features"),
        ({"max_samples": 0.0}, "max_samples"),
        ({"bootstrap": False, "max_samples": 5}, "bootstrap turned on"),
    ],
)
def test_parameters_out_of_range(data, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        lmdi.RandomForestRegressor(**options).fit(data.X, data.y)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_estimators": 0}, ValueError, "n_estimators is 0"),
        ({"learning_rate": "fast"}, TypeError, "learning_rate is 'fast'; expected a number"),
        ({"l2_regularization": -1}, ValueError, "`l2_regularization` is -1"),
        ({"early_stopping": True, "n_iter_no_change": 0}, ValueError, "n_iter_no_change is 0"),
        ({"early_stopping": True, "tol": -1}, ValueError, "`tol` is -1"),
        ({"early_stopping": "yes"}, TypeError, "early_stopping is 'yes'; expected True or False"),
        ({"split_finder": "best"}, ValueError, "expected 'auto', 'exact' or 'histogram'"),
    ],
)
def test_parameters_of_boosting_out_of_range(data, options, error, message):
    with pytest.raises(error, match=message):
        lmdi.GradientBoostingRegressor(**options).fit(data.X, data.y)


@pytest.mark.parametrize("learner", LEARNERS[2:], ids=lambda learner: type(learner).__name__)
def test_the_order_of_rows_changes_nothing(data, learner):
    y = data.three if hasattr(learner, "predict_proba") else data.y
    rows = np.random.default_rng(0).permutation(len(y))
    X = data.X.round(1)
    model = clone(learner).set_params(random_state=0).fit(X, y)
    shuffled = clone(learner).set_params(random_state=0).fit(X[rows], y[rows])
    predict = "predict_proba" if hasattr(learner, "predict_proba") else "predict"
    np.testing.assert_allclose(getattr(shuffled, predict)(X), getattr(model, predict)(X), rtol=1e-9)


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


def moments(n_rows, shift=0):
    """Dates, times and spans, with missing ones, as pandas has them."""
    days = pd.Series(pd.date_range("2020-01-01", periods=n_rows, freq="D") + pd.Timedelta(days=shift))
    days[::10] = pd.NaT
    return pd.DataFrame(
        {
            "day": days,
            "local": days.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
            "span": pd.to_timedelta(np.arange(n_rows) % 7, unit="h"),
        }
    )


def test_dates_and_times_are_numbers(data):
    n_rows = len(data.y)
    X = moments(n_rows)
    y = np.arange(n_rows) + 50.0 * (np.arange(n_rows) % 7 > 3)
    model = lmdi.RandomForestRegressor(20, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    e = lmdi.TreeSHAP(model).explain(X)
    assert e.feature_names == ["day", "local", "span"]
    seconds = X["day"].astype("datetime64[s]").astype("int64")
    assert np.array_equal(e.data[1:10, 0], seconds[1:10]) and np.isnan(e.data[0, 0])
    assert np.array_equal(e.data[1:10, 1], e.data[1:10, 0]) and e.data[3, 2] == 3 * 3600
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), model.predict(X))
    for other in (pl.from_pandas(X), pl.from_pandas(X).to_arrow()):
        np.testing.assert_allclose(model.predict(other), model.predict(X))


def test_dates_are_read_in_the_unit_of_training(data, tmp_path):
    """A date is the point of time at its begin, whichever of the two a later table holds."""
    n_rows = len(data.y)
    points = pl.from_pandas(moments(n_rows)[["day"]])
    dates = points.with_columns(pl.col("day").dt.date(), hour=pl.lit(datetime.time(1, 30)))
    y = np.arange(n_rows)
    by_day = lmdi.RandomForestRegressor(5, random_state=0).fit(dates, y)
    by_second = lmdi.RandomForestRegressor(5, random_state=0).fit(points, y)
    for model in (by_day, by_second):
        shap = lmdi.TreeSHAP(model)
        for table in (points, dates, points.to_pandas(), dates.to_arrow()):
            np.testing.assert_allclose(model.predict(table), model.predict(points))
        shap.save(tmp_path / "shap")
        again = lmdi.load(tmp_path / "shap")
        np.testing.assert_array_equal(again.explain(dates).values, shap.explain(points).values)
    assert lmdi.TreeSHAP(by_day).explain(dates).data[1, 0] == 18263
    assert lmdi.TreeSHAP(by_second).explain(dates).data[1, 0] == 18263 * 86400
    frame = lmdi._input.tables.frame_of(dates)
    assert frame.chosen(["hour"]).column(0)[0] == 5400 and frame.moments()["hour"] == "times of the day"
    spans = points.with_columns(day=pl.duration(days=1))
    with pytest.raises(ValueError, match="column 'day' holds spans of time; the model was trained on dates"):
        by_day.predict(spans)


def test_model_files_keep_dates_and_times(data, tmp_path):
    n_rows = len(data.y)
    day = pd.Series(pd.date_range("2020-01-01", periods=n_rows, freq="D"))
    X = pl.DataFrame({"day": day.to_numpy(), "noon": day.to_numpy()}).with_columns(
        pl.col("day").dt.date(), pl.col("noon") + pl.duration(hours=12), hour=pl.lit(datetime.time(1, 30))
    )
    hours = np.arange(n_rows) * 7 % 24
    X = X.with_columns(hour=pl.Series([datetime.time(int(hour), 30) for hour in hours]))
    y = np.arange(n_rows) + 5.0 * hours
    # One row per day: a series, which is learned from, and no row number.
    forest = lmdi.RandomForestRegressor(5, random_state=0).fit(X, y)
    assert forest.feature_importances_[0] > 0
    path, table = str(tmp_path / "forest.lmdi"), str(tmp_path / "table.csv")
    lmdi.export(forest, path)
    again = lmdi.load(path)
    for same in (X, X.to_pandas(), X.to_arrow()):
        np.testing.assert_array_equal(again.predict(same), forest.predict(X))
    explainer = lmdi.LMDIPlus(forest).fit(X, y)
    explainer.save(tmp_path / "plus.lmdi")
    scores = lmdi.load(tmp_path / "plus.lmdi").explain(X)
    np.testing.assert_array_equal(scores.values, explainer.explain(X).values)
    assert scores._times == explainer.explain(X)._times != {}
    # The command reads the same columns as text.
    X.write_csv(table, datetime_format="%Y-%m-%dT%H:%M:%S")
    run = [sys.executable, "-m", "lmdi", "predict", path, table, "--out", "-"]
    found = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    np.testing.assert_array_equal(np.array(found.split()[1:], dtype=float), forest.predict(X))
    spans = X.with_columns(day=pl.duration(days=1))
    with pytest.raises(ValueError, match="column 'day' holds spans of time; the model was trained on dates"):
        again.predict(spans)


@pytest.mark.parametrize(
    "objects",
    [
        lambda numbers: pd.Series(numbers, dtype=object),
        lambda numbers: pd.Series([decimal.Decimal(str(number)) for number in numbers]),
        lambda numbers: pd.Series(
            [None if number == numbers[0] else number for number in numbers], dtype=object
        ),
        lambda numbers: pd.Series([datetime.date(2020, 1, 1 + int(abs(number) * 6)) for number in numbers]),
        lambda numbers: pd.Series(
            [datetime.datetime(2020, 1, 1, int(abs(n) * 5)) for n in numbers], dtype=object
        ),
        lambda numbers: pd.Series(pd.PeriodIndex.from_ordinals((numbers * 10).astype(int) + 400, freq="M")),
    ],
)
def test_numbers_and_dates_that_are_kept_as_objects(data, objects):
    X = pd.DataFrame({"a": data.X[:, 0], "objects": objects(data.X[:, 3].round(2)), "text": data.two})
    model = lmdi.RandomForestRegressor(5, random_state=0).fit(X, data.y)
    assert model.model_.feature_names == ["a", "objects", "text"]
    assert np.isfinite(model.predict(X)).all()


def test_numbers_as_text_are_told(data):
    X = pd.DataFrame({"a": data.X[:, 0], "text": [f"{number:.0f}" for number in data.X[:, 3]]})
    with pytest.warns(
        lmdi.LmdiWarning, match="column 'text' holds text that spells numbers, such as '.*pandas"
    ):
        lmdi.RandomForestRegressor(5, random_state=0).fit(X, data.y)


def test_columns_that_were_left_out_are_ignored(data, tmp_path):
    """Also if none of those that are read holds text."""
    X = pd.DataFrame(data.X, columns=list("abcdef")).assign(id=[f"row {at}" for at in range(len(data.y))])
    model = lmdi.RandomForestRegressor(5, random_state=0).fit(X, data.y)
    assert model.feature_importances_.shape == (7,) and model.feature_importances_[6] == 0
    e = lmdi.TreeSHAP(model).explain(X)
    assert e.feature_names == list("abcdef")
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), model.predict(X))
    assert np.array_equal(model.predict(X[X.columns[::-1]]), model.predict(X))
    lmdi.export(model, tmp_path / "forest.lmdi")
    assert np.array_equal(lmdi.load(tmp_path / "forest.lmdi").predict(X.assign(more=1)), model.predict(X))


def test_two_columns_of_one_name(data):
    X = pd.DataFrame(data.X, columns=list("aabcde"))
    with pytest.raises(ValueError, match="X has more than one column named 'a'"):
        lmdi.RandomForestRegressor(5).fit(X, data.y)
