"""Writes the example tables from the data sets that scikit-learn carries.

Needs scikit-learn 1.9.1 (pip install scikit-learn==1.9.1). The tables are committed; this script is
how they were made:  python examples/make.py
"""

import csv
from pathlib import Path

from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

HERE = Path(__file__).parent


def write(name, header, rows):
    with open(HERE / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def number(x):
    """The shortest text that reads back as the same number, whole numbers without a point."""
    x = float(x)
    return str(int(x)) if x.is_integer() else repr(x)


def diabetes():
    data = load_diabetes(scaled=False)
    header = [
        "age", "sex", "body_mass_index", "blood_pressure", "total_cholesterol", "ldl", "hdl",
        "cholesterol_ratio", "log_triglycerides", "blood_sugar", "progression",
    ]
    rows = []
    for cells, target in zip(data.data, data.target):
        row = [number(x) for x in cells]
        # The source does not say which code is which sex, so the codes get neutral names.
        row[1] = {"1": "group 1", "2": "group 2"}[row[1]]
        rows.append(row + [number(target)])
    write("diabetes.csv", header, rows)


def breast_cancer():
    data = load_breast_cancer()
    header = [str(name).replace(" ", "_") for name in data.feature_names] + ["diagnosis"]
    rows = [
        [number(x) for x in cells] + [str(data.target_names[target])]
        for cells, target in zip(data.data, data.target)
    ]
    write("breast_cancer.csv", header, rows)


def wine():
    data = load_wine()
    names = {"od280/od315_of_diluted_wines": "od280_od315"}
    header = [names.get(name, name) for name in data.feature_names] + ["cultivar"]
    cultivars = ["first", "second", "third"]
    rows = [
        [number(x) for x in cells] + [cultivars[target]]
        for cells, target in zip(data.data, data.target)
    ]
    write("wine.csv", header, rows)


if __name__ == "__main__":
    diabetes()
    breast_cancer()
    wine()
