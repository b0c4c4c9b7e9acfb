//! Shapley values from their definition: every set of features is valued, and all are weighed.

use lmdi::forest::{Aggregation, Ensemble, Link, Outcome, Tree};

/// The game of one row: what each set of features (bit i for feature i) is worth, one number an
/// explained output.
pub struct Game {
    pub p: usize,
    pub k: usize,
    worth: Vec<f64>,
}

/// The first explained output: of the shares of two classes the second is explained.
pub fn first_output(ensemble: &Ensemble) -> usize {
    let shares = ensemble.link == Link::Identity && ensemble.n_outputs == 2;
    usize::from(shares && matches!(ensemble.outcome, Outcome::Classes(_)))
}

fn share_of_left(tree: &Tree, node: usize) -> f64 {
    let weight = |child: u32| tree.weight[child as usize];
    let (left, right) = (weight(tree.left[node]), weight(tree.right[node]));
    if left + right == 0.0 { 0.5 } else { left / (left + right) }
}

/// The expected value of a tree when the features of `known` are those of the row.
fn expectation(tree: &Tree, node: usize, row: &[f64], known: usize, value: usize) -> f64 {
    if tree.is_leaf(node) {
        return tree.value_of(node)[value];
    }
    let of = |child: u32| expectation(tree, child as usize, row, known, value);
    let feature = tree.feature[node] as usize;
    if known >> feature & 1 == 1 {
        let left = tree.goes_left(node, row[feature]);
        return of(if left { tree.left[node] } else { tree.right[node] });
    }
    let share = share_of_left(tree, node);
    share * of(tree.left[node]) + (1.0 - share) * of(tree.right[node])
}

fn raw(ensemble: &Ensemble, output: usize, of_tree: impl Fn(&Tree, usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for (index, tree) in ensemble.trees.iter().enumerate() {
        match ensemble.output_of_tree.get(index) {
            None => sum += of_tree(tree, output),
            Some(&of) if of as usize == output => sum += of_tree(tree, 0),
            Some(_) => {}
        }
    }
    ensemble.base_score[output]
        + match ensemble.aggregation {
            Aggregation::Mean => sum / ensemble.trees.len() as f64,
            Aggregation::Sum { learning_rate } => sum * learning_rate,
        }
}

impl Game {
    fn new(ensemble: &Ensemble, worth_of: impl Fn(usize, usize) -> f64) -> Self {
        let p = ensemble.n_features();
        let first = first_output(ensemble);
        let k = ensemble.n_outputs - first;
        let worth = (0..1 << p).flat_map(|set| (first..first + k).map(move |output| (set, output)));
        Self { p, k, worth: worth.map(|(set, output)| worth_of(set, output)).collect() }
    }

    /// Unknown features follow both children by their shares of the weight.
    pub fn path_dependent(ensemble: &Ensemble, row: &[f64]) -> Self {
        Self::new(ensemble, |set, output| {
            raw(ensemble, output, |tree, value| expectation(tree, 0, row, set, value))
        })
    }

    /// Unknown features are those of the background rows, in the mean.
    pub fn interventional(ensemble: &Ensemble, row: &[f64], background: &[Vec<f64>]) -> Self {
        Self::new(ensemble, |set, output| {
            let mixed = |other: &Vec<f64>| -> Vec<f64> {
                let cell = |i: usize| if set >> i & 1 == 1 { row[i] } else { other[i] };
                (0..row.len()).map(cell).collect()
            };
            let of = |other: &Vec<f64>| {
                let mixed = mixed(other);
                raw(ensemble, output, |tree, value| tree.value_of(tree.leaf_of(&mixed))[value])
            };
            background.iter().map(of).sum::<f64>() / background.len() as f64
        })
    }

    pub fn worth(&self, set: usize, output: usize) -> f64 {
        self.worth[set * self.k + output]
    }

    pub fn score(&self, feature: usize, output: usize) -> f64 {
        let bit = 1 << feature;
        (0..1 << self.p)
            .filter(|set| set & bit == 0)
            .map(|set: usize| {
                let gain = self.worth(set | bit, output) - self.worth(set, output);
                gain * weight(set.count_ones(), self.p as u32 - 1)
            })
            .sum()
    }

    /// Half the interaction index; of a feature with itself what is left of its score.
    pub fn interaction(&self, a: usize, b: usize, output: usize) -> f64 {
        if a == b {
            let others = (0..self.p).filter(|&other| other != a);
            return self.score(a, output)
                - others.map(|other| self.interaction(a, other, output)).sum::<f64>();
        }
        let (bit_a, bit_b) = (1 << a, 1 << b);
        (0..1 << self.p)
            .filter(|set| set & (bit_a | bit_b) == 0)
            .map(|set: usize| {
                let worth = |more: usize| self.worth(set | more, output);
                let gain = worth(bit_a | bit_b) - worth(bit_a) - worth(bit_b) + worth(0);
                0.5 * gain * weight(set.count_ones(), self.p as u32 - 2)
            })
            .sum()
    }
}

/// `s! (n - s)! / (n + 1)!`: one over (n + 1) times the number of sets of s among n.
fn weight(s: u32, n: u32) -> f64 {
    let sets = (0..s).fold(1.0, |sets, i| sets * f64::from(n - i) / f64::from(i + 1));
    1.0 / (sets * f64::from(n + 1))
}
