"""Objectives of which only the trees are of use: TreeSHAP and Saabas are exact, LMDI+ says why it is not."""

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import lmdi

SMALL = {"n_estimators": 6, "max_depth": 3}
CAT = {"iterations": 6, "depth": 3, "verbose": False, "allow_writing_files": False, "thread_count": 1}


def groups(n_rows):
    return np.repeat(n_rows // 10, 10)


def exact(model, X, expected, tolerance=1e-5):
    """Base plus scores is what the library itself says, for both methods, and pairs add up."""
    shapley, saabas = lmdi.TreeSHAP(model), lmdi.Saabas(model)
    for e in (shapley.explain(X), saabas.explain(X)):
        np.testing.assert_allclose(
            e.base_values + e.values.sum(axis=1), expected, rtol=tolerance, atol=tolerance
        )
    pairs = shapley.interactions(X[:20])
    np.testing.assert_allclose(pairs.sum(axis=2), shapley.explain(X[:20]).values, atol=1e-9)


def refused(model, X, y):
    with pytest.raises(ValueError, match="not known for the objective of this model.*TreeSHAP and Saabas"):
        lmdi.LMDIPlus(model).fit(X, y)


@pytest.mark.parametrize(
    "objective",
    ["reg:absoluteerror", "reg:quantileerror", "reg:pseudohubererror", "reg:squaredlogerror", "binary:hinge"],
)
def test_xgboost_objectives(data, objective):
    X, y = data.X, np.abs(data.y)
    y = (y > 1).astype(float) if objective == "binary:hinge" else y
    more = {"quantile_alpha": 0.8} if "quantile" in objective else {}
    model = xgboost.XGBRegressor(**SMALL, objective=objective, **more).fit(X, y)
    exact(model, X, model.predict(X, output_margin=True))
    refused(model, X, y)


def test_xgboost_ranking_and_survival(data):
    X = data.X
    ranker = xgboost.XGBRanker(**SMALL).fit(X, data.three // 10, group=groups(len(X)))
    exact(ranker, X, ranker.predict(X))
    refused(ranker, X, data.y)
    times = np.exp(data.y / 4)
    cox = xgboost.XGBRegressor(**SMALL, objective="survival:cox").fit(X, times)
    exact(cox, X, cox.predict(X, output_margin=True))
    np.testing.assert_allclose(lmdi._models.model_of(cox).predict(X), cox.predict(X), rtol=1e-4)
    table = xgboost.DMatrix(X, label_lower_bound=times, label_upper_bound=times)
    aft = xgboost.train({"objective": "survival:aft", "max_depth": 3}, table, 6)
    exact(aft, X, aft.predict(table, output_margin=True))


def test_custom_objectives(data):
    def squares(truth, predicted):
        return predicted - truth, np.ones_like(truth)

    model = xgboost.XGBRegressor(**SMALL, objective=squares).fit(data.X, data.y)
    exact(model, data.X, model.predict(data.X, output_margin=True))
    refused(model, data.X, data.y)
    model = lightgbm.LGBMRegressor(n_estimators=6, objective=squares, verbose=-1).fit(data.X, data.y)
    exact(model, data.X, model.predict(data.X))
    refused(model, data.X, data.y)


@pytest.mark.parametrize(
    "objective", ["regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg"]
)
def test_lightgbm_objectives(data, objective):
    X = data.X
    keywords = {"n_estimators": 6, "verbose": -1, "n_jobs": 1, "objective": objective}
    if "rank" in objective:
        model = lightgbm.LGBMRanker(**keywords).fit(X, data.three // 10, group=groups(len(X)))
    else:
        model = lightgbm.LGBMRegressor(**keywords).fit(X, data.y)
    exact(model, X, model.predict(X))
    refused(model, X, data.y)


@pytest.mark.parametrize(
    "loss", ["MAE", "Quantile:alpha=0.7", "Huber:delta=1", "LogCosh", "MAPE", "Expectile:alpha=0.3"]
)
def test_catboost_losses(data, loss):
    model = catboost.CatBoostRegressor(**CAT, loss_function=loss).fit(data.X, data.y)
    exact(model, data.X, model.predict(data.X))
    refused(model, data.X, data.y)


def test_catboost_ranking(data):
    ids = np.repeat(np.arange(30), 10)
    model = catboost.CatBoostRanker(**CAT, loss_function="YetiRank").fit(
        data.X, data.three // 10, group_id=ids
    )
    exact(model, data.X, model.predict(data.X))


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
def test_sklearn_boosting_losses(data, loss):
    model = GradientBoostingRegressor(loss=loss, n_estimators=6, random_state=0).fit(data.X, data.y)
    exact(model, data.X, model.predict(data.X))
    refused(model, data.X, data.y)
    if loss != "huber":
        more = {"quantile": 0.7} if loss == "quantile" else {}
        model = HistGradientBoostingRegressor(loss=loss, max_iter=6, **more).fit(data.X, data.y)
        exact(model, data.X, model.predict(data.X))
        refused(model, data.X, data.y)


def test_exponential_loss_is_in_log_odds(data):
    model = GradientBoostingClassifier(loss="exponential", n_estimators=6, random_state=0)
    model.fit(data.X, data.two)
    odds = model.predict_proba(data.X)
    exact(model, data.X, np.log(odds[:, 1] / odds[:, 0]))
    assert lmdi.TreeSHAP(model).explain(data.X).scale == "log_odds"


@pytest.mark.parametrize("target", ["two", "three"])
@pytest.mark.parametrize("depth", [1, 3])
def test_adaboost_votes(data, target, depth):
    y = getattr(data, target)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=8, random_state=0)
    model.fit(data.X, y)
    decision = model.decision_function(data.X)
    exact(model, data.X, decision if target == "two" else decision / 2)
    np.testing.assert_allclose(
        lmdi._models.model_of(model).predict_proba(data.X), model.predict_proba(data.X), atol=1e-12
    )
    refused(model, data.X, y)


def test_adaboost_of_numbers_is_refused_with_the_reason(data):
    model = AdaBoostRegressor(n_estimators=3).fit(data.X, data.y)
    with pytest.raises(TypeError, match="weighted median.*no sum of scores"):
        lmdi.TreeSHAP(model).explain(data.X)


@pytest.mark.parametrize("max_features", [1.0, 0.5])
def test_isolation_forests(data, max_features):
    model = IsolationForest(n_estimators=20, max_features=max_features, random_state=0).fit(data.X)
    e = lmdi.TreeSHAP(model).explain(data.X)
    paths = e.base_values + e.values.sum(axis=1)
    # score_samples is minus two to the power of minus this mean path, in units of a tree of all drawn rows.
    unit = -paths / np.log2(-model.score_samples(data.X))
    np.testing.assert_allclose(-unit, -unit[0] * np.ones(len(unit)), rtol=1e-9)
    refused(model, data.X, data.y)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(5, random_state=0),
        ExtraTreesRegressor(5, random_state=0),
        DecisionTreeRegressor(max_depth=4, random_state=0),
        MultiOutputRegressor(GradientBoostingRegressor(n_estimators=5, random_state=0)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_several_targets(data, model):
    both = np.column_stack([data.y, -3 * data.y + data.X[:, 3]])
    model.fit(data.X, both)
    exact(model, data.X, model.predict(data.X))
    e = lmdi.TreeSHAP(model).explain(data.X)
    assert e.output_names == ["y0", "y1"] and e.values.shape == (300, 6, 2)
    explainer = lmdi.LMDIPlus(model, glm="ridge").fit(data.X, both)
    scores = explainer.explain(data.X)
    np.testing.assert_allclose(
        scores.base_values + scores.values.sum(axis=1), explainer.predict(data.X), atol=1e-9
    )
    assert np.corrcoef(explainer.predict(data.X)[:, 1], both[:, 1])[0, 1] > 0.8
    for y, found in [(data.y, "1 column;"), (both[:, [0, 1, 1]], "3 columns;")]:
        with pytest.raises(ValueError, match=f"y has {found} expected 2, one for each number"):
            lmdi.LMDIPlus(model).fit(data.X, y)


def test_classes_of_several_targets_are_refused(data):
    both = np.column_stack([data.three, data.three])
    model = RandomForestClassifier(3, random_state=0).fit(data.X, both)
    with pytest.raises(TypeError, match="classes of 2 targets at once; fit one model per target"):
        lmdi.TreeSHAP(model).explain(data.X)
