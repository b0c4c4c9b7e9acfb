//! Sets of categories as words of bits, within a limit on their memory.
//!
//! A file may list a single large code at every node, which takes few bytes there but many bits here.
//! All sets of a file together may take some times the file's own size, and 8 MiB beyond.

use crate::{Error, Result};

/// Words that the sets of one file may still take.
pub(super) struct CategoryWords {
    left: usize,
}

impl CategoryWords {
    pub(super) fn for_file(bytes: usize) -> Self {
        Self { left: bytes.saturating_mul(8).saturating_add(1 << 20) }
    }

    /// The words of a set.
    pub(super) fn of(&mut self, codes: &[u32]) -> Result<Vec<u64>> {
        let length = codes.iter().max().map_or(0, |&code| code as usize / 64 + 1);
        // Members count too, for nodes can share a long list, which then takes its time.
        self.left = self.left.checked_sub(length.max(codes.len())).ok_or_else(|| {
            Error::Format(
                "its sets of categories take too much memory for a file of its size".into(),
            )
        })?;
        let mut words = vec![0_u64; length];
        for &code in codes {
            words[code as usize / 64] |= 1 << (code % 64);
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_where_the_codes_say_and_memory_is_limited() {
        let mut words = CategoryWords::for_file(0);
        assert_eq!(words.of(&[]), Ok(vec![]));
        assert_eq!(words.of(&[0, 63, 65]), Ok(vec![1 | 1 << 63, 2]));
        assert!((0..1000).map(|_| words.of(&[1 << 24])).any(|set| set.is_err()));
    }
}
