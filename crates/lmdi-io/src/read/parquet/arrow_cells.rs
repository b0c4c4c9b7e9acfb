//! The cells of Arrow arrays, as a column of a frame takes them.
//!
//! | in the file | in the frame |
//! |---|---|
//! | integers, floats | numbers |
//! | decimals | the nearest number |
//! | date | days since 1970-01-01 |
//! | timestamp, time, duration | seconds (since 1970-01-01, midnight, zero) |
//! | boolean | text `false` and `true` |
//! | strings | text |
//! | null | missing |
//! | dictionaries | as their values |
//!
//! Arrow's general casts do all this too, but take longer to compile than the rest of the crate.

use crate::read::column::{ColumnReader, Problem};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use lmdi::table::{CellFormat, DateOrder};

/// What the cells of a type become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    Numbers,
    /// Dates, as days.
    Days,
    /// Points of time, as seconds.
    Seconds,
    Text,
}

impl Held {
    /// How text cells of the same kind are written, for columns that a model may meet in CSV later.
    pub(super) fn format(self) -> Option<CellFormat> {
        match self {
            Self::Days => Some(CellFormat::Date(DateOrder::YearMonthDay)),
            Self::Seconds => Some(CellFormat::DateTime(DateOrder::YearMonthDay)),
            Self::Numbers | Self::Text => None,
        }
    }
}

/// What the cells of a type become; `None` for a type that has no place in a table.
pub(super) fn held(data_type: &DataType) -> Option<Held> {
    match data_type {
        DataType::Dictionary(_, values) => held(values),
        DataType::Boolean | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Some(Held::Text)
        }
        DataType::Date32 | DataType::Date64 => Some(Held::Days),
        DataType::Timestamp(..) => Some(Held::Seconds),
        DataType::Null | DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) => {
            Some(Held::Numbers)
        }
        other => other.is_numeric().then_some(Held::Numbers),
    }
}

/// Whether a type holds single values: no lists, records or bytes.
pub(crate) fn is_plain(data_type: &DataType) -> bool {
    held(data_type).is_some()
}

/// One cell.
#[derive(Debug, Clone, Copy)]
enum Cell<'a> {
    Missing,
    Number(f64),
    Text(&'a str),
}

/// Adds the cells of an array to a column; `rows_before` rows came before it. Where the column is known
/// to hold days or seconds (`format`), dates and points of time become these.
pub(super) fn append(
    array: &ArrayRef,
    column: &mut ColumnReader,
    format: Option<CellFormat>,
    rows_before: u64,
) -> Result<(), Problem> {
    const SECONDS_PER_DAY: f64 = 86_400.0;
    let mut row = rows_before;
    let held = held(array.data_type());
    let in_unit = |x: f64| match (held, format) {
        (Some(Held::Seconds), Some(CellFormat::Date(_))) => x / SECONDS_PER_DAY,
        (Some(Held::Days), Some(CellFormat::DateTime(_))) => x * SECONDS_PER_DAY,
        _ => x,
    };
    for_each_cell(array, &mut |cell| {
        let at = row;
        row += 1;
        match cell {
            Cell::Missing => column.push_missing(),
            Cell::Number(x) => column.push_number(in_unit(x), at),
            Cell::Text(text) => column.push(text, at)?,
        }
        Ok(())
    })
}

type Visit<'a> = &'a mut dyn FnMut(Cell) -> Result<(), Problem>;

fn for_each_cell(array: &ArrayRef, visit: Visit) -> Result<(), Problem> {
    const DAY: f64 = 86_400_000.0;
    match array.data_type() {
        DataType::Int8 => numbers::<Int8Type>(array, visit, f64::from),
        DataType::Int16 => numbers::<Int16Type>(array, visit, f64::from),
        DataType::Int32 => numbers::<Int32Type>(array, visit, f64::from),
        DataType::Int64 => numbers::<Int64Type>(array, visit, |x| x as f64),
        DataType::UInt8 => numbers::<UInt8Type>(array, visit, f64::from),
        DataType::UInt16 => numbers::<UInt16Type>(array, visit, f64::from),
        DataType::UInt32 => numbers::<UInt32Type>(array, visit, f64::from),
        DataType::UInt64 => numbers::<UInt64Type>(array, visit, |x| x as f64),
        DataType::Float16 => numbers::<Float16Type>(array, visit, |x| x.to_f64()),
        DataType::Float32 => numbers::<Float32Type>(array, visit, f64::from),
        DataType::Float64 => numbers::<Float64Type>(array, visit, |x| x),
        DataType::Decimal32(..) => decimals::<Decimal32Type>(array, visit),
        DataType::Decimal64(..) => decimals::<Decimal64Type>(array, visit),
        DataType::Decimal128(..) => decimals::<Decimal128Type>(array, visit),
        DataType::Decimal256(..) => decimals::<Decimal256Type>(array, visit),
        DataType::Date32 => numbers::<Date32Type>(array, visit, f64::from),
        DataType::Date64 => numbers::<Date64Type>(array, visit, |x| x as f64 / DAY),
        DataType::Time32(TimeUnit::Second) => numbers::<Time32SecondType>(array, visit, f64::from),
        DataType::Time32(_) => {
            numbers::<Time32MillisecondType>(array, visit, |x| f64::from(x) / 1e3)
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            numbers::<Time64NanosecondType>(array, visit, |x| x as f64 / 1e9)
        }
        DataType::Time64(_) => numbers::<Time64MicrosecondType>(array, visit, |x| x as f64 / 1e6),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => numbers::<TimestampSecondType>(array, visit, |x| x as f64),
            TimeUnit::Millisecond => {
                numbers::<TimestampMillisecondType>(array, visit, |x| x as f64 / 1e3)
            }
            TimeUnit::Microsecond => {
                numbers::<TimestampMicrosecondType>(array, visit, |x| x as f64 / 1e6)
            }
            TimeUnit::Nanosecond => {
                numbers::<TimestampNanosecondType>(array, visit, |x| x as f64 / 1e9)
            }
        },
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => numbers::<DurationSecondType>(array, visit, |x| x as f64),
            TimeUnit::Millisecond => {
                numbers::<DurationMillisecondType>(array, visit, |x| x as f64 / 1e3)
            }
            TimeUnit::Microsecond => {
                numbers::<DurationMicrosecondType>(array, visit, |x| x as f64 / 1e6)
            }
            TimeUnit::Nanosecond => {
                numbers::<DurationNanosecondType>(array, visit, |x| x as f64 / 1e9)
            }
        },
        DataType::Boolean => {
            let word = |truth| Cell::Text(if truth { "true" } else { "false" });
            array.as_boolean().iter().try_for_each(|x| visit(x.map_or(Cell::Missing, word)))
        }
        DataType::Utf8 => words(array.as_string::<i32>().iter(), visit),
        DataType::LargeUtf8 => words(array.as_string::<i64>().iter(), visit),
        DataType::Utf8View => words(array.as_string_view().iter(), visit),
        DataType::Dictionary(..) => dictionary(array, visit),
        // Null; every other type was refused by `held`.
        _ => (0..array.len()).try_for_each(|_| visit(Cell::Missing)),
    }
}

fn numbers<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    visit: Visit,
    number: impl Fn(T::Native) -> f64,
) -> Result<(), Problem> {
    let cells = array.as_primitive::<T>().iter();
    cells.into_iter().try_for_each(|x| visit(x.map_or(Cell::Missing, |x| Cell::Number(number(x)))))
}

/// Decimals by way of their text, whose parsing rounds to the nearest number whatever the scale.
fn decimals<T: DecimalType>(array: &ArrayRef, visit: Visit) -> Result<(), Problem> {
    let array: &PrimitiveArray<T> = array.as_primitive();
    (0..array.len()).try_for_each(|row| match array.value_as_string(row).parse() {
        Ok(x) if array.is_valid(row) => visit(Cell::Number(x)),
        _ => visit(Cell::Missing),
    })
}

fn words<'a>(
    mut cells: impl Iterator<Item = Option<&'a str>>,
    visit: Visit,
) -> Result<(), Problem> {
    cells.try_for_each(|text| visit(text.map_or(Cell::Missing, Cell::Text)))
}

fn dictionary(array: &ArrayRef, visit: Visit) -> Result<(), Problem> {
    enum Owned {
        Missing,
        Number(f64),
        Text(String),
    }
    let dictionary = array.as_any_dictionary();
    let mut values = Vec::with_capacity(dictionary.values().len());
    for_each_cell(dictionary.values(), &mut |cell| {
        values.push(match cell {
            Cell::Missing => Owned::Missing,
            Cell::Number(x) => Owned::Number(x),
            Cell::Text(text) => Owned::Text(text.to_owned()),
        });
        Ok(())
    })?;
    // Arrow gives keys only for a dictionary that is not empty.
    let keys = if values.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
    keys.into_iter().enumerate().try_for_each(|(row, key)| match values.get(key) {
        Some(Owned::Number(x)) if array.is_valid(row) => visit(Cell::Number(*x)),
        Some(Owned::Text(text)) if array.is_valid(row) => visit(Cell::Text(text)),
        _ => visit(Cell::Missing),
    })
}
