"""Tables for the benchmarks, and the program of ours that trains on them.

The directory with the data sets is $LMDI_DATA (default ../shared/data): gzipped CSV, target last.
"""

import gzip
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("LMDI_DATA", ROOT.parent / "shared" / "data"))
CLASSES = {"spam", "house_16H", "pol", "jannis", "higgs"}


def load(name):
    """Cells, responses and the number of classes (0: a number)."""
    with gzip.open(DATA / f"{name}.csv.gz") as file:
        table = pd.read_csv(file)
    x = table.iloc[:, :-1].to_numpy(np.float64)
    y = table.iloc[:, -1].to_numpy()
    if name in CLASSES:
        return x, np.unique(y, return_inverse=True)[1].astype(np.float64), 2
    return x, y.astype(np.float64), 0


class Ours:
    """Runs our program on tables kept in a temporary directory."""

    def __init__(self, binary):
        self.binary = binary
        self.directory = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.directory.name)

    def write(self, name, x, y, classes):
        with open(self.path / name, "wb") as file:
            np.array([*x.shape, classes], dtype="<u8").tofile(file)
            np.asarray(x, dtype="<f8", order="F").ravel(order="F").tofile(file)
            np.asarray(y, dtype="<f8").tofile(file)

    def run(self, train, test, **options):
        """Seconds to train and to predict, processor seconds of both, predictions."""
        arguments = [f"{key}={value}" for key, value in options.items() if value is not None]
        files = [self.path / train, self.path / test, self.path / "out"]
        done = subprocess.run([self.binary, *files, *arguments], check=True, capture_output=True, text=True)
        seconds = [float(word) for word in done.stdout.split()]
        return *seconds, np.fromfile(self.path / "out", dtype="<f8")
