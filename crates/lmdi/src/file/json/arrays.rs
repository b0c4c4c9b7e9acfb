//! How numbers, node indices and choices are written in JSON.
//!
//! JSON has no NaN and no infinities: `null` is NaN, `"inf"` and `"-inf"` are the infinities, and
//! `"nan:7ff8000000000001"` is a NaN with other bits than the default one. A node index is a whole
//! number, -1 where there is none.

use crate::file::codes::Coded;
use crate::forest::NONE;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// One item as it is written in JSON.
pub(super) trait Item: Copy {
    type Wire: Serialize + for<'a> Deserialize<'a>;

    fn to_wire(self) -> Self::Wire;

    fn from_wire(wire: Self::Wire) -> Self;
}

/// An array read and written item by item, without a second copy of it.
pub(super) mod array {
    use super::*;

    pub(in super::super) fn serialize<T: Item, S: Serializer>(
        items: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(items.len()))?;
        for item in items {
            sequence.serialize_element(&item.to_wire())?;
        }
        sequence.end()
    }

    pub(in super::super) fn deserialize<'de, T: Item, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_seq(Items(PhantomData))
    }

    struct Items<T>(PhantomData<T>);

    impl<'de, T: Item> Visitor<'de> for Items<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::new();
            while let Some(wire) = sequence.next_element::<T::Wire>()? {
                items.push(T::from_wire(wire));
            }
            Ok(items)
        }
    }
}

/// As [`array`], for an array that may be left out or `null`.
pub(super) mod optional_array {
    use super::*;

    pub(in super::super) fn serialize<T: Item, S: Serializer>(
        items: &Option<Vec<T>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        array::serialize(items.as_deref().unwrap_or_default(), serializer)
    }

    pub(in super::super) fn deserialize<'de, T: Item, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<T>>, D::Error> {
        Ok(Option::<Items<T>>::deserialize(deserializer)?.map(|items| items.0))
    }

    struct Items<T>(Vec<T>);

    impl<'de, T: Item> Deserialize<'de> for Items<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            array::deserialize(deserializer).map(Items)
        }
    }
}

/// A number that may be NaN or infinite.
#[derive(Clone, Copy)]
pub(super) struct Number(pub(super) f64);

impl Item for f64 {
    type Wire = Number;

    fn to_wire(self) -> Number {
        Number(self)
    }

    fn from_wire(wire: Number) -> Self {
        wire.0
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.0;
        if number.is_finite() {
            serializer.serialize_f64(number)
        } else if number.is_infinite() {
            serializer.serialize_str(if number > 0.0 { "inf" } else { "-inf" })
        } else if number.to_bits() == f64::NAN.to_bits() {
            serializer.serialize_unit()
        } else {
            serializer.collect_str(&format_args!("nan:{:016x}", number.to_bits()))
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor).map(Number)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, null for NaN, \"inf\", \"-inf\" or \"nan:\" with 16 hex digits")
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_unit<E: de::Error>(self) -> Result<f64, E> {
        Ok(f64::NAN)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
        let nan = || {
            let digits = text.strip_prefix("nan:").filter(|digits| digits.len() == 16)?;
            let bits = u64::from_str_radix(digits, 16).ok()?;
            Some(f64::from_bits(bits)).filter(|number| number.is_nan())
        };
        match text {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            _ => nan().ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }
}

/// Index of a node, a column or a category set; -1 is [`NONE`].
pub(super) struct Index(u32);

impl Item for u32 {
    type Wire = Index;

    fn to_wire(self) -> Index {
        Index(self)
    }

    fn from_wire(wire: Index) -> Self {
        wire.0
    }
}

impl Serialize for Index {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(if self.0 == NONE { -1 } else { i64::from(self.0) })
    }
}

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match i64::deserialize(deserializer)? {
            -1 => Ok(Index(NONE)),
            index => match u32::try_from(index) {
                Ok(index) if index != NONE => Ok(Index(index)),
                _ => Err(de::Error::custom(format_args!(
                    "index {index}; expected -1 or 0 to 4294967294"
                ))),
            },
        }
    }
}

/// A choice as its word.
#[derive(Clone, Copy)]
pub(super) struct Word<T>(pub(super) T);

impl<T: Coded> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<'de, T: Coded> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        T::from_word(&word).map(Word).map_err(de::Error::custom)
    }
}
