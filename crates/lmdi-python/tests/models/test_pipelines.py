"""Pipelines: what the last step's columns score is added up over the user's columns, whose cells are kept."""

import pickle

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
    TargetEncoder,
)

import lmdi


@pytest.fixture(scope="module")
def table(data):
    random = np.random.default_rng(1)
    frame = pd.DataFrame(data.X[:, :3], columns=["age", "visits", "income"])
    frame.loc[::7, "income"] = np.nan
    frame["colour"] = random.choice(["red", "green", "blue"], len(frame))
    frame["town"] = random.choice(["Rome", "Oslo"], len(frame))
    frame.loc[3, "town"] = None
    return frame.set_index(pd.Index([f"r{at}" for at in range(len(frame))]))


@pytest.fixture(scope="module")
def target(data, table):
    return data.y + 2.0 * (table["colour"] == "red").to_numpy()


def columns():
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    return ColumnTransformer(
        [
            ("numbers", numbers, ["income", "age", "visits"]),
            ("texts", OneHotEncoder(handle_unknown="ignore", min_frequency=5), ["colour", "town"]),
        ]
    )


def by_hand(explainer, pipe, X):
    """Scores of the last step, added up by the names that scikit-learn gives its columns."""
    names = pipe[:-1].get_feature_names_out()
    own = explainer.explain(pipe[:-1].transform(X))
    found = np.zeros((len(X), X.shape[1], *own.values.shape[2:]))
    for at, name in enumerate(names):
        place = [column for column in X.columns if column in name]
        assert len(place) == 1, name
        found[:, list(X.columns).index(place[0])] += own.values[:, at]
    return found, own.base_values


@pytest.mark.parametrize("method", ["TreeSHAP", "Saabas", "LMDIPlus", "background"])
def test_scores_are_added_up_over_the_users_columns(table, target, method):
    pipe = make_pipeline(columns(), RandomForestRegressor(10, min_samples_leaf=5, random_state=0))
    pipe.fit(table, target)

    def explainer(model, X):
        if method == "LMDIPlus":
            return lmdi.LMDIPlus(model, glm="ridge").fit(X, target)
        if method == "background":
            return lmdi.TreeSHAP(model, X[:30])
        return getattr(lmdi, method)(model)

    whole = explainer(pipe, table)
    e = whole.explain(table)
    values, base = by_hand(explainer(pipe[-1], pipe[:-1].transform(table)), pipe, table)
    np.testing.assert_allclose(e.values, values, atol=1e-12)
    np.testing.assert_allclose(e.base_values, base)
    assert e.feature_names == list(table.columns)
    # The cells are the user's, texts by name.
    assert e.display_data[:, 3].tolist() == table["colour"].tolist()
    assert np.array_equal(e.data[:, 0], table["age"]) and np.isnan(e.data[0, 2])
    assert list(e.to_frame().index) == list(table.index)
    if method == "LMDIPlus":
        np.testing.assert_allclose(whole.predict(table), e.base_values + e.values.sum(axis=1))
    else:
        np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), pipe.predict(table), atol=1e-9)
    # Columns in another order are found by name.
    assert np.array_equal(whole.explain(table[table.columns[::-1]]).values, e.values)
    with pytest.raises(ValueError, match="X has no column 'town'"):
        whole.explain(table.drop(columns="town"))


def test_classes_and_boosting(table, data):
    pipe = make_pipeline(columns(), GradientBoostingClassifier(n_estimators=5, random_state=0))
    pipe.fit(table, data.three)
    e = lmdi.TreeSHAP(pipe).explain(table)
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), pipe.decision_function(table), atol=1e-9)
    assert e.output_names == ["0", "10", "20"] and e.scale == "softmax"
    explainer = lmdi.LMDIPlus(pipe).fit(table, data.three)
    proba = explainer.predict_proba(table)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (explainer.predict(table) == pipe.predict(table)).mean() > 0.9


@pytest.mark.parametrize(
    "steps",
    [
        [StandardScaler()],
        [SimpleImputer(), PolynomialFeatures(1, include_bias=False), SelectKBest(k=2)],
        [KBinsDiscretizer(3, encode="onehot-dense", quantile_method="averaged_inverted_cdf")],
        [FunctionTransformer(np.sign, feature_names_out="one-to-one")],
        [FunctionTransformer()],
        [make_union(StandardScaler(), FunctionTransformer())],
        [FeatureUnion([("a", StandardScaler()), ("drop", "drop")])],
        [make_column_transformer((StandardScaler(), [2, 0]), remainder="passthrough")],
        [make_column_transformer((StandardScaler(), slice(0, 2)), remainder="drop")],
        [make_column_transformer((StandardScaler(), np.array([True, False, True])))],
        [make_column_transformer((StandardScaler(), make_column_selector(dtype_include=float)))],
        ["passthrough"],
    ],
    ids=lambda steps: " ".join(type(step).__name__ for step in steps),
)
def test_transformers_of_numbers(data, steps):
    """Each column answers for itself: changing one changes the scores of no other in a sum of stumps."""
    X = pd.DataFrame(data.X[:, :3], columns=["a", "b", "c"])
    pipe = make_pipeline(*steps, RandomForestRegressor(5, max_depth=1, random_state=0, max_features=1))
    pipe.fit(X, data.y)
    explainer = lmdi.TreeSHAP(pipe)
    e = explainer.explain(X)
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), pipe.predict(X), atol=1e-9)
    assert e.feature_names == ["a", "b", "c"] and np.array_equal(e.data, X)
    for at, name in enumerate(X.columns):
        other = explainer.explain(X.assign(**{name: X[name].to_numpy()[::-1]}))
        moved = np.abs(other.values - e.values).max(axis=0)
        assert moved[[place for place in range(3) if place != at]].max() < 1e-9, name


def test_what_is_made_of_several_columns_has_its_own_score(data):
    X = pd.DataFrame(data.X[:, :4], columns=list("abcd"))
    before = make_column_transformer((PCA(2, random_state=0), ["a", "b", "d"]), remainder="passthrough")
    pipe = make_pipeline(before, RandomForestRegressor(5, random_state=0)).set_output(transform="pandas")
    pipe.fit(X, data.y)
    e = lmdi.TreeSHAP(pipe).explain(X)
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), pipe.predict(X), atol=1e-9)
    assert e.feature_names == ["a", "b", "c", "d", "pca__pca0", "pca__pca1"]
    assert not e.values[:, [0, 1, 3]].any() and e.values[:, [2, 4, 5]].any(axis=0).all()
    np.testing.assert_allclose(e.data[:, 4:], pipe[:-1].transform(X).to_numpy()[:, :2])
    e.plot.beeswarm()


@pytest.mark.parametrize("named", [True, False])
def test_what_is_made_of_several_columns_has_the_name_that_its_step_gives(data, named):
    X = pd.DataFrame(data.X[:, :2], columns=["size", "age"]) if named else data.X[:, :2]
    model = RandomForestRegressor(5, random_state=0)
    size, age = X.columns if named else ("x0", "x1")
    pipe = make_pipeline(PolynomialFeatures(2, include_bias=False), model).fit(X, data.y)
    assert lmdi.TreeSHAP(pipe).explain(X).feature_names == [size, age, f"{size} {age}"]
    pipe = make_pipeline(PCA(2), model).fit(X, data.y)
    assert lmdi.TreeSHAP(pipe).explain(X).feature_names == [size, age, "pca0", "pca1"]


def test_other_encoders_and_libraries(table, target):
    for encoder in (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        TargetEncoder(target_type="continuous", random_state=0),
    ):
        before = ColumnTransformer([("texts", encoder, ["colour", "town"])], remainder="passthrough")
        for model in (
            lightgbm.LGBMRegressor(n_estimators=5, verbose=-1),
            HistGradientBoostingRegressor(max_iter=5),
        ):
            pipe = make_pipeline(before, model).fit(table, target)
            e = lmdi.TreeSHAP(pipe).explain(table)
            np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), pipe.predict(table), atol=1e-6)
            assert e.feature_names == list(table.columns)


def test_searches_pickles_and_arrays(table, target, data):
    pipe = make_pipeline(StandardScaler(), RandomForestRegressor(4, random_state=0))
    search = GridSearchCV(pipe, {"randomforestregressor__max_depth": [2, 3]}, cv=2).fit(data.X, data.y)
    e = lmdi.TreeSHAP(search).explain(data.X)
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), search.predict(data.X), atol=1e-9)
    assert e.feature_names[0] == "x0"
    pipe = make_pipeline(columns(), RandomForestRegressor(4, min_samples_leaf=5, random_state=0))
    pipe.fit(table, target)
    for explainer in (lmdi.TreeSHAP(pipe), lmdi.LMDIPlus(pipe, glm="ridge").fit(table, target)):
        before = explainer.explain(table)
        again = pickle.loads(pickle.dumps(explainer)).explain(table)
        assert np.array_equal(before.values, again.values)
        assert before.display_data[1].tolist() == again.display_data[1].tolist()
        with pytest.raises(TypeError, match="keep the explainer with pickle or joblib"):
            explainer.save("nowhere")
    with pytest.raises(
        TypeError, match="a file holds the trees of one model, and a Pipeline has other steps"
    ):
        lmdi.export(pipe, "nowhere")


def test_counterfactuals_groups_and_plots_see_the_users_cells(table, target):
    pipe = make_pipeline(columns(), RandomForestRegressor(10, min_samples_leaf=5, random_state=0))
    pipe.fit(table, target)
    explainer = lmdi.TreeSHAP(pipe)
    e, part = explainer.explain(table), explainer.explain(table[200:])
    predicted = pipe.predict(table)
    answer = lmdi.counterfactuals(
        part, predicted[200:], e, predicted, threshold=float(np.median(predicted)), fixed=["colour"]
    )[0][0]
    assert table["colour"].iloc[200] == table["colour"].iloc[answer.row]
    changed = {one.column: (one.here, one.there) for one in answer.changes}
    assert "colour" not in changed
    for name, (here, there) in changed.items():
        both = (table[name].iloc[200], table[name].iloc[answer.row])
        assert all(
            one == other or (pd.isna(one) and pd.isna(other)) for one, other in zip((here, there), both)
        )
    assert lmdi.subgroups(e, predicted, groups=2).groups[0]["size"] > 0
    e.plot.scatter("colour")
    assert any("colour = " in text.get_text() for text in e.plot.waterfall(0).get_yticklabels())


def test_importances_of_pipelines_are_of_the_users_columns(table, target):
    pipe = make_pipeline(columns(), RandomForestRegressor(10, min_samples_leaf=5, random_state=0))
    pipe.fit(table, target)
    mdi = lmdi.MDI(pipe)
    assert mdi.names_ == list(table.columns)
    names = pipe[:-1].get_feature_names_out()
    red = sum(value for value, name in zip(pipe[-1].feature_importances_, names) if "colour" in name)
    np.testing.assert_allclose(dict(mdi.ranking())["colour"], red)
    for explainer in (
        lmdi.MDIPlus(pipe),
        lmdi.Permutation(pipe, repeats=2),
        lmdi.Permutation(pipe, out_of_bag=True),
    ):
        ranking = dict(explainer.fit(table, target).ranking())
        assert set(ranking) == set(table.columns) and ranking["colour"] > ranking["town"]
    together = lmdi.Permutation(pipe, repeats=2, groups={"place": ["town", "visits"]}).fit(table, target)
    assert together.names_ == ["age", "place", "income", "colour"]


def test_pipelines_that_cannot_be_explained_say_so(data):
    from sklearn.linear_model import LinearRegression

    pipe = make_pipeline(StandardScaler(), LinearRegression()).fit(data.X, data.y)
    with pytest.raises(TypeError, match="LinearRegression is not supported"):
        lmdi.TreeSHAP(pipe).explain(data.X)
    with pytest.raises(lmdi.NotFittedError):
        lmdi.TreeSHAP(make_pipeline(StandardScaler(), RandomForestClassifier())).explain(data.X)
