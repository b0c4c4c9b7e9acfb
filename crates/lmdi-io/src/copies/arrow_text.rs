//! Cells of Arrow arrays as text with every digit, for copied Parquet columns in CSV.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_schema::{DataType, TimeUnit};
use lmdi::table::number_text;
use std::fmt::Display;

/// The chosen cells, in the order given.
pub(super) fn taken(array: &ArrayRef, rows: &[usize]) -> ArrayRef {
    let places: UInt64Array = rows.iter().map(|&row| row as u64).collect();
    // Fails only for places beyond the array, which are none of its rows.
    arrow_select::take::take(array, &places, None).unwrap_or_else(|_| array.slice(0, 0))
}

/// Whether cells of the type can be written as text.
pub(super) fn has_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => has_text(values),
        other => crate::read::is_plain(other),
    }
}

/// The cell in words; `None` where it is null or its type has no text.
pub(super) fn text(array: &ArrayRef, row: usize) -> Option<String> {
    if array.is_null(row) {
        return None;
    }
    fn shown<T: Display>(x: T) -> Option<String> {
        Some(x.to_string())
    }
    macro_rules! value {
        ($kind:ty) => {
            array.as_primitive::<$kind>().value(row)
        };
    }
    // Debug of dates and times is ISO 8601, with as many decimals as there are.
    macro_rules! moment {
        ($kind:ty, $value:ident) => {
            array.as_primitive::<$kind>().$value(row).map(|moment| format!("{moment:?}"))
        };
    }
    match array.data_type() {
        DataType::Boolean => shown(array.as_boolean().value(row)),
        DataType::Int8 => shown(value!(Int8Type)),
        DataType::Int16 => shown(value!(Int16Type)),
        DataType::Int32 => shown(value!(Int32Type)),
        DataType::Int64 => shown(value!(Int64Type)),
        DataType::UInt8 => shown(value!(UInt8Type)),
        DataType::UInt16 => shown(value!(UInt16Type)),
        DataType::UInt32 => shown(value!(UInt32Type)),
        DataType::UInt64 => shown(value!(UInt64Type)),
        DataType::Float16 => shown(value!(Float16Type)),
        DataType::Float32 => shown(value!(Float32Type)),
        DataType::Float64 => Some(number_text(value!(Float64Type))),
        DataType::Decimal32(..) => Some(array.as_primitive::<Decimal32Type>().value_as_string(row)),
        DataType::Decimal64(..) => Some(array.as_primitive::<Decimal64Type>().value_as_string(row)),
        DataType::Decimal128(..) => {
            Some(array.as_primitive::<Decimal128Type>().value_as_string(row))
        }
        DataType::Decimal256(..) => {
            Some(array.as_primitive::<Decimal256Type>().value_as_string(row))
        }
        DataType::Date32 => moment!(Date32Type, value_as_date),
        DataType::Date64 => moment!(Date64Type, value_as_date),
        DataType::Time32(TimeUnit::Second) => moment!(Time32SecondType, value_as_time),
        DataType::Time32(_) => moment!(Time32MillisecondType, value_as_time),
        DataType::Time64(TimeUnit::Nanosecond) => moment!(Time64NanosecondType, value_as_time),
        DataType::Time64(_) => moment!(Time64MicrosecondType, value_as_time),
        DataType::Timestamp(unit, zone) => {
            let moment = match unit {
                TimeUnit::Second => moment!(TimestampSecondType, value_as_datetime),
                TimeUnit::Millisecond => moment!(TimestampMillisecondType, value_as_datetime),
                TimeUnit::Microsecond => moment!(TimestampMicrosecondType, value_as_datetime),
                TimeUnit::Nanosecond => moment!(TimestampNanosecondType, value_as_datetime),
            };
            // Times with a zone are kept as those of Greenwich.
            moment.map(|moment| if zone.is_some() { moment + "Z" } else { moment })
        }
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => shown(format!("{} s", value!(DurationSecondType))),
            TimeUnit::Millisecond => shown(format!("{} ms", value!(DurationMillisecondType))),
            TimeUnit::Microsecond => shown(format!("{} us", value!(DurationMicrosecondType))),
            TimeUnit::Nanosecond => shown(format!("{} ns", value!(DurationNanosecondType))),
        },
        DataType::Utf8 => shown(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => shown(array.as_string::<i64>().value(row)),
        DataType::Utf8View => shown(array.as_string_view().value(row)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            text(dictionary.values(), *dictionary.normalized_keys().get(row)?)
        }
        _ => None,
    }
}
