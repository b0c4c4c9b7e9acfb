"""reference_*.json: forests of scikit-learn with the LMDI+ scores of imodels.

Models as in the paper's experiments: `ElasticNetCV(cv=3, l1_ratio=[0.1, 0.5, 0.99], max_iter=2000)` for
numbers, `LogisticRegressionCV(l1_ratios=[0.1, 0.5, 0.99], solver="saga", cv=3, tol=5e-4, max_iter=2000)` for
two classes; `fit_on="all"`, raw columns, mean over trees.

- `scores`: imodels at those tolerances.
- `choices`, `choices_converged` (classes): index of C and of l1_ratio that each tree's search chose.
- `scores_converged`: the same model with the solver run to convergence. Numbers: imodels with tol=1e-10.
  Classes: every cross-validation point and the refit at the certified optimum of `solvers.py`, the
  penalty again chosen by weighted accuracy (C outermost, first largest sum).
- `by_rank`: in each tree the features it splits on are ranked by |score| at convergence, p for the largest; ties
  share the mean rank and features it does not split on are below all others. The mean over the trees
  that split on the feature; null where no tree does.
  imodels' own mean ranks (`ranking=True`) break ties by rounding errors, see README.md.

Cells are multiples of 1/64, which 32-bit numbers hold exactly: imodels compares cells in 64 bits,
scikit-learn's trees in 32.
"""

import warnings

import numpy as np
from imodels.tree.rf_plus.feature_importance.rfplus_explainer import LMDIPlus
from imodels.tree.rf_plus.rf_plus.rf_plus_models import (
    RandomForestPlusClassifier,
    RandomForestPlusRegressor,
)
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import ElasticNetCV, LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold

from basis import Basis, fit_weights, model, tree_arrays
from data import signal, write
from solvers import Logistic

L1_RATIOS = [0.1, 0.5, 0.99]
CS = np.logspace(-4, 4, 10)


def table(random, n, p):
    """Correlated normal columns and two discrete ones, rounded to multiples of 1/64."""
    x = random.normal(size=(n, p)) + 0.7 * random.normal(size=(n, 1))
    x[:, p - 1] = random.integers(0, 4, n)
    x[:, p - 2] = x[:, p - 2] > 0.3
    return np.round(x * 64) / 64


def explain(explainer_class, forest, glm, train, y, test):
    """imodels' per-tree scores and its summaries: (train, test) of each."""
    plus = explainer_class(rf_model=forest, prediction_model=glm, fit_on="all", verbose=False)
    plus.fit(train, y, n_jobs=None)
    explainer = LMDIPlus(plus)
    made = {"models": plus.estimators_}
    for part, rows in (("train", train), ("test", test)):
        made[part] = {
            "scores": explainer.get_lmdi_plus_scores(rows),
            "by_rank": mean_ranks(explainer._get_LFI_subtract_intercept(rows, 1), forest),
        }
    return made


def mean_ranks(per_tree, forest):
    """Mean rank of |score| over the trees that split on the feature."""
    n, p, _ = per_tree.shape
    total, times = np.zeros((n, p)), np.zeros(p)
    for index, tree in enumerate(forest.estimators_):
        used = np.unique(tree.tree_.feature[tree.tree_.children_left >= 0])
        # imodels centres split columns by a mean that is zero only to rounding: ten digits make
        # its zeros equal again.
        size = np.round(np.abs(per_tree[:, used, index]), 10)
        total[:, used] += p - len(used) + rankdata(size, axis=1)
        times[used] += 1
    return [[t / k if k else None for t, k in zip(row, times)] for row in total]


def in_bag(forest, n):
    return [np.bincount(drawn, minlength=n) for drawn in forest.estimators_samples_]


def forest_model(forest, n):
    """The forest in the JSON model format."""
    trees = [
        tree_arrays(tree, counts) for tree, counts in zip(forest.estimators_, in_bag(forest, n))
    ]
    return model(trees, forest.n_features_in_, getattr(forest, "classes_", None))


def converged_logistic(tree, counts, x, y):
    """The cross-validated logistic fit of one tree at certified optima."""
    basis = Basis(tree, x, counts, raw=True)
    matrix, w = basis.matrix(x), fit_weights(counts, "all")
    accuracy = np.zeros((len(CS), len(L1_RATIOS)))
    for train, test in StratifiedKFold(3).split(matrix, y):
        for ratio, l1 in enumerate(L1_RATIOS):
            theta = None
            for index, c in enumerate(CS):
                problem = Logistic(matrix[train], y[train], w[train], c, l1)
                theta = problem.solve(theta, enough=1e-9)
                assert problem.gap(theta) <= 1e-9 * problem.objective(theta)
                margin = matrix[test] @ theta[:-1] + theta[-1]
                accuracy[index, ratio] += w[test] @ ((margin > 0) == y[test]) / w[test].sum()
    index, ratio = np.unravel_index(int(np.argmax(accuracy)), accuracy.shape)
    problem = Logistic(matrix, y, w, CS[index], L1_RATIOS[ratio])
    theta = problem.solve()
    assert problem.gap(theta) <= 1e-10 * problem.objective(theta)
    return basis, theta, [int(index), int(ratio)]


def own_elastic_net(forest, train, y):
    """The same scores from `basis.py` instead of imodels' columns; a check on both."""
    made = np.zeros(train.shape)
    for tree, counts in zip(forest.estimators_, in_bag(forest, len(train))):
        basis = Basis(tree_arrays(tree, counts), train, counts, raw=True)
        glm = ElasticNetCV(cv=3, l1_ratio=L1_RATIOS, max_iter=1_000_000, tol=1e-10)
        glm.fit(basis.matrix(train), y, sample_weight=fit_weights(counts, "all"))
        made += basis.scores(train, glm.coef_) / len(forest.estimators_)
    return made


def distance(a, b):
    """Relative Frobenius distance and mean Spearman correlation of the rows' |scores|."""
    ranks = [rankdata(np.abs(m), axis=1) for m in (a, b)]
    rows = [np.corrcoef(one, two)[0, 1] for one, two in zip(*ranks) if one.std() and two.std()]
    return np.linalg.norm(a - b) / np.linalg.norm(b), np.mean(rows)


def regression(name, leaf, trees, seed):
    random = np.random.default_rng([4, seed])
    x = table(random, 180, 8)
    y = np.round(signal(random, x) + x[:, 0] * x[:, 1] + 0.5 * random.normal(size=180), 4)
    train, test, y = x[:130], x[130:], y[:130]
    forest = RandomForestRegressor(
        trees, min_samples_leaf=leaf, max_features=0.33, random_state=seed
    )
    forest.fit(train, y)
    made = {}
    for kind, tol, rounds in (("scores", 1e-4, 2000), ("converged", 1e-10, 1_000_000)):
        glm = ElasticNetCV(cv=3, l1_ratio=L1_RATIOS, max_iter=rounds, tol=tol, random_state=0)
        made[kind] = explain(RandomForestPlusRegressor, forest, glm, train, y, test)
    off, _ = distance(own_elastic_net(forest, train, y), made["converged"]["train"]["scores"])
    assert off < 1e-7, off
    content = {"x_train": train, "y_train": y, "x_test": test, "model": forest_model(forest, 130)}
    for part in ("train", "test"):
        content[part] = made["scores"][part]
        content[part]["scores_converged"] = made["converged"][part]["scores"]
        content[part]["by_rank"] = made["converged"][part]["by_rank"]
        off, rho = distance(made["scores"][part]["scores"], made["converged"][part]["scores"])
        print(f"{name} {part}: reference {off:.1e} from convergence, Spearman {rho:.4f}")
    write(f"reference_{name}", content)


def classification(name, trees, seed):
    random = np.random.default_rng([4, seed])
    x = table(random, 180, 8)
    margin = signal(random, x) + x[:, 0] * x[:, 1] + 0.5 * random.normal(size=180)
    y = (margin > np.quantile(margin, 0.55)).astype(int)
    train, test, y = x[:130], x[130:], y[:130]
    forest = RandomForestClassifier(trees, max_features="sqrt", random_state=seed)
    forest.fit(train, y)
    glm = LogisticRegressionCV(
        penalty="elasticnet",
        l1_ratios=L1_RATIOS,
        solver="saga",
        cv=3,
        tol=5e-4,
        max_iter=2000,
        random_state=0,
    )
    made = explain(RandomForestPlusClassifier, forest, glm, train, y, test)
    content = {"x_train": train, "y_train": y, "x_test": test, "model": forest_model(forest, 130)}
    converged = {"train": [], "test": []}
    content["choices"] = [
        [int(np.flatnonzero(CS == fitted.C_[0])[0]), L1_RATIOS.index(fitted.l1_ratio_[0])]
        for fitted in made["models"]
    ]
    content["choices_converged"] = []
    for tree, counts in zip(content["model"]["ensemble"]["trees"], in_bag(forest, 130)):
        basis, theta, choice = converged_logistic(tree, counts, train, y)
        content["choices_converged"].append(choice)
        for part, rows in (("train", train), ("test", test)):
            converged[part].append(basis.scores(rows, theta[:-1]))
    same = sum(a == b for a, b in zip(content["choices"], content["choices_converged"]))
    print(f"{name}: {same} of {trees} trees choose the same penalty before and after convergence")
    for part in ("train", "test"):
        per_tree = np.stack(converged[part], axis=2)
        content[part] = made[part]
        content[part]["scores_converged"] = per_tree.mean(axis=2)
        content[part]["by_rank"] = mean_ranks(per_tree, forest)
        off, rho = distance(made[part]["scores"], per_tree.mean(axis=2))
        print(f"{name} {part}: reference {off:.1e} from convergence, Spearman {rho:.4f}")
    write(f"reference_{name}", content)


def main():
    warnings.simplefilter("ignore")
    regression("regression_leaf5", leaf=5, trees=15, seed=1)
    regression("regression_leaf1", leaf=1, trees=10, seed=2)
    classification("classification_leaf1", trees=10, seed=3)


if __name__ == "__main__":
    main()
