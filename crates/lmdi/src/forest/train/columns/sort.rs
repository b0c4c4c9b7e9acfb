//! Sorting of the keys that the split search orders rows by.
//!
//! A key holds a rank in its upper 32 bits and a row in its lower ones. Long lists are sorted by
//! counting digits of the rank (two passes up to four million ranks), short ones by comparison;
//! both give the same order because no two keys are equal and rows start in ascending order.

/// Below this length comparisons beat counting.
const SHORT: usize = 192;

/// Widest digit: its counters fit the first-level cache.
const MAX_DIGIT_BITS: u32 = 11;

/// Sorts keys whose rows are ascending and whose ranks are below `2^bits`.
pub(crate) fn sort_keys(keys: &mut Vec<u64>, spare: &mut Vec<u64>, bits: u32) {
    if keys.len() < SHORT {
        keys.sort_unstable();
        return;
    }
    let passes = bits.div_ceil(MAX_DIGIT_BITS).max(1);
    let digit_bits = bits.div_ceil(passes).max(1);
    let mask = (1u64 << digit_bits) - 1;
    spare.clear();
    spare.resize(keys.len(), 0);
    let mut starts = [0u32; 1 << MAX_DIGIT_BITS];
    for pass in 0..passes {
        let shift = 32 + pass * digit_bits;
        let starts = &mut starts[..1 << digit_bits];
        starts.fill(0);
        for &key in keys.iter() {
            starts[(key >> shift & mask) as usize] += 1;
        }
        let mut total = 0;
        for start in starts.iter_mut() {
            let count = *start;
            *start = total;
            total += count;
        }
        for &key in keys.iter() {
            let at = &mut starts[(key >> shift & mask) as usize];
            spare[*at as usize] = key;
            *at += 1;
        }
        std::mem::swap(keys, spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, generator};

    #[test]
    fn counting_and_comparing_agree() {
        let mut random = generator(1, 0);
        for bits in [1, 7, 11, 12, 22, 23, 32] {
            for len in [0, 1, SHORT - 1, SHORT, 3000] {
                let mut keys: Vec<u64> = (0..len)
                    .map(|row| (below(&mut random, 1usize << bits) as u64) << 32 | row as u64)
                    .collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                sort_keys(&mut keys, &mut Vec::new(), bits);
                assert_eq!(keys, expected, "{bits} bits, {len} keys");
            }
        }
    }
}
