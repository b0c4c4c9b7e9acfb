//! Our side of `./bench penalties`: `bench_penalties TRAIN RESPONSE KIND LEAF TREES [PRESET...]` grows a forest on
//! the training rows (matrix files; KIND is `numbers` or `classes`, of which there are two) and
//! searches the penalty of every tree twice: by default, and exhaustively at a tolerance of 1e-9.
//! It prints one JSON array: per preset and tree the two choices, their validation errors as the exhaustive search
//! has them, and processor seconds of both; and how far scores averaged over the trees are apart.
//!
//! The targets are those of the presets; the target `model` is that of the first round, without debt.

use lmdi::basis::{Basis, TreeRows, leaf_nodes};
use lmdi::forest::routing::Router;
use lmdi::forest::train::{ForestParams, MaxFeatures, TrainingSet, train_forest};
use lmdi::forest::{Ensemble, Tree};
use lmdi::glm::{Candidate, Coefficients, Family, GlmFit, GlmOptions, Measure, Strength, fit_glm};
use lmdi::importance::Groups;
use lmdi::importance::mdi_plus::{MdiPlusOptions, MdiPlusPenalty, mdi_plus};
use lmdi::monitor::Silent;
use lmdi::table::{MatrixView, Response, contiguous_folds, stratified_folds};
use lmdi::{Error, Result};
use serde_json::{Value, json};
use std::path::Path;

const FOLDS: usize = 3;

/// The tolerance of a search that solves every candidate.
const EXHAUSTIVE: f64 = 1e-9;

/// Importances of MDI+ this close, as a share of the largest, come from the same ridge penalty. Fits
/// that start from another one differ by about 1e-6, neighbouring penalties by more than 1e-3.
const SAME_IMPORTANCES: f64 = 1e-5;

/// What is fitted, and how its penalty is judged.
#[derive(Clone, Copy, PartialEq)]
enum Preset {
    Paper,
    Data,
    Model,
    /// The elastic net of MDI+.
    MdiPlus,
}

impl Preset {
    const ALL: [Self; 4] = [Self::Paper, Self::Data, Self::Model, Self::MdiPlus];

    fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Data => "data",
            Self::Model => "model",
            Self::MdiPlus => "MDI+ elastic net",
        }
    }

    fn options(self, classes: bool) -> GlmOptions {
        let family =
            if classes && self != Self::Model { Family::Binomial } else { Family::Gaussian };
        let reference = GlmOptions::reference(family);
        let measure = match self {
            Self::Data | Self::Model => Measure::Deviance,
            Self::Paper | Self::MdiPlus => reference.measure,
        };
        reference.with_measure(measure)
    }

    /// The weight of a row that was drawn so often.
    fn weight(self, drawn: u32) -> f64 {
        if self == Self::Paper { f64::from(drawn.max(1)) } else { 1.0 }
    }

    fn by_out_of_bag_rows(self) -> bool {
        matches!(self, Self::Data | Self::Model)
    }
}

/// The training rows and the forest grown on them.
struct Sample<'s> {
    x: MatrixView<'s>,
    y: &'s [f64],
    classes: bool,
    forest: Ensemble,
    router: Router,
    fold: Vec<u32>,
}

impl Sample<'_> {
    /// Searches the penalties of all trees under one preset, both ways.
    fn compare(&self, preset: Preset) -> Value {
        let options = preset.options(self.classes);
        let exhaustive = options.clone().with_search_tolerance(EXHAUSTIVE);
        let size = self.x.rows() * self.x.cols();
        let mut scores = [vec![0.0; size], vec![0.0; size]];
        let mut trees = Vec::new();
        for (index, tree) in self.forest.trees.iter().enumerate() {
            let basis = Basis::of(tree, &self.x, true);
            if basis.stumps.n_splits() == 0 {
                continue;
            }
            let leaves = leaf_nodes(&self.router, index, &self.x);
            let drawn = |row: usize| tree.in_bag.as_ref().map_or(1, |in_bag| in_bag.count(row));
            let weight: Vec<f64> = (0..self.y.len()).map(|row| preset.weight(drawn(row))).collect();
            let (fold, n_folds) = if preset.by_out_of_bag_rows() {
                ((0..self.y.len()).map(|row| u32::from(drawn(row) > 0)).collect(), 1)
            } else {
                (self.fold.clone(), FOLDS)
            };
            let rows = TreeRows::new(&self.x, &basis, &leaves, &weight, &fold, n_folds);
            let rows = if options.family == Family::Gaussian { rows } else { rows.keep_sparse() };
            let target = rows.gather(&self.target(preset, tree, &leaves));
            let (ours, seconds) = timed(|| fit_glm(&basis, &rows, &target, &options));
            let (full, full_seconds) = timed(|| fit_glm(&basis, &rows, &target, &exhaustive));
            for (fit, scores) in [&ours, &full].into_iter().zip(&mut scores) {
                self.add_scores(&basis, &leaves, &fit.coefficients, scores);
            }
            trees.push(comparison(index, &ours, &full, seconds, full_seconds));
        }
        let [largest, apart] = difference(&scores[0], &scores[1]);
        json!({ "preset": preset.name(), "trees": trees, "largest": largest, "apart": apart })
    }

    /// What the linear model of a tree is fitted to; presets other than the paper's bring it to the
    /// unit that `scale_target` does.
    fn target(&self, preset: Preset, tree: &Tree, leaves: &[u32]) -> Vec<f64> {
        let y = self.y.to_vec();
        let target = match preset {
            Preset::Paper | Preset::MdiPlus => return y,
            Preset::Data if self.classes => return y,
            Preset::Data => y,
            Preset::Model => {
                let mut sums = vec![[0.0; 2]; tree.n_nodes()];
                for (&leaf, y) in leaves.iter().zip(&y) {
                    sums[leaf as usize][0] += 1.0;
                    sums[leaf as usize][1] += y;
                }
                let of_row = |(&leaf, y): (&u32, &f64)| {
                    let [count, sum] = sums[leaf as usize];
                    let values = tree.value_of(leaf as usize);
                    values[values.len() - 1] + 0.5 * (y - sum / count)
                };
                leaves.iter().zip(&y).map(of_row).collect()
            }
        };
        let n = target.len() as f64;
        let mean = target.iter().sum::<f64>() / n;
        let unit = (target.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / n).sqrt();
        if unit > 0.0 { target.iter().map(|t| t / unit).collect() } else { target }
    }

    /// Adds a tree's scores of all rows, row by row.
    fn add_scores(&self, basis: &Basis, leaves: &[u32], fit: &Coefficients, scores: &mut [f64]) {
        let (stumps, p) = (&basis.stumps, self.x.cols());
        let mut node = vec![0.0; (stumps.n_splits() + stumps.n_leaves()) * p];
        for split in 0..stumps.n_splits() {
            let above = node[split * p..(split + 1) * p].to_vec();
            for (child, value) in [
                (stumps.left[split] as usize, stumps.left_value[split]),
                (stumps.right[split] as usize, stumps.right_value[split]),
            ] {
                node[child * p..(child + 1) * p].copy_from_slice(&above);
                node[child * p + stumps.feature[split] as usize] += fit.stump[split] * value;
            }
        }
        for (row, &leaf) in leaves.iter().enumerate() {
            let leaf = stumps.leaf_of_tree_node[leaf as usize] as usize + stumps.n_splits();
            let of_row = &mut scores[row * p..(row + 1) * p];
            for (score, at_leaf) in of_row.iter_mut().zip(&node[leaf * p..(leaf + 1) * p]) {
                *score += at_leaf;
            }
            for (column, slope) in basis.raw.iter().zip(&fit.raw) {
                let feature = column.feature as usize;
                of_row[feature] += slope * column.value(self.x.get(row, feature));
            }
        }
    }

    /// The same for the ridge penalties of MDI+, which are judged by leaving rows out: the choice
    /// shows in the importances. Strengths that do not rise are all measured.
    fn compare_ridge(&self) -> Result<Value> {
        let codes: Vec<u32> = self.y.iter().map(|&code| code as u32).collect();
        let response = response(self.y, &codes, self.classes);
        let options = MdiPlusOptions::for_response(&response);
        let MdiPlusPenalty::Ridge { alphas } = &options.penalty else {
            return Err(Error::Data("MDI+ has another penalty than ridge by default".into()));
        };
        let falling = alphas.iter().rev().copied().collect();
        let exhaustive = options.clone().with_penalty(MdiPlusPenalty::Ridge { alphas: falling });
        let set = TrainingSet::new(self.x, response);
        let groups = Groups::singles(self.x.cols());
        let mut scores = [vec![0.0; self.x.cols()], vec![0.0; self.x.cols()]];
        let mut trees = Vec::new();
        for index in 0..self.forest.trees.len() {
            let one =
                Ensemble { trees: vec![self.forest.trees[index].clone()], ..self.forest.clone() };
            let mut found = Vec::new();
            let mut taken = Vec::new();
            for (options, scores) in [&options, &exhaustive].into_iter().zip(&mut scores) {
                let (importances, seconds) =
                    timed(|| mdi_plus(&one, &set, &groups, options, &Silent));
                let values = importances?.values;
                scores.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
                found.push(values);
                taken.push(seconds);
            }
            let [_, apart] = difference(&found[0], &found[1]);
            trees.push(json!({
                "tree": index, "same": apart <= SAME_IMPORTANCES, "behind": 0.0,
                "seconds": taken[0], "full_seconds": taken[1],
            }));
        }
        let [largest, apart] = difference(&scores[0], &scores[1]);
        Ok(json!({ "preset": "MDI+ ridge", "trees": trees, "largest": largest, "apart": apart }))
    }
}

/// What two searches of one tree chose. `behind` is by how much the error of the choice exceeds the
/// smallest, as a share of the error of the strongest penalty.
fn comparison(
    index: usize,
    ours: &GlmFit,
    full: &GlmFit,
    seconds: f64,
    full_seconds: f64,
) -> Value {
    let same = ours.chosen == full.chosen;
    let behind = match (&full.search, ours.chosen, full.chosen) {
        (Some(search), Some(ours), Some(full)) if !same => {
            let error = |wanted: Candidate| {
                let at = search.candidates.iter().position(|&candidate| candidate == wanted);
                at.map_or(f64::NAN, |at| search.mean_error(at))
            };
            (error(ours) - error(full)) / search.mean_error(search.path(full.l1_ratio)[0])
        }
        _ => 0.0,
    };
    json!({
        "tree": index, "same": same, "behind": behind,
        "seconds": seconds, "full_seconds": full_seconds,
        "chosen": ours.chosen.map(described), "full_chosen": full.chosen.map(described),
        "converged": ours.converged,
    })
}

fn described(candidate: Candidate) -> Value {
    let strength = match candidate.strength {
        Strength::Alpha(strength) | Strength::Inverse(strength) => strength,
    };
    json!([strength, candidate.l1_ratio])
}

/// The largest absolute difference as a share of the largest number, and the distance as a share of
/// the second's length.
fn difference(ours: &[f64], full: &[f64]) -> [f64; 2] {
    let (mut largest, mut biggest, mut square, mut length) = (0.0_f64, 0.0_f64, 0.0, 0.0);
    for (a, b) in ours.iter().zip(full) {
        largest = largest.max((a - b).abs());
        biggest = biggest.max(b.abs());
        square += (a - b) * (a - b);
        length += b * b;
    }
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    [share(largest, biggest), share(square, length).sqrt()]
}

/// What `work` makes, and the processor seconds that it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = lmdi_bench::scheduled_seconds();
    let made = work();
    (made, lmdi_bench::scheduled_seconds() - start)
}

fn response<'r>(y: &'r [f64], codes: &'r [u32], classes: bool) -> Response<'r> {
    if classes { Response::Classes { codes, n_classes: 2 } } else { Response::Numeric(y) }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [train, y, kind, leaf, trees, presets @ ..] = arguments.as_slice() else {
        return Err(Error::Data("expected TRAIN RESPONSE KIND LEAF TREES".into()));
    };
    let number = |text: &String| {
        text.parse::<usize>().map_err(|_| Error::Data(format!("{text:?} is no whole number")))
    };
    let classes = kind == "classes";
    let train = lmdi_bench::read_matrix(Path::new(train))?;
    let y = lmdi_bench::read_matrix(Path::new(y))?.cells;
    let x = MatrixView::from_rows(&train.cells, train.rows, train.cols)?;
    let codes: Vec<u32> = y.iter().map(|&code| code as u32).collect();
    let names: Vec<String> = (0..train.cols).map(|column| format!("x{column}")).collect();
    let labels = if classes { vec!["0".to_string(), "1".to_string()] } else { Vec::new() };
    let set = TrainingSet {
        x,
        y: response(&y, &codes, classes),
        weights: None,
        feature_names: &names,
        labels: &labels,
    };
    let (params, tried) = if classes {
        (ForestParams::classification(), MaxFeatures::Sqrt)
    } else {
        (ForestParams::regression(), MaxFeatures::Fraction(0.33))
    };
    let params = params
        .with_n_trees(number(trees)?)
        .with_min_samples_leaf(number(leaf)?)
        .with_max_features(tried);
    let forest = train_forest(&set, &params, &Silent)?;
    let sample = Sample {
        x,
        y: &y,
        classes,
        router: Router::new(&forest),
        forest,
        fold: if classes {
            stratified_folds(&codes, FOLDS)
        } else {
            contiguous_folds(y.len(), FOLDS)
        },
    };
    let wanted = |name: &str| presets.is_empty() || presets.iter().any(|preset| preset == name);
    let mut printed: Vec<Value> = Preset::ALL
        .into_iter()
        .filter(|preset| wanted(preset.name()))
        .map(|preset| sample.compare(preset))
        .collect();
    if wanted("MDI+ ridge") {
        printed.push(sample.compare_ridge()?);
    }
    println!("{}", Value::Array(printed));
    Ok(())
}
