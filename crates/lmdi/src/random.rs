//! Random numbers that are the same on every platform and for every number of threads.
//!
//! Each unit of work (a tree, a repetition) draws from its own generator, made from the user's seed
//! and the unit's index, never from a generator shared between threads.

use rand::SeedableRng;
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
