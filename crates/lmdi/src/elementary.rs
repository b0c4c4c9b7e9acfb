//! `exp`, `log`, `log1p` and `erf` of many numbers at once, to the bit those of the crate `libm`.
//!
//! The functions of `libm` branch on their argument, so no loop over them becomes vector
//! instructions. For the arguments that matter, its formulas are written here with choices in the
//! place of branches. If any number of a slice lies elsewhere, `libm` takes them all.

use crate::vectorised::{Vectorised, vectorised};

/// Powers of e within the range of normal numbers.
const LARGEST_EXPONENT: f64 = 700.0;

/// Numbers below this have an error function that takes no exponential.
const LARGEST_FRACTION: f64 = 1.25;

/// Numbers that are kept to look at them again.
const BLOCK: usize = 256;

const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Replaces every number by its exponential.
pub(crate) fn exp_of_all(numbers: &mut [f64]) {
    if numbers.iter().all(|x| x.abs() <= LARGEST_EXPONENT) {
        vectorised(Replace(numbers, exp));
    } else {
        numbers.iter_mut().for_each(|x| *x = libm::exp(*x));
    }
}

/// Replaces every number by its natural logarithm.
pub(crate) fn log_of_all(numbers: &mut [f64]) {
    if numbers.iter().all(|x| (f64::MIN_POSITIVE..=f64::MAX).contains(x)) {
        vectorised(Replace(numbers, log));
    } else {
        numbers.iter_mut().for_each(|x| *x = libm::log(*x));
    }
}

/// Replaces every number by the natural logarithm of one more.
pub(crate) fn log1p_of_all(numbers: &mut [f64]) {
    if numbers.iter().all(|x| x.is_sign_positive() & (0.0..=1.0).contains(x)) {
        vectorised(Replace(numbers, log1p));
    } else {
        numbers.iter_mut().for_each(|x| *x = libm::log1p(*x));
    }
}

/// Replaces every number by its error function.
pub(crate) fn erf_of_all(numbers: &mut [f64]) {
    let mut before = [0.0; BLOCK];
    for numbers in numbers.chunks_mut(BLOCK) {
        let before = &mut before[..numbers.len()];
        before.copy_from_slice(numbers);
        vectorised(Replace(numbers, erf));
        for (number, &x) in numbers.iter_mut().zip(&*before) {
            if x.is_nan() || x.abs() >= LARGEST_FRACTION {
                *number = libm::erf(x);
            }
        }
    }
}

struct Replace<'n, F>(&'n mut [f64], F);

impl<F: Fn(f64) -> f64> Vectorised for Replace<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self(numbers, of) = self;
        for number in numbers {
            *number = of(*number);
        }
    }
}

/// For numbers up to [`LARGEST_EXPONENT`] in size.
#[inline(always)]
fn exp(x: f64) -> f64 {
    // From just above half of log 2 on: where `libm`, which compares upper halves, reduces.
    const REDUCED: f64 = f64::from_bits(0x3fd6_2e43_0000_0000);
    const SMALL: f64 = f64::from_bits(0x3e30_0001_0000_0000);
    const PER_LN2: f64 = std::f64::consts::LOG2_E;
    const P: [f64; 5] = [
        1.666_666_666_666_660_2e-1,
        -2.777_777_777_701_559_3e-3,
        6.613_756_321_437_934e-5,
        -1.653_390_220_546_525_2e-6,
        4.138_136_797_057_238_5e-8,
    ];
    let times = if x.abs() < REDUCED { 0 } else { (PER_LN2 * x + 0.5_f64.copysign(x)) as i32 };
    let high = x - f64::from(times) * LN2_HIGH;
    let low = f64::from(times) * LN2_LOW;
    let rest = high - low;
    let square = rest * rest;
    let c = rest
        - square * (P[0] + square * (P[1] + square * (P[2] + square * (P[3] + square * P[4]))));
    let power = 1.0 + (rest * c / (2.0 - c) - low + high);
    let scale = f64::from_bits((i64::from(times + 1023) as u64) << 52);
    if x.abs() < SMALL { 1.0 + x } else { power * scale }
}

/// The upper half of the bits of 1 and of the square root of a half.
const ONE: u64 = 0x3ff0_0000;
const ROOT_HALF: u64 = 0x3fe6_a09e;

/// A normal number as `2^k (1 + f)` with `1 + f` between the roots of a half and of two: k and f.
#[inline(always)]
fn parts(x: f64) -> (f64, f64) {
    let bits = x.to_bits();
    let upper = (bits >> 32) + (ONE - ROOT_HALF);
    let k = (upper >> 20) as i32 - 0x3ff;
    let upper = (upper & 0x000f_ffff) + ROOT_HALF;
    (f64::from(k), f64::from_bits((upper << 32) | (bits & 0xffff_ffff)) - 1.0)
}

/// `k log 2 + log(1 + f)`, with `correction` added to the smaller terms.
#[inline(always)]
fn log_of_parts(k: f64, f: f64, correction: f64) -> f64 {
    const G: [f64; 7] = [
        6.666_666_666_666_735e-1,
        3.999_999_999_940_942e-1,
        2.857_142_874_366_239e-1,
        2.222_219_843_214_978_4e-1,
        1.818_357_216_161_805e-1,
        1.531_383_769_920_937_3e-1,
        1.479_819_860_511_658_6e-1,
    ];
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (G[1] + w * (G[3] + w * G[5]));
    let odd = z * (G[0] + w * (G[2] + w * (G[4] + w * G[6])));
    let rest = odd + even;
    s * (half_square + rest) + (k * LN2_LOW + correction) - half_square + f + k * LN2_HIGH
}

/// For positive normal numbers.
#[inline(always)]
fn log(x: f64) -> f64 {
    let (k, f) = parts(x);
    log_of_parts(k, f, 0.0)
}

/// For numbers from 0 to 1.
#[inline(always)]
fn log1p(x: f64) -> f64 {
    // From the root of two, less one, on: where `libm`, which compares upper halves, reduces.
    const REDUCED: f64 = f64::from_bits(0x3fda_827a_0000_0000);
    let sum = 1.0 + x;
    let (k, f) = parts(sum);
    let lost = (if k >= 2.0 { 1.0 - (sum - x) } else { x - (sum - 1.0) }) / sum;
    if x < REDUCED { log_of_parts(0.0, x, 0.0) } else { log_of_parts(k, f, lost) }
}

/// For numbers below [`LARGEST_FRACTION`] in size.
#[inline(always)]
fn erf(x: f64) -> f64 {
    const SMALL: f64 = 0.843_75;
    const TINY: f64 = f64::from_bits(0x3e30_0000_0000_0000);
    const EFX8: f64 = f64::from_bits(0x3ff0_6eba_8214_db69);
    const ERX: f64 = 8.450_629_115_104_675e-1;
    const PP: [f64; 5] = [
        1.283_791_670_955_125_6e-1,
        -3.250_421_072_470_015e-1,
        -2.848_174_957_559_851e-2,
        -5.770_270_296_489_442e-3,
        -2.376_301_665_665_016_3e-5,
    ];
    const QQ: [f64; 5] = [
        3.979_172_239_591_553_5e-1,
        6.502_224_998_876_73e-2,
        5.081_306_281_875_766e-3,
        1.324_947_380_043_216_4e-4,
        -3.960_228_278_775_368e-6,
    ];
    const PA: [f64; 7] = [
        -2.362_118_560_752_659_4e-3,
        4.148_561_186_837_483_3e-1,
        -3.722_078_760_357_013e-1,
        3.183_466_199_011_617_5e-1,
        -1.108_946_942_823_966_8e-1,
        3.547_830_432_561_823_6e-2,
        -2.166_375_594_868_791e-3,
    ];
    const QA: [f64; 6] = [
        1.064_208_804_008_442_3e-1,
        5.403_979_177_021_71e-1,
        7.182_865_441_419_627e-2,
        1.261_712_198_087_616_4e-1,
        1.363_708_391_202_905e-2,
        1.198_449_984_679_910_7e-2,
    ];
    let size = x.abs();
    let z = x * x;
    let r = PP[0] + z * (PP[1] + z * (PP[2] + z * (PP[3] + z * PP[4])));
    let s = 1.0 + z * (QQ[0] + z * (QQ[1] + z * (QQ[2] + z * (QQ[3] + z * QQ[4]))));
    let t = size - 1.0;
    let p = PA[0] + t * (PA[1] + t * (PA[2] + t * (PA[3] + t * (PA[4] + t * (PA[5] + t * PA[6])))));
    let q = 1.0 + t * (QA[0] + t * (QA[1] + t * (QA[2] + t * (QA[3] + t * (QA[4] + t * QA[5])))));
    let is_small = size < SMALL;
    let quotient = (if is_small { r } else { p }) / (if is_small { s } else { q });
    let small = if size < TINY { 0.125 * (8.0 * x + EFX8 * x) } else { x + x * quotient };
    let larger = 1.0 - (1.0 - ERX - quotient);
    if is_small { small } else { larger.copysign(x) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{generator, unit};

    /// Numbers from some ends, many close to zero, and all bits of the ends themselves.
    fn numbers(from: f64, to: f64, seed: u64) -> Vec<f64> {
        let mut random = generator(seed, 0);
        let mut numbers = vec![from, to];
        for _ in 0..200_000 {
            let x = from + (to - from) * unit(&mut random);
            let shrunk = x * libm::pow(10.0, -20.0 * unit(&mut random));
            numbers.extend([x, shrunk.clamp(from, to)]);
        }
        numbers
    }

    fn assert_same(numbers: &[f64], of_all: fn(&mut [f64]), of_one: fn(f64) -> f64) {
        let mut found = numbers.to_vec();
        of_all(&mut found);
        for (x, found) in numbers.iter().zip(found) {
            assert_eq!(found.to_bits(), of_one(*x).to_bits(), "of {x}");
        }
    }

    /// Numbers around one, in steps of the upper half of their bits.
    fn around(x: f64) -> Vec<f64> {
        let bits = x.to_bits() as i64;
        (-1000..1000).map(|step| f64::from_bits((bits + (step << 25)) as u64)).collect()
    }

    #[test]
    fn functions_are_those_of_libm_to_the_bit() {
        let ln2 = std::f64::consts::LN_2;
        for x in [0.5 * ln2, 1.5 * ln2, 2.5 * ln2, 3.7e-9] {
            assert_same(&around(x), exp_of_all, libm::exp);
            assert_same(&around(-x), exp_of_all, libm::exp);
        }
        assert_same(&numbers(-LARGEST_EXPONENT, LARGEST_EXPONENT, 1), exp_of_all, libm::exp);
        assert_same(&numbers(-40.0, 0.0, 2), exp_of_all, libm::exp);
        for x in [1.0, std::f64::consts::SQRT_2, std::f64::consts::FRAC_1_SQRT_2, 2.0] {
            assert_same(&around(x), log_of_all, libm::log);
        }
        assert_same(&numbers(f64::MIN_POSITIVE, 1e300, 3), log_of_all, libm::log);
        assert_same(&numbers(f64::MIN_POSITIVE, 2.0, 4), log_of_all, libm::log);
        let below_one = |x: &f64| (0.0..=1.0).contains(x);
        for x in [std::f64::consts::SQRT_2 - 1.0, 0.5, 1.0, 1e-16] {
            let numbers: Vec<f64> = around(x).into_iter().filter(below_one).collect();
            assert_same(&numbers, log1p_of_all, libm::log1p);
        }
        assert_same(&numbers(0.0, 1.0, 5), log1p_of_all, libm::log1p);
        for x in [0.843_75, LARGEST_FRACTION, 3.7e-9, 1.0 / 0.35, 6.0] {
            assert_same(&around(x), erf_of_all, libm::erf);
            assert_same(&around(-x), erf_of_all, libm::erf);
        }
        assert_same(&numbers(-LARGEST_FRACTION, LARGEST_FRACTION, 6), erf_of_all, libm::erf);
        assert_same(&numbers(-7.0, 7.0, 7), erf_of_all, libm::erf);
    }

    #[test]
    fn numbers_beyond_the_formulas_are_taken_as_well() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -745.1, -0.0, -3.0, 800.0, 5e-324] {
            assert_same(&[1.0, x], exp_of_all, libm::exp);
            assert_same(&[1.0, x], log_of_all, libm::log);
            assert_same(&[1.0, x], log1p_of_all, libm::log1p);
            assert_same(&[1.0, x], erf_of_all, libm::erf);
        }
    }
}
