//! Cross-validation folds without shuffling, as in scikit-learn.

/// `n_folds` contiguous blocks of rows; the first ones are one row longer if the number does not
/// divide.
pub fn contiguous_folds(rows: usize, n_folds: usize) -> Vec<u32> {
    let (size, longer) = (rows / n_folds, rows % n_folds);
    (0..n_folds)
        .flat_map(|fold| std::iter::repeat_n(fold as u32, size + usize::from(fold < longer)))
        .collect()
}

/// Folds with nearly equal shares of every class: the rows of each class, in order, are split into
/// contiguous blocks.
pub fn stratified_folds(codes: &[u32], n_folds: usize) -> Vec<u32> {
    let n_classes = codes.iter().max().map_or(0, |&code| code as usize + 1);
    let mut count = vec![0_usize; n_classes];
    let mut by_appearance = Vec::new();
    for &code in codes {
        if count[code as usize] == 0 {
            by_appearance.push(code as usize);
        }
        count[code as usize] += 1;
    }
    // Deal the rows sorted by class to the folds in turn: that fixes how many of each class every
    // fold gets, with fold sizes as equal as possible.
    let mut share = vec![vec![0_usize; n_folds]; n_classes];
    let mut dealt = 0;
    for &class in &by_appearance {
        for _ in 0..count[class] {
            share[class][dealt % n_folds] += 1;
            dealt += 1;
        }
    }
    let mut fold_of_class = vec![0_usize; n_classes];
    codes
        .iter()
        .map(|&code| {
            let class = code as usize;
            let fold = &mut fold_of_class[class];
            while share[class][*fold] == 0 {
                *fold += 1;
            }
            share[class][*fold] -= 1;
            *fold as u32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_contiguous_and_the_first_are_longer() {
        assert_eq!(contiguous_folds(7, 3), [0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(contiguous_folds(2, 3), [0, 1]);
    }

    #[test]
    fn every_fold_gets_its_share_of_each_class() {
        // scikit-learn 1.9.1: StratifiedKFold(3) gives these test folds for these labels.
        let codes = [1, 0, 0, 1, 1, 0, 1, 1, 0, 1];
        assert_eq!(stratified_folds(&codes, 3), [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
    }
}
