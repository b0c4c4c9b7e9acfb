"""What the model predicts beside its scores: out of bag for training rows, and what scores leave of it."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor

import lmdi

EXACT = [lmdi.TreeSHAP, lmdi.Saabas]


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True)
    return X, y, RandomForestRegressor(60, oob_score=True, random_state=0).fit(X, y)


def test_training_rows_are_predicted_as_scikit_learn_does_out_of_bag(numbers):
    X, y, forest = numbers
    e = lmdi.LMDIPlus(forest).fit(X, y).explain(X)
    assert e.out_of_bag
    np.testing.assert_allclose(e.prediction, forest.oob_prediction_, rtol=1e-12)
    np.testing.assert_allclose(e.explained + e.unexplained, forest.predict(X), rtol=1e-12)
    # Scores and prediction of the same trees, those that did not see the row.
    oob = lmdi.LMDIPlus(forest).fit(X, y).explain(X, trees="oob")
    np.testing.assert_allclose(oob.explained + oob.unexplained, e.prediction, rtol=1e-12)
    share = 1 - np.sum(oob.unexplained**2) / np.sum((e.prediction - e.prediction.mean()) ** 2)
    assert e.fidelity.share == pytest.approx(share, rel=1e-9)
    assert oob.fidelity.share == pytest.approx(share, rel=1e-9)
    assert e.fidelity.same_class is None


def test_other_rows_are_predicted_by_all_trees(numbers):
    X, y, forest = numbers
    explainer = lmdi.LMDIPlus(forest).fit(X, y)
    for rows in (X[:100], X[::-1], X[:25] + 0.01):
        e = explainer.explain(rows)
        assert not e.out_of_bag
        np.testing.assert_allclose(e.prediction, forest.predict(rows), rtol=1e-12)


@pytest.mark.parametrize("method", EXACT)
def test_exact_methods_leave_nothing(numbers, method):
    X, _, forest = numbers
    e = method(forest).explain(X)
    assert np.abs(e.unexplained).max() < 1e-9 and e.out_of_bag
    np.testing.assert_allclose(e.prediction, forest.oob_prediction_, rtol=1e-12)
    np.testing.assert_allclose(e.explained, forest.predict(X), rtol=1e-12)
    ax = e.plot.waterfall(0)
    assert ax.get_yticklabels()[1].get_text() == "trees that saw the row left out"
    new = method(forest).explain(X[:50])
    assert np.abs(new.unexplained).max() < 1e-9
    np.testing.assert_allclose(new.explained, new.prediction, rtol=1e-12)


@pytest.mark.parametrize("load, boosted", [(load_breast_cancer, True), (load_wine, True), (load_wine, False)])
@pytest.mark.parametrize("method", EXACT)
def test_exact_methods_leave_nothing_of_classes(load, boosted, method):
    X, y = load(return_X_y=True)
    make = GradientBoostingClassifier if boosted else RandomForestClassifier
    model = make(n_estimators=10, random_state=0).fit(X, y)
    e = method(model).explain(X[:60])
    assert np.abs(e.unexplained).max() < 1e-9
    np.testing.assert_allclose(e.prediction, model.predict_proba(X[:60]), rtol=1e-9, atol=1e-12)


def test_log_odds_of_a_certain_forest_are_half_a_vote_away():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0).fit(X[:400], y[:400])
    e = lmdi.LMDIPlus(forest, preset="data").fit(X[:400], y[:400]).explain(X[400:])
    share = e.prediction[:, 1]
    assert (share == 1).any() and np.isfinite(e.unexplained).all()
    share = share.clip(1 / 40, 39 / 40)
    np.testing.assert_allclose(e.explained + e.unexplained, np.log(share / (1 - share)), rtol=1e-9)
    same = (e.prediction[:, 1] > 0.5) == (e.explained > 0)
    assert e.fidelity.same_class == pytest.approx(same.mean())


def test_parts_are_selected_and_kept(numbers):
    X, y, forest = numbers
    e = lmdi.LMDIPlus(forest).fit(X, y).explain(X)
    part = pickle.loads(pickle.dumps(e[5:9]))
    assert np.array_equal(part.prediction, e.prediction[5:9])
    assert np.array_equal(part.unexplained, e.unexplained[5:9])
    assert part.out_of_bag
    one = e[5]
    assert one.prediction == e.prediction[5] and one.unexplained == e.unexplained[5]
    column = e[:, 2]
    assert np.array_equal(column.explained, e.explained), "one column does not explain less of the model"


def test_a_threshold_of_the_file_decides():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0).fit(X[:400], y[:400])
    content = lmdi.LMDIPlus(forest).fit(X[:400], y[:400]).to_bytes(json=True)
    content = content.replace(b'"explainer":', b'"threshold":0.9,"explainer":', 1)
    compiled, restored = lmdi._lmdi.read_model_file(content)
    assert compiled.threshold == 0.9
    model = lmdi._models.model.model_of_file(compiled)
    share = forest.predict_proba(X)[:, 1]
    assert np.array_equal(model.predict(X).astype(int), (share >= 0.9).astype(int))
    e = lmdi.LMDIPlus._restored(model, restored).explain(X[400:])
    assert e.threshold == 0.9
    share = e.prediction[:, 1]
    found = lmdi.counterfactuals(e, e.prediction)
    assert all((share[row] >= 0.9) != (share[one.row] >= 0.9) for row, [one] in enumerate(found))
    other = lmdi.counterfactuals(e, e.prediction, threshold=0.2)
    assert all((share[row] >= 0.2) != (share[one.row] >= 0.2) for row, [one] in enumerate(other))
    groups = lmdi.subgroups(e, e.prediction, y[400:], groups=2)
    members = groups.labels == 0
    wrong = (share >= 0.9).astype(int) != y[400:]
    assert groups.groups[0]["error"] == pytest.approx(wrong[members].mean())
    with pytest.raises(ValueError, match="from 0 to 1"):
        lmdi.counterfactuals(e, e.prediction, threshold=1.5)


def test_low_fidelity_is_told_with_its_direction(numbers):
    X, y, forest = numbers
    # A penalty this strong leaves little but the base.
    explainer = lmdi.LMDIPlus(forest, glm="ridge", alpha=1e3).fit(X, y)
    with pytest.warns(lmdi.LmdiWarning, match="reproduces only .* they understate") as told:
        explainer.explain(X)
    assert "% lmdi.TreeSHAP" in str(told[0].message).replace("%. ", "% ")
    other = lmdi.LMDIPlus(forest, fit_to="response", glm="ridge", alpha=1e3).fit(X, y)
    with pytest.warns(lmdi.LmdiWarning, match='preset="model" follows the model more closely, and lmdi.Tree'):
        other.explain(X)
    with pytest.warns(lmdi.LmdiWarning, match="of these rows"):
        explainer.explain(X[:200] + 1e-6)
    explainer.explain(X[:200])  # The model knows these, and their noise.
    explainer.explain(X[:20] + 1e-6)  # Too few to tell.
