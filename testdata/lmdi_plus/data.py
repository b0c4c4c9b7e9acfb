"""Small random tables with the awkward columns real tables have, and the file writer."""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent


def table(random, n, p):
    """n x p cells with four decimals: normal, correlated, duplicated, discrete and skewed columns."""
    x = random.normal(size=(n, p))
    kinds = random.permutation(p)
    x[:, kinds[0]] = random.integers(0, 3, n)
    x[:, kinds[1]] = 0.9 * x[:, kinds[2]] + 0.3 * x[:, kinds[1]]
    if p > 4:
        x[:, kinds[3]] = x[:, kinds[4]]
    if p > 5:
        x[:, kinds[5]] = np.exp(2 * x[:, kinds[5]])
    if p > 6:
        x[:, kinds[6]] = x[:, kinds[6]] > 0.5
    return np.round(x, 4)


def signal(random, x):
    """A smooth trend, a step and an interaction of randomly chosen columns."""
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    a, b, c, d = random.integers(0, x.shape[1], 4)
    return z[:, a] + 2.0 * (z[:, b] > 0.3) + (z[:, c] > 0) * (z[:, d] > -0.2)


def bootstrap(random, n):
    """How often each row is drawn."""
    return np.bincount(random.integers(0, n, n), minlength=n)


def edge_rows(random, x, tree):
    """Rows to score: some training rows, new rows, and cells at and next to the thresholds."""
    new = np.round(x[random.permutation(len(x))[:4]] + random.normal(size=(4, x.shape[1])), 4)
    rows = [x[0], x[-1], *new]
    splits = [
        (f, t) for f, t, left in zip(tree["feature"], tree["threshold"], tree["left"]) if left >= 0
    ]
    for feature, threshold in splits[:3]:
        for cell in (
            threshold,
            np.nextafter(threshold, np.inf),
            float(np.nextafter(np.float32(threshold), np.float32(np.inf))),
        ):
            row = x[random.integers(len(x))].copy()
            row[feature] = cell
            rows.append(row)
    return np.array(rows)


def plain(thing):
    """numpy values as Python ones; floats keep every digit."""
    if isinstance(thing, dict):
        return {key: plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [plain(value) for value in thing]
    if isinstance(thing, np.ndarray):
        return plain(thing.tolist())
    if isinstance(thing, np.generic):
        return plain(thing.item())
    if isinstance(thing, float) and thing.is_integer() and abs(thing) < 1e15:
        return int(thing)
    return thing


def write(name, content):
    """Compact JSON beside the scripts."""
    path = HERE / f"{name}.json"
    path.write_text(json.dumps(plain(content), separators=(",", ":"), allow_nan=False) + "\n")
    print(f"{path.name}: {path.stat().st_size:,} bytes")
