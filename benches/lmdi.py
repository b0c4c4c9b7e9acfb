"""`./bench lmdi`: LMDI+ against imodels and shap on the same forests, in one run.

Per data set and leaf size one scikit-learn forest of 100 trees is grown on 67 % of 2,000 rows. On it are
timed, with 1 thread and with all:
- imodels: fitting RF+ with the paper's GLM (cross-validated elastic net or logistic regression);
- shap: TreeExplainer's path-dependent values of all 2,000 rows. It knows no threads, so with
  several threads the rows are shared out to as many processes, already started;
- ours: fitting LMDI+ on the same training rows, scoring and predicting all 2,000 rows; best of
  several runs in a fresh process. Beside the times stands the share of trees whose penalty is that
  of an exhaustive search at 1e-9.

Then boosted models of XGBoost and LightGBM, 100 rounds on the same rows, with all threads: shap's
TreeExplainer and the libraries' own `pred_contribs` against LMDI+'s fit and scores. (shap hands
XGBoost's models to XGBoost.)

imodels is timed on the first `--trees-reference` trees, shap on the first `--rows-shap` rows, and the time
scaled up; both are linear (a tree's fit does not depend on the others, nor a row's values). Give 100
and 2000 for the full, long run. BLAS runs on one thread throughout: the trees are what is shared out.

`--write` keeps the results of the data sets that were run in benches/results/speed.csv and puts the tables of
one thread into the README; `--table` only does the latter.
"""

import argparse
import os
import tempfile
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("PYTHONWARNINGS", "ignore")

import numpy as np
import shap
from joblib import Parallel, delayed

import common

CASES = [
    ("puma32H", False, 5),
    ("puma32H", False, 1),
    ("superconductivity", False, 5),
    ("superconductivity", False, 1),
    ("sarcos_testsplit", False, 5),
    ("sarcos_testsplit", False, 1),
    ("spam", True, 1),
]

BOOSTED = [
    ("xgboost", "superconductivity", False),
    ("xgboost", "spam", True),
    ("lightgbm", "superconductivity", False),
    ("lightgbm", "spam", True),
]

RESULTS = common.ROOT / "benches" / "results" / "speed.csv"
COLUMNS = ["model", "table", "threads", "imodels", "shap", "own", "fit", "score", "predict", "same_penalty"]
PAGE = common.ROOT / "README.md"
TABLES = {
    "forests": ("<!-- ./bench lmdi: forests -->\n", "<!-- end of forests -->\n"),
    "boosted": ("<!-- ./bench lmdi: boosted -->\n", "<!-- end of boosted -->\n"),
}

HEADER = """
fit: LMDI+ fitted on the training rows. score, predict: all rows. times in seconds
goals: fit at least 50x faster than imodels; fit + score at least 3x (numbers) or 1x (classes) faster than
shap; score at least 300x faster than shap and at most 2x predict; the penalty of an exhaustive search in
99.5 % of trees. A star marks a goal that is missed.
"""


def imodels_seconds(sample, forest, trees, threads):
    """Time of imodels' fit on the first trees, scaled to the whole forest."""
    few = common.first_trees(forest, trees)
    jobs = None if threads == 1 else threads
    if jobs:
        # Starting the processes and importing imodels in them is not what is measured.
        Parallel(n_jobs=jobs)(delayed(warm_up)() for _ in range(jobs))
    taken = common.seconds(lambda: common.fit_reference(sample, few, jobs))
    return taken * len(forest.estimators_) / trees


def warm_up():
    from imodels.tree.rf_plus.rf_plus import rf_plus_models

    return rf_plus_models.__name__


def shap_values(explainer, rows):
    return explainer.shap_values(rows, check_additivity=False)


def shap_seconds(sample, forest, count, threads):
    """Time of shap's values on the first rows, scaled to all rows."""
    explainer = shap.TreeExplainer(forest)
    rows = sample.rows[:count]
    if threads == 1:
        taken = common.seconds(lambda: shap_values(explainer, rows))
    else:
        with Parallel(n_jobs=threads) as pool:
            parts = np.array_split(rows, threads)
            pool(delayed(shap_values)(explainer, part[:1]) for part in parts)
            taken = common.seconds(
                lambda: pool(delayed(shap_values)(explainer, part) for part in parts)
            )
    return taken * len(sample.rows) / count


def starred(value, good, form):
    return f"{value:{form}}{' ' if good else '*'}"


def line(name, leaf, classes, result):
    """One line of the table of forests."""
    theirs, shap_time = result["imodels"], result["shap"]
    fit, score, predict = result["fit"], result["score"], result["predict"]
    against_fit = theirs / fit
    against_both = shap_time / (fit + score)
    against_score = shap_time / score
    to_predict = score / predict
    return (
        f"{name:18} {leaf:4} {result['threads']:7} {theirs:9.2f} {shap_time:8.2f} {fit:8.4f}"
        f" {score:8.5f} {predict:8.5f}"
        f" {starred(against_fit, against_fit >= 50, '9.1f')}"
        f" {starred(against_both, against_both >= (1 if classes else 3), '10.1f')}"
        f" {starred(against_score, against_score >= 300, '10.0f')}"
        f" {starred(to_predict, to_predict <= 2, '9.2f')}"
        f" {starred(100 * result['same_penalty'], result['same_penalty'] >= 0.995, '10.1f')}"
    )


def boost(library, sample, threads):
    """A boosted model of a library, the file it saves, and a function that gives its own contributions."""
    kind = "Classifier" if sample.classes else "Regressor"
    if library == "xgboost":
        import xgboost

        model = getattr(xgboost, f"XGB{kind}")(n_estimators=100, n_jobs=threads, random_state=0)
        model.fit(sample.train, sample.response)
        booster, rows = model.get_booster(), xgboost.DMatrix(sample.rows)
        booster.set_param({"nthread": threads})
        return model, "model.json", model.save_model, lambda: booster.predict(rows, pred_contribs=True)
    import lightgbm

    model = getattr(lightgbm, f"LGBM{kind}")(n_estimators=100, n_jobs=threads, random_state=0, verbose=-1)
    model.fit(sample.train, sample.response)
    save = model.booster_.save_model
    return model, "model.txt", save, lambda: model.predict(sample.rows, pred_contrib=True)


def measured_boosting(binary, library, sample, options, threads):
    """Times on a boosted model: shap's, the library's own, and ours."""
    model, name, save, contributions = boost(library, sample, threads)
    explainer = shap.TreeExplainer(model)
    rows = sample.rows[: options.rows_shap]
    scale = len(sample.rows) / len(rows)
    shap_time = scale * common.seconds(lambda: shap_values(explainer, rows))
    contributions()
    own = min(common.seconds(contributions) for _ in range(options.runs))
    with tempfile.TemporaryDirectory() as directory:
        files = common.write_data(directory, sample)
        path = os.path.join(directory, name)
        save(path)
        ours = common.run(binary, path, *files, options.runs, threads=threads)
    times = {"shap": shap_time, "own": own, "fit": ours["fit"], "score": ours["score"]}
    return {"model": library, "table": sample.name, "threads": threads, **times}


def boosted_line(result):
    """One line of the table of boosted models."""
    shap_time, own, fit, score = (result[key] for key in ("shap", "own", "fit", "score"))
    both = fit + score
    return (
        f"{result['model']:9} {result['table']:18} {result['threads']:7} {shap_time:8.3f} {own:8.3f} {fit:8.4f}"
        f" {score:8.5f} {shap_time / both:10.1f} {own / both:10.1f} {own / score:10.0f}"
    )


def measured_forest(binary, sample, leaf, forest, options, threads):
    """Times on a forest: imodels', shap's and ours."""
    with tempfile.TemporaryDirectory() as directory:
        files = common.hand_over(directory, sample, forest)
        ours = common.run(binary, *files, options.runs, threads=threads)
    theirs = shap_time = float("nan")
    if not options.skip_others:
        theirs = imodels_seconds(sample, forest, options.trees_reference, threads)
        shap_time = shap_seconds(sample, forest, options.rows_shap, threads)
    keys = ("fit", "score", "predict", "same_penalty")
    result = {"model": f"leaf {leaf}", "table": sample.name, "threads": threads}
    return {**result, "imodels": theirs, "shap": shap_time, **{key: ours[key] for key in keys}}


def keep(results):
    """Replaces the lines that were measured; the others stay."""

    def case(result):
        return result["model"], result["table"], str(result["threads"])

    fresh = {case(result) for result in results}
    lines = [result for result in common.read_results(RESULTS) if case(result) not in fresh] + results
    common.write_results(RESULTS, COLUMNS, lines)


def readme_tables(results):
    """The README's two tables, of one thread."""
    cases = {(f"leaf {leaf}", name): classes for name, classes, leaf in CASES}
    forests = [
        "| table, rows in a leaf | imodels: fit | lmdi: fit | ratio | shap: explain | lmdi: explain | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    boosted = [
        "| model | shap: explain | its own contributions | lmdi: fit | lmdi: explain |",
        "|---|---:|---:|---:|---:|",
    ]
    for one in results:
        if int(one["threads"]) != 1:
            continue
        if (one["model"], one["table"]) in cases:
            kind = " (classes)" if cases[one["model"], one["table"]] else ""
            ratios = float(one["imodels"]) / float(one["fit"]), float(one["shap"]) / float(one["score"])
            cells = [f"{one['table']}{kind}, {one['model'].split()[1]}", common.figure(one["imodels"]), common.figure(one["fit"])]
            cells += [common.figure(ratios[0]), common.figure(one["shap"]), common.figure(one["score"]), common.figure(ratios[1])]
            forests.append(f"| {' | '.join(cells)} |")
        else:
            cells = [f"{one['model']}, {one['table']}"] + [common.figure(one[key]) for key in ("shap", "own", "fit", "score")]
            boosted.append(f"| {' | '.join(cells)} |")
    return {"forests": "\n".join(forests) + "\n", "boosted": "\n".join(boosted) + "\n"}


def put_tables():
    for name, table in readme_tables(common.read_results(RESULTS)).items():
        common.put_table(PAGE, *TABLES[name], table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees-reference", type=int, default=4, metavar="K")
    parser.add_argument("--rows-shap", type=int, default=200, metavar="N")
    parser.add_argument("--runs", type=int, default=5, help="our runs; the best counts")
    parser.add_argument("--threads", type=int, nargs="*", help="default: 1 and all cores")
    parser.add_argument("--only", help="one data set")
    parser.add_argument("--skip-others", action="store_true", help="time only ours")
    parser.add_argument("--write", action="store_true", help="keep the results and put their tables into the README")
    parser.add_argument("--table", action="store_true", help="only put the tables into the README")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.table:
        put_tables()
        return
    binary = common.build("bench_lmdi")
    cores = len(os.sched_getaffinity(0))
    counts = options.threads or (1, cores)
    print(f"{common.versions()}; {cores} cores")
    print(f"imodels timed on {options.trees_reference} of 100 trees, shap on {options.rows_shap}")
    print("of 2,000 rows, both scaled up;", f"ours: best of {options.runs} runs on everything")
    print(HEADER)
    print(
        "data set           leaf threads   imodels     shap      fit    score  predict"
        "  fit ratio  both/shap score/shap  score/predict  same penalty %"
    )
    results = []
    for name, classes, leaf in CASES:
        if options.only not in (None, name):
            continue
        sample = common.load(name, classes)
        forest = common.grow(sample, leaf)
        forest.n_jobs = 1
        for threads in counts:
            results.append(measured_forest(binary, sample, leaf, forest, options, threads))
            print(line(name, leaf, classes, results[-1]), flush=True)
    print()
    print(
        "library   data set           threads     shap contribs      fit    score"
        "  shap/both   own/both  own/score"
    )
    for library, name, classes in BOOSTED:
        if options.only in (None, name):
            sample = common.load(name, classes)
            for threads in counts:
                results.append(measured_boosting(binary, library, sample, options, threads))
                print(boosted_line(results[-1]), flush=True)
    if options.write:
        keep(results)
        put_tables()


if __name__ == "__main__":
    main()
