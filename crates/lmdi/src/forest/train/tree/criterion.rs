//! What the split search maximises, for one node at a time.
//!
//! Splitting a node of weight W into sides of weight L and R decreases the weighted impurity by an
//! amount that, up to terms equal for all splits of the node, is
//!
//! | criterion | score of a split |
//! |---|---|
//! | squared error | s² / (L R), s = sum over the left side of w (y - node mean) |
//! | Gini, two classes | the same with y = 1 for the second class |
//! | Gini | sum over classes of l² / L + r² / R |
//! | entropy | sum over classes of l ln(l / L) + r ln(r / R) |
//! | Poisson | l ln(l / L) + r ln(r / R), l and r the sums of w y |
//!
//! Subtracting the node mean first needs one multiplication instead of two divisions per candidate
//! and loses no digits when the responses share a large offset.

use crate::table::Response;

/// Sums of at most this are zero up to rounding, as in scikit-learn.
pub(crate) const EPSILON: f64 = 10.0 * f64::EPSILON;

/// Weight, mean and impurity of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeStats {
    /// Sum of the weights of the rows.
    pub(crate) weight: f64,
    /// Weighted mean of the response; with classes, the share of the second class.
    pub(crate) mean: f64,
    /// Impurity in the units of the criterion.
    pub(crate) impurity: f64,
}

/// The response of the rows, under one criterion.
pub(crate) trait NodeTarget: Sync {
    /// Scores candidate splits of one node.
    type Scorer: Scorer;

    /// Length of a node's value.
    fn n_values(&self) -> usize;

    /// Weight, mean and impurity of a node with these rows.
    fn stats(&self, rows: &[u32]) -> NodeStats;

    /// Appends the value of the node to `values`.
    fn push_value(&self, rows: &[u32], stats: &NodeStats, values: &mut Vec<f64>);

    /// Prepares the scorer for the node with these rows.
    fn prepare(&self, scorer: &mut Self::Scorer, rows: &[u32], stats: &NodeStats);
}

/// Scores candidate splits of one node. Rows are named by their position in the node.
pub(crate) trait Scorer: Default + Sync + Send {
    /// What is known of the left side of a candidate.
    type Side: Default + Send;
    /// What rows of one rank add to a side.
    type Bucket: Copy + Default + Send;
    /// Whether buckets can be used.
    const BUCKETS: bool;

    /// Empties the left side.
    fn clear(&self, side: &mut Self::Side);
    /// Moves a row to the left side.
    fn add(&self, side: &mut Self::Side, position: usize);
    /// Adds a row to a bucket.
    fn fill(&self, bucket: &mut Self::Bucket, position: usize);
    /// A bucket of those of the first `n_rows` rows that `is_in` names, added in their order.
    fn sum_where(&self, is_in: impl Fn(usize) -> bool, n_rows: usize) -> Self::Bucket {
        let mut bucket = Self::Bucket::default();
        (0..n_rows).filter(|&row| is_in(row)).for_each(|row| self.fill(&mut bucket, row));
        bucket
    }

    /// Moves the rows of a bucket to the left side.
    fn add_bucket(&self, side: &mut Self::Side, bucket: &Self::Bucket);
    /// Rows in a bucket.
    fn rows_in(bucket: &Self::Bucket) -> usize;
    /// Whether the score may be above `best`; a quick test that never misses.
    fn may_beat(&self, side: &Self::Side, best: f64) -> bool;
    /// The score of the candidate, minus infinity if it is not allowed.
    fn score(&self, side: &Self::Side) -> f64;
    /// The score of a split whose sides are both pure, which no other split exceeds.
    fn of_pure_sides(&self) -> f64;
}

/// How a pair of sums (response, weight) is scored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PairRule {
    /// Squared error, or Gini impurity of two classes.
    #[default]
    Squares,
    /// Poisson deviance.
    Poisson,
    /// Entropy of two classes.
    Entropy,
}

/// A response that needs one number per row: regression, or two classes as 0 and 1.
pub(crate) struct PairTarget<'a> {
    /// The response of each row.
    pub(crate) y: &'a [f64],
    /// The weight of each row, 0 for rows out of the bag.
    pub(crate) weights: &'a [f64],
    /// The criterion.
    pub(crate) rule: PairRule,
    /// Two classes: nodes hold both class shares.
    pub(crate) classes: bool,
}

impl NodeTarget for PairTarget<'_> {
    type Scorer = PairScorer;

    fn n_values(&self) -> usize {
        if self.classes { 2 } else { 1 }
    }

    fn stats(&self, rows: &[u32]) -> NodeStats {
        let (mut sum, mut weight) = (0.0, 0.0);
        for &row in rows {
            let w = self.weights[row as usize];
            sum += w * self.y[row as usize];
            weight += w;
        }
        let mean = sum / weight;
        let impurity = match self.rule {
            PairRule::Squares if self.classes => {
                let other = 1.0 - mean;
                1.0 - mean * mean - other * other
            }
            PairRule::Squares => {
                let mut squares = 0.0;
                for &row in rows {
                    let distance = self.y[row as usize] - mean;
                    squares += self.weights[row as usize] * distance * distance;
                }
                squares / weight
            }
            PairRule::Entropy => bits(mean) + bits(1.0 - mean),
            PairRule::Poisson if sum <= EPSILON => f64::INFINITY,
            PairRule::Poisson => {
                let mut deviance = 0.0;
                for &row in rows {
                    let y = self.y[row as usize];
                    if y > 0.0 {
                        deviance += self.weights[row as usize] * y * libm::log(y / mean);
                    }
                }
                deviance / weight
            }
        };
        NodeStats { weight, mean, impurity }
    }

    fn push_value(&self, _rows: &[u32], stats: &NodeStats, values: &mut Vec<f64>) {
        if self.classes {
            values.push(1.0 - stats.mean);
        }
        values.push(stats.mean);
    }

    fn prepare(&self, scorer: &mut PairScorer, rows: &[u32], stats: &NodeStats) {
        let centre = if self.rule == PairRule::Squares { stats.mean } else { 0.0 };
        scorer.rule = self.rule;
        scorer.rows.clear();
        scorer.rows.extend(rows.iter().map(|&row| {
            let w = self.weights[row as usize];
            [w * (self.y[row as usize] - centre), w]
        }));
        scorer.sum = stats.mean * stats.weight;
        scorer.weight = stats.weight;
        scorer.of_pure_sides = match self.rule {
            // The Gini impurity of two classes is twice the variance of their indicator.
            PairRule::Squares if self.classes => stats.impurity / 2.0,
            PairRule::Squares => stats.impurity,
            PairRule::Entropy => 0.0,
            PairRule::Poisson => stats.weight * stats.impurity + scorer.sum * libm::log(stats.mean),
        };
    }
}

/// Scorer of a [`PairTarget`]; `rows` holds (w y, w) by position.
#[derive(Default)]
pub(crate) struct PairScorer {
    rule: PairRule,
    rows: Vec<[f64; 2]>,
    sum: f64,
    weight: f64,
    of_pure_sides: f64,
}

/// Sum of w y and of w over the left side.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pair {
    sum: f64,
    weight: f64,
}

impl Scorer for PairScorer {
    type Side = Pair;
    type Bucket = [f64; 3];
    const BUCKETS: bool = true;

    fn clear(&self, side: &mut Pair) {
        *side = Pair::default();
    }

    #[inline]
    fn add(&self, side: &mut Pair, position: usize) {
        let [sum, weight] = self.rows[position];
        side.sum += sum;
        side.weight += weight;
    }

    #[inline]
    fn fill(&self, bucket: &mut [f64; 3], position: usize) {
        let [sum, weight] = self.rows[position];
        bucket[0] += sum;
        bucket[1] += weight;
        bucket[2] += 1.0;
    }

    #[inline]
    fn sum_where(&self, is_in: impl Fn(usize) -> bool, n_rows: usize) -> [f64; 3] {
        let (mut bucket, mut rows_in) = ([0.0; 3], 0);
        // Zeros are added for the other rows, which changes no sum: a branch could not be foreseen.
        for (position, &[sum, weight]) in self.rows[..n_rows].iter().enumerate() {
            let is_in = is_in(position);
            bucket[0] += if is_in { sum } else { 0.0 };
            bucket[1] += if is_in { weight } else { 0.0 };
            rows_in += usize::from(is_in);
        }
        bucket[2] = rows_in as f64;
        bucket
    }

    #[inline]
    fn add_bucket(&self, side: &mut Pair, bucket: &[f64; 3]) {
        side.sum += bucket[0];
        side.weight += bucket[1];
    }

    fn rows_in(bucket: &[f64; 3]) -> usize {
        bucket[2] as usize
    }

    #[inline]
    fn may_beat(&self, side: &Pair, best: f64) -> bool {
        match self.rule {
            PairRule::Squares => {
                side.sum * side.sum > best * (side.weight * (self.weight - side.weight))
            }
            _ => self.score(side) > best,
        }
    }

    fn score(&self, side: &Pair) -> f64 {
        let right = Pair { sum: self.sum - side.sum, weight: self.weight - side.weight };
        if side.weight <= 0.0 || right.weight <= 0.0 {
            return f64::NEG_INFINITY;
        }
        match self.rule {
            PairRule::Squares => side.sum * side.sum / (side.weight * right.weight),
            PairRule::Poisson if side.sum <= EPSILON || right.sum <= EPSILON => f64::NEG_INFINITY,
            PairRule::Poisson => {
                side.sum * libm::log(side.sum / side.weight)
                    + right.sum * libm::log(right.sum / right.weight)
            }
            PairRule::Entropy => [side, &right]
                .iter()
                .map(|s| nats(s.sum, s.weight) + nats(s.weight - s.sum, s.weight))
                .sum(),
        }
    }

    fn of_pure_sides(&self) -> f64 {
        self.of_pure_sides
    }
}

/// Three or more classes.
pub(crate) struct ClassTarget<'a> {
    /// The class of each row.
    pub(crate) codes: &'a [u32],
    /// Number of classes.
    pub(crate) n_classes: usize,
    /// The weight of each row, 0 for rows out of the bag.
    pub(crate) weights: &'a [f64],
    /// Entropy rather than Gini impurity.
    pub(crate) entropy: bool,
}

impl ClassTarget<'_> {
    fn class_weights(&self, rows: &[u32]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_classes];
        for &row in rows {
            sums[self.codes[row as usize] as usize] += self.weights[row as usize];
        }
        sums
    }
}

impl NodeTarget for ClassTarget<'_> {
    type Scorer = ClassScorer;

    fn n_values(&self) -> usize {
        self.n_classes
    }

    fn stats(&self, rows: &[u32]) -> NodeStats {
        let sums = self.class_weights(rows);
        let weight: f64 = sums.iter().sum();
        let shares = sums.iter().map(|sum| sum / weight);
        let impurity = if self.entropy {
            shares.map(bits).sum()
        } else {
            1.0 - shares.map(|share| share * share).sum::<f64>()
        };
        NodeStats { weight, mean: sums[1] / weight, impurity }
    }

    fn push_value(&self, rows: &[u32], stats: &NodeStats, values: &mut Vec<f64>) {
        values.extend(self.class_weights(rows).iter().map(|sum| sum / stats.weight));
    }

    fn prepare(&self, scorer: &mut ClassScorer, rows: &[u32], stats: &NodeStats) {
        scorer.entropy = self.entropy;
        scorer.rows.clear();
        scorer
            .rows
            .extend(rows.iter().map(|&row| (self.codes[row as usize], self.weights[row as usize])));
        scorer.sums = self.class_weights(rows);
        scorer.weight = stats.weight;
    }
}

/// Scorer of a [`ClassTarget`]; `rows` holds (class, weight) by position.
#[derive(Default)]
pub(crate) struct ClassScorer {
    entropy: bool,
    rows: Vec<(u32, f64)>,
    sums: Vec<f64>,
    weight: f64,
}

impl Scorer for ClassScorer {
    /// Weight of each class on the left side, and of all classes.
    type Side = (Vec<f64>, f64);
    type Bucket = ();
    const BUCKETS: bool = false;

    fn clear(&self, side: &mut Self::Side) {
        side.0.clear();
        side.0.resize(self.sums.len(), 0.0);
        side.1 = 0.0;
    }

    #[inline]
    fn add(&self, side: &mut Self::Side, position: usize) {
        let (class, weight) = self.rows[position];
        side.0[class as usize] += weight;
        side.1 += weight;
    }

    fn fill(&self, _bucket: &mut (), _position: usize) {}

    fn add_bucket(&self, _side: &mut Self::Side, _bucket: &()) {}

    fn rows_in(_bucket: &()) -> usize {
        0
    }

    fn may_beat(&self, side: &Self::Side, best: f64) -> bool {
        self.score(side) > best
    }

    fn score(&self, (left, left_weight): &Self::Side) -> f64 {
        let right_weight = self.weight - left_weight;
        if *left_weight <= 0.0 || right_weight <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let (mut of_left, mut of_right) = (0.0, 0.0);
        for (&l, &total) in left.iter().zip(&self.sums) {
            let r = total - l;
            if self.entropy {
                of_left += nats(l, *left_weight);
                of_right += nats(r, right_weight);
            } else {
                of_left += l * l;
                of_right += r * r;
            }
        }
        if self.entropy {
            of_left + of_right
        } else {
            of_left / left_weight + of_right / right_weight
        }
    }

    fn of_pure_sides(&self) -> f64 {
        if self.entropy { 0.0 } else { self.weight }
    }
}

/// `-p log2(p)`, 0 at 0.
fn bits(share: f64) -> f64 {
    if share > 0.0 { -share * libm::log(share) / std::f64::consts::LN_2 } else { 0.0 }
}

/// `part ln(part / whole)`, 0 at 0.
fn nats(part: f64, whole: f64) -> f64 {
    if part > 0.0 { part * libm::log(part / whole) } else { 0.0 }
}

/// Two classes as the numbers 0 and 1.
pub(crate) fn indicators(codes: &[u32]) -> Vec<f64> {
    codes.iter().map(|&code| f64::from(code)).collect()
}

/// Number of values a node has under this response.
pub(crate) fn n_outputs(y: &Response) -> usize {
    match y {
        Response::Numeric(_) => 1,
        Response::Classes { n_classes, .. } => *n_classes,
    }
}
