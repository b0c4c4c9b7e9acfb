//! A sparse vector with constant-time access by index.
//!
//! The linear model of a fully grown tree has one number for each of hundreds of thousands of nodes,
//! and most of them are zero. Stored are one bit per index, the number of nonzeros before every 64th
//! index, and the nonzeros themselves: 0.2 bytes per index and 8 bytes per nonzero.

/// A sparse vector.
///
/// ```
/// use lmdi::importance::lmdi_plus::SparseNumbers;
/// let numbers = SparseNumbers::from(vec![0.0, 1.5, 0.0, -2.0]);
/// assert_eq!((numbers.len(), numbers.get(1), numbers.get(2)), (4, 1.5, 0.0));
/// assert_eq!(numbers.to_vec(), [0.0, 1.5, 0.0, -2.0]);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseNumbers {
    len: usize,
    /// Which indices have a nonzero, 64 per word.
    kept: Vec<u64>,
    /// Number of nonzeros before each word.
    before: Vec<u32>,
    numbers: Vec<f64>,
}

impl SparseNumbers {
    /// Length, zeros included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the length is zero.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number at an index.
    ///
    /// # Panics
    /// If the index is not below [`len`](Self::len).
    #[inline]
    pub fn get(&self, place: usize) -> f64 {
        assert!(place < self.len, "place {place} of {} numbers", self.len);
        let (word, bit) = (self.kept[place / 64], 1 << (place % 64));
        if word & bit == 0 {
            return 0.0;
        }
        let within = (word & (bit - 1)).count_ones();
        self.numbers[(self.before[place / 64] + within) as usize]
    }

    /// All numbers in order, zeros among them.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        let mut numbers = self.numbers.iter();
        (0..self.len).map(move |place| match self.kept[place / 64] >> (place % 64) & 1 {
            1 => numbers.next().copied().unwrap_or(0.0),
            _ => 0.0,
        })
    }

    /// The numbers that are not zero, in order.
    pub fn nonzero(&self) -> &[f64] {
        &self.numbers
    }

    /// All numbers, zeros among them.
    pub fn to_vec(&self) -> Vec<f64> {
        self.iter().collect()
    }
}

impl From<Vec<f64>> for SparseNumbers {
    fn from(all: Vec<f64>) -> Self {
        // Minus zero is kept, so that what is read from a file is written again.
        let is_kept = |number: &f64| number.to_bits() != 0;
        let mut sparse = Self { len: all.len(), ..Self::default() };
        sparse.numbers.reserve_exact(all.iter().filter(|number| is_kept(number)).count());
        for word in all.chunks(64) {
            sparse.before.push(sparse.numbers.len() as u32);
            let mut bits = 0;
            for (place, &number) in word.iter().enumerate().filter(|(_, number)| is_kept(number)) {
                bits |= 1 << place;
                sparse.numbers.push(number);
            }
            sparse.kept.push(bits);
        }
        sparse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_that_were_given(
            numbers in prop::collection::vec(
                prop_oneof![3 => Just(0.0), 1 => Just(-0.0), 2 => any::<f64>()],
                0..200,
            )
        ) {
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            let sparse = SparseNumbers::from(numbers.clone());
            prop_assert_eq!((sparse.len(), sparse.is_empty()), (numbers.len(), numbers.is_empty()));
            prop_assert_eq!(bits(&sparse.to_vec()), bits(&numbers));
            let found: Vec<f64> = (0..numbers.len()).map(|place| sparse.get(place)).collect();
            prop_assert_eq!(bits(&found), bits(&numbers));
            let kept: Vec<f64> = numbers.into_iter().filter(|x| x.to_bits() != 0).collect();
            prop_assert_eq!(bits(sparse.nonzero()), bits(&kept));
        }
    }
}
