//! How numbers, dates and times are written in text cells, if not in the plain format of programs.
//!
//! A column whose cells are not all plain numbers (`-1.5e3`) may still be numeric: with a decimal
//! comma, thousands separators, a currency or a per cent sign, or dates and times.
//! [`Recognised::of`] finds the one format that reads every cell of a column. Words for unknown
//! values (`None`, `-`, `#N/A`) then count as missing. The format is kept with the schema, so that
//! later tables are read the same way.
//!
//! | format | cells | number |
//! |---|---|---|
//! | number | `1.234,5`, `$1,200`, `12 %`, `(5)` | the number; per cent keep their size |
//! | date | `2024-01-31`, `31.01.2024`, `1/31/2024` | days since 1970-01-01 |
//! | date and time | `2024-01-31T12:30:00Z` | seconds since 1970-01-01 |
//! | time | `12:30`, `12:30:15` | seconds since midnight |
//!
//! If several formats can read a column, the first that suits the file is used. If no cell
//! distinguishes days from months, the order is not guessed.

use super::{Labels, MISSING, TimeUnit};
use serde::{Deserialize, Serialize};

/// The decimal mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decimal {
    /// `1.5`
    Point,
    /// `1,5`
    Comma,
}

/// The thousands separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Thousands {
    /// Nothing.
    None,
    /// `1,000`
    Comma,
    /// `1.000`
    Point,
    /// `1 000`, or with non-breaking spaces.
    Space,
    /// `1'000`
    Apostrophe,
}

/// The order of the parts of a date, with their separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DateOrder {
    /// `2024-01-31` or `2024/01/31`
    YearMonthDay,
    /// `31.01.2024`, `31/01/2024` or `31-01-2024`
    DayMonthYear,
    /// `01/31/2024` or `01-31-2024`
    MonthDayYear,
}

/// How the cells of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CellFormat {
    /// Numbers.
    Number(Decimal, Thousands),
    /// Dates.
    Date(DateOrder),
    /// Dates with a time of day, in UTC if a cell states no zone.
    DateTime(DateOrder),
    /// Times of day.
    Time,
}

/// The format of a column, and the words that are missing cells in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnFormat {
    /// Name of the column.
    pub name: String,
    /// How its cells are written.
    pub format: CellFormat,
    /// Cells that stand for a missing value in this column.
    pub missing: Vec<String>,
}

/// How the cells of a table are written, if not in the default way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reading {
    /// Words for a missing value in every column, in addition to the default ones.
    pub missing: Vec<String>,
    /// Columns with their own format.
    pub formats: Vec<ColumnFormat>,
}

impl Reading {
    /// Whether tables are read in the default way.
    pub fn is_default(&self) -> bool {
        self.missing.is_empty() && self.formats.is_empty()
    }

    /// The format of a column, if it has one of its own.
    pub fn format_of(&self, column: &str) -> Option<&ColumnFormat> {
        self.formats.iter().find(|format| format.name == column)
    }

    /// The unit of a column's numbers, if they are dates or times.
    pub fn time_unit(&self, column: &str) -> Option<TimeUnit> {
        self.format_of(column).and_then(|known| known.format.time_unit())
    }
}

impl CellFormat {
    /// The unit of such a column's numbers, if they are dates or times.
    pub fn time_unit(self) -> Option<TimeUnit> {
        match self {
            Self::Date(_) => Some(TimeUnit::Days),
            Self::DateTime(_) => Some(TimeUnit::Seconds),
            Self::Number(..) | Self::Time => None,
        }
    }

    /// What cells of this format are, in the plural.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Number(..) => "numbers",
            Self::Date(_) => "dates",
            Self::DateTime(_) => "dates with times",
            Self::Time => "times",
        }
    }

    /// Plain numbers as programs write them; in cells that go through this format, currency signs
    /// may stand beside them.
    pub const PLAIN: Self = Self::Number(Decimal::Point, Thousands::None);

    /// Every format, those that are rather meant first.
    const ALL: [Self; 16] = [
        Self::PLAIN,
        Self::Number(Decimal::Point, Thousands::Comma),
        Self::Number(Decimal::Comma, Thousands::None),
        Self::Number(Decimal::Comma, Thousands::Point),
        Self::Number(Decimal::Point, Thousands::Space),
        Self::Number(Decimal::Comma, Thousands::Space),
        Self::Number(Decimal::Point, Thousands::Apostrophe),
        Self::Number(Decimal::Comma, Thousands::Apostrophe),
        Self::Number(Decimal::Point, Thousands::Point),
        Self::Date(DateOrder::YearMonthDay),
        Self::Date(DateOrder::DayMonthYear),
        Self::Date(DateOrder::MonthDayYear),
        Self::DateTime(DateOrder::YearMonthDay),
        Self::DateTime(DateOrder::DayMonthYear),
        Self::DateTime(DateOrder::MonthDayYear),
        Self::Time,
    ];

    /// Its name in a model file.
    pub fn name(self) -> String {
        let order = |order| match order {
            DateOrder::YearMonthDay => "year-month-day",
            DateOrder::DayMonthYear => "day-month-year",
            DateOrder::MonthDayYear => "month-day-year",
        };
        match self {
            Self::Number(decimal, thousands) => {
                let decimal = match decimal {
                    Decimal::Point => "point",
                    Decimal::Comma => "comma",
                };
                let thousands = match thousands {
                    Thousands::None => "none",
                    Thousands::Comma => "comma",
                    Thousands::Point => "point",
                    Thousands::Space => "space",
                    Thousands::Apostrophe => "apostrophe",
                };
                format!("number {decimal} {thousands}")
            }
            Self::Date(parts) => format!("date {}", order(parts)),
            Self::DateTime(parts) => format!("datetime {}", order(parts)),
            Self::Time => "time".into(),
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.is_possible() && format.name() == name)
    }

    /// Whether decimals and thousands have different marks.
    pub fn is_possible(self) -> bool {
        !matches!(
            self,
            Self::Number(Decimal::Point, Thousands::Point)
                | Self::Number(Decimal::Comma, Thousands::Comma)
        )
    }

    /// In words, with an example.
    pub fn title(self) -> &'static str {
        match self {
            Self::Number(Decimal::Point, Thousands::Comma) => "numbers such as 1,234.5",
            Self::Number(Decimal::Point, Thousands::Space) => "numbers such as 1 234.5",
            Self::Number(Decimal::Point, Thousands::Apostrophe) => "numbers such as 1'234.5",
            Self::Number(Decimal::Point, _) => "numbers such as 1234.5",
            Self::Number(Decimal::Comma, Thousands::Point) => "numbers such as 1.234,5",
            Self::Number(Decimal::Comma, Thousands::Space) => "numbers such as 1 234,5",
            Self::Number(Decimal::Comma, Thousands::Apostrophe) => "numbers such as 1'234,5",
            Self::Number(Decimal::Comma, _) => "numbers such as 1234,5",
            Self::Date(_) => "dates, as days since 1970",
            Self::DateTime(_) => "dates with times, as seconds since 1970",
            Self::Time => "times, as seconds since midnight",
        }
    }

    /// What a cell of such a column is, with an example if needed.
    pub fn cell_title(self) -> &'static str {
        match self {
            Self::Number(..) => "a number",
            Self::Date(DateOrder::YearMonthDay) => "a date such as 2024-01-31, without a time",
            Self::Date(DateOrder::DayMonthYear) => "a date such as 31.01.2024, without a time",
            Self::Date(DateOrder::MonthDayYear) => "a date such as 01/31/2024, without a time",
            Self::DateTime(DateOrder::YearMonthDay) => {
                "a date with a time, such as 2024-01-31 12:30:00"
            }
            Self::DateTime(DateOrder::DayMonthYear) => {
                "a date with a time, such as 31.01.2024 12:30:00"
            }
            Self::DateTime(DateOrder::MonthDayYear) => {
                "a date with a time, such as 01/31/2024 12:30:00"
            }
            Self::Time => "a time of the day, such as 12:30:00",
        }
    }

    /// The number of a cell in ISO format, whatever the order of days and months in the column: a
    /// date such as `2024-01-31` also where the column has times (it is midnight there), and one
    /// with a time where the column has none, if that is midnight.
    pub fn parse_iso(self, cell: &str) -> Option<f64> {
        const DAY: f64 = 86_400.0;
        let days = || date(cell, DateOrder::YearMonthDay).map(|days| days as f64);
        let seconds = || date_time(cell, DateOrder::YearMonthDay);
        match self {
            Self::Date(_) => {
                days().or_else(|| seconds().map(|all| all / DAY).filter(|days| days.fract() == 0.0))
            }
            Self::DateTime(_) => seconds().or_else(|| days().map(|days| days * DAY)),
            Self::Number(..) | Self::Time => None,
        }
    }

    /// The number of a cell, whose ends are without spaces; `None` if it has another format.
    pub fn parse(self, cell: &str) -> Option<f64> {
        match self {
            Self::Number(decimal, thousands) => number(cell, decimal, thousands),
            Self::Date(order) => date(cell, order).map(|days| days as f64),
            Self::DateTime(order) => date_time(cell, order),
            Self::Time => time(cell),
        }
    }
}

/// Signs and codes of currencies that may stand before or after a number.
const CURRENCIES: [&str; 24] = [
    "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₴", "₪", "฿", "US$", "USD", "EUR", "GBP", "JPY",
    "CHF", "CAD", "AUD", "CNY", "INR", "SEK", "NOK", "DKK",
];

/// A cell without the mark of its unit, and that mark: a currency or `%`.
fn without_unit(cell: &str) -> (&str, &str) {
    if let Some(number) = cell.strip_suffix('%') {
        return (number.trim_end(), "%");
    }
    for unit in CURRENCIES {
        let number = cell.strip_prefix(unit).or_else(|| cell.strip_suffix(unit));
        if let Some(number) = number {
            return (number.trim(), unit);
        }
    }
    (cell, "")
}

/// A number without what people put around it: signs, brackets for negative ones, a unit.
fn unwrapped(cell: &str) -> (bool, &str, &str) {
    let (mut negative, mut rest) = (false, cell);
    if let Some(inner) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        (negative, rest) = (true, inner.trim());
    }
    let mut unit = "";
    // The sign may stand before or after the unit: -$5, $-5.
    for _ in 0..2 {
        for (sign, is_negative) in [("-", true), ("\u{2212}", true), ("+", false)] {
            if let Some(inner) = rest.strip_prefix(sign)
                && !inner.starts_with(['-', '+', '\u{2212}'])
            {
                negative ^= is_negative;
                rest = inner.trim_start();
                break;
            }
        }
        if unit.is_empty() {
            (rest, unit) = without_unit(rest);
        }
    }
    (negative, rest, unit)
}

fn number(cell: &str, decimal: Decimal, thousands: Thousands) -> Option<f64> {
    let (negative, digits, _) = unwrapped(cell);
    let plain = plain_digits(digits, decimal, thousands)?;
    let x: f64 = plain.parse().ok()?;
    Some(if negative { -x } else { x })
}

/// A number in its plain spelling: separators of thousands taken out, a point for decimals.
fn plain_digits(text: &str, decimal: Decimal, thousands: Thousands) -> Option<String> {
    let point = match decimal {
        Decimal::Point => '.',
        Decimal::Comma => ',',
    };
    let (whole, rest) = match text.find([point, 'e', 'E']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let is_mark = |c: char| match thousands {
        Thousands::None => false,
        Thousands::Comma => c == ',',
        Thousands::Point => c == '.',
        Thousands::Space => matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}'),
        Thousands::Apostrophe => matches!(c, '\'' | '\u{2019}'),
    };
    let mut groups = whole.split(is_mark);
    let first = groups.next().unwrap_or_default();
    let mut plain = String::with_capacity(text.len());
    plain.push_str(first);
    let mut grouped = false;
    for group in groups {
        grouped = true;
        if group.len() != 3 {
            return None;
        }
        plain.push_str(group);
    }
    if (grouped && !(1..=3).contains(&first.len())) || !plain.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    match rest.strip_prefix(point) {
        Some(decimals) => {
            plain.push('.');
            plain.push_str(decimals);
        }
        None => plain.push_str(rest),
    }
    // What is left must be digits, at most one point and an exponent; words such as "inf" are none.
    let is_plain = plain.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
    (is_plain && plain.bytes().any(|b| b.is_ascii_digit())).then_some(plain)
}

/// Days from 1970-01-01 to a day of the Gregorian calendar; `None` if the day does not exist or is
/// outside the years 1 to 9999.
pub fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) || !(1..=9999).contains(&year) {
        return None;
    }
    // Years that start in March have their leap day at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    let era = year.div_euclid(400);
    let in_era = year.rem_euclid(400);
    Some(era * 146_097 + in_era * 365 + in_era / 4 - in_era / 100 + of_year - 719_468)
}

fn digits(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let fits = lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

fn date(text: &str, order: DateOrder) -> Option<i64> {
    let marks: &[char] = match order {
        DateOrder::YearMonthDay => &['-', '/', '.'],
        DateOrder::DayMonthYear => &['.', '/', '-'],
        DateOrder::MonthDayYear => &['/', '-'],
    };
    let mark = *marks.iter().find(|mark| text.contains(**mark))?;
    let mut parts = text.split(mark);
    let parts = [parts.next()?, parts.next()?, parts.next()?, parts.next().unwrap_or("")];
    if !parts[3].is_empty() || text.matches(mark).count() != 2 {
        return None;
    }
    let (year, month, day) = match order {
        DateOrder::YearMonthDay => (parts[0], parts[1], parts[2]),
        DateOrder::DayMonthYear => (parts[2], parts[1], parts[0]),
        DateOrder::MonthDayYear => (parts[2], parts[0], parts[1]),
    };
    days_of(digits(year, 4..=4)?, digits(month, 1..=2)?, digits(day, 1..=2)?)
}

fn time(text: &str) -> Option<f64> {
    let mut parts = text.split(':');
    let hours = digits(parts.next()?, 1..=2)?;
    let minutes = digits(parts.next()?, 2..=2)?;
    let seconds = match parts.next() {
        None => 0.0,
        Some(seconds) => {
            let (whole, decimals) = seconds.split_once('.').unwrap_or((seconds, "0"));
            digits(whole, 2..=2)?;
            digits(decimals, 1..=9)?;
            seconds.parse::<f64>().ok()?
        }
    };
    let fits = parts.next().is_none() && hours < 24 && minutes < 60 && seconds < 60.0;
    fits.then_some((hours * 3600 + minutes * 60) as f64 + seconds)
}

fn date_time(text: &str, order: DateOrder) -> Option<f64> {
    let (day, moment) = text.split_once(['T', ' '])?;
    let days = date(day, order)?;
    let moment = moment.trim();
    let (moment, offset) = match moment.find(['Z', 'z', '+', '-']) {
        None => (moment, 0.0),
        Some(at) => {
            let (moment, zone) = moment.split_at(at);
            (moment.trim_end(), zone_offset(zone)?)
        }
    };
    Some(days as f64 * 86_400.0 + time(moment)? - offset)
}

/// Seconds that a zone is ahead of Greenwich: `Z`, `+02:00`, `-0530`, `+02`.
fn zone_offset(zone: &str) -> Option<f64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0.0);
    }
    let sign = if zone.starts_with('-') { -1.0 } else { 1.0 };
    let plain: String = zone[1..].chars().filter(|c| *c != ':').collect();
    let (hours, minutes) = match plain.len() {
        2 => (digits(&plain, 2..=2)?, 0),
        4 => {
            let (hours, minutes) = plain.split_at_checked(2)?;
            (digits(hours, 2..=2)?, digits(minutes, 2..=2)?)
        }
        _ => return None,
    };
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60) as f64)
}

/// Words that people write in a column of numbers where nothing is known.
const UNKNOWN: [&str; 18] = [
    "none", "-", "--", "---", ".", "..", "n.a.", "n/d", "nd", "nil", "missing", "unknown", "#n/a",
    "#na", "#value!", "#div/0!", "#ref!", "<na>",
];

fn is_unknown(cell: &str) -> bool {
    UNKNOWN.iter().any(|word| word.eq_ignore_ascii_case(cell))
}

/// What a text column turns out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Recognised {
    /// All cells have one format.
    As {
        /// The format.
        format: CellFormat,
        /// Cells that stand for missing ones, each spelling once.
        missing: Vec<String>,
        /// Another format that reads all cells, as other numbers.
        or: Option<CellFormat>,
        /// A unit that some of the numbers have and others lack.
        unit: Option<UnitOfSome>,
    },
    /// Most cells have one format, but not all.
    Nearly(NearNumbers),
    /// Text.
    Text,
}

/// A unit that only some numbers of a column carry, such as `5%` among `0.04` and `0.07`. All
/// numbers are read as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitOfSome {
    /// Number of cells that carry it.
    pub cells: usize,
    /// Number of non-zero numbers in the column; zero needs no unit.
    pub of: usize,
    /// The row of the first one, from 0.
    pub first: usize,
    /// That cell.
    pub cell: String,
}

/// A column in which most cells are numbers, dates or times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearNumbers {
    /// The format of these cells.
    pub format: CellFormat,
    /// Cells of this format.
    pub numbers: usize,
    /// Cells that are not missing.
    pub present: usize,
    /// Different numbers.
    pub distinct: usize,
    /// The row of the first other cell, from 0.
    pub first_other: usize,
    /// That cell.
    pub other: String,
}

/// Share of numbers from which on a column is taken for one of numbers with mistakes in it.
const NEARLY: f64 = 0.8;
/// Different numbers that such a column has at least: fewer can be codes.
const MANY: usize = 20;

/// What is known about the numbers of a table before its columns are examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NumberHints {
    /// Commas are more likely decimals than thousands, because the file's delimiter is not a comma.
    pub comma_rather: bool,
    /// The decimal mark, if the user states it.
    pub decimal: Option<Decimal>,
    /// The thousands separator, if the user states it.
    pub thousands: Option<Thousands>,
}

impl NumberHints {
    fn allow(&self, format: CellFormat) -> bool {
        match format {
            CellFormat::Number(decimal, thousands) => {
                self.decimal.is_none_or(|stated| stated == decimal)
                    && self
                        .thousands
                        .is_none_or(|stated| stated == thousands || thousands == Thousands::None)
            }
            _ => true,
        }
    }

    /// The format of all numbers, if the user states one.
    pub fn stated(&self) -> Option<CellFormat> {
        let thousands = self.thousands.unwrap_or(Thousands::None);
        match (self.decimal, self.thousands) {
            (None, None) => None,
            (Some(decimal), _) => Some(CellFormat::Number(decimal, thousands)),
            (None, Some(Thousands::Point)) => Some(CellFormat::Number(Decimal::Comma, thousands)),
            (None, Some(_)) => Some(CellFormat::Number(Decimal::Point, thousands)),
        }
    }
}

impl Recognised {
    /// Examines a text column.
    pub fn of(labels: &Labels, hints: &NumberHints) -> Self {
        let counts = labels.counts();
        let cells: Vec<(usize, &str, usize)> = labels
            .levels()
            .iter()
            .enumerate()
            .filter(|(at, _)| counts[*at] > 0)
            .map(|(at, level)| (at, level.as_ref(), counts[at]))
            .collect();
        let known: Vec<&(usize, &str, usize)> =
            cells.iter().filter(|(_, cell, _)| !is_unknown(cell)).collect();
        if known.is_empty() {
            return Self::Text;
        }
        let reads_all = |format: &CellFormat| {
            format.is_possible()
                && hints.allow(*format)
                && known.iter().all(|(_, cell, _)| format.parse(cell).is_some_and(f64::is_finite))
        };
        let mut fitting: Vec<CellFormat> = CellFormat::ALL.into_iter().filter(reads_all).collect();
        if has_two_units(&known) {
            fitting.retain(|format| !matches!(format, CellFormat::Number(..)));
        }
        if hints.comma_rather {
            // Stable: the order among the others stays.
            fitting.sort_by_key(|f| !matches!(f, CellFormat::Number(Decimal::Comma, _)));
        }
        if let Some(&format) = fitting.first() {
            let differs = |other: &&CellFormat| {
                known.iter().any(|(_, cell, _)| other.parse(cell) != format.parse(cell))
            };
            let or = fitting.iter().find(differs).copied();
            let is_date =
                |f: CellFormat| matches!(f, CellFormat::Date(_) | CellFormat::DateTime(_));
            if is_date(format) && or.is_some() {
                return Self::Text;
            }
            let missing = cells.iter().filter(|(_, cell, _)| is_unknown(cell));
            let missing = missing.map(|(_, cell, _)| (*cell).to_owned()).collect();
            let is_number = matches!(format, CellFormat::Number(..));
            let unit = if is_number { UnitOfSome::find(labels, &known, format) } else { None };
            return Self::As { format, missing, or, unit };
        }
        Self::nearly(labels, &known, cells.iter().map(|(.., count)| count).sum())
    }

    fn nearly(labels: &Labels, known: &[&(usize, &str, usize)], present: usize) -> Self {
        let of = |format: &CellFormat| -> (usize, usize) {
            let read = known.iter().filter(|(_, cell, _)| format.parse(cell).is_some());
            read.fold((0, 0), |(cells, levels), (.., count)| (cells + count, levels + 1))
        };
        let numbers = CellFormat::ALL.into_iter().filter(|format| format.is_possible());
        let best = numbers.max_by_key(|format| of(format).0);
        let Some(best) = best else { return Self::Text };
        let (cells, distinct) = of(&best);
        if (cells as f64) < NEARLY * present as f64 || distinct < MANY {
            return Self::Text;
        }
        let is_other: Vec<bool> = (labels.levels().iter())
            .map(|level| best.parse(level).is_none() && !is_unknown(level))
            .collect();
        let first =
            (labels.codes().iter()).position(|&code| code != MISSING && is_other[code as usize]);
        let Some(first_other) = first else { return Self::Text };
        let other = labels.get(first_other).unwrap_or_default().to_owned();
        let numbers = cells;
        Self::Nearly(NearNumbers { format: best, numbers, present, distinct, first_other, other })
    }
}

impl UnitOfSome {
    fn find(labels: &Labels, known: &[&(usize, &str, usize)], format: CellFormat) -> Option<Self> {
        let has_unit = |cell: &str| !unwrapped(cell).2.is_empty();
        let numbers = known.iter().filter(|(_, cell, _)| format.parse(cell) != Some(0.0));
        let (mut cells, mut of) = (0, 0);
        for (_, cell, count) in numbers {
            of += count;
            cells += if has_unit(cell) { *count } else { 0 };
        }
        let is_first = |row: &usize| labels.get(*row).is_some_and(has_unit);
        let first = (0..labels.len()).find(is_first).filter(|_| 0 < cells && cells < of)?;
        Some(Self { cells, of, first, cell: labels.get(first)?.to_owned() })
    }
}

/// Whether two different currencies, or a currency and per cent, stand in one column.
fn has_two_units(cells: &[&(usize, &str, usize)]) -> bool {
    let mut units = cells.iter().map(|(_, cell, _)| unwrapped(cell).2).filter(|u| !u.is_empty());
    let Some(first) = units.next() else { return false };
    units.any(|unit| unit != first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognised(cells: &[&str], comma_rather: bool) -> Recognised {
        let hints = NumberHints { comma_rather, ..NumberHints::default() };
        Recognised::of(&cells.iter().map(|&cell| Some(cell)).collect(), &hints)
    }

    #[track_caller]
    fn reads(cells: &[&str], comma_rather: bool, expected: &[f64]) {
        match recognised(cells, comma_rather) {
            Recognised::As { format, .. } => {
                let found: Vec<f64> =
                    cells.iter().map(|cell| format.parse(cell).unwrap_or(f64::NAN)).collect();
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{format:?}");
            }
            other => panic!("{cells:?}: {other:?}"),
        }
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        reads(&["1,5", "-2,25", "7"], true, &[1.5, -2.25, 7.0]);
        reads(&["1.234,5", "12.000", "3,5"], true, &[1234.5, 12000.0, 3.5]);
        reads(&["1,234.5", "12,000"], false, &[1234.5, 12000.0]);
        reads(&["1 234,5", "12\u{a0}000"], true, &[1234.5, 12000.0]);
        reads(&["1'234.5", "12’000"], false, &[1234.5, 12000.0]);
        reads(&["$1,200.50", "-$3", "$-4", "($5)"], false, &[1200.5, -3.0, -4.0, -5.0]);
        reads(&["12 %", "7.5%"], false, &[12.0, 7.5]);
        reads(&["5 €", "7,50 €"], true, &[5.0, 7.5]);
        reads(&["1e3", "None", "-"], false, &[1000.0, f64::NAN, f64::NAN]);
        // Three digits after every comma: thousands, unless the delimiter says otherwise.
        reads(&["1,234", "5"], false, &[1234.0, 5.0]);
        reads(&["1,234", "5"], true, &[1.234, 5.0]);
        assert_eq!(recognised(&["$5", "€5"], false), Recognised::Text, "two currencies");
        for text in ["1,23,4", "1.2.3", "--5", "5-", "1,,000", "e5", "$", "inf", "nan", "0x10"] {
            assert_eq!(recognised(&[text, "x"], false), Recognised::Text, "{text}");
            assert_eq!(recognised(&[text], false), Recognised::Text, "{text}");
        }
    }

    /// Found by the fuzzer: four bytes after the sign, the second of which is inside a letter.
    #[test]
    fn zones_with_letters_of_several_bytes_are_none() {
        let format = CellFormat::DateTime(DateOrder::YearMonthDay);
        for zone in ["+0\u{20ac}", "-\u{e9}\u{e9}", "+\u{1f980}", "+\u{e9}", "+00\u{e9}"] {
            assert_eq!(format.parse(&format!("2024-03-09 10:00{zone}")), None, "{zone}");
        }
    }

    #[test]
    fn dates_and_times_become_days_and_seconds() {
        reads(&["1970-01-02", "2024-02-29", "1969-12-31"], false, &[1.0, 19782.0, -1.0]);
        reads(&["31.12.1970", "01.01.1970"], false, &[364.0, 0.0]);
        reads(&["12/31/1970", "1/2/1970"], false, &[364.0, 1.0]);
        reads(&["31/12/1970", "2/1/1970"], false, &[364.0, 1.0]);
        reads(&["00:00", "23:59:59.5"], false, &[0.0, 86_399.5]);
        let moments = ["1970-01-02T00:00:01Z", "1970-01-01 02:00+02:00", "1970-01-01T00:00:00.25"];
        reads(&moments, false, &[86_401.0, 0.0, 0.25]);
        assert_eq!(recognised(&["01/02/2024", "03/04/2024"], false), Recognised::Text, "which?");
        for text in ["2023-02-29", "2024-13-01", "24:00", "1:2", "2024-01-01T25:00", "1-2-3-4"] {
            assert_eq!(recognised(&[text], false), Recognised::Text, "{text}");
        }
    }

    #[test]
    fn what_stands_for_nothing_is_missing_among_numbers_only() {
        let cells = ["1.5", "None", "none", "2"];
        let Recognised::As { missing, .. } = recognised(&cells, false) else { panic!() };
        assert_eq!(missing, ["None", "none"]);
        assert_eq!(recognised(&["a", "-"], false), Recognised::Text);
        assert_eq!(recognised(&["-", "--"], false), Recognised::Text);
    }

    #[test]
    fn nearly_numbers_are_told_with_the_first_other_cell() {
        let mut cells: Vec<String> = (0..60).map(|x| format!("{}.5", x)).collect();
        cells[17] = "12a".into();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let Recognised::Nearly(near) = recognised(&cells, false) else { panic!() };
        assert_eq!((near.numbers, near.present, near.first_other), (59, 60, 17));
        assert_eq!(near.other, "12a");
        assert_eq!(near.format.noun(), "numbers");
        let mut days: Vec<String> = (1..=28).map(|day| format!("2024-02-{day:02}")).collect();
        days[3] = "2024-02-30".into();
        let days: Vec<&str> = days.iter().map(String::as_str).collect();
        let Recognised::Nearly(near) = recognised(&days, false) else { panic!() };
        assert_eq!((near.format.noun(), near.numbers, near.first_other), ("dates", 27, 3));
        let codes: Vec<&str> = ["1", "2", "3", "A"].repeat(20);
        assert_eq!(recognised(&codes, false), Recognised::Text, "codes");
    }

    #[test]
    fn formats_are_found_by_their_names() {
        for format in CellFormat::ALL.into_iter().filter(|format| format.is_possible()) {
            assert_eq!(CellFormat::from_name(&format.name()), Some(format));
        }
        assert_eq!(CellFormat::from_name("number comma comma"), None);
    }
}
