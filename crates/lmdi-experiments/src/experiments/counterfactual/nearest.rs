//! Counterfactuals by score or by cells: what `observed` and `simulated` share.

use crate::data::{Answers, Part, Split};
use crate::ensemble::EnsembleKind;
use crate::methods::{Explained, Method};
use crate::run::{Context, Protocol};
use anyhow::Result;
use lmdi::explanation::{Columns, CounterfactualOptions, ExplainedRows, Space, counterfactuals};
use lmdi::importance::Scores;
use lmdi::random::Generator;
use lmdi_io::interrupt::UntilInterrupted;
use rand::Rng;

/// Methods that give signed scores.
pub const METHODS: [Method; 8] = [
    Method::ModelScore,
    Method::DataScore,
    Method::LmdiScore,
    Method::Lime,
    Method::TreeShap,
    Method::LocalMdi,
    Method::Saabas,
    Method::Maple,
];

/// The name of the search among cells instead of scores.
pub const OBSERVED: &str = "observed_data";

/// For every method, and for the cells themselves, the absolute differences between a test row and
/// the nearest training row with another predicted class (l1), or in the authors' code with another
/// true class: feature by feature, averaged over test rows.
pub fn mean_differences(
    split: &Split,
    methods: &[Method],
    context: &Context,
    draws: &mut Generator,
) -> Result<Vec<(&'static str, Vec<f64>)>> {
    let (train, test) = (&split.train, &split.test);
    let model = context.protocol.pick(EnsembleKind::Forest, EnsembleKind::Leaf(3));
    let ensemble = model.train(train, draws.next_u64(), &UntilInterrupted)?;
    let seed = draws.next_u64();
    let explained = Explained::new(&ensemble, train, context, seed);
    let classes = |part: &Part| match context.protocol {
        Protocol::Paper => ensemble.predict(&part.view(), &UntilInterrupted),
        Protocol::Reference => Ok(certain(&part.answers)),
    };
    let (of_train, of_test) = (classes(train)?, classes(test)?);
    let columns = Columns::numeric(ensemble.feature_names.clone());
    let differences = |scores: [&Scores; 2], space: Space| -> Result<Vec<f64>> {
        let [of_candidates, of_queries] = scores;
        let candidates = ExplainedRows {
            x: train.view(),
            scores: of_candidates,
            predictions: &of_train,
            truth: None,
            threshold: None,
        };
        let queries = ExplainedRows {
            x: test.view(),
            scores: of_queries,
            predictions: &of_test,
            truth: None,
            threshold: None,
        };
        let options = CounterfactualOptions::default().with_space(space);
        let found = counterfactuals(&queries, &candidates, &columns, &options, &UntilInterrupted)?;
        let mut sum = vec![0.0; columns.len()];
        let mut count = 0.0;
        for (row, nearest) in found.iter().enumerate() {
            let Some(nearest) = nearest.first() else { continue };
            for (feature, sum) in sum.iter_mut().enumerate() {
                *sum += (test.x.column(feature)[row] - train.x.column(feature)[nearest.row]).abs();
            }
            count += 1.0;
        }
        Ok(sum.iter().map(|sum| sum / count).collect())
    };
    let mut all = Vec::new();
    for &method in methods {
        let explainer = explained.explainer(method, &UntilInterrupted)?;
        let scores = [train, test].map(|part| explainer.explain(&part.view(), &UntilInterrupted));
        let [of_candidates, of_queries] = scores;
        let (of_candidates, of_queries) = (of_candidates?, of_queries?);
        all.push((method.name(), differences([&of_candidates, &of_queries], Space::Scores)?));
    }
    let none = [train, test].map(|part| Scores::zero(part.rows(), columns.len(), &[0.0]));
    all.push((OBSERVED, differences([&none[0], &none[1]], Space::Features)?));
    Ok(all)
}

/// The true classes as predictions that are certain.
fn certain(answers: &Answers) -> Vec<f64> {
    match answers {
        Answers::Numbers(values) => values.clone(),
        Answers::Classes(codes) => {
            let shares = |&code: &u32| if code == 1 { [0.0, 1.0] } else { [1.0, 0.0] };
            codes.iter().flat_map(shares).collect()
        }
    }
}
