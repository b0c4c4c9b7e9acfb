"""Work in processes that were forked from one that had worked already.

Threads do not survive a fork. A pool of threads that outlives a call would be dead in the child, and waiting
for it would never end; so each script here runs on its own, with a time limit.
"""

import multiprocessing
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork"
)

#: The parent does everything once, so that whatever it would leave behind is there.
PREPARED = """
import multiprocessing, pickle, sys, warnings
import numpy as np
import lmdi

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4))
y = X[:, 0] + (X[:, 1] > 0)
path = sys.argv[1]

def train():
    return lmdi.RandomForestRegressor(8, random_state=0, n_jobs=2).fit(X, y)

def fit(model):
    return lmdi.LMDIPlus(model, n_jobs=2).fit(X, y)

forest = train()
explainer = fit(forest)
explainer.save(path)
pickled = pickle.dumps(explainer)
tree_shap = lmdi.TreeSHAP(forest, X[:10])
expected = explainer.explain(X).values
lmdi.load(path), pickle.loads(pickled), tree_shap.explain(X)
fork = multiprocessing.get_context("fork")
"""


def run(script, tmp_path):
    program = textwrap.dedent(PREPARED) + textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "explainer.lmdi")],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_pool_maps_over_explainers(tmp_path):
    """Arguments are unpickled in the children."""
    script = """
        def scores(part):
            return part[0].explain(part[1]).values

        with fork.Pool(2) as pool:
            parts = pool.map(scores, [(explainer, X[:60]), (explainer, X[60:]), (tree_shap, X[:60])])
        assert np.array_equal(np.vstack(parts[:2]), expected)
        print("done")
    """
    assert run(script, tmp_path) == "done"


def test_every_entry_point_works_in_a_child(tmp_path):
    script = """
        def work(_):
            assert np.array_equal(lmdi.load(path).explain(X).values, expected)
            assert np.array_equal(pickle.loads(pickled).explain(X).values, expected)
            assert np.array_equal(fit(train()).explain(X).values, expected)
            explainer.save(path + "2")
            lmdi.GradientBoostingClassifier(5).fit(X, y > 0.5).predict_proba(X)
            e = tree_shap.explain(X)
            lmdi.TreeSHAP(forest).interactions(X[:5])
            lmdi.LIME(forest, X, n_samples=100).explain(X[:5])
            lmdi.MAPLE(forest).fit(X, y).explain(X[:5])
            lmdi.MDI(forest).importances_
            lmdi.MDIPlus(forest).fit(X, y)
            lmdi.Permutation(forest, repeats=1).fit(X, y)
            lmdi.subgroups(e, y, groups=2)
            lmdi.counterfactuals(e, y, threshold=0.5)
            lmdi.stability([e, e])
            return True

        with fork.Pool(2) as pool:
            print(pool.map(work, range(2)))
    """
    assert run(script, tmp_path) == "[True, True]"


def test_models_of_other_libraries_are_read_in_a_child(tmp_path):
    pytest.importorskip("lightgbm")
    script = """
        import lightgbm
        from sklearn.ensemble import RandomForestRegressor
        boosted = lightgbm.LGBMRegressor(n_estimators=3, n_jobs=1, verbose=-1).fit(X, y)
        theirs = RandomForestRegressor(3, random_state=0).fit(X, y)
        first = [lmdi.TreeSHAP(model).explain(X).values for model in (boosted, theirs)]

        def work(at):
            return lmdi.TreeSHAP((boosted, theirs)[at]).explain(X).values

        with fork.Pool(2) as pool:
            again = pool.map(work, range(2))
        print(all(np.array_equal(one, other) for one, other in zip(first, again)))
    """
    assert run(script, tmp_path) == "True"
