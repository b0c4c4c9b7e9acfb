//! Random numbers that are the same on every platform and for every number of threads.
//!
//! Each unit of work (a tree, a repetition) has its own generator, seeded with the user's seed and
//! the unit's index. Threads never share a generator.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of all random choices in the library.
pub type Generator = Xoshiro256PlusPlus;

/// The generator of unit `index` under `seed`.
pub fn generator(seed: u64, index: u64) -> Generator {
    // SplitMix64's finaliser, so that neighbouring seeds and indices give unrelated streams.
    let mut z = seed ^ index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    Xoshiro256PlusPlus::seed_from_u64(z ^ (z >> 31))
}

/// A whole number in `0..n`, each equally likely (up to n / 2^64).
///
/// Written out here rather than taken from a library's range sampler, whose draws may change from
/// release to release.
///
/// # Panics
/// If `n` is zero.
pub fn below(generator: &mut Generator, n: usize) -> usize {
    assert!(n > 0, "an empty range has no number to draw");
    ((u128::from(generator.next_u64()) * n as u128) >> 64) as usize
}

/// A number in `[0, 1)` with 53 random bits.
pub fn unit(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A standard normal number, by the polar method (Marsaglia and Bray, 1964).
pub fn normal(generator: &mut Generator) -> f64 {
    loop {
        let (u, v) = (2.0 * unit(generator) - 1.0, 2.0 * unit(generator) - 1.0);
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return u * (-2.0 * libm::log(s) / s).sqrt();
        }
    }
}

/// `count` different numbers of `0..n`, in ascending order.
///
/// # Panics
/// If `count` is above `n`.
pub fn subset(generator: &mut Generator, n: usize, count: usize) -> Vec<u32> {
    assert!(count <= n, "a subset cannot be larger than its set");
    let mut items: Vec<u32> = (0..n as u32).collect();
    for at in 0..count {
        let other = at + below(generator, n - at);
        items.swap(at, other);
    }
    items.truncate(count);
    items.sort_unstable();
    items
}
