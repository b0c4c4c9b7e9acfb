"""Plots as people print them: titles, marks, ticks, colours of the style, categories and outliers."""

import numpy as np
import pytest
from matplotlib import colors, pyplot
from sklearn.ensemble import GradientBoostingClassifier, RandomForestRegressor

import lmdi

NAMES = ["age", "visits", "income", "debt", "noise", "cost"]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def numbers(data):
    model = RandomForestRegressor(10, min_samples_leaf=5, random_state=0).fit(data.X, data.y)
    return lmdi.TreeSHAP(model).explain(data.X)


@pytest.fixture(scope="module")
def odds(data):
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(data.X, data.two)
    return lmdi.TreeSHAP(model).explain(data.X)


@pytest.fixture(scope="module")
def margins(data):
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(data.X, data.three)
    return lmdi.TreeSHAP(model).explain(data.X)


def made(values, cells=None, **more):
    values = np.asarray(values, dtype=float)
    cells = values if cells is None else cells
    return lmdi.Explanation(values, np.zeros(len(values)), cells, **more)


def every(e, **options):
    """All plots of one explanation."""
    yield e.plot.bar(**options)
    yield e[0].plot.bar(**options)
    yield e.plot.beeswarm(**options)
    yield e.plot.waterfall(0, **options)
    yield e.plot.decision(**options)
    yield e.plot.heatmap(**options)
    yield e.plot.scatter(0, **options)
    yield e.plot.compare(e, **options)
    yield lmdi.stability([e, e]).plot(**options)


def ticks(axis):
    low, high = sorted(axis.get_view_interval())
    return [tick for tick in axis.get_ticklocs() if low <= tick <= high]


def test_every_plot_has_a_title_that_can_be_replaced(numbers):
    assert all(len(ax.get_title()) > 10 for ax in every(numbers))
    pyplot.close("all")
    assert all(ax.get_title() == "Mine" for ax in every(numbers, title="Mine"))
    pyplot.close("all")
    assert all(ax.get_title() == "" for ax in every(numbers, title=""))
    _, ax = pyplot.subplots()
    ax.set_title("There before")
    assert numbers.plot.bar(ax=ax).get_title() == "There before"


def test_titles_say_what_is_predicted(numbers, odds, margins):
    text = numbers.plot.waterfall(3).get_title()
    assert text.startswith("Row 3: why the prediction is ")
    assert float(text.rsplit(" ", 1)[1].replace("−", "-")) == pytest.approx(numbers.prediction[3], rel=1e-3)
    assert odds.plot.beeswarm().get_title() == "What the model uses to predict yes"
    share = 100 * margins.prediction[2, 1]
    text = margins.plot.waterfall(2, output="10").get_title()
    assert text.startswith("Row 2: why the probability of 10 is ")
    assert float(text.split()[-2]) == pytest.approx(share, abs=0.6)
    # The class is known also where it was selected before.
    assert margins[..., "10"].plot.waterfall(2).get_title() == text


def test_long_titles_are_wrapped_and_stay_within_the_figure(numbers):
    ax = numbers.plot.waterfall(0, title="A title of many words that goes on and on " * 4)
    ax.figure.canvas.draw()
    box = ax.title.get_window_extent()
    assert box.x0 >= 0 and box.x1 <= ax.figure.bbox.width
    assert box.height > 2 * ax.title.get_fontsize() * ax.figure.dpi / 72


def marked(ax):
    """Places of the strong upright lines, from above."""
    lines = [line for line in ax.get_lines() if line.get_linewidth() == 2.5]
    return [line.get_xdata()[0] for line in sorted(lines, key=lambda line: np.mean(line.get_ydata()))]


def names(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_a_waterfall_marks_base_prediction_and_outcome(numbers, data):
    for actual in (data.y, data.y[3]):
        ax = numbers.plot.waterfall(3, actual=actual)
        assert names(ax)[:2] == ["actual", "prediction"] and names(ax)[-1] == "base value"
        np.testing.assert_allclose(marked(ax), [numbers.prediction[3], numbers.base_values[3]])
        (diamond,) = [line for line in ax.get_lines() if line.get_marker() == "D"]
        np.testing.assert_allclose(diamond.get_xdata(), [data.y[3]])
    assert names(numbers.plot.waterfall(3))[0] == "prediction"
    assert names(numbers.plot.waterfall(3, actual=np.nan))[0] == "prediction"
    with pytest.raises(ValueError, match="actual has 2 outcomes; expected one, or one for each"):
        numbers.plot.waterfall(3, actual=[1.0, 2.0])
    with pytest.raises(ValueError, match="actual is 'many'; expected a number"):
        numbers.plot.waterfall(3, actual="many")


def test_a_waterfall_of_log_odds_has_probabilities_on_top_and_the_actual_class(odds, data):
    ax = odds.plot.waterfall(4, actual=data.two)
    (above,) = ax.child_axes
    ax.figure.canvas.draw()
    shown = [text.get_text() for text in above.get_xticklabels()]
    assert 2 <= len(shown) <= 6 and "50 %" in shown
    for place, text in zip(above.get_xticks(), shown, strict=True):
        assert float(text.split()[0]) == pytest.approx(100 * place)
    assert names(ax)[0] == f"actual class = {data.two[4]}"
    chance = odds.prediction[4, list(np.unique(data.two)).index(data.two[4])]
    texts = [text.get_text() for text in ax.texts]
    (said,) = [text for text in texts if text.startswith("the model gives it ")]
    assert float(said.split()[-2]) == pytest.approx(100 * chance, abs=0.6)


def test_one_of_several_classes_has_no_scale_of_probabilities(margins, data):
    ax = margins.plot.waterfall(2, output="10", actual=data.three)
    assert not ax.child_axes and names(ax)[0] == f"actual class = {data.three[2]}"


@pytest.mark.parametrize("factor", [1e-9, 1.0, 37.0, 1e12])
def test_axes_have_four_to_six_ticks(numbers, factor):
    e = made(numbers.values * factor, numbers.data * factor)
    for ax in (e.plot.bar(), e.plot.beeswarm(), e.plot.waterfall(0), e.plot.decision(), e.plot.scatter(0)):
        ax.figure.canvas.draw()
        assert 4 <= len(ticks(ax.xaxis)) <= 6, ax.get_title()
        shown = [text.get_text() for text in ax.get_xticklabels()]
        assert len(set(shown)) == len(shown) and not any("-" in text for text in shown)
    assert 4 <= len(ticks(e.plot.scatter(0).yaxis)) <= 6


@pytest.mark.parametrize("span", np.geomspace(1, 10, 23))
@pytest.mark.parametrize("start", [0.0, -0.37, 0.81])
def test_ticks_are_four_to_six_whatever_the_range(start, span):
    from lmdi._plots.drawing.ticks import numbers_on

    _, ax = pyplot.subplots()
    ax.set_xlim(start, start + span)
    numbers_on(ax.xaxis)
    assert 4 <= len(ticks(ax.xaxis)) <= 6


def test_colours_are_those_of_the_style(numbers):
    with pyplot.rc_context({"axes.prop_cycle": pyplot.cycler(color=["#104060", "#e0a010", "#207030"])}):
        cool, warm = (colors.to_rgba(colour) for colour in ("#104060", "#e0a010"))
        fills = {patch.get_facecolor() for patch in numbers[0].plot.bar().patches}
        assert fills == {cool, warm}
        for patch in numbers[0].plot.bar().patches:
            assert patch.get_facecolor() == (warm if patch.get_width() > 0 else cool)
        assert numbers.plot.bar().patches[0].get_facecolor() == cool
        assert numbers.plot.heatmap().images[0].get_cmap()(1.0) == pytest.approx(warm)
    with pyplot.rc_context({"image.cmap": "cividis"}):
        ax = numbers.plot.decision()
        ends = ax.collections[0].get_colors()
        lowest = np.argmin([path[-1][0] for path in ax.collections[0].get_segments()])
        assert ends[lowest][:3] == pytest.approx(pyplot.get_cmap("cividis")(0.0)[:3])


@pytest.mark.parametrize(
    "name", ["dark_background", "ggplot", "grayscale", "seaborn-v0_8-whitegrid", "classic"]
)
def test_every_plot_follows_every_style(numbers, name):
    with pyplot.style.context(name):
        for ax in every(numbers):
            ax.figure.canvas.draw()
            assert colors.to_rgb(ax.title.get_color()) == colors.to_rgb(pyplot.rcParams["text.color"])


def categories(count, missing=()):
    codes = np.repeat(np.arange(count), 10).astype(float)
    codes[list(missing)] = np.nan
    cells = np.column_stack([codes, np.linspace(0, 1, len(codes))])
    values = np.column_stack([np.sin(np.arange(len(codes))), np.cos(np.arange(len(codes)))])
    labels = [f"level {at}" for at in range(count)]
    return made(values, cells, feature_names=["kind", "x"], categories={0: labels})


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_categories_have_colours_and_a_legend_that_names_what_is_pooled_and_missing():
    for ax in (categories(3).plot.scatter("x", color="kind"), categories(3).plot.beeswarm()):
        entries = [text for text in legend_of(ax) if text != "kind:"]
        assert entries == ["level 0", "level 1", "level 2"]
    ax = categories(12, missing=[0, 1]).plot.scatter("x", color="kind")
    entries = legend_of(ax)
    assert len(entries) == 9 and entries[-2:] == ["others (5)", "missing"]
    fills = {line.get_color() for line in ax.get_legend().get_lines()}
    assert len(fills) == 9, "each has a colour of its own"
    ax = categories(40, missing=[0]).plot.scatter("kind")
    places = [text.get_text() for text in ax.get_xticklabels()]
    assert len(places) == 22 and places[-2:] == ["others (20)", "missing"]


def test_few_outliers_do_not_squeeze_the_others():
    values = np.column_stack([np.sin(np.arange(400.0)), np.cos(np.arange(400.0))])
    values[7, 0], values[8, 1] = 500.0, -900.0
    cells = np.column_stack([np.arange(400.0), np.arange(400.0)])
    cells[9, 0] = 1e7
    e = made(values, cells)
    ax = e.plot.beeswarm()
    assert ax.get_xlim()[1] < 2 and ax.get_xlim()[0] > -2 and "2 values beyond the axis" in ax.get_xlabel()
    ax = e.plot.scatter(0)
    assert ax.get_ylim()[1] < 2 and ax.get_xlim()[1] < 500 and "2 rows beyond the axis" in ax.get_xlabel()
    # Without exceptions everything is inside.
    ax = made(np.sin(np.arange(400.0))[:, None]).plot.beeswarm()
    assert "beyond" not in ax.get_xlabel()


def test_rows_without_values_are_left_out(numbers):
    values = numbers.values.copy()
    values[5] = np.nan
    e = made(values, numbers.data)
    lengths = [patch.get_width() for patch in e.plot.bar().patches]
    known = np.delete(values, 5, axis=0)
    np.testing.assert_allclose(lengths, np.sort(np.abs(known).mean(axis=0))[::-1])
    assert "299 rows" in e.plot.beeswarm().get_xlabel()
    with pytest.raises(ValueError, match="row 5 has no values to draw"):
        e.plot.waterfall(5)
    with pytest.raises(ValueError, match="no row of the explanation has values"):
        made(np.full((3, 2), np.nan)).plot.heatmap()


def test_dates_are_written_as_dates():
    import pandas as pd

    days = pd.date_range("2019-02-01", periods=200, freq="9D")
    table = pd.DataFrame({"x": np.arange(200.0) % 17, "sold": days, "day": [d.date() for d in days]})
    table.loc[5, "sold"] = pd.NaT
    model = lmdi.RandomForestRegressor(n_estimators=5, random_state=0).fit(table, np.arange(200.0))
    e = lmdi.TreeSHAP(model).explain(table)
    for shown in (e, e[:, ["day", "sold"]], e.grouped({"both": ["x", "day"]})):
        assert "sold = 2019-02-10" in names(shown.plot.waterfall(1))
    assert "day = 2019-02-10" in names(e.plot.waterfall(1))
    assert "sold missing" in names(e.plot.waterfall(5))
    for column in ("sold", "day"):
        ax = e.plot.scatter(column, color="day")
        ax.figure.canvas.draw()
        bar = ax.figure.axes[-1]
        for texts in (ax.get_xticklabels(), bar.get_yticklabels()):
            years = [text.get_text() for text in texts]
            assert {"2020", "2021", "2022", "2023"} <= {text[:4] for text in years}, years
