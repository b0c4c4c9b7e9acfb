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
        self.reader()?.take(4).read_to_end(&mut start).map_err(|error| self.read_error(error))?;
        match start.as_slice() {
            [] => Err(self.unusable("the file is empty; expected a line of column names first")),
            [0x1f, 0x8b, ..] => Ok(Magic::Gzip),
            b"PAR1" => Ok(Magic::Parquet),
            b"PARE" => Err(self.unusable("this Parquet file is encrypted; decrypt it first")),
            b"PK\x03\x04" => Err(self.unusable(
                "this is a zip archive (or a spreadsheet); expected CSV, gzipped CSV or Parquet",
            )),
            [0x28, 0xb5, 0x2f, 0xfd] => {
                Err(self.unusable("this is zstd-compressed; expected CSV, gzipped CSV or Parquet"))
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                Err(self
                    .unusable("this text is UTF-16; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"))
            }
            _ => Ok(Magic::Text),
        }
    }
}
