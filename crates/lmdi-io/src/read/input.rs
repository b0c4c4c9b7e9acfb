//! Where a table comes from: a file, a directory of Parquet files, standard input, or bytes that are
//! already in memory.

use super::parts;
use crate::{Error, Result};
use bytes::Bytes;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

/// A source of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file, or a directory of Parquet files.
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
        let content = match self.found()? {
            Found::Ready(content) => content,
            Found::Pipe(pipe) => {
                let read = crate::waiting(|| read_all(pipe));
                Content::Memory(read.map_err(|error| Error::Read { input: name.clone(), error })?)
            }
        };
        Ok(Opened { name, content })
    }

    /// Makes the input readable once from its start, without taking a pipe into memory.
    pub(super) fn stream(&self) -> Result<Stream> {
        let name = self.name();
        let fail = |error| Error::Read { input: name.clone(), error };
        let mut pipe = match self.found()? {
            Found::Pipe(pipe) => Waiting(pipe),
            Found::Ready(content) => return Opened { name, content }.stream(),
        };
        let mut start = Vec::new();
        (&mut pipe).take(START).read_to_end(&mut start).map_err(fail)?;
        let magic = Magic::of(&start).map_err(|what| Error::Table { input: name.clone(), what })?;
        let mut rest = Cursor::new(start).chain(pipe);
        match magic {
            Magic::Parquet => {
                // Its end is needed first.
                let mut spooled = tempfile::NamedTempFile::new().map_err(fail)?;
                io::copy(&mut rest, &mut spooled).map_err(fail)?;
                let content = Content::File(spooled.path().to_owned());
                let content = StreamContent::Ready(content);
                Ok(Stream { name, magic, length: None, content, spooled: Some(spooled) })
            }
            Magic::Utf16 => {
                let content = Content::Memory(read_all(rest).map_err(fail)?);
                Opened { name, content }.stream()
            }
            Magic::Text | Magic::Gzip => {
                let content = StreamContent::Pipe(Box::new(rest));
                Ok(Stream { name, magic, length: None, content, spooled: None })
            }
        }
    }

    fn found(&self) -> Result<Found> {
        let fail = |error| Error::Read { input: self.name(), error };
        Ok(match self {
            Input::Bytes { bytes, .. } => Found::Ready(Content::Memory(bytes.clone())),
            Input::Stdin => Found::Pipe(Box::new(io::stdin())),
            Input::Path(path) => {
                // A named pipe opens once another process writes to it.
                let file = crate::waiting(|| File::open(path)).map_err(fail)?;
                let metadata = file.metadata().map_err(fail)?;
                if metadata.is_dir() {
                    Found::Ready(Content::Parts(parts::of_directory(path)?))
                } else if metadata.is_file() {
                    Found::Ready(Content::File(path.clone()))
                } else {
                    Found::Pipe(Box::new(file))
                }
            }
        })
    }
}

/// What an input turns out to be.
enum Found {
    /// It can be read again.
    Ready(Content),
    /// It can be read once.
    Pipe(Box<dyn Read + Send>),
}

/// Lets a signal end the wait for bytes.
struct Waiting<R>(R);

impl<R: Read> Read for Waiting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        crate::waiting(|| self.0.read(buffer))
    }
}

/// An input that is read from its start to its end.
pub(super) struct Stream {
    pub(super) name: String,
    pub(super) magic: Magic,
    /// Number of bytes, where that can be told.
    pub(super) length: Option<u64>,
    pub(super) content: StreamContent,
    /// A temporary copy of what came through a pipe.
    pub(super) spooled: Option<tempfile::NamedTempFile>,
}

pub(super) enum StreamContent {
    Ready(Content),
    Pipe(Box<dyn Read + Send>),
}

impl StreamContent {
    /// The bytes from the start.
    pub(super) fn reader(self, name: &str) -> Result<Box<dyn Read + Send>> {
        match self {
            Self::Pipe(pipe) => Ok(pipe),
            Self::Ready(content) => {
                content.reader().map_err(|error| Error::Read { input: name.into(), error })
            }
        }
    }

    /// The content as one that can be read again, which a stream of Parquet is.
    #[cfg(feature = "parquet")]
    pub(super) fn opened(self, name: String) -> Opened {
        let content = match self {
            Self::Ready(content) => content,
            Self::Pipe(_) => Content::Parts(Vec::new()),
        };
        Opened { name, content }
    }
}

fn read_all(mut source: impl Read) -> io::Result<Bytes> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// How many of the first bytes tell the format.
const START: u64 = 16;

/// What the first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Magic {
    Text,
    Gzip,
    Parquet,
    Utf16,
}

impl Magic {
    /// The format of a file that starts with these bytes, or why it is no table.
    fn of(start: &[u8]) -> std::result::Result<Self, String> {
        if start.is_empty() {
            return Err("the file is empty; expected a line of column names first".into());
        }
        if let Some((_, what, do_this)) = OTHERS.iter().find(|(magic, ..)| start.starts_with(magic))
        {
            return Err(format!("this is {what}; expected CSV, gzipped CSV or Parquet: {do_this}"));
        }
        if let Some(what) = other_text(start) {
            return Err(format!("this is {what}"));
        }
        match start {
            // A column may be called ORC.
            [b'O', b'R', b'C', 0..=8 | 0x80.., ..] => {
                Err("this is an ORC file; expected CSV, gzipped CSV or Parquet: write it as Parquet".into())
            }
            [0x80, 2..=5, ..] => Err(
                "this is a Python pickle; expected CSV, gzipped CSV or Parquet: write the table as Parquet"
                    .into(),
            ),
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', ..] => Err(
                "this is bzip2-compressed; expected CSV, gzipped CSV or Parquet: unpack it first (bzip2 -d)"
                    .into(),
            ),
            [0x1f, 0x8b, ..] => Ok(Magic::Gzip),
            [b'P', b'A', b'R', b'1', ..] => Ok(Magic::Parquet),
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => {
                Err("this text is UTF-32; save it as UTF-8 (iconv -f UTF-32 -t UTF-8)".into())
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Ok(Magic::Utf16),
            // Western text in UTF-16 without a mark: every other byte is zero.
            [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Err(UNMARKED.into()),
            [0, a, 0, b, ..] if *a != 0 && *b != 0 => Err(UNMARKED.into()),
            _ => Ok(Magic::Text),
        }
    }
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
    /// The Parquet files of a directory.
    Parts(Vec<PathBuf>),
}

impl Content {
    fn reader(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Content::File(path) => Box::new(File::open(path)?),
            Content::Memory(bytes) => Box::new(Cursor::new(bytes.clone())),
            Content::Parts(paths) => {
                let mut all: Box<dyn Read + Send> = Box::new(io::empty());
                for path in paths {
                    all = Box::new(all.chain(File::open(path)?));
                }
                all
            }
        })
    }

    /// Number of bytes, where that can be told.
    fn length(&self) -> Option<u64> {
        let of_file = |path: &PathBuf| path.metadata().ok().map(|metadata| metadata.len());
        match self {
            Content::File(path) => of_file(path),
            Content::Memory(bytes) => Some(bytes.len() as u64),
            Content::Parts(paths) => paths.iter().map(of_file).sum(),
        }
    }
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
    pub(super) fn reader(&self) -> Result<Box<dyn Read + Send>> {
        self.content.reader().map_err(|error| self.read_error(error))
    }

    /// Number of bytes, where that can be told.
    pub(super) fn length(&self) -> Option<u64> {
        self.content.length()
    }

    /// Tells the format by the first bytes; formats that are often mistaken for a table are named.
    pub(super) fn magic(&self) -> Result<Magic> {
        if let Content::Parts(_) = self.content {
            return Ok(Magic::Parquet);
        }
        let mut start = Vec::new();
        let read = self.reader()?.take(START).read_to_end(&mut start);
        read.map_err(|error| self.read_error(error))?;
        Magic::of(&start).map_err(|what| self.unusable(what))
    }

    fn stream(self) -> Result<Stream> {
        let magic = self.magic()?;
        let length = self.length();
        let Self { name, content } =
            if magic == Magic::Utf16 { self.decoded_from_utf16()? } else { self };
        let content = StreamContent::Ready(content);
        Ok(Stream { name, magic, length, content, spooled: None })
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

const SAS: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc2, 0xea, 0x81, 0x60];

/// What text is that is no table: a web page, say, where a download asked for a password.
fn other_text(start: &[u8]) -> Option<&'static str> {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let begins =
        |with: &[u8]| text.get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with));
    let after = |mark: u8| text.strip_prefix(&[mark]).map(|rest| rest.trim_ascii_start().first());
    if begins(b"<!doctype html") || begins(b"<html") {
        Some("a web page; expected CSV, gzipped CSV or Parquet: was the download refused?")
    } else if begins(b"<?xml") {
        Some("XML; expected CSV, gzipped CSV or Parquet: write it as CSV")
    } else if matches!(after(b'['), Some(Some(b'{' | b'['))) || after(b'{') == Some(Some(&b'"')) {
        Some("JSON; expected CSV, gzipped CSV or Parquet: write it as CSV")
    } else {
        None
    }
}

/// First bytes of formats that are mistaken for a table, what they are, and what to do.
const OTHERS: [(&[u8], &str, &str); 17] = [
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
    (
        b"\x89LMDI",
        "a model file of lmdi",
        "give the table, and the model where a model is asked for",
    ),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "write the table as Parquet"),
    (b"\x93NUMPY", "an array of NumPy", "write it as Parquet, with names of columns"),
    (b"$FL2@(#)", "an SPSS file", "save it as CSV"),
    (b"<stata_dta>", "a Stata file", "save it as CSV"),
    (&SAS, "a SAS file", "save it as CSV"),
];
