"""glm_gaussian.json: least squares, ridge, lasso and elastic net on the columns of 30 trees.

scikit-learn facts that the expected values follow (1.9.1, read in its source):
- sample weights are rescaled to sum to the number of rows, so alpha is relative to the weight;
- the grid is `numpy.geomspace(alpha_max, alpha_max / 1000, 100)`, from all rows, for every fold;
- a fold's error is the weighted mean squared error, and the folds are averaged PLAINLY
  (`numpy.mean`), not by their weights; `cv_error_by_weight` holds the other convention, and
  `cv_choice_by_weight` what it would choose;
- the first smallest error along the grid wins, and a later l1_ratio only by being smaller.
Rows out of `fit_on` have weight exactly 0 here (imodels gives them 1e-12 in mode `oob`); they
still count as rows when the folds are cut.

Every solution is scikit-learn's at tol=1e-12, then refined by solving the optimality conditions on
its active set; `gap` is the duality gap of what is stored. The script stops if the refinement
moved scikit-learn's coefficients by more than 1e-6 (relative), if a gap is above 1e-12 of the
response's variance, or if scikit-learn's own cross-validated choice at tol=1e-10 differs.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNetCV, LinearRegression, Ridge, enet_path
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor

from basis import NONE, Basis, fit_weights, membership, model, tree_arrays
from data import bootstrap, edge_rows, signal, table, write
from solvers import Gaussian, elastic_net

L1_RATIOS = [0.1, 0.5, 0.99]
FIT_ON = ["all", "all", "inbag", "oob", "uniform"]


def relative(a, b):
    return np.linalg.norm(a - b) / max(np.linalg.norm(b), 1e-300)


def fits_of(x, y, w):
    """Solutions at given penalties."""
    problem = Gaussian(x, y, w)
    top = np.abs(problem.correlation).max()
    variance = problem.y @ problem.y
    made = []
    for l1, part in [(0.5, 0.1), (0.1, 0.01), (0.99, 0.01), (0.5, 3e-4), (1.0, 0.1), (1.0, 0.01)]:
        alpha = float(f"{part * top / l1:.6g}")
        coef = elastic_net(x, y, w, alpha, l1)
        better = problem.polish(coef, alpha, l1)
        gap = problem.gap(better, alpha, l1)
        assert gap <= 1e-12 * variance, (l1, part, gap / variance)
        active = np.flatnonzero(
            np.abs(problem.correlation - problem.gram @ better) >= alpha * l1 * (1 - 1e-9)
        )
        unique = l1 < 1 or np.linalg.matrix_rank(problem.x[:, active], tol=1e-7) == len(active)
        if unique:
            assert relative(better, coef) < 1e-6, (l1, part, relative(better, coef))
        made.append(
            {
                "penalty": "lasso" if l1 == 1 else "elastic_net",
                "alpha": alpha,
                "l1_ratio": l1,
                "intercept": problem.intercept(better),
                "coef": better,
                "objective": problem.objective(better, alpha, l1),
                "gap": gap,
                "unique": bool(unique),
            }
        )
    for part in (1.0, 0.01):
        alpha = float(f"{part * top:.6g}")
        fitted = Ridge(alpha=alpha * w.sum(), solver="svd").fit(x, y, sample_weight=w)
        made.append(
            {
                "penalty": "ridge",
                "alpha": alpha,
                "l1_ratio": 0.0,
                "intercept": fitted.intercept_,
                "coef": fitted.coef_,
                "objective": problem.objective(fitted.coef_, alpha, 0.0),
                "gap": problem.gap(fitted.coef_, alpha, 0.0),
                "unique": True,
            }
        )
    made.append(ols_of(problem, x, y, w))
    return made


def ols_of(problem, x, y, w):
    """Least squares of minimum norm; the rank must be beyond doubt."""
    values = np.linalg.svd(problem.x, compute_uv=False)
    ratio = values / values[0]
    doubtful = (ratio > 1e-13) & (ratio < 1e-7)
    assert not doubtful.any(), ratio
    rank = int((ratio >= 1e-7).sum())
    coef = np.linalg.pinv(problem.x, rcond=1e-10) @ problem.y
    fitted = LinearRegression().fit(x, y, sample_weight=w)
    assert relative(fitted.coef_, coef) < 1e-6, relative(fitted.coef_, coef)
    return {
        "penalty": "none",
        "alpha": 0.0,
        "l1_ratio": 0.0,
        "intercept": problem.intercept(coef),
        "coef": coef,
        "objective": problem.objective(coef, 0.0, 0.0),
        "gap": None,
        "unique": rank == x.shape[1],
    }


def cv_of(x, y, w):
    """The search over 3 ratios x 100 alphas x 3 folds, every point refined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = ElasticNetCV(cv=3, l1_ratio=L1_RATIOS, tol=1e-10, max_iter=1_000_000, alphas=100)
        fitted.fit(x, y, sample_weight=w)
    errors = np.empty((len(L1_RATIOS), 100, 3))
    fold_weights = []
    for fold, (train, test) in enumerate(KFold(3).split(x)):
        problem = Gaussian(x[train], y[train], w[train])
        fold_weights.append(w[test].sum())
        for ratio, l1 in enumerate(L1_RATIOS):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                _, path, _ = enet_path(
                    np.asfortranarray(problem.x) * np.sqrt(len(train)),
                    problem.y * np.sqrt(len(train)),
                    l1_ratio=l1,
                    alphas=fitted.alphas_[ratio],
                    tol=1e-12,
                    max_iter=1_000_000,
                )
            for index, alpha in enumerate(fitted.alphas_[ratio]):
                coef = problem.polish(path[:, index], alpha, l1)
                assert problem.gap(coef, alpha, l1) <= 1e-11 * (problem.y @ problem.y)
                residual = y[test] - problem.intercept(coef) - x[test] @ coef
                errors[ratio, index, fold] = np.average(residual**2, weights=w[test])
    difference = np.abs(errors / fitted.mse_path_ - 1).max()
    mean = errors.mean(axis=2)
    ratio, index = np.unravel_index(np.argmin(mean), mean.shape)
    by_weight = np.average(errors, axis=2, weights=fold_weights)
    other = np.unravel_index(np.argmin(by_weight), mean.shape)
    sorted_mean = np.sort(mean.ravel())
    assert fitted.l1_ratio_ == L1_RATIOS[ratio] and fitted.alpha_ == fitted.alphas_[ratio][index], (
        "scikit-learn chose otherwise",
        sorted_mean[:2],
    )
    whole = Gaussian(x, y, w)
    coef = elastic_net(x, y, w, fitted.alpha_, fitted.l1_ratio_)
    coef = whole.polish(coef, fitted.alpha_, fitted.l1_ratio_)
    assert relative(fitted.coef_, coef) < 1e-3
    return (
        {
            "l1_ratios": L1_RATIOS,
            "alpha_max": [grid[0] for grid in fitted.alphas_],
            "alpha_min": [grid[-1] for grid in fitted.alphas_],
            "chosen": [int(ratio), int(index)],
            "alpha": fitted.alpha_,
            "l1_ratio": fitted.l1_ratio_,
            "cv_error": mean,
            "cv_error_by_weight_at_choice": by_weight[other],
            "cv_choice_by_weight": [int(other[0]), int(other[1])],
            "fold_error_at_choice": errors[ratio, index],
            "intercept": whole.intercept(coef),
            "coef": coef,
        },
        difference,
        sorted_mean[1] / sorted_mean[0] - 1,
    )


def case(seed):
    random = np.random.default_rng([1, seed])
    n, p = int(random.integers(40, 201)), int(random.integers(3, 11))
    x = table(random, n, p)
    mean = signal(random, x)
    y = np.round(5 * (seed % 2) + mean + random.normal(size=n) * [0.3, 1.0, 3.0][seed % 3], 4)
    counts = bootstrap(random, n)
    leaf = [1, 2, 5, 10][seed % 4]
    grower = DecisionTreeRegressor(
        min_samples_leaf=leaf,
        max_features=0.5,
        random_state=seed,
        max_leaf_nodes=40 if seed % 8 == 4 else None,
    )
    grower.fit(x, y, sample_weight=counts)
    tree = tree_arrays(grower, counts)
    raw = seed % 3 != 2
    fit_on = FIT_ON[seed % 5]
    basis = Basis(tree, x, counts, raw)
    matrix = basis.matrix(x)
    w = fit_weights(counts, fit_on)
    cv, difference, runner_up = cv_of(matrix, y, w)
    rows = edge_rows(random, x, tree)
    assert (grower.apply(rows) == leaves(tree, rows)).all()
    print(
        f"{seed:2} n={n:3} p={p:2} columns={matrix.shape[1]:3} {fit_on:7} raw={raw!s:5}"
        f" mse path off scikit-learn's by {difference:.1e}, runner-up {runner_up:.1e} worse,"
        f" other averaging {'chooses otherwise' if cv['chosen'] != cv['cv_choice_by_weight'] else 'agrees'}"
    )
    return {
        "name": f"gaussian {seed}",
        "x": x,
        "y": y,
        "model": model([tree], p),
        "fit_on": fit_on,
        "raw": raw,
        "weights": w,
        "columns": basis.columns,
        "fits": fits_of(matrix, y, w),
        "cv": cv,
        "rows": rows,
        "leaves": grower.apply(rows),
        "scores": basis.scores(rows, cv["coef"]),
    }


def leaves(tree, rows):
    """The leaf each row reaches, by the independent routing."""
    inside = membership(tree, rows)
    inside[:, [node for node, left in enumerate(tree["left"]) if left != NONE]] = False
    return inside.argmax(axis=1)


def main():
    write("glm_gaussian", {"cases": [case(seed) for seed in range(30)]})


if __name__ == "__main__":
    main()
