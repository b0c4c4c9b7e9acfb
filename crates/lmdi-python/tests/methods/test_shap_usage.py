"""Code written for shap, with an explainer of ours in its place."""

import numpy as np
import pytest
import shap
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor, VotingRegressor

import lmdi


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X[:60], RandomForestRegressor(5, max_depth=4, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def classes():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X[:60], RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y)


def test_the_array_interface(numbers):
    X, model = numbers
    mine, theirs = lmdi.TreeSHAP(model), shap.TreeExplainer(model)
    np.testing.assert_allclose(mine.shap_values(X), theirs.shap_values(X), atol=1e-9)
    np.testing.assert_allclose(mine.shap_values(X, check_additivity=False), mine.shap_values(X))
    np.testing.assert_allclose(mine.expected_value, np.ravel(theirs.expected_value)[0])
    np.testing.assert_allclose(
        mine.shap_interaction_values(X[:5]), theirs.shap_interaction_values(X[:5]), atol=1e-9
    )
    # The base value is known before any row is.
    np.testing.assert_allclose(lmdi.TreeSHAP(model).expected_value, mine.expected_value)


def test_the_call_interface(classes):
    X, model = classes
    mine, theirs = lmdi.TreeSHAP(model)(X), shap.TreeExplainer(model)(X)
    np.testing.assert_allclose(mine.values, theirs.values, atol=1e-9)
    np.testing.assert_allclose(mine.base_values, theirs.base_values)
    for pick in (
        lambda e: e[0],
        lambda e: e[-1],
        lambda e: e[:10],
        lambda e: e[:, "ash"],
        lambda e: e[:, 3],
        lambda e: e[:, :, 1],
        lambda e: e[0, :, 2],
        lambda e: e[..., 1],
        lambda e: e[5, "hue", 0],
    ):
        np.testing.assert_allclose(pick(mine).values, pick(theirs).values, atol=1e-9)
        np.testing.assert_allclose(pick(mine).data, pick(theirs).data)
        np.testing.assert_allclose(pick(mine).base_values, pick(theirs).base_values)
    assert [len(row.values) for row in mine] == [len(row.values) for row in theirs]


def test_background_rows_as_the_data_of_shap(numbers):
    # Whole numbers: shap compares cells with thresholds in other bits than scikit-learn here.
    X, y = (1000 * numbers[0]).round(), numbers[1].predict(numbers[0])
    model = RandomForestRegressor(5, max_depth=4, random_state=0).fit(X, y)
    mine = lmdi.TreeSHAP(model, X[:20])
    theirs = shap.TreeExplainer(model, X[:20])
    np.testing.assert_allclose(mine.shap_values(X), theirs.shap_values(X), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(mine.expected_value, np.ravel(theirs.expected_value)[0], rtol=1e-6)


def test_every_explainer_is_called_alike(numbers):
    X, model = numbers
    y = model.predict(X)
    for explainer in (
        lmdi.LMDIPlus(model, validation="folds").fit(X, y),
        lmdi.Saabas(model),
        lmdi.LIME(model, X, n_samples=100),
        lmdi.MAPLE(model, n_columns=2).fit(X, y),
    ):
        assert np.array_equal(explainer(X).values, explainer.shap_values(X))


def test_plots_of_shap_take_a_row_or_a_class(numbers, classes):
    from matplotlib import pyplot

    e, several = lmdi.TreeSHAP(numbers[1])(numbers[0]), lmdi.TreeSHAP(classes[1])(classes[0])
    for draw in [
        lambda: shap.plots.waterfall(e[0].to_shap(), show=False),
        lambda: shap.plots.scatter(e[:, "bmi"].to_shap(), show=False),
        lambda: shap.plots.waterfall(several[0, :, 1].to_shap(), show=False),
        lambda: shap.plots.beeswarm(several[:, :, 2].to_shap(), show=False),
        lambda: shap.summary_plot(e.values, numbers[0], show=False),
        lambda: shap.dependence_plot("bmi", e.values, numbers[0], interaction_index=None, show=False),
    ]:
        pyplot.figure()
        draw()
    pyplot.close("all")


def test_two_classes_have_one_output():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y)
    mine, theirs = lmdi.TreeSHAP(model)(X[:20]), shap.TreeExplainer(model)(X[:20])
    np.testing.assert_allclose(mine[..., "1"].values, theirs[:, :, 1].values, atol=1e-9)
    with pytest.raises(IndexError, match="there is one, that of '1', and e.values are its scores"):
        mine[:, :, 1]


def test_lmdi_plus_has_an_expected_value():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    voted = VotingRegressor([("a", forest), ("b", RandomForestRegressor(3, random_state=1))]).fit(X, y)
    for model in (forest, voted):
        explainer = lmdi.LMDIPlus(model, ablation=1).fit(X, y)
        np.testing.assert_allclose(explainer.expected_value, explainer.explain(X[:2]).base_values[0])
