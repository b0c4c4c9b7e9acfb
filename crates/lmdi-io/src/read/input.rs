//! Where a table comes from: a file, standard input, or bytes that are already in memory.

use crate::{Error, Result};
use bytes::Bytes;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A source of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    Path(PathBuf),
    /// Bytes in memory, with a name for messages.
    Bytes {
        /// The name.
        name: String,
        /// The bytes.
        bytes: Bytes,
    },
}

impl Input {
    /// The input a user names: `-` is standard input, anything else a file.
    pub fn from_argument(argument: &Path) -> Self {
        if argument == Path::new("-") { Input::Stdin } else { Input::Path(argument.to_owned()) }
    }

    /// Bytes in memory.
    pub fn bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Input::Bytes { name: name.into(), bytes: bytes.into() }
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "standard input".into(),
            Input::Path(path) => path.display().to_string(),
            Input::Bytes { name, .. } => name.clone(),
        }
    }

    /// Makes the input readable more than once: what is no regular file is taken into memory.
    pub(super) fn open(&self) -> Result<Opened> {
        let name = self.name();
        let fail = |error| Error::Read { input: name.clone(), error };
        let content = match self {
            Input::Bytes { bytes, .. } => Content::Memory(bytes.clone()),
            Input::Stdin => {
                let read = crate::waiting(|| read_all(io::stdin().lock()));
                Content::Memory(read.map_err(fail)?)
            }
            Input::Path(path) => {
                // A named pipe opens once another process writes to it.
                let file = crate::waiting(|| File::open(path)).map_err(fail)?;
                let metadata = file.metadata().map_err(fail)?;
                if metadata.is_dir() {
                    return Err(fail(io::Error::new(
                        io::ErrorKind::IsADirectory,
                        "this is a directory; expected a CSV or Parquet file",
                    )));
                }
                if metadata.is_file() {
                    Content::File(path.clone())
                } else {
                    Content::Memory(crate::waiting(|| read_all(file)).map_err(fail)?)
                }
            }
        };
        Ok(Opened { name, content })
    }
}

fn read_all(mut source: impl Read) -> io::Result<Bytes> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// What the first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Magic {
    Text,
    Gzip,
    Parquet,
    Utf16,
}

/// An input that can be read from its start as often as needed.
#[derive(Debug)]
pub(super) struct Opened {
    name: String,
    content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    File(PathBuf),
    Memory(Bytes),
}

impl Opened {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    #[cfg(feature = "parquet")]
    pub(super) fn content(&self) -> &Content {
        &self.content
    }

    pub(super) fn read_error(&self, error: io::Error) -> Error {
        Error::Read { input: self.name.clone(), error }
    }

    pub(super) fn unusable(&self, what: impl Into<String>) -> Error {
        Error::Table { input: self.name.clone(), what: what.into() }
    }

    /// A reader from the start.
    pub(super) fn reader(&self) -> Result<Box<dyn Read + Send + '_>> {
        Ok(match &self.content {
            Content::File(path) => {
                Box::new(File::open(path).map_err(|error| self.read_error(error))?)
            }
            Content::Memory(bytes) => Box::new(bytes.as_ref()),
        })
    }

    /// Number of bytes, where that can be told.
    pub(super) fn length(&self) -> Option<u64> {
        match &self.content {
            Content::File(path) => path.metadata().ok().map(|metadata| metadata.len()),
            Content::Memory(bytes) => Some(bytes.len() as u64),
        }
    }

    /// Tells the format by the first bytes; formats that are often mistaken for a table are named.
    pub(super) fn magic(&self) -> Result<Magic> {
        let mut start = Vec::new();
        self.reader()?.take(16).read_to_end(&mut start).map_err(|error| self.read_error(error))?;
        if start.is_empty() {
            return Err(self.unusable("the file is empty; expected a line of column names first"));
        }
        if let Some((_, what, do_this)) = OTHERS.iter().find(|(magic, ..)| start.starts_with(magic))
        {
            let what = format!("this is {what}; expected CSV, gzipped CSV or Parquet: {do_this}");
            return Err(self.unusable(what));
        }
        match start.as_slice() {
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', ..] => Err(self.unusable(
                "this is bzip2-compressed; expected CSV, gzipped CSV or Parquet: unpack it first (bzip2 -d)",
            )),
            [0x1f, 0x8b, ..] => Ok(Magic::Gzip),
            [b'P', b'A', b'R', b'1', ..] => Ok(Magic::Parquet),
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Err(self.unusable(
                "this text is UTF-32; save it as UTF-8 (iconv -f UTF-32 -t UTF-8)",
            )),
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Ok(Magic::Utf16),
            // Western text in UTF-16 without a mark: every other byte is zero.
            [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Err(self.unusable(UNMARKED)),
            [0, a, 0, b, ..] if *a != 0 && *b != 0 => Err(self.unusable(UNMARKED)),
            _ => Ok(Magic::Text),
        }
    }

    /// The same text in UTF-8, from UTF-16 with a byte-order mark.
    pub(super) fn decoded_from_utf16(&self) -> Result<Self> {
        let mut bytes = Vec::new();
        self.reader()?.read_to_end(&mut bytes).map_err(|error| self.read_error(error))?;
        let big = bytes.starts_with(&[0xfe, 0xff]);
        let (pairs, rest) = bytes[2..].as_chunks::<2>();
        let unit = |pair: &[u8; 2]| match big {
            true => u16::from_be_bytes(*pair),
            false => u16::from_le_bytes(*pair),
        };
        let text: std::result::Result<String, _> =
            char::decode_utf16(pairs.iter().map(unit)).collect();
        match text {
            Ok(text) if rest.is_empty() => {
                Ok(Self { name: self.name.clone(), content: Content::Memory(text.into()) })
            }
            _ => Err(self.unusable("this text begins as UTF-16, but is damaged; write it again")),
        }
    }
}

const UNMARKED: &str = "this text is UTF-16 or UTF-32 without a byte-order mark; save it as UTF-8 \
    (for example: iconv -f UTF-16LE -t UTF-8)";

/// First bytes of formats that are mistaken for a table, what they are, and what to do.
const OTHERS: [(&[u8], &str, &str); 11] = [
    (b"PARE", "an encrypted Parquet file", "decrypt it first"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet (xlsx, ods)", "unzip it, or save it as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet (xls)", "save it as CSV"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed", "unpack it first (zstd -d)"),
    (b"\xfd7zXZ\0", "xz-compressed", "unpack it first (xz -d)"),
    (b"\x04\x22\x4d\x18", "lz4-compressed", "unpack it first (lz4 -d)"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first (7z x)"),
    (b"SQLite format 3\0", "an SQLite database", "export the table as CSV"),
    (b"ARROW1\0", "an Arrow IPC file", "write it as Parquet"),
    (b"Obj\x01", "an Avro file", "write it as Parquet"),
    (b"%PDF-", "a PDF document", "find the table it was made from"),
];
