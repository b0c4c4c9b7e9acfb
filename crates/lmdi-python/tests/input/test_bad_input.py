"""Bad input ends in an exception of the right type that says what to do; never in an abort."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import lmdi


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestRegressor(3, min_samples_leaf=5, random_state=0).fit(data.X, data.y)


@pytest.fixture(scope="module")
def explainer(data, forest):
    return lmdi.LMDIPlus(forest).fit(data.X, data.y)


def test_unfitted(data, forest):
    for model in (RandomForestRegressor(), GradientBoostingRegressor(), DecisionTreeRegressor()):
        with pytest.raises(NotFittedError, match="not fitted yet: call its fit"):
            lmdi.LMDIPlus(model).fit(data.X, data.y)
    with pytest.raises(NotFittedError, match="call its fit"):
        lmdi.LMDIPlus(lmdi.RandomForestRegressor()).fit(data.X, data.y)
    for use in ("explain", "predict", "rank"):
        with pytest.raises(lmdi.NotFittedError, match=r"call fit\(X_train, y_train\) first"):
            getattr(lmdi.LMDIPlus(forest), use)(data.X)
    with pytest.raises(NotFittedError):
        lmdi.LMDIPlus(forest).save("never.lmdi")


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        (LinearRegression(), "LinearRegression is not supported; expected a fitted model"),
        (AdaBoostRegressor(n_estimators=2), "AdaBoostRegressor predicts the weighted median"),
        (
            BaggingRegressor(LinearRegression(), 2),
            "LinearRegression is not supported; expected a fitted model",
        ),
        (make_pipeline(StandardScaler(), LinearRegression()), "LinearRegression is not supported"),
    ],
)
def test_models_that_are_not_supported(data, model, advice):
    with pytest.raises(TypeError, match=advice):
        lmdi.LMDIPlus(model.fit(data.X, data.y)).fit(data.X, data.y)


def test_wrappers(data):
    calibrated = CalibratedClassifierCV(RandomForestClassifier(3), cv=2).fit(data.X, data.two)
    with pytest.raises(TypeError, match=r"calibrated_classifiers_\[0\].estimator"):
        lmdi.LMDIPlus(calibrated).fit(data.X, data.two)
    search = GridSearchCV(DecisionTreeRegressor(), {"max_depth": [2, 3]}).fit(data.X, data.y)
    assert lmdi.LMDIPlus(search).fit(data.X, data.y).explain(data.X).shape == data.X.shape
    pipe = make_pipeline(StandardScaler(), DecisionTreeRegressor(max_depth=4)).fit(data.X, data.y)
    table = pipe[:-1].transform(data.X)
    assert lmdi.LMDIPlus(pipe[-1]).fit(table, data.y).explain(table).shape == data.X.shape


def test_things_that_are_no_models(data):
    with pytest.raises(TypeError, match="the class RandomForestRegressor; pass a fitted object"):
        lmdi.LMDIPlus(RandomForestRegressor).fit(data.X, data.y)
    with pytest.raises(TypeError, match="lmdi.load"):
        lmdi.LMDIPlus("model.json").fit(data.X, data.y)
    with pytest.raises(TypeError, match="not supported"):
        lmdi.LMDIPlus(None).fit(data.X, data.y)


def test_models_with_parts_that_are_not_supported(data):
    one = np.zeros(len(data.X))
    with pytest.raises(ValueError, match="only the class '0.0'"):
        lmdi.LMDIPlus(DecisionTreeClassifier().fit(data.X, one)).fit(data.X, one)
    start = GradientBoostingClassifier(init=DecisionTreeClassifier(), n_estimators=2)
    with pytest.raises(ValueError, match="init=None or init='zero'"):
        lmdi.LMDIPlus(start.fit(data.X, data.two)).fit(data.X, data.two)


def test_tables_of_the_wrong_shape(data, explainer):
    with pytest.raises(ValueError, match="X has 5 features, but the model is expecting 6 features"):
        explainer.explain(data.X[:, :5])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array.*reshape"):
        explainer.explain(data.X[0])
    with pytest.raises(ValueError, match="3 dimensions"):
        explainer.explain(data.X[None])
    with pytest.raises(ValueError, match=r"one dimension.*iloc\[\[i\]\].*to_frame"):
        explainer.explain(pd.Series(data.X[0]))
    assert explainer.explain(data.X[:0]).values.shape == (0, 6)
    with pytest.raises(ValueError, match="0 sample"):
        lmdi.LMDIPlus(explainer.model).fit(data.X[:0], data.y[:0])


def test_cells_that_are_no_numbers(data, explainer):
    text = data.X.astype(object)
    text[3, 2] = "tall"
    with pytest.raises(ValueError, match="'tall'; expected numbers: encode"):
        explainer.explain(text)
    frame = pd.DataFrame(data.X).astype(object)
    frame.iloc[0, 1] = "wide"
    with pytest.raises(ValueError, match="column 'x1' holds 'wide'"):
        explainer.explain(frame)
    dates = pd.DataFrame(data.X).assign(d=pd.Timestamp("2026-01-01")).iloc[:, 1:]
    with pytest.raises(ValueError, match="expected numbers"):
        explainer.explain(dates)
    with pytest.raises(ValueError, match="complex"):
        explainer.explain(data.X.astype(complex))
    for worst in (np.inf, -np.inf):
        infinite = data.X.copy()
        infinite[7, 4] = worst
        with pytest.raises(ValueError, match="infinite.*row 7, column 'x4'"):
            explainer.explain(infinite)
        with pytest.raises(ValueError, match="infinite"):
            lmdi.LMDIPlus(explainer.model).fit(infinite, data.y)


def test_responses(data, forest):
    fit = lmdi.LMDIPlus(forest).fit
    wrong = data.y.copy()
    wrong[11] = np.nan
    with pytest.raises(ValueError, match="y is NaN in row 11"):
        fit(data.X, wrong)
    wrong[11] = np.inf
    with pytest.raises(ValueError, match="y is infinite.*row 11"):
        fit(data.X, wrong)
    with pytest.raises(ValueError, match="X has 300 rows, y has 299"):
        fit(data.X, data.y[:-1])
    with pytest.raises(ValueError, match="'yes'|'no'"):
        fit(data.X, data.two)
    with pytest.raises(ValueError, match="one entry per row"):
        fit(data.X, np.stack([data.y, data.y], axis=1))
    with pytest.raises(ValueError, match="y is None"):
        fit(data.X, None)


def test_classes(data):
    model = RandomForestClassifier(2, random_state=0).fit(data.X, data.two)
    fit = lmdi.LMDIPlus(model).fit
    other = np.where(data.two == "yes", "maybe", "no")
    with pytest.raises(ValueError, match="does not know the classes 'maybe'.*trained on 'no', 'yes'"):
        fit(data.X, other)
    holes = data.two.astype(object)
    holes[2] = None
    with pytest.raises(ValueError, match="missing labels"):
        fit(data.X, holes)


def test_weights(data, forest):
    fit = lmdi.LMDIPlus(forest).fit
    with pytest.raises(ValueError, match="sample_weight has 3"):
        fit(data.X, data.y, sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match="no negative weight"):
        fit(data.X, data.y, sample_weight=-data.weights - 1)
    with pytest.raises(ValueError, match="zero"):
        fit(data.X, data.y, sample_weight=np.zeros(len(data.y)))


def test_rows_that_are_not_the_training_rows(data, forest):
    with pytest.raises(ValueError, match='trained on 300 rows but 200 were given.*validation="folds"'):
        lmdi.LMDIPlus(forest).fit(data.X[:200], data.y[:200])
    lmdi.LMDIPlus(forest, validation="folds").fit(data.X[:200], data.y[:200])
    other = np.random.default_rng(0).permutation(len(data.X))
    choices = [{"fit_on": fit_on} for fit_on in (None, "all", "inbag", "oob", "uniform")]
    choices += [{"preset": "paper"}, {"ablation": 2}, {"validation": "oob"}, {"fit_on": "all", "folds": 3}]
    for options in choices:
        with pytest.raises(ValueError, match="the rows that the model was trained on, in their order"):
            lmdi.LMDIPlus(forest, **options).fit(data.X[other], data.y[other])
    free = [{"validation": "folds"}, {"folds": 4}, {"rule": "1se"}, {"fit_on": "uniform", "folds": 3}]
    for options in free:
        lmdi.LMDIPlus(forest, **options).fit(data.X[other], data.y[other])


@pytest.mark.parametrize(
    "options", [{}, {"class_weight": "balanced_subsample"}, {"max_samples": 0.4}], ids=str
)
def test_training_rows_are_known_as_such(data, options):
    """Weights of rows or classes hide how many rows a leaf had; that is no reason to refuse."""
    labels = (data.y > 1).astype(int)
    for weights in (None, data.weights, np.ones(len(labels))):
        model = RandomForestClassifier(3, min_samples_leaf=5, random_state=0, **options)
        lmdi.LMDIPlus(model.fit(data.X, labels, sample_weight=weights)).fit(data.X, labels)


def test_categories_the_model_does_not_know_are_missing_cells(data):
    table = pd.DataFrame({"x": data.X[:, 0], "c": pd.Categorical(data.two)})
    model = HistGradientBoostingRegressor(max_iter=5).fit(table, data.y)
    explainer = lmdi.LMDIPlus(model).fit(table, data.y)
    new = table.assign(c=pd.Categorical(["never"] * len(table)))
    gone = table.assign(c=pd.Categorical([None] * len(table), ["no", "yes"]))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert np.array_equal(explainer.explain(new).values, explainer.explain(gone).values)
    # Without the column there is also little to reproduce, which is told as well.
    assert any(re.search("column 'c' holds 'never'.*taken as missing", str(one.message)) for one in told)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fit_on": "bag"}, "`fit_on` is bag; expected all, inbag, oob or uniform"),
        ({"glm": "net"}, "`glm` is net"),
        ({"family": "gamma"}, "`family` is gamma"),
        ({"family": "binomial"}, "gaussian or poisson"),
        ({"rule": "best"}, "`rule` is best"),
        ({"selection": "auc"}, "`selection` is auc"),
        ({"selection": "accuracy"}, "measure"),
        ({"folds": 1}, "folds is 1; expected a whole number of at least 2"),
        ({"folds": -1}, "folds is -1; expected a whole number of at least 2"),
        ({"rounds": 0}, "rounds is 0"),
        ({"max_iterations": 1.5}, "max_iterations is 1.5; expected a whole number of at least 1"),
        ({"l1_ratio": 2}, "l1_ratio"),
        ({"alpha": -1, "glm": "ridge"}, "`alpha` is -1; expected a finite positive number"),
        ({"alpha": 1, "C": 1}, "beside alpha"),
        ({"alpha": 1}, "`alpha` is 1 without l1_ratio; expected one l1_ratio beside it"),
        ({"glm": "ols", "alpha": 1}, "beside alpha or C"),
        ({"glm": "ridge", "l1_ratio": 0.5}, "unless glm is elastic-net"),
        ({"tolerance": 0}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"ablation": 5}, "`ablation` is 5; expected a step from 1 to 4"),
        ({"preset": "best"}, "`preset` is best; expected model, data or paper"),
        ({"validation": "oob", "folds": 5}, "`folds` is 5, with validation oob; expected validation folds"),
        (
            {"preset": "paper", "folds": 5},
            "`folds` is given with a preset; expected one of the two: a preset fixes every",
        ),
        ({"preset": "paper", "ablation": 1}, "`preset` is given with ablation"),
        ({"n_jobs": 0}, "n_jobs is 0"),
    ],
)
def test_options(data, forest, options, message):
    with pytest.raises(ValueError, match=message):
        lmdi.LMDIPlus(forest, **options).fit(data.X, data.y)


def test_options_of_the_wrong_type(data, forest, explainer):
    for name, value, expected in (
        ("folds", "three", "a whole number of at least 2"),
        ("max_iterations", "many", "a whole number of at least 1"),
        ("alpha", "strong", "a number"),
        ("l1_ratio", [0.5, "a"], "a number"),
        ("include_raw", "x", "True or False"),
        ("raw_scale", [2], "a number"),
        ("raw_scale", "large", "a number"),
        ("n_jobs", "all", "a whole number or None"),
        ("fit_on", 3, "the name of a choice"),
    ):
        with pytest.raises(TypeError, match=f"{name} is .*; expected {expected}"):
            lmdi.LMDIPlus(forest, **{name: value}).fit(data.X, data.y)
    for scale in (0, -1.0, float("nan"), float("inf"), 1e7):
        with pytest.raises(ValueError, match="`raw_scale` is .*; expected a number from 1e-6 to 1e6"):
            lmdi.LMDIPlus(forest, raw_scale=scale).fit(data.X, data.y)
    with pytest.raises(ValueError, match="`trees` is some; expected auto, all, oob or inbag"):
        explainer.explain(data.X, trees="some")
    with pytest.raises(ValueError, match="by is 'size'"):
        explainer.rank(data.X, by="size")
    with pytest.raises(AttributeError, match="predicts numbers"):
        explainer.predict_proba(data.X)


def test_files(tmp_path, data):
    path = tmp_path / "model.lmdi"
    for content in (b"", b"hello", b"{", b"\x89LMDI"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="model file|JSON|starts with"):
            lmdi.load(path)
    with pytest.raises(FileNotFoundError):
        lmdi.load(tmp_path / "nothing.lmdi")
    with pytest.raises(FileNotFoundError):
        lmdi.export(DecisionTreeRegressor().fit(data.X, data.y), tmp_path / "no" / "model.lmdi")


def test_masks_are_not_ignored(data):
    masked = np.ma.masked_greater(data.X[:, :2], 1.0)
    tree = DecisionTreeRegressor(max_depth=2).fit(data.X[:, :2], data.y)
    for explain in (
        lambda: lmdi.RandomForestRegressor(2).fit(masked, data.y),
        lambda: lmdi.TreeSHAP(tree).explain(masked),
    ):
        with pytest.raises(TypeError, match="masked array.*filled"):
            explain()
    lmdi.RandomForestRegressor(2).fit(masked.filled(np.nan), data.y)


def test_tables_without_columns_and_nested_cells_are_refused(data):
    frame = pd.DataFrame({"x": data.X[:, 0]})
    with pytest.raises(ValueError, match="0 feature"):
        lmdi.RandomForestRegressor(2).fit(frame[[]], data.y)
    with pytest.raises(ValueError, match="column 'z' holds lists, such as .1, 2.; expected numbers"):
        lmdi.RandomForestRegressor(2).fit(frame.assign(z=[[1, 2]] * len(frame)), data.y)


def test_negative_weights_are_called_so(data):
    with pytest.raises(ValueError, match="Negative"):
        lmdi.RandomForestRegressor(2).fit(data.X, data.y, -np.ones(len(data.y)))
