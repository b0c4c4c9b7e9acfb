//! How many rows have each value, in bins that fit the steps of the values.
//!
//! Values are often multiples of a step: integers, halves, prices in hundreds, weeks. Bins that
//! hold sometimes one of these and sometimes two would look like a comb that is not in the data. So
//! the width of a bin is a multiple of the step, and its ends lie between two values.

/// Counts of values in bins of one length.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Histogram {
    /// Where the first bin starts.
    pub start: f64,
    /// How long each is.
    pub length: f64,
    pub counts: Vec<usize>,
}

/// The share of different values that must lie on a step for bins to follow it.
const ON_STEP: f64 = 0.8;

impl Histogram {
    /// Counts finite values in at most about `most` bins.
    pub fn new(values: &[f64], most: usize) -> Self {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else {
            return Self { start: 0.0, length: 1.0, counts: vec![] };
        };
        let span = high - low;
        if !(span > 0.0 && span.is_finite()) {
            let length = (low.abs() * 0.02).max(f64::MIN_POSITIVE);
            return Self { start: low - length / 2.0, length, counts: vec![sorted.len()] };
        }
        let (start, length) = match step_of(&sorted) {
            Some(step) => {
                let per_bin = (span / step / most as f64).ceil().max(1.0);
                ((low / step).round() * step - step / 2.0, per_bin * step)
            }
            None => (low, span / most as f64),
        };
        let bins = ((high - start) / length) as usize + 1;
        let mut counts = vec![0; bins];
        for value in &sorted {
            counts[(((value - start) / length).max(0.0) as usize).min(bins - 1)] += 1;
        }
        // The largest value of a scale without steps ends the last bin.
        if length * (bins - 1) as f64 >= high - start && bins > 1 && step_of(&sorted).is_none() {
            let last = counts.pop().unwrap_or(0);
            if let Some(before) = counts.last_mut() {
                *before += last;
            }
        }
        Self { start, length, counts }
    }
}

/// The step that values of a column are multiples of; none where they have no step worth following.
fn step_of(sorted: &[f64]) -> Option<f64> {
    let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
    let mut different = sorted.to_vec();
    different.dedup();
    let share_on = |step: f64| {
        let is_on = |x: &&f64| (*x / step - (*x / step).round()).abs() < 1e-4;
        different.iter().filter(is_on).count() as f64 / different.len() as f64
    };
    // The longest round step that most of them lie on.
    let power = (high - low).log10().floor() as i32;
    let steps = (power - 5..=power)
        .rev()
        .flat_map(|power| [5.0, 2.5, 2.0, 1.0].map(|factor: f64| factor * 10_f64.powi(power)));
    let round = steps.filter(|step| *step < high - low).find(|&step| share_on(step) >= ON_STEP);
    // The smallest gap, where all are multiples of it, such as the seven days of a week.
    let gaps = different.windows(2).map(|pair| pair[1] - pair[0]);
    let gap = gaps.fold(f64::INFINITY, f64::min);
    let gap = (gap > 1e-5 * (high - low) && share_on(gap) >= 1.0).then_some(gap);
    match (round, gap) {
        (Some(round), Some(gap)) => Some(round.max(gap)),
        (round, gap) => round.or(gap),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every full bin of evenly spread values holds as many of them.
    fn is_even(values: &[f64]) -> bool {
        let counts = Histogram::new(values, 60).counts;
        assert_eq!(counts.iter().sum::<usize>(), values.len());
        let inner = &counts[1..counts.len() - 1];
        inner.iter().all(|count| *count == inner[0])
    }

    #[test]
    fn stepped_values_have_no_false_comb() {
        for (step, n) in [(1.0, 91), (100.0, 103), (0.5, 140), (0.05, 333), (7.0, 77), (12.0, 200)]
        {
            let values: Vec<f64> = (0..n).map(|at| f64::from(at) * step).collect();
            assert!(is_even(&values), "steps of {step}: {:?}", Histogram::new(&values, 60).counts);
            let moved: Vec<f64> = values.iter().map(|x| x + 2000.0 * step).collect();
            assert!(is_even(&moved), "steps of {step} from {}", moved[0]);
        }
        // Most rows have none of something, the others any amount.
        let mut gains = vec![0.0; 900];
        gains.extend((0..100).map(|at| f64::from(at) * 37.3));
        assert!(Histogram::new(&gains, 60).counts.len() > 30);
        // Ages in years, of which few are halves.
        let ages: Vec<f64> =
            (0..80).flat_map(|age| [f64::from(age); 10]).chain([3.5, 20.5]).collect();
        let counts = Histogram::new(&ages, 60).counts;
        let inner = &counts[1..counts.len() - 2];
        let (least, most) = (inner.iter().min().unwrap_or(&0), inner.iter().max().unwrap_or(&0));
        assert!(most - least <= 1, "{counts:?}");
    }

    #[test]
    fn anything_can_be_counted() {
        for values in
            [&[][..], &[5.0], &[f64::NAN, 1.0], &[-1e300, 1e300], &[1e-300, 2e-300, 7e-300]]
        {
            let found = Histogram::new(values, 60);
            let finite = values.iter().filter(|x| x.is_finite()).count();
            assert_eq!(found.counts.iter().sum::<usize>(), finite, "{values:?}");
            assert!(found.counts.len() <= 62 && found.length > 0.0, "{found:?}");
        }
        let spread: Vec<f64> = (0..1000).map(|x| (f64::from(x) * 0.618_034).fract()).collect();
        let found = Histogram::new(&spread, 60);
        assert!((55..=62).contains(&found.counts.len()), "{}", found.counts.len());
        assert!(found.counts.iter().all(|count| *count > 5));
    }
}
