"""Makes the sums of squares that scikit-learn's KMeans reaches.

    pip install -r requirements.txt
    python make.py

Each case holds points and, for several numbers of groups, the smallest `inertia_` of scikit-learn over five
seeds of ten restarts each (`best`), and the median (`median`).
"""

import json
import pathlib

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_diabetes, load_iris, make_blobs

HERE = pathlib.Path(__file__).parent


def clouds():
    """Named points: far apart, overlapping, real, without structure, with points that occur twice."""
    random = np.random.default_rng(11)
    blobs = make_blobs(400, 3, centers=6, cluster_std=0.6, random_state=1)[0]
    yield "blobs", blobs, [2, 6, 8]
    overlapping = make_blobs(400, 5, centers=5, cluster_std=3.0, random_state=2)[0]
    yield "overlapping", overlapping, [3, 5, 10]
    yield "iris", load_iris().data, [2, 3, 5, 10]
    yield "diabetes", load_diabetes().data, [2, 4, 7]
    yield "uniform", random.uniform(size=(500, 2)), [2, 9, 20]
    yield "far away", 1e6 + random.normal(size=(200, 2)), [3]
    yield "repeated", np.round(random.normal(size=(300, 2)), 1), [4, 12]


RESTARTS = 10


def reached(points, k):
    """What scikit-learn reaches with five seeds."""
    inertias = [KMeans(k, n_init=RESTARTS, tol=0, random_state=seed).fit(points).inertia_ for seed in range(5)]
    return {"k": k, "restarts": RESTARTS, "best": min(inertias), "median": float(np.median(inertias))}


cases = []
for name, points, counts in clouds():
    points = np.round(points, 4)
    results = [reached(points, k) for k in counts]
    cases.append({"name": name, "points": points.tolist(), "results": results})
(HERE / "inertia.json").write_text(json.dumps(cases) + "\n")
