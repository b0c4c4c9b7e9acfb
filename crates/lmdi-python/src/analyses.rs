//! Analyses of scores: counterfactuals, subgroups and stability.
//!
//! Explained rows arrive as the arrays of an `Explanation` with predictions beside them; results leave as
//! plain lists and dictionaries, which the Python half gives names to.

use crate::boundary::arrays::{Responses, Table};
use crate::boundary::errors::exception;
use crate::boundary::run::Run;
use lmdi::explanation::subgroup::choice::CountCandidate;
use lmdi::explanation::subgroup::description::{Subgroup, ValueSummary};
use lmdi::explanation::subgroup::{GroupCount, NO_GROUP};
use lmdi::explanation::{
    Columns, CounterfactualOptions, Distance, ExplainedRows, Restriction, Space, SubgroupOptions,
};
use lmdi::importance::Scores;
use lmdi::named::Named;
use lmdi::table::{Encoding, InputColumn, MatrixView, Schema};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// `(cells, values row by row, number of outputs, predictions row by row)`.
#[derive(FromPyObject)]
pub struct Explained<'py>(
    Table<'py>,
    PyReadonlyArray1<'py, f64>,
    usize,
    PyReadonlyArray1<'py, f64>,
);

impl Explained<'_> {
    fn scores(&self) -> PyResult<Scores> {
        let n_rows = self.0.view()?.rows();
        let values = self.1.as_slice()?.to_vec();
        let n_features = values.len() / (n_rows * self.2).max(1);
        Ok(Scores { values, ..Scores::zero(n_rows, n_features, &vec![0.0; self.2]) })
    }

    fn parts(&self) -> PyResult<(MatrixView<'_>, &[f64])> {
        Ok((self.0.view()?, self.3.as_slice()?))
    }
}

/// `(names, [(place, levels)])`: columns with levels hold their codes.
#[derive(FromPyObject)]
pub struct NamedColumns(Vec<String>, Vec<(usize, Vec<String>)>);

impl NamedColumns {
    fn columns(self) -> Columns {
        let mut schema = Schema::numeric(self.0);
        for (at, levels) in self.1 {
            if let Some(InputColumn { encoding, .. }) = schema.columns.get_mut(at) {
                *encoding = Encoding::Codes(levels);
            }
        }
        Columns::of_schema(&schema)
    }
}

/// Per query a list of `(row, score distance, feature distance, [(column, score change)])`.
type Found = Vec<Vec<(usize, f64, f64, Vec<(usize, f64)>)>>;

/// The counterfactuals of each query among the candidates; `restrictions` names the columns that are fixed,
/// may only rise and may only fall.
#[pyfunction]
#[pyo3(signature = (queries, candidates, columns, options, restrictions, run))]
pub fn counterfactuals(
    py: Python<'_>,
    queries: Explained<'_>,
    candidates: Explained<'_>,
    columns: NamedColumns,
    options: (usize, String, String, Option<f64>, Option<usize>, Option<f64>),
    restrictions: [Vec<usize>; 3],
    run: Run,
) -> PyResult<Found> {
    let columns = columns.columns();
    let (k, space, distance, threshold, wanted, cut) = options;
    if let Some(cut) = cut {
        let width = queries.3.len()? / queries.0.view()?.rows().max(1);
        lmdi::forest::decision::check_threshold(cut, width).map_err(exception)?;
    }
    let mut asked = CounterfactualOptions::default()
        .with_k(k)
        .with_space(Space::from_name(&space).map_err(exception)?)
        .with_distance(Distance::from_name(&distance).map_err(exception)?)
        .with_threshold(threshold)
        .with_wanted(wanted)
        .with_restrictions(vec![Restriction::Free; columns.len()]);
    let kinds = [Restriction::Fixed, Restriction::OnlyUp, Restriction::OnlyDown];
    for (places, kind) in restrictions.into_iter().zip(kinds) {
        for at in places {
            asked.restrictions[at] = kind;
        }
    }
    let (query_scores, candidate_scores) = (queries.scores()?, candidates.scores()?);
    let (x, predictions) = queries.parts()?;
    let queries =
        ExplainedRows { x, scores: &query_scores, predictions, truth: None, threshold: cut };
    let (x, predictions) = candidates.parts()?;
    let candidates =
        ExplainedRows { x, scores: &candidate_scores, predictions, truth: None, threshold: cut };
    let found = run.call(py, |monitor| {
        lmdi::explanation::counterfactuals(&queries, &candidates, &columns, &asked, monitor)
    })?;
    let one = |found: lmdi::explanation::Counterfactual| {
        let changes = found.changes.iter().map(|one| (one.column, one.score_change)).collect();
        (found.row, found.score_distance, found.feature_distance, changes)
    };
    Ok(found.into_iter().map(|found| found.into_iter().map(one).collect()).collect())
}

/// Groups: `labels` (the group of every row, -1 for none), `groups` (a dictionary each), `choice` (how their
/// number was chosen, or none), `inertia` and `inertia_of_all`.
#[pyfunction]
#[pyo3(signature = (rows, truth, columns, options, threshold, run))]
pub fn subgroups<'py>(
    py: Python<'py>,
    rows: Explained<'py>,
    truth: Option<Responses<'py>>,
    columns: NamedColumns,
    options: (Option<usize>, usize, usize, usize, u64),
    threshold: Option<f64>,
    run: Run,
) -> PyResult<Bound<'py, PyDict>> {
    let columns = columns.columns();
    let (groups, most, restarts, rule_depth, seed) = options;
    let asked = SubgroupOptions::default()
        .with_count(groups.map_or(GroupCount::Stable(most), GroupCount::Given))
        .with_restarts(restarts)
        .with_rule_depth(rule_depth)
        .with_seed(seed);
    let scores = rows.scores()?;
    let (x, predictions) = rows.parts()?;
    let truth = truth.as_ref().map(Responses::response).transpose()?;
    let rows = ExplainedRows { x, scores: &scores, predictions, truth, threshold };
    let found =
        run.call(py, |monitor| lmdi::explanation::subgroups(&rows, &columns, &asked, monitor))?;
    let label = |&group: &u32| if group == NO_GROUP { -1 } else { i64::from(group) };
    let labels: Vec<i64> = found.of_rows.iter().map(label).collect();
    let choice = found.choice.as_ref().map(|choice| {
        let known = PyDict::new(py);
        known.set_item("k", choice.k)?;
        known.set_item("stable", choice.stable)?;
        known.set_item("n_rows", choice.rows)?;
        let of_k = |one: &CountCandidate| (one.k, one.similarities.clone());
        known.set_item("similarities", choice.candidates.iter().map(of_k).collect::<Vec<_>>())?;
        PyResult::Ok(known)
    });
    let groups = found.groups.iter().map(|group| described(py, group, &columns));
    let known = PyDict::new(py);
    known.set_item("labels", labels)?;
    known.set_item("groups", groups.collect::<PyResult<Vec<_>>>()?)?;
    known.set_item("choice", choice.transpose()?)?;
    known.set_item("inertia", found.inertia)?;
    known.set_item("inertia_of_all", found.inertia_of_all)?;
    Ok(known)
}

fn described<'py>(
    py: Python<'py>,
    group: &Subgroup,
    columns: &Columns,
) -> PyResult<Bound<'py, PyDict>> {
    let known = PyDict::new(py);
    known.set_item("size", group.size)?;
    known.set_item("share", group.share)?;
    known.set_item("mean_prediction", &group.mean_prediction)?;
    known.set_item("mean_truth", &group.mean_truth)?;
    known.set_item("error", group.error)?;
    known.set_item("rule", group.rule.text(columns))?;
    known.set_item("rule_accuracy", group.rule.accuracy)?;
    known.set_item("rule_precision", group.rule.precision)?;
    known.set_item("rule_recall", group.rule.recall)?;
    let mut traits = Vec::new();
    for one in &group.traits {
        let column = &columns.as_slice()[one.column];
        let of_column = PyDict::new(py);
        of_column.set_item("column", &column.name)?;
        of_column.set_item("mean_score", &one.mean_score)?;
        of_column.set_item("mean_score_elsewhere", &one.mean_score_elsewhere)?;
        of_column.set_item("value_effect", one.value_effect)?;
        match &one.values {
            ValueSummary::Number { quartiles, quartiles_elsewhere, missing, missing_elsewhere } => {
                of_column.set_item("quartiles", quartiles)?;
                of_column.set_item("quartiles_elsewhere", quartiles_elsewhere)?;
                of_column.set_item("missing", missing)?;
                of_column.set_item("missing_elsewhere", missing_elsewhere)?;
            }
            ValueSummary::Category { level, share, share_elsewhere } => {
                let name = level.and_then(|code| column.level(f64::from(code)));
                of_column.set_item("level", name)?;
                of_column.set_item("share", share)?;
                of_column.set_item("share_elsewhere", share_elsewhere)?;
            }
        }
        traits.push(of_column);
    }
    known.set_item("columns", traits)?;
    Ok(known)
}

/// How far the scores of several fits agree, `fits` being values row by row with the number of rows and
/// outputs.
#[pyfunction]
#[pyo3(signature = (fits, n_rows, n_outputs, percents, run))]
pub fn stability<'py>(
    py: Python<'py>,
    fits: Vec<PyReadonlyArray1<'py, f64>>,
    n_rows: usize,
    n_outputs: usize,
    percents: Vec<f64>,
    run: Run,
) -> PyResult<Bound<'py, PyDict>> {
    let mut scores = Vec::with_capacity(fits.len());
    for fit in &fits {
        let values = fit.as_slice()?.to_vec();
        let n_features = values.len() / (n_rows * n_outputs).max(1);
        let base = vec![0.0; n_outputs];
        scores.push(Scores { values, ..Scores::zero(n_rows, n_features, &base) });
    }
    let found =
        run.call(py, |monitor| lmdi::explanation::stability(&scores, &percents, monitor))?;
    let known = PyDict::new(py);
    known.set_item("n_rows", found.n_rows)?;
    known.set_item("correlation", found.correlation)?;
    known.set_item("mean_correlation", found.mean_correlation)?;
    known.set_item("importance", found.importance)?;
    let mut tops = Vec::new();
    for top in found.tops {
        let of_top = PyDict::new(py);
        of_top.set_item("percent", top.percent)?;
        of_top.set_item("n_top", top.n_top)?;
        of_top.set_item("unique", top.unique)?;
        of_top.set_item("mean_unique", top.mean_unique)?;
        of_top.set_item("unique_share", top.unique_share)?;
        of_top.set_item("always", top.always)?;
        of_top.set_item("ever", top.ever)?;
        tops.push(of_top);
    }
    known.set_item("tops", tops)?;
    Ok(known)
}
