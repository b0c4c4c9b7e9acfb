//! UBJSON as a serde data format: what XGBoost writes by default.
//!
//! Marks are one byte, numbers big-endian. An array may state its length (`#`) and, before that,
//! the type of all its items (`$`), which then have no marks. No allocation trusts a length in the
//! file, every item takes at least a byte, and nesting is limited.

use crate::{Error, Result};
use serde::Deserialize;
use serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

/// Deeper files are refused.
const MOST_NESTED: usize = 64;

/// Reads a value.
pub(super) fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    let mut reader = Reader { bytes, at: 0, nested: 0 };
    let marked = Marked { reader: &mut reader, mark: None };
    T::deserialize(marked).map_err(|Failure(what)| Error::Format(format!("UBJSON: {what}")))
}

/// What is wrong, and where.
#[derive(Debug)]
struct Failure(String);

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl de::Error for Failure {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

type Read<T> = std::result::Result<T, Failure>;

struct Reader<'de> {
    bytes: &'de [u8],
    at: usize,
    nested: usize,
}

impl<'de> Reader<'de> {
    fn fail<T>(&self, what: &str) -> Read<T> {
        Err(Failure(format!("byte {}: {what}", self.at)))
    }

    fn take(&mut self, count: usize) -> Read<&'de [u8]> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let Some(end) = end else {
            return self.fail(&format!("{count} bytes expected, the file ends before"));
        };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next mark; `N` stands for nothing and is skipped.
    fn mark(&mut self) -> Read<u8> {
        loop {
            let [mark] = self.array()?;
            if mark != b'N' {
                return Ok(mark);
            }
        }
    }

    fn integer(&mut self, mark: u8) -> Read<i64> {
        Ok(match mark {
            b'i' => i64::from(i8::from_be_bytes(self.array()?)),
            b'U' => i64::from(u8::from_be_bytes(self.array()?)),
            b'I' => i64::from(i16::from_be_bytes(self.array()?)),
            b'l' => i64::from(i32::from_be_bytes(self.array()?)),
            b'L' => i64::from_be_bytes(self.array()?),
            _ => return self.fail("expected a whole number"),
        })
    }

    fn length(&mut self) -> Read<usize> {
        let mark = self.mark()?;
        let length = self.integer(mark)?;
        usize::try_from(length).or_else(|_| self.fail(&format!("length {length}")))
    }

    fn text(&mut self) -> Read<&'de str> {
        let length = self.length()?;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).or_else(|_| self.fail("text is not UTF-8"))
    }

    /// What may follow the opening of an array or object.
    fn items(&mut self) -> Read<Items> {
        let mut item_mark = None;
        if self.peek() == Some(b'$') {
            self.at += 1;
            let [mark] = self.array()?;
            if matches!(mark, b'Z' | b'T' | b'F' | b'N') {
                return self.fail("items that take no byte are not read");
            }
            item_mark = Some(mark);
        }
        if self.peek() == Some(b'#') {
            self.at += 1;
            return Ok(Items { item_mark, left: Some(self.length()?) });
        }
        if item_mark.is_some() {
            return self.fail("a type of items without their number");
        }
        Ok(Items { item_mark, left: None })
    }

    fn enter(&mut self) -> Read<()> {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return self.fail("too deeply nested");
        }
        Ok(())
    }
}

/// Items of an array or object: the type of all of them, and how many are left if that is known.
struct Items {
    item_mark: Option<u8>,
    left: Option<usize>,
}

impl Items {
    /// Whether another item follows; consumes the closing mark if not.
    fn goes_on(&mut self, reader: &mut Reader<'_>, close: u8) -> Read<bool> {
        match &mut self.left {
            Some(0) => Ok(false),
            Some(left) => {
                *left -= 1;
                Ok(true)
            }
            None => {
                while reader.peek() == Some(b'N') {
                    reader.at += 1;
                }
                if reader.peek() == Some(close) {
                    reader.at += 1;
                    return Ok(false);
                }
                Ok(true)
            }
        }
    }
}

/// A value whose mark is known (in a typed array) or comes next.
struct Marked<'r, 'de> {
    reader: &'r mut Reader<'de>,
    mark: Option<u8>,
}

impl<'de> Deserializer<'de> for Marked<'_, 'de> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        let reader = self.reader;
        let mark = match self.mark {
            Some(mark) => mark,
            None => reader.mark()?,
        };
        match mark {
            b'Z' => visitor.visit_unit(),
            b'T' => visitor.visit_bool(true),
            b'F' => visitor.visit_bool(false),
            b'i' | b'U' | b'I' | b'l' | b'L' => visitor.visit_i64(reader.integer(mark)?),
            b'd' => visitor.visit_f64(f64::from(f32::from_be_bytes(reader.array()?))),
            b'D' => visitor.visit_f64(f64::from_be_bytes(reader.array()?)),
            b'S' | b'H' => visitor.visit_borrowed_str(reader.text()?),
            b'C' => visitor.visit_char(char::from(reader.array::<1>()?[0])),
            b'[' => {
                reader.enter()?;
                let items = reader.items()?;
                let mut list = Inside { reader, items };
                let value = visitor.visit_seq(&mut list)?;
                list.reader.nested -= 1;
                Ok(value)
            }
            b'{' => {
                reader.enter()?;
                let items = reader.items()?;
                let mut map = Inside { reader, items };
                let value = visitor.visit_map(&mut map)?;
                map.reader.nested -= 1;
                Ok(value)
            }
            _ => reader.fail(&format!("unknown mark {:?}", char::from(mark))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        if self.mark.is_none() && self.reader.peek() == Some(b'Z') {
            self.reader.at += 1;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The items of an open array or object.
struct Inside<'r, 'de> {
    reader: &'r mut Reader<'de>,
    items: Items,
}

impl<'de> SeqAccess<'de> for Inside<'_, 'de> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Read<Option<T::Value>> {
        if !self.items.goes_on(self.reader, b']')? {
            return Ok(None);
        }
        seed.deserialize(Marked { reader: self.reader, mark: self.items.item_mark }).map(Some)
    }
}

impl<'de> MapAccess<'de> for Inside<'_, 'de> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Read<Option<K::Value>> {
        if !self.items.goes_on(self.reader, b'}')? {
            return Ok(None);
        }
        let key = self.reader.text()?;
        seed.deserialize(key.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Read<V::Value> {
        seed.deserialize(Marked { reader: self.reader, mark: self.items.item_mark })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn every_kind_of_value_is_read() {
        let bytes = b"{i\x01a[$U#i\x02\x05\xFFU\x01b[$d#U\x01\x3F\x80\0\0\
            i\x01c[ZTNFI\xFF\xFESi\x02hi]i\x01d{$l#i\x01i\x01x\0\0\x01\0}";
        let value: Value = from_slice(bytes).expect("readable");
        let expected =
            json!({"a": [5, 255], "b": [1.0], "c": [null, true, false, -2, "hi"], "d": {"x": 256}});
        assert_eq!(value, expected);
    }

    #[test]
    fn lengths_that_lie_and_deep_nesting_are_refused() {
        let refused = |bytes: &[u8]| from_slice::<Value>(bytes).expect_err("refused").to_string();
        assert!(refused(b"[$d#L\x7F\0\0\0\0\0\0\0").contains("ends before"));
        assert!(refused(b"SL\x7F\0\0\0\0\0\0\0").contains("ends before"));
        assert!(refused(b"Si\xFF").contains("length -1"));
        assert!(refused(b"[$Z#L\x7F\0\0\0\0\0\0\0").contains("take no byte"));
        assert!(refused(&[b'['; 1000]).contains("deeply nested"));
        assert!(refused(b"[$i").contains("without their number"));
        assert!(refused(b"?").contains("unknown mark"));
        assert!(refused(b"").contains("ends before"));
        let nested = b"[$[#i\x01".repeat(1000);
        assert!(refused(&nested).contains("deeply nested"));
    }
}
