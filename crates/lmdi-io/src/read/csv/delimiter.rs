//! Finds the delimiter of a CSV file from its first lines.
//!
//! The winner is the candidate that splits every complete record of the sample into the same number
//! of fields, more than one; if there are several, the one with most fields. If none does (a ragged
//! file, or a single column), it is the one that splits the header most, so that the error that
//! follows names the right line. Ties are broken by the order of [`CANDIDATES`].

/// Comma, semicolon, tab, bar.
pub(super) const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The delimiter of a file that starts with `sample`; `cut` says that the file goes on after it.
pub(super) fn find(sample: &[u8], cut: bool) -> u8 {
    let mut best = (false, 1, CANDIDATES[0]);
    for delimiter in CANDIDATES.into_iter().filter(|candidate| sample.contains(candidate)) {
        let (regular, fields) = split(sample, cut, delimiter);
        if fields > 1 && (regular, fields) > (best.0, best.1) {
            best = (regular, fields, delimiter);
        }
    }
    best.2
}

/// Whether all records have as many fields as the first, and how many it has.
fn split(sample: &[u8], cut: bool, delimiter: u8) -> (bool, usize) {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(sample);
    let mut lengths = Vec::new();
    let mut record = csv::ByteRecord::new();
    while lengths.len() < 1000 && matches!(reader.read_byte_record(&mut record), Ok(true)) {
        lengths.push(record.len());
    }
    if cut && lengths.len() > 1 {
        lengths.pop();
    }
    let first = lengths.first().copied().unwrap_or(0);
    (lengths.iter().all(|&length| length == first), first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_regular_delimiter_wins() {
        let cases: [(&str, u8); 8] = [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("\"x;y;z\",b\n1,2\n", b','),
            ("one\n1\n", b','),
            ("", b','),
            ("a;b;c\n1;2\n", b';'),
        ];
        for (sample, expected) in cases {
            assert_eq!(find(sample.as_bytes(), false) as char, expected as char, "{sample:?}");
        }
    }

    #[test]
    fn a_cut_last_record_does_not_count() {
        assert_eq!(find(b"a;b;c\n1;2;3\n4;5", true), b';');
        assert_eq!(find(b"a;b", true), b';');
    }
}
