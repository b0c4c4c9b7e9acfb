//! Files that were cut, changed or written by another version.

use super::random_model::recipe;
use super::{refused, small_model};
use crate::file::Model;
use crate::file::container::{self, MAGIC};
use proptest::prelude::*;

/// Start of the table entry of section `index`.
fn entry(index: usize) -> usize {
    16 + 20 * index
}

/// The model in a file with one more section.
fn with_section(tag: [u8; 4], required: bool) -> Vec<u8> {
    let bytes = small_model().to_bytes().unwrap();
    let sections = container::open(&bytes).unwrap();
    let bodies: Vec<_> = sections
        .iter()
        .map(|section| {
            let body = section.body;
            move |writer: &mut crate::file::bytes::Writer| {
                writer.u8s(body);
                Ok(())
            }
        })
        .collect();
    let mut parts: Vec<(container::Tag, bool, container::Body<'_>)> = Vec::new();
    parts.push((tag, required, &|writer| {
        writer.u8s(b"from the future");
        Ok(())
    }));
    for (section, body) in sections.iter().zip(&bodies) {
        parts.push((section.tag, section.required, body));
    }
    let mut file = Vec::new();
    container::write(&parts, &mut file).unwrap();
    file
}

/// Makes all checksums right again after a change to the content.
pub(super) fn reseal(bytes: &mut [u8]) {
    let n_sections = bytes[12] as usize;
    let mut start = entry(n_sections) + 4;
    for index in 0..n_sections {
        let length_at = entry(index) + 8;
        let mut length = [0; 8];
        length.copy_from_slice(&bytes[length_at..length_at + 8]);
        let end = start + u64::from_le_bytes(length) as usize;
        let checksum = crc32fast::hash(&bytes[start..end]);
        bytes[length_at + 8..length_at + 12].copy_from_slice(&checksum.to_le_bytes());
        start = end;
    }
    reseal_header(bytes);
}

fn reseal_header(bytes: &mut [u8]) {
    let end = entry(bytes[12] as usize);
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
}

#[test]
fn every_truncation_is_refused() {
    let bytes = small_model().to_bytes().unwrap();
    for length in 0..bytes.len() {
        let error = Model::from_bytes(&bytes[..length]).unwrap_err().to_string();
        let expected = if length == 0 { "empty" } else { "truncated" };
        assert!(error.contains(expected), "cut to {length}: {error}");
    }
    let text = small_model().to_json().unwrap();
    // Without its line end the text is still whole.
    for length in 0..text.len() - 1 {
        assert!(Model::from_bytes(&text[..length]).is_err(), "cut to {length}");
    }
}

#[test]
fn every_flipped_bit_is_seen() {
    let bytes = small_model().to_bytes().unwrap();
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(Model::from_bytes(&changed).is_err(), "bit {bit}");
    }
}

#[test]
fn bytes_after_the_end_are_refused() {
    let mut bytes = small_model().to_bytes().unwrap();
    bytes.push(0);
    refused(&bytes, "1 bytes follow the last section");
    let mut text = small_model().to_json().unwrap();
    text.extend_from_slice(b"{}");
    refused(&text, "trailing characters");
}

#[test]
fn other_files_are_not_taken_for_models() {
    refused(b"", "it is empty");
    refused(b"  \n", "it starts with");
    refused(
        b"\x80\x04\x95\x00\x00",
        "it is a Python pickle, which only Python can read; in Python",
    );
    refused(b"a,b\n1,2\n", r#"it starts with "a,b\n1,2\n"; expected a binary model file"#);
    refused(b"\x1b[31m", r#"it starts with "\x1b[31m""#);
    refused(b"[1, 2]", "it starts with");
    refused(b"{\"a\": 1}", "JSON: unknown field `a`");
}

#[test]
fn versions_are_named() {
    let mut bytes = small_model().to_bytes().unwrap();
    bytes[8] = 7;
    // A later version may have another header: its checksum is not looked at.
    refused(&bytes, "format version 7; this build reads up to version 1");
    bytes[8] = 0;
    refused(&bytes, "format version 0, which does not exist");
    refused(
        br#"{"format": "lmdi-model", "version": 2, "forest": []}"#,
        "format version 2; this build reads version 1",
    );
    refused(br#"{"format": "other", "version": 1, "x": 1}"#, r#""format" is "other""#);
}

#[test]
fn unknown_sections_are_skipped_unless_required() {
    let expected = small_model().to_bytes().unwrap();
    let read = Model::from_bytes(&with_section(*b"NEWS", false)).unwrap();
    assert_eq!(read.to_bytes().unwrap(), expected);
    refused(&with_section(*b"NEWS", true), "does not know section NEWS");
    refused(&with_section(*b"\x1b[31", true), r"does not know section \x1b[31");
    refused(&with_section(*b"ENSM", true), "section ENSM occurs twice");
    refused(&with_section(*b"META", false), "section META occurs twice");
}

#[test]
fn the_section_table_is_checked() {
    let valid = small_model().to_bytes().unwrap();
    let change = |at: usize, value: u8| {
        let mut bytes = valid.clone();
        bytes[at] = value;
        reseal_header(&mut bytes);
        bytes
    };
    refused(&change(entry(0) + 4, 2), "section META has unknown flags 0x2");
    refused(&change(entry(1) + 8 + 7, 0x80), "section ENSM has 9223372036854775");
    refused(&change(entry(0) + 8, 0), "the checksum of section META");
    let mut swapped = valid.clone();
    swapped[entry(0)..entry(0) + 4].copy_from_slice(b"ENSM");
    swapped[entry(1)..entry(1) + 4].copy_from_slice(b"META");
    reseal_header(&mut swapped);
    assert!(Model::from_bytes(&swapped).is_err());
    let mut lost = valid.clone();
    lost[entry(1)..entry(1) + 4].copy_from_slice(b"LOST");
    lost[entry(1) + 4] = 0;
    reseal_header(&mut lost);
    refused(&lost, "section ENSM (the trees) is missing");
    let mut many = valid.clone();
    many[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(&many, "announces 4294967295 sections");
    let none = [&MAGIC[..], &1_u32.to_le_bytes(), &0_u32.to_le_bytes()].concat();
    let none = [&none[..], &crc32fast::hash(&none).to_le_bytes()].concat();
    refused(&none, "section ENSM (the trees) is missing");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Whatever is in the sections, the reader answers; if it accepts, the model can be used.
    #[test]
    fn changed_content_never_panics(
        recipe in recipe(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let model = recipe.model();
        let mut bytes = model.to_bytes().unwrap();
        let start = entry(bytes[12] as usize) + 4;
        for (index, value) in changes {
            let at = start + index.index(bytes.len() - start);
            bytes[at] = value;
        }
        reseal(&mut bytes);
        if let Ok(read) = Model::from_bytes(&bytes) {
            prop_assert!(read.check().is_ok());
            let row = vec![0.5; read.ensemble.n_features()];
            for tree in &read.ensemble.trees {
                prop_assert!(tree.is_leaf(tree.leaf_of(&row)));
            }
            prop_assert!(Model::from_bytes(&read.to_bytes().unwrap()).is_ok());
        }
    }

    #[test]
    fn changed_text_never_panics(
        recipe in recipe(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        let mut text = recipe.model().to_json().unwrap();
        for (index, value) in changes {
            let at = index.index(text.len());
            text[at] = value;
        }
        if let Ok(read) = Model::from_bytes(&text) {
            prop_assert!(read.check().is_ok());
        }
    }
}
