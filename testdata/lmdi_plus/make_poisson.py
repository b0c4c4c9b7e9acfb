"""glm_poisson.json: Poisson regression (log link) with a ridge penalty on the columns of 6 trees.

Objective, as scikit-learn's `PoissonRegressor`: `sum w (exp(m) - y m) / sum w + alpha/2 |b|_2^2` with
m = b0 + x b. Its newton-cholesky solution at tol=1e-12 is refined by plain Newton steps;
`largest_gradient` is what is left of the optimality conditions.
"""

import numpy as np
from sklearn.linear_model import PoissonRegressor
from sklearn.tree import DecisionTreeRegressor

from basis import Basis, fit_weights, model, tree_arrays
from data import bootstrap, signal, table, write


def fit_of(x, y, w, alpha):
    fitted = PoissonRegressor(alpha=alpha, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    fitted.fit(x, y, sample_weight=w)
    columns = np.column_stack([x, np.ones(len(x))])
    share = w / w.sum()
    ridge = np.append(np.full(x.shape[1], alpha), 0.0)
    theta = start = np.append(fitted.coef_, fitted.intercept_)
    for _ in range(5):
        mean = np.exp(columns @ theta)
        gradient = columns.T @ (share * (mean - y)) + ridge * theta
        hessian = (columns.T * (share * mean)) @ columns + np.diag(ridge)
        theta = theta - np.linalg.solve(hessian, gradient)
    assert np.linalg.norm(theta - start) <= 1e-7 * np.linalg.norm(theta)
    margin = columns @ theta
    gradient = columns.T @ (share * (np.exp(margin) - y)) + ridge * theta
    assert np.abs(gradient).max() < 1e-12
    return {
        "alpha": alpha,
        "objective": share @ (np.exp(margin) - y * margin) + alpha / 2 * theta[:-1] @ theta[:-1],
        "largest_gradient": np.abs(gradient).max(),
        "intercept": theta[-1],
        "coef": theta[:-1],
    }


def case(seed):
    random = np.random.default_rng([3, seed])
    n, p = int(random.integers(60, 151)), int(random.integers(3, 8))
    x = table(random, n, p)
    y = random.poisson(np.exp(0.6 * signal(random, x) - 0.5))
    counts = bootstrap(random, n)
    grower = DecisionTreeRegressor(
        criterion="poisson",
        min_samples_leaf=[1, 3, 8][seed % 3],
        max_features=0.5,
        random_state=seed,
    )
    grower.fit(x, y, sample_weight=counts)
    tree = tree_arrays(grower, counts)
    raw, fit_on = seed % 2 == 0, ["all", "inbag", "uniform"][seed // 2]
    basis = Basis(tree, x, counts, raw)
    w = fit_weights(counts, fit_on)
    return {
        "name": f"poisson {seed}",
        "x": x,
        "y": y,
        "model": model([tree], p),
        "fit_on": fit_on,
        "raw": raw,
        "weights": w,
        "columns": basis.columns,
        "fits": [fit_of(basis.matrix(x), y, w, alpha) for alpha in (1.0, 0.1, 0.001)],
    }


def main():
    write("glm_poisson", {"cases": [case(seed) for seed in range(6)]})


if __name__ == "__main__":
    main()
