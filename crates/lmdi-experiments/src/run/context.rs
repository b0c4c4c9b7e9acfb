//! What the units of an experiment work with.

use super::options::Options;
use super::protocol::Protocol;
use crate::data::{DataSet, Loaded, Source};
use anyhow::{Context as _, Result, anyhow};
use lmdi::random::{Generator, generator};
use std::sync::{Arc, Mutex};

/// Data sets, read when they are first needed, and the seed of everything random.
pub struct Context {
    source: Option<Source>,
    loaded: Mutex<Vec<(&'static str, Arc<Loaded>)>>,
    pub lime_samples: usize,
    pub protocol: Protocol,
    seed: u64,
}

impl Context {
    pub fn new(options: &Options) -> Self {
        Self {
            source: options.source(),
            loaded: Mutex::new(Vec::new()),
            lime_samples: options.lime_samples(),
            protocol: options.protocol,
            seed: options.seed,
        }
    }

    /// A data set.
    pub fn load(&self, set: &'static DataSet) -> Result<Arc<Loaded>> {
        let source = self.source.as_ref().ok_or_else(|| {
            anyhow!(
                "this experiment needs data sets: give --data DIR, or --openml DIR to fetch them"
            )
        })?;
        // Held while reading, so that no data set is read twice.
        let mut loaded = self.loaded.lock().map_err(|_| anyhow!("reading a data set failed"))?;
        if let Some((_, found)) = loaded.iter().find(|(key, _)| *key == set.key) {
            return Ok(found.clone());
        }
        let found = Arc::new(source.load(set).with_context(|| format!("data set {}", set.key))?);
        loaded.push((set.key, found.clone()));
        Ok(found)
    }

    /// The random numbers of a unit: they depend on the user's seed and on what the unit is, never
    /// on when or where it runs.
    pub fn draws(&self, unit: &[String]) -> Generator {
        generator(self.seed, fingerprint(unit))
    }
}

/// A number for a list of words (FNV-1a with 64 bits), the same in every release.
fn fingerprint(words: &[String]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in words {
        for byte in word.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_numbers_of_their_own() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let all = ["a b", "ab", "b a", "a b c", "a bc"].map(|text| fingerprint(&words(text)));
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one));
        }
        // FNV-1a of "a" followed by a zero byte, by hand.
        let (start, prime) = (0xcbf2_9ce4_8422_2325_u64, 0x0100_0000_01b3_u64);
        let by_hand = (start ^ 0x61).wrapping_mul(prime).wrapping_mul(prime);
        assert_eq!(fingerprint(&words("a")), by_hand);
    }
}
