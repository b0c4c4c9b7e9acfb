"""Our learners keep scikit-learn's conventions."""

import numpy as np
import pytest
from sklearn.base import clone
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


@parametrize_with_checks(LEARNERS, expected_failed_checks=lambda learner: EXPECTED)
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
