"""glm_logistic.json: binary logistic regression with an elastic-net penalty on the columns of 15 trees.

Objective: `C sum w logloss + l1 |b|_1 + (1 - l1)/2 |b|_2^2`, intercept free.

What the reference effectively does (scikit-learn 1.9.1, read in its source): imodels calls
`LogisticRegressionCV.fit(x, y, sample_weight=w)` and leaves `scoring` alone. The fit of a fold uses
the fold's training weights; its score is `LogisticRegression.score(x, y, sample_weight=w)` on the
held-out rows, that is, WEIGHTED accuracy. The folds are added up plainly, and the first largest
sum wins with C as the outer and l1_ratio as the inner loop. The folds are stratified by class over
all rows, unshuffled, blind to the weights. `check_scoring` verifies this against the estimator
itself wherever its solver converges in reasonable time. Where the penalty sets every slope to
zero, saga stops at once whatever its tolerance, because its stopping rule does not watch the
intercept; the reference's scores there are those of an intercept that is not fitted.

Expected values: our own proximal Newton in numpy with a duality gap as certificate, and beside it the
objectives that scikit-learn's solvers reach. The script stops if any of them is lower than the
certified optimum by more than 1e-9 (relative), or if a gap is above 1e-11
(relative; 5e-10 for the lasso, whose dual point must be shrunk into the feasible set).
"""

import warnings
from fractions import Fraction

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from basis import Basis, fit_weights, model, tree_arrays
from data import bootstrap, edge_rows, signal, table, write
from solvers import Logistic

L1_RATIOS = [0.1, 0.5, 0.99]
CS = np.logspace(-4, 4, 10)
FIT_ON = ["all", "all", "inbag", "oob", "uniform"]
POINTS = [
    (1.0, 0.5),
    (0.05, 0.1),
    (100.0, 0.99),
    (10_000.0, 0.5),
    (1.0, 0.0),
    (100.0, 0.0),
    (1.0, 1.0),
    (10.0, 1.0),
]


def solvers_for(l1):
    if l1 == 0.0:
        return ["lbfgs", "newton-cholesky", "newton-cg", "saga"]
    return ["saga", "liblinear"] if l1 == 1.0 else ["saga"]


def objectives(problem, x, y, w):
    """What each of scikit-learn's solvers reaches."""
    found = {}
    for solver in solvers_for(problem.l1):
        extra = {"intercept_scaling": 1e3} if solver == "liblinear" else {}
        fitted = LogisticRegression(
            C=problem.c,
            l1_ratio=problem.l1,
            solver=solver,
            tol=1e-12,
            max_iter=5_000,
            random_state=0,
            **extra,
        )
        fitted.fit(x, y, sample_weight=w)
        theta = np.append(fitted.coef_[0], fitted.intercept_)
        found[solver] = problem.objective(problem.balance(theta))
    return found


def fits_of(x, y, w):
    made = []
    for c, l1 in POINTS:
        problem = Logistic(x, y, w, c, l1)
        theta = problem.solve()
        objective, gap = problem.objective(theta), problem.gap(theta)
        found = objectives(problem, x, y, w)
        assert gap <= (5e-10 if l1 == 1.0 else 1e-11) * objective, (c, l1, gap / objective)
        assert objective <= min(found.values()) * (1 + 1e-9), (c, l1, objective, found)
        made.append(
            {
                "c": c,
                "l1_ratio": l1,
                "objective": objective,
                "gap": gap,
                "intercept": theta[-1],
                "coef": theta[:-1],
                "objective_of": found,
            }
        )
    return made


def unpenalised(x, y, w):
    """The fit without a penalty, or None where the classes can be separated."""
    problem = Logistic(x, y, w, 1.0, 0.0)
    columns = np.column_stack([problem.x, np.ones(len(problem.x))])
    theta = np.zeros(columns.shape[1])
    for _ in range(100):
        share = expit(columns @ theta)
        gradient = columns.T @ (problem.w * (share - problem.y))
        hessian = (columns.T * (problem.w * share * (1 - share))) @ columns
        theta -= np.linalg.lstsq(hessian, gradient, rcond=1e-12)[0]
        if not np.isfinite(theta).all() or np.abs(columns @ theta).max() > 25:
            return None
    margin = columns @ theta
    share = expit(margin)
    gradient = columns.T @ (problem.w * (share - problem.y))
    if np.abs(gradient).max() > 1e-10:
        return None
    loss = problem.w @ (np.logaddexp(0.0, margin) - problem.y * margin)
    fitted = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    fitted.fit(x, y, sample_weight=w)
    theirs = problem.x @ fitted.coef_[0] + fitted.intercept_
    assert loss <= problem.w @ (np.logaddexp(0.0, theirs) - problem.y * theirs) * (1 + 1e-12)
    values = np.linalg.svd(columns, compute_uv=False)
    return {
        "objective": loss,
        "largest_gradient": np.abs(gradient).max(),
        "unique": bool(values[-1] > 1e-7 * values[0]),
        "intercept": theta[-1],
        "coef": theta[:-1],
    }


def cv_of(x, y, w):
    """Accuracy and log-loss of every (C, l1_ratio, fold) at the certified optimum."""
    shape = (len(CS), len(L1_RATIOS), 3)
    correct, log_loss, slopes = np.empty(shape), np.empty(shape), np.empty(shape, dtype=int)
    nearest = np.empty(shape)
    fold_weights, worst_gap = [], 0.0
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(x, y)):
        fold_weights.append(w[test].sum())
        for ratio, l1 in enumerate(L1_RATIOS):
            theta = None
            for index, c in enumerate(CS):
                problem = Logistic(x[train], y[train], w[train], c, l1)
                theta = problem.solve(theta)
                worst_gap = max(worst_gap, problem.gap(theta) / problem.objective(theta))
                slopes[index, ratio, fold] = np.count_nonzero(theta[:-1])
                margin = x[test] @ theta[:-1] + theta[-1]
                nearest[index, ratio, fold] = np.abs(margin[w[test] > 0]).min()
                correct[index, ratio, fold] = w[test] @ ((margin > 0) == y[test])
                loss = np.logaddexp(0.0, margin) - y[test] * margin
                log_loss[index, ratio, fold] = np.average(loss, weights=w[test])
    assert worst_gap <= 1e-9, worst_gap
    accuracy = (correct / fold_weights).sum(axis=2)
    exact = [
        sum(Fraction(int(c), int(t)) for c, t in zip(folds, fold_weights))
        for folds in correct.reshape(-1, 3)
    ]
    by_accuracy = np.unravel_index(int(np.argmax(accuracy)), accuracy.shape)
    assert exact.index(max(exact)) == np.argmax(accuracy)
    by_log_loss = np.unravel_index(int(np.argmin(log_loss.sum(axis=2))), accuracy.shape)
    chosen = {}
    for rule, (index, ratio) in (("by_accuracy", by_accuracy), ("by_log_loss", by_log_loss)):
        problem = Logistic(x, y, w, CS[index], L1_RATIOS[ratio])
        theta = problem.solve()
        assert problem.gap(theta) <= 1e-10 * problem.objective(theta)
        chosen[rule] = {
            "chosen": [int(index), int(ratio)],
            "c": CS[index],
            "l1_ratio": L1_RATIOS[ratio],
            "objective": problem.objective(theta),
            "intercept": theta[-1],
            "coef": theta[:-1],
        }
    ordered = np.sort(log_loss.sum(axis=2).ravel())
    return {
        "cs": CS,
        "l1_ratios": L1_RATIOS,
        "fold_weight": fold_weights,
        "correct_weight": correct,
        "log_loss": log_loss,
        "slopes": slopes,
        "smallest_margin": nearest,
        **chosen,
    }, ordered[1] / ordered[0] - 1


def check_scoring(x, y, w, cv):
    """LogisticRegressionCV's own fold scores at the points where its solver converges."""
    few = CS[:5]
    for scoring in (None, "neg_log_loss"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = LogisticRegressionCV(
                Cs=few,
                l1_ratios=L1_RATIOS,
                cv=3,
                solver="saga",
                tol=1e-10,
                max_iter=20_000,
                scoring=scoring,
                use_legacy_attributes=False,
                random_state=0,
            ).fit(x, y, sample_weight=w)
        theirs = np.moveaxis(fitted.scores_, 0, 2).swapaxes(0, 1)
        ours = (
            cv["correct_weight"] / np.array(cv["fold_weight"])
            if scoring is None
            else -cv["log_loss"]
        )
        fitted = cv["slopes"][: len(few)] > 0
        assert np.allclose(theirs[fitted], ours[: len(few)][fitted], rtol=1e-7, atol=0)


def case(seed):
    random = np.random.default_rng([2, seed])
    n, p = int(random.integers(60, 161)), int(random.integers(3, 9))
    x = table(random, n, p)
    mean = signal(random, x)
    noisy = seed > 9
    noise = random.normal(size=n) * (4.0 if noisy else [0.2, 1.0, 2.0][seed % 3])
    y = (mean - np.median(mean) + noise > 0.4).astype(int)
    counts = bootstrap(random, n)
    grower = DecisionTreeClassifier(
        min_samples_leaf=15 if noisy else [1, 2, 5][seed % 3],
        max_features="sqrt",
        random_state=seed,
    )
    grower.fit(x, y, sample_weight=counts)
    tree = tree_arrays(grower, counts)
    raw, fit_on = seed % 4 != 3, FIT_ON[seed % 5]
    basis = Basis(tree, x, counts, raw)
    matrix = basis.matrix(x)
    w = fit_weights(counts, fit_on)
    cv, runner_up = cv_of(matrix, y, w)
    if seed < 5:
        check_scoring(matrix, y, w, cv)
    rows = edge_rows(random, x, tree)
    fits = fits_of(matrix, y, w)
    lag = max(f["objective_of"]["saga"] / f["objective"] - 1 for f in fits)
    print(
        f"{seed:2} n={n:3} p={p} columns={matrix.shape[1]:3} {fit_on:7} raw={raw!s:5}"
        f" accuracy picks {cv['by_accuracy']['chosen']}, log-loss {cv['by_log_loss']['chosen']},"
        f" runner-up {runner_up:.1e} worse; smallest margin {cv['smallest_margin'].min():.1e};"
        f" saga ends up to {lag:.1e} above"
    )
    return {
        "name": f"logistic {seed}",
        "x": x,
        "y": y,
        "model": model([tree], p, grower.classes_),
        "fit_on": fit_on,
        "raw": raw,
        "weights": w,
        "columns": basis.columns,
        "fits": fits,
        "unpenalised": unpenalised(matrix, y, w),
        "cv": cv,
        "rows": rows,
        "scores": basis.scores(rows, cv["by_accuracy"]["coef"]),
    }


def main():
    warnings.simplefilter("ignore")
    write("glm_logistic", {"cases": [case(seed) for seed in range(15)]})


if __name__ == "__main__":
    main()
