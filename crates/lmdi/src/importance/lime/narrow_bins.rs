//! Cells of narrow bins, many at a time.
//!
//! A cell of a narrow bin tries pairs of uniform numbers (u, v) until one is accepted: with
//! `z = low + (high - low) u`, the one with `v < exp(-z^2 / 2)` ([`super::cut_normal`]). Which cell a
//! pair is for depends on the pairs before it, but there are few bins: pairs are tried for all of
//! them, side by side, and then handed out. What remains to do one after the other is to look up a bit.
//!
//! The exponential is approximated; pairs that are too close to it to tell are looked at exactly. So
//! cells are the same numbers, from the same place of the generator, as if they were drawn one by one.

use super::background::Bin;
use super::cut_normal::{NARROW, is_below_density};
use crate::random::{Generator, unit};
use crate::vectorised::{Vectorised, vectorised};

/// Most bins of a column for which it pays to try all of them.
const MOST_BINS: usize = 8;

/// Pairs tried at a time.
const PAIRS: usize = 64;

/// More than the error of the approximation below, which is at most 3e-6.
const IN_DOUBT: f64 = 1e-5;

/// The bins of a column, if they are few and narrow.
pub(super) struct NarrowBins<'b> {
    bins: &'b [Bin],
}

impl<'b> NarrowBins<'b> {
    pub(super) fn new(bins: &'b [Bin]) -> Option<Self> {
        let is_narrow = |bin: &Bin| bin.high - bin.low < NARROW;
        (bins.len() <= MOST_BINS && bins.iter().all(is_narrow)).then_some(Self { bins })
    }

    /// Draws the cells that go with the codes; a code after the last bin's is a missing cell.
    pub(super) fn fill(&self, random: &mut Generator, codes: &[u32], cells: &mut [f64]) {
        let bins = self.bins;
        // Cells that need a number, and their bins.
        let (mut open, mut bin_of) = (Vec::with_capacity(codes.len()), Vec::new());
        for (at, (&code, cell)) in codes.iter().zip(&mut *cells).enumerate() {
            match bins.get(code as usize) {
                None => *cell = f64::NAN,
                Some(bin) if bin.high == bin.low => *cell = bin.mean,
                Some(_) => {
                    open.push(at);
                    bin_of.push(code as u8);
                }
            }
        }
        let mut pairs = Pairs { u: [0.0; PAIRS], v: [0.0; PAIRS] };
        let mut next = 0;
        while next < open.len() {
            for at in 0..PAIRS {
                pairs.u[at] = unit(random);
                pairs.v[at] = unit(random);
            }
            let accepted = pairs.try_all(bins);
            for (u, accepted) in pairs.u.iter().zip(accepted) {
                let Some(&code) = bin_of.get(next) else { break };
                let Bin { mean, spread, low, high } = bins[code as usize];
                // Written again until a pair is accepted: whether one is cannot be foreseen.
                cells[open[next]] = mean + spread * (low + (high - low) * u);
                next += usize::from((accepted >> code) & 1 == 1);
            }
        }
    }
}

struct Pairs {
    u: [f64; PAIRS],
    v: [f64; PAIRS],
}

impl Pairs {
    /// Whether each pair is accepted by each bin, a bit per bin.
    fn try_all(&self, bins: &[Bin]) -> [u64; PAIRS] {
        let (mut accepted, mut in_doubt) = ([0; PAIRS], [0; PAIRS]);
        vectorised(TryAll { pairs: self, bins, accepted: &mut accepted, in_doubt: &mut in_doubt });
        if in_doubt.iter().any(|&bits| bits != 0) {
            for at in (0..PAIRS).filter(|&at| in_doubt[at] != 0) {
                for (bit, bin) in bins.iter().enumerate() {
                    let z = bin.low + (bin.high - bin.low) * self.u[at];
                    let is_below = is_below_density(self.v[at], 0.5 * z * z);
                    accepted[at] = accepted[at] & !(1 << bit) | u64::from(is_below) << bit;
                }
            }
        }
        accepted
    }
}

struct TryAll<'t> {
    pairs: &'t Pairs,
    bins: &'t [Bin],
    accepted: &'t mut [u64; PAIRS],
    in_doubt: &'t mut [u64; PAIRS],
}

impl Vectorised for TryAll<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { pairs: Pairs { u, v }, bins, accepted, in_doubt } = self;
        for (bit, bin) in bins.iter().enumerate() {
            let (low, width) = (bin.low, bin.high - bin.low);
            for at in 0..PAIRS {
                let z = low + width * u[at];
                let density = approximate_density(0.5 * z * z);
                accepted[at] |= u64::from(v[at] < density) << bit;
                in_doubt[at] |= u64::from((v[at] - density).abs() <= IN_DOUBT) << bit;
            }
        }
    }
}

/// exp(-h) for h from 0 to 8: the 16th power of the first terms of exp(-h / 16).
#[inline(always)]
fn approximate_density(h: f64) -> f64 {
    let x = h * (1.0 / 16.0);
    let root = 1.0 - x * (1.0 - x * (1.0 / 2.0 - x * (1.0 / 6.0 - x * (1.0 / 24.0))));
    let square = root * root;
    let fourth = square * square;
    let eighth = fourth * fourth;
    eighth * eighth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, generator};

    #[test]
    fn many_at_a_time_are_the_same_as_one_by_one() {
        for seed in 0..300 {
            let mut random = generator(seed, 0);
            let bins: Vec<Bin> = (0..1 + seed as usize % MOST_BINS)
                .map(|bin| {
                    // Some bins hold a single value.
                    let (low, high) = match (bin + seed as usize) % 5 {
                        0 => (0.0, 0.0),
                        _ => (-1.9 * unit(&mut random), 1.9 * unit(&mut random)),
                    };
                    Bin { mean: 10.0 * unit(&mut random), spread: unit(&mut random), low, high }
                })
                .collect();
            let n = below(&mut random, 500);
            let codes: Vec<u32> =
                (0..n).map(|_| below(&mut random, bins.len() + 1) as u32).collect();
            let mut found = vec![0.0; n];
            let narrow = NarrowBins::new(&bins).expect("few narrow bins");
            narrow.fill(&mut generator(seed, 1), &codes, &mut found);
            let mut random = generator(seed, 1);
            for (found, &code) in found.iter().zip(&codes) {
                let expected =
                    bins.get(code as usize).map_or(f64::NAN, |bin| bin.draw(&mut random));
                assert_eq!(found.to_bits(), expected.to_bits(), "seed {seed}");
            }
        }
    }

    #[test]
    fn the_approximation_is_closer_than_doubt() {
        for step in 0..=80_000 {
            let h = f64::from(step) * 1e-4;
            let off = (approximate_density(h) - libm::exp(-h)).abs();
            assert!(off < 0.5 * IN_DOUBT, "{h}: {off}");
        }
    }

    #[test]
    fn wide_or_many_bins_are_left_alone() {
        let bin = |high: f64| Bin { mean: 0.0, spread: 1.0, low: -1.0, high };
        assert!(NarrowBins::new(&[bin(1.0), bin(3.5)]).is_none());
        assert!(NarrowBins::new(&[bin(1.0); MOST_BINS + 1]).is_none());
    }
}
