//! The methods that are compared, and what each says about rows.
//!
//! A method gives every feature of a row a size, larger for more important. Most also give signed
//! scores, from which the size is the absolute value; LMDI+ by rank gives the mean rank over trees
//! instead.
//!
//! Explainers are made as a study makes them, by `lmdi::study::ExplainerOptions`. A whole
//! `lmdi::study::Study` would not do: it owns one model per method, and here one model is explained
//! by many methods. It scores training rows out of bag, where the paper scores them on all trees. It
//! also predicts the rows it explains, which the runtimes would count.

use crate::data::Part;
use lmdi::Result;
use lmdi::forest::Ensemble;
use lmdi::importance::lime::LimeOptions;
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::importance::maple::MapleOptions;
use lmdi::importance::{Groups, LocalMethod, Scores};
use lmdi::monitor::{Monitor, Stages};
use lmdi::study::ExplainerOptions;
use lmdi::table::MatrixView;

/// A method of the experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// LMDI+ as in the paper, ranked by |score|.
    LmdiScore,
    /// The same, ranked by the mean rank over trees.
    LmdiRank,
    /// LMDI+ with the preset `data`, ranked by |score|.
    DataScore,
    /// The same, ranked by the mean rank over trees.
    DataRank,
    /// LMDI+ with the preset `model`, which is the library's default, ranked by |score|.
    ModelScore,
    /// The same, ranked by the mean rank over trees.
    ModelRank,
    TreeShap,
    Lime,
    LocalMdi,
    Saabas,
    Maple,
    /// A step of the ablation (1 to 3), ranked by |score|.
    VariantScore(u8),
    /// The same, ranked by the mean rank over trees.
    VariantRank(u8),
}

/// The variants of LMDI+ that the paper's tables are repeated with: ranked by the mean rank over
/// trees or by
/// |score|, with each preset.
pub const LMDI_VARIANTS: [(Method, &str); 6] = [
    (Method::LmdiRank, "by rank"),
    (Method::LmdiScore, "by score"),
    (Method::DataRank, "data, by rank"),
    (Method::DataScore, "data, by score"),
    (Method::ModelRank, "model, by rank"),
    (Method::ModelScore, "model, by score"),
];

/// All but the steps of the ablation.
pub const MAIN: [Method; 11] = [
    Method::ModelRank,
    Method::ModelScore,
    Method::DataRank,
    Method::DataScore,
    Method::LmdiRank,
    Method::LmdiScore,
    Method::Lime,
    Method::TreeShap,
    Method::LocalMdi,
    Method::Saabas,
    Method::Maple,
];

/// The steps of the ablation that are not the full method.
pub const VARIANTS: [Method; 6] = [
    Method::VariantRank(1),
    Method::VariantScore(1),
    Method::VariantRank(2),
    Method::VariantScore(2),
    Method::VariantRank(3),
    Method::VariantScore(3),
];

impl Method {
    /// Its name in result files.
    pub fn name(self) -> &'static str {
        match self {
            Method::LmdiScore => "lmdi_plus_by_score",
            Method::LmdiRank => "lmdi_plus_by_rank",
            Method::DataScore => "lmdi_data_by_score",
            Method::DataRank => "lmdi_data_by_rank",
            Method::ModelScore => "lmdi_model_by_score",
            Method::ModelRank => "lmdi_model_by_rank",
            Method::TreeShap => "tree_shap",
            Method::Lime => "lime",
            Method::LocalMdi => "local_mdi",
            Method::Saabas => "saabas",
            Method::Maple => "maple",
            Method::VariantScore(1) => "variant_1_by_score",
            Method::VariantScore(2) => "variant_2_by_score",
            Method::VariantScore(_) => "variant_3_by_score",
            Method::VariantRank(1) => "variant_1_by_rank",
            Method::VariantRank(2) => "variant_2_by_rank",
            Method::VariantRank(_) => "variant_3_by_rank",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Method::LmdiScore => "LMDI+ (by score)",
            Method::LmdiRank => "LMDI+ (by rank)",
            Method::DataScore => "LMDI+ data (by score)",
            Method::DataRank => "LMDI+ data (by rank)",
            Method::ModelScore => "LMDI+ model (by score)",
            Method::ModelRank => "LMDI+ model (by rank)",
            Method::TreeShap => "TreeSHAP",
            Method::Lime => "LIME",
            Method::LocalMdi => "Local MDI",
            Method::Saabas => "Saabas",
            Method::Maple => "MAPLE",
            Method::VariantScore(1) => "Variant 1 (by score)",
            Method::VariantScore(2) => "Variant 2 (by score)",
            Method::VariantScore(_) => "Variant 3 (by score)",
            Method::VariantRank(1) => "Variant 1 (by rank)",
            Method::VariantRank(2) => "Variant 2 (by rank)",
            Method::VariantRank(_) => "Variant 3 (by rank)",
        }
    }

    /// The method of that name.
    pub fn find(name: &str) -> Option<Self> {
        MAIN.into_iter().chain(VARIANTS).find(|method| method.name() == name)
    }

    /// Whether it can explain boosted trees; Local MDI credits the impurity of the response itself,
    /// which they were not grown on.
    pub fn explains_boosting(self) -> bool {
        self != Method::LocalMdi
    }

    /// The options of its linear models, if it is LMDI+ or a step of the ablation.
    fn lmdi_plus(self) -> Option<LmdiPlusOptions> {
        match self {
            Method::LmdiScore | Method::LmdiRank => Some(LmdiPlusOptions::paper()),
            Method::DataScore | Method::DataRank => Some(LmdiPlusOptions::data()),
            Method::ModelScore | Method::ModelRank => Some(LmdiPlusOptions::model()),
            Method::VariantScore(step) | Method::VariantRank(step) => {
                LmdiPlusOptions::ablation(usize::from(step))
            }
            _ => None,
        }
    }

    fn by_rank(self) -> bool {
        matches!(
            self,
            Method::LmdiRank | Method::DataRank | Method::ModelRank | Method::VariantRank(_)
        )
    }
}

/// Sizes of every feature for some rows, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    pub n_features: usize,
    pub values: Vec<f64>,
}

impl Sizes {
    /// The absolute scores, added over outputs.
    pub fn of(scores: &Scores) -> Self {
        let of_row = |row| (0..scores.n_features).map(move |feature| scores.size(row, feature));
        let values = (0..scores.n_rows).flat_map(of_row).collect();
        Self { n_features: scores.n_features, values }
    }

    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.n_features)
    }

    /// The same as scores without sign, for measures that take those.
    pub fn into_scores(self) -> Scores {
        let rows = self.values.len() / self.n_features.max(1);
        Scores { values: self.values, ..Scores::zero(rows, self.n_features, &[0.0]) }
    }
}

/// The features of a row from the largest size to the smallest, the earlier first of equals.
pub fn order(sizes: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
    order
}

/// The number of features that a share of them is, in percent: rounded up.
pub fn top_count(percent: usize, n_features: usize) -> usize {
    (percent * n_features).div_ceil(100).clamp(1, n_features)
}

/// A trained model with its training rows.
pub struct Explained<'a> {
    pub ensemble: &'a Ensemble,
    pub train: &'a Part,
    /// Neighbours that LIME draws a row.
    pub lime_samples: usize,
    pub seed: u64,
}

impl Explained<'_> {
    /// The sizes that several methods give the features of `rows`. Methods that share a fit share
    /// it.
    pub fn sizes<W: Monitor + Stages>(
        &self,
        methods: &[Method],
        rows: &MatrixView<'_>,
        work: &W,
    ) -> Result<Vec<Sizes>> {
        let mut fits: Vec<(LmdiPlusOptions, Box<dyn LocalMethod>)> = Vec::new();
        let mut all = Vec::with_capacity(methods.len());
        for &method in methods {
            let Some(options) = method.lmdi_plus() else {
                all.push(Sizes::of(&self.scores(method, rows, work)?));
                continue;
            };
            let at = match fits.iter().position(|(known, _)| *known == options) {
                Some(at) => at,
                None => {
                    fits.push((options, self.explainer(method, work)?));
                    fits.len() - 1
                }
            };
            let fit = &fits[at].1;
            all.push(if method.by_rank() {
                let groups = Groups::singles(rows.cols());
                let values = fit.mean_tree_ranks(rows, &groups, work)?;
                Sizes { n_features: rows.cols(), values }
            } else {
                Sizes::of(&fit.explain(rows, work)?)
            });
        }
        Ok(all)
    }

    /// The signed scores of a method; by rank there are none, and those of the same fit are given.
    pub fn scores<W: Monitor + Stages>(
        &self,
        method: Method,
        rows: &MatrixView<'_>,
        work: &W,
    ) -> Result<Scores> {
        self.explainer(method, work)?.explain(rows, work)
    }

    /// What explains the model by a method.
    fn explainer(&self, method: Method, stages: &dyn Stages) -> Result<Box<dyn LocalMethod>> {
        let options = match method {
            Method::TreeShap => ExplainerOptions::TreeShap { background: None },
            Method::Saabas => ExplainerOptions::Saabas,
            Method::LocalMdi => ExplainerOptions::LocalMdi,
            Method::Lime => {
                let options = LimeOptions::default();
                let options = options.with_n_samples(self.lime_samples).with_seed(self.seed);
                ExplainerOptions::Lime { options, background: None }
            }
            Method::Maple => ExplainerOptions::Maple(MapleOptions::default()),
            Method::LmdiScore
            | Method::LmdiRank
            | Method::DataScore
            | Method::DataRank
            | Method::ModelScore
            | Method::ModelRank
            | Method::VariantScore(_)
            | Method::VariantRank(_) => {
                ExplainerOptions::LmdiPlus(method.lmdi_plus().unwrap_or_default())
            }
        };
        let (rows, set) = (self.train.view(), self.train.set());
        options.explainer(self.ensemble, Some(rows), Some(&set), stages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for method in MAIN.into_iter().chain(VARIANTS) {
            assert_eq!(Method::find(method.name()), Some(method));
        }
        assert_eq!(Method::find("shap"), None);
    }

    #[test]
    fn top_shares_are_rounded_up() {
        assert_eq!(
            [(10, 15), (10, 10), (20, 16), (100, 7), (10, 3)].map(|(k, p)| top_count(k, p)),
            [2, 1, 4, 7, 1]
        );
        assert_eq!(order(&[0.5, 2.0, 0.5, 1.0]), [1, 3, 0, 2]);
    }
}
