"""Votes, bags, stacks, calibration and transformed targets: exact where they are sums, refused where not."""

import pickle

import lightgbm
import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

import lmdi

NUMBERS = [
    ("forest", RandomForestRegressor(5, min_samples_leaf=3, random_state=0)),
    ("boosted", GradientBoostingRegressor(n_estimators=5, random_state=0)),
    ("hist", HistGradientBoostingRegressor(max_iter=5)),
    ("light", lightgbm.LGBMRegressor(n_estimators=5, verbose=-1)),
    ("pipe", make_pipeline(StandardScaler(), ExtraTreesRegressor(5, random_state=0))),
]
FORESTS = [
    ("forest", RandomForestClassifier(5, min_samples_leaf=3, random_state=0)),
    ("extra", ExtraTreesClassifier(5, min_samples_leaf=3, random_state=0)),
    ("pipe", make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=1))),
]


def total(e):
    return e.base_values + e.values.sum(axis=1)


def check(model, X, expected, atol=1e-6):
    for explainer in (lmdi.TreeSHAP(model), lmdi.Saabas(model), lmdi.TreeSHAP(model, X[:10])):
        e = explainer.explain(X)
        np.testing.assert_allclose(total(e), expected, atol=atol)
        np.testing.assert_allclose(explainer.expected_value, e.base_values[0], atol=1e-9)
        predicts_as(model, X, e)
        np.testing.assert_allclose(e.unexplained, 0, atol=1e-6)
        np.testing.assert_allclose(e[3].prediction, e.prediction[3])
    again = pickle.loads(pickle.dumps(explainer))
    assert np.array_equal(again.explain(X[:5]).values, e.values[:5])
    pairs = lmdi.TreeSHAP(model).interactions(X[:5])
    np.testing.assert_allclose(pairs.sum(axis=2), lmdi.TreeSHAP(model).explain(X[:5]).values, atol=1e-9)


def predicts_as(model, X, e):
    """`prediction` is the model's own: for every row, all members together."""
    own = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    if not e.out_of_bag:
        np.testing.assert_allclose(e.prediction, own, atol=1e-6)
    assert e.prediction.shape == own.shape
    np.testing.assert_allclose(e.explained, total(e), atol=1e-9)


def fits(model, X, y, expected, **keywords):
    """LMDI+ adds up to its own prediction, which is close to the model's."""
    explainer = lmdi.LMDIPlus(model, glm="ridge", **keywords).fit(X, y)
    scores = explainer.explain(X)
    predicts_as(model, X, scores)
    assert scores.fidelity.share > 0.5
    assert np.corrcoef(np.ravel(total(scores)), np.ravel(expected))[0, 1] > 0.8
    again = pickle.loads(pickle.dumps(explainer))
    assert np.array_equal(again.explain(X[:5]).values, scores.values[:5])
    return explainer


def test_voting_on_numbers(data):
    model = VotingRegressor(NUMBERS, weights=[1, 2, 1, 3, 1]).fit(data.X, data.y)
    check(model, data.X, model.predict(data.X))
    explainer = fits(model, data.X, data.y, model.predict(data.X))
    np.testing.assert_allclose(explainer.predict(data.X), total(explainer.explain(data.X)))


@pytest.mark.parametrize("target", ["two", "three"])
def test_soft_votes_of_forests(data, target):
    y = getattr(data, target)
    model = VotingClassifier(FORESTS, voting="soft", weights=[2, 1, 1]).fit(data.X, y)
    proba = model.predict_proba(data.X)
    check(model, data.X, proba[:, 1] if target == "two" else proba)
    e = lmdi.TreeSHAP(model).explain(data.X)
    assert e.output_names == (["yes"] if target == "two" else ["0", "10", "20"])
    explainer = fits(model, data.X, y, proba[:, 1] if target == "two" else proba, family="gaussian")
    assert (explainer.predict(data.X) == model.predict(data.X)).mean() > 0.8
    with pytest.raises(TypeError, match='their sum would not be the prediction. Use family="gaussian"'):
        lmdi.LMDIPlus(model, family="binomial").fit(data.X, y)


def test_votes_that_are_no_sum(data):
    members = [("a", FORESTS[0][1]), ("b", GradientBoostingClassifier(n_estimators=3))]
    soft = VotingClassifier(members, voting="soft").fit(data.X, data.two)
    with pytest.raises(TypeError, match="combines the numbers and probabilities of its members.*log-odds"):
        lmdi.TreeSHAP(soft).explain(data.X)
    hard = VotingClassifier(members, voting="hard").fit(data.X, data.two)
    with pytest.raises(TypeError, match="counts votes"):
        lmdi.TreeSHAP(hard).explain(data.X)


@pytest.mark.parametrize("inner", [NUMBERS[0], NUMBERS[1], NUMBERS[3], NUMBERS[4]], ids=lambda one: one[0])
def test_bags_of_any_model(data, inner):
    model = BaggingRegressor(inner[1], 3, max_features=0.7, max_samples=0.8, random_state=0)
    model.fit(data.X, data.y)
    check(model, data.X, model.predict(data.X))
    fits(model, data.X, data.y, model.predict(data.X))


def test_bags_of_forests_of_classes(data):
    model = BaggingClassifier(FORESTS[0][1], 3, random_state=0).fit(data.X, data.three)
    check(model, data.X, model.predict_proba(data.X))


def test_stacks_under_a_linear_step(data):
    model = StackingRegressor(NUMBERS, RidgeCV(), cv=2).fit(data.X, data.y)
    check(model, data.X, model.predict(data.X))
    fits(model, data.X, data.y, model.predict(data.X))
    classes = StackingClassifier(FORESTS, LogisticRegression(), cv=2).fit(data.X, data.two)
    check(classes, data.X, classes.decision_function(data.X))
    e = lmdi.TreeSHAP(classes).explain(data.X)
    assert e.scale == "log_odds" and e.output_names == ["yes"]
    boosted = [
        ("b", GradientBoostingClassifier(n_estimators=3)),
        ("h", HistGradientBoostingClassifier(max_iter=3)),
    ]
    raw = StackingClassifier(boosted, LogisticRegression(), cv=2, stack_method="decision_function")
    raw.fit(data.X, data.two)
    check(raw, data.X, raw.decision_function(data.X))


def test_stacks_under_trees_are_explained_by_what_members_predict(data):
    model = StackingRegressor(NUMBERS[:2], RandomForestRegressor(5, random_state=0), cv=2).fit(data.X, data.y)
    e = lmdi.TreeSHAP(model).explain(data.X)
    np.testing.assert_allclose(total(e), model.predict(data.X), atol=1e-9)
    assert e.feature_names == ["stackingregressor_forest", "stackingregressor_boosted"]
    np.testing.assert_allclose(e.data, model.transform(data.X))
    with pytest.raises(TypeError, match="use lmdi.TreeSHAP or lmdi.Saabas, which need no training rows"):
        lmdi.LMDIPlus(model).fit(data.X, data.y)


def odds(proba):
    return np.log(proba[:, 1] / proba[:, 0])


@pytest.mark.parametrize(
    "inner",
    [FORESTS[0][1], GradientBoostingClassifier(n_estimators=5), HistGradientBoostingClassifier(max_iter=5)],
    ids=lambda model: type(model).__name__,
)
def test_calibration_by_one_sigmoid(data, inner):
    inner = inner.fit(data.X, data.two)
    for model in (
        CalibratedClassifierCV(inner, ensemble=False, cv=2),
        CalibratedClassifierCV(FrozenEstimator(inner), ensemble=False),
    ):
        model.fit(data.X, data.two)
        check(model, data.X, odds(model.predict_proba(data.X)), atol=1e-5)


def test_calibration_that_is_no_sum_says_what_to_do(data):
    for model in (
        CalibratedClassifierCV(FORESTS[0][1], cv=3),
        CalibratedClassifierCV(FORESTS[0][1], method="isotonic", ensemble=False, cv=2),
    ):
        model.fit(data.X, data.two)
        with pytest.raises(TypeError, match="no sum of scores.*calibrated_classifiers_"):
            lmdi.TreeSHAP(model).explain(data.X)
        # The way that the message names.
        before = model.calibrated_classifiers_[0].estimator
        e = lmdi.TreeSHAP(before).explain(data.X)
        np.testing.assert_allclose(total(e), before.predict_proba(data.X)[:, 1], atol=1e-9)


def test_transformed_targets(data):
    y = np.exp(data.y / 4)
    inner = RandomForestRegressor(5, min_samples_leaf=3, random_state=0)
    scaled = TransformedTargetRegressor(inner, transformer=StandardScaler()).fit(data.X, y)
    check(scaled, data.X, scaled.predict(data.X))
    fits(scaled, data.X, y, scaled.predict(data.X))
    log = TransformedTargetRegressor(inner, func=np.log, inverse_func=np.exp).fit(data.X, y)
    check(log, data.X, np.log(log.predict(data.X)))
    explainer = fits(log, data.X, y, np.log(log.predict(data.X)))
    assert explainer.explain(data.X).scale == "log"
    np.testing.assert_allclose(np.log(explainer.predict(data.X)), total(explainer.explain(data.X)))
    ranks = TransformedTargetRegressor(inner, transformer=QuantileTransformer(n_quantiles=50)).fit(data.X, y)
    e = lmdi.TreeSHAP(ranks).explain(data.X)
    assert e.scale == "transformed"
    np.testing.assert_allclose(total(e), ranks.regressor_.predict(data.X), atol=1e-9)
    e.plot.waterfall()


def test_thresholds_leave_probabilities(data):
    model = FixedThresholdClassifier(FORESTS[0][1], threshold=0.3).fit(data.X, data.two == "yes")
    check(model, data.X, model.predict_proba(data.X)[:, 1])


def test_the_list_of_classes_holds_only_what_is_explained(data):
    """Every class that a refusal names has a reader that gives trees."""
    from lmdi._models import READERS

    with pytest.raises(TypeError) as told:
        lmdi.TreeSHAP(LogisticRegression()).explain(data.X)
    names = str(told.value).split("classes: ")[1].split(". For")[0].split(", ")
    known = {name for readers in READERS.values() for name in readers}
    assert set(names) < known and "Pipeline" in names and "AdaBoostRegressor" not in names


def test_votes_of_boosted_models_in_probabilities(data):
    members = [("a", FORESTS[0][1]), ("b", GradientBoostingClassifier(n_estimators=3, random_state=0))]
    soft = VotingClassifier(members, voting="soft").fit(data.X, data.two)
    explainer = lmdi.TreeSHAP(soft, data.X[:10], model_output="probability")
    e = explainer.explain(data.X)
    np.testing.assert_allclose(total(e), soft.predict_proba(data.X)[:, 1], atol=1e-9)
    np.testing.assert_allclose(explainer.expected_value, e.base_values[0])
    assert e.scale == "probability"
