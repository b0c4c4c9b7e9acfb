"""Counterfactuals, subgroups and stability from Python."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import lmdi

NAMES = ["age", "visits", "income", "debt", "noise", "cost"]


@pytest.fixture(scope="module")
def table(data):
    return pd.DataFrame(data.X_missing, columns=NAMES)


@pytest.fixture(scope="module")
def classes(data, table):
    model = RandomForestClassifier(5, min_samples_leaf=5, random_state=0).fit(table, data.three)
    explanation = lmdi.LMDIPlus(model, ablation=1).fit(table, data.three).explain(table)
    return explanation, model.predict_proba(table), model.classes_


@pytest.fixture(scope="module")
def numbers(data, table):
    def fit(seed):
        model = RandomForestRegressor(5, min_samples_leaf=5, random_state=seed).fit(table, data.y)
        return lmdi.LMDIPlus(model, ablation=1).fit(table, data.y).explain(table), model.predict(table)

    return [fit(seed) for seed in range(3)]


def test_counterfactuals_are_the_nearest_by_brute_force(classes):
    explanation, probabilities, _ = classes
    answers = lmdi.counterfactuals(explanation, probabilities, k=3, n_jobs=1)
    decided = probabilities.argmax(axis=1)
    flat = explanation.values.reshape(len(explanation), -1)
    for row in range(0, len(explanation), 17):
        distances = np.abs(flat - flat[row]).sum(axis=1)
        distances[decided == decided[row]] = np.inf
        nearest = np.sort(distances)[:3]
        np.testing.assert_allclose([one.score_distance for one in answers[row]], nearest, rtol=1e-12)
        assert all(decided[one.row] != decided[row] for one in answers[row])
    change = answers[0][0].changes[0]
    column = NAMES.index(change.column)
    there = explanation.data[answers[0][0].row, column]
    assert change.here == explanation.data[0, column] or np.isnan(change.here)
    assert change.there == there or np.isnan(there)


def test_restrictions_are_kept(numbers):
    explanation, predictions = numbers[0]
    middle = float(np.median(predictions))
    kept = {"only_up": ["age"], "only_down": ["income"]}
    answers = lmdi.counterfactuals(explanation, predictions, threshold=middle, k=2, **kept)
    data = explanation.data
    found = [(row, one.row) for row, several in enumerate(answers) for one in several]
    assert found
    for row, other in found:
        assert (predictions[row] >= middle) != (predictions[other] >= middle)
        assert data[other, 0] >= data[row, 0] or np.isnan(data[[row, other], 0]).all()
        assert data[other, 2] <= data[row, 2] or np.isnan(data[[row, other], 2]).all()


def test_groups_partition_the_rows(data, numbers):
    explanation, predictions = numbers[0]
    found = lmdi.subgroups(explanation, predictions, data.y, groups=3)
    assert np.bincount(found.labels).tolist() == [group["size"] for group in found.groups]
    assert found.choice is None and found.inertia < found.inertia_of_all
    for at, group in enumerate(found.groups):
        inside = found.labels == at
        off = data.y[inside] - predictions[inside]
        assert group["error"] == pytest.approx(np.sqrt(np.mean(off**2)), rel=1e-12)
        assert group["mean_prediction"] == [pytest.approx(predictions[inside].mean(), rel=1e-12)]
        assert group["rule"] and 0.5 < group["rule_accuracy"] <= 1
    again = lmdi.subgroups(explanation, predictions, data.y, groups=3, n_jobs=1)
    assert np.array_equal(found.labels, again.labels)


def test_the_number_of_groups_is_chosen(data, classes):
    explanation, probabilities, labels = classes
    found = lmdi.subgroups(explanation, probabilities, data.three, classes=labels, max_groups=4)
    assert found.choice["k"] == len(found.groups)
    assert [k for k, _ in found.choice["similarities"]] == [2, 3, 4]


def test_stability_is_drawn_with_one_dot_per_fit(numbers):
    from matplotlib import pyplot

    found = lmdi.stability([explanation for explanation, _ in numbers], top=[50])
    figure, ax = pyplot.subplots()
    assert found.plot(max_display=3, ax=ax) is ax
    dots = [line.get_xdata() for line in ax.get_lines() if line.get_linestyle() == "None"]
    order = np.argsort(-found["importance"].mean(axis=0), kind="stable")[:3]
    assert len(dots) == 3
    for fit, shown in enumerate(dots):
        np.testing.assert_allclose(shown, found["importance"][fit][order])
    pyplot.close(figure)


def test_stability_of_fits(numbers):
    explanations = [explanation for explanation, _ in numbers]
    found = lmdi.stability(explanations, top=[20, 50])
    assert [top["n_top"] for top in found["tops"]] == [2, 3]
    sets = [{name for name, _ in one.top(2)[4]} for one in explanations]
    assert found["tops"][0]["unique"][4] == len(set.union(*sets))
    assert found["importance"].shape == (3, 6)
    same = lmdi.stability([explanations[0]] * 2)
    assert same["mean_correlation"] == pytest.approx(1)


def test_stability_is_printed_as_a_short_table(numbers):
    found = lmdi.stability([explanation for explanation, _ in numbers], top=[20, 50])
    lines = repr(found).splitlines()
    assert lines[0].startswith(f"3 fits, {found['n_rows']} rows: mean rank correlation 0.")
    assert [line.split()[:2] for line in lines[2:]] == [["20%", "2"], ["50%", "3"]]
    assert f"{found['tops'][0]['mean_unique']:.3g}" in lines[2]
    assert len(repr(found)) < 500 and "<table>" in found._repr_html_()


def test_bad_use_is_said(classes, numbers):
    explanation, probabilities, _ = classes
    other, predictions = numbers[0]
    with pytest.raises(ValueError, match="no column"):
        lmdi.counterfactuals(explanation, probabilities, fixed=["gold"])
    with pytest.raises(ValueError, match="threshold"):
        lmdi.counterfactuals(other, predictions)
    with pytest.raises(ValueError, match="space"):
        lmdi.counterfactuals(explanation, probabilities, space="time")
    with pytest.raises(ValueError, match="two restrictions"):
        lmdi.counterfactuals(explanation, probabilities, fixed="age", only_up="age")
    with pytest.raises(ValueError, match="shape"):
        lmdi.counterfactuals(explanation, probabilities[:5])
    with pytest.raises(TypeError, match="expected an lmdi.Explanation"):
        lmdi.subgroups(explanation.values, probabilities)
    with pytest.raises(ValueError, match="groups"):
        lmdi.subgroups(other, predictions, groups=1)
    with pytest.raises(ValueError, match="at least 2"):
        lmdi.stability([other])
    with pytest.raises(ValueError, match="same rows"):
        lmdi.stability([other, other[:5]])


def test_groups_and_counterfactuals_print_as_tables():
    random = np.random.default_rng(0)
    cells = random.normal(size=(60, 2))
    values = np.where(cells[:, :1] > 0, 1.0, -1.0) * np.array([[1.0, 0.1]])
    names = ["a\x1b[31m", "<b>"]
    e = lmdi.Explanation(values, np.zeros(60), cells, names)
    predictions = values.sum(axis=1)
    found = lmdi.subgroups(e, predictions, predictions, groups=2)
    lines = str(found).splitlines()
    assert lines[0] == "2 groups of 60 rows" and lines[1].split()[:3] == ["group", "rows", "share"]
    assert len(lines) == 4 and lines[2].split()[1] == str(found.groups[0]["size"])
    assert "\x1b" not in str(found) + found._repr_html_() and "<b>" not in found._repr_html_()
    assert repr(found) == str(found)
    without_truth = str(lmdi.subgroups(e, predictions, groups=2))
    assert "truth" not in without_truth and "truth" in str(found)
    answer = lmdi.counterfactuals(e, predictions, threshold=0.0)[0][0]
    told = str(answer).splitlines()
    assert told[0].startswith(f"row {answer.row}: score distance")
    assert told[1].split() == ["column", "here", "there", "score", "change"]
    assert len(told) == 2 + len(answer.changes) and r"\x1b" in told[2]
    assert "&lt;b&gt;" in answer._repr_html_()


def test_explanations_of_other_columns_are_not_compared(data):
    one = lmdi.Explanation(np.ones((3, 2)), np.zeros(3), data=np.ones((3, 2)), feature_names=["a", "b"])
    other = lmdi.Explanation(np.ones((3, 2)), np.zeros(3), data=np.ones((3, 2)), feature_names=["b", "a"])
    with pytest.raises(ValueError, match="one has 'a' where another has 'b'; expected the same columns"):
        lmdi.stability([one, other])
