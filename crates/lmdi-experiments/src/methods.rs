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
use crate::experiments::rules::trials::TRIALS;
use crate::run::{Context, Protocol};
use lmdi::Result;
use lmdi::forest::Ensemble;
use lmdi::glm::{Family, GlmOptions, PenaltyChoice};
use lmdi::importance::lime::LimeOptions;
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::importance::maple::MapleOptions;
use lmdi::importance::{Groups, LocalMethod, Scores};
use lmdi::monitor::{Monitor, Stages};
use lmdi::study::ExplainerOptions;
use lmdi::table::{MatrixView, rank_in_place};

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
    /// TreeSHAP that takes unknown cells from background rows instead of the training rows of a node.
    InterventionalTreeShap,
    /// TreeSHAP, ranked by the mean rank over trees as LMDI+ is.
    TreeShapRank,
    Lime,
    LocalMdi,
    /// The same, ranked by the mean rank over trees.
    LocalMdiRank,
    Saabas,
    /// The same, ranked by the mean rank over trees.
    SaabasRank,
    Maple,
    /// A step of the ablation (1 to 3), ranked by |score|.
    VariantScore(u8),
    /// The same, ranked by the mean rank over trees.
    VariantRank(u8),
    /// One of the [`TRIALS`], ranked by |score|.
    TrialScore(u8),
    /// The same, ranked by the mean rank over trees.
    TrialRank(u8),
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
pub const MAIN: [Method; 15] = [
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
    Method::InterventionalTreeShap,
    Method::TreeShapRank,
    Method::LocalMdiRank,
    Method::SaabasRank,
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
            Method::InterventionalTreeShap => "tree_shap_interventional",
            Method::TreeShapRank => "tree_shap_by_rank",
            Method::LocalMdiRank => "local_mdi_by_rank",
            Method::SaabasRank => "saabas_by_rank",
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
            Method::TrialRank(at) => TRIALS[usize::from(at)].names[0],
            Method::TrialScore(at) => TRIALS[usize::from(at)].names[1],
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
            Method::InterventionalTreeShap => "TreeSHAP, interventional",
            Method::TreeShapRank => "TreeSHAP (by rank)",
            Method::LocalMdiRank => "Local MDI (by rank)",
            Method::SaabasRank => "Saabas (by rank)",
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
            Method::TrialRank(at) => TRIALS[usize::from(at)].titles[0],
            Method::TrialScore(at) => TRIALS[usize::from(at)].titles[1],
        }
    }

    /// The method of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::all().find(|method| method.name() == name)
    }

    /// All methods.
    pub fn all() -> impl Iterator<Item = Self> {
        MAIN.into_iter().chain(VARIANTS).chain(Self::trials())
    }

    /// All trials, each by rank and by score.
    pub fn trials() -> impl Iterator<Item = Self> {
        (0..TRIALS.len() as u8).flat_map(|at| [Method::TrialRank(at), Method::TrialScore(at)])
    }

    /// Which of the trials it is.
    fn trial(self) -> Option<u8> {
        match self {
            Method::TrialRank(at) | Method::TrialScore(at) => Some(at),
            _ => None,
        }
    }

    /// Whether it can explain boosted trees; Local MDI credits the impurity of the response itself,
    /// which they were not grown on, and trees that build on one another do not count alike in a rank.
    pub fn explains_boosting(self) -> bool {
        self != Method::LocalMdi && self.ranks_trees_of().is_none()
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
            Method::LmdiRank
                | Method::DataRank
                | Method::ModelRank
                | Method::VariantRank(_)
                | Method::TrialRank(_)
        )
    }

    /// The method whose scores of single trees it ranks, if it is another method by rank.
    fn ranks_trees_of(self) -> Option<Self> {
        match self {
            Method::TreeShapRank => Some(Method::TreeShap),
            Method::LocalMdiRank => Some(Method::LocalMdi),
            Method::SaabasRank => Some(Method::Saabas),
            _ => None,
        }
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

/// Background rows of interventional TreeSHAP: as many of the first training rows, which are in random
/// order.
const BACKGROUND: usize = 100;

/// A trained model with its training rows.
pub struct Explained<'a> {
    ensemble: &'a Ensemble,
    train: &'a Part,
    context: &'a Context,
    seed: u64,
    /// Folds and L1 ratios of the least-squares search instead of the paper's.
    search: Option<(usize, Vec<f64>)>,
}

impl<'a> Explained<'a> {
    /// The model, what it was trained on, what the run says about methods, and the seed of LIME.
    pub fn new(ensemble: &'a Ensemble, train: &'a Part, context: &'a Context, seed: u64) -> Self {
        Self { ensemble, train, context, seed, search: None }
    }

    /// The same with LMDI+ as published searched by so many folds over these L1 ratios.
    pub fn searching(self, folds: usize, l1_ratios: &[f64]) -> Self {
        Self { search: Some((folds, l1_ratios.to_vec())), ..self }
    }

    /// The sizes that several methods give the features of `rows`. Methods that share a fit share
    /// it.
    pub fn sizes<W: Monitor + Stages>(
        &self,
        methods: &[Method],
        rows: &MatrixView<'_>,
        work: &W,
    ) -> Result<Vec<Sizes>> {
        type Fit = (Option<LmdiPlusOptions>, Option<u8>);
        let mut fits: Vec<(Fit, Box<dyn LocalMethod>)> = Vec::new();
        let mut all = Vec::with_capacity(methods.len());
        for &method in methods {
            if let Some(of) = method.ranks_trees_of() {
                all.push(self.mean_tree_ranks(of, rows, work)?);
                continue;
            }
            let fit: Fit = (self.lmdi_plus(method), method.trial());
            if fit == (None, None) {
                all.push(Sizes::of(&self.scores(method, rows, work)?));
                continue;
            }
            let at = match fits.iter().position(|(known, _)| *known == fit) {
                Some(at) => at,
                None => {
                    fits.push((fit, self.explainer(method, work)?));
                    fits.len() - 1
                }
            };
            let fit = &fits[at].1;
            all.push(if method.by_rank() {
                let groups = Groups::singles(rows.cols());
                let values = match (fit.linear_models(), self.context.protocol) {
                    (Some(models), Protocol::Reference) => {
                        models.rank_by_rank_where_weighted(rows, work)?
                    }
                    _ => fit.mean_tree_ranks(rows, &groups, work)?,
                };
                Sizes { n_features: rows.cols(), values }
            } else {
                Sizes::of(&fit.explain(rows, work)?)
            });
        }
        Ok(all)
    }

    /// The ranking by rank of LMDI+ for the scores of another method: in each tree the features that it
    /// uses are ranked above those that it does not, and ranks are averaged over the trees that use a
    /// feature.
    fn mean_tree_ranks<W: Monitor + Stages>(
        &self,
        method: Method,
        rows: &MatrixView<'_>,
        work: &W,
    ) -> Result<Sizes> {
        let p = rows.cols();
        let mut values = vec![0.0; rows.rows() * p];
        let mut times_used = vec![0.0; p];
        let mut without_trees = self.ensemble.clone();
        without_trees.trees.clear();
        for tree in &self.ensemble.trees {
            let alone = Ensemble { trees: vec![tree.clone()], ..without_trees.clone() };
            let used: Vec<usize> = (0..p).filter(|&k| tree.feature.contains(&(k as u32))).collect();
            used.iter().for_each(|&feature| times_used[feature] += 1.0);
            let of_tree = Explained { ensemble: &alone, search: self.search.clone(), ..*self };
            let scores = of_tree.scores(method, rows, work)?;
            let below = (p - used.len()) as f64;
            for (row, line) in values.chunks_exact_mut(p).enumerate() {
                let size = |&feature: &usize| (scores.size(row, feature), feature as u32);
                let mut sizes: Vec<(f64, u32)> = used.iter().map(size).collect();
                rank_in_place(&mut sizes, |feature, rank| line[feature as usize] += below + rank);
            }
        }
        for line in values.chunks_exact_mut(p) {
            line.iter_mut().zip(&times_used).for_each(|(sum, &n)| *sum /= f64::max(n, 1.0));
        }
        Ok(Sizes { n_features: p, values })
    }

    /// The options of a method's linear models, if it is LMDI+ or a step of the ablation.
    fn lmdi_plus(&self, method: Method) -> Option<LmdiPlusOptions> {
        let options = method.lmdi_plus()?;
        let Some((folds, l1_ratios)) = &self.search else { return Some(options) };
        if options != LmdiPlusOptions::paper() {
            return Some(options);
        }
        let reference = GlmOptions::reference(Family::Gaussian);
        let penalty = match reference.penalty {
            PenaltyChoice::CrossValidated { grid, .. } => {
                PenaltyChoice::CrossValidated { l1_ratios: l1_ratios.clone(), grid }
            }
            other => other,
        };
        Some(options.with_folds(*folds).with_penalty(penalty))
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
    pub fn explainer(&self, method: Method, stages: &dyn Stages) -> Result<Box<dyn LocalMethod>> {
        let options = match method {
            Method::TreeShap | Method::TreeShapRank => {
                ExplainerOptions::TreeShap { background: None }
            }
            Method::InterventionalTreeShap => {
                let rows: Vec<usize> = (0..self.train.rows().min(BACKGROUND)).collect();
                ExplainerOptions::TreeShap { background: Some(self.train.x.take_rows(&rows)) }
            }
            Method::Saabas | Method::SaabasRank => ExplainerOptions::Saabas,
            Method::LocalMdi | Method::LocalMdiRank => ExplainerOptions::LocalMdi,
            Method::Lime => {
                let options = LimeOptions::default();
                let options =
                    options.with_n_samples(self.context.lime_samples).with_seed(self.seed);
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
                ExplainerOptions::LmdiPlus(self.lmdi_plus(method).unwrap_or_default())
            }
            Method::TrialScore(at) | Method::TrialRank(at) => {
                let fitted = TRIALS[usize::from(at)].fit(self.ensemble, self.train)?;
                return Ok(Box::new(fitted));
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
        for method in Method::all() {
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
