//! The outer layer of the binary form: magic, version, section table, checksums.
//!
//! ```text
//! 0    magic                 8 bytes
//! 8    format version        u32
//! 12   number of sections n  u32
//! 16   n entries of 20 bytes: tag (4 bytes), flags (u32), length (u64), CRC-32 of the body (u32)
//! ...  CRC-32 of everything before (u32)
//! ...  the bodies, in the order of the entries, nothing between or after them
//! ```
//!
//! Every byte is under a checksum, so any damage is seen before the content is looked at. The
//! magic holds a byte above 127 and both line ends: a transfer in text mode breaks it visibly.

use super::FORMAT_VERSION;
use super::bytes::Writer;
use crate::{Error, Result};
use std::io;

/// The first bytes of every binary model file.
pub(super) const MAGIC: [u8; 8] = *b"\x89LMDI\r\n\x1a";

/// Flag of a section without whose meaning the file must not be used.
const REQUIRED: u32 = 1;
const HEADER: usize = 16;
const ENTRY: usize = 20;
const CHECKSUM: usize = 4;
/// More sections than any version will have; keeps the search for duplicates short.
const MAX_SECTIONS: usize = 64;

/// Four ASCII characters that name a section.
pub(super) type Tag = [u8; 4];

/// A section with its verified content.
pub(super) struct Section<'a> {
    pub(super) tag: Tag,
    pub(super) required: bool,
    pub(super) body: &'a [u8],
}

/// A tag as text, safe to print whatever it holds.
pub(super) fn tag_text(tag: &[u8]) -> String {
    tag.escape_ascii().to_string()
}

/// Checks the outer layer and returns the sections. `bytes` start with [`MAGIC`].
pub(super) fn open(bytes: &[u8]) -> Result<Vec<Section<'_>>> {
    let size = bytes.len();
    let damaged = |what: String| Err(Error::Format(what));
    if size < HEADER {
        return damaged(format!(
            "it ends after {size} bytes, inside its header; the file is truncated"
        ));
    }
    let version = u32_at(bytes, 8);
    if version > FORMAT_VERSION {
        return damaged(format!(
            "it has format version {version}; this build reads up to version {FORMAT_VERSION}: \
             use a newer lmdi"
        ));
    }
    if version == 0 {
        return damaged(format!(
            "it has format version 0, which does not exist; this build reads 1 to {FORMAT_VERSION}"
        ));
    }
    let n_sections = u32_at(bytes, 12) as usize;
    if n_sections > MAX_SECTIONS {
        return damaged(format!(
            "the header announces {n_sections} sections; at most {MAX_SECTIONS} are possible, \
             the file is damaged"
        ));
    }
    let table_end = HEADER + n_sections * ENTRY;
    if size < table_end + CHECKSUM {
        return damaged(format!(
            "it ends after {size} bytes, inside its section table; the file is truncated"
        ));
    }
    if crc32fast::hash(&bytes[..table_end]) != u32_at(bytes, table_end) {
        return damaged("the checksum of the header does not match; the file is damaged".into());
    }
    let mut sections: Vec<Section<'_>> = Vec::with_capacity(n_sections);
    let mut rest = &bytes[table_end + CHECKSUM..];
    for entry in bytes[HEADER..table_end].chunks_exact(ENTRY) {
        let tag: Tag = [entry[0], entry[1], entry[2], entry[3]];
        let name = tag_text(&tag);
        let flags = u32_at(entry, 4);
        let length = u64::from(u32_at(entry, 8)) | u64::from(u32_at(entry, 12)) << 32;
        if flags & !REQUIRED != 0 {
            return damaged(format!("section {name} has unknown flags {flags:#x}"));
        }
        let body = match usize::try_from(length) {
            Ok(length) if length <= rest.len() => &rest[..length],
            _ => {
                return damaged(format!(
                    "section {name} has {length} bytes but {} are left; the file is truncated",
                    rest.len()
                ));
            }
        };
        rest = &rest[body.len()..];
        if crc32fast::hash(body) != u32_at(entry, 16) {
            return damaged(format!(
                "the checksum of section {name} does not match; the file is damaged"
            ));
        }
        if sections.iter().any(|other| other.tag == tag) {
            return damaged(format!("section {name} occurs twice"));
        }
        sections.push(Section { tag, required: flags & REQUIRED != 0, body });
    }
    if !rest.is_empty() {
        return damaged(format!("{} bytes follow the last section", rest.len()));
    }
    Ok(sections)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Writes the body of one section.
pub(super) type Body<'a> = &'a dyn Fn(&mut Writer) -> Result<()>;

/// Writes sections to a file: tag, whether a reader must know it, and what writes its body.
///
/// Bodies are written twice, first to learn the sizes and checksums that stand before them, so that
/// the bytes of a large model never exist all at a time. Gives the size of the file.
pub(super) fn write(sections: &[(Tag, bool, Body<'_>)], out: &mut dyn io::Write) -> Result<u64> {
    let mut table = Writer::default();
    table.u8s(&MAGIC);
    table.u32(FORMAT_VERSION);
    table.count(sections.len(), "the number of sections")?;

    let mut size = (HEADER + sections.len() * ENTRY + CHECKSUM) as u64;
    for (tag, required, body) in sections {
        let (mut length, mut checksum) = (0, crc32fast::Hasher::new());
        let mut sum_up = |bytes: &[u8]| {
            length += bytes.len() as u64;
            checksum.update(bytes);
        };
        Writer::hand_over(&mut sum_up, *body)?;
        table.u8s(tag);
        table.u32(if *required { REQUIRED } else { 0 });
        table.u64(length);
        table.u32(checksum.finalize());
        size += length;
    }
    table.u32(crc32fast::hash(&table.bytes));

    let mut result = out.write_all(&table.bytes);
    for (_, _, body) in sections {
        let mut pass_on = |bytes: &[u8]| {
            if result.is_ok() {
                result = out.write_all(bytes);
            }
        };
        Writer::hand_over(&mut pass_on, *body)?;
    }
    result.map_err(|error| Error::Write(error.to_string()))?;
    Ok(size)
}
